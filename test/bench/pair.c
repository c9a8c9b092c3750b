/* SPDX-License-Identifier: BSD-3-Clause */
#include "pair.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIRE 1024 /* frames in one direction */
#define TURN_NS 20000 /* a busy turn of both lanes */
#define IDLE_TURNS_MAX 1000000
#define HZ 1000000000ULL
#define CLIENT_NET (198u << 24 | 18u << 16)

struct wire_frame {
	struct span body; /* what follows the frame's own bytes, n = 0: nothing */
	uint32_t len;
	uint8_t buf[LANE_HEAD_ROOM];
};

struct wire {
	struct wire_frame frame[WIRE];
	uint32_t head;
	uint32_t tail;
};

struct pair_end {
	struct lane *lane;
	struct wire *out;
	struct wire *in;
	void *memory;
	struct lane_dial dial;
};

struct pair {
	struct plan plan;
	struct net_iface iface[2];
	struct pair_end client;
	struct pair_end server;
	struct body_pattern body;
	uint64_t now;
	struct wire wire[2];
};

static int
plan_make(struct plan *p, const struct pair_want *want, struct err *e)
{
	int rc;

	plan_init(p);
	p->roles = PLAN_CLIENT | PLAN_SERVER;
	p->n_lanes = 1;
	p->robots.n_robots = want->n_robots;
	p->robots.arrival = PLAN_BEST_EFFORT;
	p->robots.n_addrs = p->robots.n_origins = p->origin.n_addrs = 1;
	p->robots.max_conns = p->origin.max_conns = 4 * want->n_robots;
	p->robots.timeout_ns = 0;
	p->verify = (uint8_t)want->verify;
	/* short, so that entries end within the run as they do in a long one */
	p->tcp.time_wait_ns = 2000000;
	rc = net_range_parse("198.18.0.1-64", &p->robots.addrs[0]);
	if (rc == 0)
		rc = net_range_parse("198.18.128.1:80", &p->robots.origins[0]);
	p->origin.addrs[0] = p->robots.origins[0];
	if (rc == 0)
		rc = dist_parse(want->use, DIST_COUNT, &p->robots.pconn_use_lmt, e, "use");
	if (rc == 0)
		rc = dist_parse(want->size, DIST_SIZE_BYTES, &p->origin.rep_size, e, "size");
	return rc;
}

static void
iface_make(struct net_iface *f, uint32_t addr, uint8_t number)
{
	memset(f, 0, sizeof(*f));
	f->addr = addr;
	f->prefix = 15;
	f->mtu = 1500;
	f->mac[0] = 2;
	f->mac[5] = number;
}

