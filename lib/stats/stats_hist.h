/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Histograms of durations in ns: exact to 1023 ns, then 1024 cells per power of two (error below
 * 0.1 %) to 2^42 ns (73 min); above is counted in n_over. Counts live in 4 KB chunks of one octave,
 * taken from a pool on first touch; a bitmap says which octaves exist, so merging is cheap.
 * OWNER records; a retired set (see stats_cell.h) is read and cleared by CTL.
 */
#ifndef STATS_HIST_H
#define STATS_HIST_H

#include <stdint.h>
#include <stdbool.h>
#include "base_arena.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HIST_SUB_BITS 10
#define HIST_SUB (1u << HIST_SUB_BITS)
#define HIST_CHUNKS 33
#define HIST_MAX_NS ((1ULL << 42) - 1)
#define HIST_NO_CHUNK UINT16_MAX

struct hist_pool {
	uint32_t (*chunk)[HIST_SUB];
	uint16_t *free;
	uint32_t n_free;
	uint32_t n_chunks;
	uint64_t n_lost; /* records that found no chunk: counted, never silent */
};

struct hist {
	uint64_t touched; /* bit i: chunk i exists */
	uint64_t n; /* all records, over-range ones included; those the pool lost are not */
	uint64_t sum_ns;
	uint64_t min_ns; /* UINT64_MAX when empty */
	uint64_t max_ns;
	uint64_t n_over;
	uint16_t x_chunk[HIST_CHUNKS];
};

/** n_chunks <= 65535. */
void hist_pool_init(struct hist_pool *p, uint32_t n_chunks, struct arena *a);
void hist_init(struct hist *h);

static inline void
hist_cell_of(uint64_t ns, uint32_t *chunk, uint32_t *sub)
{
	uint32_t k = 63 - (uint32_t)__builtin_clzll(ns | 1);

	if (k < HIST_SUB_BITS) {
		*chunk = 0;
		*sub = (uint32_t)ns;
	} else {
		*chunk = k - HIST_SUB_BITS + 1;
		*sub = (uint32_t)(ns >> (k - HIST_SUB_BITS)) & (HIST_SUB - 1);
	}
}

/** Lower bound of a cell and its width, in ns. */
uint64_t hist_cell_low(uint32_t chunk, uint32_t sub);
uint64_t hist_cell_width(uint32_t chunk);

void hist_record(struct hist *h, struct hist_pool *p, uint64_t ns);

/** Give back all chunks (zeroed) and empty the histogram. */
void hist_clear(struct hist *h, struct hist_pool *p);

/** Sum of histograms with 64-bit counts, malloc'd by octave. CTL only. */
struct hist_sum {
	uint64_t *count[HIST_CHUNKS];
	uint64_t n;
	uint64_t sum_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t n_over;
	uint64_t n_lost; /* samples for whose octave there was no memory; not in n */
};

void hist_sum_init(struct hist_sum *s);
void hist_sum_fini(struct hist_sum *s);
void hist_sum_clear(struct hist_sum *s);
void hist_sum_add(struct hist_sum *s, const struct hist *h, const struct hist_pool *p);
void hist_sum_merge(struct hist_sum *s, const struct hist_sum *other);

/** Value at quantile q in [0, 1]: the midpoint of the cell that holds sample ceil(q * n), clamped
 * to [min, max]; over-range samples count as max_ns. @return ns; 0 when empty. */
uint64_t hist_sum_quantile(const struct hist_sum *s, double q);

/** True when the sample supports quantile q: n >= 10 / (1 - q). */
bool hist_sum_supports(const struct hist_sum *s, double q);
double hist_sum_mean(const struct hist_sum *s);

#ifdef __cplusplus
}
#endif
#endif
