/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: the peer's (zero, small, shrinking) and ours (parked bytes, silly window avoidance). */
#include "link.h"
#include "script.h"

class Window : public EveryRole
{
};

INSTANTIATE_TEST_SUITE_P(Roles, Window, testing::ValuesIn(role_isns));

static std::string
bytes(size_t n, char c = 'x')
{
	return std::string(n, c);
}

TEST_P(Window, ProbesAtRtoAndDoublingAndNeverDiesWhileAnswered)
{
	auto s = established();
	std::vector<uint64_t> at;
	uint64_t end;

	s->wnd = 0;
	s->in(ACK, 1, 1);
	s->write(5000);
	EXPECT_EQ("", s->out());
	EXPECT_EQ(1u, s->k.zero_window);
	for (end = s->sim_now + 600 * SEC; s->sim_now < end;) {
		s->wait(10 * MS);
		if (s->sent.empty())
			continue;
		EXPECT_EQ(". 0:0 ack 1", s->out());
		at.push_back(s->sim_now);
		s->in(ACK, 1, 1);
	}
	ASSERT_NE(TCP_NONE, s->x);
	ASSERT_GE(at.size(), 12u);
	for (size_t i = 2; i < 8; i++)
		EXPECT_NEAR(
			2.0, (double)(at[i] - at[i - 1]) / (double)(at[i - 1] - at[i - 2]), 0.15);
	EXPECT_NEAR(60.0, (double)(at.back() - at[at.size() - 2]) / SEC, 0.1);
	s->wnd = 50000;
	s->in(ACK, 1, 1);
	EXPECT_EQ(". 1:1001 ack 1\n. 1001:2001 ack 1\n. 2001:3001 ack 1\n. 3001:4001 ack 1\n"
		  "P. 4001:5001 ack 1",
		s->out());
	EXPECT_EQ(at.size(), s->k.persist_probes);
}

TEST_P(Window, ProbesThatNobodyAnswersAreGivenUp)
{
	auto s = established();

	s->wnd = 0;
	s->in(ACK, 1, 1);
	s->write(10);
	s->wait(1000 * SEC);
	EXPECT_EQ(TCP_NONE, s->x);
	EXPECT_TRUE(s->events & TCP_EV_TIMEOUT);
	EXPECT_EQ(TCP_ESTABLISHED, s->end_state);
	EXPECT_EQ(8u, s->k.persist_probes);
}

TEST_P(Window, LostWindowUpdateIsFoundByAProbe)
{
	auto s = established();

	s->wnd = 0;
	s->in(ACK, 1, 1);
	s->write(10);
	s->wait(250 * MS);
	EXPECT_EQ(". 0:0 ack 1", s->out());
	s->wnd = 50000;
	s->in(ACK, 1, 1);
	EXPECT_EQ("P. 1:11 ack 1", s->out());
}

TEST_P(Window, RetransmissionTimerStartsAfreshWhenTheWindowOpens)
{
	auto s = established();

	s->wnd = 0;
	s->in(ACK, 1, 1);
	s->write(10);
	s->wait(195 * MS); /* the persist timer would fire in 5 ms */
	s->wnd = 50000;
	s->in(ACK, 1, 1);
	EXPECT_EQ("P. 1:11 ack 1", s->out());
	s->wait(190 * MS);
	EXPECT_EQ("", s->out());
	s->wait(20 * MS);
	EXPECT_EQ("P. 1:11 ack 1", s->out());
}

TEST_P(Window, DataDroppedByAClosedWindowIsSentAgainWhenItOpens)
{
	auto s = established();

	s->write(3000);
	s->out();
	s->wnd = 0;
	s->in(ACK, 1, 1001);
	s->wait(300 * MS);
	EXPECT_EQ(". 1000:1000 ack 1", s->out()) << "a probe, not a retransmission";
	s->wnd = 50000;
	s->in(ACK, 1, 1001);
	EXPECT_EQ(". 1001:2001 ack 1\nP. 2001:3001 ack 1", s->out());
}

TEST_P(Window, ShrunkWindowStopsNewDataAndBoundsRetransmissions)
{
	auto s = established(Opts(), test_config(), 10000);

	s->write(20000);
	s->out();
	EXPECT_EQ(10u, s->last.size());
	s->wnd = 2500;
	s->in(ACK, 1, 1001);
	EXPECT_EQ("", s->out()) << "no negative usable window";
	s->wait(250 * MS);
	EXPECT_EQ(". 1001:2001 ack 1", s->out());
	s->in(ACK, 1, 2001);
	EXPECT_EQ(". 2001:3001 ack 1\n. 3001:4001 ack 1", s->out());
}

TEST_P(Window, RuntIsHeldBackWhileDataIsInFlight)
{
	auto s = established(Opts(), test_config(), 2400);

	s->write(10000);
	EXPECT_EQ(". 1:1001 ack 1\n. 1001:2001 ack 1", s->out());
	s->in(ACK, 1, 2001);
	EXPECT_EQ(". 2001:3001 ack 1\n. 3001:4001 ack 1", s->out());
}

