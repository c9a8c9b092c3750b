/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening: RFC 9293 sections 3.5 and 3.10.7.3, RFC 6298 for SYNs, option negotiation. */
#include "link.h"
#include "script.h"

TEST(Open, SynIsRepeatedAfter1And2And4SecondsThenGivenUp)
{
	Script s;

	s.open();
	EXPECT_EQ("S 0:1", s.out());
	s.wait(999 * MS);
	EXPECT_EQ("", s.out());
	s.wait(2 * MS);
	EXPECT_EQ("S 0:1", s.out());
	s.wait(1997 * MS);
	EXPECT_EQ("", s.out());
	s.wait(4 * MS);
	EXPECT_EQ("S 0:1", s.out());
	s.wait(4 * SEC);
	EXPECT_EQ("S 0:1", s.out());
	s.wait(7 * SEC);
	EXPECT_NE(TCP_NONE, s.x);
	s.wait(SEC);
	EXPECT_EQ(TCP_NONE, s.x);
	EXPECT_TRUE(s.events & TCP_EV_TIMEOUT);
	EXPECT_EQ(TCP_SYN_SENT, s.end_state);
	EXPECT_EQ(3u, s.k.syn_rtx);
	EXPECT_EQ(1u, s.k.give_up);
	EXPECT_EQ("", s.out());
}

TEST(Open, SynAckIsRepeatedAndGivenUp)
{
	Script s;

	s.listening = true;
	s.in(SYN, 0, 0);
	EXPECT_EQ("S. 0:1 ack 1", s.out());
	s.wait(7100 * MS);
	EXPECT_EQ("S. 0:1 ack 1\nS. 0:1 ack 1\nS. 0:1 ack 1", s.out());
	s.wait(9 * SEC);
	EXPECT_TRUE(s.events & TCP_EV_TIMEOUT);
	EXPECT_EQ(TCP_SYN_RCVD, s.end_state);
}

TEST(Open, SynOffersEverythingAndWindowOfSynIsNotScaled)
{
	Script s;

	s.open();
	s.out();
	const Packet &p = s.last[0];
	EXPECT_EQ(NET_OPT_MSS | NET_OPT_WSCALE | NET_OPT_SACK_OK | NET_OPT_TS, p.s.opts);
	EXPECT_EQ(1000, p.s.mss);
	EXPECT_EQ(2, p.s.wscale);
	EXPECT_EQ(65535u, p.s.wnd);
	EXPECT_EQ(0u, p.s.ts_ecr);
}

TEST(Open, SynOffersOnlyWhatIsConfigured)
{
	struct tcp_config cfg = test_config();

	cfg.timestamps = 0;
	cfg.sack = 0;
	Script s(1, 2, cfg);
	s.open();
	s.out();
	EXPECT_EQ(NET_OPT_MSS | NET_OPT_WSCALE, s.last[0].s.opts);
}

TEST(Open, SynAckAnswersOnlyWhatTheSynHad)
{
	for (int bits = 0; bits < 8; bits++) {
		Script s;
		uint8_t want = NET_OPT_MSS;

		s.listening = true;
		s.opts.wscale = bits & 1 ? 3 : -1;
		s.opts.sack = bits & 2;
		s.opts.ts = bits & 4;
		want |= bits & 1 ? NET_OPT_WSCALE : 0;
		want |= bits & 2 ? NET_OPT_SACK_OK : 0;
		want |= bits & 4 ? NET_OPT_TS : 0;
		s.in(SYN, 0, 0);
		s.out();
		EXPECT_EQ(want, s.last[0].s.opts) << bits;
	}
}

TEST(Open, AckAndFirstDataShareASegment)
{
	Script s;

	s.on_event = [&](uint32_t ev) {
		if (ev & TCP_EV_ESTABLISHED)
			tcp_stream_extend(&s.t, s.x, 100);
	};
	s.open();
	s.out();
	s.in(SYN | ACK, 0, 1);
	EXPECT_EQ("P. 1:101 ack 1", s.out());
}

