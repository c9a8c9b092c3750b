/* SPDX-License-Identifier: BSD-3-Clause */
/* Control: the main lcore. It wakes each 10 ms, moves the dials, checks goals, collects and prints;
 * never polls, and works in slices of 100 us, because a worker may share its CPU. CTL. */
#include "engine_priv.h"
#include <stdio.h>

#define TICK_NS 10000000ULL
#define RESOLVE_MS 3000
#define SLICE_NS 100000
#define SLICE_NAP_US 400

static uint64_t slice_beg_tsc;
static uint64_t slice_tsc;

/* After 100 us of work: leave the CPU for 400 us. @return true when it slept. */
bool
engine_control_breathe(void)
{
	uint64_t now = tick_now();

	if (now - slice_beg_tsc < slice_tsc)
		return false;
	engine_clock_nap_us(SLICE_NAP_US);
	slice_beg_tsc = tick_now();
	return true;
}

static void
end_set(struct engine *e, enum run_end end, const char *text)
{
	e->end = end;
	snprintf(e->end_text, sizeof(e->end_text), "%s", text);
}

/* Every next hop must have answered before the schedule starts. */
static int
resolve_wait(struct engine *e)
{
	char addr[20];

	if (e->memif_path[0] != 0 && !port_connect(&e->role[SNAP_CLIENT].port, RESOLVE_MS))
		return err_setup(&e->err, ETIMEDOUT, "no server", e->memif_path,
			"the server does not take us: it has another client, or fewer queues");
	for (uint32_t ms = 0; ms < RESOLVE_MS && engine_signals_seen() == 0; ms += 10) {
		struct probe_sum s;

		engine_clock_nap_us(10000);
		engine_collect_probe(e, SNAP_CLIENT, &s);
		if (s.unresolved_addr == 0 && engine_dial_adopted_all(e, SNAP_CLIENT))
			return 0;
		if (ms + 10 < RESOLVE_MS)
			continue;
		net_addr_text(s.unresolved_addr, addr, sizeof(addr));
		return err_setup(&e->err, EHOSTUNREACH, "no answer to ARP", addr,
			"a station on the link that owns this address (waited %d s)",
			RESOLVE_MS / 1000);
	}
	return 0;
}

static void
clocks_start(struct engine *e)
{
	e->t0_tsc = tick_now() + tick_from_ns(&e->rate, 5000000);
	e->last_collect_tsc = e->t0_tsc;
	e->activity_tsc = e->t0_tsc;
	e->next_console_tsc = e->t0_tsc + tick_from_ns(&e->rate, e->plan->stats_cycle_ns);
	e->next_csv_tsc = e->t0_tsc + tick_from_ns(&e->rate, e->plan->csv_cycle_ns);
	for (uint32_t w = 0; w < WIN_N; w++)
		for (uint32_t role = 0; role < ENGINE_ROLES; role++)
			e->role[role].win[w].beg_tsc = e->t0_tsc;
}

/* The share of a worker is never moved: what falls behind is named. */
static void
behind_check(struct engine *e)
{
	const struct engine_role *r = &e->role[SNAP_CLIENT];
	const struct window *w = &r->win[WIN_CONSOLE];

	if (!e->open_loop)
		return;
	for (uint32_t i = 0; i < r->n_lanes; i++) {
		const struct lane_counters *d =
			(const struct lane_counters *)(const void *)&w->delta[i * LANE_N_VALUES];
		uint64_t waiting = d->agent.waiting_now;

		if (waiting < 100 || (double)waiting < 0.01 * (double)d->agent.scheduled)
			continue;
		engine_output_line(e, 1,
			"warning: worker on lcore %u falls behind: due %.0f/s, sent %.0f/s, %llu "
			"wait",
			r->lane[i].worker->lcore,
			w->lane_s[i] > 0 ? (double)d->agent.scheduled / w->lane_s[i] : 0,
			w->lane_s[i] > 0 ? (double)d->agent.sent / w->lane_s[i] : 0,
			(unsigned long long)waiting);
	}
}

static uint64_t
next_after(const struct engine *e, uint64_t due, uint64_t cycle_ns, uint64_t now)
{
	uint64_t step = tick_from_ns(&e->rate, cycle_ns);

	/* Absolute ends: a late control thread shows, it does not drift. */
	while (due <= now)
		due += step;
	return due;
}

static bool
cycles_run(struct engine *e, uint64_t now)
{
	bool console = now >= e->next_console_tsc;
	bool csv = now >= e->next_csv_tsc;

	if (!console && !csv)
		return true;
	if (!engine_collect_now(e))
		return false;
	engine_clock_check(e);
	if (console) {
		engine_output_interval(e);
		behind_check(e);
		engine_collect_window_clear(e, WIN_CONSOLE);
		e->next_console_tsc =
			next_after(e, e->next_console_tsc, e->plan->stats_cycle_ns, now);
	}
	if (csv) {
		engine_output_csv(e, WIN_CSV, SNAP_INTERVAL, NULL);
		engine_collect_window_clear(e, WIN_CSV);
		e->next_csv_tsc = next_after(e, e->next_csv_tsc, e->plan->csv_cycle_ns, now);
	}
	return true;
}

static void
phase_next(struct engine *e, const struct probe_sum *s, uint64_t end_ns)
{
	struct phase_walk *w = &e->walk;

	w->x++;
	w->beg_ns = end_ns;
	w->done_beg = s->completed + s->failed + s->dropped;
	w->failed_beg = s->failed + s->dropped;
	engine_dial_quota(e);
	if (w->x_head != w->x)
		engine_dial_phase_begin(e, w->x, end_ns);
	else if (w->quota_set)
		engine_dial_again(e);
}

