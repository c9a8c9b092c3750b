/* SPDX-License-Identifier: BSD-3-Clause */
/* Closing, both ways and at once; half-close; FIN-WAIT-2; TIME-WAIT (RFC 9293, 6191, 1337). */
#include "link.h"
#include "script.h"

class Close : public EveryRole
{
};

INSTANTIATE_TEST_SUITE_P(Roles, Close, testing::ValuesIn(role_isns));

TEST_P(Close, ActiveCloseGoesThroughFinWaitToTimeWait)
{
	auto s = established();

	s->close();
	EXPECT_EQ("F. 1:2 ack 1", s->out());
	EXPECT_EQ(TCP_FIN_WAIT_1, s->c().state);
	s->in(ACK, 1, 2);
	EXPECT_EQ(TCP_FIN_WAIT_2, s->c().state);
	s->in(FIN | ACK, 1, 2);
	EXPECT_EQ(". 2:2 ack 2", s->out());
	EXPECT_EQ(TCP_NONE, s->x);
	EXPECT_NE(TCP_NONE, s->x_tw);
	EXPECT_EQ(1u, s->n_fin);
	EXPECT_EQ(1u, s->k.tw_now);
	s->wait(9 * SEC);
	EXPECT_EQ(1u, s->k.tw_now);
	s->wait(2 * SEC);
	EXPECT_EQ(0u, s->k.tw_now);
	EXPECT_EQ(0u, tcp_tw_count(&s->t));
}

TEST_P(Close, FinAndAckOfOursInOneSegment)
{
	auto s = established();

	s->close();
	s->out();
	s->in(FIN | ACK, 1, 2);
	EXPECT_EQ(". 2:2 ack 2", s->out());
	EXPECT_NE(TCP_NONE, s->x_tw);
}

TEST_P(Close, PassiveCloseGoesThroughCloseWaitToLastAck)
{
	auto s = established();

	s->in(FIN | ACK, 1, 1, "bye");
	EXPECT_EQ(". 1:1 ack 5", s->out());
	EXPECT_EQ(TCP_CLOSE_WAIT, s->c().state);
	EXPECT_EQ("bye", s->rx);
	s->close();
	EXPECT_EQ("F. 1:2 ack 5", s->out());
	EXPECT_EQ(TCP_LAST_ACK, s->c().state);
	s->in(ACK, 5, 2);
	EXPECT_EQ(TCP_NONE, s->x);
	EXPECT_EQ(TCP_NONE, s->x_tw);
	EXPECT_EQ("", s->out());
}

TEST_P(Close, FinAnswersFinInOneSegment)
{
	auto s = established();

	s->close_on_fin = true;
	s->in(FIN | ACK, 1, 1);
	EXPECT_EQ("F. 1:2 ack 2", s->out());
}

TEST_P(Close, SimultaneousCloseGoesThroughClosing)
{
	auto s = established();

	s->close();
	s->out();
	s->in(FIN | ACK, 1, 1);
	EXPECT_EQ(". 2:2 ack 2", s->out());
	EXPECT_EQ(TCP_CLOSING, s->c().state);
	s->in(ACK, 2, 2);
	EXPECT_EQ(TCP_NONE, s->x);
	EXPECT_NE(TCP_NONE, s->x_tw);
	EXPECT_EQ("", s->out());
}

TEST_P(Close, AckOnARepeatedFinEndsClosing)
{
	auto s = established();

	s->close();
	s->in(FIN | ACK, 1, 1);
	s->out();
	s->in(FIN | ACK, 1, 2);
	EXPECT_EQ(TCP_NONE, s->x);
	EXPECT_NE(TCP_NONE, s->x_tw);
}

TEST_P(Close, HalfCloseStillSendsItsData)
{
	auto s = established();

	s->in(FIN | ACK | PSH, 1, 1, "request");
	s->out();
	s->write(2500);
	EXPECT_EQ(". 1:1001 ack 9\n. 1001:2001 ack 9\nP. 2001:2501 ack 9", s->out());
	s->close();
	EXPECT_EQ("F. 2501:2502 ack 9", s->out());
	s->in(ACK, 9, 2502);
	EXPECT_EQ(TCP_NONE, s->x);
	EXPECT_EQ(2500u, s->acked);
}

