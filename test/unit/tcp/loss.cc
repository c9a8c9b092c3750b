/* SPDX-License-Identifier: BSD-3-Clause */
/* Loss recovery and congestion control: RFC 6298, 5681, 6582, 3042, 2018, 6675 in part. */
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
