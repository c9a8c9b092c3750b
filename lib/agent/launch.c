/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include "agent_priv.h"

#define PAUSE_MIN_NS 1000000ULL /* best effort, after a failure: 1 ms, doubled up to 1 s */
#define PAUSE_SHIFT_MAX 10

void
robot_idle_remove(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];
	struct agent_robot *r = &a->robot[ac->x_robot];

	if (ac->idle_prev == AGENT_NONE)
		r->x_idle = ac->idle_next;
	else
		a->conn[ac->idle_prev].idle_next = ac->idle_next;
	if (ac->idle_next != AGENT_NONE)
		a->conn[ac->idle_next].idle_prev = ac->idle_prev;
	ac->idle_next = ac->idle_prev = AGENT_NONE;
	a->c->conn_idle_now--;
}

void
robot_idle_add(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];
	struct agent_robot *r = &a->robot[ac->x_robot];

	ac->state = AGENT_CONN_IDLE;
	ac->idle_prev = AGENT_NONE;
	ac->idle_next = r->x_idle;
	if (r->x_idle != AGENT_NONE)
		a->conn[r->x_idle].idle_prev = x;
	r->x_idle = x;
	a->c->conn_idle_now++;
}

/** Put the slot's request into the connection's stream. */
void
robot_request(struct agent *a, uint32_t x, uint32_t x_slot, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	struct agent_slot *s = &a->slot[x_slot];
	uint32_t n;

	ac->n_uses++;
	ac->x_current = x_slot;
	ac->state = AGENT_CONN_BUSY;
	s->x_template = ac->n_uses >= ac->use_lmt;
	s->off = agent_end_off(&a->tcp->conn[x]);
	s->flags |= AGENT_SLOT_STREAM;
	http_response_init(&s->reply, a->plan->robots.method);
	n = agent_head_len(a, x, s) + s->body_len_lo;
	a->c->req_bytes += n;
	tcp_stream_extend(a->tcp, x, n);
	tcp_app_due(a->tcp, x, a->timeout_tsc != 0 ? now + a->timeout_tsc : 0);
	agent_ready(a, x);
}

static uint32_t
idle_find(const struct agent *a, const struct agent_robot *r, uint32_t x_target)
{
	uint32_t x = r->x_idle;

	if (a->plan->robots.proxy_addr != 0)
		return x; /* one connection serves all origins behind the proxy */
	while (x != AGENT_NONE && a->conn[x].x_target != x_target)
		x = a->conn[x].idle_next;
	return x;
}

static void
slot_drop(struct agent *a, uint32_t x_slot, uint64_t *cause, uint64_t now)
{
	struct agent_slot *s = &a->slot[x_slot];
	uint32_t x_robot = s->x_owner;

	if (s->flags & AGENT_SLOT_SENT) {
		/* second attempt of a transaction that was sent before */
		a->c->failed++;
		if (cause == &a->c->drop_stop)
			a->c->fail_cut++;
		else
			a->c->fail_local++;
	} else {
		a->c->dropped++;
		(*cause)++;
	}
	agent_slot_give(a, x_slot);
	if (a->plan->robots.arrival == PLAN_BEST_EFFORT)
		robot_again(a, x_robot, 1, now);
}

/** @return the new connection, or AGENT_NONE with *cause set to the counter of the shortage. */
static uint32_t
conn_open(struct agent *a, uint32_t x_local, uint32_t x_target, uint64_t now, uint64_t **cause)
{
	const struct plan_robots *pr = &a->plan->robots;
	const struct agent_target *t = &a->target[x_target];
	struct tcp_tuple tuple = {.paddr = t->addr, .pport = t->port};
	uint32_t x_tw;
	uint32_t x;
	uint32_t *entry;

	*cause = &a->c->drop_port;
	tuple.lport = net_ports_take(&a->ports, x_local, NET_FLOW_TIMEWAIT - 1,
		a->plan->tcp.tw_reuse && a->plan->tcp.time_wait_ns == 0, &x_tw);
	if (tuple.lport == 0)
		return AGENT_NONE;
	if (x_tw != NET_FLOW_NONE)
		tcp_tw_drop(a->tcp, x_tw & ~NET_FLOW_TIMEWAIT);
	entry = net_ports_entry(&a->ports, x_local, tuple.lport);
	tuple.laddr = plan_ranges_at(pr->addrs, pr->n_addrs, x_local, NULL);
	x = tcp_open(a->tcp, &tuple, x_local, t->x_peer, t->route, now);
	if (x == TCP_NONE) {
		*cause = &a->c->drop_conn;
		*entry = NET_FLOW_NONE;
		return AGENT_NONE;
	}
	*entry = x;
	return x;
}