TEST_P(Close, DataIsStillTakenInFinWait)
{
	auto s = established();

	s->close();
	s->in(ACK, 1, 1, "a");
	EXPECT_EQ(TCP_FIN_WAIT_1, s->c().state);
	s->in(ACK, 2, 2, "b");
	EXPECT_EQ(TCP_FIN_WAIT_2, s->c().state);
	s->in(ACK, 3, 2, "c");
	s->in(ACK | FIN, 4, 2, "d");
	EXPECT_EQ("abcd", s->rx);
	EXPECT_NE(TCP_NONE, s->x_tw);
}

TEST_P(Close, FinRidesOnTheLastDataSegment)
{
	auto s = established();

	tcp_stream_extend(&s->t, s->x, 1000);
	s->close();
	EXPECT_EQ("FP. 1:1002 ack 1", s->out());
}

TEST_P(Close, FinWaitsForDataTheWindowHoldsBack)
{
	auto s = established(Opts(), test_config(), 2000);

	tcp_stream_extend(&s->t, s->x, 3000);
	s->close();
	EXPECT_EQ(". 1:1001 ack 1\n. 1001:2001 ack 1", s->out());
	EXPECT_EQ(TCP_ESTABLISHED, s->c().state);
	s->in(ACK, 1, 2001);
	EXPECT_EQ("FP. 2001:3002 ack 1", s->out());
	EXPECT_EQ(TCP_FIN_WAIT_1, s->c().state);
}

TEST_P(Close, RepeatedFinIsAcknowledgedAgain)
{
	auto s = established();

	s->in(FIN | ACK, 1, 1);
	s->out();
	s->in(FIN | ACK, 1, 1);
	EXPECT_EQ(". 1:1 ack 2", s->out());
	EXPECT_EQ(1u, s->n_fin);
}

TEST_P(Close, BytesAfterTheFinAreNotDelivered)
{
	auto s = established();

	s->in(FIN | ACK, 1, 1, "abc");
	s->out();
	s->in(ACK, 5, 1, "evil");
	EXPECT_EQ("abc", s->rx);
	EXPECT_EQ(". 1:1 ack 5", s->out());
}

TEST_P(Close, FinWait2IsBounded)
{
	auto s = established();

	s->close();
	s->in(ACK, 1, 2);
	s->wait(59 * SEC);
	EXPECT_EQ(TCP_FIN_WAIT_2, s->c().state);
	s->in(ACK, 1, 2, "still talking");
	s->wait(59 * SEC);
	EXPECT_EQ(TCP_FIN_WAIT_2, s->c().state);
	s->wait(2 * SEC);
	EXPECT_EQ(TCP_NONE, s->x);
	EXPECT_TRUE(s->events & TCP_EV_GONE);
	EXPECT_EQ(TCP_NONE, s->x_tw);
	EXPECT_EQ(1u, s->k.fin_wait2_expired);
}

TEST_P(Close, LostFinIsGivenUpInTheEnd)
{
	auto s = established();

	s->close();
	s->wait(1000 * SEC);
	EXPECT_EQ(TCP_NONE, s->x);
	EXPECT_TRUE(s->events & TCP_EV_TIMEOUT);
	EXPECT_EQ(TCP_FIN_WAIT_1, s->end_state);
}

TEST_P(Close, AbortSendsAnRstAtSndMax)
{
	auto s = established();

	s->write(500);
	s->out();
	s->abort();
	EXPECT_EQ("R. 501:501 ack 1", s->out());
	EXPECT_EQ(1u, s->k.rst_out);
}

TEST_P(Close, DataAfterAbortGetsAnRst)
{
	auto s = established();

	s->abort();
	s->out();
	s->listening = false;
	s->in(ACK, 1, 1, "late");
	EXPECT_EQ("R 1:1", s->out());
}

TEST(CloseAbort, SilentBeforeTheSynIsAnswered)
{
	Script s;

	s.open();
	s.out();
	s.abort();
	EXPECT_EQ("", s.out());
}

TEST(CloseAbort, SynReceivedTellsThePeer)
{
	Script s;

	s.listening = true;
	s.in(SYN, 0, 0);
	s.out();
	s.abort();
	EXPECT_EQ("R. 1:1 ack 1", s.out());
}

/* In TIME-WAIT, with or without timestamps. */
struct TimeWait : Script {
	explicit TimeWait(bool ts, bool active = false, uint32_t isn = 1000,
		const struct tcp_config &cfg = test_config())
	    : Script(isn, 5000, cfg)
	{
		opts.ts = ts;
		establish(active);
		close();
		in(FIN | ACK, 1, 2);
		out();
		EXPECT_EQ(TCP_NONE, x);
		EXPECT_NE(TCP_NONE, x_tw);
	}
};

