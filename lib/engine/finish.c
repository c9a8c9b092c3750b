/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a run: drain, close, last snapshot, verdict, exit code. Each wait is bounded; a second
 * signal ends those for others' answers, a third all. CTL. */
#include "engine_priv.h"
#include <rte_lcore.h>
#include <rte_mempool.h>
#include <stdio.h>
#include <unistd.h>

/* For what was due before the stop and was not launched yet: a little, and as long as the host ran
 * something else on our CPUs. More would let a generator that is too slow look fast enough. */
#define GRACE_NS 50000000ULL
#define GRACE_MAX_NS 5000000000ULL
#define CLOSE_NS 1000000000ULL

enum wait_for {
	WAIT_LAUNCHED,
	WAIT_ENDED,
	WAIT_CLOSED
};

static bool
reached(const struct engine *e, uint32_t role, enum wait_for what)
{
	struct probe_sum s;

	if (!engine_dial_adopted_all(e, role))
		return false;
	engine_collect_probe(e, role, &s);
	switch (what) {
	case WAIT_LAUNCHED:
		return s.sent + s.dropped >= s.scheduled;
	case WAIT_ENDED:
		return s.completed + s.failed >= s.sent;
	default:
		return s.n_conns == 0;
	}
}

/* A signal that came before `n_signals` were seen ends the wait. */
static void
wait_signals(
	struct engine *e, uint32_t role, enum wait_for what, uint64_t limit_ns, uint32_t n_signals)
{
	uint64_t end = tick_now() + tick_from_ns(&e->rate, limit_ns);

	while (engine_signals_seen() < n_signals && tick_now() < end) {
		engine_clock_nap_us(1000);
		if (reached(e, role, what)) {
			/* Seen twice, one chore apart: a probe may be a millisecond old. */
			engine_clock_nap_us(2500);
			if (reached(e, role, what))
				return;
		}
		engine_capture_write(e);
	}
}

static void
wait_until(struct engine *e, uint32_t role, enum wait_for what, uint64_t limit_ns)
{
	wait_signals(e, role, what, limit_ns, 2);
}

/* All that is left is cut and reset, even after a second signal: it needs no answer. */
static void
lanes_close(struct engine *e, uint32_t role)
{
	engine_dial_state(e, role, LANE_CLOSE);
	wait_signals(e, role, WAIT_CLOSED, CLOSE_NS, 3);
}

static uint64_t
grace_ns(const struct engine *e)
{
	const struct engine_role *r = &e->role[SNAP_CLIENT];
	uint64_t tsc = 0;

	for (uint32_t i = 0; i < r->n_lanes; i++) {
		const struct lane_counters *t =
			(const struct lane_counters *)(const void *)r->lane[i].total;

		tsc = RTE_MAX(tsc, t->lane.stalled_tsc);
	}
	return GRACE_NS + RTE_MIN(tick_to_ns(&e->rate, tsc), GRACE_MAX_NS);
}

/* While the host goes on taking our CPUs, so does the grace. One that took longer than the usual
 * counts as part of the time that rates are taken over. */
static void
grace_wait(struct engine *e)
{
	uint64_t beg = tick_now();
	uint64_t given = 0;
	uint64_t ns = grace_ns(e);

	while (given < ns && engine_signals_seen() < 2) {
		wait_until(e, SNAP_CLIENT, WAIT_LAUNCHED, ns - given);
		if (tick_to_ns(&e->rate, tick_now() - beg) <= GRACE_NS || !engine_collect_now(e) ||
			reached(e, SNAP_CLIENT, WAIT_LAUNCHED))
			return;
		given = ns;
		ns = grace_ns(e);
	}
}

static void
client_drain(struct engine *e)
{
	engine_dial_stop(e, tick_now());
	e->stop_tsc = e->role[SNAP_CLIENT].lane[0].next.stop_tsc;
	/* A closed loop has nothing due: its next request is due when the last one ends. */
	if (e->open_loop)
		grace_wait(e);
	e->schedule_end_tsc = e->stop_tsc;
	if (e->last_collect_tsc > e->stop_tsc + tick_from_ns(&e->rate, GRACE_NS))
		e->schedule_end_tsc = e->last_collect_tsc;
	e->drained = true;
	engine_dial_state(e, SNAP_CLIENT, LANE_DRAIN);
	wait_until(e, SNAP_CLIENT, WAIT_ENDED, e->plan->drain_ns);
	wait_until(e, SNAP_CLIENT, WAIT_CLOSED, CLOSE_NS);
	lanes_close(e, SNAP_CLIENT);
}

static void
server_drain(struct engine *e)
{
	bool alone = e->role[SNAP_CLIENT].n_lanes == 0;

	engine_dial_state(e, SNAP_SERVER, LANE_DRAIN);
	wait_until(e, SNAP_SERVER, WAIT_CLOSED, alone ? e->plan->drain_ns : CLOSE_NS);
	lanes_close(e, SNAP_SERVER);
	/* Last segments leave the port. */
	engine_clock_nap_us(3000);
}

