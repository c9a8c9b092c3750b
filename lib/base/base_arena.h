/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Bump allocator over memory that somebody else took (port/ by mmap, tests by malloc). With no
 * memory behind it, it only measures, so that one init function both sizes and builds.
 * INIT only; nothing is ever given back.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena {
	uint8_t *p; /* NULL: measure only */
	size_t size;
	size_t used; /* may exceed size when measuring or when memory ran out */
};

/** Take n bytes aligned to a cache line, zeroed by whoever made the memory. NULL when measuring or
 * when the arena is full; `used` grows all the same, so a caller checks once, at the end. */
static inline void *
arena_take(struct arena *a, size_t n)
{
	size_t at = (a->used + 63) & ~(size_t)63;

	a->used = at + n;
	if (a->p == NULL || a->used > a->size)
		return NULL;
	return a->p + at;
}

/** True when everything taken so far really had memory behind it. */
static inline int
arena_ok(const struct arena *a)
{
	return a->p != NULL && a->used <= a->size;
}

#endif
