/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Open-loop pacing. Launch n is due when the integral of the offered rate reaches S(n): S(n) = n + 1
 * for constant gaps, the sum of n + 1 unit exponentials for Poisson; both pure functions of n and
 * the seed. A backlog is two cursors over that sequence (scheduled, launched): nothing is stored,
 * skipped or made to wait for replies. Rates come as lines (value at t0, slope) from the dial; a
 * ring of past lines lets a lagging cursor find its due time.
 * OWNER. No allocation.
 */
#ifndef LOAD_PACE_H
#define LOAD_PACE_H

#include <stdbool.h>
#include "base_tick.h"
#include "base_rng.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PACE_LINES 256 /* power of two */

enum pace_kind { PACE_CONST, PACE_POISSON };

/** From t0 on the rate is rate + slope * (t - t0), not below 0, until the next line starts. */
struct pace_line {
	uint64_t t0_tsc;
	double per_sec;
	double per_sec2;
	double integral; /* launches offered before t0: private */
};

struct pace_cursor {
	uint64_t n;	  /* next launch */
	double s;	  /* S(n) */
	uint64_t due_tsc; /* of launch n; UINT64_MAX while no line reaches it */
	uint32_t x_line;
};

struct pace {
	struct pace_line line[PACE_LINES];
	uint32_t n_lines;
	uint8_t kind;
	bool stopped;
	uint64_t stop_tsc; /* nothing is due at or after this time */
	uint64_t key;
	struct tick_rate rate;
	struct pace_cursor sched;
	struct pace_cursor next;
	uint64_t allowed_tsc; /* catch-up: no launch before this */
	uint64_t n_lines_lost; /* line ring overran a lagging cursor: its due times are then those of
				  the oldest line kept (counted, never silent) */
};

struct pace_launch {
	uint64_t n;
	uint64_t due_tsc;
};

void pace_init(struct pace *p, enum pace_kind kind, uint64_t key, const struct tick_rate *rate);

/** A new line from t0_tsc on (monotonic; a t0 not after the last line's replaces its rest). A line
 * that continues the last one within 1e-9 is dropped. */
void pace_line_add(struct pace *p, uint64_t t0_tsc, double per_sec, double per_sec2);

/** Nothing is due at or after t. */
void pace_stop(struct pace *p, uint64_t t_tsc);

/** Number of launches due before or at now, ever ("scheduled"). */
uint64_t pace_scheduled(struct pace *p, uint64_t now_tsc);

/** Next launch if it is due at now and catch-up pacing allows it: while a backlog exists launches go
 * at most at twice the scheduled rate. Does not consume. */
bool pace_peek(struct pace *p, uint64_t now_tsc, struct pace_launch *l);
/** Consume the launch that pace_peek() showed. */
void pace_take(struct pace *p, uint64_t now_tsc);

/** When pace_peek() may next say yes; UINT64_MAX = never (stopped or rate 0). */
uint64_t pace_next_due(const struct pace *p);

#ifdef __cplusplus
}
#endif
#endif
