/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include "lane_priv.h"

#define CHUNKS_PER_SET 1536 /* 6 MB of histogram chunks: about 30 octaves of some 50 histograms */

static uint32_t
pow2_at_least(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p <<= 1;
	return p;
}

/** Connections/s of one lane in the steady state, for the TIME-WAIT ring. */
static double
conns_per_sec(const struct lane_config *cfg, const struct agent_sizes *s)
{
	const struct plan_robots *r = &cfg->plan->robots;
	double use = dist_mean(&r->pconn_use_lmt);

	if (r->arrival == PLAN_BEST_EFFORT || r->rate_per_sec <= 0)
		return 1e6;
	(void)s;
	return 1.5 * r->rate_per_sec / cfg->n_lanes / (use < 1 ? 1 : use) + 1000;
}

static void
tcp_sizes_of(const struct lane_config *cfg, const struct agent_sizes *s, struct tcp_sizes *t)
{
	double tw = conns_per_sec(cfg, s) * (double)cfg->plan->tcp.time_wait_ns / 1e9;

	t->n_conns = s->n_conns;
	/* a client can't have more tuples in TIME-WAIT than it has ports */
	t->n_tw = tw > 2e6 ? 1u << 21 : pow2_at_least((uint32_t)tw + 1024);
	t->n_loss = s->n_conns / 8 + 64;
	t->n_ooo = s->n_conns / 4 + 1024;
	if (t->n_ooo > 65536)
		t->n_ooo = 65536;
}

static void
ranges_copy(struct lane *l, const struct net_range *r, uint32_t n)
{
	for (uint32_t i = 0; i < n && l->host.n_own < ARRAY_LEN(l->host.own); i++)
		l->host.own[l->host.n_own++] = r[i];
	for (uint32_t i = 0; i < l->n_locals; i++)
		l->local[i] = plan_ranges_at(r, n, i, &l->local_port[i]);
}

static void
host_build(struct lane *l, uint32_t cap_neigh, void *memory)
{
	const struct plan *p = l->cfg.plan;

	net_host_init(&l->host, cap_neigh, &l->c.net, memory);
	for (uint32_t i = 0; i < l->cfg.n_ifaces && i < NET_IFACE_MAX; i++)
		l->host.iface[l->host.n_ifaces++] = l->cfg.iface[i];
	if (l->cfg.role == PLAN_CLIENT)
		ranges_copy(l, p->robots.addrs, p->robots.n_addrs);
	else
		ranges_copy(l, p->origin.addrs, p->origin.n_addrs);
}

/** Next hops of a client's targets: known before the schedule starts. */
static int
targets_route(struct lane *l, struct err *e)
{
	for (uint32_t i = 0; i < l->agent.n_targets; i++) {
		struct agent_target *t = agent_target_at(&l->agent, i);
		char text[20];

		t->x_peer = lane_peer_of(l, t->addr);
		if (t->x_peer == AGENT_NONE) {
			net_addr_text(t->addr, text, sizeof(text));
			return err_setup(e, ENETUNREACH, "no route to target", text,
				"an address on an interface's prefix, or a gateway (--iface gw=)");
		}
		t->route = l->peer[t->x_peer].route;
	}
	return 0;
}

static uint32_t
neighbours_max(const struct lane_config *cfg)
{
	const struct plan *p = cfg->plan;
	uint64_t n = 1024;

	n += plan_ranges_count(p->robots.addrs, p->robots.n_addrs);
	n += plan_ranges_count(p->robots.origins, p->robots.n_origins);
	n += plan_ranges_count(p->origin.addrs, p->origin.n_addrs);
	return n > 30000 ? 65536 : pow2_at_least((uint32_t)n * 2);
}

static void
max_counters_find(struct lane *l)
{
	for (uint32_t s = 0; s < lane_n_counter_sets; s++)
		for (uint32_t i = 0; i < lane_counter_sets[s].n; i++)
			if (lane_counter_sets[s].desc[i].kind == COUNTER_MAX)
				l->x_max[l->n_max++] = (uint16_t)(lane_counter_sets[s].first + i);
}

struct parts {
	struct lane *lane;
	void *neigh;
	uint32_t cap_neigh;
};

