/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base_num.h"
#include "load_plan.h"

/* A figure for a reader: whole where it is, else four significant digits; no exponent. */
static void
text_figure(double v, char *buf, unsigned int size)
{
	int digits = v > 0 ? 3 - (int)floor(log10(v)) : 0;

	if (fabs(v - nearbyint(v)) < 1e-6 * fmax(v, 1e-3))
		digits = 0;
	digits = digits < 0 ? 0 : digits > 12 ? 12 : digits;
	(void)snprintf(buf, size, "%.*f", digits, v);
	if (digits > 0) {
		while (buf[strlen(buf) - 1] == '0')
			buf[strlen(buf) - 1] = '\0';
		if (buf[strlen(buf) - 1] == '.')
			buf[strlen(buf) - 1] = '\0';
	}
}

/* 4128768 -> 4,128,768 */
static void
text_thousands(uint64_t v, char *buf, unsigned int size)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);
	unsigned int at = 0;
	int i;

	for (i = 0; i < n && at + 2 < size; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
}

/* `100 req/conn`: what a connection carries, from either end's limit. */
static void
text_use(const struct plan *p, double *use, char *buf, unsigned int size)
{
	const struct dist *d = &p->robots.pconn_use_lmt;
	char t[32];

	*use = d->kind == DIST_NONE ? 0 : fmax(dist_mean(d), 1);
	if (*use == 0) {
		(void)snprintf(buf, size, "any number of req/conn");
		return;
	}
	text_figure(*use, t, sizeof(t));
	(void)snprintf(buf, size, "%s req/conn", t);
}

static int
text_server(const struct plan *p, char *buf, unsigned int size)
{
	const struct plan_origin *o = &p->origin;
	uint64_t n = plan_ranges_count(o->addrs, o->n_addrs);
	char sizes[96];

	(void)dist_text(&o->rep_size, sizes, sizeof(sizes));
	return snprintf(buf, size, "serving %" PRIu64 " address%s, replies %s, <= %u open", n,
		n == 1 ? "" : "es", sizes, o->max_conns);
}

int
plan_arithmetic_text(const struct plan *p, char *buf, unsigned int size)
{
	const struct plan_robots *r = &p->robots;
	const char *s = r->n_robots == 1 ? "" : "s";
	char use_text[48];
	char total[32];
	char each[32];
	char conns[48] = "";
	double use;

	if ((p->roles & PLAN_CLIENT) == 0)
		return text_server(p, buf, size);
	text_use(p, &use, use_text, sizeof(use_text));
	if (r->arrival == PLAN_BEST_EFFORT)
		return snprintf(buf, size,
			"best effort: %u robot%s, one request%s at a time, %s, <= %u open",
			r->n_robots, s, r->n_robots == 1 ? "" : " each", use_text, r->max_conns);
	text_figure(r->rate_per_sec, total, sizeof(total));
	text_figure(r->rate_per_sec / r->n_robots, each, sizeof(each));
	if (use > 0) {
		char t[32];

		text_figure(r->rate_per_sec / use, t, sizeof(t));
		(void)snprintf(conns, sizeof(conns), " -> %s conn/s", t);
	}
	return snprintf(buf, size, "offered %s/s = %u robot%s x %s/s, %s%s, <= %u open", total,
		r->n_robots, s, each, use_text, conns, r->max_conns);
}

int
plan_time_wait_text(const struct plan *p, char *buf, unsigned int size)
{
	const struct plan_robots *r = &p->robots;
	double sec = (double)p->tcp.time_wait_ns / 1e9;
	double use = r->pconn_use_lmt.kind == DIST_NONE ? 0 : dist_mean(&r->pconn_use_lmt);
	double conn_per_sec = use > 0 ? r->rate_per_sec / fmax(use, 1) : 0;
	uint64_t tuples = plan_tuples(p);
	char rate[32];
	char wait[32];
	char count[32];
	char all[32];

	text_figure(sec, wait, sizeof(wait));
	text_thousands(tuples, all, sizeof(all));
	if ((p->roles & PLAN_CLIENT) == 0)
		return snprintf(buf, size, "TIME-WAIT %s s", wait);
	if (conn_per_sec > 0) {
		text_figure(conn_per_sec, rate, sizeof(rate));
		text_thousands((uint64_t)ceil(conn_per_sec * sec), count, sizeof(count));
		return snprintf(buf, size, "%s/s x %s s = %s of %s tuples in TIME-WAIT", rate, wait,
			count, all);
	}
	if (sec == 0)
		return snprintf(buf, size, "TIME-WAIT 0 s: %s tuples", all);
	text_thousands((uint64_t)((double)tuples / sec), count, sizeof(count));
	return snprintf(buf, size, "TIME-WAIT %s s: at most %s new connections/s of %s tuples",
		wait, count, all);
}
