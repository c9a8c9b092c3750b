// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <set>
#include <vector>
#include <gtest/gtest.h>
#include "base_rng.h"

/* The finaliser of SplitMix64: its published first outputs for seed 1234567. */
TEST(Rng, MixIsSplitMix64)
{
	const uint64_t want[] = {6457827717110365317ULL, 3203168211198807973ULL,
		9817491932198370423ULL, 4593380528125082431ULL, 16408922859458223821ULL};
	uint64_t x = 1234567;

	for (uint64_t w : want) {
		x += 0x9e3779b97f4a7c15ULL;
		EXPECT_EQ(rng_mix(x), w);
	}
}

/* A plan made today must give the same run tomorrow: these values never change. */
TEST(Rng, KnownAnswers)
{
	EXPECT_EQ(rng_key(1, 2), 18350238978914854945ULL);
	EXPECT_EQ(rng_at(rng_key(1, 2), 0), 3761069506432437087ULL);
	EXPECT_EQ(rng_at(rng_key(1, 2), 1), 12557671624094869370ULL);
	EXPECT_EQ(rng_at(rng_key(1, 2), UINT64_MAX), 14424615407893343684ULL);
}

TEST(Rng, UnitIsNeverZeroAndAtMostOne)
{
	EXPECT_GT(rng_unit(0), 0.0);
	EXPECT_TRUE(std::isfinite(std::log(rng_unit(0))));
	EXPECT_EQ(rng_unit(UINT64_MAX), 1.0);
}

TEST(Rng, BelowStaysBelow)
{
	for (uint64_t n : {1ULL, 2ULL, 3ULL, 1000ULL, 1ULL << 63, ~0ULL}) {
		EXPECT_EQ(rng_below(0, n), 0u);
		EXPECT_EQ(rng_below(UINT64_MAX, n), n - 1);
	}
}

static double
chi_square(const std::vector<uint64_t> &seen, double expected)
{
	double sum = 0;

	for (uint64_t s : seen)
		sum += ((double)s - expected) * ((double)s - expected) / expected;
	return sum;
}

/* 255 degrees of freedom: mean 255, sd 22.6; 340 is about p = 0.0003. */
TEST(Rng, ValuesAreUniformForConsecutiveNumbers)
{
	for (uint64_t stream = 0; stream < 8; stream++) {
		uint64_t key = rng_key(42, stream);
		std::vector<uint64_t> high(256);
		std::vector<uint64_t> low(256);

		for (uint64_t n = 0; n < 65536; n++) {
			high[rng_at(key, n) >> 56]++;
			low[rng_at(key, n) & 255]++;
		}
		EXPECT_LT(chi_square(high, 256), 340) << stream;
		EXPECT_LT(chi_square(low, 256), 340) << stream;
		EXPECT_GT(chi_square(high, 256), 170) << stream;
	}
}

/* A value must say nothing about its neighbour in n, in stream or in seed: 16 x 16 pairs. */
TEST(Rng, NeighboursAreIndependent)
{
	std::vector<uint64_t> next(256);
	std::vector<uint64_t> stream(256);
	std::vector<uint64_t> seed(256);

	for (uint64_t n = 0; n < 65536; n++) {
		uint64_t a = rng_at(rng_key(7, 1), n) >> 60;

		next[a * 16 + (rng_at(rng_key(7, 1), n + 1) >> 60)]++;
		stream[a * 16 + (rng_at(rng_key(7, 2), n) >> 60)]++;
		seed[a * 16 + (rng_at(rng_key(8, 1), n) >> 60)]++;
	}
	EXPECT_LT(chi_square(next, 256), 340);
	EXPECT_LT(chi_square(stream, 256), 340);
	EXPECT_LT(chi_square(seed, 256), 340);
}

TEST(Rng, KeysOfStreamsAndSeedsDiffer)
{
	std::set<uint64_t> keys;

	for (uint64_t seed = 0; seed < 100; seed++)
		for (uint64_t stream = 0; stream < 100; stream++)
			keys.insert(rng_key(seed, stream));
	EXPECT_EQ(keys.size(), 10000u);
}
