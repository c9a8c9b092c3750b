/* SPDX-License-Identifier: BSD-3-Clause */
/* Loss recovery and congestion control: RFC 6298, 5681, 6582, 3042, 2018, 6675 in part. */
#include "link.h"
#include "script.h"

class Loss : public EveryRole
{
};

INSTANTIATE_TEST_SUITE_P(Roles, Loss, testing::ValuesIn(role_isns));

TEST_P(Loss, TimeoutDoublesAndResendsFromSndUnaThenGivesUp)
{
	auto s = established();
	std::vector<uint64_t> at;

	s->write(100);
	EXPECT_EQ("P. 1:101 ack 1", s->out());
	uint64_t start = s->sim_now;
	while (s->x != TCP_NONE && s->sim_now < start + 1000 * SEC) {
		s->wait(MS);
		if (s->sent.empty())
			continue;
		EXPECT_EQ("P. 1:101 ack 1", s->out());
		at.push_back(s->sim_now);
	}
	ASSERT_EQ(8u, at.size());
	EXPECT_NEAR(0.2, (double)(at[0] - start) / SEC, 0.002);
	for (size_t i = 1; i < at.size(); i++)
		EXPECT_NEAR(0.2 * (1 << i), (double)(at[i] - at[i - 1]) / SEC, 0.002);
	EXPECT_TRUE(s->events & TCP_EV_TIMEOUT);
	EXPECT_EQ(TCP_ESTABLISHED, s->end_state);
	EXPECT_EQ(8u, s->k.rto_expired);
	EXPECT_EQ(8u, s->k.rtx_segs);
	EXPECT_EQ(100u, s->k.bytes_out);
}

TEST_P(Loss, BackoffEndsWithNewDataAcknowledged)
{
	Opts o;

	o.ts = true;
	auto s = established(o);
	s->write(100);
	s->wait(1500 * MS); /* 0.2, 0.6, 1.4 s */
	s->out();
	EXPECT_EQ(3u, s->last.size() - 1);
	s->ts_ecr = s->last.back().s.ts_val;
	s->in(ACK, 1, 101);
	s->write(100);
	s->out();
	s->wait(450 * MS);
	EXPECT_NE("", s->out()) << "the timestamp told which one was answered";
}

TEST_P(Loss, BackoffStaysWithoutAValidSample)
{
	auto s = established();

	s->write(100);
	s->wait(1500 * MS);
	s->in(ACK, 1, 101);
	s->out();
	s->write(100);
	s->out();
	s->wait(1590 * MS);
	EXPECT_EQ("", s->out()) << "Karn: 200 ms doubled three times";
	s->wait(20 * MS);
	EXPECT_EQ("P. 101:201 ack 1", s->out());
}

TEST_P(Loss, TimeoutGoesBackAndSlowStartsFromOneSegment)
{
	auto s = established();

	s->write(5000);
	s->out();
	s->wait(210 * MS);
	EXPECT_EQ(". 1:1001 ack 1", s->out());
	s->in(ACK, 1, 1001);
	EXPECT_EQ(". 1001:2001 ack 1\n. 2001:3001 ack 1", s->out());
	s->in(ACK, 1, 5001); /* the others had arrived: above snd_nxt, below what was sent */
	EXPECT_EQ("", s->out());
	EXPECT_EQ(5000u, s->acked);
	EXPECT_EQ(5001u, s->c().snd_nxt - s->iss);
	EXPECT_EQ(0u, s->c().rto_due);
}

TEST_P(Loss, SsthreshIsHalvedOncePerSegment)
{
	auto s = established();

	s->write(10000);
	s->out();
	s->wait(210 * MS);
	EXPECT_EQ(5000u, s->c().ssthresh);
	s->wait(500 * MS);
	EXPECT_EQ(5000u, s->c().ssthresh);
	EXPECT_EQ(1000u, s->c().cwnd);
}

TEST_P(Loss, InitialWindowIsTenSegments)
{
	auto s = established();

	s->write(100000);
	s->out();
	EXPECT_EQ(10u, s->last.size());
	s->in(ACK, 1, 2001);
	s->out();
	EXPECT_EQ(4u, s->last.size()) << "slow start by bytes, two segments an ACK at most";
}

