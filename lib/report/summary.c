/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "report_priv.h"

#define SUMMARY_MAX 8192
#define SUMMARY_WIDTH 96
#define SUMMARY_WARNINGS_MAX 10

struct summary {
	const struct report_index *x;
	const struct snapshot *run;
	const struct report_verdict *v;
	struct report_text t;
	bool has_times; /* the head of the table is there */
};

static uint64_t
total_of(const struct summary *m, enum report_counter c)
{
	return report_total(m->x, &m->run->all, c);
}

static uint64_t
now_of(const struct summary *m, enum report_counter c)
{
	return report_delta(m->x, &m->run->all, c);
}

static void
add_verdict(struct summary *m)
{
	const struct report_verdict *v = m->v;

	report_text_add(&m->t, "verdict: %s (accounting %s, rate %s)%s%s\n",
		report_verdict_name(v->overall), report_verdict_name(v->accounting),
		v->rate_judged ? report_verdict_name(v->rate) : "not judged",
		v->why[0] != '\0' ? ": " : "", v->why);
}

/** `  name          count    rate/s`, without the line end. */
static void
add_count(struct summary *m, const char *name, uint64_t n, double per_s)
{
	report_text_add(&m->t, "  %-12s %12llu ", name, (unsigned long long)n);
	report_text_fixed(&m->t, per_s, 1, 12);
	report_text_add(&m->t, "/s");
}

static void
add_share(struct summary *m, uint64_t part, uint64_t whole, const char *of)
{
	report_text_add(&m->t, "   ");
	report_text_fixed(&m->t, report_pct(part, whole), 3, 7);
	report_text_add(&m->t, " %% of %s\n", of);
}

/** Non-zero counters of first..last, by the name behind prefix, wrapped. */
static void
add_classes(
	struct summary *m, enum report_counter first, enum report_counter last, const char *prefix)
{
	unsigned int column = 0;

	for (int c = first; c <= (int)last; c++) {
		uint64_t n = total_of(m, (enum report_counter)c);
		unsigned int from = m->t.n;

		if (n == 0)
			continue;
		if (column == 0)
			report_text_add(&m->t, "%15s", "");
		report_text_add(&m->t, "%s%s %llu", column == 0 ? "" : ", ",
			report_counter_names[c].name + strlen(prefix), (unsigned long long)n);
		column += m->t.n - from;
		if (column > SUMMARY_WIDTH - 24) {
			report_text_add(&m->t, "\n");
			column = 0;
		}
	}
	if (column > 0)
		report_text_add(&m->t, "\n");
}

static void
add_load(struct summary *m)
{
	const struct snap_scope *a = &m->run->all;
	uint64_t scheduled = total_of(m, RC_agent_scheduled);
	uint64_t sent = total_of(m, RC_agent_sent);
	uint64_t failed = total_of(m, RC_agent_failed);
	uint64_t dropped = total_of(m, RC_agent_dropped);

	add_count(m, "scheduled", scheduled, a->scheduled_per_s);
	if (a->target_per_s >= 0) {
		report_text_add(&m->t, "   target ");
		report_text_fixed(&m->t, a->target_per_s, 1, 0);
		report_text_add(&m->t, "/s");
	}
	report_text_add(&m->t, "\n");
	add_count(m, "sent", sent, a->sent_per_s);
	add_share(m, sent, scheduled, "scheduled");
	add_count(m, "completed", total_of(m, RC_agent_completed), a->completed_per_s);
	add_share(m, total_of(m, RC_agent_completed), sent, "sent");
	add_count(m, "failed", failed, report_per_s(failed, a->interval_s));
	add_share(m, failed, sent, "sent");
	add_classes(m, RC_FAIL_FIRST, RC_FAIL_LAST, "fail_");
	add_count(m, "dropped", dropped, report_per_s(dropped, a->interval_s));
	add_share(m, dropped, scheduled, "scheduled");
	add_classes(m, RC_DROP_FIRST, RC_DROP_LAST, "drop_");
	report_text_add(&m->t, "  %-12s %12llu   waiting %llu, late over 1 ms %llu (largest ",
		"in flight", (unsigned long long)now_of(m, RC_agent_in_flight_now),
		(unsigned long long)now_of(m, RC_agent_waiting_now),
		(unsigned long long)total_of(m, RC_agent_late_1ms));
	report_text_time(&m->t, 1e3 * (double)total_of(m, RC_agent_late_max_us), 0);
	report_text_add(&m->t, ")\n");
}