/* A phase is over: its rows, then the next one or the end. */
static void
phase_over(struct engine *e, const struct probe_sum *s, uint64_t end_ns)
{
	struct phase_walk *w = &e->walk;

	engine_output_line(
		e, 3, "phase '%s' reached local positive goal", e->plan->phase[w->x].name);
	if (w->x + 1 == e->plan->n_phases) {
		char text[64];

		snprintf(text, sizeof(text), "all %u phases met their goals", e->plan->n_phases);
		end_set(e, END_GOALS, text);
		return;
	}
	if (engine_collect_now(e)) {
		engine_output_phase(e);
		engine_collect_window_clear(e, WIN_PHASE);
	}
	phase_next(e, s, end_ns);
}

static void
goals_check(struct engine *e, uint64_t now)
{
	const struct phase_walk *w = &e->walk;
	const struct plan_phase *ph = &e->plan->phase[w->x];
	uint64_t since = engine_clock_since_ns(e, now);
	uint64_t end_ns = phase_end_ns(ph, w->beg_ns);
	struct probe_sum s;
	uint64_t done, failed;

	engine_collect_probe(e, SNAP_CLIENT, &s);
	done = s.completed + s.failed + s.dropped - w->done_beg;
	failed = s.failed + s.dropped - w->failed_beg;
	if (ph->goal.err_ratio >= 0 && ph->goal.err_ratio <= 1 && done >= 1000 &&
		(double)failed > ph->goal.err_ratio * (double)done) {
		char text[96];

		snprintf(text, sizeof(text), "phase '%s' reached negative goal", ph->name);
		end_set(e, END_NEGATIVE, text);
	} else if (since >= end_ns) {
		phase_over(e, &s, end_ns);
	} else if (ph->goal.n_xactions != PLAN_NEVER && done >= ph->goal.n_xactions) {
		phase_over(e, &s, since + 2 * TICK_NS);
	}
}

static void
idle_check(struct engine *e, uint64_t now)
{
	struct probe_sum s;
	uint64_t sum = 0;

	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		engine_collect_probe(e, role, &s);
		sum += s.activity;
	}
	if (sum != e->activity) {
		e->activity = sum;
		e->activity_tsc = now;
	}
	if (e->plan->idle_tout_ns != 0 && now > e->activity_tsc &&
		tick_to_ns(&e->rate, now - e->activity_tsc) > e->plan->idle_tout_ns)
		end_set(e, END_IDLE, "inactivity timeout");
}

static void
link_watch(struct engine *e)
{
	struct engine_role *r = &e->role[e->plan->roles & PLAN_CLIENT ? SNAP_CLIENT : SNAP_SERVER];
	bool down;

	if (e->memif_path[0] == 0)
		return;
	down = !port_link(&r->port);
	if (down == (e->link_down != 0))
		return;
	__atomic_store_n(&e->link_down, down, __ATOMIC_RELAXED);
	if (r->role_is_server)
		engine_output_line(e, 3, "fyi: %s", down ? "client left" : "client is here");
	else
		engine_output_line(e, 1, "warning: server %s", down ? "left" : "is back");
}

static uint64_t
next_wake(const struct engine *e, uint64_t now)
{
	uint64_t wake = now + tick_from_ns(&e->rate, e->capture != NULL ? 1000000 : TICK_NS);
	uint64_t end = UINT64_MAX;

	if (e->plan->roles & PLAN_CLIENT)
		end = engine_clock_tsc_at(
			e, phase_end_ns(&e->plan->phase[e->walk.x], e->walk.beg_ns));
	wake = RTE_MIN(wake, end);
	wake = RTE_MIN(wake, e->next_console_tsc);
	wake = RTE_MIN(wake, e->next_csv_tsc);
	return RTE_MAX(wake, now + tick_from_ns(&e->rate, 100000));
}

static void
tick(struct engine *e)
{
	uint64_t now = tick_now();

	slice_beg_tsc = now;
	if (!cycles_run(e, now))
		end_set(e, END_FATAL, "fatal error: a worker does not answer");
	else if (e->plan->roles & PLAN_CLIENT)
		goals_check(e, now);
	if (e->end != END_NONE)
		return;
	if (e->plan->roles & PLAN_CLIENT)
		engine_dial_pieces(e, now);
	idle_check(e, now);
	link_watch(e);
	engine_capture_write(e);
	if (engine_signals_seen() != 0)
		end_set(e, END_SIGNAL, "got shutdown signal");
}

void
engine_control_run(struct engine *e)
{
	slice_tsc = tick_from_ns(&e->rate, SLICE_NS);
	slice_beg_tsc = tick_now();
	if ((e->plan->roles & PLAN_CLIENT) && resolve_wait(e) != 0)
		return;
	engine_banner_load(e);
	clocks_start(e);
	if (engine_signals_seen() != 0)
		end_set(e, END_SIGNAL, "got shutdown signal");
	else if (e->plan->roles & PLAN_CLIENT)
		engine_dial_run(e);
	else
		engine_output_line(e, 1, "waiting for traffic");
	while (e->end == END_NONE) {
		tick(e);
		if (e->end == END_NONE)
			engine_clock_sleep_until(e, next_wake(e, tick_now()));
	}
	if (e->end == END_SIGNAL)
		engine_output_line(e, 1, "noticed shutdown signal (%d)", engine_signals_last());
}
