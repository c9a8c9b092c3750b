/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include "agent_priv.h"

static uint32_t
pow2_above(uint32_t n)
{
	uint32_t p = 1;

	while (p <= n)
		p <<= 1;
	return p;
}

static uint32_t
share_of(uint32_t n, uint32_t x, uint32_t of)
{
	return n / of + (x < n % of);
}

void
agent_sizes_of(const struct plan *p, enum plan_role role, uint16_t x_lane, uint16_t n_lanes,
	struct agent_sizes *s)
{
	uint32_t conns = role == PLAN_CLIENT ? p->robots.max_conns : p->origin.max_conns;

	memset(s, 0, sizeof(*s));
	/* a queue may get more than its even share of connections: room for half as many again */
	s->n_conns = conns / n_lanes + (n_lanes > 1 ? conns / n_lanes / 2 : 0) + 64;
	if (role == PLAN_CLIENT) {
		s->n_robots = share_of(p->robots.n_robots, x_lane, n_lanes);
		s->n_slots = s->n_conns + s->n_robots + 1024;
	} else {
		s->n_slots = s->n_conns + 1024;
		s->n_partials = s->n_conns / 16 + 256;
	}
}

uint32_t
agent_slot_take(struct agent *a)
{
	uint32_t x = a->x_free_slot;
	struct agent_slot *s;

	if (x == AGENT_NONE) {
		a->c->slot_exhausted++;
		return AGENT_NONE;
	}
	s = &a->slot[x];
	a->x_free_slot = s->x_next;
	a->n_slots_used++;
	s->sent_tsc = 0;
	s->first_tsc = 0;
	s->body_len_lo = 0;
	s->body_len_hi = 0;
	s->flags = 0;
	s->x_template = 0;
	s->in_use = 1;
	s->x_next = AGENT_NONE;
	return x;
}

void
agent_slot_give(struct agent *a, uint32_t x_slot)
{
	struct agent_slot *s = &a->slot[x_slot];

	assert_(s->in_use);
	s->in_use = 0;
	s->gen++;
	s->x_next = a->x_free_slot;
	a->x_free_slot = x_slot;
	a->n_slots_used--;
}

void
agent_slot_push(struct agent *a, struct agent_conn *ac, uint32_t x_slot)
{
	a->slot[x_slot].x_next = AGENT_NONE;
	if (ac->x_head == AGENT_NONE)
		ac->x_head = x_slot;
	else
		a->slot[ac->x_tail].x_next = x_slot;
	ac->x_tail = x_slot;
}

void
agent_slots_acked(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];
	uint32_t una = agent_una_off(&a->tcp->conn[x]);

	while (ac->x_head != AGENT_NONE) {
		uint32_t x_slot = ac->x_head;
		struct agent_slot *s = &a->slot[x_slot];
		uint64_t left;

		if (!(s->flags & AGENT_SLOT_STREAM) || !(s->flags & AGENT_SLOT_ANSWERED))
			return;
		/* for an origin ANSWERED means that all of it is in the stream */
		left = agent_head_len(a, x, s) + agent_slot_body(s) - agent_slot_pos(a, s);
		if (left > INT32_MAX || (int32_t)(s->off + (uint32_t)left - una) > 0)
			return;
		ac->x_head = s->x_next;
		if (ac->x_head == AGENT_NONE)
			ac->x_tail = AGENT_NONE;
		if (a->role == PLAN_SERVER) {
			ac->n_queued--;
			a->c->replies_out += !agent_slot_interim(s);
			a->c->rep_header_bytes += agent_head_len(a, x, s);
			a->c->rep_body_bytes += agent_slot_body(s);
		}
		agent_slot_give(a, x_slot);
	}
}

static void
conns_init(struct agent *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct agent_conn *ac = &a->conn[i];

		ac->x_head = ac->x_tail = ac->x_current = AGENT_NONE;
		ac->idle_next = ac->idle_prev = AGENT_NONE;
		ac->x_request = AGENT_NONE;
	}
}

static void
slots_init(struct agent *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		a->slot[i].x_next = i + 1 < n ? i + 1 : AGENT_NONE;
	a->x_free_slot = n > 0 ? 0 : AGENT_NONE;
	a->n_slots = n;
}