static void
conn_setup(struct agent *a, uint32_t x, uint32_t x_robot, uint32_t x_target, uint32_t x_slot,
	uint64_t now)
{
	const struct plan_robots *pr = &a->plan->robots;
	struct agent_conn *ac = &a->conn[x];
	double use = dist_at(&pr->pconn_use_lmt, a->key_use, a->n_conns_opened++);
	uint64_t due = a->timeout_tsc;
	uint64_t connect = tick_from_ns(&a->rate, pr->connect_timeout_ns);

	if (due == 0 || (connect != 0 && connect < due))
		due = connect;
	ac->x_head = ac->x_tail = AGENT_NONE;
	ac->idle_next = ac->idle_prev = AGENT_NONE;
	ac->state = AGENT_CONN_OPENING;
	ac->flags = 0;
	ac->x_robot = x_robot;
	ac->x_target = x_target;
	ac->n_uses = 0;
	ac->use_lmt = use < 1 ? 1 : use > UINT32_MAX ? UINT32_MAX : (uint32_t)use;
	ac->opened_tsc = now;
	ac->x_current = x_slot;
	agent_slot_push(a, ac, x_slot);
	a->robot[x_robot].n_open++;
	tcp_app_due(a->tcp, x, due != 0 ? now + due : 0);
	agent_ready(a, x);
}

static void
queue_push(struct agent *a, struct agent_robot *r, uint32_t x_slot)
{
	struct agent_slot *s = &a->slot[x_slot];

	s->flags |= AGENT_SLOT_QUEUED;
	s->x_next = AGENT_NONE;
	if (r->x_wait_head == AGENT_NONE)
		r->x_wait_head = x_slot;
	else
		a->slot[r->x_wait_tail].x_next = x_slot;
	r->x_wait_tail = x_slot;
}

void
robot_start(struct agent *a, uint32_t x_slot, uint64_t now)
{
	struct agent_slot *s = &a->slot[x_slot];
	struct agent_robot *r = &a->robot[s->x_owner];
	uint32_t x_target = agent_target_of(a, s);
	uint32_t lmt = a->plan->robots.open_conn_lmt;
	uint32_t x = idle_find(a, r, x_target);
	uint64_t *cause;

	if (x != AGENT_NONE) {
		robot_idle_remove(a, x);
		agent_slot_push(a, &a->conn[x], x_slot);
		robot_request(a, x, x_slot, now);
		return;
	}
	if (lmt != 0 && r->n_open >= lmt) {
		if (r->x_idle != AGENT_NONE)
			robot_conn_close(a, r->x_idle); /* to another origin: make room */
		queue_push(a, r, x_slot);
		return;
	}
	x = conn_open(a, r->x_local, x_target, now, &cause);
	if (x == AGENT_NONE)
		slot_drop(a, x_slot, cause, now);
	else
		conn_setup(a, x, s->x_owner, x_target, x_slot, now);
}

void
robot_serve_queue(struct agent *a, uint32_t x_robot, uint64_t now)
{
	struct agent_robot *r = &a->robot[x_robot];
	uint32_t lmt = a->plan->robots.open_conn_lmt;

	while (r->x_wait_head != AGENT_NONE && (r->x_idle != AGENT_NONE || r->n_open < lmt)) {
		uint32_t x_slot = r->x_wait_head;
		struct agent_slot *s = &a->slot[x_slot];

		r->x_wait_head = s->x_next;
		s->flags &= (uint8_t)~AGENT_SLOT_QUEUED;
		robot_start(a, x_slot, now);
		if (s->in_use && (s->flags & AGENT_SLOT_QUEUED))
			return; /* came back: its connection must close first */
	}
}

