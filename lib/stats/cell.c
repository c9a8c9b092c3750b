/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "stats_cell.h"

/* Cells of all contents in one flat row. */
static uint32_t
cell_count(uint32_t n_contents)
{
	return n_contents * CELL_N;
}

void
cell_set_init(struct cell_set *s, uint32_t n_contents, uint32_t n_chunks, struct arena *a)
{
	uint32_t i;
	uint32_t v;

	memset(s, 0, sizeof(*s));
	s->n_contents = n_contents;
	s->cell = arena_take(a, (size_t)cell_count(n_contents) * sizeof(*s->cell));
	hist_pool_init(&s->pool, n_chunks, a);
	hist_init(&s->connect);
	hist_init(&s->late);
	if (s->cell == NULL)
		return;
	for (i = 0; i < cell_count(n_contents); i++) {
		for (v = 0; v < CELL_VALUES; v++)
			hist_init(&s->cell[i][v]);
	}
}

void
cell_set_clear(struct cell_set *s)
{
	uint32_t i;
	uint32_t v;

	for (i = 0; i < cell_count(s->n_contents); i++) {
		for (v = 0; v < CELL_VALUES; v++) {
			if (s->cell[i][v].n != 0)
				hist_clear(&s->cell[i][v], &s->pool);
		}
	}
	hist_clear(&s->connect, &s->pool);
	hist_clear(&s->late, &s->pool);
	s->pool.n_lost = 0;
}

int
cell_sum_init(struct cell_sum *s, uint32_t n_contents)
{
	uint32_t i;
	uint32_t v;

	memset(s, 0, sizeof(*s));
	hist_sum_init(&s->connect);
	hist_sum_init(&s->late);
	s->cell =
		calloc(cell_count(n_contents) == 0 ? 1 : cell_count(n_contents), sizeof(*s->cell));
	if (s->cell == NULL)
		return -ENOMEM;
	s->n_contents = n_contents;
	for (i = 0; i < cell_count(n_contents); i++) {
		for (v = 0; v < CELL_VALUES; v++)
			hist_sum_init(&s->cell[i][v]);
	}
	return 0;
}

/* Every histogram of a sum, in a fixed order: cells, then connect, then late. */
static struct hist_sum *
cell_sum_nth(const struct cell_sum *s, uint32_t i)
{
	uint32_t n = cell_count(s->n_contents) * CELL_VALUES;

	if (i < n)
		return &s->cell[i / CELL_VALUES][i % CELL_VALUES];
	return (struct hist_sum *)(i == n ? &s->connect : &s->late);
}

static uint32_t
cell_sum_hists(const struct cell_sum *s)
{
	return cell_count(s->n_contents) * CELL_VALUES + 2;
}

void
cell_sum_fini(struct cell_sum *s)
{
	uint32_t i;

	for (i = 0; i < cell_sum_hists(s); i++)
		hist_sum_fini(cell_sum_nth(s, i));
	free(s->cell);
	s->cell = NULL;
	s->n_contents = 0;
	s->n_lost = 0;
}

void
cell_sum_clear(struct cell_sum *s)
{
	uint32_t i;

	for (i = 0; i < cell_sum_hists(s); i++)
		hist_sum_clear(cell_sum_nth(s, i));
	s->n_lost = 0;
}

/* A set and a sum are made from the same plan; should they differ, what both have is added. */
static uint32_t
cell_common(uint32_t a, uint32_t b)
{
	return cell_count(a < b ? a : b);
}

void
cell_sum_add(struct cell_sum *s, const struct cell_set *set)
{
	uint32_t n = cell_common(s->n_contents, set->n_contents);
	uint32_t i;
	uint32_t v;

	for (i = 0; i < n; i++) {
		for (v = 0; v < CELL_VALUES; v++)
			hist_sum_add(&s->cell[i][v], &set->cell[i][v], &set->pool);
	}
	hist_sum_add(&s->connect, &set->connect, &set->pool);
	hist_sum_add(&s->late, &set->late, &set->pool);
	s->n_lost += set->pool.n_lost;
}

void
cell_sum_merge(struct cell_sum *s, const struct cell_sum *other)
{
	uint32_t n = cell_common(s->n_contents, other->n_contents);
	uint32_t i;
	uint32_t v;

	for (i = 0; i < n; i++) {
		for (v = 0; v < CELL_VALUES; v++)
			hist_sum_merge(&s->cell[i][v], &other->cell[i][v]);
	}
	hist_sum_merge(&s->connect, &other->connect);
	hist_sum_merge(&s->late, &other->late);
	s->n_lost += other->n_lost;
}

void
cell_sum_marginal(
	const struct cell_sum *s, enum cell_value v, uint32_t class_mask, struct hist_sum *out)
{
	uint32_t i;

	hist_sum_clear(out);
	for (i = 0; i < cell_count(s->n_contents); i++) {
		if (class_mask & (1u << (i % CELL_N)))
			hist_sum_merge(out, &s->cell[i][v]);
	}
}