TEST(CloseTimeWait, FinAgainIsAcknowledged)
{
	for (bool ts : {false, true}) {
		TimeWait s(ts);

		s.in(FIN | ACK, 1, 2);
		EXPECT_EQ(". 2:2 ack 2", s.out());
		EXPECT_EQ(ts ? NET_OPT_TS : 0, s.last[0].s.opts);
		EXPECT_EQ(1u, s.k.tw_reacked);
	}
}

TEST(CloseTimeWait, PureAckInOrderIsNotAnswered)
{
	TimeWait s(false);

	s.in(ACK, 2, 2);
	EXPECT_EQ("", s.out());
}

TEST(CloseTimeWait, RstDoesNotShortenIt)
{
	TimeWait s(false);

	s.in(RST, 2, 0);
	s.in(RST | ACK, 2, 2);
	s.in(RST | ACK, 500, 2); /* not even an ACK */
	EXPECT_EQ("", s.out());
	EXPECT_EQ(1u, s.k.tw_now);
}

TEST(CloseTimeWait, SynWithNewerSequenceReopens)
{
	TimeWait s(false);

	s.peer_iss += 5000;
	s.in(SYN, 0, 0);
	s.out();
	ASSERT_EQ(1u, s.last.size());
	EXPECT_EQ(SYN | ACK, s.last[0].flags());
	EXPECT_EQ(TCP_SYN_RCVD, s.c().state);
	EXPECT_TRUE(seq_lt(s.iss + 2, s.c().iss)) << "above the old connection's";
	EXPECT_EQ(1u, s.k.tw_reopened);
	EXPECT_EQ(0u, s.k.tw_now);
}

TEST(CloseTimeWait, SynWithOlderSequenceGetsAnAck)
{
	TimeWait s(false);

	s.in(SYN, (uint32_t)-5000, 0);
	EXPECT_EQ(". 2:2 ack 2", s.out());
	EXPECT_EQ(TCP_NONE, s.x);
}

TEST(CloseTimeWait, TimestampDecidesBeforeTheSequence)
{
	TimeWait s(true);

	s.ts_val -= 1;
	s.in(SYN, 9000, 0);
	EXPECT_EQ(". 2:2 ack 2", s.out()) << "older timestamp, newer sequence";
	s.ts_val += 2;
	s.in(SYN, (uint32_t)-5000, 0);
	EXPECT_NE(TCP_NONE, s.x) << "newer timestamp, older sequence";
}

TEST(CloseTimeWait, EqualTimestampFallsBackToTheSequence)
{
	TimeWait a(true);

	a.in(SYN, (uint32_t)-5000, 0);
	EXPECT_EQ(TCP_NONE, a.x);
	a.in(SYN, 9000, 0);
	EXPECT_NE(TCP_NONE, a.x);
}

TEST(CloseTimeWait, NoReopeningWhenForbiddenOrOnTheClientSide)
{
	struct tcp_config cfg = test_config();

	cfg.tw_reuse = 0;
	TimeWait a(false, false, 1000, cfg);
	a.in(SYN, 9000, 0);
	EXPECT_EQ(". 2:2 ack 2", a.out());
	TimeWait b(false, true);
	b.in(SYN, 9000, 0);
	EXPECT_EQ(". 2:2 ack 2", b.out());
}

TEST(CloseTimeWait, ZeroMeansNone)
{
	struct tcp_config cfg = test_config();

	cfg.time_wait_ns = 0;
	Script s(1, 2, cfg);
	s.establish(true);
	s.close();
	s.in(FIN | ACK, 1, 2);
	EXPECT_EQ(TCP_NONE, s.x_tw);
	EXPECT_EQ(TCP_NONE, s.x);
	EXPECT_EQ(0u, s.k.tw_entered);
}

/* Open and close n connections at once, at the current time. */
static void
fill_time_wait(Script &s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		s.x_tw = TCP_NONE;
		s.establish(false);
		s.close();
		s.in(FIN | ACK, 1, 2);
		s.out();
		s.iss = tcp_isn(&s.t, &s.tuple, s.now());
	}
}

