/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "load_plan.h"

#define SEC_NS 1000000000ULL
#define MSEC_NS 1000000ULL

static void
plan_tcp_init(struct tcp_config *t)
{
	t->mss = 1460;
	t->wscale = 7;
	t->cc = TCP_CC_RENO;
	t->rcv_wnd = 1 << 20;
	t->initial_window_segs = 10;
	t->syn_retries = 5;
	t->data_retries = 8;
	t->rto_initial_ns = SEC_NS;
	t->rto_min_ns = 200 * MSEC_NS;
	t->rto_max_ns = 60 * SEC_NS;
	t->delayed_ack_ns = 40 * MSEC_NS;
	t->delayed_ack_segs = 2;
	t->fin_wait2_ns = 60 * SEC_NS;
	t->time_wait_ns = 60 * SEC_NS;
	t->timestamps = 1;
	t->sack = 1;
	t->tw_reuse = 1;
}

static void
plan_robots_init(struct plan_robots *r)
{
	r->n_robots = 1;
	r->arrival = PLAN_BEST_EFFORT;
	r->method = HTTP_GET;
	r->http_minor = 1;
	r->close = PLAN_CLOSE_FIN;
	r->pconn_use_lmt = (struct dist){.kind = DIST_CONST, .unit = DIST_COUNT, .a = 1};
	r->body_size = (struct dist){.unit = DIST_SIZE_BYTES};
	r->port_lo = 1024;
	r->port_hi = 65535;
	r->retry_stale = true;
}

static void
plan_origin_init(struct plan_origin *o)
{
	o->rep_size = (struct dist){.kind = DIST_EXP, .unit = DIST_SIZE_BYTES, .a = 13 * 1024};
	o->xact_think = (struct dist){.unit = DIST_TIME_NS};
	o->pconn_use_lmt = (struct dist){.unit = DIST_COUNT};
}

void
plan_init(struct plan *p)
{
	struct plan_phase *first = &p->phase[0];

	memset(p, 0, sizeof(*p));
	p->seed = 1;
	p->n_lanes = 1;
	plan_robots_init(&p->robots);
	plan_origin_init(&p->origin);
	p->n_phases = 1;
	strcpy(first->name, "dflt");
	first->load_beg = 1;
	first->load_end = 1;
	first->populus_beg = 1;
	first->populus_end = 1;
	first->measured = true;
	first->goal = (struct plan_goal){PLAN_NEVER, PLAN_NEVER, -1};
	plan_tcp_init(&p->tcp);
	p->verify = PLAN_VERIFY_FULL;
	p->verify_share = 1;
	p->stats_cycle_ns = 5 * SEC_NS;
	p->csv_cycle_ns = SEC_NS;
	p->drain_ns = 5 * SEC_NS;
}

void
plan_fini(struct plan *p)
{
	uint32_t i;

	free((void *)(uintptr_t)p->robots.uri);
	for (i = 0; i < p->robots.n_headers; i++)
		free((void *)(uintptr_t)p->robots.header[i]);
	plan_init(p);
}

int
plan_text_set(const char **field, const char *text)
{
	char *copy = strdup(text);

	if (copy == NULL)
		return -ENOMEM;
	free((void *)(uintptr_t)*field);
	*field = copy;
	return 0;
}

int
plan_header_add(struct plan *p, const char *line)
{
	struct plan_robots *r = &p->robots;
	int rc;

	if (r->n_headers == PLAN_HEADERS_MAX)
		return -ENOSPC;
	r->header[r->n_headers] = NULL;
	rc = plan_text_set(&r->header[r->n_headers], line);
	if (rc == 0)
		r->n_headers++;
	return rc;
}

uint64_t
plan_ranges_count(const struct net_range *r, uint32_t n)
{
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		count += net_range_count(&r[i]);
	return count;
}

uint32_t
plan_ranges_at(const struct net_range *r, uint32_t n, uint64_t i, uint16_t *port)
{
	uint32_t k;

	for (k = 0; k < n; k++) {
		uint64_t count = net_range_count(&r[k]);

		if (i < count) {
			if (port != NULL)
				*port = r[k].port;
			return net_range_at(&r[k], i);
		}
		i -= count;
	}
	return 0;
}

int64_t
plan_ranges_index(const struct net_range *r, uint32_t n, uint32_t addr)
{
	int64_t before = 0;
	uint32_t k;

	for (k = 0; k < n; k++) {
		int64_t i = net_range_index(&r[k], addr);

		if (i >= 0)
			return before + i;
		before += (int64_t)net_range_count(&r[k]);
	}
	return -1;
}

uint64_t
plan_object_size(const struct plan *p, uint64_t oid)
{
	double v = dist_at(&p->origin.rep_size, rng_key(p->seed, PLAN_RNG_SIZE), oid);

	return (uint64_t)(v + 0.5);
}

uint64_t
plan_tuples(const struct plan *p)
{
	const struct plan_robots *r = &p->robots;

	return plan_ranges_count(r->addrs, r->n_addrs) * (uint64_t)(r->port_hi - r->port_lo + 1);
}

uint32_t
plan_conns_default(const struct plan *p)
{
	const struct plan_robots *r = &p->robots;
	double n = fmax(fmax(4.0 * r->n_robots, ceil(r->rate_per_sec)), 1024);

	if (r->open_conn_lmt != 0)
		n = (double)r->n_robots * r->open_conn_lmt;
	if (r->n_addrs != 0)
		n = fmin(n, (double)plan_tuples(p));
	return (uint32_t)fmin(n, PLAN_CONNS_MAX);
}
