/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker: one lcore that polls its list of lanes until control says stop. OWNER. */
#include "engine_priv.h"
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define QUIESCE_NS \
	5000000000ULL /* a worker that the host keeps away for longer is not waited for */
#define STALL_NS 100000 /* shorter ones are interrupts, and the clocks' own error */

/* From turn to turn: a stall between two turns is seen whatever caused it. */
static inline void
turn_account(struct worker *w, struct engine_lane *l)
{
	struct lane_own_counters *c = &l->count->lane;
	uint64_t gap = w->now - l->turn_tsc;

	l->turn_tsc = w->now;
	c->turns++;
	c->total_tsc += gap;
	if (unlikely_(gap > w->eng->rate.hz / 10000)) {
		uint64_t us = tick_to_ns(&w->eng->rate, gap) / 1000;

		if (us > c->turn_max_us)
			c->turn_max_us = us;
		if (us > 1000)
			c->turns_over_1ms++;
	}
}

static void
totals_read(struct engine_lane *l)
{
	struct port_counters *c = &l->count->port;
	struct port_totals t;

	c->rx_errors = l->own_rx_errors;
	if (!l->reads_totals)
		return;
	port_totals_read(l->port, &t);
	c->rx_missed = t.rx_missed;
	c->rx_no_mbuf = t.rx_no_mbuf;
	c->rx_errors += t.rx_errors;
	c->tx_errors = t.tx_errors;
}

static uint64_t
thread_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

/* What the wall clock went on while the thread's own did not, since the last chores. */
static void
stall_account(struct worker *w, struct engine_lane *l)
{
	uint64_t cpu = thread_cpu_ns();
	uint64_t wall = w->now - l->chore_tsc;
	uint64_t own = tick_from_ns(&w->eng->rate, cpu - l->chore_cpu_ns) + w->idle_tsc -
		       l->chore_idle_tsc;

	if (l->chore_tsc != 0 && wall > own + tick_from_ns(&w->eng->rate, STALL_NS))
		l->count->lane.stalled_tsc += wall - own;
	l->chore_idle_tsc = w->idle_tsc;
	l->chore_cpu_ns = cpu;
	l->chore_tsc = w->now;
}

/* Each ms: how many buffers are out; when a snapshot is asked for, what the port counted. */
static void
turn_chores(struct worker *w, struct engine_lane *l)
{
	struct engine_role *r = &w->eng->role[l->role];
	uint64_t used = rte_mempool_in_use_count(w->tx_pool);

	stall_account(w, l);
	if (r->rx_pool[l->queue] != NULL)
		used += rte_mempool_in_use_count(r->rx_pool[l->queue]);
	if (used > l->count->port.mbuf_used_max)
		l->count->port.mbuf_used_max = used;
	if (__atomic_load_n(&l->snap->req, __ATOMIC_ACQUIRE) != l->snap->done)
		totals_read(l);
	if (r->n_lanes > 1)
		engine_news_spread(w, l);
}

static uint32_t
lane_turn(struct worker *w, struct engine_lane *l)
{
	uint32_t work = engine_io_receive(w, l);
	uint64_t beg = w->now;

	turn_account(w, l);
	lane_timers(l->lane, w->now);
	w->now = tick_now();
	lane_launch(l->lane, w->now, l->n_pend == 0);
	work += engine_io_send(w, l);
	if (unlikely_(w->now - l->chore_tsc > w->eng->rate.hz / 1000))
		turn_chores(w, l);
	lane_chores(l->lane, w->now);
	if (work != 0)
		l->count->lane.busy_tsc += w->now - beg;
	return work;
}

/* The same with a clock reading behind each stage (--stage_cycles): for people who tune. */
static uint32_t
lane_turn_timed(struct worker *w, struct engine_lane *l)
{
	uint64_t t[LANE_ST_N + 1];
	uint32_t work;

	t[0] = tick_now();
	work = engine_io_receive(w, l);
	t[1] = tick_now();
	turn_account(w, l);
	lane_timers(l->lane, t[1]);
	t[2] = tick_now();
	lane_launch(l->lane, t[2], l->n_pend == 0);
	t[3] = tick_now();
	work += engine_io_send(w, l);
	t[4] = tick_now();
	if (t[4] - l->chore_tsc > w->eng->rate.hz / 1000)
		turn_chores(w, l);
	lane_chores(l->lane, t[4]);
	t[5] = tick_now();
	w->now = t[5];
	if (work == 0)
		return 0;
	l->busy_turns++;
	for (uint32_t i = 0; i < LANE_ST_N; i++)
		l->stage_tsc[i] += t[i + 1] - t[i];
	l->count->lane.busy_tsc += t[5] - t[0];
	return work;
}

