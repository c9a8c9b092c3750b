// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <vector>
#include <gtest/gtest.h>
#include "base_rng.h"
#include "base_wheel.h"

static const uint64_t TICK = 1ULL << WHEEL_SHIFT;
static const uint64_t FAR = 1ULL << 24; /* ticks: from here on due is rounded to 256 ticks */

struct block {
	uint64_t something;
	struct wheel_link link;
};
static_assert(sizeof(struct wheel_link) == 8, "two lines of a connection depend on it");

class Wheel : public ::testing::Test
{
      public:
	explicit Wheel(uint64_t now = 0, size_t n = 512) : blocks(n), w(new struct wheel)
	{
		for (auto &b : blocks)
			wheel_link_init(&b.link);
		wheel_init(w.get(), blocks.data(), sizeof(block), offsetof(block, link),
			WHEEL_SHIFT, now);
	}

	std::set<uint32_t>
	expire(uint64_t now, uint32_t batch = 32)
	{
		std::vector<uint32_t> out(batch);
		std::set<uint32_t> all;
		uint32_t n;

		do {
			n = wheel_expire(w.get(), now, out.data(), batch);
			for (uint32_t i = 0; i < n; i++)
				EXPECT_TRUE(all.insert(out[i]).second) << "taken out twice";
		} while (n == batch);
		return all;
	}

	void
	TestBody() override
	{
	}

	std::vector<block> blocks;
	std::unique_ptr<struct wheel> w;
};

using Set = std::set<uint32_t>;

TEST_F(Wheel, DueTimeIsRoundedUpToTheNextTick)
{
	wheel_arm(w.get(), 3, 5 * TICK + 1);
	EXPECT_TRUE(wheel_link_armed(&blocks[3].link));
	EXPECT_EQ(expire(6 * TICK - 1), Set{});
	EXPECT_EQ(expire(6 * TICK), Set{3});
	EXPECT_FALSE(wheel_link_armed(&blocks[3].link));
	wheel_arm(w.get(), 3, 9 * TICK);
	EXPECT_EQ(expire(9 * TICK - 1), Set{});
	EXPECT_EQ(expire(9 * TICK), Set{3});
	EXPECT_EQ(w->n_armed, 0u);
}

TEST_F(Wheel, RearmMovesTheBlockBothWays)
{
	wheel_arm(w.get(), 1, 1000 * TICK);
	wheel_arm(w.get(), 1, 10 * TICK);
	EXPECT_EQ(w->n_armed, 1u);
	EXPECT_EQ(expire(10 * TICK), Set{1});
	wheel_arm(w.get(), 1, 20 * TICK);
	wheel_arm(w.get(), 1, 70000 * TICK);
	EXPECT_EQ(expire(70000 * TICK - 1), Set{});
	EXPECT_EQ(expire(70000 * TICK), Set{1});
}

TEST_F(Wheel, DisarmedBlockNeverComesOut)
{
	for (uint32_t x = 0; x < 5; x++)
		wheel_arm(w.get(), x, 7 * TICK);
	wheel_disarm(w.get(), 0); /* first, middle and last of a list */
	wheel_disarm(w.get(), 2);
	wheel_disarm(w.get(), 4);
	wheel_disarm(w.get(), 4);
	wheel_disarm(w.get(), 9);
	EXPECT_EQ(w->n_armed, 2u);
	EXPECT_EQ(expire(7 * TICK), (Set{1, 3}));
}

TEST_F(Wheel, PastDueComesOutAtTheNextTick)
{
	EXPECT_EQ(expire(100 * TICK), Set{});
	wheel_arm(w.get(), 1, 3 * TICK);
	EXPECT_EQ(wheel_next(w.get()), 101 * TICK);
	EXPECT_EQ(expire(101 * TICK), Set{1});
}

TEST_F(Wheel, BatchesLeaveTheRestForTheNextCall)
{
	uint32_t out[4];

	for (uint32_t x = 0; x < 10; x++)
		wheel_arm(w.get(), x, 256 * TICK);
	EXPECT_EQ(wheel_expire(w.get(), 300 * TICK, out, 4), 4u);
	EXPECT_EQ(w->n_armed, 6u);
	EXPECT_LE(wheel_next(w.get()), 256 * TICK);
	Set left;
	for (uint32_t x = 0; x < 10; x++)
		if (wheel_link_armed(&blocks[x].link))
			left.insert(x);
	ASSERT_EQ(left.size(), 6u);
	wheel_disarm(w.get(), *left.begin()); /* one of them is the slot's new first */
	wheel_disarm(w.get(), *left.rbegin());
	left.erase(left.begin());
	left.erase(*left.rbegin());
	EXPECT_EQ(expire(300 * TICK, 4), left);
	EXPECT_EQ(w->n_armed, 0u);
}

TEST_F(Wheel, NextIsExactInLevelZeroAndALowerBoundAbove)
{
	EXPECT_EQ(wheel_next(w.get()), UINT64_MAX);
	wheel_arm(w.get(), 1, 1000000 * TICK);
	EXPECT_LE(wheel_next(w.get()), 1000000 * TICK);
	EXPECT_GT(wheel_next(w.get()), 900000 * TICK);
	wheel_arm(w.get(), 2, 255 * TICK);
	EXPECT_EQ(wheel_next(w.get()), 255 * TICK);
	wheel_disarm(w.get(), 2);
	wheel_disarm(w.get(), 1);
	EXPECT_EQ(wheel_next(w.get()), UINT64_MAX);
}

