/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The clock: TSC calibrated against CLOCK_MONOTONIC_RAW. Pure modules get "now" in ticks (suffix
 * _tsc) as an argument and a `struct tick_rate` where they must convert; tests use any rate.
 * rte_get_tsc_hz() rounds (0.19 % wrong on a guest) and is not used.
 * PURE, except tick_now() and tick_calibrate(), which read the machine's clocks; any thread.
 */
#ifndef BASE_TICK_H
#define BASE_TICK_H

#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Ticks per second and the two factors (32.32 fixed point) that convert without a division. */
struct tick_rate {
	uint64_t hz;
	uint64_t ns_per_tick_q32; /* ns = tsc * this >> 32 */
	uint64_t tick_per_ns_q32; /* tsc = ns * this >> 32 */
};

/** Ticks of this CPU now. */
static inline uint64_t
tick_now(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
#error "no tick counter for this CPU"
#endif
}

static inline uint64_t
tick_to_ns(const struct tick_rate *r, uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ticks * r->ns_per_tick_q32) >> 32);
}

static inline uint64_t
tick_from_ns(const struct tick_rate *r, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns * r->tick_per_ns_q32) >> 32);
}

/** Rate of a given frequency (hz > 0), e.g. 1e9 for tests in virtual time. */
struct tick_rate tick_rate_of(uint64_t hz);

/** Measure the TSC against CLOCK_MONOTONIC_RAW for window_ns (100 ms at start). Blocks. */
struct tick_rate tick_calibrate(uint64_t window_ns);

/** One pair of readings, for drift checks and for UTC labels. */
struct tick_stamp {
	uint64_t tsc;
	uint64_t raw_ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t realtime_ns; /* CLOCK_REALTIME, a label only */
};

void tick_stamp_read(struct tick_stamp *s);

#ifdef __cplusplus
}
#endif
#endif
