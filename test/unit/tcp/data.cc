/* SPDX-License-Identifier: BSD-3-Clause */
/* Data and ACKs: acceptability, delayed ACK, PSH, timestamps, keep-alive probes, odd options. */
#include "link.h"
#include "script.h"

INSTANTIATE_TEST_SUITE_P(Data, EveryRole, testing::ValuesIn(role_isns));

static std::string
bytes(size_t n, char c = 'x')
{
	return std::string(n, c);
}

TEST_P(EveryRole, InOrderDataIsDeliveredAndAckIsDelayed)
{
	auto s = established();

	s->in(ACK | PSH, 1, 1, "hello");
	EXPECT_EQ("hello", s->rx);
	EXPECT_EQ("", s->out());
	s->wait(39 * MS);
	EXPECT_EQ("", s->out());
	s->wait(2 * MS);
	EXPECT_EQ(". 1:1 ack 6", s->out());
	EXPECT_EQ(1u, s->k.delayed_acks);
	s->wait(10 * SEC);
	EXPECT_EQ("", s->out());
}

TEST_P(EveryRole, SecondSegmentIsAcknowledgedAtOnce)
{
	auto s = established();

	s->in(ACK, 1, 1, bytes(1000));
	EXPECT_EQ("", s->out());
	s->in(ACK, 1001, 1, bytes(1000));
	EXPECT_EQ(". 1:1 ack 2001", s->out());
	s->wait(SEC);
	EXPECT_EQ("", s->out());
}

TEST_P(EveryRole, AckRidesOnData)
{
	auto s = established();

	s->in(ACK | PSH, 1, 1, "request");
	s->write(300);
	EXPECT_EQ("P. 1:301 ack 8", s->out());
	s->wait(100 * MS);
	EXPECT_EQ("", s->out());
}

TEST_P(EveryRole, OldSegmentIsAcknowledgedAtOnceAndNotDelivered)
{
	auto s = established();

	s->in(ACK, 1, 1, bytes(100, 'a'));
	s->in(ACK, 1, 1, bytes(100, 'b'));
	EXPECT_EQ(". 1:1 ack 101", s->out());
	EXPECT_EQ(bytes(100, 'a'), s->rx);
	EXPECT_EQ(1u, s->k.old_segs);
}

TEST_P(EveryRole, PartlyOldSegmentIsTrimmed)
{
	auto s = established();

	s->in(ACK, 1, 1, bytes(100, 'a'));
	s->in(ACK, 51, 1, bytes(100, 'b'));
	EXPECT_EQ(bytes(100, 'a') + bytes(50, 'b'), s->rx);
	EXPECT_EQ(". 1:1 ack 151", s->out());
}

TEST_P(EveryRole, SegmentBeyondTheWindowIsAcknowledgedAndDropped)
{
	auto s = established();

	s->in(ACK, 1 + 70000, 1, bytes(10));
	EXPECT_EQ(". 1:1 ack 1", s->out());
	s->in(ACK, 1u - 70000u, 1, bytes(10));
	EXPECT_EQ(". 1:1 ack 1", s->out());
	EXPECT_EQ("", s->rx);
}

TEST_P(EveryRole, SegmentAcrossTheRightEdgeIsCut)
{
	struct tcp_config cfg = test_config();

	cfg.rcv_wnd = 600;
	auto s = established(Opts(), cfg);
	s->in(ACK | FIN, 1, 1, bytes(1000));
	EXPECT_EQ(600u, s->rx.size());
	EXPECT_EQ(0u, s->n_fin) << "the FIN is outside the window";
	EXPECT_EQ(". 1:1 ack 601", s->out());
}

TEST_P(EveryRole, KeepAliveProbesAreAnswered)
{
	auto s = established();

	s->in(ACK, 0, 1);
	EXPECT_EQ(". 1:1 ack 1", s->out());
	s->in(ACK, 0, 1, "?");
	EXPECT_EQ(". 1:1 ack 1", s->out());
	EXPECT_EQ("", s->rx);
}