TEST(Open, DataExtendedBeforeTheHandshakeIsSentAfterIt)
{
	Script s;

	s.open();
	s.write(100);
	EXPECT_EQ("S 0:1", s.out());
	EXPECT_EQ(0u, tcp_stream_sent(&s.c()));
	s.in(SYN | ACK, 0, 1);
	EXPECT_EQ("P. 1:101 ack 1", s.out());
	EXPECT_EQ(100u, tcp_stream_sent(&s.c()));
}

TEST(Open, HandshakeAckWithDataIsTaken)
{
	Script s;

	s.listening = true;
	s.in(SYN, 0, 0);
	s.out();
	s.in(ACK | PSH, 1, 1, "hello");
	EXPECT_EQ("hello", s.rx);
	EXPECT_TRUE(s.events & TCP_EV_ESTABLISHED);
	EXPECT_EQ(TCP_ESTABLISHED, s.c().state);
}

TEST(Open, HandshakeAckWithDataAndFinIsTaken)
{
	Script s;

	s.listening = true;
	s.in(SYN, 0, 0);
	s.out();
	s.in(ACK | FIN, 1, 1, "bye");
	EXPECT_EQ("bye", s.rx);
	EXPECT_EQ(1u, s.n_fin);
	EXPECT_EQ(TCP_CLOSE_WAIT, s.c().state);
	EXPECT_EQ(". 1:1 ack 5", s.out());
}

TEST(Open, DataAndFinOnSynAreIgnored)
{
	Script s;

	s.listening = true;
	s.in(SYN | FIN, 0, 0, "0123456789");
	EXPECT_EQ("S. 0:1 ack 1", s.out());
	s.in(ACK, 1, 1);
	EXPECT_EQ("", s.rx);
	EXPECT_EQ(0u, s.n_fin);
	s.in(ACK, 1, 1, "0123456789");
	EXPECT_EQ("0123456789", s.rx);
}

TEST(Open, DataOnSynAckIsIgnored)
{
	Script s;

	s.open();
	s.out();
	s.in(SYN | ACK, 0, 1, "0123456789");
	EXPECT_EQ(". 1:1 ack 1", s.out());
	EXPECT_EQ("", s.rx);
}

TEST(Open, DuplicateSynGetsTheSynAckAgain)
{
	Script s;

	s.listening = true;
	s.in(SYN, 0, 0);
	s.out();
	s.in(SYN, 0, 0);
	EXPECT_EQ("S. 0:1 ack 1", s.out());
	EXPECT_EQ(1u, s.k.opens_passive);
	s.in(ACK, 1, 1);
	EXPECT_EQ(TCP_ESTABLISHED, s.c().state);
}

TEST(Open, ForeignSynInSynReceivedGetsAChallengeAck)
{
	Script s;

	s.listening = true;
	s.in(SYN, 0, 0);
	s.out();
	s.in(SYN, 700, 0);
	EXPECT_EQ(". 1:1 ack 1", s.out());
	EXPECT_EQ(1u, s.k.challenge_acks);
	s.in(ACK, 1, 1);
	EXPECT_EQ(TCP_ESTABLISHED, s.c().state);
}

TEST(Open, UnacceptableAckInSynReceivedGetsARst)
{
	for (uint32_t ack : {0u, 2u, 77u}) {
		Script s;

		s.listening = true;
		s.in(SYN, 0, 0);
		s.out();
		s.in(ACK, 1, ack);
		EXPECT_EQ("R " + std::to_string(ack) + ":" + std::to_string(ack), s.out());
		EXPECT_EQ(TCP_SYN_RCVD, s.c().state);
		EXPECT_EQ(1u, s.k.bad_ack);
	}
}

TEST(Open, RstInSynReceivedFreesTheBlock)
{
	Script s;

	s.listening = true;
	s.in(SYN, 0, 0);
	s.out();
	s.in(RST, 1, 0);
	EXPECT_TRUE(s.events & TCP_EV_RESET);
	EXPECT_EQ(TCP_NONE, s.x);
	EXPECT_EQ(TCP_SYN_RCVD, s.end_state);
	EXPECT_EQ("", s.out());
}