/** Everything but the struct itself. */
static void
tables_take(struct lane *l, struct parts *parts, const struct agent_sizes *s, struct arena *m)
{
	const struct plan *p = l->cfg.plan;
	int client = l->cfg.role == PLAN_CLIENT;

	l->n_locals = (uint32_t)(client ? plan_ranges_count(p->robots.addrs, p->robots.n_addrs)
					: plan_ranges_count(p->origin.addrs, p->origin.n_addrs));
	l->local = arena_take(m, sizeof(*l->local) * l->n_locals);
	l->local_port = arena_take(m, sizeof(*l->local_port) * l->n_locals);
	l->peer = arena_take(m, sizeof(*l->peer) * LANE_PEERS_MAX);
	l->peer_mask = 2 * LANE_PEERS_MAX - 1;
	l->peer_hash = arena_take(m, sizeof(*l->peer_hash) * 2 * LANE_PEERS_MAX);
	l->ctl = arena_take(m, sizeof(*l->ctl) * LANE_CTL);
	l->arp = arena_take(m, (size_t)LANE_ARP_FRAME * (LANE_BURST + 1));
	parts->cap_neigh = neighbours_max(&l->cfg);
	parts->neigh = arena_take(m, net_host_memory(parts->cap_neigh));
	if (!client) {
		struct tcp_sizes t;

		tcp_sizes_of(&l->cfg, s, &t);
		net_flows_init(&l->flows, t.n_conns + t.n_tw, m);
	}
	for (uint32_t i = 0; i < 2; i++)
		cell_set_init(&l->cells[i], client ? 1 : 0, client ? CHUNKS_PER_SET : 64, m);
}

static int
parts_init(struct lane *l, struct parts *parts, struct arena *m, uint64_t now, struct err *e)
{
	const struct plan *p = l->cfg.plan;
	struct tcp_config tc = p->tcp;
	struct agent_sizes as;
	struct tcp_sizes ts;

	agent_sizes_of(p, l->cfg.role, l->cfg.x_lane, l->cfg.n_lanes, &as);
	tcp_sizes_of(&l->cfg, &as, &ts);
	tc.isn_key =
		rng_key(p->seed, PLAN_RNG_ISN | (uint64_t)l->cfg.x_lane << 8 | l->cfg.role << 4);
	tables_take(l, parts, &as, m);
	tcp_init(&l->tcp, &tc, &ts, &l->cfg.rate, &l->c.tcp, now, m);
	l->agent.plan = p;
	l->agent.role = l->cfg.role;
	l->agent.x_lane = l->cfg.x_lane;
	l->agent.n_lanes = l->cfg.n_lanes;
	l->agent.tcp = &l->tcp;
	l->agent.c = &l->c.agent;
	l->agent.hc = &l->c.http;
	l->agent.body = l->cfg.body;
	l->agent.rate = l->cfg.rate;
	l->agent.cells = &l->cells[0];
	return agent_init(&l->agent, &as, now, m, e);
}

size_t
lane_memory(const struct lane_config *cfg)
{
	static struct lane scratch; /* INIT only, one thread: too large for a stack */
	struct arena m = {.p = NULL};
	struct parts parts;
	struct err e;

	memset(&scratch, 0, sizeof(scratch));
	scratch.cfg = *cfg;
	arena_take(&m, sizeof(struct lane));
	parts_init(&scratch, &parts, &m, 0, &e);
	return m.used + CACHE_LINE;
}

/** No address falls on an entry with the complement of its index. */
static void
seen_init(struct lane *l)
{
	for (uint32_t i = 0; i < LANE_SEEN; i++)
		l->seen[i].addr = ~i;
}

static void
lane_clock_init(struct lane *l, uint64_t now)
{
	l->chore_next = now;
	l->chore_tsc = now;
	l->snap_beg = now;
	l->arp_retry_tsc = tick_from_ns(&l->cfg.rate, LANE_ARP_RETRY_NS);
	l->arp_refresh_tsc = tick_from_ns(&l->cfg.rate, LANE_ARP_REFRESH_NS);
}