TEST_P(Loss, CongestionAvoidanceGrowsByOneSegmentPerWindow)
{
	auto s = established();

	s->c().ssthresh = 10000;
	s->write(1000000);
	s->out();
	for (uint32_t i = 1; i <= 10; i++)
		s->in(ACK, 1, 1 + i * 1000);
	EXPECT_NEAR(11000, (int)s->c().cwnd, 60);
}

TEST_P(Loss, WindowDoesNotGrowWhileTheStreamIsWhatLimits)
{
	auto s = established();

	for (uint32_t i = 0; i < 50; i++) {
		s->write(1000);
		s->in(ACK, 1, 1 + (i + 1) * 1000);
	}
	EXPECT_EQ(10000u, s->c().cwnd);
}

TEST_P(Loss, IdleConnectionRestartsFromTheInitialWindow)
{
	auto s = established(Opts(), test_config(), 65000);

	s->write(100000);
	while (s->c().snd_una != s->c().snd_end)
		s->in(ACK, 1, s->c().snd_max - s->iss);
	EXPECT_GT(s->c().cwnd, 12000u);
	s->wait(10 * SEC);
	s->out();
	s->write(60000);
	s->out();
	EXPECT_EQ(10u, s->last.size());
}

TEST_P(Loss, ThirdDuplicateAckRetransmitsAtOnce)
{
	auto s = established();

	s->write(10000);
	s->out();
	s->in(ACK, 1, 2001);
	EXPECT_EQ("", s->out());
	s->in(ACK, 1, 2001);
	s->in(ACK, 1, 2001);
	EXPECT_EQ("", s->out());
	s->in(ACK, 1, 2001);
	EXPECT_EQ(". 2001:3001 ack 1", s->out());
	EXPECT_EQ(1u, s->k.fast_rtx);
	EXPECT_EQ(3u, s->k.dup_acks_in);
	EXPECT_EQ(4000u, s->c().ssthresh);
	s->in(ACK, 1, 10001);
	EXPECT_EQ("", s->out());
	EXPECT_FALSE(s->c().flags & TCP_CONN_RECOVERY);
	EXPECT_LE(s->c().cwnd, 4000u);
	s->wait(10 * SEC);
	EXPECT_EQ("", s->out());
}

TEST_P(Loss, LimitedTransmitSendsNewDataOnTheFirstTwoDuplicates)
{
	auto s = established();

	s->write(20000);
	s->out();
	EXPECT_EQ(10u, s->last.size());
	s->in(ACK, 1, 1);
	EXPECT_EQ(". 10001:11001 ack 1", s->out());
	s->in(ACK, 1, 1);
	EXPECT_EQ(". 11001:12001 ack 1", s->out());
	s->in(ACK, 1, 1);
	EXPECT_EQ(". 1:1001 ack 1", s->out());
	EXPECT_EQ(5000u, s->c().ssthresh) << "limited transmit does not count as flight";
}

TEST_P(Loss, PartialAckRetransmitsTheNextHoleWithoutASecondCut)
{
	auto s = established();

	s->write(10000);
	s->out();
	for (int i = 0; i < 3; i++)
		s->in(ACK, 1, 1);
	EXPECT_EQ(". 1:1001 ack 1", s->out());
	uint32_t ssthresh = s->c().ssthresh;
	s->in(ACK, 1, 4001);
	EXPECT_EQ(". 4001:5001 ack 1", s->out());
	s->in(ACK, 1, 8001);
	EXPECT_EQ(". 8001:9001 ack 1", s->out());
	EXPECT_EQ(ssthresh, s->c().ssthresh);
	EXPECT_EQ(1u, s->k.fast_rtx);
	s->in(ACK, 1, 10001);
	EXPECT_EQ("", s->out());
	EXPECT_FALSE(s->c().flags & TCP_CONN_RECOVERY);
}

TEST_P(Loss, DuplicatesInflateTheWindowDuringRecovery)
{
	auto s = established();

	s->write(30000);
	s->out();
	for (int i = 0; i < 9; i++)
		s->in(ACK, 1, 1);
	s->out();
	/* 2 by limited transmit, the retransmission, then cwnd = 5 + 9 segments, 12 in flight */
	EXPECT_EQ(3u + 2u, s->last.size());
}