TEST(CloseTimeWait, FullRingHandsOutItsOldestEarly)
{
	Script s;
	struct tcp_tw out[64];
	uint32_t x_out[64];

	fill_time_wait(s, 63);
	EXPECT_EQ(63u, s.k.tw_now);
	EXPECT_EQ(3u, tcp_tw_expire(&s.t, s.now(), out, x_out, 64)) << "64 - 64 / 16 may stay";
	EXPECT_EQ(3u, s.k.tw_recycled);
	EXPECT_EQ(60u, s.k.tw_now);
	EXPECT_EQ(0u, tcp_tw_expire(&s.t, s.now(), out, x_out, 64));
	s.x_tw = TCP_NONE;
}

TEST(CloseTimeWait, WithoutRoomTheConnectionEndsWithoutAnEntry)
{
	Script s;

	fill_time_wait(s, 64);
	EXPECT_NE(TCP_NONE, s.x_tw);
	fill_time_wait(s, 1);
	EXPECT_EQ(TCP_NONE, s.x_tw);
	EXPECT_EQ(TCP_NONE, s.x);
	EXPECT_EQ(1u, s.k.tw_recycled);
	EXPECT_EQ(64u, s.k.tw_now);
	s.wait(11 * SEC);
	EXPECT_EQ(0u, s.k.tw_now);
	EXPECT_EQ(0u, tcp_tw_count(&s.t));
}

TEST(CloseTimeWait, DroppedEntriesAreSkipped)
{
	Script s;
	struct tcp_tw out[64];
	uint32_t x_out[64];

	fill_time_wait(s, 5);
	for (uint32_t i : {1u, 2u, 0u})
		tcp_tw_drop(&s.t, i);
	tcp_tw_drop(&s.t, 1);
	EXPECT_EQ(2u, s.k.tw_now);
	EXPECT_EQ(2u, tcp_tw_count(&s.t));
	EXPECT_EQ(2u, tcp_tw_expire(&s.t, s.now() + 11 * SEC, out, x_out, 64));
	EXPECT_EQ(s.tuple.lport, out[0].lport);
	s.x_tw = TCP_NONE;
}

TEST(CloseRun, BothSidesCloseAtOnce)
{
	for (uint32_t isn : {1u, 0xffffffffu, 0xfffffffdu}) {
		Link l(isn, isn - 1);

		l.connect();
		l.a.close();
		l.b.close();
		l.run(SEC);
		EXPECT_TRUE(l.over());
		EXPECT_NE(TCP_NONE, l.a.x_tw);
		EXPECT_NE(TCP_NONE, l.b.x_tw);
		l.run(20 * SEC);
		EXPECT_EQ(0u, l.a.k.tw_now + l.b.k.tw_now);
	}
}

TEST(CloseRun, OneRequestPerConnectionTakesSixSegments)
{
	Link l;

	l.a.on_event = [&](uint32_t ev) {
		if (ev & TCP_EV_ESTABLISHED)
			tcp_stream_extend(&l.a.t, l.a.x, 100);
	};
	l.b.on_event = [&](uint32_t ev) {
		if (ev & TCP_EV_DATA) {
			tcp_stream_extend(&l.b.t, l.b.x, 300);
			tcp_stream_end(&l.b.t, l.b.x);
		}
	};
	l.a.close_on_fin = true;
	l.connect();
	l.run(SEC);
	EXPECT_TRUE(l.over());
	EXPECT_EQ(3u, l.n_from_a);
	EXPECT_EQ(3u, l.n_from_b);
	EXPECT_EQ(TCP_NONE, l.a.x_tw);
	EXPECT_NE(TCP_NONE, l.b.x_tw);
}

TEST(CloseRun, ATupleIsReusedAThousandTimesWithoutASynRetry)
{
	Link l;

	l.delay = 10 * US;
	l.a.close_on_fin = true;
	l.b.on_event = [&](uint32_t ev) {
		if (ev & TCP_EV_ESTABLISHED) {
			tcp_stream_extend(&l.b.t, l.b.x, 3000);
			tcp_stream_end(&l.b.t, l.b.x);
		}
	};
	for (int i = 0; i < 1000; i++) {
		l.a.received = 0;
		l.a.open();
		ASSERT_TRUE(l.run_until([&] { return l.over() && l.air.empty(); }, 10 * SEC));
		ASSERT_EQ(3000u, l.a.received);
	}
	EXPECT_EQ(0u, l.a.k.syn_rtx + l.b.k.syn_rtx);
	EXPECT_GT(l.b.k.tw_reopened, 990u);
}
