/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"
#include "net_csum.h"
#include <cstring>
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

/* ICMP "fragmentation needed" from a router, for a frame that it did not pass on. */
static std::vector<uint8_t>
frag_needed(const std::vector<uint8_t> &lost, uint16_t mtu)
{
	std::vector<uint8_t> f(14 + 20 + 8 + 28);
	uint8_t *ip = f.data() + 14;
	uint8_t *icmp = ip + 20;

	memcpy(f.data(), lost.data() + 6, 6);
	memcpy(f.data() + 6, lost.data(), 6);
	f[12] = 8;
	ip[0] = 0x45;
	store_be16(ip + 2, 20 + 8 + 28);
	ip[8] = 64;
	ip[9] = 1;
	memcpy(ip + 12, lost.data() + 30, 4);
	memcpy(ip + 16, lost.data() + 26, 4);
	icmp[0] = 3;
	icmp[1] = 4;
	store_be16(icmp + 6, mtu);
	memcpy(icmp + 8, lost.data() + 14, 28);
	uint16_t sum = (uint16_t)~net_csum_fold(net_csum_add(0, ip, 20));
	memcpy(ip + 10, &sum, 2);
	sum = (uint16_t)~net_csum_fold(net_csum_add(0, icmp, 8 + 28));
	memcpy(icmp + 2, &sum, 2);
	return f;
}

TEST(Failures, ANarrowPathMakesSegmentsSmallerNotTransfersHang)
{
	uint64_t n_told = 0;
	World w([](struct plan &p) {
		struct err e;

		p.robots.n_robots = 4;
		ASSERT_EQ(dist_parse("100KB", DIST_SIZE_BYTES, &p.origin.rep_size, &e, "size"), 0);
	});

	w.cable.hook = [&](Frame &f, bool to_server) {
		if (to_server || f.bytes.size() <= 14 + 1000)
			return true;
		n_told++;
		w.servers[0]->inbox.push_back({w.now, frag_needed(f.bytes, 1000), false});
		return false;
	};
	w.start(40);
	ASSERT_TRUE(w.run_until([&] { return w.client().completed == 40; }, 20000000000));
	EXPECT_GT(n_told, 0u);
	EXPECT_EQ(TCP_SUM(w, false, rto_expired), 0u);
	w.finish();
}
