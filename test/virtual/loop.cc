/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"
#include <cstring>
#include <gtest/gtest.h>

static void
use_limit(struct plan &p, const char *text)
{
	struct err e;

	ASSERT_EQ(dist_parse(text, DIST_COUNT, &p.robots.pconn_use_lmt, &e, "use"), 0);
}

static void
reply_size(struct plan &p, const char *text)
{
	struct err e;

	ASSERT_EQ(dist_parse(text, DIST_SIZE_BYTES, &p.origin.rep_size, &e, "size"), 0);
}

static void
run_quota(World &w, uint64_t quota, uint64_t limit_ns = 60000000000)
{
	w.start(quota);
	ASSERT_TRUE(w.run_until(
		[&] {
			struct agent_counters c = w.client();

			return c.completed + c.failed + c.dropped >= quota;
		},
		limit_ns));
	w.finish();
}

TEST(Loop, KeepAliveTransactionsAreExactOnBothSides)
{
	World w([](struct plan &p) {
		p.robots.n_robots = 100;
		use_limit(p, "1000000");
	});

	run_quota(w, 20000);
	struct agent_counters c = w.client();
	struct agent_counters s = w.server();
	EXPECT_EQ(c.scheduled, 20000u);
	EXPECT_EQ(c.completed, 20000u);
	EXPECT_EQ(c.misses, 20000u);
	EXPECT_EQ(c.status_2xx, 20000u);
	EXPECT_EQ(c.conn_opened, 100u);
	EXPECT_EQ(s.requests_in, 20000u);
	EXPECT_EQ(s.replies_out, 20000u);
	EXPECT_EQ(c.rep_body_bytes, 2000000u);
	EXPECT_EQ(s.rep_body_bytes, c.rep_body_bytes);
	EXPECT_EQ(s.rep_header_bytes, c.rep_header_bytes);
	EXPECT_EQ(s.req_bytes, c.req_bytes);
	EXPECT_EQ(TCP_SUM(w, true, rtx_segs) + TCP_SUM(w, false, rtx_segs), 0u);
	EXPECT_EQ(TCP_SUM(w, true, bytes_in), TCP_SUM(w, false, bytes_out));
	EXPECT_EQ(TCP_SUM(w, false, bytes_in), TCP_SUM(w, true, bytes_out));
}

TEST(Loop, OneRequestPerConnectionEndsByFinOnBothSides)
{
	World w([](struct plan &p) { p.robots.n_robots = 64; });

	run_quota(w, 5000);
	struct agent_counters c = w.client();
	EXPECT_EQ(c.completed, 5000u);
	EXPECT_EQ(c.conn_opened, 5000u);
	EXPECT_EQ(c.conn_closed_by_peer, 5000u);
	EXPECT_EQ(w.server().conn_opened, 5000u);
	EXPECT_EQ(w.server().conn_closed_by_peer, 0u);
	EXPECT_EQ(TCP_SUM(w, true, rst_out) + TCP_SUM(w, false, rst_out), 0u);
	/* the origin closes first: TIME-WAIT is its own */
	EXPECT_EQ(TCP_SUM(w, false, tw_entered), 5000u);
	EXPECT_EQ(TCP_SUM(w, true, tw_entered), 0u);
}

TEST(Loop, AConnectionOfOneRequestTakesSixPackets)
{
	World w([](struct plan &p) { p.robots.n_robots = 1; });

	w.start(1000);
	uint64_t before = w.frames_to_server + w.frames_to_client;
	ASSERT_TRUE(w.run_until([&] { return w.client().completed == 1000; }, 10000000000));
	uint64_t frames = w.frames_to_server + w.frames_to_client - before;
	/* SYN, SYN-ACK, ACK + request, reply + FIN, FIN-ACK, ACK; ARP refreshes are the slack */
	EXPECT_LE(frames, 6020u);
	w.finish();
}

TEST(Loop, RepliesOfOneMegabyteArriveWholeAndVerified)
{
	World w([](struct plan &p) {
		p.robots.n_robots = 4;
		use_limit(p, "10");
		reply_size(p, "1MB");
	});

	run_quota(w, 100);
	EXPECT_EQ(w.client().completed, 100u);
	EXPECT_EQ(w.client().rep_body_bytes, 100u << 20);
	EXPECT_EQ(w.client().fail_content, 0u);
	EXPECT_EQ(TCP_SUM(w, false, rtx_segs), 0u);
}