static int
end_make(struct pair *p, struct pair_end *end, enum plan_role role, struct err *e)
{
	bool client = role == PLAN_CLIENT;
	struct lane_config cfg = {.plan = &p->plan,
		.role = role,
		.n_lanes = 1,
		.rate = tick_rate_of(HZ),
		.iface = &p->iface[client ? 0 : 1],
		.n_ifaces = 1,
		.body = &p->body,
		.zero_copy = 1,
		.resolver = 1};
	struct arena a = {.size = lane_memory(&cfg)};

	a.size = (a.size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
	a.p = end->memory = calloc(1, a.size + CACHE_LINE);
	if (a.p == NULL)
		return err_setup(e, ENOMEM, "memory", NULL, "not granted");
	a.p += -(uintptr_t)a.p & (CACHE_LINE - 1);
	end->lane = lane_new(&cfg, &a, p->now, e);
	end->out = &p->wire[client ? 0 : 1];
	end->in = &p->wire[client ? 1 : 0];
	return end->lane != NULL ? 0 : -1;
}

static void
end_receive(struct pair_end *end, uint64_t now)
{
	struct lane_in in[LANE_BURST];
	struct wire *w = end->in;
	uint32_t n = 0;

	for (; n < LANE_BURST && w->tail + n != w->head; n++) {
		struct wire_frame *f = &w->frame[(w->tail + n) & (WIRE - 1)];

		in[n].frame = f->buf;
		in[n].frag = f->body;
		in[n].len = (uint16_t)f->len;
		in[n].csum_good = 0;
		in[n].redirected = 0;
	}
	if (n == 0)
		return;
	lane_rx(end->lane, in, n, now);
	w->tail += n;
}

static uint32_t
end_send(struct pair_end *end, uint64_t now)
{
	struct lane_frame f[LANE_BURST];
	struct wire *w = end->out;
	uint32_t room = WIRE - (w->head - w->tail);
	uint32_t n;

	room = room < LANE_BURST ? room : LANE_BURST;
	for (uint32_t i = 0; i < room; i++)
		f[i].buf = w->frame[(w->head + i) & (WIRE - 1)].buf;
	n = lane_tx(end->lane, f, room, now);
	for (uint32_t i = 0; i < n; i++) {
		struct wire_frame *to = &w->frame[(w->head + i) & (WIRE - 1)];

		to->len = f[i].len;
		to->body.p = f[i].body_len != 0 ? f[i].body : NULL;
		to->body.n = f[i].body_len;
	}
	w->head += n;
	lane_sent(end->lane, f, n, now);
	return n;
}

static void
end_turn(struct pair_end *end, uint64_t now)
{
	end_receive(end, now);
	lane_timers(end->lane, now);
	lane_launch(end->lane, now, end->out->head - end->out->tail < WIRE - LANE_BURST);
	end_send(end, now);
	lane_chores(end->lane, now);
}

static void
turn(struct pair *p)
{
	end_turn(&p->client, p->now);
	end_turn(&p->server, p->now);
	p->now += TURN_NS;
}

/* Let the ends find each other, then go. */
static void
start(struct pair *p, const struct pair_want *want)
{
	struct lane_dial d = {.stop_tsc = UINT64_MAX, .quota = UINT64_MAX, .state = LANE_RUN};

	p->server.dial = d;
	lane_dial_publish(p->server.lane, &p->server.dial);
	for (uint32_t i = 0; i < 1000; i++)
		turn(p);
	d.t0_tsc = p->now;
	d.quota = want->n_xacts;
	d.n_robots = want->n_robots;
	p->client.dial = d;
	lane_dial_publish(p->client.lane, &p->client.dial);
}

struct pair *
pair_new(const struct pair_want *want, struct err *e)
{
	struct pair *p = aligned_alloc(CACHE_LINE, sizeof(*p));

	if (p == NULL) {
		err_setup(e, ENOMEM, "memory", NULL, "not granted");
		return NULL;
	}
	memset(p, 0, sizeof(*p));
	p->now = HZ;
	iface_make(&p->iface[0], CLIENT_NET + 1, 1);
	iface_make(&p->iface[1], CLIENT_NET + (128 << 8) + 1, 2);
	body_pattern_init(&p->body, 1);
	if (plan_make(&p->plan, want, e) != 0 || end_make(p, &p->client, PLAN_CLIENT, e) != 0 ||
		end_make(p, &p->server, PLAN_SERVER, e) != 0) {
		pair_free(p);
		return NULL;
	}
	start(p, want);
	return p;
}

int
pair_run(struct pair *p)
{
	const struct agent_counters *c = &pair_client(p)->agent;
	uint64_t seen = 0;
	uint32_t idle = 0;

	while (c->completed < p->client.dial.quota) {
		turn(p);
		idle = c->completed == seen ? idle + 1 : 0;
		seen = c->completed;
		if (idle > IDLE_TURNS_MAX || c->failed + c->dropped != 0)
			return -1;
	}
	return 0;
}

const struct lane_counters *
pair_client(const struct pair *p)
{
	return lane_counters_get(p->client.lane);
}

const struct lane_counters *
pair_server(const struct pair *p)
{
	return lane_counters_get(p->server.lane);
}

void
pair_free(struct pair *p)
{
	plan_fini(&p->plan);
	free(p->client.memory);
	free(p->server.memory);
	free(p);
}
