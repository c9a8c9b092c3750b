/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"
#include <gtest/gtest.h>

static void
keep_alive(struct plan &p)
{
	struct err e;

	ASSERT_EQ(dist_parse("1000000", DIST_COUNT, &p.robots.pconn_use_lmt, &e, "use"), 0);
}

TEST(Pace, ConstantRateIsOfferedExactly)
{
	World w([](struct plan &p) {
		p.robots.arrival = PLAN_CONSTANT;
		p.robots.rate_per_sec = 1000;
		keep_alive(p);
	});

	w.start();
	w.run(10000000000);
	EXPECT_NEAR((double)w.client().sent, 10000.0, 2.0);
	EXPECT_EQ(w.client().failed, 0u);
	w.finish();
}

TEST(Pace, AStalledServerDelaysNoLaunchAndShowsInTheResponse)
{
	World w([](struct plan &p) {
		p.robots.n_robots = 2000;
		p.robots.arrival = PLAN_CONSTANT;
		p.robots.rate_per_sec = 1000;
		keep_alive(p);
	});

	w.start();
	w.run(8000000000);
	uint64_t before = w.client().sent;
	for (auto &s : w.servers)
		s->busy_until = w.now + 2000000000;
	w.run(2000000000);
	EXPECT_NEAR((double)(w.client().sent - before), 2000.0, 20.0);
	w.run(10000000000);
	struct hist_sum h = w.responses();
	EXPECT_LT(hist_sum_quantile(&h, 0.5), 2000000u);
	/* 2,000 of 20,000 waited up to 2 s: p95 is the middle of them */
	EXPECT_NEAR((double)hist_sum_quantile(&h, 0.95), 1.0e9, 0.2e9);
	EXPECT_NEAR((double)hist_sum_quantile(&h, 0.99), 1.8e9, 0.2e9);
	hist_sum_fini(&h);
	EXPECT_EQ(w.client().failed, 0u);
	w.finish();
}

TEST(Pace, AStalledGeneratorCatchesUpWithoutAStormAndCountsItsLateness)
{
	World w([](struct plan &p) {
		p.robots.n_robots = 100;
		p.robots.arrival = PLAN_CONSTANT;
		p.robots.rate_per_sec = 10000;
		keep_alive(p);
	});

	w.start();
	w.run(1000000000);
	uint64_t sent = w.client().sent;
	w.clients[0]->busy_until = w.now + 100000000;
	w.run(100000000);
	for (int i = 0; i < 10; i++) {
		w.run(10000000);
		EXPECT_LE(w.client().sent - sent, 220u);
		sent = w.client().sent;
	}
	w.run(1000000000);
	struct agent_counters c = w.client();
	EXPECT_LE(c.scheduled - c.sent, 2u);
	EXPECT_GT(c.late_1ms, 900u);
	w.finish();
}

TEST(Pace, ConstantGapsOfTwoLanesAreEvenTogether)
{
	std::vector<uint64_t> at;
	World w(
		[](struct plan &p) {
			p.robots.arrival = PLAN_CONSTANT;
			p.robots.rate_per_sec = 1000;
			p.robots.n_robots = 10;
		},
		2);

	w.cable.hook = [&](Frame &f, bool to_server) {
		if (to_server && f.bytes[13] == 0 && f.bytes[47] == NET_TCP_SYN)
			at.push_back(f.at);
		return true;
	};
	w.start();
	w.run(1000000000);
	ASSERT_GT(at.size(), 990u);
	for (size_t i = 1; i < at.size(); i++)
		EXPECT_NEAR((double)(at[i] - at[i - 1]), 1e6, 3e4);
	w.finish();
}

TEST(Pace, AQuotaIsMetExactly)
{
	World w([](struct plan &p) {
		p.robots.arrival = PLAN_POISSON;
		p.robots.rate_per_sec = 5000;
		keep_alive(p);
	});

	w.start(3000);
	w.run(3000000000);
	EXPECT_EQ(w.client().scheduled, 3000u);
	EXPECT_EQ(w.client().completed, 3000u);
	w.finish();
}

TEST(Pace, TheConnectionLimitOfARobotMakesRequestsWaitNotVanish)
{
	World w([](struct plan &p) {
		struct err e;

		p.robots.n_robots = 1;
		p.robots.open_conn_lmt = 2;
		p.robots.arrival = PLAN_CONSTANT;
		p.robots.rate_per_sec = 400;
		keep_alive(p);
		ASSERT_EQ(dist_parse("10ms", DIST_TIME_NS, &p.origin.xact_think, &e, "think"), 0);
	});

	w.start();
	w.run(1000000000);
	/* 2 connections x 100/s is what the limit lets through; the rest waits */
	struct agent_counters c = w.client();
	EXPECT_NEAR((double)c.completed, 200.0, 4.0);
	EXPECT_EQ(c.dropped, 0u);
	EXPECT_LE(c.conn_opened, 2u);
	w.finish();
	EXPECT_GT(w.client().drop_stop, 150u);
}
