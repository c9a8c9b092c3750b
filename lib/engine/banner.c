/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run says before it starts: what will be done, with what. */
#include "engine_priv.h"
#include <stdio.h>
#include <unistd.h>

static void
command_line(struct engine *e)
{
	char text[1024];
	size_t used = 0;

	text[0] = 0;
	for (int i = 0; i < e->want->argc && used < sizeof(text); i++) {
		int n = snprintf(text + used, sizeof(text) - used, "%s%s", i == 0 ? "" : " ",
			e->want->argv[i]);

		used += (size_t)(n < 0 ? 0 : n);
	}
	engine_output_line(e, 1, "Command: %s", text);
}

void
engine_banner_start(struct engine *e)
{
	char text[512];

	if (e->plan->roles & PLAN_CLIENT) {
		plan_arithmetic_text(e->plan, text, sizeof(text));
		engine_output_line(e, 1, "%s", text);
		plan_time_wait_text(e->plan, text, sizeof(text));
		if (text[0] != 0)
			engine_output_line(e, 1, "%s", text);
	}
	command_line(e);
	if (e->run->verb_lvl >= 2) {
		front_banner(e->run->command, e->run->values, stdout);
		fflush(stdout);
	}
	engine_output_line(e, 1, "group-id: %s pid: %d", e->run_id, (int)getpid());
	if (e->plan->label[0] != 0)
		engine_output_line(e, 1, "label: %s", e->plan->label);
	engine_output_line(
		e, 2, "packet memory: %u MB for %u workers", e->mem_mb, e->eal.n_workers);
}

static uint64_t
conns_max(const struct engine *e)
{
	uint64_t n = 0;

	if (e->plan->roles & PLAN_CLIENT)
		n += e->plan->robots.max_conns;
	if (e->plan->roles & PLAN_SERVER)
		n += e->plan->origin.max_conns;
	return n;
}

static void
port_line(struct engine *e, const char *name, const struct engine_role *r)
{
	const struct port *p = &r->port;

	if (r->n_lanes == 0)
		return;
	engine_output_line(e, 2,
		"%s port %u: %s, %u queues of %u/%u descriptors, MAC "
		"%02x:%02x:%02x:%02x:%02x:%02x, mtu %u%s%s",
		name, p->id, p->driver, p->n_queues, p->rx_ring, p->tx_ring, r->iface[0].mac[0],
		r->iface[0].mac[1], r->iface[0].mac[2], r->iface[0].mac[3], r->iface[0].mac[4],
		r->iface[0].mac[5], r->iface[0].mtu, p->said[0] != 0 ? "; " : "", p->said);
}

/* What takes the place of Polygraph's FDs line: what may run out. */
void
engine_banner_budget(struct engine *e)
{
	const struct plan_robots *r = &e->plan->robots;
	uint64_t addrs = plan_ranges_count(r->addrs, r->n_addrs);
	uint64_t tuples = addrs * (uint64_t)(r->port_hi - r->port_lo + 1);
	uint64_t lane_bytes = 0;

	for (uint32_t role = 0; role < ENGINE_ROLES; role++)
		for (uint32_t i = 0; i < e->role[role].n_lanes; i++)
			lane_bytes += e->role[role].lane[i].memory;
	if (e->want->simulated)
		engine_output_line(e, 1,
			"simulated net: addresses exist between our own ends only (%s), no packet "
			"leaves this host",
			e->memif_path[0] != 0 ? e->memif_path : "rings");
	port_line(e, "client", &e->role[SNAP_CLIENT]);
	port_line(e, "server", &e->role[SNAP_SERVER]);
	engine_output_line(e, 2,
		"budget: %llu local ports (%llu addresses), %llu connections, %llu packet buffers; "
		"memory %llu MB of lanes, %u MB of packets%s",
		(unsigned long long)(e->plan->roles & PLAN_CLIENT ? tuples : 0),
		(unsigned long long)(e->plan->roles & PLAN_CLIENT ? addrs : 0),
		(unsigned long long)conns_max(e), (unsigned long long)e->n_workers * ENGINE_TX_POOL,
		(unsigned long long)(lane_bytes >> 20), e->mem_mb,
		e->eal.huge ? " in hugepages" : ", no hugepages");
}

void
engine_banner_load(struct engine *e)
{
	char list[256];
	size_t used = 0;

	list[0] = 0;
	for (uint32_t i = 0; i < e->n_workers && used < sizeof(list); i++) {
		int n = snprintf(list + used, sizeof(list) - used, "%s%u@%d", i == 0 ? "" : ",",
			e->worker[i].lcore, e->worker[i].cpu);

		used += (size_t)(n < 0 ? 0 : n);
	}
	engine_output_line(e, 2, "%u workers (lcore@cpu %s), topology %s, idle %s, clock %.6f MHz",
		e->n_workers, list,
		e->plan->roles == (PLAN_CLIENT | PLAN_SERVER) ? (e->split ? "split" : "lanes")
							      : "one role",
		engine_idle_text(e->worker[0].idle), (double)e->rate.hz / 1e6);
	if (e->plan->roles & PLAN_CLIENT)
		engine_output_line(e, 1, "fyi: max local population size: %u robots",
			e->plan->robots.n_robots);
}
