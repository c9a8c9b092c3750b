/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties over many seeds: any mix of loss, delay, reordering and duplication leaves the streams
 * exact, the invariants true after each event and the pools empty. */
#include "base_rng.h"
#include "link.h"

struct Dice {
	uint64_t key;
	uint64_t n = 0;

	explicit Dice(uint64_t seed) : key(rng_key(seed, 7))
	{
	}
	uint64_t
	below(uint64_t k)
	{
		return rng_below(rng_at(key, n++), k);
	}
	bool
	percent(uint64_t p)
	{
		return below(100) < p;
	}
};

static struct tcp_config
random_config(Dice &d)
{
	struct tcp_config c = test_config();

	c.mss = (uint16_t)(200 + d.below(1260));
	c.rcv_wnd = 2000 + (uint32_t)d.below(d.percent(30) ? 4000 : 200000);
	c.wscale = (uint8_t)d.below(8);
	c.timestamps = d.percent(60);
	c.sack = d.percent(60);
	c.delayed_ack_ns = d.percent(20) ? 0 : 40 * MS;
	c.initial_window_segs = 1 + (uint32_t)d.below(10);
	c.data_retries = 40;
	c.fin_wait2_ns = 1000 * SEC; /* longer than a reader pauses */
	c.time_wait_ns = 500 * SEC; /* longer than a backed-off FIN takes */
	c.syn_retries = 12;
	c.cc = d.percent(10) ? TCP_CC_NONE : TCP_CC_RENO;
	return c;
}

/* Half of the seeds have a sequence wrap in the middle. */
static uint32_t
random_isn(Dice &d)
{
	return d.percent(50) ? (uint32_t)d.below(1ULL << 32) : 0u - (uint32_t)d.below(60000);
}

struct RandomRun {
	Dice d;
	uint32_t loss;
	uint32_t dup;
	uint32_t reorder;
	Link l;
	uint32_t left_a;
	uint32_t left_b;

	explicit RandomRun(uint64_t seed)
	    : d(seed), loss((uint32_t)(d.percent(20) ? 0 : d.below(12))), dup((uint32_t)d.below(5)),
	      reorder((uint32_t)d.below(20)),
	      l(random_isn(d), random_isn(d), random_config(d), random_config(d)),
	      left_a((uint32_t)d.below(60000)), left_b((uint32_t)d.below(60000))
	{
		l.delay = 10 * US + d.below(30 * MS);
		l.a.n_out = 1 + (uint32_t)d.below(8);
		l.b.n_out = 1 + (uint32_t)d.below(8);
		l.hook = [this](bool, uint32_t, const Packet &) {
			Fate f;

			f.copies = d.percent(loss) ? 0 : d.percent(dup) ? 2 : 1;
			if (d.percent(reorder))
				f.extra = d.below(3 * l.delay);
			return f;
		};
	}

	/* A step of an application that writes, pauses and ends at random. */
	void
	act(Host &h, uint32_t &left)
	{
		if (h.x == TCP_NONE || h.c().state < TCP_ESTABLISHED)
			return;
		if (h.paused && d.percent(30))
			h.resume();
		else if (d.percent(5))
			h.paused = true;
		if (h.x == TCP_NONE || (h.c().flags & TCP_CONN_END))
			return;
		if (left != 0) {
			uint32_t n = 1 + (uint32_t)d.below(std::min(left, 9000u));

			left -= n;
			h.write(n);
		} else {
			h.close();
		}
	}

