/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"
#include <gtest/gtest.h>

static void
common(struct plan &p)
{
	struct err e;

	p.robots.n_robots = 60;
	ASSERT_EQ(dist_parse("7", DIST_COUNT, &p.robots.pconn_use_lmt, &e, "use"), 0);
}

TEST(Steer, LanesThatAnswerOnTheirQueueNeverSeeAForeignFrame)
{
	World w(common, 3);

	w.start(3000);
	ASSERT_TRUE(w.run_until([&] { return w.client().completed == 3000; }, 10000000000));
	for (auto &n : w.clients)
		EXPECT_EQ(lane_counters_get(n->l)->lane.wrong_lcore, 0u);
	w.finish();
}

TEST(Steer, FramesOnTheWrongQueueReachTheirOwnerAndAreCounted)
{
	uint64_t n = 0;
	World w(common, 3);

	w.cable.steer = [&](const Frame &, size_t, bool) { return rng_at(3, n++) % 3; };
	w.start(3000);
	ASSERT_TRUE(w.run_until([&] { return w.client().completed == 3000; }, 20000000000));
	uint64_t wrong = 0;
	uint64_t redirected = 0;
	for (auto *side : {&w.clients, &w.servers})
		for (auto &node : *side) {
			wrong += lane_counters_get(node->l)->lane.wrong_lcore;
			redirected += lane_counters_get(node->l)->lane.redirected_in;
		}
	EXPECT_GT(wrong, 1000u);
	EXPECT_EQ(wrong, redirected);
	EXPECT_EQ(w.client().failed, 0u);
	w.finish();
}
