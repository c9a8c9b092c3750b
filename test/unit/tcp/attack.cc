/* SPDX-License-Identifier: BSD-3-Clause */
/* What strangers and broken peers send: RFC 5961, strays, limits. */
#include "link.h"
#include "script.h"

class Attack : public EveryRole
{
};

INSTANTIATE_TEST_SUITE_P(Roles, Attack, testing::ValuesIn(role_isns));

/* Bring an established connection into each synchronised state. */
static void
bring_to(Script &s, enum tcp_state state)
{
	switch (state) {
	case TCP_FIN_WAIT_1:
		s.close();
		break;
	case TCP_FIN_WAIT_2:
		s.close();
		s.in(ACK, 1, 2);
		break;
	case TCP_CLOSE_WAIT:
		s.in(FIN | ACK, 1, 1);
		break;
	case TCP_CLOSING:
		s.close();
		s.in(FIN | ACK, 1, 1);
		break;
	case TCP_LAST_ACK:
		s.in(FIN | ACK, 1, 1);
		s.close();
		break;
	default:
		break;
	}
	s.out();
	ASSERT_EQ(state, s.c().state);
}

static const enum tcp_state synchronised[] = {
	TCP_ESTABLISHED, TCP_FIN_WAIT_1, TCP_FIN_WAIT_2, TCP_CLOSE_WAIT, TCP_CLOSING, TCP_LAST_ACK};

/* The peer's next sequence number. */
static uint32_t
next_seq(Script &s)
{
	return s.c().rcv_nxt - s.peer_iss;
}

TEST_P(Attack, RstAtRcvNxtResetsInEveryState)
{
	for (enum tcp_state state : synchronised) {
		auto s = established();

		bring_to(*s, state);
		s->in(RST, next_seq(*s), 0, "payload of an RST is ignored");
		EXPECT_TRUE(s->events & TCP_EV_RESET);
		EXPECT_EQ(TCP_NONE, s->x);
		EXPECT_EQ(state, s->end_state);
		EXPECT_EQ("", s->out());
		EXPECT_EQ("", s->rx);
		EXPECT_EQ(1u, s->k.rst_in);
	}
}

TEST_P(Attack, RstInTheWindowIsChallengedInEveryState)
{
	for (enum tcp_state state : synchronised) {
		auto s = established();

		bring_to(*s, state);
		s->in(RST, next_seq(*s) + 1, 0);
		EXPECT_NE("", s->out());
		EXPECT_EQ(ACK, s->last[0].flags());
		EXPECT_EQ(s->c().rcv_nxt, s->last[0].v.ack);
		EXPECT_EQ(state, s->c().state);
		EXPECT_EQ(1u, s->k.challenge_acks);
	}
}

TEST_P(Attack, RstOutsideTheWindowIsIgnoredInEveryState)
{
	for (enum tcp_state state : synchronised) {
		auto s = established();

		bring_to(*s, state);
		s->in(RST, next_seq(*s) - 1, 0);
		s->in(RST, next_seq(*s) + 0x10000000, 0);
		EXPECT_EQ("", s->out());
		EXPECT_EQ(state, s->c().state);
		EXPECT_EQ(2u, s->k.rst_ignored);
	}
}

TEST_P(Attack, SynIsChallengedInEveryState)
{
	for (enum tcp_state state : synchronised)
		for (uint32_t seq : {0u, 1u, 500u, 0x12345678u}) {
			auto s = established();

			bring_to(*s, state);
			s->in(SYN, seq, 0);
			EXPECT_NE("", s->out());
			EXPECT_EQ(ACK, s->last[0].flags());
			EXPECT_EQ(state, s->c().state);
		}
}

TEST_P(Attack, ChallengeAcksAreLimited)
{
	auto s = established();

	for (int i = 0; i < 1000; i++)
		s->in(SYN, 500, 0);
	EXPECT_EQ(100u, s->k.challenge_acks);
	s->wait(SEC);
	s->sent.clear();
	s->in(SYN, 500, 0);
	EXPECT_EQ(". 1:1 ack 1", s->out());
}

TEST_P(Attack, DuplicateSynAckIsAcknowledgedWithoutLimit)
{
	auto s = established();

	for (int i = 0; i < 300; i++) {
		s->in(SYN | ACK, 0, 1);
		EXPECT_EQ(". 1:1 ack 1", s->out());
	}
	EXPECT_EQ(0u, s->k.challenge_acks);
}