static void
lateness_count(struct agent *a, uint64_t late_tsc)
{
	uint64_t ns = tick_to_ns(&a->rate, late_tsc);

	hist_record(&a->cells->late, &a->cells->pool, ns);
	if (ns > 1000000)
		a->c->late_1ms++;
	if (ns / 1000 > a->c->late_max_us)
		a->c->late_max_us = ns / 1000;
}

/** Launch number n of this lane for a robot. @return 0, or -1 when no slot is free (nothing taken).
 */
static int
launch_one(struct agent *a, uint32_t x_robot, uint64_t due, uint64_t now)
{
	const struct plan_robots *pr = &a->plan->robots;
	uint32_t x_slot = agent_slot_take(a);
	struct agent_slot *s;
	uint64_t n = a->n_launched;

	if (x_slot == AGENT_NONE)
		return -1;
	a->n_launched++;
	s = &a->slot[x_slot];
	s->due_tsc = due;
	s->x_owner = x_robot;
	s->oid = n * a->n_lanes + a->x_lane;
	s->xact = rng_at(a->key_xact, n);
	if (pr->uri != NULL)
		s->oid = a->target[0].uri_oid;
	if (pr->body_size.kind != DIST_NONE)
		s->body_len_lo = (uint32_t)dist_at(&pr->body_size, a->key_size, n);
	lateness_count(a, now - due);
	robot_start(a, x_slot, now);
	return 0;
}

uint64_t
agent_scheduled(struct agent *a, uint64_t now)
{
	if (a->plan->robots.arrival != PLAN_BEST_EFFORT) {
		uint64_t n = pace_scheduled(&a->pace, now);

		a->c->scheduled = n < a->quota ? n : a->quota;
	}
	return a->c->scheduled;
}

static void
launch_open_loop(struct agent *a, uint64_t now, uint32_t n_max)
{
	struct pace_launch l;

	if (now < pace_next_due(&a->pace))
		return;
	agent_scheduled(a, now);
	while (n_max-- > 0 && a->n_launched < a->quota && pace_peek(&a->pace, now, &l)) {
		uint32_t x_robot =
			a->plan->robots.arrival == PLAN_CONSTANT
				? (uint32_t)(l.n % a->n_robots)
				: (uint32_t)rng_below(rng_at(a->key_robot, l.n), a->n_robots);

		if (launch_one(a, x_robot, l.due_tsc, now) != 0)
			return; /* stays in the backlog: two integers, nothing lost */
		pace_take(&a->pace, now);
	}
}

static void
launch_best_effort(struct agent *a, uint64_t now, uint32_t n_max)
{
	while (n_max-- > 0 && a->again_tail != a->again_head && a->n_launched < a->quota) {
		uint32_t x_robot = a->again[a->again_tail & a->again_mask];

		a->c->scheduled++;
		if (launch_one(a, x_robot, now, now) != 0) {
			a->c->scheduled--;
			return;
		}
		a->again_tail++;
	}
}

void
agent_launch(struct agent *a, uint64_t now, uint32_t n_max)
{
	if (a->role != PLAN_CLIENT || a->draining || a->n_robots == 0)
		return;
	if (a->plan->robots.arrival == PLAN_BEST_EFFORT)
		launch_best_effort(a, now, n_max);
	else
		launch_open_loop(a, now, n_max);
}

void
robot_again(struct agent *a, uint32_t x_robot, int failed, uint64_t now)
{
	struct agent_robot *r = &a->robot[x_robot];
	uint32_t shift;

	if (a->draining)
		return;
	if (!failed) {
		r->n_failures = 0;
		a->again[a->again_head++ & a->again_mask] = x_robot;
		return;
	}
	/* a dead or refusing target must not be stormed */
	shift = r->n_failures < PAUSE_SHIFT_MAX ? r->n_failures : PAUSE_SHIFT_MAX;
	r->n_failures++;
	a->c->idle_backoff++;
	wheel_arm(&a->robot_wheel, x_robot, now + tick_from_ns(&a->rate, PAUSE_MIN_NS << shift));
}

/** Best effort: robots start evenly over the launch window. */
static void
robots_start_due(struct agent *a, uint64_t now)
{
	uint64_t win = tick_from_ns(&a->rate, a->plan->robots.launch_win_ns);
	uint64_t since = now - a->start_tsc;
	uint32_t n = a->n_robots;

	if (since < win)
		n = (uint32_t)((double)a->n_robots * (double)since / (double)win);
	while (a->n_started < n)
		a->again[a->again_head++ & a->again_mask] = a->n_started++;
}

