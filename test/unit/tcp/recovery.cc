/* SPDX-License-Identifier: BSD-3-Clause */
/* Recovery between two hosts: round trips, drops at every place, path MTU. */
#include "link.h"
#include "script.h"

TEST(LossRtt, RtoFollowsTheRoundTrip)
{
	Link l;

	l.delay = 50 * MS;
	l.connect();
	for (int i = 0; i < 10; i++) {
		l.a.write(100);
		l.run(300 * MS);
	}
	uint64_t rto_ms = l.a.c().rto / l.a.t.ticks_per_ms;
	EXPECT_GE(rto_ms, 150u);
	EXPECT_LE(rto_ms, 1000u);
	EXPECT_GT(l.a.c().srtt >> 3, 125000u) << "from 100 ms at the handshake towards 140 ms";
	EXPECT_LT(l.a.c().srtt >> 3, 141000u);
	EXPECT_EQ(0u, l.a.k.rtx_segs);
}

TEST(LossRtt, JumpOfTheRoundTripCausesAtMostOneSpuriousTimeoutPerSample)
{
	for (int ts = 0; ts < 2; ts++) {
		struct tcp_config cfg = test_config();

		cfg.timestamps = (uint8_t)ts;
		Link l(1, 2, cfg, cfg);
		l.delay = 5 * MS;
		l.connect();
		for (int i = 0; i < 10; i++) {
			l.a.write(1000);
			l.run(100 * MS);
		}
		l.delay = 250 * MS;
		for (int i = 0; i < 10; i++) {
			l.a.write(1000);
			l.run(2 * SEC);
		}
		EXPECT_LE(l.a.k.rto_expired, 2u) << ts;
		EXPECT_EQ(20000u, l.b.received);
	}
}

TEST(LossRun, DropsOfOneOrTwoInAFlightAreRepairedWithoutTimeout)
{
	for (int sack = 0; sack < 2; sack++)
		for (uint32_t first = 3; first < 20; first++)
			for (uint32_t second : {first, first + 1, first + 2}) {
				struct tcp_config cfg = test_config();

				cfg.sack = (uint8_t)sack;
				Link l(0xffffff00, 2, cfg, cfg);
				l.hook = [&](bool from_a, uint32_t n, const Packet &) {
					Fate f;

					f.copies = from_a && (n == first || n == second) ? 0 : 1;
					return f;
				};
				l.connect();
				l.a.write(60000);
				l.run(SEC);
				EXPECT_EQ(60000u, l.b.received);
				EXPECT_EQ(0u, l.a.k.rto_expired)
					<< sack << " " << first << " " << second;
				EXPECT_EQ(1u, l.a.k.fast_rtx);
				EXPECT_FALSE(l.b.wrong_bytes);
			}
}

TEST(LossRun, SackRepairsManyHolesInFewRoundTrips)
{
	uint64_t took[2];

	for (int sack = 0; sack < 2; sack++) {
		struct tcp_config cfg = test_config();

		cfg.sack = (uint8_t)sack;
		cfg.initial_window_segs = 14;
		cfg.mss = 1000;
		Link l(1, 2, cfg, cfg);
		l.delay = 50 * MS;
		l.hook = [&](bool from_a, uint32_t n, const Packet &p) {
			Fate f;

			f.copies = from_a && n < 16 && p.v.len != 0 && n % 3 == 0 ? 0 : 1;
			return f;
		};
		l.connect();
		l.a.write(14000);
		uint64_t start = l.now;
		ASSERT_TRUE(l.run_until([&] { return l.b.received == 14000; }, 100 * SEC));
		took[sack] = l.now - start;
	}
	EXPECT_LT(took[1] + 150 * MS, took[0]);
}

TEST(LossRun, LossOfEachSingleSegmentOfATransactionIsSurvived)
{
	for (uint32_t k = 0; k < 24; k++) {
		Link l(0xfffffff0, 0x7ffffff0);

		l.hook = [&](bool from_a, uint32_t n, const Packet &) {
			Fate f;

			f.copies = n == k / 2 && from_a == (k & 1) ? 0 : 1;
			return f;
		};
		l.b.on_event = [&](uint32_t ev) {
			if (ev & TCP_EV_DATA) {
				tcp_stream_extend(&l.b.t, l.b.x, 7000);
				tcp_stream_end(&l.b.t, l.b.x);
			}
		};
		l.a.close_on_fin = true;
		l.connect();
		l.a.write(100);
		l.run(30 * SEC);
		EXPECT_EQ(7000u, l.a.received) << k;
		EXPECT_EQ(1u, l.a.n_fin);
		EXPECT_EQ(1u, l.b.n_fin);
		EXPECT_TRUE(l.over()) << k;
		EXPECT_FALSE((l.a.events | l.b.events) & (TCP_EV_RESET | TCP_EV_TIMEOUT));
		l.a.expect_empty();
		l.b.expect_empty();
	}
}

TEST(LossCc, NoneSendsTheWholeWindow)
{
	struct tcp_config cfg = test_config();

	cfg.cc = TCP_CC_NONE;
	Script s(1, 2, cfg);
	s.establish(true);
	s.write(45000);
	s.out();
	EXPECT_EQ(45u, s.last.size());
	s.wait(210 * MS);
	s.out();
	EXPECT_EQ(45u, s.last.size());
}

TEST(LossMtu, FragmentationNeededShrinksSegmentsAndResends)
{
	Script s;

	s.establish(true);
	s.write(2000);
	s.out();
	EXPECT_EQ(0, tcp_path_mtu(&s.t, s.x, s.iss + 1, 0));
	EXPECT_EQ(0, tcp_path_mtu(&s.t, s.x, s.iss + 1, 68));
	EXPECT_EQ(0, tcp_path_mtu(&s.t, s.x, s.iss + 1, 9000));
	EXPECT_EQ(0, tcp_path_mtu(&s.t, s.x, s.iss + 2001, 800)) << "not in flight";
	EXPECT_EQ(1, tcp_path_mtu(&s.t, s.x, s.iss + 1, 800));
	s.flush();
	EXPECT_EQ(". 1:761 ack 1\n. 761:1521 ack 1\nP. 1521:2001 ack 1", s.out());
}
