/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Two hosts in virtual time, joined by a link with a delay and a hook that may drop, delay or
 * repeat each packet.
 */
#ifndef TEST_TCP_LINK_H
#define TEST_TCP_LINK_H

#include <map>
#include "host.h"

/* What the link does with a packet. */
struct Fate {
	uint32_t copies = 1; /* 0: dropped */
	uint64_t extra = 0; /* additional delay, ns */
};

struct Link {
	Host a; /* client */
	Host b; /* server */
	uint64_t now = 0;
	uint64_t delay = 1 * MS;
	uint64_t order = 0;
	uint64_t n_turns = 0;
	std::map<std::pair<uint64_t, uint64_t>, std::pair<Host *, Packet>> air;
	/* from the client?, number of the packet in its direction */
	std::function<Fate(bool, uint32_t, const Packet &)> hook;
	uint32_t n_from_a = 0;
	uint32_t n_from_b = 0;

	explicit Link(uint32_t isn_a = 1000, uint32_t isn_b = 5000,
		const struct tcp_config &ca = test_config(),
		const struct tcp_config &cb = test_config())
	{
		b.tuple = {a.tuple.paddr, a.tuple.laddr, a.tuple.pport, a.tuple.lport};
		b.key = 2;
		b.peer_key = 1;
		b.listening = true;
		a.start(isn_a, ca);
		b.start(isn_b, cb);
	}

	void
	carry(Host &from, Host &to)
	{
		while (!from.sent.empty()) {
			bool from_a = &from == &a;
			uint32_t n = from_a ? n_from_a++ : n_from_b++;
			Fate f = hook ? hook(from_a, n, from.sent.front()) : Fate();

			for (uint32_t i = 0; i < f.copies; i++)
				air.emplace(std::make_pair(
						    now + delay + f.extra + i * 10 * US, order++),
					std::make_pair(&to, from.sent.front()));
			from.sent.pop_front();
		}
	}

	void
	settle()
	{
		carry(a, b);
		carry(b, a);
	}

	/* One event: a packet or a timer. @return false when nothing is left before `end`. */
	bool
	step(uint64_t end)
	{
		uint64_t at = UINT64_MAX;

		settle();
		if (!air.empty())
			at = air.begin()->first.first;
		at = std::min(at, std::min(a.next_timer(), b.next_timer()));
		if (at > end || ++n_turns > 2000000)
			return false;
		now = std::max(now, at);
		a.sim_now = now;
		b.sim_now = now;
		if (!air.empty() && air.begin()->first.first <= now) {
			auto e = std::move(air.begin()->second);
			air.erase(air.begin());
			e.first->input(e.second);
		} else {
			a.timers();
			b.timers();
			if (at <= now && air.empty() && a.next_timer() <= now &&
				b.next_timer() <= now)
				now++;
		}
		settle();
		return !testing::Test::HasFatalFailure();
	}

	void
	run(uint64_t ns)
	{
		uint64_t end = now + ns;

		while (step(end))
			;
		now = end;
		a.sim_now = now;
		b.sim_now = now;
		a.timers(); /* TIME-WAIT is in no wheel */
		b.timers();
		settle();
	}

	/* @return false when it did not come true in that time. */
	bool
	run_until(const std::function<bool()> &done, uint64_t ns)
	{
		uint64_t end = now + ns;

		while (!done() && step(end))
			;
		return done();
	}

	void
	connect()
	{
		a.open();
		ASSERT_TRUE(
			run_until([&] { return a.n_established && b.n_established; }, 100 * SEC));
	}

	bool
	over() const
	{
		return a.x == TCP_NONE && b.x == TCP_NONE;
	}
};

#endif