TEST_P(EveryRole, UrgentDataStaysInLine)
{
	auto s = established();

	for (uint16_t pointer : {0, 2, 60000}) {
		Packet p = s->make(ACK | URG, 1 + (uint32_t)s->rx.size(), 1, "abc");

		p.bytes[NET_ETH_LEN + 38] = (uint8_t)(pointer >> 8);
		p.bytes[NET_ETH_LEN + 39] = (uint8_t)pointer;
		s->input(p);
	}
	EXPECT_EQ("abcabcabc", s->rx);
}

TEST_P(EveryRole, SegmentWithoutAckIsDropped)
{
	auto s = established();

	s->in(PSH, 1, 0, "abc");
	EXPECT_EQ("", s->rx);
	EXPECT_EQ("", s->out());
}

TEST_P(EveryRole, LastSegmentOfTheStreamHasPush)
{
	auto s = established();

	s->write(2500);
	EXPECT_EQ(". 1:1001 ack 1\n. 1001:2001 ack 1\nP. 2001:2501 ack 1", s->out());
}

TEST_P(EveryRole, AckedBytesAreReportedWithoutSynAndFin)
{
	auto s = established();

	s->write(2500);
	s->in(ACK, 1, 1001);
	EXPECT_EQ(1000u, s->acked);
	s->close();
	s->in(ACK, 1, 2502);
	EXPECT_EQ(2500u, s->acked);
	EXPECT_EQ(TCP_FIN_WAIT_2, s->c().state);
	EXPECT_EQ(2500u, tcp_stream_sent(&s->c()));
}

TEST_P(EveryRole, AckOfOnlyTheFinHasNoAckedEvent)
{
	auto s = established();

	s->close();
	s->events = 0;
	s->in(ACK, 1, 2);
	EXPECT_FALSE(s->events & TCP_EV_ACKED);
	EXPECT_EQ(TCP_FIN_WAIT_2, s->c().state);
}

TEST_P(EveryRole, TimestampsAreInEverySegmentButRst)
{
	Opts o;

	o.ts = true;
	auto s = established(o);
	s->in(ACK, 1, 1, "abc");
	s->write(1500);
	s->out();
	for (auto &p : s->last) {
		EXPECT_EQ(NET_OPT_TS, p.s.opts);
		EXPECT_EQ(s->ts_val, p.s.ts_ecr);
		EXPECT_LE(p.v.len, 988);
	}
	s->abort();
	s->out();
	EXPECT_EQ(0, s->last[0].s.opts);
}

TEST_P(EveryRole, TimestampClockIsOneMillisecond)
{
	Opts o;

	o.ts = true;
	auto s = established(o);
	s->write(10);
	s->out();
	uint32_t first = s->last[0].s.ts_val;
	s->in(ACK, 1, 11);
	s->wait(1234 * MS);
	s->write(10);
	s->out();
	EXPECT_NEAR(1234, (int32_t)(s->last[0].s.ts_val - first), 1);
}

TEST_P(EveryRole, PawsDropsOldTimestampsAndAcks)
{
	Opts o;

	o.ts = true;
	auto s = established(o);
	s->in(ACK, 1, 1, "abc");
	s->wait(50 * MS);
	s->out();
	s->ts_val -= 1;
	s->in(ACK, 4, 1, "old");
	EXPECT_EQ("abc", s->rx);
	EXPECT_EQ(". 1:1 ack 4", s->out());
	EXPECT_EQ(1u, s->k.paws_drop);
	s->ts_val += 1;
	s->in(ACK, 4, 1, "new");
	EXPECT_EQ("abcnew", s->rx);
}

TEST_P(EveryRole, TsRecentOnlyMovesWithSegmentsAtOrBeforeLastAckSent)
{
	Opts o;

	o.ts = true;
	auto s = established(o);
	s->ts_val += 10;
	s->in(ACK, 1001, 1, bytes(1000)); /* beyond a hole: must not be echoed */
	s->out();
	EXPECT_EQ(s->ts_val - 10, s->last[0].s.ts_ecr);
	s->in(ACK, 1, 1, bytes(1000));
	s->out();
	EXPECT_EQ(s->ts_val, s->last[0].s.ts_ecr);
	s->ts_val += 10;
	s->in(ACK, 2001, 1, bytes(10));
	s->ts_val += 10;
	s->in(ACK, 2011, 1, bytes(10)); /* the ACK of the first of two is still owed */
	s->out();
	EXPECT_EQ(s->ts_val - 10, s->last[0].s.ts_ecr);
}

