/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Histograms of a lane in disjoint cells: cell = content x outcome class. A finished transaction
 * records its values in its one cell; every marginal is a sum that control makes.
 * Two sets: the lane writes `active`; on a snapshot it flips, and control reads and clears the
 * retired one. Memory belongs to the arena of the lane.
 */
#ifndef STATS_CELL_H
#define STATS_CELL_H

#include "stats_hist.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cell_class {
	CELL_HIT,
	CELL_MISS, /* 200 from the origin in this transaction, or from a foreign server */
	CELL_OTHER_2XX,
	CELL_3XX,
	CELL_4XX, /* expected 4xx only: the unexpected are CELL_FAILED */
	CELL_5XX,
	CELL_FAILED,
	CELL_N
};

enum cell_value {
	CELL_WAIT, /* due -> first byte sent */
	CELL_WIRE, /* first byte sent -> last byte */
	CELL_SUM, /* due -> last byte: response time */
	CELL_TTFB, /* first byte sent -> first byte of the final reply */
	CELL_VALUES
};

struct cell_set {
	struct hist (*cell)[CELL_VALUES]; /* [content * CELL_N + class] */
	uint32_t n_contents;
	struct hist connect; /* SYN sent -> established */
	struct hist late; /* due -> launched by us: the generator's own lateness */
	struct hist_pool pool;
};

void cell_set_init(struct cell_set *s, uint32_t n_contents, uint32_t n_chunks, struct arena *a);
/** Empty all histograms and give their chunks back: cost is by what was touched. */
void cell_set_clear(struct cell_set *s);

/** What control keeps: sums over lanes, per window or per run. */
struct cell_sum {
	struct hist_sum (*cell)[CELL_VALUES];
	uint32_t n_contents;
	struct hist_sum connect;
	struct hist_sum late;
	uint64_t n_lost;
};

int cell_sum_init(struct cell_sum *s, uint32_t n_contents);
void cell_sum_fini(struct cell_sum *s);
void cell_sum_clear(struct cell_sum *s);
void cell_sum_add(struct cell_sum *s, const struct cell_set *set);
void cell_sum_merge(struct cell_sum *s, const struct cell_sum *other);

/** Marginal: value v summed over all contents and the classes in class_mask (bit = cell_class).
 * out must be initialised; it is cleared first. */
void cell_sum_marginal(
	const struct cell_sum *s, enum cell_value v, uint32_t class_mask, struct hist_sum *out);
#define CELL_SUCCESS_MASK ((1u << CELL_FAILED) - 1)
#define CELL_FAILED_MASK (1u << CELL_FAILED)

#ifdef __cplusplus
}
#endif
#endif
