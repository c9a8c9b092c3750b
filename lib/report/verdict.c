/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include "report_priv.h"

/* What is due in the last moment cannot all be sent before the stop: this much of the schedule, or
 * twice the longest stall of a lane (after one, catch-up runs at no more than twice the rate). */
#define VERDICT_LAST_INSTANT_S 0.02
#define VERDICT_SENT_MIN 0.999

struct judge {
	const struct report_index *x;
	const struct snapshot *run;
	struct report_verdict *v;
	struct report_text why;
	struct report_text rules;
	uint32_t struck; /* bit per rule number */
};

static unsigned long long
total_of(const struct judge *j, enum report_counter c)
{
	return report_total(j->x, &j->run->all, c);
}

/* Levels are what they are at the end of the window. */
static unsigned long long
now_of(const struct judge *j, enum report_counter c)
{
	return report_delta(j->x, &j->run->all, c);
}

/* A rule (number as in doc/measuring.rst) struck: raise the figure and the whole, start its
 * sentence. */
static void
strike(struct judge *j, unsigned int rule, enum verdict *figure, enum verdict level)
{
	if (*figure < level)
		*figure = level;
	if (j->v->overall < level)
		j->v->overall = level;
	if ((j->struck >> rule & 1) == 0)
		report_text_add(&j->rules, "%sV%u", j->struck != 0 ? ";" : "", rule);
	j->struck |= 1u << rule;
	report_text_add(&j->why, "%sV%u ", j->why.n > 0 ? "; " : "", rule);
}

static void
identity(struct judge *j, const char *whole, unsigned long long n_whole, const char *parts,
	unsigned long long n_parts)
{
	if (n_whole == n_parts)
		return;
	strike(j, 7, &j->v->accounting, VERDICT_INVALID);
	report_text_add(
		&j->why, "accounting: %s %llu is not %s %llu", whole, n_whole, parts, n_parts);
}

static void
judge_accounting(struct judge *j)
{
	const struct snap_scope *a = &j->run->all;

	identity(j, "conn_opened", total_of(j, RC_agent_conn_opened), "conn_closed + conn_open_now",
		total_of(j, RC_agent_conn_closed) + now_of(j, RC_agent_conn_open_now));
	if (j->run->role == SNAP_SERVER)
		return;
	identity(j, "scheduled", total_of(j, RC_agent_scheduled), "sent + waiting_now + dropped",
		total_of(j, RC_agent_sent) + now_of(j, RC_agent_waiting_now) +
			total_of(j, RC_agent_dropped));
	identity(j, "sent", total_of(j, RC_agent_sent), "completed + failed + in_flight_now",
		total_of(j, RC_agent_completed) + total_of(j, RC_agent_failed) +
			now_of(j, RC_agent_in_flight_now));
	identity(j, "failed", total_of(j, RC_agent_failed), "sum of fail_*",
		report_total_sum(j->x, a, RC_FAIL_FIRST, RC_FAIL_LAST));
	identity(j, "dropped", total_of(j, RC_agent_dropped), "sum of drop_*",
		report_total_sum(j->x, a, RC_DROP_FIRST, RC_DROP_LAST));
}

/** How many may wait at the stop without the generator being too slow. */
static unsigned long long
last_instant(const struct judge *j)
{
	const struct snap_scope *a = &j->run->all;
	double per_s = a->scheduled_per_s > a->target_per_s ? a->scheduled_per_s : a->target_per_s;
	unsigned long long stall_us = total_of(j, RC_lane_turn_max_us);

	if (stall_us < now_of(j, RC_lane_turn_max_us))
		stall_us = now_of(j, RC_lane_turn_max_us);
	return (unsigned long long)ceil(
		       per_s * (VERDICT_LAST_INSTANT_S + 2e-6 * (double)stall_us)) +
	       1;
}

/** What fell due while the host ran something else on the lanes' CPUs: that share of the schedule
 * may still wait, when the host left no time to catch up. */
static unsigned long long
host_took(const struct judge *j)
{
	double all = (double)total_of(j, RC_lane_total_tsc);
	double share = all > 0 ? (double)total_of(j, RC_lane_stalled_tsc) / all : 0;

	return (unsigned long long)((share > 1 ? 1 : share) *
				    (double)total_of(j, RC_agent_scheduled));
}

