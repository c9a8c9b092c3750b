/* SPDX-License-Identifier: BSD-3-Clause */
/* Control's clock: the calibrated TSC, checked against CLOCK_MONOTONIC_RAW each second. */
#include "engine_priv.h"
#include <errno.h>
#include <math.h>
#include <time.h>

uint64_t
engine_clock_since_ns(const struct engine *e, uint64_t tsc)
{
	return tsc <= e->t0_tsc ? 0 : tick_to_ns(&e->rate, tsc - e->t0_tsc);
}

uint64_t
engine_clock_tsc_at(const struct engine *e, uint64_t since_ns)
{
	return since_ns == PLAN_NEVER ? UINT64_MAX : e->t0_tsc + tick_from_ns(&e->rate, since_ns);
}

void
engine_clock_check(struct engine *e)
{
	struct tick_stamp s;
	double tsc_ns, raw_ns, ppm;

	tick_stamp_read(&s);
	tsc_ns = (double)tick_to_ns(&e->rate, s.tsc - e->start.tsc);
	raw_ns = (double)(s.raw_ns - e->start.raw_ns);
	e->last_stamp = s;
	if (raw_ns < 0.9e9)
		return; /* too short to tell */
	ppm = (tsc_ns - raw_ns) / raw_ns * 1e6;
	if (fabs(ppm) > fabs(e->drift_ppm))
		e->drift_ppm = ppm;
}

uint64_t
engine_clock_utc_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

void
engine_clock_nap_us(uint32_t us)
{
	struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000};

	nanosleep(&t, NULL);
}

/* Ends early when a signal arrives. */
void
engine_clock_sleep_until(const struct engine *e, uint64_t tsc)
{
	uint64_t now = tick_now();
	struct timespec t;
	uint64_t ns;

	if (tsc <= now)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	ns = (uint64_t)t.tv_nsec + tick_to_ns(&e->rate, tsc - now);
	t.tv_sec += (time_t)(ns / 1000000000ULL);
	t.tv_nsec = (long)(ns % 1000000000ULL);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
