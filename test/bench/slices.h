/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Slices of 250 ms: a worker turns its lanes in every second one and runs a floor in the others, so
 * that work and floor meet the same placement and the same host. slices_turn() is OWNER (each
 * worker its own record); the rest is INIT: before the workers start or after they ended.
 */
#ifndef BENCH_SLICES_H
#define BENCH_SLICES_H

#include <stdbool.h>
#include <stdint.h>
#include "base_err.h"
#include "base_tick.h"
#include "lane_counters.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SLICES_MAX 400
#define SLICE_NS 250000000ULL
#define WARM_UP_NS 1200000000ULL /* longer than TIME-WAIT */

enum slice_kind {
	SLICE_LANES, /* floor, both ends on each worker */
	SLICE_SPLIT, /* floor, ends on two workers, with core-to-core latency */
	SLICE_WORK,
	SLICE_AFTER, /* work that is not measured */
};

/** What a worker has done at one moment. Sums since the start. */
struct slice_mark {
	uint64_t tsc;
	uint64_t cpu_ns;
	uint64_t xacts;
	uint64_t conns;
	uint64_t bytes; /* payload that robots' TCP got in order: replies with their headers */
	uint64_t frames;
	uint64_t bad; /* failed, dropped, retransmitted, given up */
};

struct slice {
	struct slice_mark beg;
	struct slice_mark end; /* tsc 0: not measured */
	uint64_t ping; /* cycles one way */
	uint64_t open; /* connections at the end */
};

struct slices;

/** @param n_work slices of work; as many of floors. */
struct slices *slices_new(const struct tick_rate *rate, uint32_t n_work, struct err *e);
void slices_free(struct slices *s);

/** The engine's hook (engine.h). */
int slices_start(void *arg, uint32_t n_workers, struct err *e);
bool slices_turn(void *arg, uint32_t x_worker, const struct lane_counters *client,
	const struct lane_counters *server);
void slices_stop(void *arg);

uint32_t slices_count(const struct slices *s);
uint32_t slices_workers(const struct slices *s);
enum slice_kind slices_kind(const struct slices *s, uint32_t x_slice);
const struct slice *slices_at(const struct slices *s, uint32_t x_worker, uint32_t x_slice);

#ifdef __cplusplus
}
#endif
#endif
