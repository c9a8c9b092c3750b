/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots: lanes copy when asked, control adds the copies to its windows. CTL. */
#include "engine_priv.h"
#include <stdio.h>
#include <stdlib.h>

#define ANSWER_MS 10000

static uint8_t kind_of[LANE_N_VALUES];

void
engine_collect_probe(const struct engine *e, uint32_t role, struct probe_sum *s)
{
	const struct engine_role *r = &e->role[role];

	memset(s, 0, sizeof(*s));
	for (uint32_t i = 0; i < r->n_lanes; i++) {
		const struct lane_probe *p = lane_probe_get(r->lane[i].lane);

		s->scheduled += __atomic_load_n(&p->scheduled, __ATOMIC_RELAXED);
		s->sent += __atomic_load_n(&p->sent, __ATOMIC_RELAXED);
		s->completed += __atomic_load_n(&p->completed, __ATOMIC_RELAXED);
		s->failed += __atomic_load_n(&p->failed, __ATOMIC_RELAXED);
		s->dropped += __atomic_load_n(&p->dropped, __ATOMIC_RELAXED);
		s->activity += __atomic_load_n(&p->activity, __ATOMIC_RELAXED);
		s->n_conns += __atomic_load_n(&p->n_conns, __ATOMIC_RELAXED);
		if (s->unresolved_addr == 0)
			s->unresolved_addr = __atomic_load_n(&p->unresolved_addr, __ATOMIC_RELAXED);
	}
}

static void
kinds_init(void)
{
	for (uint32_t s = 0; s < lane_n_counter_sets; s++) {
		const struct counter_set *set = &lane_counter_sets[s];

		for (uint32_t i = 0; i < set->n && set->first + i < LANE_N_VALUES; i++)
			kind_of[set->first + i] = set->desc[i].kind;
	}
}

static int
window_init(struct window *w, uint32_t n_lanes, uint32_t n_contents)
{
	w->delta = calloc((size_t)n_lanes * LANE_N_VALUES, sizeof(*w->delta));
	w->sum = calloc(LANE_N_VALUES, sizeof(*w->sum));
	w->lane_s = calloc(n_lanes, sizeof(*w->lane_s));
	if (w->delta == NULL || w->sum == NULL || w->lane_s == NULL)
		return -1;
	return cell_sum_init(&w->cells, n_contents);
}

static int
role_init(struct engine_role *r, uint32_t n_contents)
{
	int rc = 0;

	r->all_total = calloc(LANE_N_VALUES, sizeof(*r->all_total));
	r->scope = calloc(r->n_lanes, sizeof(*r->scope));
	if (r->all_total == NULL || r->scope == NULL)
		return -1;
	for (uint32_t i = 0; i < r->n_lanes; i++) {
		r->lane[i].value = calloc(LANE_N_VALUES, sizeof(uint64_t));
		r->lane[i].total = calloc(LANE_N_VALUES, sizeof(uint64_t));
		if (r->lane[i].value == NULL || r->lane[i].total == NULL)
			return -1;
	}
	for (uint32_t i = 0; i < WIN_N && rc == 0; i++)
		rc = window_init(&r->win[i], r->n_lanes, n_contents);
	return rc;
}

int
engine_collect_init(struct engine *e)
{
	kinds_init();
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		struct engine_role *r = &e->role[role];

		/* The lanes' own sets say how many contents there are: one here. */
		if (r->n_lanes != 0 && role_init(r, 1) != 0)
			return err_setup(&e->err, ENOMEM, "memory of control", NULL, "not granted");
	}
	return 0;
}

void
engine_collect_fini(struct engine *e)
{
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		struct engine_role *r = &e->role[role];

		if (r->lane == NULL || r->all_total == NULL)
			continue; /* set-up did not come that far */
		for (uint32_t i = 0; i < WIN_N; i++) {
			free(r->win[i].delta);
			free(r->win[i].sum);
			free(r->win[i].lane_s);
			cell_sum_fini(&r->win[i].cells);
		}
		for (uint32_t i = 0; i < r->n_lanes; i++) {
			free(r->lane[i].value);
			free(r->lane[i].total);
		}
		free(r->all_total);
		free(r->scope);
	}
}

static void
value_add(uint64_t *to, uint64_t v, uint8_t kind)
{
	if (kind == COUNTER_SUM)
		*to += v;
	else if (kind == COUNTER_LEVEL)
		*to = v;
	else if (v > *to)
		*to = v;
}

/* Sum over scopes: levels add up as well. */
static void
value_sum(uint64_t *to, uint64_t v, uint8_t kind)
{
	if (kind != COUNTER_MAX)
		*to += v;
	else if (v > *to)
		*to = v;
}

