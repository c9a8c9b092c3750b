/* SPDX-License-Identifier: BSD-3-Clause */
/* What a worker does when there is nothing to do. */
#include "engine_priv.h"
#include <rte_lcore.h>
#include <time.h>

#define IDLE_TURNS 64 /* empty ones in a row before the CPU is offered to others */
/* Yield is a short sleep that ends before anything is due. sched_yield() takes a whole slice from
 * the caller in Linux 6.18: a worker beside two busy processes got 1 % of the CPU and once nothing
 * for 8 s. */
#define IDLE_NEAR_NS 100000
#define IDLE_YIELD_NS 50000
#define IDLE_SLEEP_NS 500000
#define IDLE_LATE_NS 100000

const char *
engine_idle_text(uint8_t idle)
{
	switch (idle) {
	case FRONT_IDLE_SPIN:
		return "spin";
	case FRONT_IDLE_YIELD:
		return "yield";
	default:
		return "sleep";
	}
}

/* Each worker owns its CPU: no other worker there, and control has another one to run on. */
static bool
cpus_owned(void)
{
	rte_cpuset_t workers, control, free_cpus;
	unsigned int lcore, n = 0;

	CPU_ZERO(&workers);
	RTE_LCORE_FOREACH_WORKER(lcore)
	{
		rte_cpuset_t set = rte_lcore_cpuset(lcore);

		if (CPU_COUNT(&set) != 1)
			return false;
		CPU_OR(&workers, &workers, &set);
		n++;
	}
	control = rte_lcore_cpuset(rte_get_main_lcore());
	CPU_AND(&free_cpus, &control, &workers);
	return (unsigned int)CPU_COUNT(&workers) == n &&
	       CPU_COUNT(&control) > CPU_COUNT(&free_cpus);
}

uint8_t
engine_idle_choose(const struct engine *e)
{
	if (e->run->idle != FRONT_IDLE_AUTO)
		return (uint8_t)e->run->idle;
	/* A memif peer runs on the same host: it needs CPU time as much as we do. */
	if (e->memif_path[0] != 0)
		return FRONT_IDLE_YIELD;
	return cpus_owned() ? FRONT_IDLE_SPIN : FRONT_IDLE_YIELD;
}

static uint64_t
next_due(const struct worker *w)
{
	uint64_t due = UINT64_MAX;

	for (uint32_t i = 0; i < w->n_lanes; i++) {
		uint64_t d = lane_next_due(w->lane[i]->lane);

		if (w->lane[i]->n_pend != 0)
			return 0;
		due = d < due ? d : due;
	}
	return due;
}

/* What takes longer than asked for was the host's doing. */
static void
cpu_give(struct worker *w, uint64_t sleep_ns)
{
	struct timespec nap = {.tv_nsec = (long)sleep_ns};
	uint64_t most = tick_from_ns(&w->eng->rate, sleep_ns + IDLE_LATE_NS);
	uint64_t beg = tick_now();
	uint64_t took;

	nanosleep(&nap, NULL);
	took = tick_now() - beg;
	w->idle_tsc += RTE_MIN(took, most);
}

void
engine_idle_turn(struct worker *w, uint32_t work)
{
	const struct tick_rate *rate = &w->eng->rate;
	uint64_t due, left;

	if (work != 0) {
		w->n_empty = 0;
		return;
	}
	if (++w->n_empty < IDLE_TURNS)
		return;
	w->n_empty = 0;
	due = next_due(w);
	left = due <= w->now ? 0 : tick_to_ns(rate, due - w->now);
	if (w->idle == FRONT_IDLE_YIELD && left > IDLE_NEAR_NS)
		cpu_give(w, IDLE_YIELD_NS);
	else if (w->idle == FRONT_IDLE_SLEEP && left > IDLE_YIELD_NS)
		cpu_give(w, RTE_MIN(left, (uint64_t)IDLE_SLEEP_NS));
}