TEST_P(EveryRole, SegmentLackingTimestampIsAccepted)
{
	Opts o;

	o.ts = true;
	auto s = established(o);
	s->opts.ts = false;
	s->in(ACK, 1, 1, "abc");
	EXPECT_EQ("abc", s->rx);
}

TEST_P(EveryRole, TimestampThatWasNotAgreedIsIgnored)
{
	auto s = established();

	s->opts.ts = true;
	s->in(ACK, 1, 1, "abc");
	s->ts_val -= 1000;
	s->in(ACK, 4, 1, "def");
	EXPECT_EQ("abcdef", s->rx);
	EXPECT_EQ(0u, s->k.paws_drop);
}

TEST_P(EveryRole, TwoPartPayloadIsDeliveredAsTwoSpans)
{
	auto s = established();
	Packet p = s->make(ACK, 1, 1, "abcdef");
	struct net_view v = p.v;
	struct span frag = {p.v.l3 + p.v.hdr_len + 2, 4};
	struct tcp_result res;

	v.len_first = 2;
	tcp_segment_in(&s->t, s->x, &v, &frag, s->now(), &res);
	EXPECT_EQ(2u, res.n_spans);
	s->handle(res);
	EXPECT_EQ("abcdef", s->rx);
}

TEST_P(EveryRole, AppTimerFiresOnceAndNeverEarly)
{
	auto s = established();
	uint64_t at = 0;

	s->on_event = [&](uint32_t ev) {
		if (ev & TCP_EV_APP)
			at = s->sim_now;
	};
	uint64_t due = s->sim_now + 300 * MS;
	tcp_app_due(&s->t, s->x, due + s->offset);
	s->check();
	s->wait(SEC);
	EXPECT_GE(at, due);
	EXPECT_LE(at, due + 40 * US);
	at = 0;
	tcp_app_due(&s->t, s->x, s->now() + 10 * MS);
	tcp_app_due(&s->t, s->x, 0);
	s->wait(SEC);
	EXPECT_EQ(0u, at);
}

TEST_P(EveryRole, AppTimerLivesBesideTheOthers)
{
	auto s = established();

	tcp_app_due(&s->t, s->x, s->now() + 100 * MS);
	s->in(ACK, 1, 1, "abc");
	s->wait(60 * MS);
	EXPECT_EQ(". 1:1 ack 4", s->out());
	EXPECT_FALSE(s->events & TCP_EV_APP);
	s->wait(60 * MS);
	EXPECT_TRUE(s->events & TCP_EV_APP);
	EXPECT_EQ(0u, s->t.wheel.n_armed);
}

TEST_P(EveryRole, ControlOnlyOutputSendsNoPayload)
{
	auto s = established();

	s->data_ok = 0;
	s->in(ACK, 1, 1, "abc");
	s->write(100);
	EXPECT_EQ("", s->out());
	s->in(ACK, 4, 1, "def");
	EXPECT_EQ(". 1:1 ack 7", s->out());
	s->data_ok = 1;
	s->flush();
	EXPECT_EQ("P. 1:101 ack 7", s->out());
}

TEST(Data, DelayedAckOfZeroMeansAtOnce)
{
	struct tcp_config cfg = test_config();

	cfg.delayed_ack_ns = 0;
	Script s(1, 2, cfg);
	s.establish(false);
	s.in(ACK, 1, 1, "a");
	EXPECT_EQ(". 1:1 ack 2", s.out());
}