	void
	run()
	{
		uint32_t all_a = left_a;
		uint32_t all_b = left_b;

		l.a.open();
		for (int i = 0; i < 6000 && !l.over(); i++) {
			act(l.a, left_a);
			act(l.b, left_b);
			l.run(i < 300 ? d.below(60 * MS) : SEC);
			if (testing::Test::HasFatalFailure())
				return;
		}
		ASSERT_EQ(0u, left_a + left_b);
		ASSERT_EQ(all_a, l.b.received);
		ASSERT_EQ(all_b, l.a.received);
		ASSERT_EQ(all_a, l.a.acked);
		ASSERT_FALSE(l.a.wrong_bytes || l.b.wrong_bytes);
		ASSERT_GE(l.a.n_fin, 1u);
		ASSERT_GE(l.b.n_fin, 1u);
		ASSERT_FALSE((l.a.events | l.b.events) &
			     (TCP_EV_RESET | TCP_EV_TIMEOUT | TCP_EV_REFUSED));
		ASSERT_TRUE(l.over());
		ASSERT_EQ(all_a, l.a.k.bytes_out);
		ASSERT_EQ(all_a, l.b.k.bytes_in);
		l.run(501 * SEC);
		ASSERT_EQ(0u, l.a.k.tw_now + l.b.k.tw_now);
		l.a.expect_empty();
		l.b.expect_empty();
	}
};

class Random : public testing::TestWithParam<int>
{
};

INSTANTIATE_TEST_SUITE_P(Seeds, Random, testing::Range(0, 60));

TEST_P(Random, ImpairedTransfersAreExact)
{
	for (int i = 0; i < 10; i++) {
		uint64_t seed = (uint64_t)GetParam() * 10 + (uint64_t)i;
		SCOPED_TRACE("seed " + std::to_string(seed));
		RandomRun r(seed);

		r.run();
		if (HasFatalFailure())
			return;
	}
}

/* Any segments at all against one connection: nothing breaks, the invariants hold. */
TEST_P(Random, ArbitrarySegmentsKeepTheInvariants)
{
	Dice d((uint64_t)GetParam() + 1000);
	Link l(random_isn(d), random_isn(d), random_config(d), random_config(d));
	Host &h = l.b;

	l.connect();
	h.peer_key = 0;
	for (int i = 0; i < 300 && h.x != TCP_NONE; i++) {
		struct net_tx tx = {};
		uint32_t base = d.percent(80) ? h.c().rcv_nxt : h.c().rcv_adv;

		tx.saddr = h.tuple.paddr;
		tx.daddr = h.tuple.laddr;
		tx.sport = h.tuple.pport;
		tx.dport = h.tuple.lport;
		tx.ttl = 64;
		tx.seq = base + (uint32_t)d.below(6000) - 2000;
		tx.ack = h.c().snd_una + (uint32_t)d.below(4000) - 500;
		tx.flags = (uint8_t)(d.percent(90) ? ACK : d.below(64));
		tx.flags |= d.percent(5) ? FIN : 0;
		tx.flags &= d.percent(95) ? (uint8_t)~RST : 0xff;
		tx.wnd = (uint16_t)(d.percent(20) ? 0 : d.below(65536));
		tx.opts = d.percent(80) ? NET_OPT_TS : 0;
		tx.ts_val = h.c().ts_recent + (uint32_t)d.below(20) - 3;
		tx.n_sack = (uint8_t)d.below(4);
		for (int k = 0; k < tx.n_sack; k++) {
			tx.sack[k][0] = h.c().snd_una + (uint32_t)d.below(5000) - 500;
			tx.sack[k][1] = tx.sack[k][0] + (uint32_t)d.below(2000);
		}
		h.input(Packet(tx, std::string(d.below(1400), 'r')));
		if (h.x == TCP_NONE)
			break;
		if (d.percent(10))
			h.paused = !h.paused;
		if (!h.paused)
			h.resume();
		if (h.x != TCP_NONE && d.percent(20) && !(h.c().flags & TCP_CONN_END))
			h.write((uint32_t)d.below(5000));
		if (h.x != TCP_NONE && d.percent(1))
			h.close();
		h.sim_now += d.below(100 * MS);
		h.timers();
		h.sent.clear();
		if (HasFatalFailure())
			return;
	}
	if (h.x != TCP_NONE)
		h.give();
	h.expect_empty();
}