static void
add_time(struct summary *m, const char *name, const struct hist_sum *h)
{
	static const double q[] = {0.5, 0.9, 0.99, 0.999};

	if (h == NULL || h->n == 0)
		return;
	if (!m->has_times)
		report_text_add(&m->t,
			"  %-12s %8s %8s %8s %8s %8s %8s   (response = wait + wire)\n", "time",
			"mean", "p50", "p90", "p99", "p99.9", "max");
	m->has_times = true;
	report_text_add(&m->t, "  %-12s ", name);
	report_text_time(&m->t, hist_sum_mean(h), 8);
	for (unsigned int i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
		report_text_add(&m->t, " ");
		if (hist_sum_supports(h, q[i]))
			report_text_time(&m->t, (double)hist_sum_quantile(h, q[i]), 8);
		else
			report_text_add(&m->t, "%8s", "n/a");
	}
	report_text_add(&m->t, " ");
	report_text_time(&m->t, (double)h->max_ns, 8);
	report_text_add(&m->t, "\n");
}

/* The response time of a failure is its own row: never mixed with those of success. */
static void
add_times(struct summary *m)
{
	static const char *const names[REPORT_HIST_N] = {[REPORT_HIST_WAIT] = "wait",
		[REPORT_HIST_WIRE] = "wire",
		[REPORT_HIST_RESPONSE] = "response",
		[REPORT_HIST_TTFB] = "ttfb",
		[REPORT_HIST_CONNECT] = "connect",
		[REPORT_HIST_LATE] = "late"};
	static const enum report_hist order[] = {REPORT_HIST_WAIT, REPORT_HIST_WIRE,
		REPORT_HIST_RESPONSE, REPORT_HIST_TTFB, REPORT_HIST_CONNECT, REPORT_HIST_LATE};
	struct report_times times;
	struct hist_sum failed;

	if (m->run->cells == NULL)
		return;
	report_times_init(&times);
	report_times_load(&times, m->run->cells);
	hist_sum_init(&failed);
	cell_sum_marginal(m->run->cells, CELL_SUM, CELL_FAILED_MASK, &failed);
	for (unsigned int i = 0; i < REPORT_HIST_N; i++)
		add_time(m, names[order[i]], times.hist[order[i]]);
	add_time(m, "of failures", &failed);
	hist_sum_fini(&failed);
	report_times_fini(&times);
}

static void
add_named_size(struct summary *m, const char *name, enum report_counter c)
{
	report_text_add(&m->t, "%s", name);
	report_text_size(&m->t, (double)total_of(m, c));
}

static void
add_connections(struct summary *m, enum report_counter n_requests)
{
	uint64_t opened = total_of(m, RC_agent_conn_opened);

	report_text_add(&m->t,
		"  %-12s opened %llu, closed %llu (by the peer %llu), open %llu, TIME-WAIT %llu",
		"connections", (unsigned long long)opened,
		(unsigned long long)total_of(m, RC_agent_conn_closed),
		(unsigned long long)total_of(m, RC_agent_conn_closed_by_peer),
		(unsigned long long)now_of(m, RC_agent_conn_open_now),
		(unsigned long long)now_of(m, RC_tcp_tw_now));
	if (opened > 0) {
		report_text_add(&m->t, "; ");
		report_text_fixed(&m->t, (double)total_of(m, n_requests) / (double)opened, 1, 0);
		report_text_add(&m->t, " requests each");
	}
	report_text_add(&m->t, "\n");
}

static void
add_bytes(struct summary *m)
{
	const struct snap_scope *a = &m->run->all;

	report_text_add(&m->t, "  %-12s ", "bytes");
	add_named_size(m, "requests ", RC_agent_req_bytes);
	add_named_size(m, ", reply headers ", RC_agent_rep_header_bytes);
	add_named_size(m, ", reply bodies ", RC_agent_rep_body_bytes);
	report_text_add(&m->t, "; goodput ");
	report_text_fixed(&m->t,
		8e-6 * report_per_s(report_delta(m->x, a, RC_agent_rep_body_bytes), a->interval_s),
		1, 0);
	report_text_add(&m->t, " Mbit/s\n");
}