/* An idle lane sleeps to wheel_next(): it must get there in few steps and never past a due time. */
TEST_F(Wheel, FollowingNextReachesEveryDueTime)
{
	for (uint64_t due : {1ULL, 255ULL, 256ULL, 257ULL, 65535ULL, 65536ULL, 65537ULL,
		     16777215ULL, 16777216ULL, 4000000256ULL}) {
		int steps = 0;

		uint64_t at = w->tick + due;

		wheel_arm(w.get(), 7, at * TICK);
		for (;;) {
			uint64_t next = wheel_next(w.get());

			ASSERT_LT(steps++, 8);
			ASSERT_LE(next, (at + 255) * TICK);
			if (expire(next).count(7) != 0) {
				EXPECT_GE(next, at * TICK);
				break;
			}
		}
	}
}

TEST_F(Wheel, FarTimesAreRoundedUpByLessThan256Ticks)
{
	wheel_arm(w.get(), 1, (FAR + 1) * TICK);
	EXPECT_EQ(expire(FAR * TICK), Set{});
	EXPECT_EQ(expire((FAR + 256) * TICK - 1), Set{});
	EXPECT_EQ(expire((FAR + 256) * TICK), Set{1});
	wheel_arm(w.get(), 1, w->tick * TICK + (FAR - 1) * TICK);
	EXPECT_EQ(expire((2 * FAR + 255) * TICK), Set{});
	EXPECT_EQ(expire((2 * FAR + 256) * TICK), Set{1});
}

TEST_F(Wheel, BeyondTheSpanIsParkedAndComesOutEarly)
{
	wheel_arm(w.get(), 1, UINT64_MAX);
	EXPECT_EQ(expire(((1ULL << 32) - 257) * TICK), Set{});
	EXPECT_EQ(expire((1ULL << 32) * TICK), Set{1});
}

/* What the wheel promises, kept as a map from block to due tick. */
struct model {
	std::map<uint32_t, std::pair<uint64_t, uint64_t>> due; /* first and last tick allowed */
	uint64_t tick;

	void
	arm(uint32_t x, uint64_t at)
	{
		uint64_t t = at / TICK + (at % TICK != 0);
		uint64_t last;

		t = std::max(t, tick);
		last = t - tick >= FAR ? t + 255 : t;
		if (t - tick > UINT32_MAX - 255ULL)
			t = tick + UINT32_MAX - 255ULL, last = tick + UINT32_MAX;
		due[x] = {t, last};
	}

	void
	check(const Set &out, uint64_t now)
	{
		for (uint32_t x : out) {
			ASSERT_EQ(due.count(x), 1u) << x << " was not armed";
			ASSERT_LE(due[x].first, now) << x << " came out early";
			due.erase(x);
		}
		for (auto &d : due)
			ASSERT_GT(d.second.second, now) << d.first << " is overdue";
		tick = std::max(tick, now + 1);
	}
};

struct dice {
	uint64_t key;
	uint64_t n;

	uint64_t
	below(uint64_t limit)
	{
		return rng_below(rng_at(key, n++), limit);
	}

	/* Of any magnitude up to 2^bits. */
	uint64_t
	magnitude(uint64_t bits)
	{
		uint64_t shift = 63 - below(bits);

		return rng_at(key, n++) >> shift;
	}
};

/* A few timers set, moved and stopped. */
static void
disturb(Wheel &t, model &m, dice &d, uint64_t now)
{
	for (int i = 0; i < 6; i++) {
		uint32_t x = (uint32_t)d.below(t.blocks.size());
		uint64_t due = now + d.magnitude(50);

		if (d.below(4) == 0) {
			wheel_disarm(t.w.get(), x);
			m.due.erase(x);
		} else {
			wheel_arm(t.w.get(), x, due);
			m.arm(x, due);
		}
	}
	ASSERT_EQ(t.w->n_armed, m.due.size());
}

/* Random life of 512 timers: distances of every magnitude, steps from nothing to several turns of
 * the top level, starting just before the wrap of each level. */
static void
live(uint64_t first_tick, uint64_t seed, uint64_t max_step_bits)
{
	Wheel t(first_tick * TICK);
	model m = {{}, first_tick};
	dice d = {rng_key(seed, 1), 0};
	uint64_t now = first_tick * TICK;

	for (int round = 0; round < 4000; round++) {
		disturb(t, m, d, now);
		if (d.below(3) != 0)
			now += d.magnitude(max_step_bits);
		else if (wheel_next(t.w.get()) != UINT64_MAX)
			now = std::max(now, wheel_next(t.w.get()));
		m.check(t.expire(now, 1 + round % 7), now / TICK);
		if (::testing::Test::HasFatalFailure())
			FAIL() << "round " << round << " seed " << seed;
		for (auto &row : m.due)
			ASSERT_LE(wheel_next(t.w.get()), row.second.second * TICK);
	}
}

TEST(WheelModel, RandomLifeInSmallSteps)
{
	live(0, 1, 20);
}

TEST(WheelModel, RandomLifeAcrossTheWrapOfEachLevel)
{
	live(250, 2, 18);
	live(65530, 3, 20);
	live((1ULL << 24) - 100, 4, 22);
	live((1ULL << 32) - 1000, 5, 24);
	live((1ULL << 40) - 5, 6, 30);
}

TEST(WheelModel, RandomLifeWithJumpsBeyondTheSpan)
{
	live(12345, 7, 40);
	live(777, 8, 49);
}