static const char *
bound_by(const struct judge *j)
{
	static const char *const names[] = {
		"port-bound", "conn-bound", "mbuf-bound", "queue-bound", "client-bound"};
	int most = RC_DROP_LAST;

	for (int c = RC_DROP_FIRST; c < RC_DROP_LAST; c++)
		if (total_of(j, (enum report_counter)c) > total_of(j, (enum report_counter)most))
			most = c;
	return names[most - RC_DROP_FIRST];
}

static void
add_drops(struct judge *j)
{
	const char *sep = ": dropped ";

	for (int c = RC_DROP_FIRST; c <= RC_DROP_LAST; c++) {
		unsigned long long n = total_of(j, (enum report_counter)c);

		if (n == 0)
			continue;
		report_text_add(&j->why, "%s%s %llu", sep,
			report_counter_names[c].name + strlen("drop_"), n);
		sep = ", ";
	}
}

static void
judge_rate(struct judge *j)
{
	unsigned long long scheduled = total_of(j, RC_agent_scheduled);
	unsigned long long sent = total_of(j, RC_agent_sent);
	unsigned long long stop = total_of(j, RC_agent_drop_stop);
	unsigned long long excused = last_instant(j);
	unsigned long long host = excused + host_took(j);
	enum verdict level = VERDICT_INVALID;
	unsigned long long waiting = now_of(j, RC_agent_waiting_now);

	if (excused > stop)
		excused = stop;
	if ((double)sent >=
		VERDICT_SENT_MIN * ((double)scheduled - (double)(host > stop ? stop : host)))
		level = VERDICT_DEGRADED;
	if ((double)sent < VERDICT_SENT_MIN * ((double)scheduled - (double)excused)) {
		strike(j, 1, &j->v->rate, level);
		report_text_add(&j->why, "rate: %s, sent %llu of %llu scheduled (",
			level == VERDICT_INVALID ? bound_by(j) : "host-bound", sent, scheduled);
		report_text_fixed(&j->why, report_pct(sent, scheduled), 2, 0);
		report_text_add(&j->why, " %%)");
		add_drops(j);
	}
	if (waiting > 0 && j->run->row >= SNAP_RUN) {
		strike(j, 1, &j->v->rate, VERDICT_INVALID);
		report_text_add(
			&j->why, "rate: %llu due, neither sent nor dropped for a cause", waiting);
	}
}

/* Losses at our own port make the device under test look worse than it is. */
static void
judge_port(struct judge *j)
{
	static const enum report_counter lost[] = {RC_port_rx_missed, RC_port_rx_no_mbuf,
		RC_port_rx_errors, RC_port_tx_errors, RC_port_tx_dropped, RC_port_redirect_full};
	enum verdict ignored = VERDICT_VALID;
	const char *sep = "port: ";

	for (unsigned int i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		unsigned long long n = total_of(j, lost[i]);

		if (n == 0)
			continue;
		if (ignored == VERDICT_VALID)
			strike(j, 6, &ignored, VERDICT_DEGRADED);
		report_text_add(&j->why, "%s%s %llu", sep, report_counter_names[lost[i]].name, n);
		sep = ", ";
	}
}

static void
judge_histograms(struct judge *j)
{
	enum verdict ignored = VERDICT_VALID;
	unsigned long long n = total_of(j, RC_lane_hist_lost);

	if (n == 0)
		return;
	strike(j, 18, &ignored, VERDICT_DEGRADED);
	report_text_add(&j->why, "percentiles: %llu samples are missing (hist_lost)", n);
}

void
report_verdict_make(const struct report_index *x, const struct snapshot *run, bool open_loop,
	struct report_verdict *v)
{
	struct judge j = {.x = x, .run = run, .v = v};

	memset(v, 0, sizeof(*v));
	v->rate_judged = open_loop && run->role == SNAP_CLIENT;
	report_text_init(&j.why, v->why, sizeof(v->why));
	report_text_init(&j.rules, v->rules, sizeof(v->rules));
	judge_accounting(&j);
	if (v->rate_judged)
		judge_rate(&j);
	judge_port(&j);
	judge_histograms(&j);
}
