/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Open-loop pacing. Launch n is due when the integral of the offered rate reaches S(n): S(n) = n +
 * 1 for constant gaps, the sum of n + 1 unit exponentials for Poisson; both pure functions of n and
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

/* In a window W at most FACTOR * (W + SLACK) late launches and SLACK of others start, in units of
 * the rate: 1.75 * 10.8 + 0.8 < 2 * 10. */
#define PACE_CATCH_UP 1.75
#define PACE_SLACK_NS 800000

enum pace_kind {
	PACE_CONST,
	PACE_POISSON
};

/** From t0 on the rate is per_sec + per_sec2 * (t - t0), not below 0, until the next line starts.
 */
struct pace_line {
	uint64_t t0_tsc;
	double per_sec;
	double per_sec2;
	/* private: the first launch not due before t0, and how far behind t0 it is. Written by the
	 * leading cursor; a cursor whose lines are lost goes on from here */
	uint64_t n0;
	double s0;
};

/** Private. A place in the sequence, relative to a tick close by: sums of 10^12 launches would lose
 * the fraction that carries the gap. */
struct pace_cursor {
	uint64_t n; /* next launch */
	double s; /* launches offered from base to launch n */
	uint64_t base_tsc; /* in line x_line */
	uint64_t due_tsc; /* of launch n; UINT64_MAX while no line reaches it */
	uint32_t x_line;
};

struct pace {
	struct pace_line line[PACE_LINES];
	uint32_t n_lines; /* ever added; the last PACE_LINES are kept */
	uint8_t kind;
	bool blocked; /* pace_peek() said no to a launch that is due */
	uint64_t stop_tsc; /* nothing is due at or after this time */
	uint64_t key;
	struct tick_rate rate;
	uint64_t slack_tsc; /* later than that is a backlog */
	double first; /* S(0) of constant gaps */
	struct pace_cursor sched; /* never behind next */
	struct pace_cursor next;
	uint64_t sched_tsc; /* due time of the last launch before sched: no line starts before it */
	uint64_t allowed_tsc; /* catch-up: no late launch before this */
	uint64_t n_lines_lost; /* line ring overran a lagging cursor: its launches are then due
				  where the oldest line kept starts (counted, never silent) */
};

struct pace_launch {
	uint64_t n;
	uint64_t due_tsc;
};

void pace_init(struct pace *p, enum pace_kind kind, uint64_t key, const struct tick_rate *rate);

/** S(n) = n + first instead of n + 1 for constant gaps, before the first line; 0 < first <= 1. Lane
 * w of W takes (w + 1) / W, so that all lanes together launch at constant gaps. */
void pace_first_set(struct pace *p, double first);

/** A new line from t0_tsc on (monotonic; a t0 not after the last line's replaces it). A line never
 * changes what is scheduled already: it starts after the last scheduled launch at the earliest. One
 * that continues the last line within 1e-9 is dropped. */
void pace_line_add(struct pace *p, uint64_t t0_tsc, double per_sec, double per_sec2);

/** Nothing is due at or after t; lines that start there are ignored. For good. */
void pace_stop(struct pace *p, uint64_t t_tsc);

/** Number of launches due before or at now, ever ("scheduled"). */
uint64_t pace_scheduled(struct pace *p, uint64_t now_tsc);

/** Next launch if it is due at now and catch-up pacing allows it: a launch that is later than
 * PACE_SLACK_NS goes at PACE_CATCH_UP times the scheduled rate (the larger of now's and its own),
 * so that no 10 ms hold more than twice what was scheduled for them. Does not consume. */
bool pace_peek(struct pace *p, uint64_t now_tsc, struct pace_launch *l);
/** Consume the launch that pace_peek() showed. */
void pace_take(struct pace *p, uint64_t now_tsc);

/** When pace_peek() may next say yes; UINT64_MAX = never (stopped or rate 0). */
uint64_t pace_next_due(const struct pace *p);

#ifdef __cplusplus
}
#endif
#endif
