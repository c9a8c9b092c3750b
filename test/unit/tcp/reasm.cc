/* SPDX-License-Identifier: BSD-3-Clause */
/* Reassembly: every order, every overlap, SACK blocks, limits. First copy wins. */
#include <algorithm>
#include "link.h"
#include "script.h"

class Reasm : public EveryRole
{
};

INSTANTIATE_TEST_SUITE_P(Roles, Reasm, testing::ValuesIn(role_isns));

static std::string
bytes(size_t n, char c = 'x')
{
	return std::string(n, c);
}

TEST_P(Reasm, AllOrdersOfFiveSegmentsTheLastWithFin)
{
	std::vector<uint32_t> order = {0, 1, 2, 3, 4};
	std::string all;

	for (uint32_t i = 0; i < 5; i++)
		all += bytes(100 + 450 * i, (char)('a' + i));
	do {
		auto s = established();
		std::vector<uint32_t> at = {0, 100, 650, 1650, 3100};

		for (uint32_t i : order) {
			uint8_t fin = i == 4 ? FIN : 0;

			s->in(ACK | fin, 1 + at[i], 1, bytes(100 + 450 * i, (char)('a' + i)));
		}
		ASSERT_EQ(all, s->rx);
		ASSERT_EQ(1u, s->n_fin);
		ASSERT_EQ(TCP_CLOSE_WAIT, s->c().state);
		s->out();
		ASSERT_EQ(s->peer_iss + 1 + (uint32_t)all.size() + 1, s->last.back().v.ack);
		ASSERT_EQ(0u, s->t.n_ooo_used);
		ASSERT_EQ(TCP_NONE, s->c().x_loss);
	} while (std::next_permutation(order.begin(), order.end()));
}

/* Two segments over a hole, then what fills everything: which byte comes from where. */
TEST_P(Reasm, AllOverlapsOfTwoSegmentsKeepTheFirstCopy)
{
	for (uint32_t a0 = 1; a0 < 7; a0++)
		for (uint32_t a1 = a0 + 1; a1 <= 8; a1++)
			for (uint32_t b0 = 1; b0 < 7; b0++)
				for (uint32_t b1 = b0 + 1; b1 <= 8; b1++) {
					auto s = established();
					std::string want = bytes(9, 'c');

					for (uint32_t i = b0; i < b1; i++)
						want[i] = 'b';
					for (uint32_t i = a0; i < a1; i++)
						want[i] = 'a';
					want[0] = 'c';
					s->in(ACK, 1 + a0, 1, bytes(a1 - a0, 'a'));
					s->in(ACK, 1 + b0, 1, bytes(b1 - b0, 'b'));
					s->in(ACK, 1, 1,
						"c"); /* first byte: what follows is there */
					s->in(ACK, 1, 1, bytes(9, 'c'));
					ASSERT_EQ(want, s->rx)
						<< a0 << "-" << a1 << " " << b0 << "-" << b1;
					ASSERT_EQ(0u, s->t.n_ooo_used);
				}
}

TEST_P(Reasm, HeldBytesWinOverALaterInOrderSegment)
{
	auto s = established();

	s->in(ACK, 4, 1, "BBB");
	s->in(ACK | FIN, 1, 1, "aaaaaaaaa");
	EXPECT_EQ("aaaBBBaaa", s->rx);
	EXPECT_EQ(0u, s->t.n_ooo_used);
	EXPECT_EQ(1u, s->n_fin);
}

TEST_P(Reasm, InOrderSegmentThatEndsInsideAHeldBlock)
{
	auto s = established();

	s->in(ACK, 4, 1, "BBB");
	s->in(ACK, 1, 1, "aaaaa");
	EXPECT_EQ("aaaBBB", s->rx);
}

TEST_P(Reasm, HoleAndFillAreAcknowledgedAtOnce)
{
	auto s = established();

	s->in(ACK, 101, 1, bytes(100));
	EXPECT_EQ(". 1:1 ack 1", s->out());
	s->in(ACK, 201, 1, bytes(100));
	EXPECT_EQ(". 1:1 ack 1", s->out());
	s->in(ACK, 1, 1, bytes(100));
	EXPECT_EQ(". 1:1 ack 301", s->out());
	EXPECT_EQ(2u, s->k.ooo_segs);
}

