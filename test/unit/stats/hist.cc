// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>
#include <gtest/gtest.h>
#include "base_rng.h"
#include "memory.h"
#include "stats_hist.h"

class Pool
{
      public:
	explicit Pool(uint32_t n = 64) : memory([&](struct arena *a) { hist_pool_init(&p, n, a); })
	{
	}

	struct hist_pool p;
	Memory memory;
};

struct Sum : hist_sum {
	Sum()
	{
		hist_sum_init(this);
	}
	~Sum()
	{
		hist_sum_fini(this);
	}
};

TEST(HistCell, CellsTileTheRangeWithoutGapOrOverlap)
{
	uint64_t next = 0;

	for (uint32_t chunk = 0; chunk < HIST_CHUNKS; chunk++) {
		for (uint32_t sub = 0; sub < HIST_SUB; sub++) {
			ASSERT_EQ(hist_cell_low(chunk, sub), next) << chunk << "/" << sub;
			next += hist_cell_width(chunk);
		}
	}
	EXPECT_EQ(next, HIST_MAX_NS + 1);
}

TEST(HistCell, ValueFallsIntoTheCellThatCoversIt)
{
	for (uint32_t i = 0; i < 100000; i++) {
		uint64_t ns = rng_at(1, i) >> (22 + i % 42);
		uint32_t chunk;
		uint32_t sub;

		hist_cell_of(ns, &chunk, &sub);
		ASSERT_LT(chunk, (uint32_t)HIST_CHUNKS);
		ASSERT_LE(hist_cell_low(chunk, sub), ns);
		ASSERT_LT(ns - hist_cell_low(chunk, sub), hist_cell_width(chunk));
	}
}

static double
normal(uint64_t key, uint64_t n)
{
	return std::sqrt(-2 * std::log(rng_unit(rng_at(key, 2 * n)))) *
	       std::cos(2 * M_PI * rng_unit(rng_at(key, 2 * n + 1)));
}

/* Distributions that response times have: narrow, skewed, heavy tail, two humps, tiny. */
static const std::function<double(uint64_t)> shapes[] = {
	[](uint64_t n) { return 1e6 * rng_unit(rng_at(11, n)); },
	[](uint64_t n) { return -2e6 * std::log(rng_unit(rng_at(12, n))); },
	[](uint64_t n) { return std::exp(13 + 1.5 * normal(13, n)); },
	[](uint64_t n) { return std::min(4e12, 1e5 * std::pow(rng_unit(rng_at(14, n)), -1.2)); },
	[](uint64_t n) { return (n % 10 == 0 ? 3e9 : 4e4) * (1 + 0.1 * rng_unit(rng_at(15, n))); },
	[](uint64_t n) { return 900 + 400 * rng_unit(rng_at(16, n)); },
	[](uint64_t n) { return 123456789.0; },
};

TEST(HistQuantile, WithinOnePerMilleOfTheExactOrder)
{
	for (size_t shape = 0; shape < sizeof(shapes) / sizeof(shapes[0]); shape++) {
		Pool pool;
		Sum sum;
		struct hist h;
		std::vector<uint64_t> exact;
		double total = 0;

		hist_init(&h);
		for (uint64_t n = 0; n < 100000; n++) {
			exact.push_back((uint64_t)shapes[shape](n));
			hist_record(&h, &pool.p, exact.back());
			total += (double)exact.back();
		}
		std::sort(exact.begin(), exact.end());
		hist_sum_add(&sum, &h, &pool.p);
		ASSERT_EQ(sum.n, exact.size());
		EXPECT_EQ(pool.p.n_lost, 0u);
		EXPECT_EQ(sum.min_ns, exact.front());
		EXPECT_EQ(sum.max_ns, exact.back());
		EXPECT_NEAR(hist_sum_mean(&sum), total / 1e5, total / 1e5 * 1e-9);
		for (double q : {0.0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999,
			     0.9999, 0.99999, 1.0}) {
			size_t rank = (size_t)std::ceil(q * 1e5 - 1e-6);
			double want = (double)exact[rank == 0 ? 0 : rank - 1];

			EXPECT_NEAR((double)hist_sum_quantile(&sum, q), want, want * 0.001)
				<< "shape " << shape << " q " << q;
		}
	}
}

TEST(HistQuantile, BelowAMicrosecondEveryValueIsExact)
{
	Pool pool;
	Sum sum;
	struct hist h;

	hist_init(&h);
	for (uint64_t ns = 1; ns <= 1000; ns++)
		hist_record(&h, &pool.p, ns);
	hist_sum_add(&sum, &h, &pool.p);
	for (uint64_t permille = 1; permille <= 1000; permille++)
		EXPECT_EQ(hist_sum_quantile(&sum, (double)permille / 1000), permille);
}

TEST(HistQuantile, EmptyIsZero)
{
	Sum sum;

	EXPECT_EQ(hist_sum_quantile(&sum, 0.5), 0u);
	EXPECT_EQ(hist_sum_mean(&sum), 0.0);
	EXPECT_FALSE(hist_sum_supports(&sum, 0.5));
}

TEST(HistQuantile, SupportNeedsTenSamplesBeyond)
{
	Sum sum;

	sum.n = 999;
	EXPECT_TRUE(hist_sum_supports(&sum, 0.98));
	EXPECT_FALSE(hist_sum_supports(&sum, 0.99));
	sum.n = 1000;
	EXPECT_TRUE(hist_sum_supports(&sum, 0.99));
	sum.n = 10000;
	EXPECT_TRUE(hist_sum_supports(&sum, 0.999));
	EXPECT_FALSE(hist_sum_supports(&sum, 0.9999));
	EXPECT_FALSE(hist_sum_supports(&sum, 1.0));
}

