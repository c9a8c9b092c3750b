/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Counter-based random numbers: value n of a stream is a pure function of (key, n), so that the
 * n-th launch or any property of object n can be computed by either end, in any order.
 * PURE: no state.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

/** SplitMix64's finaliser: a bijection of 64 bits in which each input bit moves half the output. */
static inline uint64_t
rng_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/** Key of one stream of a seed; streams are named by small constants. */
static inline uint64_t
rng_key(uint64_t seed, uint64_t stream)
{
	return rng_mix(rng_mix(seed + 0x9e3779b97f4a7c15ULL) + stream * 0xd1342543de82ef95ULL);
}

/** Value n of the stream. */
static inline uint64_t
rng_at(uint64_t key, uint64_t n)
{
	return rng_mix(rng_mix(key + n * 0x9e3779b97f4a7c15ULL) ^ key);
}

/** 64 random bits -> (0, 1], never 0, so that its logarithm is finite. */
static inline double
rng_unit(uint64_t bits)
{
	return ((double)(bits >> 11) + 1.0) * 0x1.0p-53;
}

/** 64 random bits -> [0, n) by multiplication; n > 0, bias below n / 2^64. */
static inline uint64_t
rng_below(uint64_t bits, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)bits * n) >> 64);
}

#endif