static void
add_replies(struct summary *m)
{
	const char *sep = "";
	uint64_t hits = total_of(m, RC_agent_hits);
	uint64_t basic = hits + total_of(m, RC_agent_misses);

	report_text_add(&m->t, "  %-12s ", "replies");
	for (int c = RC_agent_status_1xx; c <= RC_agent_status_5xx; c++) {
		uint64_t n = total_of(m, (enum report_counter)c);

		if (n == 0)
			continue;
		report_text_add(&m->t, "%s%s %llu", sep,
			report_counter_names[c].name + strlen("status_"), (unsigned long long)n);
		sep = ", ";
	}
	if (basic > 0) {
		report_text_add(&m->t, "; hits ");
		report_text_fixed(&m->t, report_pct(hits, basic), 2, 0);
		report_text_add(&m->t, " %% of %llu", (unsigned long long)basic);
	} else if (*sep == '\0') {
		report_text_add(&m->t, "none");
	}
	report_text_add(&m->t, "\n");
}

/* Told above, or at work as the user asked. */
static bool
warning_is_told(const struct counter_set *set, const struct counter_desc *d)
{
	static const char *const told[] = {
		"failed", "dropped", "late_1ms", "replies_cut", "bad_requests"};

	if (strcmp(set->module, "agent") != 0)
		return false;
	for (unsigned int i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (strcmp(d->name, told[i]) == 0)
			return true;
	return strncmp(d->name, "fail_", 5) == 0 || strncmp(d->name, "drop_", 5) == 0;
}

static void
add_warning(
	struct summary *m, const struct counter_set *set, const struct counter_desc *d, uint64_t n)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", set->module, d->name);
	report_text_add(&m->t, "  %-7s %-22s %10llu  %s\n", report_severity_name(d->severity), name,
		(unsigned long long)n, d->help);
}

/** Counters of one severity that should be zero. @param n_lines shown so far. @return shown and
 * hidden so far. */
static unsigned int
add_warnings(struct summary *m, uint8_t severity, unsigned int n_lines)
{
	for (uint32_t s = 0; s < m->run->n_sets; s++) {
		const struct counter_set *set = &m->run->sets[s];

		for (uint32_t i = 0; i < set->n; i++) {
			uint64_t n = m->run->all.total[set->first + i];

			if (set->desc[i].severity != severity || n == 0 ||
				warning_is_told(set, &set->desc[i]))
				continue;
			if (n_lines++ < SUMMARY_WARNINGS_MAX)
				add_warning(m, set, &set->desc[i], n);
		}
	}
	return n_lines;
}

static void
add_client(struct summary *m, bool open_loop)
{
	report_text_add(&m->t, "client, ");
	report_text_fixed(&m->t, m->run->interval_s, 3, 0);
	report_text_add(&m->t, " s, %s\n",
		open_loop ? "open loop"
			  : "best effort: a closed loop measures its service time, not capacity");
	add_load(m);
	add_times(m);
	add_replies(m);
	add_connections(m, RC_agent_sent);
	add_bytes(m);
}

static void
add_server(struct summary *m)
{
	static const enum report_counter counts[] = {RC_agent_requests_in, RC_agent_replies_out,
		RC_agent_replies_cut, RC_agent_bad_requests};
	static const char *const names[] = {"requests", "replies", "cut", "refused"};

	report_text_add(&m->t, "server, ");
	report_text_fixed(&m->t, m->run->interval_s, 3, 0);
	report_text_add(&m->t, " s\n");
	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		add_count(m, names[i], total_of(m, counts[i]),
			report_per_s(report_delta(m->x, &m->run->all, counts[i]),
				m->run->all.interval_s));
		report_text_add(&m->t, "\n");
	}
	add_connections(m, RC_agent_requests_in);
	add_bytes(m);
}

void
report_summary(const struct report_index *x, const struct snapshot *run,
	const struct report_verdict *v, bool open_loop, FILE *f)
{
	struct summary m = {.x = x, .run = run, .v = v};
	char text[SUMMARY_MAX];
	unsigned int n;

	report_text_init(&m.t, text, sizeof(text));
	add_verdict(&m);
	if (run->role == SNAP_SERVER)
		add_server(&m);
	else
		add_client(&m, open_loop);
	n = add_warnings(&m, COUNTER_ERROR, 0);
	n = add_warnings(&m, COUNTER_WARN, n);
	if (n > SUMMARY_WARNINGS_MAX)
		report_text_add(&m.t,
			"  and %u more counters that should be zero: --csv_counters\n",
			n - SUMMARY_WARNINGS_MAX);
	fputs(text, f);
}