static bool
hook_turn(struct worker *w)
{
	const struct engine_hook *h = w->eng->want->hook;
	const struct lane_counters *count[ENGINE_ROLES] = {NULL};

	for (uint32_t i = 0; i < w->n_lanes; i++)
		count[w->lane[i]->role] = w->lane[i]->count;
	return h->turn(h->arg, w->x, count[SNAP_CLIENT], count[SNAP_SERVER]);
}

static void
worker_loop(struct worker *w)
{
	bool hooked = w->eng->want->hook != NULL;
	bool many = w->eng->n_workers > 1;
	bool idles = w->idle != FRONT_IDLE_SPIN;
	bool timed = w->eng->run->stage_cycles;

	w->now = tick_now();
	for (uint32_t i = 0; i < w->n_lanes; i++)
		w->lane[i]->turn_tsc = w->now;
	while (!__atomic_load_n(&w->eng->stop, __ATOMIC_RELAXED)) {
		uint32_t work = many ? engine_news_read(w) : 0;

		__atomic_store_n(&w->n_turns, w->n_turns + 1, __ATOMIC_RELEASE);
		if (unlikely_(hooked) && hook_turn(w))
			continue;
		for (uint32_t i = 0; i < w->n_lanes; i++)
			work += unlikely_(timed) ? lane_turn_timed(w, w->lane[i])
						 : lane_turn(w, w->lane[i]);
		if (idles)
			engine_idle_turn(w, work);
	}
}

void
engine_worker_quiesce(void *arg)
{
	struct engine *e = arg;
	uint64_t end = tick_now() + tick_from_ns(&e->rate, QUIESCE_NS);

	for (uint32_t i = 0; i < e->n_workers; i++) {
		struct worker *w = &e->worker[i];
		uint64_t n = __atomic_load_n(&w->n_turns, __ATOMIC_ACQUIRE);

		/* The turn that counts n, and one that may have begun before the caller's change
		 * was seen. */
		while (__atomic_load_n(&w->n_turns, __ATOMIC_ACQUIRE) < n + 2 &&
			__atomic_load_n(&w->state, __ATOMIC_ACQUIRE) == WORKER_READY &&
			__atomic_load_n(&e->stop, __ATOMIC_ACQUIRE) >= 0 && tick_now() < end)
			engine_clock_nap_us(50);
	}
}

int
engine_worker_lane_build(struct worker *w, struct engine_lane *l)
{
	struct arena a = {.p = l->mem.p, .size = l->mem.size};

	port_mem_touch(&l->mem);
	l->lane = lane_new(&l->cfg, &a, tick_now(), &w->err);
	if (l->lane == NULL)
		return -1;
	l->count = lane_counters_get(l->lane);
	l->snap = lane_snap_get(l->lane);
	l->n_hole = LANE_BURST;
	return 0;
}

static void
state_set(struct worker *w, enum worker_state state)
{
	__atomic_store_n(&w->state, (int)state, __ATOMIC_RELEASE);
}

/* Nothing may be in a wire ring when buffers are counted: all workers stop, then all drain. */
static void
worker_drain(struct worker *w)
{
	for (uint32_t i = 0; i < w->n_lanes; i++)
		engine_io_flush(w, w->lane[i]);
	engine_io_flush_stash(w);
}

int
engine_worker_main(void *arg)
{
	struct worker *w = arg;

	prctl(PR_SET_TIMERSLACK, 1000UL);
	w->tid = (int)gettid();
	for (uint32_t i = 0; i < w->n_lanes; i++)
		if (engine_worker_lane_build(w, w->lane[i]) != 0) {
			state_set(w, WORKER_FAILED);
			return -1;
		}
	state_set(w, WORKER_READY);
	/* Control publishes the first dials, then lets all go at once. */
	while (__atomic_load_n(&w->eng->stop, __ATOMIC_ACQUIRE) < 0)
		engine_clock_nap_us(200);
	worker_loop(w);
	worker_drain(w);
	w->cpu_ns = thread_cpu_ns();
	state_set(w, WORKER_DONE);
	return 0;
}