TEST_P(Loss, DataOrWindowChangeOrNothingInFlightIsNoDuplicateAck)
{
	auto s = established();

	s->in(ACK, 1, 1);
	s->in(ACK, 1, 1);
	EXPECT_EQ(0u, s->k.dup_acks_in) << "nothing in flight";
	s->write(5000);
	s->in(ACK, 1, 1, "data");
	s->wnd -= 1;
	s->in(ACK, 5, 1);
	EXPECT_EQ(0u, s->k.dup_acks_in);
	s->in(ACK, 5, 1);
	EXPECT_EQ(1u, s->k.dup_acks_in);
}

TEST_P(Loss, DuplicatesCausedByGoBackStartNoRecovery)
{
	auto s = established();

	s->write(8000);
	s->out();
	s->wait(210 * MS);
	s->in(ACK, 1, 5001);
	for (int i = 0; i < 4; i++)
		s->in(ACK, 1, 5001);
	EXPECT_EQ(0u, s->k.fast_rtx);
	EXPECT_EQ(1u, s->k.rto_expired);
}

TEST_P(Loss, TimeoutInRecoveryEndsIt)
{
	auto s = established();

	s->write(10000);
	for (int i = 0; i < 3; i++)
		s->in(ACK, 1, 1);
	s->out();
	s->wait(250 * MS);
	EXPECT_EQ(". 1:1001 ack 1", s->out());
	EXPECT_FALSE(s->c().flags & TCP_CONN_RECOVERY);
	EXPECT_EQ(1000u, s->c().cwnd);
	s->in(ACK, 1, 10001);
	EXPECT_EQ("", s->out());
}

TEST_P(Loss, FinLostAloneIsRepeated)
{
	auto s = established();

	s->write(100);
	s->in(ACK, 1, 101);
	s->close();
	s->out();
	s->wait(210 * MS);
	EXPECT_EQ("F. 101:102 ack 1", s->out());
	s->in(ACK, 1, 102);
	EXPECT_EQ(TCP_FIN_WAIT_2, s->c().state);
}

TEST_P(Loss, FinIsRetransmittedWithTheDataBeforeIt)
{
	auto s = established();

	tcp_stream_extend(&s->t, s->x, 1500);
	s->close();
	EXPECT_EQ(". 1:1001 ack 1\nFP. 1001:1502 ack 1", s->out());
	s->wait(210 * MS);
	EXPECT_EQ(". 1:1001 ack 1", s->out());
	s->in(ACK, 1, 1001);
	EXPECT_EQ("FP. 1001:1502 ack 1", s->out());
}

TEST_P(Loss, MoreDataAfterATimeoutJoinsTheRetransmission)
{
	auto s = established();

	s->write(100);
	s->out();
	s->wait(210 * MS);
	s->out();
	s->data_ok = 0;
	s->wait(410 * MS);
	s->write(100);
	s->data_ok = 1;
	s->flush();
	EXPECT_EQ("P. 1:201 ack 1", s->out());
	EXPECT_EQ(200u, s->k.bytes_out);
	EXPECT_EQ(200u, s->k.rtx_bytes);
	s->in(ACK, 1, 101);
	s->in(ACK, 1, 201);
	EXPECT_EQ(200u, s->acked);
}

TEST_P(Loss, SackedRangesAreNotSentAgainInRecovery)
{
	Opts o;

	o.sack = true;
	auto s = established(o);
	s->write(10000);
	s->out();
	s->sack = {{2001, 4001}};
	s->in(ACK, 1, 1001);
	s->sack = {{5001, 6001}, {2001, 4001}};
	s->in(ACK, 1, 1001);
	s->sack = {{7001, 9001}, {5001, 6001}, {2001, 4001}};
	s->in(ACK, 1, 1001);
	EXPECT_EQ("", s->out());
	s->in(ACK, 1, 1001);
	EXPECT_EQ(". 1001:2001 ack 1", s->out());
	s->in(ACK, 1, 1001);
	EXPECT_EQ(". 4001:5001 ack 1", s->out());
	s->in(ACK, 1, 1001);
	EXPECT_EQ(". 6001:7001 ack 1", s->out());
	s->sack = {{5001, 6001}, {7001, 9001}};
	s->in(ACK, 1, 4001);
	EXPECT_EQ("", s->out()) << "that hole has been filled already";
	s->sack = {};
	s->in(ACK, 1, 9001);
	EXPECT_EQ("P. 9001:10001 ack 1", s->out());
	s->in(ACK, 1, 10001);
	EXPECT_EQ(TCP_NONE, s->c().x_loss);
}

