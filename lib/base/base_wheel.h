/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Timing wheel over an array of blocks: 4 levels of 256 slots, tick 2^shift clock ticks (2^14 by
 * default). A block carries its own `struct wheel_link`; nothing is allocated on arm or disarm.
 * Re-arming is lazy: arm once at the earliest due time, re-check due times in the block on expiry.
 * OWNER: the lcore that owns the blocks. Memory of slots and blocks belongs to the caller.
 */
#ifndef BASE_WHEEL_H
#define BASE_WHEEL_H

#include <stdint.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WHEEL_NONE UINT32_MAX
#define WHEEL_SLOTS 256
#define WHEEL_LEVELS 4
#define WHEEL_SHIFT 14

/** Block numbers are below this: 24 bits, less the numbers of the slots. */
#define WHEEL_BLOCKS_MAX 0xfff000u

/** In the block, 8 bytes. The low 24 bits are the neighbour (prev: or the slot whose first block
 * this is); the high 8 bits of both hold 16 bits of the due tick, by which a cascade places the
 * block. next == prev == WHEEL_NONE means not armed. A zeroed link is not valid: wheel_link_init().
 */
struct wheel_link {
	uint32_t next;
	uint32_t prev;
};

struct wheel {
	uint8_t *blocks; /* first block */
	uint32_t stride; /* bytes from block to block */
	uint32_t offset; /* of the wheel_link in a block */
	uint32_t shift;
	uint32_t n_armed;
	uint64_t tick; /* next wheel tick to run: all earlier ones have been expired */
	uint64_t busy[WHEEL_LEVELS][WHEEL_SLOTS / 64]; /* bit: slot is not empty */
	uint32_t head[WHEEL_LEVELS * WHEEL_SLOTS];
};

void wheel_init(struct wheel *w, void *blocks, uint32_t stride, uint32_t offset, uint32_t shift,
	uint64_t now_tsc);

static inline void
wheel_link_init(struct wheel_link *l)
{
	l->next = WHEEL_NONE;
	l->prev = WHEEL_NONE;
}

static inline bool
wheel_link_armed(const struct wheel_link *l)
{
	return (l->prev & 0xffffffu) != (WHEEL_NONE & 0xffffffu);
}

/** Arm block x at due_tsc (moved if armed already). Rounded up to the next tick (2^24 ticks away
 * and more: to the next 256 ticks), so never early; beyond the wheel's span of 2^32 ticks it is
 * parked at the far end and comes out early (re-check and re-arm). */
void wheel_arm(struct wheel *w, uint32_t x, uint64_t due_tsc);

/** Disarm block x; nothing if it is not armed. */
void wheel_disarm(struct wheel *w, uint32_t x);

/** Take out at most n blocks whose tick has passed. @return how many; call again while == n. */
uint32_t wheel_expire(struct wheel *w, uint64_t now_tsc, uint32_t *x_out, uint32_t n);

/** Earliest time at which wheel_expire() could return something (a lower bound that is exact within
 * level 0), UINT64_MAX when nothing is armed. For idle sleeping. */
uint64_t wheel_next(const struct wheel *w);

#ifdef __cplusplus
}
#endif
#endif