struct lane *
lane_new(const struct lane_config *cfg, struct arena *a, uint64_t now_tsc, struct err *e)
{
	struct lane *l = arena_take(a, sizeof(*l));
	struct parts parts;

	if (l == NULL) {
		err_setup(e, ENOMEM, "lane memory", NULL, "lane_memory() bytes");
		return NULL;
	}
	memset(l, 0, sizeof(*l));
	l->cfg = *cfg;
	l->state = LANE_WAIT;
	if (parts_init(l, &parts, a, now_tsc, e) != 0)
		return NULL;
	if (!arena_ok(a)) {
		err_setup(e, ENOMEM, "lane memory", NULL, "%zu bytes", a->used);
		return NULL;
	}
	lane_clock_init(l, now_tsc);
	seen_init(l);
	max_counters_find(l);
	host_build(l, parts.cap_neigh, parts.neigh);
	if (cfg->role == PLAN_CLIENT && targets_route(l, e) != 0)
		return NULL;
	return l;
}

void
lane_fini(struct lane *l)
{
	agent_fini(&l->agent);
}

void
lane_timers(struct lane *l, uint64_t now)
{
	uint32_t x[LANE_BURST];
	uint32_t n = wheel_expire(&l->tcp.wheel, now, x, LANE_BURST);

	for (uint32_t i = 0; i < n; i++) {
		struct tcp_result res;

		tcp_timer(&l->tcp, x[i], now, &res);
		if (res.events != 0)
			agent_event(&l->agent, x[i], &res, now);
		lane_after(l, x[i], &res, now);
	}
	agent_timers(&l->agent, now);
}

void
lane_launch(struct lane *l, uint64_t now, int tx_ready)
{
	if (l->state == LANE_RUN && tx_ready)
		agent_launch(&l->agent, now, LANE_BURST);
}

uint32_t
lane_news_take(struct lane *l, struct lane_news *news, uint32_t n)
{
	uint32_t k = l->n_news < n ? l->n_news : n;

	memcpy(news, l->news, k * sizeof(*news));
	memmove(l->news, l->news + k, (l->n_news - k) * sizeof(*news));
	l->n_news -= k;
	return k;
}

void
lane_news_give(struct lane *l, const struct lane_news *news, uint64_t now)
{
	net_host_learn(&l->host, news->addr, news->mac, now);
}

uint64_t
lane_next_due(const struct lane *l)
{
	uint64_t due = l->chore_next;
	uint64_t t = wheel_next(&l->tcp.wheel);

	due = t < due ? t : due;
	if (l->agent.ready_head != l->agent.ready_tail || l->ctl_head != l->ctl_tail ||
		l->n_arp > 0)
		return 0;
	t = l->state == LANE_RUN ? agent_next_due(&l->agent) : UINT64_MAX;
	return t < due ? t : due;
}

void
lane_dial_publish(struct lane *l, const struct lane_dial *d)
{
	__atomic_store_n(&l->dial_next, d, __ATOMIC_RELEASE);
}

const struct lane_dial *
lane_dial_adopted(const struct lane *l)
{
	return __atomic_load_n(&l->dial_now, __ATOMIC_ACQUIRE);
}

const struct lane_probe *
lane_probe_get(const struct lane *l)
{
	return &l->probe;
}

struct lane_snap *
lane_snap_get(struct lane *l)
{
	return &l->snap;
}

struct lane_counters *
lane_counters_get(struct lane *l)
{
	return &l->c;
}

const uint64_t *
lane_stage_tsc(const struct lane *l)
{
	return l->stage_tsc;
}

const uint64_t *
lane_failed_status(const struct lane *l)
{
	return l->agent.failed_status;
}

int
lane_is_baseline(const struct lane *l, char *why, uint32_t size)
{
	if (l->tcp.n_used != 0)
		snprintf(why, size, "%u connection blocks in use", l->tcp.n_used);
	else if (l->agent.n_slots_used != 0)
		snprintf(why, size, "%u transaction slots in use", l->agent.n_slots_used);
	else if (l->tcp.n_ooo_used != 0)
		snprintf(why, size, "%u out-of-order blocks in use", l->tcp.n_ooo_used);
	else
		return 1;
	return 0;
}
