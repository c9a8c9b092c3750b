/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A snapshot: what every output is a pure function of. Values of one scope (a lane, a port, or all)
 * over one window, with the tables that name them.
 * Made by CTL from lanes' copies; read-only to report/.
 */
#ifndef STATS_SNAPSHOT_H
#define STATS_SNAPSHOT_H

#include "stats_counter.h"
#include "stats_cell.h"

#ifdef __cplusplus
extern "C" {
#endif

enum snap_row {
	SNAP_INTERVAL,
	SNAP_PHASE,
	SNAP_RUN,
	SNAP_END
};
enum snap_role {
	SNAP_CLIENT,
	SNAP_SERVER
};

/** One scope's values in one window. */
struct snap_scope {
	char name[16]; /* "all", "lcore:1", "port:0" */
	int cpu; /* -1: none or several */
	double interval_s; /* its own window length: rates are sums of per-lane rates */
	const uint64_t *delta; /* window: SUM = difference, LEVEL = now, MAX = largest */
	const uint64_t *total; /* since start */
	double target_per_s; /* mean offered rate of the window; < 0: best effort */
	double scheduled_per_s;
	double sent_per_s;
	double completed_per_s;
};

struct snapshot {
	enum snap_row row;
	enum snap_role role;
	const struct counter_set *sets;
	uint32_t n_sets;
	uint32_t n_values;
	double t_end_s; /* since start of the run */
	double interval_s;
	uint64_t utc_end_ns; /* CLOCK_REALTIME: a label */
	const char *phase;
	bool measured;
	struct snap_scope all;
	const struct snap_scope *scope; /* lcores, then ports */
	uint32_t n_scopes;
	const struct cell_sum *cells; /* of `all`; NULL on a pure server */
};

/** Index of a counter in the value arrays, or -1. Look up once, at start. */
int snapshot_find(
	const struct counter_set *sets, uint32_t n_sets, const char *module, const char *name);

#ifdef __cplusplus
}
#endif
#endif