int
agent_init(struct agent *a, const struct agent_sizes *s, uint64_t now_tsc, struct arena *m,
	struct err *e)
{
	uint32_t n_ready = pow2_above(2 * s->n_conns);

	a->conn = arena_take(m, sizeof(*a->conn) * s->n_conns);
	a->slot = arena_take(m, sizeof(*a->slot) * s->n_slots);
	a->ready = arena_take(m, sizeof(*a->ready) * n_ready);
	a->ready_mask = n_ready - 1;
	a->timeout_tsc = tick_from_ns(&a->rate, a->plan->robots.timeout_ns);
	a->grace_tsc = tick_from_ns(&a->rate, 100000000);
	if (arena_ok(m)) {
		conns_init(a, s->n_conns);
		slots_init(a, s->n_slots);
	}
	if (a->role == PLAN_CLIENT)
		return robot_init(a, s, now_tsc, m, e);
	return origin_init(a, s, now_tsc, m, e);
}

void
agent_fini(struct agent *a)
{
	for (uint32_t i = 0; i < a->n_targets; i++) {
		http_template_fini(&a->target[i].keep);
		http_template_fini(&a->target[i].close);
	}
	for (uint32_t i = 0; i < AGENT_STATUSES; i++)
		for (uint32_t v = 0; v < AGENT_VARS; v++)
			http_template_fini(&a->reply[i][v]);
}

void
agent_ready_compact(struct agent *a)
{
	uint32_t head = a->ready_tail;

	/* a flag that is set says that the block waits; it is cleared while its entry is kept */
	for (uint32_t i = a->ready_tail; i != a->ready_head; i++) {
		uint32_t x = a->ready[i & a->ready_mask];

		if (!agent_ready_take(a, x))
			continue;
		a->ready[head++ & a->ready_mask] = x;
	}
	a->ready_head = head;
	for (uint32_t i = a->ready_tail; i != head; i++)
		a->tcp->conn[a->ready[i & a->ready_mask]].flags |= TCP_CONN_READY;
}

void
agent_event(struct agent *a, uint32_t x, struct tcp_result *res, uint64_t now)
{
	if (a->role == PLAN_CLIENT)
		robot_event(a, x, res, now);
	else
		origin_event(a, x, res, now);
}

void
agent_feed(struct agent *a, uint32_t x, struct tcp_result *res, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	ac->flags &= (uint8_t)~AGENT_CONN_F_PARKED;
	tcp_unpark(a->tcp, x, res);
	if (res->events & TCP_EV_DATA)
		ac->flags |= AGENT_CONN_F_PARKED; /* until a result has none, there may be more */
	agent_event(a, x, res, now);
}

void
agent_gone(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	if (ac->flags & AGENT_CONN_F_ESTABLISHED) {
		a->c->conn_closed++;
		a->c->conn_open_now--;
		if (ac->flags & AGENT_CONN_F_PEER_CLOSED)
			a->c->conn_closed_by_peer++;
	}
	if (a->role == PLAN_CLIENT)
		robot_gone(a, x, now);
	else
		origin_gone(a, x, now);
	ac->state = AGENT_CONN_FREE;
	ac->flags = 0;
	ac->x_head = ac->x_tail = ac->x_current = AGENT_NONE;
}

int
agent_close_one(struct agent *a, uint32_t x, uint64_t now, struct tcp_seg *seg)
{
	(void)now;
	a->closing = true;
	return tcp_abort(a->tcp, x, seg);
}

void
agent_sent(struct agent *a, uint32_t x_slot, uint32_t gen, uint64_t now)
{
	struct agent_slot *s = &a->slot[x_slot];

	if (s->gen != gen || !s->in_use || (s->flags & AGENT_SLOT_SENT))
		return;
	s->flags |= AGENT_SLOT_SENT;
	s->sent_tsc = now;
	a->c->sent++;
}

void
agent_levels(struct agent *a, uint64_t now)
{
	struct agent_counters *c = a->c;

	if (a->role != PLAN_CLIENT)
		return;
	agent_scheduled(a, now);
	c->waiting_now = c->scheduled - c->sent - c->dropped;
	c->in_flight_now = c->sent - c->completed - c->failed;
}