void
engine_finish_drain(struct engine *e)
{
	bool client = e->role[SNAP_CLIENT].n_lanes != 0;

	if (e->end == END_FATAL)
		return;
	if (engine_collect_now(e) && client)
		engine_output_phase(e);
	if (client)
		client_drain(e);
	if (e->role[SNAP_SERVER].n_lanes != 0)
		server_drain(e);
	if (!engine_collect_now(e))
		e->end = END_FATAL;
	engine_clock_check(e);
}

static void
why_add(struct report_verdict *v, const char *what)
{
	size_t n = strlen(v->why);

	v->accounting = VERDICT_INVALID;
	v->overall = VERDICT_INVALID;
	snprintf(v->why + n, sizeof(v->why) - n, "%s%s", n == 0 ? "" : "; ", what);
}

/* Launched after the stop, because the host had taken the time before it. */
static void
overrun_check(struct engine *e, struct report_verdict *v)
{
	uint64_t over_ns = e->schedule_end_tsc <= e->stop_tsc
				   ? 0
				   : tick_to_ns(&e->rate, e->schedule_end_tsc - e->stop_tsc);
	size_t n = strlen(v->why);

	if (!e->open_loop || !e->drained || over_ns <= GRACE_NS)
		return;
	v->rate = RTE_MAX(v->rate, VERDICT_DEGRADED);
	v->overall = RTE_MAX(v->overall, VERDICT_DEGRADED);
	if (strstr(v->rules, "V1") == NULL && strlen(v->rules) + 4 < sizeof(v->rules))
		strcat(v->rules, v->rules[0] == 0 ? "V1" : ";V1");
	snprintf(v->why + n, sizeof(v->why) - n,
		"%sV1 rate: host-bound, launches went on for %.2f s after the schedule's end",
		n == 0 ? "" : "; ", (double)over_ns * 1e-9);
}

/* Connections, slots and blocks back; only judged when the close was given its time. */
static void
lanes_check(struct engine *e, struct report_verdict *v)
{
	for (uint32_t role = 0; role < ENGINE_ROLES; role++)
		for (uint32_t i = 0; i < e->role[role].n_lanes; i++) {
			char why[128], text[192];

			if (lane_is_baseline(e->role[role].lane[i].lane, why, sizeof(why)))
				continue;
			snprintf(text, sizeof(text), "%s lane %u not at its baseline: %s",
				role == SNAP_CLIENT ? "client" : "server", i, why);
			why_add(v, text);
		}
}

static void
pools_check(struct engine *e, struct report_verdict *v)
{
	for (uint32_t i = 0; i < e->n_workers; i++) {
		struct rte_mempool *mp[] = {e->worker[i].tx_pool, e->worker[i].body_pool};

		for (uint32_t k = 0; k < ARRAY_LEN(mp); k++) {
			uint32_t n = mp[k] != NULL ? rte_mempool_in_use_count(mp[k]) : 0;
			char text[96];

			if (n == 0)
				continue;
			snprintf(text, sizeof(text), "%u buffers of pool %s not back", n,
				mp[k]->name);
			why_add(v, text);
		}
	}
}

/* Workers end; then buffers that were still on a wire of ours go home. */
static void
workers_end(struct engine *e)
{
	__atomic_store_n(&e->stop, 1, __ATOMIC_RELEASE);
	rte_eal_mp_wait_lcore();
	e->workers_gone = true;
	for (uint32_t i = 0; i < e->n_workers; i++)
		for (uint32_t k = 0; k < e->worker[i].n_lanes; k++) {
			if (e->worker[i].lane[k]->lane == NULL)
				continue;
			engine_io_flush(&e->worker[i], e->worker[i].lane[k]);
			engine_io_flush_stash(&e->worker[i]);
		}
	engine_news_fini(e);
	if (e->want->hook != NULL)
		e->want->hook->stop(e->want->hook->arg);
	for (uint32_t role = 0; role < ENGINE_ROLES; role++)
		port_stop(&e->role[role].port);
}

static bool
has_goals(const struct engine *e)
{
	for (uint32_t i = 0; i < e->plan->n_phases; i++)
		if (e->plan->phase[i].goal.duration_ns != PLAN_NEVER ||
			e->plan->phase[i].goal.n_xactions != PLAN_NEVER)
			return (e->plan->roles & PLAN_CLIENT) != 0;
	return false;
}

