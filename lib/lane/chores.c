/* SPDX-License-Identifier: BSD-3-Clause */
#include "lane_priv.h"

#define CLOSE_PER_TURN 64
#define ANNOUNCE_PER_CHORE 16

static void
dial_adopt(struct lane *l, uint64_t now)
{
	const struct lane_dial *d = __atomic_load_n(&l->dial_next, __ATOMIC_ACQUIRE);
	struct agent *a = &l->agent;

	if (d == NULL || d == l->dial_now)
		return;
	if (d->state >= LANE_RUN && l->cfg.role == PLAN_CLIENT) {
		a->quota = d->quota;
		if (a->start_tsc == 0)
			a->start_tsc = d->t0_tsc;
		if (d->state == LANE_RUN && a->plan->robots.arrival != PLAN_BEST_EFFORT)
			pace_line_add(&a->pace, d->t0_tsc, d->per_sec, d->per_sec2);
		if (d->stop_tsc != UINT64_MAX)
			pace_stop(&a->pace, d->stop_tsc);
	}
	if (d->state >= LANE_DRAIN) {
		if (l->cfg.role == PLAN_CLIENT && d->stop_tsc == UINT64_MAX)
			pace_stop(&a->pace, now);
		agent_drain(a, now);
	}
	l->state = d->state;
	__atomic_store_n(&l->dial_now, d, __ATOMIC_RELEASE);
}

static void
probe_publish(struct lane *l)
{
	const struct agent_counters *c = &l->c.agent;
	struct lane_probe *p = &l->probe;

	__atomic_store_n(&p->scheduled, c->scheduled, __ATOMIC_RELAXED);
	__atomic_store_n(&p->sent, c->sent, __ATOMIC_RELAXED);
	__atomic_store_n(&p->completed, c->completed, __ATOMIC_RELAXED);
	__atomic_store_n(&p->failed, c->failed, __ATOMIC_RELAXED);
	__atomic_store_n(&p->dropped, c->dropped, __ATOMIC_RELAXED);
	__atomic_store_n(&p->n_conns, l->tcp.n_used, __ATOMIC_RELAXED);
}

/** A client needs its targets' next hops; a server learns them from who comes. */
static uint32_t
unresolved(const struct lane *l)
{
	if (l->cfg.role != PLAN_CLIENT)
		return 0;
	for (uint32_t i = 0; i < l->n_peers; i++) {
		const struct net_neigh *n = &l->host.neigh[l->peer[i].route];

		if (!net_neigh_ready(n))
			return n->addr;
	}
	return 0;
}

static void
snapshot_make(struct lane *l, uint64_t now)
{
	uint64_t req = __atomic_load_n(&l->snap.req, __ATOMIC_ACQUIRE);
	uint64_t *live = (uint64_t *)&l->c;

	if (req == l->snap.done)
		return;
	agent_levels(&l->agent, now);
	l->c.lane.hist_lost += l->cells[l->x_cells].pool.n_lost;
	l->cells[l->x_cells].pool.n_lost = 0;
	l->snap.counters = l->c;
	l->snap.beg_tsc = l->snap_beg;
	l->snap.end_tsc = now;
	l->snap.retired = &l->cells[l->x_cells];
	l->snap_beg = now;
	l->x_cells ^= 1;
	l->agent.cells = &l->cells[l->x_cells];
	for (uint32_t i = 0; i < l->n_max; i++)
		live[l->x_max[i]] = 0;
	__atomic_store_n(&l->snap.done, req, __ATOMIC_RELEASE);
}

static void
arp_store(struct lane *l, uint32_t n)
{
	if (n > 0)
		l->arp_len[l->n_arp++] = (uint16_t)n;
}

static uint8_t *
arp_room(struct lane *l)
{
	return l->n_arp < LANE_BURST ? l->arp + (size_t)l->n_arp * LANE_ARP_FRAME : NULL;
}

/** Announce what we emulate, ask for what we miss. */
static void
neighbours(struct lane *l, uint64_t now)
{
	uint8_t *out;

	if (!l->cfg.resolver)
		return;
	for (uint32_t i = 0; i < ANNOUNCE_PER_CHORE && (out = arp_room(l)) != NULL; i++) {
		uint32_t n = net_host_announce(&l->host, l->announced, out, LANE_ARP_FRAME);

		if (n == 0)
			break;
		l->announced++;
		arp_store(l, n);
	}
	while ((out = arp_room(l)) != NULL) {
		uint32_t n = net_host_poll(
			&l->host, now, l->arp_retry_tsc, l->arp_refresh_tsc, out, LANE_ARP_FRAME);

		if (n == 0)
			break;
		arp_store(l, n);
	}
}

/** State CLOSE: reset what is left, some connections per turn, then forget TIME-WAIT. */
static void
close_some(struct lane *l, uint64_t now)
{
	uint32_t n = CLOSE_PER_TURN;

	l->agent.closing = true;
	while (n > 0 && l->close_cursor < l->tcp.n_conns) {
		uint32_t x = l->close_cursor++;

		if (l->tcp.conn[x].state == TCP_CLOSED)
			continue;
		lane_conn_abort(l, x, now);
		n--;
	}
	if (l->close_cursor < l->tcp.n_conns || l->tw_dropped)
		return;
	lane_tw_drop_all(l);
	l->tw_dropped = 1;
}

void
lane_chores(struct lane *l, uint64_t now)
{
	if (unlikely_(l->state == LANE_CLOSE))
		close_some(l, now);
	if (now < l->chore_next)
		return;
	l->chore_tsc = now;
	l->chore_next = now + tick_from_ns(&l->cfg.rate, LANE_CHORE_NS);
	dial_adopt(l, now);
	neighbours(l, now);
	lane_tw_expire(l, now);
	if (l->state == LANE_RUN && l->cfg.role == PLAN_CLIENT)
		agent_scheduled(&l->agent, now);
	snapshot_make(l, now);
	probe_publish(l);
	__atomic_store_n(&l->probe.unresolved_addr, unresolved(l), __ATOMIC_RELEASE);
}