void
agent_timers(struct agent *a, uint64_t now)
{
	uint32_t x[64];
	uint32_t n;

	if (a->role != PLAN_CLIENT || a->plan->robots.arrival != PLAN_BEST_EFFORT ||
		a->start_tsc == 0 || a->draining)
		return;
	if (a->n_started < a->n_robots)
		robots_start_due(a, now);
	if (a->robot_wheel.n_armed == 0)
		return;
	do {
		n = wheel_expire(&a->robot_wheel, now, x, ARRAY_LEN(x));
		for (uint32_t i = 0; i < n; i++)
			a->again[a->again_head++ & a->again_mask] = x[i];
	} while (n == ARRAY_LEN(x));
}

uint64_t
agent_next_due(const struct agent *a)
{
	if (a->role != PLAN_CLIENT || a->draining || a->n_robots == 0)
		return UINT64_MAX;
	if (a->plan->robots.arrival != PLAN_BEST_EFFORT)
		return a->n_launched < a->quota ? pace_next_due(&a->pace) : UINT64_MAX;
	if (a->start_tsc == 0)
		return UINT64_MAX;
	if (a->again_tail != a->again_head || a->n_started < a->n_robots)
		return 0;
	return wheel_next(&a->robot_wheel);
}

static void
queue_drop_all(struct agent *a)
{
	for (uint32_t i = 0; i < a->n_robots; i++) {
		struct agent_robot *r = &a->robot[i];

		while (r->x_wait_head != AGENT_NONE) {
			uint32_t x_slot = r->x_wait_head;

			r->x_wait_head = a->slot[x_slot].x_next;
			slot_drop(a, x_slot, &a->c->drop_stop, 0);
		}
	}
}

static void
drain_conn(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];

	if (ac->state != AGENT_CONN_IDLE)
		return;
	if (a->role == PLAN_CLIENT) {
		robot_conn_close(a, x);
		return;
	}
	ac->state = AGENT_CONN_CLOSING;
	ac->flags |= AGENT_CONN_F_DEAF | AGENT_CONN_F_ENDED;
	a->c->conn_idle_now--;
	tcp_stream_end(a->tcp, x);
	agent_ready(a, x);
}

void
agent_drain(struct agent *a, uint64_t now)
{
	if (a->draining)
		return;
	if (a->role == PLAN_CLIENT) {
		uint64_t backlog;

		agent_scheduled(a, now);
		backlog = a->c->scheduled - a->n_launched;
		a->c->dropped += backlog;
		a->c->drop_stop += backlog;
	}
	a->draining = true;
	if (a->role == PLAN_CLIENT)
		queue_drop_all(a);
	for (uint32_t x = 0; x < a->tcp->n_conns; x++)
		drain_conn(a, x);
}

static int targets_build(struct agent *a, struct err *e);

static void
robots_build(struct agent *a)
{
	const struct plan_robots *pr = &a->plan->robots;
	uint64_t n_locals = plan_ranges_count(pr->addrs, pr->n_addrs);

	for (uint32_t i = 0; i < a->n_robots; i++) {
		struct agent_robot *r = &a->robot[i];

		wheel_link_init(&r->link);
		r->x_idle = r->x_wait_head = r->x_wait_tail = AGENT_NONE;
		r->x_local = (uint32_t)(((uint64_t)i * a->n_lanes + a->x_lane) % n_locals);
	}
}

static void
robot_keys(struct agent *a, uint64_t now)
{
	uint64_t seed = a->plan->seed;
	uint64_t lane = (uint64_t)a->x_lane << 8;
	enum pace_kind kind = a->plan->robots.arrival == PLAN_CONSTANT ? PACE_CONST : PACE_POISSON;

	(void)now;
	a->key_robot = rng_key(seed, PLAN_RNG_ROBOT | lane);
	a->key_origin = rng_key(seed, PLAN_RNG_ORIGIN);
	a->key_use = rng_key(seed, PLAN_RNG_USE_LMT | lane);
	a->key_xact = rng_key(seed ^ a->plan->world, PLAN_RNG_XACT | lane);
	a->key_size = rng_key(seed, PLAN_RNG_REQ_SIZE | lane);
	a->key_verify = rng_key(seed, PLAN_RNG_VERIFY);
	pace_init(&a->pace, kind, rng_key(seed, PLAN_RNG_ARRIVAL | lane), &a->rate);
	if (kind == PACE_CONST) /* lanes take turns: their gaps together are even too */
		pace_first_set(&a->pace, (double)(a->x_lane + 1) / a->n_lanes);
}