static void
lane_add(struct engine *e, struct engine_role *r, struct engine_lane *l)
{
	const uint64_t *now = (const uint64_t *)(const void *)&l->snap->counters;
	uint64_t beg = l->last_end_tsc != 0 ? l->last_end_tsc : e->t0_tsc;
	double s = l->snap->end_tsc <= beg
			   ? 0
			   : (double)tick_to_ns(&e->rate, l->snap->end_tsc - beg) * 1e-9;

	for (uint32_t i = 0; i < LANE_N_VALUES; i++) {
		uint64_t d = kind_of[i] == COUNTER_SUM ? now[i] - l->value[i] : now[i];

		for (uint32_t w = 0; w < WIN_N; w++)
			value_add(&r->win[w].delta[l->x_lane * LANE_N_VALUES + i], d, kind_of[i]);
		value_add(&l->total[i], d, kind_of[i]);
		l->value[i] = now[i];
	}
	for (uint32_t w = 0; w < WIN_N; w++)
		r->win[w].lane_s[l->x_lane] += s;
	l->last_end_tsc = l->snap->end_tsc;
}

/* Merging in slices: a worker may share this CPU. */
static void
cells_add(struct cell_sum *sum, const struct cell_set *set)
{
	uint32_t n = RTE_MIN(sum->n_contents, set->n_contents) * CELL_N;

	for (uint32_t c = 0; c < n; c++)
		for (uint32_t v = 0; v < CELL_VALUES; v++) {
			if (set->cell[c][v].n == 0)
				continue;
			hist_sum_add(&sum->cell[c][v], &set->cell[c][v], &set->pool);
			engine_control_breathe();
		}
	hist_sum_add(&sum->connect, &set->connect, &set->pool);
	hist_sum_add(&sum->late, &set->late, &set->pool);
	sum->n_lost += set->pool.n_lost;
	engine_control_breathe();
}

static bool
answers_wait(struct engine *e)
{
	for (uint32_t ms = 0; ms < ANSWER_MS * 5; ms++) {
		bool all = true;

		for (uint32_t role = 0; role < ENGINE_ROLES; role++)
			for (uint32_t i = 0; i < e->role[role].n_lanes; i++) {
				struct lane_snap *s = e->role[role].lane[i].snap;

				all &= __atomic_load_n(&s->done, __ATOMIC_ACQUIRE) == s->req;
			}
		if (all)
			return true;
		engine_clock_nap_us(200);
	}
	return false;
}

/* Workers have ended: their lanes are ours. */
static void
answers_make(struct engine *e)
{
	for (uint32_t role = 0; role < ENGINE_ROLES; role++)
		for (uint32_t i = 0; i < e->role[role].n_lanes; i++)
			lane_chores(e->role[role].lane[i].lane,
				tick_now() + tick_from_ns(&e->rate, 2000000));
}

bool
engine_collect_now(struct engine *e)
{
	uint64_t now = tick_now();
	double offered = engine_dial_offered(e, e->last_collect_tsc, now);

	for (uint32_t role = 0; role < ENGINE_ROLES; role++)
		for (uint32_t i = 0; i < e->role[role].n_lanes; i++) {
			struct lane_snap *s = e->role[role].lane[i].snap;

			__atomic_store_n(&s->req, s->req + 1, __ATOMIC_RELEASE);
		}
	if (e->workers_gone)
		answers_make(e);
	if (!answers_wait(e))
		return false;
	e->last_collect_tsc = now;
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		struct engine_role *r = &e->role[role];

		for (uint32_t i = 0; i < r->n_lanes; i++) {
			struct engine_lane *l = &r->lane[i];

			lane_add(e, r, l);
			if (l->snap->retired == NULL)
				continue;
			for (uint32_t w = 0; w < WIN_N; w++)
				cells_add(&r->win[w].cells, l->snap->retired);
			cell_set_clear(l->snap->retired);
			engine_control_breathe();
		}
		for (uint32_t w = 0; w < WIN_N; w++)
			if (role == SNAP_CLIENT)
				r->win[w].offered += offered;
	}
	return true;
}

void
engine_collect_window_clear(struct engine *e, enum window_id id)
{
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		struct engine_role *r = &e->role[role];
		struct window *w = &r->win[id];

		if (r->n_lanes == 0)
			continue;
		memset(w->delta, 0, (size_t)r->n_lanes * LANE_N_VALUES * sizeof(*w->delta));
		memset(w->lane_s, 0, r->n_lanes * sizeof(*w->lane_s));
		cell_sum_clear(&w->cells);
		w->offered = 0;
		w->beg_tsc = e->last_collect_tsc;
	}
}

