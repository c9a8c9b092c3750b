/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "report_priv.h"

int
report_time_text(
	enum report_time kind, uint64_t utc_ns, double since_start_s, char *buf, unsigned int size)
{
	struct report_text t;
	uint64_t hundredths;

	report_text_init(&t, buf, size);
	if (kind == REPORT_TIME_EPOCH) {
		report_text_add(&t, "%llu.%06llu", (unsigned long long)(utc_ns / 1000000000),
			(unsigned long long)(utc_ns / 1000 % 1000000));
	} else {
		hundredths = since_start_s > 0 ? (uint64_t)llround(since_start_s / 0.6) : 0;
		report_text_add(&t, "%03llu.%02llu", (unsigned long long)(hundredths / 100),
			(unsigned long long)(hundredths % 100));
	}
	return (int)t.n;
}

/** One line in Polygraph's columns. */
struct console_row {
	uint64_t n_good;
	double per_s;
	double mean_ns; /* < 0: none */
	double hit_pct; /* < 0: none */
	uint64_t n_errors;
	uint64_t n_sockets;
};

static void
console_client(const struct report_index *x, const struct snapshot *s, struct console_row *r)
{
	const struct snap_scope *a = &s->all;
	uint64_t hits = report_delta(x, a, RC_agent_hits);
	uint64_t basic = hits + report_delta(x, a, RC_agent_misses);
	uint64_t failed = report_delta(x, a, RC_agent_failed);

	r->n_good = report_total(x, a, RC_agent_completed);
	r->per_s = a->completed_per_s + report_per_s(failed, a->interval_s);
	r->hit_pct = basic == 0 ? -1 : report_pct(hits, basic);
	r->n_errors = failed + report_delta(x, a, RC_agent_dropped);
	r->n_sockets = report_delta(x, a, RC_agent_conn_open_now);
}

/* What reached an origin is a miss by nature; its listener counts as a socket. */
static void
console_server(const struct report_index *x, const struct snapshot *s, struct console_row *r)
{
	const struct snap_scope *a = &s->all;
	uint64_t served = report_delta(x, a, RC_agent_replies_out);
	uint64_t cut = report_delta(x, a, RC_agent_replies_cut);

	r->n_good = report_total(x, a, RC_agent_replies_out);
	r->per_s = report_per_s(served + cut, a->interval_s);
	r->hit_pct = served == 0 ? -1 : 0;
	r->n_errors = cut + report_delta(x, a, RC_agent_bad_requests);
	r->n_sockets = report_delta(x, a, RC_agent_conn_open_now) + 1;
}

int
report_console_line(
	const struct report_index *x, const struct snapshot *s, char *buf, unsigned int size)
{
	struct console_row r;
	struct report_text t;

	if (s->role == SNAP_SERVER)
		console_server(x, s, &r);
	else
		console_client(x, s, &r);
	r.mean_ns = report_response_mean(s->cells);

	report_text_init(&t, buf, size);
	report_text_add(&t, "%c-%s %6llu ", s->row == SNAP_INTERVAL ? 'i' : 'p', s->phase,
		(unsigned long long)r.n_good);
	report_text_fixed(&t, r.per_s, 2, 6);
	report_text_add(&t, " %6lld ", r.mean_ns < 0 ? -1 : llround(r.mean_ns / 1e6));
	report_text_fixed(&t, r.hit_pct, 2, 6);
	report_text_add(&t, " %3llu", (unsigned long long)r.n_errors);
	if (s->row == SNAP_INTERVAL)
		report_text_add(&t, " %4llu", (unsigned long long)r.n_sockets);
	return (int)t.n;
}

static void
own_rate(struct report_text *t, const char *name, double per_s)
{
	report_text_add(t, "%s ", name);
	report_text_fixed(t, per_s, 1, 8);
	report_text_add(t, "/s ");
}

static void
own_quantile(struct report_text *t, const char *name, const struct hist_sum *h, double q)
{
	report_text_add(t, " %s", name);
	if (h == NULL || !hist_sum_supports(h, q)) {
		report_text_add(t, " %6s", "n/a");
		return;
	}
	report_text_add(t, " ");
	report_text_time(t, (double)hist_sum_quantile(h, q), 6);
}

static void
own_client(const struct report_index *x, const struct snapshot *s, struct report_text *t)
{
	const struct snap_scope *a = &s->all;
	struct report_times times;
	const struct hist_sum *h;

	report_times_init(&times);
	report_times_load(&times, s->cells);
	h = times.hist[REPORT_HIST_RESPONSE];
	own_rate(t, "sched", a->scheduled_per_s);
	own_rate(t, "sent", a->sent_per_s);
	own_rate(t, "done", a->completed_per_s);
	report_text_add(t, "wait %llu late %llu resp",
		(unsigned long long)report_delta(x, a, RC_agent_waiting_now),
		(unsigned long long)report_delta(x, a, RC_agent_late_1ms));
	own_quantile(t, "p50", h, 0.5);
	own_quantile(t, "p99", h, 0.99);
	own_quantile(t, "p99.9", h, 0.999);
	report_times_fini(&times);
}

static void
own_server(const struct report_index *x, const struct snapshot *s, struct report_text *t)
{
	const struct snap_scope *a = &s->all;
	double sec = a->interval_s;

	own_rate(t, "req", report_per_s(report_delta(x, a, RC_agent_requests_in), sec));
	own_rate(t, "rep", report_per_s(report_delta(x, a, RC_agent_replies_out), sec));
	own_rate(t, "conn", report_per_s(report_delta(x, a, RC_agent_conn_opened), sec));
	report_text_add(
		t, "open %llu in ", (unsigned long long)report_delta(x, a, RC_agent_conn_open_now));
	report_text_fixed(t,
		report_l1_mbit(report_delta(x, a, RC_net_rx_frames),
			report_delta(x, a, RC_net_rx_bytes), sec),
		1, 0);
	report_text_add(t, " out ");
	report_text_fixed(t,
		report_l1_mbit(report_delta(x, a, RC_lane_tx_frames),
			report_delta(x, a, RC_lane_tx_bytes), sec),
		1, 0);
	report_text_add(t, " Mbit/s");
}

int
report_own_line(
	const struct report_index *x, const struct snapshot *s, char *buf, unsigned int size)
{
	struct report_text t;

	report_text_init(&t, buf, size);
	report_text_add(&t, "o-%s  ", s->phase);
	if (s->role == SNAP_SERVER)
		own_server(x, s, &t);
	else
		own_client(x, s, &t);
	return (int)t.n;
}
