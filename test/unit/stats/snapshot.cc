// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include "stats_snapshot.h"

#define TEST_COUNTERS(X) \
	X(opens, COUNTER_SUM, COUNTER_INFO, "1", "connections opened") \
	X(lost, COUNTER_SUM, COUNTER_ERROR, "1", "packets lost") \
	X(open_now, COUNTER_LEVEL, COUNTER_INFO, "1", "connections open")

struct test_counters {
	TEST_COUNTERS(COUNTER_FIELD)
};
static const struct counter_desc desc[] = {TEST_COUNTERS(COUNTER_DESC)};

TEST(Counter, TableMakesStructAndDescriptionsInTheSameOrder)
{
	EXPECT_EQ(sizeof(struct test_counters), sizeof(desc) / sizeof(desc[0]) * sizeof(uint64_t));
	EXPECT_EQ(offsetof(struct test_counters, open_now), 2 * sizeof(uint64_t));
	EXPECT_STREQ(desc[1].name, "lost");
	EXPECT_EQ(desc[1].severity, COUNTER_ERROR);
	EXPECT_EQ(desc[2].kind, COUNTER_LEVEL);
	EXPECT_STREQ(desc[2].help, "connections open");
}

TEST(Snapshot, CounterIsFoundByModuleAndName)
{
	const struct counter_set sets[] = {{"tcp", desc, 3, 0}, {"http", desc, 2, 3}};

	EXPECT_EQ(snapshot_find(sets, 2, "tcp", "opens"), 0);
	EXPECT_EQ(snapshot_find(sets, 2, "http", "lost"), 4);
	EXPECT_EQ(snapshot_find(sets, 2, "http", "open_now"), -1);
	EXPECT_EQ(snapshot_find(sets, 2, "udp", "opens"), -1);
	EXPECT_EQ(snapshot_find(sets, 0, "tcp", "opens"), -1);
}