static double
rate_of(uint64_t n, double s)
{
	return s > 0 ? (double)n / s : 0;
}

static void
scope_fill(struct engine *e, struct engine_role *r, const struct window *w, uint32_t x,
	double offered_s, struct snap_scope *out)
{
	struct engine_lane *l = &r->lane[x];
	const struct lane_counters *d =
		(const struct lane_counters *)(const void *)&w->delta[x * LANE_N_VALUES];

	memset(out, 0, sizeof(*out));
	snprintf(out->name, sizeof(out->name), "lcore:%u", l->worker->lcore);
	out->cpu = l->worker->cpu;
	out->interval_s = w->lane_s[x];
	out->delta = &w->delta[x * LANE_N_VALUES];
	out->total = l->total;
	out->target_per_s = e->open_loop && l->role == SNAP_CLIENT
				    ? rate_of(1, offered_s) * w->offered * l->weight
				    : -1;
	out->scheduled_per_s = rate_of(d->agent.scheduled, out->interval_s);
	out->sent_per_s = rate_of(d->agent.sent, out->interval_s);
	out->completed_per_s =
		rate_of(l->role == SNAP_CLIENT ? d->agent.completed : d->agent.replies_out,
			out->interval_s);
}

static void
all_add(struct engine_role *r, struct window *w, struct snap_scope *all)
{
	memset(w->sum, 0, LANE_N_VALUES * sizeof(*w->sum));
	memset(r->all_total, 0, LANE_N_VALUES * sizeof(*r->all_total));
	for (uint32_t x = 0; x < r->n_lanes; x++) {
		const struct snap_scope *s = &r->scope[x];

		for (uint32_t i = 0; i < LANE_N_VALUES; i++) {
			value_sum(&w->sum[i], s->delta[i], kind_of[i]);
			value_sum(&r->all_total[i], s->total[i], kind_of[i]);
		}
		all->interval_s += s->interval_s / r->n_lanes;
		all->scheduled_per_s += s->scheduled_per_s;
		all->sent_per_s += s->sent_per_s;
		all->completed_per_s += s->completed_per_s;
		if (s->target_per_s >= 0)
			all->target_per_s += s->target_per_s;
		else
			all->target_per_s = -1;
	}
}

static double
seconds(const struct engine *e, uint64_t beg_tsc, uint64_t end_tsc)
{
	return end_tsc <= beg_tsc ? 0 : (double)tick_to_ns(&e->rate, end_tsc - beg_tsc) * 1e-9;
}

void
engine_collect_snapshot(
	struct engine *e, uint32_t role, enum window_id id, enum snap_row row, struct snapshot *out)
{
	struct engine_role *r = &e->role[role];
	struct window *w = &r->win[id];
	bool whole = id == WIN_RUN && e->drained;
	double s = seconds(e, w->beg_tsc, whole ? e->schedule_end_tsc : e->last_collect_tsc);
	/* The plan offers until the stop, whatever time the launches took. */
	double offered_s = whole ? seconds(e, w->beg_tsc, e->stop_tsc) : s;

	memset(out, 0, sizeof(*out));
	for (uint32_t x = 0; x < r->n_lanes && whole; x++)
		w->lane_s[x] = s;
	for (uint32_t x = 0; x < r->n_lanes; x++)
		scope_fill(e, r, w, x, offered_s, &r->scope[x]);
	snprintf(out->all.name, sizeof(out->all.name), "all");
	out->all.cpu = r->n_lanes == 1 ? r->lane[0].worker->cpu : -1;
	all_add(r, w, &out->all);
	out->all.delta = w->sum;
	out->all.total = r->all_total;
	out->row = row;
	out->role = (enum snap_role)role;
	out->sets = lane_counter_sets;
	out->n_sets = lane_n_counter_sets;
	out->n_values = LANE_N_VALUES;
	out->t_end_s = (double)engine_clock_since_ns(e, e->last_collect_tsc) * 1e-9;
	out->interval_s = s;
	out->utc_end_ns = engine_clock_utc_ns();
	out->phase = e->plan->n_phases != 0 ? e->plan->phase[e->walk.x].name : "dflt";
	out->measured = e->plan->n_phases == 0 || e->plan->phase[e->walk.x].measured;
	out->scope = r->scope;
	/* The row that says "complete" stands alone. */
	out->n_scopes = row == SNAP_END ? 0 : r->n_lanes;
	out->cells = role == SNAP_CLIENT ? &w->cells : NULL;
}