TEST_P(Loss, TimeoutForgetsWhatWasSacked)
{
	Opts o;

	o.sack = true;
	auto s = established(o);
	s->write(5000);
	s->out();
	s->sack = {{1001, 5001}};
	s->in(ACK, 1, 1);
	s->sack = {};
	s->wait(210 * MS);
	EXPECT_EQ(". 1:1001 ack 1", s->out());
	s->in(ACK, 1, 1001); /* it has thrown them away */
	EXPECT_EQ(". 1001:2001 ack 1\n. 2001:3001 ack 1", s->out());
	s->in(ACK, 1, 3001);
	EXPECT_EQ(". 3001:4001 ack 1\nP. 4001:5001 ack 1", s->out());
}

TEST_P(Loss, GoBackStepsOverWhatIsSackedAfterTheTimeout)
{
	Opts o;

	o.sack = true;
	auto s = established(o);
	s->write(6000);
	s->out();
	s->wait(210 * MS);
	EXPECT_EQ(". 1:1001 ack 1", s->out());
	s->sack = {{2001, 4001}};
	s->in(ACK, 1, 1001);
	EXPECT_EQ(". 1001:2001 ack 1", s->out()) << "of two segments' room, one is sacked";
	s->sack = {};
	s->in(ACK, 1, 4001);
	EXPECT_EQ(". 4001:5001 ack 1\nP. 5001:6001 ack 1", s->out());
}

TEST_P(Loss, BogusSackBlocksAreIgnored)
{
	Opts o;

	o.sack = true;
	auto s = established(o);
	s->write(5000);
	s->out();
	s->sack = {{3001, 2001}, {4001, 9001}, {2001, 2001}, {1, 501}};
	s->in(ACK, 1, 1001);
	EXPECT_EQ(TCP_NONE, s->c().x_loss);
	s->sack = {{0x80000000u, 0x80000100u}};
	s->in(ACK, 1, 1001);
	EXPECT_EQ(TCP_NONE, s->c().x_loss);
}

TEST_P(Loss, SackThatWasNotAgreedIsIgnored)
{
	auto s = established();

	s->write(5000);
	s->sack = {{1001, 2001}};
	s->in(ACK, 1, 1);
	EXPECT_EQ(TCP_NONE, s->c().x_loss);
}

TEST_P(Loss, MoreSackRangesThanWeKeepDoNoHarm)
{
	Opts o;

	o.sack = true;
	auto s = established(o, test_config(), 65000);
	s->c().cwnd = 40000;
	s->write(40000);
	s->out();
	for (uint32_t i = 0; i < 19; i++) {
		s->sack = {{2001 + 2000 * i, 3001 + 2000 * i}};
		s->in(ACK, 1, 1);
	}
	s->sack = {};
	s->in(ACK, 1, 40001);
	EXPECT_EQ(TCP_NONE, s->c().x_loss);
}

TEST(LossPool, WithoutLossBlocksRecoveryIsNewRenoAndHolesAreDropped)
{
	struct tcp_sizes sizes = {2, 64, 0, 0};
	Script s;

	s.start(1000, test_config(), sizes);
	s.opts.sack = true;
	s.establish(true);
	s.write(5000);
	s.out();
	s.sack = {{1001, 2001}};
	for (int i = 0; i < 3; i++)
		s.in(ACK, 1, 1);
	EXPECT_EQ(". 1:1001 ack 1", s.out());
	EXPECT_GT(s.k.loss_exhausted, 0u);
	s.sack = {};
	s.in(ACK, 11, 1, "x");
	EXPECT_EQ(1u, s.k.ooo_dropped);
}

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