TEST(Loop, PostBodiesReachTheOriginAsTheyMust)
{
	World w([](struct plan &p) {
		struct err e;

		p.robots.n_robots = 8;
		p.robots.method = HTTP_POST;
		use_limit(p, "5");
		ASSERT_EQ(dist_parse("unif:1,40000", DIST_SIZE_BYTES, &p.robots.body_size, &e, "b"),
			0);
	});

	run_quota(w, 500);
	EXPECT_EQ(w.client().completed, 500u);
	EXPECT_EQ(w.server().requests_in, 500u);
	EXPECT_EQ(w.server().bad_content_in, 0u);
	EXPECT_GT(w.client().req_bytes, 500u * 10000);
}

TEST(Loop, HeadRepliesHaveNoBodyAndKeepTheConnection)
{
	World w([](struct plan &p) {
		p.robots.n_robots = 1;
		p.robots.method = HTTP_HEAD_METHOD;
		use_limit(p, "1000");
	});

	run_quota(w, 100);
	EXPECT_EQ(w.client().completed, 100u);
	EXPECT_EQ(w.client().rep_body_bytes, 0u);
	EXPECT_EQ(w.client().conn_opened, 1u);
}

TEST(Loop, Http10ClosesUnlessKeptAlive)
{
	World w([](struct plan &p) {
		p.robots.n_robots = 1;
		p.robots.http_minor = 0;
		use_limit(p, "10");
	});

	run_quota(w, 100);
	EXPECT_EQ(w.client().completed, 100u);
	EXPECT_EQ(w.client().conn_opened, 10u);
}

TEST(Loop, ThinkTimeDelaysTheReplyAndShowsInTheResponse)
{
	World w([](struct plan &p) {
		struct err e;

		p.robots.n_robots = 5;
		use_limit(p, "100");
		ASSERT_EQ(dist_parse("20ms", DIST_TIME_NS, &p.origin.xact_think, &e, "think"), 0);
	});

	w.start(500);
	ASSERT_TRUE(w.run_until([&] { return w.client().completed == 500; }, 10000000000));
	struct hist_sum h = w.responses();
	EXPECT_NEAR((double)hist_sum_quantile(&h, 0.5), 20.05e6, 0.2e6);
	EXPECT_LT(hist_sum_quantile(&h, 0.99), 21000000u);
	hist_sum_fini(&h);
	w.finish();
}

TEST(Loop, LossCostsTimeButNoTransaction)
{
	uint64_t n = 0;
	World w([](struct plan &p) {
		p.robots.n_robots = 20;
		use_limit(p, "20");
		reply_size(p, "20KB");
	});

	w.cable.hook = [&](Frame &, bool) { return rng_at(99, n++) % 100 != 0; };
	run_quota(w, 2000, 600000000000);
	EXPECT_EQ(w.client().completed, 2000u);
	EXPECT_GT(TCP_SUM(w, true, rtx_segs) + TCP_SUM(w, false, rtx_segs), 0u);
}

TEST(Loop, DuplicatedReorderedAndCorruptFramesNeverHarmContent)
{
	uint64_t n = 0;
	World w([](struct plan &p) {
		p.robots.n_robots = 20;
		use_limit(p, "20");
		reply_size(p, "20KB");
	});

	w.cable.hook = [&](Frame &f, bool) {
		uint64_t r = rng_at(7, n++) % 200;

		if (r == 0)
			f.bytes[f.bytes.size() - 1 - n % 20] ^= 0x20;
		if (r < 10)
			f.at += 300000;
		return true;
	};
	run_quota(w, 2000, 600000000000);
	EXPECT_EQ(w.client().completed, 2000u);
	EXPECT_EQ(w.client().fail_content, 0u);
}

TEST(Loop, AReplyLargerThanAPieceOfTheStreamIsWhole)
{
	World w([](struct plan &p) {
		p.robots.n_robots = 1;
		p.tcp.rcv_wnd = 64u << 20;
		p.tcp.wscale = 14;
		p.tcp.cc = TCP_CC_NONE;
		reply_size(p, "600MB");
	});

	/* pieces are 256 MB: the slot's base has to move twice */
	w.step_ns = 20000000;
	w.cable.delay_ns = 1000;
	run_quota(w, 1, 600000000000);
	EXPECT_EQ(w.client().completed, 1u);
	EXPECT_EQ(w.client().rep_body_bytes, 600u << 20);
}
