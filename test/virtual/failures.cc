/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"
#include <gtest/gtest.h>

static void
open_loop(struct plan &p, double rate)
{
	p.robots.arrival = PLAN_CONSTANT;
	p.robots.rate_per_sec = rate;
}

TEST(Failures, ABlackHoleEndsInConnectTimeoutsAtTheirDeadline)
{
	World w([](struct plan &p) {
		open_loop(p, 100);
		p.robots.connect_timeout_ns = 2000000000;
	});

	w.start();
	w.cable.hook = [](Frame &, bool to_server) { return !to_server; };
	w.run(5000000000);
	struct agent_counters c = w.client();
	EXPECT_NEAR((double)c.fail_connect_timeout, 300.0, 3.0);
	EXPECT_EQ(c.failed, c.fail_connect_timeout);
	EXPECT_GT(TCP_SUM(w, true, syn_rtx), 0u);
	w.finish();
	c = w.client();
	EXPECT_EQ(c.fail_cut, c.failed - c.fail_connect_timeout);
}

TEST(Failures, APortWithoutListenerIsRefusedAtNetworkSpeedAndTheScheduleGoesOn)
{
	World w([](struct plan &p) {
		struct net_range r;

		open_loop(p, 1000);
		ASSERT_EQ(net_range_parse("198.18.128.1:81", &r), 0);
		p.robots.origins[0] = r;
	});

	w.start();
	w.run(2000000000);
	struct agent_counters c = w.client();
	EXPECT_NEAR((double)c.scheduled, 2000.0, 2.0);
	EXPECT_NEAR((double)c.fail_refused, 2000.0, 3.0);
	EXPECT_EQ(c.completed, 0u);
	w.finish();
}

TEST(Failures, ASilentServerEndsInTimeoutsAtTheirOwnDeadline)
{
	World w([](struct plan &p) {
		struct err e;

		open_loop(p, 100);
		p.robots.timeout_ns = 500000000;
		ASSERT_EQ(dist_parse("10s", DIST_TIME_NS, &p.origin.xact_think, &e, "think"), 0);
	});

	w.start();
	w.run(2000000000);
	EXPECT_NEAR((double)w.client().fail_timeout, 150.0, 3.0);
	w.finish();
}

TEST(Failures, WhatIsInFlightAfterTheDrainIsCut)
{
	World w([](struct plan &p) {
		struct err e;

		open_loop(p, 100);
		ASSERT_EQ(dist_parse("60s", DIST_TIME_NS, &p.origin.xact_think, &e, "think"), 0);
	});

	w.start();
	w.run(1000000000);
	w.finish(500000000);
	EXPECT_NEAR((double)w.client().fail_cut, 100.0, 2.0);
}

TEST(Failures, ReplyStatusOutsideTheExpectedSetIsNeverCompleted)
{
	World w([](struct plan &p) {
		open_loop(p, 100);
		p.robots.expect_given = true;
		ASSERT_EQ(plan_status_parse("404", &p.robots.expect_status), 0);
	});

	w.start();
	w.run(1000000000);
	struct agent_counters c = w.client();
	EXPECT_EQ(c.completed, 0u);
	EXPECT_GT(c.fail_status, 95u);
	EXPECT_EQ(lane_failed_status(w.clients[0]->l)[200 - 100], c.fail_status);
	w.finish();
}

TEST(Failures, TooFewPortsAreDropsWithTheirCause)
{
	World w([](struct plan &p) {
		open_loop(p, 1000);
		p.robots.addrs[0].hi[3] = 1;
		p.robots.port_lo = 40000;
		p.robots.port_hi = 40019;
		p.robots.close = PLAN_CLOSE_FIN;
	});
	/* the origin never ends a connection: its FINs are lost, so ports stay taken */
	w.cable.hook = [](Frame &f, bool to_server) {
		return to_server || f.bytes.size() <= 60 || !(f.bytes[47] & NET_TCP_FIN);
	};
	w.start();
	w.run(1000000000);
	struct agent_counters c = w.client();
	EXPECT_GT(c.drop_port, 700u);
	EXPECT_EQ(c.dropped, c.drop_port);
	w.finish();
}

TEST(Failures, AStaleConnectionIsRetriedOnceAndCounted)
{
	World w([](struct plan &p) {
		struct err e;

		open_loop(p, 10);
		p.robots.n_robots = 1;
		ASSERT_EQ(dist_parse("1000", DIST_COUNT, &p.robots.pconn_use_lmt, &e, "use"), 0);
		/* the reply is acknowledged 50 ms after the request was sent; 45 ms later comes the
		 * FIN, which meets the next request under way */
		p.origin.idle_pconn_tout_ns = 45000000;
		p.robots.retry_stale = true;
	});

	w.cable.delay_ns = 5000000;
	w.start();
	w.run(5000000000);
	struct agent_counters c = w.client();
	EXPECT_EQ(c.failed, 0u);
	EXPECT_GT(c.retries, 10u);
	EXPECT_NEAR((double)c.completed, 50.0, 1.0);
	w.finish();
}

TEST(Failures, BestEffortBacksOffFromADeadTarget)
{
	World w([](struct plan &p) {
		struct net_range r;

		p.robots.n_robots = 1;
		ASSERT_EQ(net_range_parse("198.18.128.1:81", &r), 0);
		p.robots.origins[0] = r;
	});

	w.start();
	w.run(4000000000);
	/* 1, 2, 4 ... ms pauses, not a storm at wire speed */
	EXPECT_LT(w.client().scheduled, 30u);
	EXPECT_GT(w.client().fail_refused, 5u);
	w.finish();
}
