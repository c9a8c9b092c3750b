/* SPDX-License-Identifier: BSD-3-Clause */
/* From plan to polling workers: clock, EAL, ports, pools. INIT. */
#include "engine_priv.h"
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool
is_loop(const struct engine *e)
{
	return e->plan->roles == (PLAN_CLIENT | PLAN_SERVER);
}

/* Packet memory of n workers, with EAL's own needs. */
static uint32_t
packets_mb(const struct engine *e, uint32_t n)
{
	size_t each = port_pool_packets_bytes(ENGINE_TX_POOL, e->layout) +
		      port_pool_bodies_bytes(ENGINE_BODY_POOL, e->layout);
	size_t sum;

	if (!is_loop(e))
		each += port_pool_packets_bytes(ENGINE_RX_POOL, e->layout);
	sum = n * each + n * n * ((size_t)64 << 10) + BODY_MEMORY;
	return (uint32_t)(sum >> 20) + 40;
}

/* Our own device: a server makes the socket, a client waits a little for one and has as many
 * queues. */
static int
memif_find(struct engine *e, struct port_want *w, char *vdev, size_t size)
{
	bool server = e->plan->roles == PLAN_SERVER;
	char text[24];
	int rc = port_memif_vdev(server, vdev, size, e->memif_path, sizeof(e->memif_path), &e->err);

	w->vdev = vdev;
	if (rc != 0 || server)
		return rc;
	rc = port_memif_wait(e->memif_path, 3000, &e->err);
	if (rc < 0)
		return rc;
	snprintf(text, sizeof(text), "%u", w->n_workers);
	if (w->n_workers != 0 && w->n_workers != (uint32_t)rc)
		return err_usage(&e->err, "workers", text, "%d, as many as the server has", rc);
	w->n_workers = (uint32_t)rc;
	return 0;
}

static int
eal_start(struct engine *e)
{
	struct port_host *host = calloc(1, sizeof(*host));
	struct port_want w = {.pid = (int)getpid()};
	char vdev[256];
	int rc;

	if (host == NULL)
		return err_setup(&e->err, ENOMEM, "memory", NULL, "not granted");
	port_host_read(host);
	w.n_workers = (uint32_t)e->run->workers;
	w.devices = !e->want->simulated;
	e->layout = e->want->simulated || e->want->args->names_vdev ? PORT_LAYOUT_COMPACT
								    : PORT_LAYOUT_DMA;
	w.default_workers = is_loop(e) ? 2 : 1;
	w.place = e->plan->roles == PLAN_CLIENT ? PORT_PLACE_HIGH : PORT_PLACE_LOW;
	rc = port_eal_lcores(e->want->args, host, &w, &e->eal, &e->err);
	if (rc == 0 && e->want->simulated && !is_loop(e)) {
		rc = memif_find(e, &w, vdev, sizeof(vdev));
		if (rc == 0)
			rc = port_eal_lcores(e->want->args, host, &w, &e->eal, &e->err);
	}
	if (rc != 0)
		goto out;
	e->mem_mb = packets_mb(e, e->eal.n_workers);
	engine_banner_start(e);
	rc = port_eal_finish(e->want->args, host, &w, e->mem_mb, &e->eal, &e->err);
	if (rc == 0)
		rc = port_eal_start(&e->eal, &e->err);
	if (rc == 0)
		e->eal_runs = true;
out:
	free(host);
	return rc;
}

static int
workers_new(struct engine *e)
{
	unsigned int lcore;
	uint32_t n = 0;

	e->n_workers = RTE_MIN(e->eal.n_workers, (uint32_t)ENGINE_WORKERS_MAX);
	e->worker = aligned_alloc(CACHE_LINE, sizeof(*e->worker) * e->n_workers);
	if (e->worker == NULL)
		return err_setup(&e->err, ENOMEM, "memory", NULL, "not granted");
	memset(e->worker, 0, sizeof(*e->worker) * e->n_workers);
	RTE_LCORE_FOREACH_WORKER(lcore)
	{
		rte_cpuset_t set = rte_lcore_cpuset(lcore);
		struct worker *w = &e->worker[n];

		if (n == e->n_workers)
			break;
		w->eng = e;
		w->x = n++;
		w->lcore = lcore;
		w->cpu = -1;
		for (int c = 0; c < CPU_SETSIZE && CPU_COUNT(&set) == 1; c++)
			if (CPU_ISSET(c, &set))
				w->cpu = c;
		w->idle = engine_idle_choose(e);
		err_clear(&w->err);
	}
	e->n_workers = n;
	if (n == 0)
		return err_setup(&e->err, EINVAL, "lcores", NULL,
			"at least one beside the main lcore, which is control");
	return 0;
}

