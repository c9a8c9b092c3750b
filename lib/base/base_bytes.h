/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Spans of bytes and byte order. A value's order is in its type: be16 and be32 are network order.
 * PURE: all inline, no state.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdint.h>
#include <stddef.h>
#include <string.h>

#define CACHE_LINE 64
#define CACHE_ALIGNED __attribute__((aligned(CACHE_LINE)))
#define likely_(x) __builtin_expect(!!(x), 1)
#define unlikely_(x) __builtin_expect(!!(x), 0)
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

typedef uint16_t be16;
typedef uint32_t be32;

/** Bytes that somebody else owns. */
struct span {
	const uint8_t *p;
	uint32_t n;
};

static inline uint16_t
be16_host(be16 v)
{
	return __builtin_bswap16(v);
}

static inline uint32_t
be32_host(be32 v)
{
	return __builtin_bswap32(v);
}

static inline be16
host_be16(uint16_t v)
{
	return __builtin_bswap16(v);
}

static inline be32
host_be32(uint32_t v)
{
	return __builtin_bswap32(v);
}

/** Read a big-endian value from any address. */
static inline uint16_t
load_be16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap16(v);
}

static inline uint32_t
load_be32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap32(v);
}

static inline void
store_be16(void *p, uint16_t v)
{
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void
store_be32(void *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

#endif