static int
code_of(const struct engine *e, const struct report_verdict *v)
{
	if (e->end == END_SIGNAL && has_goals(e))
		return EXIT_CODE_SIGNAL;
	if (e->incomplete)
		return EXIT_CODE_INCOMPLETE;
	if (v->overall == VERDICT_INVALID || e->end == END_FATAL)
		return EXIT_CODE_INVALID;
	if (e->end == END_NEGATIVE || (e->end == END_IDLE && has_goals(e)))
		return EXIT_CODE_GOAL;
	return EXIT_CODE_GOOD;
}

static void
got_line(struct engine *e, uint32_t role, const struct snapshot *s)
{
	const struct lane_counters *t = (const struct lane_counters *)(const void *)s->all.total;

	if (role == SNAP_CLIENT)
		engine_output_line(e, 1, "got %llu xactions and %llu errors",
			(unsigned long long)t->agent.completed,
			(unsigned long long)(t->agent.failed + t->agent.dropped));
	else
		engine_output_line(e, 1, "got %llu xactions and %llu errors",
			(unsigned long long)t->agent.replies_out,
			(unsigned long long)(t->agent.replies_cut + t->agent.bad_requests));
}

static void
stages_print(struct engine *e)
{
	static const char *const names[LANE_ST_N] = {"rx", "timers", "launch", "tx", "chores"};

	if (!e->run->stage_cycles)
		return;
	for (uint32_t role = 0; role < ENGINE_ROLES; role++)
		for (uint32_t i = 0; i < e->role[role].n_lanes; i++) {
			struct engine_lane *l = &e->role[role].lane[i];
			double turns = (double)RTE_MAX(l->busy_turns, (uint64_t)1);
			char text[256];
			size_t used = 0;

			for (uint32_t s = 0; s < LANE_ST_N; s++)
				used += (size_t)snprintf(text + used, sizeof(text) - used,
					" %s %.0f", names[s], (double)l->stage_tsc[s] / turns);
			engine_output_line(e, 1,
				"stages: %s lcore %u: %llu busy turns, TSC per turn:%s",
				role == SNAP_CLIENT ? "client" : "server", l->worker->lcore,
				(unsigned long long)l->busy_turns, text);
		}
}

static void
summary_print(
	struct engine *e, uint32_t role, const struct snapshot *s, const struct report_verdict *v)
{
	if (e->run->verb_lvl < 1)
		return;
	if (role == SNAP_SERVER && e->role[SNAP_CLIENT].n_lanes != 0)
		printf("server:\n");
	report_summary(e->index, s, v, e->open_loop && role == SNAP_CLIENT, stdout);
	fflush(stdout);
}

static void
instrument_print(struct engine *e)
{
	double wall_ns = (double)tick_to_ns(&e->rate, tick_now() - e->start.tsc);
	char text[256];
	size_t used = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < e->n_workers && used < sizeof(text); i++) {
		int n = snprintf(text + used, sizeof(text) - used, "%slcore %u %.0f %%",
			i == 0 ? "" : ", ", e->worker[i].lcore,
			100 * (double)e->worker[i].cpu_ns / wall_ns);

		used += (size_t)(n < 0 ? 0 : n);
	}
	engine_output_line(
		e, 2, "clock drift %.1f ppm; CPU time of workers: %s", e->drift_ppm, text);
}

int
engine_finish_report(struct engine *e)
{
	struct report_verdict v[ENGINE_ROLES];
	struct report_verdict *last = &v[0];
	struct snapshot s[ENGINE_ROLES];

	workers_end(e);
	if (e->end == END_FATAL)
		engine_collect_now(e);
	engine_output_csv(e, WIN_CSV, SNAP_INTERVAL, NULL);
	memset(v, 0, sizeof(v));
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		if (e->role[role].n_lanes == 0)
			continue;
		engine_collect_snapshot(e, role, WIN_RUN, SNAP_RUN, &s[role]);
		report_verdict_make(e->index, &s[role], e->open_loop, &v[role]);
		if (role == SNAP_CLIENT)
			overrun_check(e, &v[role]);
		if (v[role].overall >= last->overall)
			last = &v[role];
	}
	if (e->end == END_FATAL)
		why_add(last, "a worker did not answer in time");
	if (engine_signals_seen() < 3 && e->end != END_FATAL) {
		lanes_check(e, last);
		pools_check(e, last);
	}
	engine_output_csv(e, WIN_RUN, SNAP_RUN, last);
	engine_output_csv(e, WIN_RUN, SNAP_END, last);
	engine_output_close(e);
	for (uint32_t role = 0; role < ENGINE_ROLES; role++)
		if (e->role[role].n_lanes != 0)
			got_line(e, role, &s[role]);
	engine_output_line(e, 1, "shutdown reason: %s", e->end_text);
	for (uint32_t role = 0; role < ENGINE_ROLES; role++)
		if (e->role[role].n_lanes != 0)
			summary_print(e, role, &s[role], &v[role]);
	stages_print(e);
	instrument_print(e);
	return code_of(e, last);
}