TEST_P(Window, HalfASegmentOfWindowIsUsedWhenNothingIsInFlight)
{
	auto s = established(Opts(), test_config(), 600);

	s->write(10000);
	EXPECT_EQ(". 1:601 ack 1", s->out());
	s->in(ACK, 1, 601);
	EXPECT_EQ(". 601:1201 ack 1", s->out());
}

TEST_P(Window, TinyWindowIsUsedByThePersistTimerOnly)
{
	auto s = established(Opts(), test_config(), 50);

	s->write(10000);
	EXPECT_EQ("", s->out());
	s->wait(250 * MS);
	EXPECT_EQ(". 1:51 ack 1", s->out());
	s->in(ACK, 1, 51);
	EXPECT_EQ("", s->out());
	s->wait(250 * MS);
	EXPECT_EQ(". 51:101 ack 1", s->out());
}

TEST_P(Window, EndOfStreamShorterThanTheWindowIsSent)
{
	auto s = established(Opts(), test_config(), 50);

	s->write(40);
	EXPECT_EQ("P. 1:41 ack 1", s->out());
}

TEST_P(Window, OlderSegmentsDoNotMoveTheWindow)
{
	auto s = established();

	s->in(ACK, 1, 1, bytes(10));
	s->in(ACK, 11, 1, bytes(10));
	uint32_t before = s->c().snd_wnd;
	s->wnd = 7;
	s->in(ACK, 1, 1, bytes(10));
	EXPECT_EQ(before, s->c().snd_wnd);
}

TEST_P(Window, BareFinIsSentIntoAClosedWindowAndRepeated)
{
	auto s = established();

	s->wnd = 0;
	s->in(ACK, 1, 1);
	s->close();
	EXPECT_EQ("F. 1:2 ack 1", s->out());
	for (int i = 0; i < 20; i++) {
		s->wait(61 * SEC);
		s->out();
		ASSERT_FALSE(s->last.empty());
		EXPECT_EQ(FIN | ACK, s->last[0].flags());
		s->in(ACK, 1, 1);
	}
	s->in(ACK, 1, 2);
	EXPECT_EQ(TCP_FIN_WAIT_2, s->c().state);
}

TEST_P(Window, ParkedBytesCloseTheWindowAndUnparkingOpensIt)
{
	struct tcp_config cfg = test_config();

	cfg.rcv_wnd = 5000;
	auto s = established(Opts(), cfg);
	std::string all;

	s->paused = true;
	for (uint32_t i = 0; i < 5; i++) {
		all += bytes(1000, (char)('a' + i));
		s->in(ACK, 1 + 1000 * i, 1, bytes(1000, (char)('a' + i)));
	}
	EXPECT_EQ("", s->rx);
	s->out();
	EXPECT_EQ(s->c().rcv_nxt, s->c().rcv_adv);
	s->in(ACK, 5001, 1, "z"); /* a probe into the closed window */
	EXPECT_EQ(". 1:1 ack 5001", s->out());
	EXPECT_EQ(0u, s->last[0].s.wnd);
	s->resume();
	EXPECT_EQ(all, s->rx);
	EXPECT_EQ(". 1:1 ack 5001", s->out());
	EXPECT_EQ(5000u, s->last[0].s.wnd);
	EXPECT_EQ(0u, s->t.n_ooo_used);
}

TEST_P(Window, WindowIsNotAdvancedByLessThanASegment)
{
	struct tcp_config cfg = test_config();

	cfg.rcv_wnd = 5000;
	auto s = established(Opts(), cfg);
	struct tcp_result res;

	s->paused = true;
	for (uint32_t i = 0; i < 50; i++)
		s->in(ACK, 1 + 100 * i, 1, bytes(100));
	s->in(ACK, 5001, 1, "z");
	s->out();
	ASSERT_EQ(0u, s->last.back().s.wnd);
	tcp_unpark(&s->t, s->x, &res); /* three blocks: all of it */
	ASSERT_TRUE(res.events & TCP_EV_DATA);
	/* put all but 900 bytes back */
	uint32_t skip = 900;
	std::vector<struct span> rest;
	for (uint32_t i = 0; i < res.n_spans; i++) {
		uint32_t k = std::min(skip, res.span[i].n);
		rest.push_back({res.span[i].p + k, res.span[i].n - k});
		skip -= k;
	}
	ASSERT_EQ(0, tcp_park(&s->t, s->x, rest.data(), (uint32_t)rest.size()));
	s->flush();
	s->in(ACK, 5001, 1, "z");
	s->out();
	EXPECT_EQ(0u, s->last.back().s.wnd) << "900 bytes are less than a segment";
}

TEST_P(Window, ArrivalsBehindParkedBytesKeepTheirOrder)
{
	auto s = established();

	s->paused = true;
	s->in(ACK, 1, 1, "one ");
	s->paused = false; /* the agent would take it, but order comes first */
	s->in(ACK, 9, 1, "three ");
	s->in(ACK, 5, 1, "two ");
	EXPECT_EQ("", s->rx);
	s->resume();
	EXPECT_EQ("one two three ", s->rx);
	s->in(ACK, 15, 1, "four");
	EXPECT_EQ("one two three four", s->rx);
}

