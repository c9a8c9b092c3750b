/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"
#include <gtest/gtest.h>

TEST(Close, RstByChoiceLeavesNoTimeWaitAnywhere)
{
	World w([](struct plan &p) {
		struct err e;

		p.robots.n_robots = 10;
		p.robots.close = PLAN_CLOSE_RST;
		ASSERT_EQ(dist_parse("3", DIST_COUNT, &p.robots.pconn_use_lmt, &e, "use"), 0);
	});

	w.start(300);
	ASSERT_TRUE(w.run_until([&] { return w.client().completed == 300; }, 5000000000));
	EXPECT_EQ(TCP_SUM(w, true, tw_entered), 0u);
	EXPECT_GE(TCP_SUM(w, true, rst_out), 99u);
	w.finish();
}

TEST(Close, IdleConnectionsEndByFinInTheDrain)
{
	World w([](struct plan &p) {
		struct err e;

		p.robots.n_robots = 50;
		ASSERT_EQ(dist_parse("1000", DIST_COUNT, &p.robots.pconn_use_lmt, &e, "use"), 0);
	});

	w.start(500);
	ASSERT_TRUE(w.run_until([&] { return w.client().completed == 500; }, 5000000000));
	EXPECT_EQ(w.client().conn_open_now, 50u);
	w.finish();
	EXPECT_EQ(TCP_SUM(w, true, rst_out) + TCP_SUM(w, false, rst_out), 0u);
	EXPECT_EQ(w.client().conn_closed, 50u);
}

TEST(Close, ALostFinIsSentAgainAndNothingLeaks)
{
	int lost = 0;
	World w([](struct plan &p) { p.robots.n_robots = 1; });

	w.cable.hook = [&](Frame &f, bool) {
		return !((f.bytes[47] & NET_TCP_FIN) && f.bytes[12] == 8 && f.bytes[13] == 0 &&
			 lost++ < 3);
	};
	w.start(10);
	ASSERT_TRUE(w.run_until([&] { return w.client().completed == 10; }, 20000000000));
	w.finish(5000000000);
}