TEST_P(Attack, AckOfWhatWasNeverSentIsAnsweredAndDropped)
{
	auto s = established();

	s->write(100);
	s->out();
	s->in(ACK, 1, 102, "not taken");
	EXPECT_EQ(". 101:101 ack 1", s->out());
	EXPECT_EQ("", s->rx);
	EXPECT_EQ(0u, s->acked);
	EXPECT_EQ(1u, s->k.bad_ack);
}

TEST_P(Attack, AckFarBehindIsAnsweredAndDropped)
{
	auto s = established();

	s->in(ACK, 1, 1u - 70000u, "not taken");
	EXPECT_EQ("", s->rx);
	EXPECT_EQ(1u, s->k.bad_ack);
	s->in(ACK, 1, 1u - 100u, "taken");
	EXPECT_EQ("taken", s->rx);
}

TEST_P(Attack, OldPureAckGetsNoAnswer)
{
	auto s = established();

	s->in(ACK, 1, 1, "a");
	s->in(ACK, 1, 1); /* overtaken: nothing was acknowledged since */
	EXPECT_EQ(". 1:1 ack 2", s->out()) << "one before RCV.NXT looks like a keep-alive probe";
	s->in(ACK, 2, 1, std::string(50, 'x'));
	s->in(ACK, 10, 1);
	EXPECT_EQ("", s->out());
}

TEST_P(Attack, AckWarIsLimited)
{
	auto s = established();

	s->in(ACK, 1, 1, std::string(1000, 'x'));
	s->wait(50 * MS);
	s->out();
	for (int i = 0; i < 1000; i++)
		s->in(ACK, 5, 1);
	EXPECT_LE(s->sent.size(), 101u);
}

TEST(AttackStray, RepliesFollowTheSegment)
{
	Script s;

	s.in(ACK, 50, 20);
	EXPECT_EQ("R 20:20", s.out());
	s.in(SYN, 50, 0);
	s.out();
	EXPECT_EQ(RST | ACK, s.last[0].flags());
	EXPECT_EQ(0u, s.last[0].v.seq);
	EXPECT_EQ(s.peer_iss + 51, s.last[0].v.ack);
	s.in(FIN, 50, 0, "abc");
	s.out();
	EXPECT_EQ(s.peer_iss + 54, s.last[0].v.ack);
	s.in(RST, 50, 0);
	s.in(RST | ACK, 50, 20);
	EXPECT_EQ("", s.out());
	EXPECT_EQ(5u, s.k.stray_segs);
	EXPECT_EQ(3u, s.k.rst_out);
}

TEST(AttackStray, RstsAreLimited)
{
	Script s;

	for (int i = 0; i < 3000; i++)
		s.in(ACK, 50, 20);
	EXPECT_EQ(1000u, s.sent.size());
	EXPECT_EQ(2000u, s.k.stray_limited);
	s.sent.clear();
	s.wait(10 * MS);
	s.in(ACK, 50, 20);
	EXPECT_EQ("R 20:20", s.out());
}

TEST(AttackClosed, SegmentsForABlockThatIsOverAreIgnored)
{
	Script s;
	struct tcp_result res;
	struct tcp_seg seg;

	s.establish(true);
	Packet p = s.make(ACK, 1, 1, "abc");
	tcp_abort(&s.t, s.x, &seg);
	EXPECT_EQ(RST | ACK, seg.tx.flags);
	tcp_segment_in(&s.t, s.x, &p.v, nullptr, s.now(), &res);
	EXPECT_EQ(0u, res.events);
	EXPECT_EQ(0u, tcp_output(&s.t, s.x, s.now(), 1, &seg, 1));
	EXPECT_EQ(0, tcp_abort(&s.t, s.x, &seg));
}

TEST(AttackNames, EveryStateHasAName)
{
	EXPECT_STREQ("CLOSED", tcp_state_name(TCP_CLOSED));
	EXPECT_STREQ("LAST-ACK", tcp_state_name(TCP_LAST_ACK));
	EXPECT_STREQ("?", tcp_state_name((enum tcp_state)99));
	EXPECT_EQ(sizeof(struct tcp_counters) / sizeof(uint64_t), tcp_n_counter_descs);
}
