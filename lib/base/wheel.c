/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "base_assert.h"
#include "base_bytes.h"
#include "base_wheel.h"

#define WHEEL_BITS 8
#define WHEEL_MASK (WHEEL_SLOTS - 1)
/* Farthest a block may be from `tick`, so that the rounding of level 3 stays below 2^32. */
#define WHEEL_SPAN (UINT32_MAX - 255ULL)
#define WHEEL_X 0xffffffu /* a link's block or slot number */
#define WHEEL_END WHEEL_X /* no block */
#define WHEEL_SLOT WHEEL_BLOCKS_MAX /* prev of the first block of slot s: WHEEL_SLOT + s */
static_assert_(WHEEL_BLOCKS_MAX + WHEEL_LEVELS * WHEEL_SLOTS <= WHEEL_X, "slots fit above blocks");

static struct wheel_link *
wheel_link_of(const struct wheel *w, uint32_t x)
{
	return (struct wheel_link *)(void *)(w->blocks + (size_t)x * w->stride + w->offset);
}

static void
wheel_next_set(struct wheel_link *l, uint32_t x)
{
	l->next = (l->next & ~WHEEL_X) | x;
}

static void
wheel_prev_set(struct wheel_link *l, uint32_t x)
{
	l->prev = (l->prev & ~WHEEL_X) | x;
}

void
wheel_init(struct wheel *w, void *blocks, uint32_t stride, uint32_t offset, uint32_t shift,
	uint64_t now_tsc)
{
	uint32_t i;

	memset(w, 0, sizeof(*w));
	for (i = 0; i < ARRAY_LEN(w->head); i++)
		w->head[i] = WHEEL_END;
	w->blocks = blocks;
	w->stride = stride;
	w->offset = offset;
	w->shift = shift;
	w->tick = now_tsc >> shift;
}

/* Put x into the slot of its due tick as seen from w->tick. A block of level k lies at least 256^k
 * ticks ahead, so its slot is never the one that level k is in now: each slot is cascaded exactly
 * when w->tick reaches its first tick, and of `due` only the bits below that must be kept. For
 * level 3 these are 24; the lowest 8 of them are rounded away (2 ms in 2 minutes), which keeps the
 * link at 8 bytes and the connection block at two lines. */
static void
wheel_place(struct wheel *w, uint32_t x, uint64_t due)
{
	struct wheel_link *l = wheel_link_of(w, x);
	uint64_t ahead = due - w->tick;
	uint32_t level = 0;
	uint32_t kept;
	uint32_t at;
	uint32_t slot;

	while (ahead >> (WHEEL_BITS * (level + 1)) != 0)
		level++;
	kept = (uint32_t)due & 0xffff;
	if (level == WHEEL_LEVELS - 1) {
		due = (due + WHEEL_MASK) & ~(uint64_t)WHEEL_MASK;
		kept = (uint32_t)(due >> WHEEL_BITS) & 0xffff;
	}
	at = (uint32_t)(due >> (WHEEL_BITS * level)) & WHEEL_MASK;
	slot = level * WHEEL_SLOTS + at;
	l->next = w->head[slot] | (kept & 0xff) << 24;
	l->prev = (WHEEL_SLOT + slot) | (kept >> 8) << 24;
	if (w->head[slot] != WHEEL_END)
		wheel_prev_set(wheel_link_of(w, w->head[slot]), x);
	w->head[slot] = x;
	w->busy[level][at / 64] |= 1ULL << (at % 64);
}

/* Due tick of a block of `level` whose slot has its turn now. */
static uint64_t
wheel_due(const struct wheel *w, const struct wheel_link *l, uint32_t level)
{
	uint64_t kept = l->next >> 24 | (l->prev >> 24) << 8;

	if (level == 1)
		return w->tick | (kept & 0xff);
	return w->tick | (level == 2 ? kept : kept << WHEEL_BITS);
}

static void
wheel_slot_empty(struct wheel *w, uint32_t slot)
{
	uint32_t at = slot & WHEEL_MASK;

	w->head[slot] = WHEEL_END;
	w->busy[slot / WHEEL_SLOTS][at / 64] &= ~(1ULL << (at % 64));
}

static void
wheel_unlink(struct wheel *w, struct wheel_link *l)
{
	uint32_t next = l->next & WHEEL_X;
	uint32_t prev = l->prev & WHEEL_X;

	if (next != WHEEL_END)
		wheel_prev_set(wheel_link_of(w, next), prev);
	if (prev < WHEEL_SLOT)
		wheel_next_set(wheel_link_of(w, prev), next);
	else if (next != WHEEL_END)
		w->head[prev - WHEEL_SLOT] = next;
	else
		wheel_slot_empty(w, prev - WHEEL_SLOT);
}