TEST(Data, BrokenOptionsAreCountedAndSurvived)
{
	/* kind 253 of lengths 0, 1 and 60; TS cut short; a NOP run; EOL then rubbish */
	const std::vector<std::vector<uint8_t>> lists = {
		{253, 0, 1, 1}, {253, 1, 1, 1}, {253, 60, 1, 1}, {8, 10, 0, 0}, {1, 1, 1, 253}};

	Script s;
	s.establish(false);
	uint32_t seq = 1;
	for (auto &o : lists) {
		Packet p = s.make(ACK, seq, 1, "ab");
		std::vector<uint8_t> raw(p.bytes.begin(), p.bytes.begin() + NET_ETH_LEN + 40);
		struct net_view v = p.v;
		struct tcp_result res;

		raw.insert(raw.end(), o.begin(), o.end());
		raw.insert(raw.end(), {'a', 'b'});
		v.l3 = raw.data() + NET_ETH_LEN;
		v.hdr_len = 44;
		tcp_segment_in(&s.t, s.x, &v, nullptr, s.now(), &res);
		s.handle(res);
		seq += 2;
	}
	EXPECT_EQ("ababababab", s.rx);
	EXPECT_EQ(5u, s.k.bad_options);
}

TEST(Data, UnknownOptionsAndEolAreSkipped)
{
	const std::vector<uint8_t> o = {
		253, 4, 9, 9, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 9, 0, 8, 10, 1, 1};
	Script s;
	Packet p = s.make(ACK, 1, 1);
	std::vector<uint8_t> raw = p.bytes;
	struct net_view v = p.v;
	struct seg_in in;

	raw.insert(raw.end(), o.begin(), o.end());
	v.l3 = raw.data() + NET_ETH_LEN;
	v.hdr_len = (uint8_t)(40 + o.size());
	tcp_seg_read(&in, &v, nullptr);
	EXPECT_EQ(NET_OPT_TS, in.opts);
	EXPECT_EQ(7u, in.ts_val);
	EXPECT_EQ(9u, in.ts_ecr);
	EXPECT_EQ(0, in.bad);
}

TEST(Data, OneMegabyteEachWayOverSequenceWrap)
{
	for (uint32_t isn : {1000u, 0xffffff00u, 0xfff80000u, 0x7ffff000u}) {
		Link l(isn, isn + 77);

		l.delay = 100 * US;
		l.connect();
		l.a.write(1 << 20);
		l.b.write(1 << 20);
		l.run(10 * SEC);
		EXPECT_EQ(1u << 20, l.a.received);
		EXPECT_EQ(1u << 20, l.b.received);
		EXPECT_EQ(0u, l.a.k.rtx_segs + l.b.k.rtx_segs);
		EXPECT_FALSE(l.a.wrong_bytes || l.b.wrong_bytes);
		l.a.close();
		l.b.close_on_fin = true;
		l.b.close();
		l.run(20 * SEC);
		EXPECT_TRUE(l.over());
		l.a.expect_empty();
		l.b.expect_empty();
	}
}

TEST(Data, OneDescriptorAtATimeGivesTheSameBytes)
{
	Link l;

	l.a.n_out = 1;
	l.b.n_out = 1;
	l.connect();
	l.a.write(100000);
	l.run(5 * SEC);
	EXPECT_EQ(100000u, l.b.received);
	EXPECT_FALSE(l.b.wrong_bytes);
}

TEST(Data, RequestAndReplyTakeTwoDataSegmentsAndNoPureAck)
{
	Link l;

	l.connect();
	l.run(SEC);
	l.n_from_a = l.n_from_b = 0;
	l.b.on_event = [&](uint32_t ev) {
		if (ev & TCP_EV_DATA)
			tcp_stream_extend(&l.b.t, l.b.x, 300);
	};
	for (int i = 0; i < 20; i++) {
		l.a.write(100);
		ASSERT_TRUE(l.run_until([&] { return l.a.received == 300u * (i + 1); }, SEC));
	}
	EXPECT_EQ(20u, l.n_from_a);
	EXPECT_EQ(20u, l.n_from_b);
}

TEST(Data, MoreThan4GiBOfStreamKeepsOffsetsRight)
{
	/* offsets are modulo 2^32: start near the end of the first round */
	Script s(0xfffffff0, 5000);

	s.establish(true);
	s.c().iss -= 0xffffff00; /* as if 4 GiB less 256 bytes had been sent */
	s.c().recover = s.c().iss;
	s.write(600);
	s.out();
	ASSERT_EQ(1u, s.last.size());
	std::string p = s.last[0].payload();
	for (size_t i = 0; i < p.size(); i++)
		ASSERT_EQ((char)stream_byte(s.key, (uint32_t)(0xffffff00u + i)), p[i]);
}