TEST_P(Reasm, BareFinOutOfOrderIsKept)
{
	auto s = established();

	s->in(FIN | ACK, 4, 1);
	EXPECT_EQ(". 1:1 ack 1", s->out());
	EXPECT_EQ(0u, s->n_fin);
	s->in(ACK, 1, 1, "abc");
	EXPECT_EQ(1u, s->n_fin);
	EXPECT_EQ(". 1:1 ack 5", s->out());
	EXPECT_EQ(TCP_NONE, s->c().x_loss);
}

TEST_P(Reasm, BytesBehindAKeptFinAreCut)
{
	auto s = established();

	s->in(FIN | ACK, 4, 1);
	s->in(ACK, 2, 1, "bcdefgh");
	s->in(ACK, 1, 1, "a");
	EXPECT_EQ("abc", s->rx);
	EXPECT_EQ(1u, s->n_fin);
}

TEST_P(Reasm, FinThatContradictsHeldBytesIsIgnored)
{
	auto s = established();

	s->in(ACK, 11, 1, bytes(10));
	s->in(FIN | ACK, 15, 1);
	s->in(ACK, 1, 1, bytes(10));
	EXPECT_EQ(20u, s->rx.size());
	EXPECT_EQ(0u, s->n_fin);
}

TEST_P(Reasm, InOrderFinThatContradictsHeldBytesIsIgnored)
{
	auto s = established();

	s->in(ACK, 5, 1, "efgh");
	s->in(FIN | ACK, 1, 1, "abc");
	EXPECT_EQ("abc", s->rx);
	EXPECT_EQ(0u, s->n_fin);
	s->in(FIN | ACK, 4, 1, "defgh");
	EXPECT_EQ("abcdefgh", s->rx);
	EXPECT_EQ(1u, s->n_fin);
	EXPECT_EQ(TCP_NONE, s->c().x_loss);
}

TEST_P(Reasm, SackBlocksNameTheLatestFirst)
{
	Opts o;

	o.sack = true;
	auto s = established(o);
	uint32_t base = s->peer_iss;
	s->in(ACK, 101, 1, bytes(100));
	s->in(ACK, 301, 1, bytes(100));
	s->in(ACK, 501, 1, bytes(100));
	s->in(ACK, 401, 1, bytes(50));
	s->out();
	const Packet &p = s->last.back();
	ASSERT_EQ(3, p.s.n_sack);
	EXPECT_EQ(base + 301, load_be32(p.s.sack));
	EXPECT_EQ(base + 451, load_be32(p.s.sack + 4));
	EXPECT_EQ(base + 501, load_be32(p.s.sack + 8));
	EXPECT_EQ(base + 101, load_be32(p.s.sack + 16));
	s->in(ACK, 1, 1, bytes(100));
	s->out();
	EXPECT_EQ(2, s->last.back().s.n_sack) << "what is acknowledged is not reported";
}

TEST_P(Reasm, AtMostThreeSackBlocksBesideTimestamps)
{
	for (bool ts : {false, true}) {
		Opts o;

		o.sack = true;
		o.ts = ts;
		auto s = established(o);
		for (uint32_t i = 0; i < 6; i++)
			s->in(ACK, 101 + 200 * i, 1, bytes(100));
		s->out();
		EXPECT_EQ(ts ? 3 : 4, s->last.back().s.n_sack);
	}
}

TEST_P(Reasm, SackBlocksTakeRoomFromData)
{
	Opts o;

	o.sack = true;
	auto s = established(o);
	s->in(ACK, 101, 1, bytes(100));
	s->out();
	s->write(3000);
	s->out();
	for (auto &p : s->last)
		EXPECT_LE(p.v.len, 1000 - 12);
	s->in(ACK, 1, 1, bytes(100));
	s->in(ACK, 201, s->c().snd_max - s->iss);
	EXPECT_EQ(3000u, s->acked);
}