void
wheel_arm(struct wheel *w, uint32_t x, uint64_t due_tsc)
{
	struct wheel_link *l = wheel_link_of(w, x);
	uint64_t due = due_tsc >> w->shift;

	assert_(x < WHEEL_BLOCKS_MAX);
	if (due_tsc & ((1ULL << w->shift) - 1))
		due++;
	if (due < w->tick)
		due = w->tick; /* that tick has been run: the next one, late by less than a tick */
	else if (due - w->tick > WHEEL_SPAN)
		due = w->tick + WHEEL_SPAN;
	if (wheel_link_armed(l))
		wheel_unlink(w, l);
	else
		w->n_armed++;
	wheel_place(w, x, due);
}

void
wheel_disarm(struct wheel *w, uint32_t x)
{
	struct wheel_link *l = wheel_link_of(w, x);

	if (!wheel_link_armed(l))
		return;
	wheel_unlink(w, l);
	wheel_link_init(l);
	w->n_armed--;
}

/* Distance from slot `from` to the first busy slot of a level, going round; 256 when all are
 * empty. */
static uint32_t
wheel_level_scan(const struct wheel *w, uint32_t level, uint32_t from)
{
	const uint64_t *busy = w->busy[level];
	uint32_t i;

	for (i = 0; i <= WHEEL_SLOTS / 64; i++) {
		uint32_t word = (from / 64 + i) % (WHEEL_SLOTS / 64);
		uint64_t bits = busy[word];

		if (i == 0)
			bits &= ~0ULL << (from % 64);
		else if (i == WHEEL_SLOTS / 64)
			bits &= ~(~0ULL << (from % 64));
		if (bits != 0)
			return (word * 64 + (uint32_t)__builtin_ctzll(bits) - from) & WHEEL_MASK;
	}
	return WHEEL_SLOTS;
}

/* First tick, from w->tick on, at which a slot is to be expired or cascaded. */
static uint64_t
wheel_tick_next(const struct wheel *w)
{
	uint64_t best = UINT64_MAX;
	uint32_t level;

	for (level = 0; level < WHEEL_LEVELS; level++) {
		uint32_t bits = WHEEL_BITS * level;
		/* a slot of level k has its turn at a multiple of 256^k */
		uint64_t base = (w->tick + (1ULL << bits) - 1) >> bits;
		uint32_t d = wheel_level_scan(w, level, (uint32_t)base & WHEEL_MASK);

		if (d < WHEEL_SLOTS && (base + d) << bits < best)
			best = (base + d) << bits;
	}
	return best;
}

static void
wheel_slot_cascade(struct wheel *w, uint32_t level, uint32_t at)
{
	uint32_t slot = level * WHEEL_SLOTS + at;
	uint32_t x = w->head[slot];

	if (x == WHEEL_END)
		return;
	wheel_slot_empty(w, slot);
	while (x != WHEEL_END) {
		const struct wheel_link *l = wheel_link_of(w, x);
		uint32_t next = l->next & WHEEL_X;

		if (next != WHEEL_END)
			__builtin_prefetch(wheel_link_of(w, next));
		wheel_place(w, x, wheel_due(w, l, level));
		x = next;
	}
}

/* At a multiple of 256^k, level k's slot of this tick comes down, in any order of levels:
 * a block goes straight to the level where it belongs. */
static void
wheel_cascade(struct wheel *w)
{
	uint32_t level;

	for (level = 1; level < WHEEL_LEVELS; level++) {
		uint32_t bits = WHEEL_BITS * level;

		if ((w->tick & ((1ULL << bits) - 1)) != 0)
			return;
		wheel_slot_cascade(w, level, (uint32_t)(w->tick >> bits) & WHEEL_MASK);
	}
}

static uint32_t
wheel_slot_take(struct wheel *w, uint32_t slot, uint32_t *x_out, uint32_t n)
{
	uint32_t x = w->head[slot];
	uint32_t i;

	for (i = 0; i < n && x != WHEEL_END; i++) {
		struct wheel_link *l = wheel_link_of(w, x);

		x_out[i] = x;
		x = l->next & WHEEL_X;
		wheel_link_init(l);
	}
	w->n_armed -= i;
	if (x == WHEEL_END) {
		wheel_slot_empty(w, slot);
	} else {
		w->head[slot] = x;
		wheel_prev_set(wheel_link_of(w, x), WHEEL_SLOT + slot);
	}
	return i;
}

uint32_t
wheel_expire(struct wheel *w, uint64_t now_tsc, uint32_t *x_out, uint32_t n)
{
	uint64_t now = now_tsc >> w->shift;
	uint32_t taken = 0;

	while (w->tick <= now && taken < n) {
		uint64_t next = wheel_tick_next(w);
		uint32_t slot;

		if (next > now) {
			w->tick = now + 1; /* empty slots are stepped over, however many */
			break;
		}
		w->tick = next;
		wheel_cascade(w);
		slot = (uint32_t)next & WHEEL_MASK;
		taken += wheel_slot_take(w, slot, x_out + taken, n - taken);
		if (w->head[slot] == WHEEL_END)
			w->tick++;
	}
	return taken;
}

uint64_t
wheel_next(const struct wheel *w)
{
	if (w->n_armed == 0)
		return UINT64_MAX;
	return wheel_tick_next(w) << w->shift;
}