static int
pools_new(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_workers; i++) {
		struct worker *w = &e->worker[i];
		int socket = (int)rte_lcore_to_socket_id(w->lcore);
		char name[RTE_MEMPOOL_NAMESIZE];

		snprintf(name, sizeof(name), "tx_%u", i);
		w->tx_pool = port_pool_packets(name, ENGINE_TX_POOL, e->layout, socket, &e->err);
		snprintf(name, sizeof(name), "body_%u", i);
		w->body_pool = port_pool_bodies(name, ENGINE_BODY_POOL, e->layout, socket, &e->err);
		if (w->tx_pool == NULL || w->body_pool == NULL)
			return -1;
	}
	return 0;
}

static int
body_new(struct engine *e)
{
	struct body_pattern *b = rte_malloc("body", BODY_MEMORY, CACHE_LINE);

	if (b == NULL)
		return err_setup(
			&e->err, ENOMEM, "memory of the body pattern", NULL, "not granted");
	body_pattern_init(b, e->plan->seed);
	e->body = b;
	e->body_iova = rte_malloc_virt2iova(b->text);
	return 0;
}

/* How many lanes a role gets on a port that EAL found. */
static int
queues_choose(struct engine *e, const struct port *p, uint32_t *n)
{
	uint64_t asked = e->run->queues;
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)asked);
	if (asked > p->max_queues)
		return err_setup(&e->err, EINVAL, "queues", text, "at most %u on %s", p->max_queues,
			p->driver);
	if (asked > e->n_workers)
		return err_setup(&e->err, EINVAL, "queues", text,
			"at most one per worker: %u workers", e->n_workers);
	*n = asked != 0 ? (uint32_t)asked : RTE_MIN(e->n_workers, (uint32_t)p->max_queues);
	e->n_workers = *n;
	return 0;
}

static int
loop_ports(struct engine *e)
{
	struct engine_role *c = &e->role[SNAP_CLIENT];
	struct engine_role *s = &e->role[SNAP_SERVER];
	uint32_t n = e->n_workers;
	/* For tests: queues that do not lead back where they came from. */
	bool missteer = getenv("FRESHET_MISSTEER") != NULL;

	e->split = e->run->topology == FRONT_SPLIT;
	if (e->split && n < 2)
		return err_usage(&e->err, "topology", "split", "at least 2 workers: %u here", n);
	if (e->split)
		e->n_workers = n = n / 2 * 2;
	c->n_lanes = s->n_lanes = e->split ? n / 2 : n;
	return port_rings_new(
		(uint16_t)c->n_lanes, ENGINE_WIRE, missteer, &c->port, &s->port, &e->err);
}

static int
ports_new(struct engine *e)
{
	struct engine_role *r = &e->role[e->plan->roles & PLAN_CLIENT ? SNAP_CLIENT : SNAP_SERVER];
	int rc;

	e->role[SNAP_SERVER].role_is_server = true;
	if (is_loop(e))
		return loop_ports(e);
	rc = port_open(&r->port, (uint16_t)e->run->port, &e->err);
	if (rc != 0)
		return rc;
	rc = queues_choose(e, &r->port, &r->n_lanes);
	if (rc == 0 && e->memif_path[0] != 0)
		port_memif_advertise(e->memif_path, r->n_lanes);
	return rc;
}

int
engine_setup_start(struct engine *e)
{
	int rc;

	e->rate = tick_calibrate(100000000);
	tick_stamp_read(&e->start);
	e->last_stamp = e->start;
	snprintf(e->run_id, sizeof(e->run_id), "%08llx.%04x",
		(unsigned long long)(e->start.realtime_ns / 1000000000ULL), (unsigned int)getpid());
	gethostname(e->host, sizeof(e->host) - 1);
	e->index = report_index_new(lane_counter_sets, lane_n_counter_sets);
	if (e->index == NULL)
		return err_setup(&e->err, ENOMEM, "memory", NULL, "not granted");
	rc = eal_start(e);
	if (rc == 0)
		rc = workers_new(e);
	if (rc == 0)
		rc = ports_new(e);
	if (rc == 0)
		rc = pools_new(e);
	if (rc == 0)
		rc = body_new(e);
	return rc;
}

void
engine_setup_fini(struct engine *e)
{
	engine_collect_fini(e);
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		struct engine_role *r = &e->role[role];

		port_stop(&r->port);
		for (uint32_t i = 0; i < r->n_lanes && r->lane != NULL; i++) {
			if (r->lane[i].lane != NULL)
				lane_fini(r->lane[i].lane);
			port_mem_give(&r->lane[i].mem);
		}
		free(r->lane);
	}
	if (e->memif_path[0] != 0 && e->plan->roles == PLAN_SERVER)
		port_memif_remove(e->memif_path);
	free(e->worker);
	report_index_free(e->index);
	if (e->eal_runs)
		port_eal_stop();
}
