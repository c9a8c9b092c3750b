/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include "base_num.h"
#include "front_priv.h"

#define GOAL_FORM \
	"XACTIONS:TIME:ERRRATIO with -1 for none, a time such as 10sec, or a number of " \
	"transactions such as 100000"
#define GOAL_PART_MAX 64

static bool
quick_token_byte(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static int
quick_method(const char *s, uint8_t *method, struct err *e)
{
	static const struct {
		const char *name;
		enum http_method method;
	} known[] = {
		{"GET", HTTP_GET},
		{"HEAD", HTTP_HEAD_METHOD},
		{"POST", HTTP_POST},
		{"PUT", HTTP_PUT},
		{"DELETE", HTTP_DELETE},
		{"OPTIONS", HTTP_OPTIONS},
		{"PATCH", HTTP_PATCH},
	};
	size_t n = 0;
	unsigned int i;

	while (quick_token_byte(s[n]))
		n++;
	if (n == 0 || s[n] != '\0')
		return err_usage(e, "--method", s[0] == '\0' ? "(empty)" : s,
			"one word without blanks, such as GET");
	for (i = 0; i < ARRAY_LEN(known); i++) {
		if (strcmp(known[i].name, s) == 0) {
			*method = (uint8_t)known[i].method;
			return 0;
		}
		if (strcasecmp(known[i].name, s) == 0)
			return err_usage(
				e, "--method", s, "methods are upper-case: %s", known[i].name);
	}
	return err_usage(e, "--method", s, "GET, HEAD, POST, PUT, DELETE, OPTIONS or PATCH");
}

/* One part of a goal: -1 is none. @return true when it is there and right. */
static int
quick_goal_part(const char *s, size_t n, unsigned int i, struct plan_goal *g)
{
	char part[GOAL_PART_MAX];

	if (n == 0 || n >= sizeof(part))
		return -EINVAL;
	memcpy(part, s, n);
	part[n] = '\0';
	if (strcmp(part, "-1") == 0)
		return 0;
	if (i == 0)
		return num_count_parse(part, &g->n_xactions);
	if (i == 1)
		return num_time_parse(part, &g->duration_ns);
	return num_share_parse(part, &g->err_ratio);
}

static int
quick_goal(const char *s, struct plan_goal *g, struct err *e)
{
	struct plan_goal r = {PLAN_NEVER, PLAN_NEVER, -1};
	const char *at = s;
	unsigned int i;
	int rc = 0;

	if (strchr(s, ':') == NULL) {
		if (num_time_parse(s, &r.duration_ns) != 0)
			rc = num_count_parse(s, &r.n_xactions);
	} else {
		for (i = 0; rc == 0 && i < 3; i++) {
			size_t n = strcspn(at, ":");

			rc = quick_goal_part(at, n, i, &r);
			at += n;
			if (*at != (i < 2 ? ':' : '\0'))
				rc = -EINVAL;
			at += *at == ':';
		}
	}
	if (rc != 0)
		return err_usage(e, "--goal", s[0] == '\0' ? "(empty)" : s, "%s", GOAL_FORM);
	if (r.duration_ns == 0 || r.n_xactions == 0)
		return err_usage(e, "--goal", s, "a run needs more than 0");
	*g = r;
	return 0;
}

/* Where a distribution is optional. */
static int
quick_dist(const char *s, enum dist_unit unit, const char *what, struct dist *d, struct err *e)
{
	int rc;

	if (s == NULL)
		return 0;
	rc = dist_parse(s, unit, d, e, what);
	if (rc == 0 && unit == DIST_SIZE_BYTES)
		rc = plan_size_check(d, what, s, e);
	if (rc == 0 && unit == DIST_TIME_NS && (d->a > 86400e9 || d->b > 86400e9))
		rc = err_usage(e, what, s, "at most one day");
	return rc;
}

/* A connection that may carry no request at all would never be used. */
static int
quick_use_lmt(const char *s, struct dist *d, struct err *e)
{
	int rc = quick_dist(s, DIST_COUNT, "--pconn_use_lmt", d, e);

	if (rc == 0 && s != NULL && d->kind != DIST_NORM && d->a < 1)
		rc = err_usage(e, "--pconn_use_lmt", s, "at least 1 request per connection");
	return rc;
}

static int
quick_rate_error(const struct front_values *v, const char *what, const char *allowed, struct err *e)
{
	char value[160];
	char each[64];
	char total[64];

	(void)num_rate_text(v->req_rate, each, sizeof(each));
	(void)num_rate_text(v->rate, total, sizeof(total));
	(void)snprintf(value, sizeof(value), "%s%s%s", v->rate_given ? total : "",
		v->rate_given && v->req_rate_given ? " and " : "", v->req_rate_given ? each : "");
	return err_usage(e, what, value, "%s", allowed);
}

static int
quick_rate(const struct front_values *v, struct plan_robots *r, struct err *e)
{
	static const char *const arrival[] = {"poisson", "const", "exp"};
	char text[128];
	char each[64];

	if (v->rate_given && v->req_rate_given)
		return quick_rate_error(v, "--rate and --req_rate",
			"the total or what each robot does, not both", e);
	if (v->best_effort && (v->rate_given || v->req_rate_given))
		return quick_rate_error(v,
			v->rate_given ? "--best_effort and --rate" : "--best_effort and --req_rate",
			"best effort has no rate", e);
	r->rate_is_total = v->rate_given;
	r->rate_per_sec = v->rate_given ? v->rate : v->req_rate * r->n_robots;
	if (v->best_effort)
		r->rate_per_sec = 0;
	if (r->rate_per_sec == 0) {
		r->arrival = PLAN_BEST_EFFORT;
		if (v->arrival_given)
			return err_usage(e, "--req_inter_arrival", arrival[v->arrival],
				"needs --req_rate or --rate");
		return 0;
	}
	r->arrival = v->arrival == 1 ? PLAN_CONSTANT : PLAN_POISSON;
	(void)num_rate_text(v->req_rate, each, sizeof(each));
	(void)snprintf(text, sizeof(text), "%u robots x %s", r->n_robots, each);
	if (r->rate_per_sec > PLAN_RATE_MAX)
		return err_usage(e, "--req_rate", text, "at most 1000000000/sec together");
	return 0;
}

static bool
quick_has_body(uint8_t method)
{
	return method == HTTP_POST || method == HTTP_PUT || method == HTTP_PATCH;
}

static int
quick_headers(const struct front_values *v, struct plan *p, struct err *e)
{
	bool host = false;
	uint32_t i;

	for (i = 0; i < v->headers.n; i++) {
		const char *line = v->headers.v[i];
		bool is_host = strncasecmp(line, "Host:", 5) == 0;
		int rc = plan_header_check(line, "--add_header", e);

		if (rc == 0 && is_host && host)
			rc = err_usage(e, "--add_header", line, "a request has one Host");
		host = host || is_host;
		if (rc == 0)
			rc = plan_header_add(p, line);
		if (rc == -ENOSPC)
			return err_usage(e, "--add_header", line, "at most %d", PLAN_HEADERS_MAX);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
quick_request(const struct front_values *v, struct plan *p, struct err *e)
{
	struct plan_robots *r = &p->robots;
	int rc = quick_method(v->method, &r->method, e);

	if (rc != 0)
		return rc;
	if (v->body_sz != NULL && !quick_has_body(r->method))
		return err_usage(e, "--body_sz", v->body_sz,
			"%s has no body here: use --method POST, PUT or PATCH", v->method);
	if (quick_has_body(r->method))
		rc = quick_dist(v->body_sz != NULL ? v->body_sz : "1KB", DIST_SIZE_BYTES,
			"--body_sz", &r->body_size, e);
	if (rc == 0 && v->uri != NULL)
		rc = plan_uri_check(v->uri, "--uri", e);
	if (rc == 0 && v->uri != NULL)
		rc = plan_text_set(&r->uri, v->uri);
	if (rc == 0)
		rc = quick_headers(v, p, e);
	r->http_minor = (uint8_t)v->http_version;
	return rc;
}

static int
quick_expect(const char *s, struct plan_robots *r, struct err *e)
{
	if (s == NULL)
		return 0;
	if (plan_status_parse(s, &r->expect_status) != 0)
		return err_usage(e, "--expect_status", s[0] == '\0' ? "(empty)" : s,
			"codes of 100..599, such as 200,404 or 2xx,300-303");
	r->expect_given = true;
	return 0;
}

static int
quick_robots(const struct front_values *v, struct plan *p, struct err *e)
{
	struct plan_robots *r = &p->robots;
	int rc;

	r->n_robots = (uint32_t)v->robots;
	r->open_conn_lmt = (uint32_t)v->open_conn_lmt;
	r->timeout_ns = v->timeout;
	r->connect_timeout_ns = v->connect_timeout;
	r->idle_pconn_tout_ns = v->idle_pconn_tout;
	r->launch_win_ns = v->launch_win;
	r->retry_stale = v->retry_stale != 0;
	r->close = v->close == 0 ? PLAN_CLOSE_FIN : PLAN_CLOSE_RST;
	rc = quick_rate(v, r, e);
	if (rc == 0)
		rc = quick_use_lmt(v->pconn_use_lmt, &r->pconn_use_lmt, e);
	if (rc == 0)
		rc = quick_request(v, p, e);
	if (rc == 0)
		rc = quick_expect(v->expect_status, r, e);
	return rc;
}

static int
quick_origin(const struct front_values *v, struct plan *p, struct err *e)
{
	struct plan_origin *o = &p->origin;
	int rc = quick_dist(v->xact_think, DIST_TIME_NS, "--xact_think", &o->xact_think, e);

	/* loop has robots, and these two options are theirs */
	if (rc != 0 || (p->roles & PLAN_CLIENT) != 0)
		return rc;
	o->idle_pconn_tout_ns = v->idle_pconn_tout;
	return quick_use_lmt(v->pconn_use_lmt, &o->pconn_use_lmt, e);
}

static int
quick_verify(const char *s, struct plan *p, struct err *e)
{
	uint64_t n;

	if (strcmp(s, "full") == 0) {
		p->verify = PLAN_VERIFY_FULL;
	} else if (strcmp(s, "length") == 0) {
		p->verify = PLAN_VERIFY_LENGTH;
	} else if (strncmp(s, "sample:", 7) == 0 && num_count_parse(s + 7, &n) == 0 && n != 0) {
		p->verify = PLAN_VERIFY_SAMPLE;
		p->verify_share = 1.0 / (double)n;
	} else {
		return err_usage(e, "--verify", s[0] == '\0' ? "(empty)" : s,
			"full, length, or sample:N with N from 1 on");
	}
	return 0;
}

static int
quick_label(const char *s, struct plan *p, struct err *e)
{
	size_t i;

	if (s == NULL)
		return 0;
	for (i = 0; s[i] != '\0'; i++) {
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return err_usage(e, "--label", s, "no control bytes");
	}
	if (i >= sizeof(p->label))
		return err_usage(e, "--label", s, "at most %zu bytes", sizeof(p->label) - 1);
	memcpy(p->label, s, i + 1);
	return 0;
}

static int
quick_tcp(const struct front_values *v, struct tcp_config *t, struct err *e)
{
	uint64_t widest = 65535ULL << v->wscale;
	char text[48];

	(void)num_size_text(v->rcv_wnd, text, sizeof(text));
	if (v->rcv_wnd > widest && v->rcv_wnd_given)
		return err_usage(e, "--rcv_wnd", text, "at most %llu bytes with --wscale %llu",
			(unsigned long long)widest, (unsigned long long)v->wscale);
	if (v->rcv_wnd < v->mss)
		return err_usage(e, "--rcv_wnd", text, "at least one segment of --mss %llu",
			(unsigned long long)v->mss);
	t->mss = (uint16_t)v->mss;
	t->wscale = (uint8_t)v->wscale;
	t->cc = v->cc == 0 ? TCP_CC_RENO : TCP_CC_NONE;
	t->rcv_wnd = (uint32_t)(v->rcv_wnd < widest ? v->rcv_wnd : widest);
	t->initial_window_segs = (uint32_t)v->initial_window;
	t->syn_retries = (uint32_t)v->syn_retries;
	t->rto_min_ns = v->rto_min;
	t->delayed_ack_ns = v->delayed_ack;
	t->time_wait_ns = v->tw;
	t->sack = v->sack != 0;
	t->timestamps = v->timestamps != 0;
	return 0;
}

int
quick_load(const struct front_values *v, struct plan *p, struct err *e)
{
	int rc = 0;

	p->seed = v->seed;
	p->world = (uint32_t)rng_key(v->seed, PLAN_RNG_WORLD);
	p->n_lanes = v->workers != 0 ? (uint32_t)v->workers : 1;
	p->stats_cycle_ns = v->stats_cycle;
	p->csv_cycle_ns = v->csv_cycle;
	p->idle_tout_ns = v->idle_tout;
	p->drain_ns = v->drain;
	if (v->goal != NULL)
		rc = quick_goal(v->goal, &p->phase[0].goal, e);
	if (rc == 0)
		rc = quick_dist(v->rep_sz, DIST_SIZE_BYTES, "--rep_sz", &p->origin.rep_size, e);
	if (rc == 0 && (p->roles & PLAN_CLIENT) != 0)
		rc = quick_robots(v, p, e);
	if (rc == 0 && (p->roles & PLAN_SERVER) != 0)
		rc = quick_origin(v, p, e);
	if (rc == 0)
		rc = quick_verify(v->verify, p, e);
	if (rc == 0)
		rc = quick_label(v->label, p, e);
	if (rc == 0)
		rc = quick_tcp(v, &p->tcp, e);
	return rc;
}
