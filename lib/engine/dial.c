/* SPDX-License-Identifier: BSD-3-Clause */
/* What control tells the lanes: pieces of the phases' lines, a little ahead of time, so that a lane
 * never finds a gap; states; quotas. CTL. */
#include "engine_priv.h"

#define AHEAD_NS 30000000ULL

/* Four dials in turn; one that a lane may still read is never overwritten: wait for its chore. */
void
engine_dial_publish(struct engine *e, struct engine_lane *l)
{
	uint32_t x = (l->x_dial + 1) % ENGINE_DIALS;

	for (uint32_t i = 0; i < 50000 && lane_dial_adopted(l->lane) == &l->dial[x]; i++)
		engine_clock_nap_us(200);
	l->dial[x] = l->next;
	l->x_dial = x;
	lane_dial_publish(l->lane, &l->dial[x]);
}

bool
engine_dial_adopted_all(const struct engine *e, uint32_t role)
{
	const struct engine_role *r = &e->role[role];

	for (uint32_t i = 0; i < r->n_lanes; i++)
		if (lane_dial_adopted(r->lane[i].lane) != &r->lane[i].dial[r->lane[i].x_dial])
			return false;
	return true;
}

void
engine_dial_state(struct engine *e, uint32_t role, enum lane_state state)
{
	struct engine_role *r = &e->role[role];

	for (uint32_t i = 0; i < r->n_lanes; i++) {
		r->lane[i].next.state = (uint8_t)state;
		engine_dial_publish(e, &r->lane[i]);
	}
}

/* Before the workers go: resolve and answer, launch nothing. */
void
engine_dial_init(struct engine *e)
{
	for (uint32_t role = 0; role < ENGINE_ROLES; role++)
		for (uint32_t i = 0; i < e->role[role].n_lanes; i++) {
			struct lane_dial *d = &e->role[role].lane[i].next;

			memset(d, 0, sizeof(*d));
			d->t0_tsc = tick_now();
			d->stop_tsc = UINT64_MAX;
			d->quota = UINT64_MAX;
			d->state = role == SNAP_SERVER ? LANE_RUN : LANE_WAIT;
			engine_dial_publish(e, &e->role[role].lane[i]);
		}
}

/* Share of the rate, and of the robots, that each lane gets. */
static void
piece_publish(struct engine *e, const struct phase_piece *s)
{
	struct engine_role *r = &e->role[SNAP_CLIENT];
	const struct plan *p = e->plan;
	uint32_t n_robots = (uint32_t)(s->populus * p->robots.n_robots + 0.5);
	bool is_last = s->x_phase + 1 == p->n_phases;
	uint64_t end_ns = phase_end_ns(&p->phase[s->x_phase], e->walk.beg_head_ns);

	for (uint32_t i = 0; i < r->n_lanes; i++) {
		struct lane_dial *d = &r->lane[i].next;

		d->t0_tsc = engine_clock_tsc_at(e, s->beg_ns);
		d->per_sec = s->per_sec * r->lane[i].weight;
		d->per_sec2 = s->per_sec2 * r->lane[i].weight;
		d->n_robots = (uint32_t)phase_share(n_robots, i, r->n_lanes);
		d->x_phase = (uint16_t)s->x_phase;
		d->measured = p->phase[s->x_phase].measured;
		if (is_last)
			d->stop_tsc = engine_clock_tsc_at(e, end_ns);
		engine_dial_publish(e, &r->lane[i]);
	}
	e->walk.piece[e->walk.n_pieces++ % ARRAY_LEN(e->walk.piece)] = *s;
}

static void
piece_next(struct engine *e, uint32_t x, uint64_t beg_ns, uint64_t from_ns)
{
	struct phase_walk *w = &e->walk;
	struct probe_sum s;
	struct phase_piece piece;
	uint64_t done = 0;

	if (x == w->x) {
		engine_collect_probe(e, SNAP_CLIENT, &s);
		done = s.completed + s.failed + s.dropped - w->done_beg;
	}
	w->x_head = x;
	w->beg_head_ns = beg_ns;
	phase_piece_at(e->plan, x, beg_ns, from_ns, done, &piece);
	piece_publish(e, &piece);
}

