/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes: which worker polls which, interfaces, memory, start. INIT. */
#include "engine_priv.h"
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <stdio.h>
#include <stdlib.h>

static void
iface_default(struct engine *e, struct engine_role *r)
{
	const struct plan *p = e->plan;
	struct net_iface *f = &r->iface[0];

	/* The simulated net is one link on which every address is. */
	f->addr = r->role_is_server ? plan_ranges_at(p->origin.addrs, p->origin.n_addrs, 0, NULL)
				    : plan_ranges_at(p->robots.addrs, p->robots.n_addrs, 0, NULL);
	f->prefix = 0;
	f->mtu = RTE_MIN(r->port.mtu, 1500);
	memcpy(f->mac, r->port.mac, 6);
	r->n_ifaces = 1;
}

static void
ifaces_fill(struct engine *e, struct engine_role *r)
{
	static const uint8_t none[6];

	for (uint32_t i = 0; i < e->plan->n_ifaces && r->n_ifaces < NET_IFACE_MAX; i++) {
		const struct plan_iface *from = &e->plan->iface[i];
		struct net_iface *to = &r->iface[r->n_ifaces];

		if (e->want->simulated || from->port != r->port.id)
			continue;
		to->addr = from->addr;
		to->prefix = from->prefix;
		to->gw = from->gw;
		memcpy(to->mac, memcmp(from->mac, none, 6) != 0 ? from->mac : r->port.mac, 6);
		memcpy(to->gw_mac, from->gw_mac, 6);
		to->mtu = RTE_MIN(from->mtu != 0 ? from->mtu : 1500, r->port.mtu);
		r->n_ifaces++;
	}
	if (r->n_ifaces == 0)
		iface_default(e, r);
}

static uint32_t
macs_count(const struct engine_role *r)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i < r->n_ifaces; i++)
		if (memcmp(r->iface[i].mac, r->port.mac, 6) != 0)
			n = 2;
	return n;
}

/* Ring ports need a pool in name only; others receive into one pool per queue. */
static int
port_go(struct engine *e, struct engine_role *r)
{
	struct rte_mempool *pool[PORT_QUEUES_MAX];

	for (uint32_t q = 0; q < r->n_lanes; q++) {
		char name[32];

		pool[q] = e->worker[q].tx_pool;
		if (r->port.ring)
			continue;
		snprintf(name, sizeof(name), "rx_%u_%u", r->port.id, q);
		r->rx_pool[q] = port_pool_packets(name, ENGINE_RX_POOL, e->layout,
			(int)rte_lcore_to_socket_id(e->worker[q].lcore), &e->err);
		if (r->rx_pool[q] == NULL)
			return -1;
		pool[q] = r->rx_pool[q];
	}
	return port_start(&r->port, (uint16_t)r->n_lanes, pool, macs_count(r), &e->err);
}

static void
config_fill(struct engine *e, struct engine_role *r, uint32_t i)
{
	struct engine_lane *l = &r->lane[i];
	struct lane_config *c = &l->cfg;

	c->plan = e->plan;
	c->role = r->role_is_server ? PLAN_SERVER : PLAN_CLIENT;
	c->x_lane = (uint16_t)i;
	c->n_lanes = (uint16_t)r->n_lanes;
	c->rate = e->rate;
	c->iface = r->iface;
	c->n_ifaces = r->n_ifaces;
	c->body = e->body;
	c->zero_copy = r->port.zero_copy;
	c->stage_cycles = e->run->stage_cycles;
	c->resolver = i == 0;
}

static void
lane_place(struct engine *e, struct engine_role *r, uint32_t i)
{
	struct engine_lane *l = &r->lane[i];
	struct worker *w;

	/* Lanes: a worker has one lane of each role. Split: the second half serves. */
	w = &e->worker[e->split && r->role_is_server ? e->n_workers / 2 + i : i];
	w->lane[w->n_lanes++] = l;
	l->worker = w;
	l->port = &r->port;
	l->port_id = r->port.id;
	l->queue = (uint16_t)i;
	l->x_lane = (uint16_t)i;
	l->role = r->role_is_server ? SNAP_SERVER : SNAP_CLIENT;
	l->zero_copy = r->port.zero_copy;
	l->csum_rx = r->port.csum_rx;
	l->reads_totals = i == 0;
	if (!r->role_is_server)
		l->weight = phase_weight(e->plan->robots.n_robots, i, r->n_lanes);
	config_fill(e, r, i);
	l->memory = lane_memory(&l->cfg);
}

static int
role_setup(struct engine *e, struct engine_role *r)
{
	int rc;

	if (r->n_lanes == 0)
		return 0;
	rc = port_go(e, r);
	if (rc != 0)
		return rc;
	ifaces_fill(e, r);
	r->lane = aligned_alloc(CACHE_LINE, sizeof(*r->lane) * r->n_lanes);
	if (r->lane == NULL)
		return err_setup(&e->err, ENOMEM, "memory", NULL, "not granted");
	memset(r->lane, 0, sizeof(*r->lane) * r->n_lanes);
	for (uint32_t i = 0; i < r->n_lanes; i++)
		lane_place(e, r, i);
	return 0;
}

static int
memory_take(struct engine *e)
{
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		const struct engine_role *r = &e->role[role];

		for (uint32_t i = 0; i < r->n_lanes; i++) {
			struct engine_lane *l = &r->lane[i];
			int node = rte_eth_dev_socket_id(r->port.id);
			int rc = port_mem_take(&l->mem, l->memory, node, &e->err);

			if (rc != 0)
				return rc;
		}
	}
	return 0;
}

/* Each worker touches and builds its own lanes; all at once. */
static int
workers_launch(struct engine *e)
{
	uint32_t ready = 0;

	__atomic_store_n(&e->stop, -1, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < e->n_workers; i++)
		if (rte_eal_remote_launch(engine_worker_main, &e->worker[i], e->worker[i].lcore) !=
			0)
			return err_setup(&e->err, EBUSY, "worker", NULL, "does not start");
	while (ready < e->n_workers) {
		engine_clock_nap_us(500);
		ready = 0;
		for (uint32_t i = 0; i < e->n_workers; i++) {
			int state = __atomic_load_n(&e->worker[i].state, __ATOMIC_ACQUIRE);

			if (state == WORKER_FAILED) {
				e->err = e->worker[i].err;
				return -1;
			}
			ready += state == WORKER_READY;
		}
	}
	return 0;
}

int
engine_setup_lanes(struct engine *e)
{
	const struct engine_hook *hook = e->want->hook;
	int rc = 0;

	e->plan->n_lanes = RTE_MAX(e->role[SNAP_CLIENT].n_lanes, e->role[SNAP_SERVER].n_lanes);
	for (uint32_t role = 0; role < ENGINE_ROLES && rc == 0; role++)
		rc = role_setup(e, &e->role[role]);
	if (rc == 0)
		rc = engine_news_new(e);
	if (rc != 0)
		return rc;
	engine_banner_budget(e);
	rc = memory_take(e);
	if (rc == 0)
		rc = engine_collect_init(e);
	if (rc == 0)
		rc = engine_output_open(e);
	if (rc == 0 && hook != NULL)
		rc = hook->start(hook->arg, e->n_workers, &e->err);
	if (rc == 0)
		rc = workers_launch(e);
	if (rc != 0)
		return rc;
	engine_dial_init(e);
	port_memif_guard(engine_worker_quiesce, e);
	__atomic_store_n(&e->stop, 0, __ATOMIC_RELEASE);
	return 0;
}
