/* SPDX-License-Identifier: BSD-3-Clause */
#include <time.h>
#include "base_assert.h"
#include "base_tick.h"

#define TICK_NS_PER_SEC 1000000000ULL
/* An interrupt or a stolen vCPU between two readings widens the bracket; of a few tries the
 * tightest is kept (its width, ~50 ns, is the error of one end). */
#define TICK_PAIRS 16
#define TICK_MIN_WINDOW_NS 1000000ULL

static uint64_t
tick_clock_ns(clockid_t id)
{
	struct timespec ts;

	(void)clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * TICK_NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

struct tick_rate
tick_rate_of(uint64_t hz)
{
	struct tick_rate r;

	assert_(hz > 0);
	r.hz = hz;
	r.ns_per_tick_q32 = (uint64_t)((((unsigned __int128)TICK_NS_PER_SEC << 32) + hz / 2) / hz);
	r.tick_per_ns_q32 =
		(uint64_t)((((unsigned __int128)hz << 32) + TICK_NS_PER_SEC / 2) / TICK_NS_PER_SEC);
	return r;
}

void
tick_stamp_read(struct tick_stamp *s)
{
	uint64_t best = UINT64_MAX;
	int i;

	for (i = 0; i < TICK_PAIRS; i++) {
		uint64_t before = tick_now();
		uint64_t raw = tick_clock_ns(CLOCK_MONOTONIC_RAW);
		uint64_t after = tick_now();

		if (after - before >= best)
			continue;
		best = after - before;
		s->tsc = before + best / 2;
		s->raw_ns = raw;
		s->realtime_ns = tick_clock_ns(CLOCK_REALTIME);
	}
}

struct tick_rate
tick_calibrate(uint64_t window_ns)
{
	struct tick_stamp first;
	struct tick_stamp last;
	struct timespec ts;
	uint64_t ns;

	if (window_ns < TICK_MIN_WINDOW_NS)
		window_ns = TICK_MIN_WINDOW_NS;
	tick_stamp_read(&first);
	do { /* a signal may cut a sleep short: the window is what the clock says */
		ts.tv_sec = (time_t)(window_ns / TICK_NS_PER_SEC);
		ts.tv_nsec = (long)(window_ns % TICK_NS_PER_SEC);
		(void)nanosleep(&ts, NULL);
		tick_stamp_read(&last);
		ns = last.raw_ns - first.raw_ns;
	} while (ns < window_ns);
	return tick_rate_of(
		(uint64_t)(((unsigned __int128)(last.tsc - first.tsc) * TICK_NS_PER_SEC + ns / 2) /
			   ns));
}