int
robot_init(
	struct agent *a, const struct agent_sizes *s, uint64_t now, struct arena *m, struct err *e)
{
	const struct plan_robots *pr = &a->plan->robots;
	uint32_t n_again = 1;

	while (n_again <= s->n_robots)
		n_again <<= 1;
	a->n_robots = s->n_robots;
	a->robot = arena_take(m, sizeof(*a->robot) * s->n_robots);
	a->again = arena_take(m, sizeof(*a->again) * n_again);
	a->again_mask = n_again - 1;
	a->n_targets = (uint32_t)plan_ranges_count(pr->origins, pr->n_origins);
	a->target = arena_take(m, sizeof(*a->target) * a->n_targets);
	net_ports_init(&a->ports, (uint32_t)plan_ranges_count(pr->addrs, pr->n_addrs), pr->port_lo,
		pr->port_hi, a->x_lane, a->n_lanes, m);
	a->quota = UINT64_MAX;
	if (!arena_ok(m))
		return 0;
	robot_keys(a, now);
	a->verify_below = a->plan->verify == PLAN_VERIFY_FULL ? UINT64_MAX : 0;
	if (a->plan->verify == PLAN_VERIFY_SAMPLE)
		a->verify_below = (uint64_t)(a->plan->verify_share * 0x1.0p64);
	robots_build(a);
	wheel_init(&a->robot_wheel, a->robot, sizeof(*a->robot), offsetof(struct agent_robot, link),
		WHEEL_SHIFT, now);
	return targets_build(a, e);
}

/** Object number that an origin of ours derives from --uri: ask its own parser. */
static uint64_t
uri_oid_of(const struct http_template *t)
{
	struct http_request req;
	struct span body;
	uint32_t used;

	http_request_init(&req);
	http_request_parse(&req, t->text, t->len, &used, &body);
	return req.oid;
}

static int
target_templates(struct agent *a, struct agent_target *t, const char *host_port, struct err *e)
{
	const struct plan_robots *pr = &a->plan->robots;
	char scheme_host[64];
	struct http_request_desc d = {
		.method = pr->method,
		.uri = pr->uri,
		.world = a->plan->world,
		.type = 1,
		.host = host_port,
		.headers = pr->header,
		.n_headers = pr->n_headers,
		.minor = pr->http_minor,
		.has_length = pr->body_size.kind != DIST_NONE,
		.xact = 1,
	};
	int rc;

	snprintf(scheme_host, sizeof(scheme_host), "http://%s", host_port);
	if (pr->proxy_addr != 0)
		d.scheme_host = scheme_host;
	rc = http_request_build(&t->keep, &d, e);
	if (rc != 0)
		return rc;
	d.close = 1;
	rc = http_request_build(&t->close, &d, e);
	if (rc == 0 && pr->uri != NULL)
		t->uri_oid = uri_oid_of(&t->close);
	return rc;
}

static int
targets_build(struct agent *a, struct err *e)
{
	const struct plan_robots *pr = &a->plan->robots;

	for (uint32_t i = 0; i < a->n_targets; i++) {
		struct agent_target *t = &a->target[i];
		char name[32];
		char host[48];
		uint16_t port;
		uint32_t addr = plan_ranges_at(pr->origins, pr->n_origins, i, &port);
		int rc;

		t->addr = pr->proxy_addr != 0 ? pr->proxy_addr : addr;
		t->port = pr->proxy_addr != 0 ? pr->proxy_port : port;
		net_addr_text(addr, name, sizeof(name));
		http_host_text(name, port, host, sizeof(host));
		rc = target_templates(a, t, host, e);
		if (rc != 0)
			return rc;
	}
	return 0;
}