TEST_P(Reasm, WithoutSackNoBlocksAreSent)
{
	auto s = established();

	s->in(ACK, 101, 1, bytes(100));
	s->out();
	EXPECT_EQ(0, s->last.back().s.n_sack);
}

TEST_P(Reasm, SmallSegmentsShareBlocks)
{
	auto s = established();

	for (uint32_t i = 0; i < 1000; i++)
		s->in(ACK, 2 + i, 1, "x");
	EXPECT_EQ(1u, s->t.n_ooo_used);
	s->in(ACK, 1, 1, "x");
	EXPECT_EQ(1001u, s->rx.size());
}

TEST_P(Reasm, OneConnectionHoldsABoundedNumberOfBlocks)
{
	auto s = established();

	for (uint32_t i = 0; i < 100; i++)
		s->in(ACK, 2 + 2 * i, 1, "x");
	EXPECT_EQ((uint32_t)TCP_OOO_MAX, s->t.n_ooo_used);
	EXPECT_EQ(100u - TCP_OOO_MAX, s->k.ooo_dropped);
	for (uint32_t i = 0; i < 31; i++)
		s->in(ACK, 1 + 2 * i, 1, "y");
	EXPECT_EQ(0u, s->t.n_ooo_used);
	EXPECT_EQ(2u * TCP_OOO_MAX + 1, s->rx.size()) << "up to the first that was dropped";
}

TEST_P(Reasm, FullOfBlocksIsDeliveredInOneResult)
{
	struct tcp_config cfg = test_config();
	Opts o;

	cfg.mss = 2000;
	o.wscale = 2;
	auto s = established(o, cfg);
	s->in(ACK, 1, 1);
	s->write(1);
	s->out(); /* the window is scaled from here on */
	for (uint32_t i = 0; i < 29; i++)
		s->in(ACK, 2001 + 2000 * i, 1, bytes(2000, (char)('a' + i % 26)));
	s->in(ACK, 1, 1, bytes(2000));
	EXPECT_EQ(60000u, s->rx.size());
	EXPECT_EQ(0u, s->t.n_ooo_used);
}

TEST_P(Reasm, GiveReturnsHeldBlocks)
{
	auto s = established();

	s->in(ACK, 101, 1, bytes(5000 - 4000));
	EXPECT_NE(0u, s->t.n_ooo_used);
	s->abort();
	s->expect_empty();
}

TEST(ReasmPool, ExhaustedPoolDropsTheNewestAndRecovers)
{
	struct tcp_sizes sizes = {2, 64, 2, 2};
	Script s;

	s.start(1000, test_config(), sizes);
	s.establish(false);
	s.in(ACK, 1001, 1, bytes(1000, 'b'));
	s.in(ACK, 3001, 1, bytes(1000, 'd'));
	s.in(ACK, 5001, 1, bytes(1000, 'f'));
	EXPECT_EQ(1u, s.k.ooo_dropped);
	s.in(ACK, 1, 1, bytes(1000, 'a'));
	s.in(ACK, 2001, 1, bytes(1000, 'c'));
	s.in(ACK, 4001, 1, bytes(1000, 'e'));
	EXPECT_EQ(5000u, s.rx.size());
	s.in(ACK, 5001, 1, bytes(1000, 'f'));
	EXPECT_EQ(6000u, s.rx.size());
}

TEST(ReasmPool, DeliveredBlocksAreNotOverwrittenByTheNextConnection)
{
	struct tcp_sizes sizes = {2, 64, 2, 1};
	struct tcp_result res;
	Script s;

	s.start(1000, test_config(), sizes);
	s.establish(false);
	s.in(ACK, 11, 1, bytes(10, 'b'));
	Packet p = s.make(ACK, 1, 1, bytes(10, 'a'));
	tcp_segment_in(&s.t, s.x, &p.v, nullptr, s.now(), &res);
	ASSERT_EQ(2u, res.n_spans);
	/* parking must not take the very block that the span is in */
	EXPECT_EQ(-1, tcp_park(&s.t, s.x, res.span, 2));
	EXPECT_EQ('b', res.span[1].p[9]);
}
