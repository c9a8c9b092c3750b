// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <gtest/gtest.h>
#include "memory.h"
#include "stats_cell.h"

class Cells : public ::testing::Test
{
      protected:
	Cells() : memory([&](struct arena *a) { cell_set_init(&set, 3, 100, a); })
	{
		EXPECT_EQ(cell_sum_init(&sum, 3), 0);
		EXPECT_EQ(cell_sum_init(&other, 3), 0);
		hist_sum_init(&out);
	}
	~Cells() override
	{
		cell_sum_fini(&sum);
		cell_sum_fini(&other);
		hist_sum_fini(&out);
	}

	void
	record(uint32_t content, enum cell_class c, enum cell_value v, uint64_t ns)
	{
		hist_record(&set.cell[content * CELL_N + c][v], &set.pool, ns);
	}

	struct cell_set set;
	struct cell_sum sum;
	struct cell_sum other;
	struct hist_sum out;
	Memory memory;
};

TEST_F(Cells, MarginalSumsContentsAndTheClassesAskedFor)
{
	record(0, CELL_HIT, CELL_SUM, 100);
	record(2, CELL_MISS, CELL_SUM, 200);
	record(1, CELL_5XX, CELL_SUM, 300);
	record(1, CELL_FAILED, CELL_SUM, 400);
	record(1, CELL_HIT, CELL_TTFB, 500);
	cell_sum_add(&sum, &set);

	cell_sum_marginal(&sum, CELL_SUM, CELL_SUCCESS_MASK, &out);
	EXPECT_EQ(out.n, 3u);
	EXPECT_EQ(out.sum_ns, 600u);
	EXPECT_EQ(out.max_ns, 300u);
	cell_sum_marginal(&sum, CELL_SUM, CELL_FAILED_MASK, &out);
	EXPECT_EQ(out.n, 1u);
	EXPECT_EQ(out.sum_ns, 400u);
	cell_sum_marginal(&sum, CELL_SUM, 1u << CELL_HIT | 1u << CELL_MISS, &out);
	EXPECT_EQ(out.sum_ns, 300u);
	cell_sum_marginal(&sum, CELL_TTFB, ~0u, &out);
	EXPECT_EQ(out.sum_ns, 500u);
	cell_sum_marginal(&sum, CELL_WAIT, ~0u, &out);
	EXPECT_EQ(out.n, 0u);
}

TEST_F(Cells, ClearedSetStartsANewWindowWithAllChunks)
{
	for (int window = 1; window <= 3; window++) {
		for (uint32_t content = 0; content < 3; content++)
			record(content, CELL_MISS, CELL_WIRE, 1000ULL << content);
		hist_record(&set.connect, &set.pool, 70);
		hist_record(&set.late, &set.pool, 80);
		cell_sum_add(&sum, &set);
		cell_set_clear(&set);
		EXPECT_EQ(set.pool.n_free, 100u);
		EXPECT_EQ(sum.connect.n, (uint64_t)window);
		EXPECT_EQ(sum.late.sum_ns, 80u * (uint64_t)window);
		cell_sum_marginal(&sum, CELL_WIRE, ~0u, &out);
		EXPECT_EQ(out.n, 3u * (uint64_t)window);
	}
}

TEST_F(Cells, LostRecordsAreSummedAndForgottenWithTheWindow)
{
	for (uint32_t octave = 0; octave < 30; octave++)
		for (uint32_t c = 0; c < 4; c++)
			record(0, (enum cell_class)c, CELL_SUM, 1024ULL << octave);
	EXPECT_EQ(set.pool.n_lost, 20u);
	cell_sum_add(&sum, &set);
	EXPECT_EQ(sum.n_lost, 20u);
	cell_set_clear(&set);
	EXPECT_EQ(set.pool.n_lost, 0u);
	cell_sum_merge(&other, &sum);
	EXPECT_EQ(other.n_lost, 20u);
}

TEST_F(Cells, MergeAddsEveryHistogram)
{
	record(1, CELL_3XX, CELL_WAIT, 10);
	hist_record(&set.connect, &set.pool, 20);
	hist_record(&set.late, &set.pool, 30);
	cell_sum_add(&sum, &set);
	cell_sum_merge(&other, &sum);
	cell_sum_merge(&other, &sum);
	EXPECT_EQ(other.cell[CELL_N + CELL_3XX][CELL_WAIT].sum_ns, 20u);
	EXPECT_EQ(other.connect.sum_ns, 40u);
	EXPECT_EQ(other.late.sum_ns, 60u);
	cell_sum_clear(&other);
	EXPECT_EQ(other.cell[CELL_N + CELL_3XX][CELL_WAIT].n, 0u);
	EXPECT_EQ(other.connect.n, 0u);
	EXPECT_EQ(other.late.n, 0u);
}

TEST(CellSum, NoContentsIsAServer)
{
	struct cell_sum s;
	struct hist_sum out;

	ASSERT_EQ(cell_sum_init(&s, 0), 0);
	hist_sum_init(&out);
	cell_sum_marginal(&s, CELL_SUM, ~0u, &out);
	EXPECT_EQ(out.n, 0u);
	cell_sum_fini(&s);
	cell_sum_fini(&s);
	hist_sum_fini(&out);
}