TEST(Open, RstElsewhereInSynReceivedIsChallengedOrIgnored)
{
	Script s;

	s.listening = true;
	s.in(SYN, 0, 0);
	s.out();
	s.in(RST, 100, 0);
	EXPECT_EQ(". 1:1 ack 1", s.out());
	s.in(RST, 0x40000000, 0);
	EXPECT_EQ("", s.out());
	EXPECT_EQ(TCP_SYN_RCVD, s.c().state);
	EXPECT_EQ(2u, s.k.rst_ignored);
}

TEST(Open, RstWithAckRefuses)
{
	Script s;

	s.open();
	s.out();
	s.in(RST | ACK, 0, 1);
	EXPECT_TRUE(s.events & TCP_EV_REFUSED);
	EXPECT_EQ(TCP_NONE, s.x);
	EXPECT_EQ("", s.out());
}

TEST(Open, RstWithoutAckOrWithAWrongOneIsIgnoredInSynSent)
{
	Script s;

	s.open();
	s.out();
	s.in(RST, 0, 0);
	s.in(RST | ACK, 0, 0);
	s.in(RST | ACK, 0, 2);
	EXPECT_EQ(TCP_SYN_SENT, s.c().state);
	EXPECT_EQ("", s.out());
	EXPECT_EQ(3u, s.k.rst_ignored);
	s.in(SYN | ACK, 0, 1);
	EXPECT_EQ(". 1:1 ack 1", s.out());
}

TEST(Open, HalfOpenPeerGetsARstAndTheSynSoon)
{
	Script s;

	s.open();
	s.out();
	s.in(ACK, 2, 20);
	EXPECT_EQ("R 20:20\nS 0:1", s.out());
	s.in(SYN | ACK, 0, 1);
	EXPECT_EQ(TCP_ESTABLISHED, s.c().state);
}

TEST(Open, HalfOpenDuelIsBounded)
{
	Script s;
	uint32_t n_syn = 0;

	s.open();
	s.out();
	for (int i = 0; i < 100; i++) {
		s.in(ACK, 2, 20);
		s.out();
		n_syn += s.last.size() - 1;
	}
	EXPECT_EQ(3u, n_syn);
	s.wait(1100 * MS);
	EXPECT_EQ("S 0:1", s.out());
}

TEST(Open, SimultaneousOpenWorks)
{
	Link l;

	l.b.listening = false;
	l.a.open();
	l.b.open();
	ASSERT_TRUE(l.run_until([&] { return l.a.n_established && l.b.n_established; }, SEC));
	l.a.write(5000);
	l.b.write(7000);
	l.run(SEC);
	EXPECT_EQ(5000u, l.b.received);
	EXPECT_EQ(7000u, l.a.received);
	EXPECT_EQ(0u, l.a.k.rtx_segs + l.b.k.rtx_segs);
	EXPECT_FALSE(l.a.wrong_bytes || l.b.wrong_bytes);
	l.a.close();
	l.b.close();
	l.run(SEC);
	EXPECT_TRUE(l.over());
}

TEST(Open, SimultaneousOpenByScript)
{
	Script s;

	s.open();
	s.out();
	s.in(SYN, 0, 0);
	EXPECT_EQ("S. 0:1 ack 1", s.out());
	EXPECT_EQ(TCP_SYN_RCVD, s.c().state);
	s.in(SYN | ACK, 0, 1);
	EXPECT_EQ(". 1:1 ack 1", s.out());
	EXPECT_EQ(TCP_ESTABLISHED, s.c().state);
}

TEST(Open, RefusalInSimultaneousOpenIsRefused)
{
	Script s;

	s.open();
	s.in(SYN, 0, 0);
	s.in(RST | ACK, 1, 1);
	EXPECT_TRUE(s.events & TCP_EV_REFUSED);
	EXPECT_EQ(TCP_NONE, s.x);
}

TEST(Open, MissingMssMeans536)
{
	Script s;

	s.opts.mss = 0;
	s.establish(true);
	s.write(4000);
	s.out();
	for (auto &p : s.last)
		EXPECT_LE(p.v.len, 536);
	EXPECT_EQ(536, s.last[0].v.len);
}