TEST_P(Window, FinWaitsBehindParkedBytes)
{
	auto s = established();

	s->paused = true;
	s->in(ACK, 1, 1, "abc");
	s->in(ACK | FIN, 4, 1, "def");
	EXPECT_FALSE(s->events & TCP_EV_FIN);
	EXPECT_EQ(TCP_CLOSE_WAIT, s->c().state);
	EXPECT_EQ(". 1:1 ack 8", s->out());
	s->resume();
	EXPECT_EQ("abcdef", s->rx);
	EXPECT_EQ(1u, s->n_fin);
}

TEST_P(Window, FinTogetherWithBytesThatGetParkedIsToldAgain)
{
	auto s = established();

	s->paused = true;
	s->in(ACK | FIN, 1, 1, "abc");
	s->resume();
	EXPECT_EQ("abc", s->rx);
	EXPECT_EQ(1u, s->n_fin);
}

TEST_P(Window, TimeWaitWaitsForParkedBytes)
{
	auto s = established();

	s->paused = true;
	s->close();
	s->in(ACK, 1, 2, "abc");
	s->in(ACK | FIN, 4, 2);
	EXPECT_NE(TCP_NONE, s->x);
	EXPECT_EQ(TCP_FIN_WAIT_2, s->c().state);
	s->resume();
	EXPECT_EQ("abc", s->rx);
	EXPECT_EQ(1u, s->n_fin);
	EXPECT_EQ(TCP_NONE, s->x);
	EXPECT_NE(TCP_NONE, s->x_tw);
}

TEST_P(Window, ClosingWithParkedBytesEndsInTimeWaitAfterThem)
{
	auto s = established();

	s->paused = true;
	s->in(ACK, 1, 1, "abc");
	s->close();
	s->in(ACK | FIN, 4, 1);
	EXPECT_EQ(TCP_CLOSING, s->c().state);
	s->in(ACK, 5, 2);
	ASSERT_NE(TCP_NONE, s->x);
	s->resume();
	EXPECT_EQ("abc", s->rx);
	EXPECT_EQ(TCP_NONE, s->x);
}

TEST(WindowPool, ParkingWithoutBlocksIsRefusedAndArrivalsAreLost)
{
	struct tcp_sizes sizes = {2, 64, 2, 1};
	Script s;

	s.start(1000, test_config(), sizes);
	s.establish(false);
	s.paused = true;
	s.in(ACK, 1, 1, bytes(1000));
	s.in(ACK, 1001, 1, bytes(1000));
	s.in(ACK, 2001, 1, bytes(1000)); /* 1000 bytes more than the block holds */
	EXPECT_EQ(1u, s.k.ooo_dropped);
	s.out();
	EXPECT_EQ(2001u, s.last.back().v.ack - s.peer_iss);
	s.resume();
	EXPECT_EQ(2000u, s.rx.size());
	s.in(ACK, 2001, 1, bytes(1000));
	EXPECT_EQ(3000u, s.rx.size());
}

TEST(WindowPool, ParkRefusesWhenThereIsNoBlock)
{
	struct tcp_sizes sizes = {2, 64, 1, 0};
	uint8_t b[10] = {};
	struct span sp = {b, 10};
	Script s;

	s.start(1000, test_config(), sizes);
	s.establish(false);
	EXPECT_EQ(-1, tcp_park(&s.t, s.x, &sp, 1));
	s.check();
}

TEST(WindowRun, TransferToAReaderThatPausesIsExact)
{
	for (uint32_t isn : {1u, 0xfffff000u}) {
		struct tcp_config cfg = test_config();

		cfg.rcv_wnd = 20000;
		Link l(isn, isn + 5, cfg, cfg);
		l.connect();
		l.a.write(300000);
		for (int i = 0; i < 40; i++) {
			l.b.paused = true;
			l.run(300 * MS);
			l.b.resume();
			l.run(2 * MS);
		}
		l.run(60 * SEC);
		EXPECT_EQ(300000u, l.b.received);
		EXPECT_FALSE(l.b.wrong_bytes);
		EXPECT_EQ(0u, l.b.t.n_ooo_used);
		EXPECT_GT(l.a.k.zero_window, 5u);
		l.a.abort();
		l.run(SEC);
		EXPECT_TRUE(l.over());
		l.b.expect_empty();
	}
}

TEST(WindowRun, WindowUpdateThatIsLostDoesNotHang)
{
	struct tcp_config cfg = test_config();
	bool drop = false;

	cfg.rcv_wnd = 4000;
	Link l(1, 2, cfg, cfg);
	l.hook = [&](bool from_a, uint32_t, const Packet &) {
		Fate f;

		f.copies = drop && !from_a ? 0 : 1;
		return f;
	};
	l.connect();
	l.b.paused = true;
	l.a.write(8000);
	l.run(10 * SEC);
	drop = true;
	l.b.resume();
	l.settle();
	drop = false;
	l.run(61 * SEC);
	EXPECT_EQ(8000u, l.b.received);
}
