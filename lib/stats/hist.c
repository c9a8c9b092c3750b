/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base_assert.h"
#include "base_bytes.h"
#include "stats_hist.h"

static_assert_(HIST_CHUNKS == 42 - HIST_SUB_BITS + 1, "one chunk per octave up to HIST_MAX_NS");
static_assert_(HIST_CHUNKS <= 64, "touched is one word");

void
hist_pool_init(struct hist_pool *p, uint32_t n_chunks, struct arena *a)
{
	uint32_t i;

	assert_(n_chunks <= HIST_NO_CHUNK);
	memset(p, 0, sizeof(*p));
	p->chunk = arena_take(a, (size_t)n_chunks * sizeof(*p->chunk));
	p->free = arena_take(a, (size_t)n_chunks * sizeof(*p->free));
	if (p->chunk == NULL || p->free == NULL)
		return; /* measuring, or the caller will see that the arena is full */
	p->n_chunks = n_chunks;
	p->n_free = n_chunks;
	for (i = 0; i < n_chunks; i++) /* lowest first: touched memory stays together */
		p->free[i] = (uint16_t)(n_chunks - 1 - i);
}

void
hist_init(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	memset(h->x_chunk, 0xff, sizeof(h->x_chunk));
	h->min_ns = UINT64_MAX;
}

uint64_t
hist_cell_low(uint32_t chunk, uint32_t sub)
{
	if (chunk == 0)
		return sub;
	return (uint64_t)(HIST_SUB + sub) << (chunk - 1);
}

uint64_t
hist_cell_width(uint32_t chunk)
{
	return chunk == 0 ? 1 : 1ULL << (chunk - 1);
}

/* First touch of an octave. @return false when the pool is empty. */
static bool
hist_chunk_take(struct hist *h, struct hist_pool *p, uint32_t chunk)
{
	if (p->n_free == 0) {
		p->n_lost++;
		return false;
	}
	h->x_chunk[chunk] = p->free[--p->n_free];
	h->touched |= 1ULL << chunk;
	return true;
}

void
hist_record(struct hist *h, struct hist_pool *p, uint64_t ns)
{
	uint32_t chunk;
	uint32_t sub;

	if (unlikely_(ns > HIST_MAX_NS)) {
		h->n_over++;
	} else {
		hist_cell_of(ns, &chunk, &sub);
		if (unlikely_(h->x_chunk[chunk] == HIST_NO_CHUNK) && !hist_chunk_take(h, p, chunk))
			return;
		p->chunk[h->x_chunk[chunk]][sub]++;
	}
	h->n++;
	h->sum_ns += ns;
	if (ns < h->min_ns)
		h->min_ns = ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
}

void
hist_clear(struct hist *h, struct hist_pool *p)
{
	uint64_t left;

	for (left = h->touched; left != 0; left &= left - 1) {
		uint16_t x = h->x_chunk[__builtin_ctzll(left)];

		memset(p->chunk[x], 0, sizeof(p->chunk[x]));
		p->free[p->n_free++] = x;
	}
	hist_init(h);
}

void
hist_sum_init(struct hist_sum *s)
{
	memset(s, 0, sizeof(*s));
	s->min_ns = UINT64_MAX;
}

void
hist_sum_fini(struct hist_sum *s)
{
	uint32_t i;

	for (i = 0; i < HIST_CHUNKS; i++)
		free(s->count[i]);
	hist_sum_init(s);
}

void
hist_sum_clear(struct hist_sum *s)
{
	uint64_t *count[HIST_CHUNKS];
	uint32_t i;

	for (i = 0; i < HIST_CHUNKS; i++) {
		count[i] = s->count[i];
		if (count[i] != NULL)
			memset(count[i], 0, HIST_SUB * sizeof(*count[i]));
	}
	hist_sum_init(s);
	memcpy(s->count, count, sizeof(count));
}

static void
hist_sum_scalars(struct hist_sum *s, uint64_t n, uint64_t sum_ns, uint64_t min_ns, uint64_t max_ns)
{
	s->n += n;
	s->sum_ns += sum_ns;
	if (min_ns < s->min_ns)
		s->min_ns = min_ns;
	if (max_ns > s->max_ns)
		s->max_ns = max_ns;
}

static uint64_t *
hist_sum_octave(struct hist_sum *s, uint32_t chunk)
{
	if (s->count[chunk] == NULL)
		s->count[chunk] = calloc(HIST_SUB, sizeof(uint64_t));
	return s->count[chunk];
}

void
hist_sum_add(struct hist_sum *s, const struct hist *h, const struct hist_pool *p)
{
	uint64_t lost = 0;
	uint64_t left;

	if (h->n == 0)
		return;
	for (left = h->touched; left != 0; left &= left - 1) {
		uint32_t chunk = (uint32_t)__builtin_ctzll(left);
		const uint32_t *from = p->chunk[h->x_chunk[chunk]];
		uint64_t *to = hist_sum_octave(s, chunk);
		uint32_t i;

		for (i = 0; i < HIST_SUB; i++) {
			if (to != NULL)
				to[i] += from[i];
			else
				lost += from[i];
		}
	}
	s->n_over += h->n_over;
	s->n_lost += lost;
	hist_sum_scalars(s, h->n - lost, h->sum_ns, h->min_ns, h->max_ns);
}

void
hist_sum_merge(struct hist_sum *s, const struct hist_sum *other)
{
	uint64_t lost = 0;
	uint32_t chunk;
	uint32_t i;

	for (chunk = 0; chunk < HIST_CHUNKS; chunk++) {
		const uint64_t *from = other->count[chunk];
		uint64_t *to;

		if (from == NULL)
			continue;
		to = hist_sum_octave(s, chunk);
		for (i = 0; i < HIST_SUB; i++) {
			if (to != NULL)
				to[i] += from[i];
			else
				lost += from[i];
		}
	}
	s->n_over += other->n_over;
	s->n_lost += other->n_lost + lost;
	hist_sum_scalars(s, other->n - lost, other->sum_ns, other->min_ns, other->max_ns);
}

/* Value of the sample with this rank, 1..n. */
static uint64_t
hist_sum_ranked(const struct hist_sum *s, uint64_t rank)
{
	uint64_t seen = 0;
	uint32_t chunk;
	uint32_t i;

	for (chunk = 0; chunk < HIST_CHUNKS; chunk++) {
		if (s->count[chunk] == NULL)
			continue;
		for (i = 0; i < HIST_SUB; i++) {
			seen += s->count[chunk][i];
			if (seen >= rank)
				return hist_cell_low(chunk, i) + (hist_cell_width(chunk) - 1) / 2;
		}
	}
	return s->max_ns;
}

uint64_t
hist_sum_quantile(const struct hist_sum *s, double q)
{
	double at = q * (double)s->n;
	uint64_t rank;
	uint64_t v;

	if (s->n == 0)
		return 0;
	/* 0.07 * 100 is 7.000000000000001: that is rank 7, not 8 */
	at = ceil(at - at * 4e-16);
	rank = at < 1.0 ? 1 : at >= (double)s->n ? s->n : (uint64_t)at;
	v = hist_sum_ranked(s, rank);
	if (v < s->min_ns)
		return s->min_ns;
	return v > s->max_ns ? s->max_ns : v;
}

bool
hist_sum_supports(const struct hist_sum *s, double q)
{
	if (q >= 1.0)
		return false;
	return (double)s->n * (1.0 - q) >= 10.0 - 1e-9;
}

double
hist_sum_mean(const struct hist_sum *s)
{
	return s->n == 0 ? 0.0 : (double)s->sum_ns / (double)s->n;
}
