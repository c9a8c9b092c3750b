/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base_num.h"
#include "load_plan.h"

int
plan_uri_check(const char *uri, const char *what, struct err *e)
{
	size_t i;

	if (uri[0] == '\0')
		return err_usage(e, what, "(empty)", "a path such as /index.html");
	if (uri[0] != '/')
		return err_usage(
			e, what, uri, "a path that begins with '/'; the host comes from --origin");
	for (i = 0; uri[i] != '\0'; i++) {
		unsigned char c = (unsigned char)uri[i];

		if (c == '#')
			return err_usage(e, what, uri,
				"a fragment is never sent: leave out '#' and what follows");
		if (c <= ' ' || c >= 0x7f)
			return err_usage(e, what, uri,
				"byte 0x%02x at %zu must be written as %%%02X", c, i, c);
	}
	if (i > PLAN_URI_MAX)
		return err_usage(e, what, uri, "%zu bytes; at most %d", i, PLAN_URI_MAX);
	return 0;
}

static bool
check_token_byte(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* Fields that a user must not set, and what sets them. */
static const struct check_field {
	const char *name;
	const char *instead;
} check_fields[] = {
	{"Content-Length", "freshet frames messages: use --body_sz"},
	{"Transfer-Encoding", "freshet frames messages: use --body_sz"},
	{"Connection", "use --pconn_use_lmt and --http_version"},
	{"Upgrade", "freshet speaks HTTP/1.x only"},
	{"X-Xact", "freshet's own transaction number"},
};

int
plan_header_check(const char *line, const char *what, struct err *e)
{
	const char *form = "a field line such as 'Accept: text/html'";
	size_t n = 0;
	size_t i;

	while (check_token_byte((unsigned char)line[n]))
		n++;
	if (n == 0 || line[n] != ':')
		return err_usage(e, what, line[0] == '\0' ? "(empty)" : line, "%s", form);
	for (i = n + 1; line[i] != '\0'; i++) {
		unsigned char c = (unsigned char)line[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return err_usage(e, what, line, "no control bytes: %s", form);
	}
	for (i = 0; i < ARRAY_LEN(check_fields); i++) {
		if (strlen(check_fields[i].name) == n &&
			strncasecmp(check_fields[i].name, line, n) == 0)
			return err_usage(e, what, line, "%s", check_fields[i].instead);
	}
	return 0;
}

int
plan_range_check(const struct net_range *r, const char *what, const char *text, struct err *e)
{
	uint32_t first = net_range_at(r, 0);
	uint32_t last = net_range_at(r, net_range_count(r) - 1);
	uint32_t host = r->prefix == 0 || r->prefix > 30 ? 0 : UINT32_MAX >> r->prefix;

	if (first >> 24 == 0)
		return err_usage(e, what, text, "addresses in 0.0.0.0/8 are nobody's");
	if (last >> 24 >= 224)
		return err_usage(e, what, text, "multicast and reserved addresses can't be used");
	if (host != 0 && (first & host) == 0)
		return err_usage(e, what, text, "the network's own address: no host part");
	if (host != 0 && (last & host) == host)
		return err_usage(
			e, what, text, "the last one is the broadcast address of /%u", r->prefix);
	return 0;
}

int
plan_size_check(const struct dist *d, const char *what, const char *text, struct err *e)
{
	if (d->kind != DIST_NONE && (d->a > (double)PLAN_SIZE_MAX || d->b > (double)PLAN_SIZE_MAX))
		return err_usage(e, what, text, "a size of at most 1024GB");
	return 0;
}

static int
check_ranges(const struct net_range *r, uint32_t n, bool port, const char *what, struct err *e)
{
	uint32_t i;

	if (n == 0 || n > PLAN_RANGES_MAX)
		return err_usage(
			e, what, n == 0 ? "none" : "too many", "1..%d ranges", PLAN_RANGES_MAX);
	for (i = 0; i < n; i++) {
		char text[80];
		int rc;

		(void)net_range_text(&r[i], text, sizeof(text));
		rc = plan_range_check(&r[i], what, text, e);
		if (rc != 0)
			return rc;
		if (port && r[i].port == 0)
			return err_usage(e, what, text, "a port is needed, such as %s:80", text);
	}
	return 0;
}

/* An octet range of one and of the other meet in each of four places, or no address is in both. */
static bool
check_overlap(const struct net_range *a, const struct net_range *b)
{
	int i;

	for (i = 0; i < NET_RANGE_OCTETS; i++) {
		if (a->hi[i] < b->lo[i] || b->hi[i] < a->lo[i])
			return false;
	}
	return true;
}

static int
check_apart(const struct net_range *a, uint32_t n_a, const struct net_range *b, uint32_t n_b,
	struct err *e)
{
	char text[80];
	uint32_t i;
	uint32_t k;

	for (i = 0; i < n_a; i++) {
		for (k = 0; k < n_b; k++) {
			if (!check_overlap(&a[i], &b[k]))
				continue;
			(void)net_range_text(&a[i], text, sizeof(text));
			return err_usage(
				e, "robots' addresses", text, "must not be origins' addresses too");
		}
	}
	return 0;
}

static int
check_arrival(const struct plan_robots *r, struct err *e)
{
	char text[64];

	if (r->n_robots == 0 || r->n_robots > PLAN_ROBOTS_MAX) {
		(void)snprintf(text, sizeof(text), "%u", r->n_robots);
		return err_usage(e, "robots", text, "1..%u", PLAN_ROBOTS_MAX);
	}
	(void)snprintf(text, sizeof(text), "%g/sec", r->rate_per_sec);
	if (r->arrival == PLAN_BEST_EFFORT && r->rate_per_sec != 0)
		return err_usage(e, "rate", text, "best effort has no rate");
	if (r->arrival != PLAN_BEST_EFFORT && !(r->rate_per_sec > 0))
		return err_usage(e, "rate", text, "must be above 0");
	if (r->rate_per_sec > PLAN_RATE_MAX)
		return err_usage(e, "rate of all robots", text, "at most 1000000000/sec");
	return 0;
}

static int
check_request(const struct plan_robots *r, struct err *e)
{
	uint32_t i;
	int rc = 0;

	if (r->uri != NULL)
		rc = plan_uri_check(r->uri, "uri", e);
	for (i = 0; rc == 0 && i < r->n_headers; i++)
		rc = plan_header_check(r->header[i], "header", e);
	if (rc != 0)
		return rc;
	if (r->http_minor > 1)
		return err_usage(e, "HTTP version", NULL, "1.0 or 1.1");
	return plan_size_check(&r->body_size, "size of request bodies", NULL, e);
}

static int
check_pools(const struct plan *p, struct err *e)
{
	const struct plan_robots *r = &p->robots;
	uint64_t tuples;
	char text[32];

	if (r->port_lo == 0 || r->port_lo > r->port_hi)
		return err_usage(e, "local ports", NULL, "LO-HI with 1 <= LO <= HI");
	tuples = plan_tuples(p);
	(void)snprintf(text, sizeof(text), "%u", r->max_conns);
	if (r->max_conns == 0 || r->max_conns > PLAN_CONNS_MAX)
		return err_usage(e, "open connections", text, "1..%u", PLAN_CONNS_MAX);
	if (r->max_conns > tuples)
		return err_usage(e, "open connections", text,
			"%" PRIu64 " local addresses x ports allow no more", tuples);
	return 0;
}

static int
check_robots(const struct plan *p, struct err *e)
{
	const struct plan_robots *r = &p->robots;
	int rc = check_ranges(r->addrs, r->n_addrs, false, "robots' addresses", e);

	if (rc == 0)
		rc = check_ranges(r->origins, r->n_origins, true, "origins", e);
	if (rc == 0)
		rc = check_apart(r->addrs, r->n_addrs, r->origins, r->n_origins, e);
	if (rc == 0)
		rc = check_arrival(r, e);
	if (rc == 0)
		rc = check_request(r, e);
	if (rc == 0)
		rc = check_pools(p, e);
	if (rc != 0)
		return rc;
	if (r->proxy_addr != 0 && r->proxy_port == 0)
		return err_usage(e, "proxy", NULL, "a port is needed");
	if (plan_ranges_index(r->addrs, r->n_addrs, r->proxy_addr) >= 0)
		return err_usage(e, "proxy", NULL, "its address is one of the robots'");
	return 0;
}

static int
check_origin(const struct plan *p, struct err *e)
{
	const struct plan_origin *o = &p->origin;
	char text[32];
	int rc = check_ranges(o->addrs, o->n_addrs, true, "origin addresses", e);

	if (rc != 0)
		return rc;
	if (o->rep_size.kind == DIST_NONE)
		return err_usage(e, "reply size", NULL, "must be given");
	(void)snprintf(text, sizeof(text), "%u", o->max_conns);
	if (o->max_conns == 0 || o->max_conns > PLAN_CONNS_MAX)
		return err_usage(
			e, "open connections of the server", text, "1..%u", PLAN_CONNS_MAX);
	return plan_size_check(&o->rep_size, "reply size", NULL, e);
}

static int
check_phase(const struct plan_phase *f, bool last, struct err *e)
{
	const struct plan_goal *g = &f->goal;
	bool endless = g->duration_ns == PLAN_NEVER && g->n_xactions == PLAN_NEVER;

	if (f->name[0] == '\0')
		return err_usage(e, "phase", "(empty)", "a name");
	if (!(f->load_beg >= 0 && f->load_end >= 0 && f->load_beg <= 1000 && f->load_end <= 1000))
		return err_usage(e, "load factors of phase", f->name, "0..1000");
	if (!(f->populus_beg >= 0 && f->populus_end >= 0 && f->populus_beg <= 1 &&
		    f->populus_end <= 1))
		return err_usage(e, "populus factors of phase", f->name, "0..1");
	if (endless && (f->load_beg != f->load_end || f->populus_beg != f->populus_end))
		return err_usage(
			e, "phase", f->name, "a ramp needs a duration or a number of transactions");
	if (endless && !last)
		return err_usage(e, "phase", f->name, "only the last phase may be without a goal");
	if (g->duration_ns == 0 || g->n_xactions == 0)
		return err_usage(e, "goal of phase", f->name, "must be above 0");
	return 0;
}

static int
check_phases(const struct plan *p, struct err *e)
{
	uint32_t i;
	uint32_t k;

	if (p->n_phases == 0 || p->n_phases > PLAN_PHASES_MAX)
		return err_usage(e, "phases", NULL, "1..%d", PLAN_PHASES_MAX);
	for (i = 0; i < p->n_phases; i++) {
		int rc = check_phase(&p->phase[i], i + 1 == p->n_phases, e);

		if (rc != 0)
			return rc;
		for (k = 0; k < i; k++) {
			if (strcmp(p->phase[i].name, p->phase[k].name) == 0)
				return err_usage(e, "phase", p->phase[i].name, "names must differ");
		}
	}
	return 0;
}

static int
check_iface(const struct plan_iface *f, struct err *e)
{
	uint32_t mask = f->prefix == 0 || f->prefix > 32 ? 0 : UINT32_MAX << (32 - f->prefix);
	char text[32];

	(void)net_addr_text(f->addr, text, sizeof(text));
	if (f->addr == 0)
		return err_usage(e, "interface", NULL, "an address is needed, such as 10.1.0.2/24");
	if (mask == 0)
		return err_usage(e, "interface", text, "a prefix length of 1..32 is needed");
	if (f->gw != 0 && ((f->gw ^ f->addr) & mask) != 0)
		return err_usage(e, "interface", text, "the gateway is not in its /%u", f->prefix);
	if (f->gw == f->addr)
		return err_usage(e, "interface", text, "the gateway is the interface itself");
	if (f->mtu != 0 && (f->mtu < 576 || f->mtu > 9216))
		return err_usage(e, "interface", text, "an MTU of 576..9216");
	return 0;
}

/* The announced window must fit in 16 bits after scaling. */
static int
check_tcp(const struct tcp_config *t, struct err *e)
{
	char text[32];

	(void)num_size_text(t->rcv_wnd, text, sizeof(text));
	if (t->mss < 48 || t->mss > 9216)
		return err_usage(e, "mss", NULL, "48..9216");
	if (t->wscale > 14)
		return err_usage(e, "window scale", NULL, "0..14");
	if (t->rcv_wnd < t->mss || t->rcv_wnd > 1u << 30)
		return err_usage(e, "receive window", text, "one segment (mss)..1GB");
	if (t->rcv_wnd > 65535u << t->wscale)
		return err_usage(e, "receive window", text, "at most %u with window scale %u",
			65535u << t->wscale, t->wscale);
	if (t->rto_min_ns == 0 || t->rto_min_ns > t->rto_max_ns)
		return err_usage(e, "rto_min", NULL, "above 0 and not above rto_max");
	if (t->initial_window_segs == 0)
		return err_usage(e, "initial window", NULL, "at least 1 segment");
	return 0;
}

static int
check_run(const struct plan *p, struct err *e)
{
	if (p->n_lanes == 0 || p->n_lanes > PLAN_LANES_MAX)
		return err_usage(e, "lanes", NULL, "1..%d", PLAN_LANES_MAX);
	if (!(p->verify_share > 0 && p->verify_share <= 1))
		return err_usage(e, "share of verified replies", NULL, "above 0%%, at most 100%%");
	if (p->stats_cycle_ns == 0 || p->csv_cycle_ns == 0)
		return err_usage(e, "statistics cycle", NULL, "above 0");
	return 0;
}

int
plan_check(const struct plan *p, struct err *e)
{
	uint32_t i;
	int rc;

	if ((p->roles & (PLAN_CLIENT | PLAN_SERVER)) == 0 || p->n_ifaces > PLAN_IFACES_MAX)
		return err_usage(e, "plan", NULL,
			"robots or servers are needed, and at most %d interfaces", PLAN_IFACES_MAX);
	rc = check_run(p, e);
	if (rc == 0)
		rc = check_tcp(&p->tcp, e);
	if (rc == 0)
		rc = check_phases(p, e);
	for (i = 0; rc == 0 && i < p->n_ifaces; i++)
		rc = check_iface(&p->iface[i], e);
	if (rc == 0 && (p->roles & PLAN_CLIENT) != 0)
		rc = check_robots(p, e);
	if (rc == 0 && (p->roles & PLAN_SERVER) != 0)
		rc = check_origin(p, e);
	if (rc == 0 && p->roles == (PLAN_CLIENT | PLAN_SERVER))
		rc = check_apart(
			p->robots.addrs, p->robots.n_addrs, p->origin.addrs, p->origin.n_addrs, e);
	return rc;
}
