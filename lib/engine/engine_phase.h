/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The plan's phases as pieces of straight lines: what the dial gets. Times in ns since the start of
 * the run. PURE: no clock, no memory.
 */
#ifndef ENGINE_PHASE_H
#define ENGINE_PHASE_H

#include "load_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Longest piece where the rate is not a straight line: ends that late. */
#define PHASE_PIECE_NS 20000000ULL

/** Rate of all robots from beg_ns on, until end_ns (PLAN_NEVER: until told otherwise). */
struct phase_piece {
	uint64_t beg_ns;
	uint64_t end_ns;
	double per_sec; /* at beg_ns; 0 with best effort */
	double per_sec2; /* slope */
	double populus; /* share of the robots at beg_ns */
	uint32_t x_phase;
};

/** How far the positive goals of a phase are, 0..1. @param done transactions ended in this phase.
 */
double phase_progress(const struct plan_phase *ph, uint64_t elapsed_ns, uint64_t done);

/** End of a phase that began at beg_ns, PLAN_NEVER when it has no duration goal. */
uint64_t phase_end_ns(const struct plan_phase *ph, uint64_t beg_ns);

/** The piece of phase x (begun at beg_ns) that starts at from_ns. */
void phase_piece_at(const struct plan *p, uint32_t x, uint64_t beg_ns, uint64_t from_ns,
	uint64_t done, struct phase_piece *out);

/** Transactions that a piece offers between two times. */
double phase_piece_offered(const struct phase_piece *s, uint64_t from_ns, uint64_t to_ns);

/** Lane x of n: its part of a count, parts differ by one at most and sum to the whole. */
uint64_t phase_share(uint64_t whole, uint32_t x, uint32_t n);

/** The same in proportion to the robots that each lane has (phase_share() of n_robots): a lane
 * without robots gets nothing. Parts sum to the whole. */
uint64_t phase_quota(uint64_t whole, uint32_t n_robots, uint32_t x, uint32_t n);
/** Lane x's share of the rate, 0..1. */
double phase_weight(uint32_t n_robots, uint32_t x, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