TEST(Hist, OverRangeIsCountedAndReadsAsTheMaximum)
{
	Pool pool;
	Sum sum;
	struct hist h;

	hist_init(&h);
	hist_record(&h, &pool.p, 5);
	hist_record(&h, &pool.p, HIST_MAX_NS);
	hist_record(&h, &pool.p, HIST_MAX_NS + 1);
	hist_record(&h, &pool.p, HIST_MAX_NS * 4);
	EXPECT_EQ(h.n, 4u);
	EXPECT_EQ(h.n_over, 2u);
	hist_sum_add(&sum, &h, &pool.p);
	EXPECT_EQ(sum.n_over, 2u);
	EXPECT_NEAR((double)hist_sum_quantile(&sum, 0.5), (double)HIST_MAX_NS, 5e9);
	EXPECT_EQ(hist_sum_quantile(&sum, 0.75), HIST_MAX_NS * 4);
}

TEST(Hist, WithoutAChunkTheRecordIsLostAndCounted)
{
	Pool pool(2);
	Sum sum;
	struct hist h;

	hist_init(&h);
	hist_record(&h, &pool.p, 10);
	hist_record(&h, &pool.p, 5000);
	hist_record(&h, &pool.p, 1000000);
	hist_record(&h, &pool.p, 2000000);
	hist_record(&h, &pool.p, 11);
	EXPECT_EQ(pool.p.n_lost, 2u);
	EXPECT_EQ(h.n, 3u);
	EXPECT_EQ(h.max_ns, 5000u);
	hist_sum_add(&sum, &h, &pool.p);
	EXPECT_EQ(sum.n, 3u);
	EXPECT_EQ(hist_sum_quantile(&sum, 1), 5000u);
}

TEST(Hist, ClearGivesAllChunksBackZeroed)
{
	Pool pool(3);
	struct hist h;

	hist_init(&h);
	for (int round = 0; round < 5; round++) {
		Sum sum;

		for (uint64_t ns : {7ULL, 3000ULL, 900000ULL})
			hist_record(&h, &pool.p, ns + (uint64_t)round);
		EXPECT_EQ(pool.p.n_free, 0u);
		hist_sum_add(&sum, &h, &pool.p);
		EXPECT_EQ(hist_sum_quantile(&sum, 0.3), 7u + (uint64_t)round);
		EXPECT_EQ(sum.n, 3u);
		hist_clear(&h, &pool.p);
		EXPECT_EQ(pool.p.n_free, 3u);
		EXPECT_EQ(h.n, 0u);
		EXPECT_EQ(h.min_ns, UINT64_MAX);
	}
	EXPECT_EQ(pool.p.n_lost, 0u);
	for (uint32_t x = 0; x < 3; x++)
		for (uint32_t i = 0; i < HIST_SUB; i++)
			ASSERT_EQ(pool.p.chunk[x][i], 0u);
}

TEST(HistSum, MergeOfPartsEqualsTheWhole)
{
	Pool pool(200);
	struct hist part[4];
	struct hist whole;
	Sum sums[4];
	Sum merged;
	Sum all;

	hist_init(&whole);
	for (auto &p : part)
		hist_init(&p);
	for (uint64_t n = 0; n < 20000; n++) {
		uint64_t ns = (uint64_t)shapes[2](n);

		hist_record(&part[n % 4], &pool.p, ns);
		hist_record(&whole, &pool.p, ns);
	}
	hist_sum_add(&all, &whole, &pool.p);
	for (int i = 0; i < 4; i++) {
		hist_sum_add(&sums[i], &part[i], &pool.p);
		hist_sum_merge(&merged, &sums[i]);
	}
	EXPECT_EQ(merged.n, all.n);
	EXPECT_EQ(merged.sum_ns, all.sum_ns);
	EXPECT_EQ(merged.min_ns, all.min_ns);
	EXPECT_EQ(merged.max_ns, all.max_ns);
	for (double q = 0; q <= 1; q += 0.01)
		EXPECT_EQ(hist_sum_quantile(&merged, q), hist_sum_quantile(&all, q));
}

TEST(HistSum, ClearKeepsNothing)
{
	Pool pool;
	struct hist h;
	Sum sum;

	hist_init(&h);
	hist_record(&h, &pool.p, 1000);
	hist_sum_add(&sum, &h, &pool.p);
	hist_sum_clear(&sum);
	EXPECT_EQ(sum.n, 0u);
	EXPECT_EQ(sum.min_ns, UINT64_MAX);
	hist_clear(&h, &pool.p);
	hist_record(&h, &pool.p, 1010);
	hist_sum_add(&sum, &h, &pool.p);
	EXPECT_EQ(sum.n, 1u);
	EXPECT_EQ(hist_sum_quantile(&sum, 0), 1010u);
}

TEST(HistSum, MergeOfAnEmptyOneChangesNothing)
{
	Pool pool;
	struct hist h;
	Sum sum;
	Sum empty;

	hist_init(&h);
	hist_sum_add(&sum, &h, &pool.p);
	hist_sum_merge(&sum, &empty);
	EXPECT_EQ(sum.n, 0u);
	EXPECT_EQ(sum.min_ns, UINT64_MAX);
	EXPECT_EQ(sum.max_ns, 0u);
}

TEST(HistPool, MeasuringTakesWhatBuildingTakes)
{
	struct arena measure = {};
	struct hist_pool p;

	hist_pool_init(&p, 10, &measure);
	EXPECT_EQ(p.n_chunks, 0u);
	EXPECT_GE(measure.used, 10 * HIST_SUB * sizeof(uint32_t));

	Pool pool(10);

	EXPECT_EQ(pool.memory.a.used, measure.used);
	EXPECT_TRUE(arena_ok(&pool.memory.a));
	EXPECT_EQ(pool.p.n_free, 10u);
}
