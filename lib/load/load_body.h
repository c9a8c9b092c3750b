/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Bodies: one shared read-only pattern. Byte o of object id's body is pattern[(start(id) + o) mod
 * BODY_PERIOD]; the pattern is stored longer than its period, so that any piece of a segment is one
 * span. Prefix sums give the checksum of any piece in O(1).
 * INIT builds; then read-only and shared by all lcores. Memory: the caller's (BODY_MEMORY bytes).
 */
#ifndef LOAD_BODY_H
#define LOAD_BODY_H

#include "base_bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BODY_PERIOD 32768u /* fits L1 with room for headers; power of two */
#define BODY_TAIL 16384u /* longest span that never wraps */

struct body_pattern {
	uint8_t text[BODY_PERIOD + BODY_TAIL];
	uint32_t sum[(BODY_PERIOD + BODY_TAIL) / 2 +
		     1]; /* sum of native 16-bit words before word i */
};
#define BODY_MEMORY sizeof(struct body_pattern)

/** Printable text from a seed. */
void body_pattern_init(struct body_pattern *b, uint64_t seed);

/** Offset in the pattern of byte 0 of an object's body; even. */
static inline uint32_t
body_start(uint64_t oid)
{
	return (uint32_t)((oid * 0x9e3779b97f4a7c15ULL) >> 40) & (BODY_PERIOD - 2);
}

/** Span of at most BODY_TAIL bytes of a body from offset on. */
static inline const uint8_t *
body_at(const struct body_pattern *b, uint64_t oid, uint64_t offset)
{
	return b->text + ((body_start(oid) + offset) & (BODY_PERIOD - 1));
}

/** Checksum accumulator (as net_csum_add) of n <= BODY_TAIL bytes at p = body_at(). O(1). */
uint64_t body_sum(const struct body_pattern *b, const uint8_t *p, uint32_t n);

/** Compare n received bytes (any n) with the body from offset on. @return true when equal. */
int body_equal(
	const struct body_pattern *b, uint64_t oid, uint64_t offset, const uint8_t *in, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