TEST(Open, MssIsTheSmallerOneLessOptionsWithAFloor)
{
	struct {
		uint16_t mss;
		bool ts;
		uint16_t want;
	} cases[] = {{100, false, 100}, {100, true, 88}, {10, false, 48}, {0xffff, false, 1000},
		{1000, true, 988}, {999, false, 999}};

	for (auto &k : cases) {
		Script s;

		s.opts.mss = k.mss;
		s.opts.ts = k.ts;
		s.establish(false);
		EXPECT_EQ(k.want, s.c().mss) << k.mss;
	}
}

TEST(Open, WindowScaleAbove14Is14)
{
	Script s;

	s.opts.wscale = 15;
	s.establish(false);
	s.wnd = 1;
	s.in(ACK, 1, 1);
	EXPECT_EQ(1u << 14, s.c().snd_wnd);
}

TEST(Open, WithoutWindowScaleNeitherSideScales)
{
	Script s;

	s.establish(true);
	EXPECT_EQ(65535u, s.last[0].s.wnd);
	EXPECT_EQ(50000u, s.c().snd_wnd);
	EXPECT_EQ(0, s.c().scales);
}

TEST(Open, WithWindowScaleBothSidesScale)
{
	Script s;

	s.opts.wscale = 5;
	s.establish(true);
	EXPECT_EQ(50000u, s.last[0].s.wnd);
	EXPECT_EQ(50000u, s.c().snd_wnd) << "the SYN-ACK's window is not scaled";
	s.in(ACK, 1, 1);
	EXPECT_EQ(50000u << 5, s.c().snd_wnd);
}

TEST(Open, EcnSetupSynIsAPlainSyn)
{
	Script s;

	s.listening = true;
	s.in(SYN | NET_TCP_ECE | NET_TCP_CWR, 0, 0);
	s.out();
	EXPECT_EQ(SYN | ACK, s.last[0].flags());
}

TEST(Open, LostSynMeansRtoOf3SecondsForData)
{
	Script s;

	s.open();
	s.wait(1100 * MS);
	s.out();
	s.in(SYN | ACK, 0, 1);
	s.write(5000);
	EXPECT_EQ(". 1:1 ack 1\n. 1:1001 ack 1", s.out()) << "initial window is one segment";
	s.wait(2990 * MS);
	EXPECT_EQ("", s.out());
	s.wait(20 * MS);
	EXPECT_EQ(". 1:1001 ack 1", s.out());
}

TEST(Open, FullPoolIsCounted)
{
	struct tcp_sizes sizes = {2, 0, 0, 0};
	Host h;

	h.start(1, test_config(), sizes);
	uint32_t a = tcp_open(&h.t, &h.tuple, 0, 0, 0, 1);
	uint32_t b = tcp_open(&h.t, &h.tuple, 0, 0, 0, 1);
	EXPECT_NE(a, b);
	EXPECT_EQ(TCP_NONE, tcp_open(&h.t, &h.tuple, 0, 0, 0, 1));
	EXPECT_EQ(1u, h.k.conn_exhausted);
	tcp_give(&h.t, a);
	tcp_give(&h.t, a);
	EXPECT_EQ(1u, h.t.n_used) << "giving back twice is harmless";
	EXPECT_EQ(a, tcp_open(&h.t, &h.tuple, 0, 0, 0, 1));
	tcp_give(&h.t, a);
	tcp_give(&h.t, b);
	h.expect_empty();
}

TEST(Open, IsnOfATupleGrowsWithTheClockAndDiffersBetweenTuples)
{
	Host h;
	struct tcp_tuple other = {1, 2, 3, 4};

	h.start(7);
	uint32_t isn = tcp_isn(&h.t, &h.tuple, h.now());
	EXPECT_EQ(7u, isn);
	EXPECT_EQ(250000u, tcp_isn(&h.t, &h.tuple, h.now() + SEC) - isn);
	EXPECT_NE(isn, tcp_isn(&h.t, &other, h.now()));
}

TEST(Open, IssAboveIsRespected)
{
	Script s(1000, 5000);
	Packet syn = s.make(SYN, 0, 0);

	s.x = tcp_accept(&s.t, &s.tuple, 0, 0, 0, &syn.v, 4000000, s.now());
	EXPECT_GT(s.c().iss, 4000000u);
	EXPECT_LT(s.c().iss, 4000000u + 0x10001);
}