/* The schedule starts: the first piece begins at t0. */
void
engine_dial_run(struct engine *e)
{
	struct engine_role *r = &e->role[SNAP_CLIENT];

	for (uint32_t i = 0; i < r->n_lanes; i++)
		r->lane[i].next.state = LANE_RUN;
	engine_dial_quota(e);
	piece_next(e, 0, 0, 0);
}

static const struct phase_piece *
head(const struct engine *e)
{
	return &e->walk.piece[(e->walk.n_pieces - 1) % ARRAY_LEN(e->walk.piece)];
}

/* Publish the next piece when it begins soon and the last one is in use everywhere. */
void
engine_dial_pieces(struct engine *e, uint64_t now)
{
	struct phase_walk *w = &e->walk;
	uint64_t since = engine_clock_since_ns(e, now);
	uint64_t end_ns = head(e)->end_ns;
	uint64_t phase_end = phase_end_ns(&e->plan->phase[w->x_head], w->beg_head_ns);

	if (end_ns == PLAN_NEVER || end_ns > since + AHEAD_NS ||
		!engine_dial_adopted_all(e, SNAP_CLIENT))
		return;
	if (end_ns < phase_end)
		piece_next(e, w->x_head, w->beg_head_ns, end_ns);
	else if (w->x_head + 1 < e->plan->n_phases)
		piece_next(e, w->x_head + 1, end_ns, end_ns);
}

/* A phase that ended by its count or by an early goal: the next one begins at from_ns. */
void
engine_dial_phase_begin(struct engine *e, uint32_t x, uint64_t beg_ns)
{
	struct phase_piece *h = &e->walk.piece[(e->walk.n_pieces - 1) % ARRAY_LEN(e->walk.piece)];

	h->end_ns = beg_ns;
	piece_next(e, x, beg_ns, beg_ns);
}

void
engine_dial_stop(struct engine *e, uint64_t stop_tsc)
{
	struct engine_role *r = &e->role[SNAP_CLIENT];
	uint64_t stop_ns = engine_clock_since_ns(e, stop_tsc);

	for (uint32_t i = 0; i < ARRAY_LEN(e->walk.piece); i++)
		if (e->walk.piece[i].end_ns > stop_ns)
			e->walk.piece[i].end_ns = stop_ns;
	for (uint32_t i = 0; i < r->n_lanes; i++) {
		struct lane_dial *d = &r->lane[i].next;

		if (d->stop_tsc <= stop_tsc)
			continue;
		d->stop_tsc = stop_tsc;
		d->n_robots = 0;
		engine_dial_publish(e, &r->lane[i]);
	}
}

/* Count goals are split exactly: each lane gets its part of the launches of this phase. */
void
engine_dial_quota(struct engine *e)
{
	struct engine_role *r = &e->role[SNAP_CLIENT];
	uint64_t n = e->plan->phase[e->walk.x].goal.n_xactions;

	e->walk.quota_set = n != PLAN_NEVER;
	for (uint32_t i = 0; i < r->n_lanes; i++) {
		struct engine_lane *l = &r->lane[i];
		uint64_t was = l->next.quota;

		l->quota_base = was != UINT64_MAX ? was : lane_probe_get(l->lane)->scheduled;
		l->next.quota = n == PLAN_NEVER
					? UINT64_MAX
					: l->quota_base + phase_quota(n, e->plan->robots.n_robots,
								  i, r->n_lanes);
	}
}

/* Nothing new but the quota. */
void
engine_dial_again(struct engine *e)
{
	for (uint32_t i = 0; i < e->role[SNAP_CLIENT].n_lanes; i++)
		engine_dial_publish(e, &e->role[SNAP_CLIENT].lane[i]);
}

/* Transactions that the plan offers between two times, all lanes together. */
double
engine_dial_offered(const struct engine *e, uint64_t from_tsc, uint64_t to_tsc)
{
	const struct phase_walk *w = &e->walk;
	uint64_t from = engine_clock_since_ns(e, from_tsc), to = engine_clock_since_ns(e, to_tsc);
	uint32_t n = RTE_MIN(w->n_pieces, (uint32_t)ARRAY_LEN(w->piece));
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += phase_piece_offered(
			&w->piece[(w->n_pieces - 1 - i) % ARRAY_LEN(w->piece)], from, to);
	return sum;
}
