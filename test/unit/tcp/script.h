/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A host against a peer that is a list of packets. Sequence numbers are relative: SYN is 0, data
 * begins at 1, on both sides.
 */
#ifndef TEST_TCP_SCRIPT_H
#define TEST_TCP_SCRIPT_H

#include "host.h"

struct Opts {
	uint16_t mss = 1000;
	int wscale = -1;
	bool sack = false;
	bool ts = false;
};

struct Script : Host {
	uint32_t iss;
	uint32_t peer_iss;
	uint16_t wnd = 50000;
	Opts opts;
	uint32_t ts_val = 100000;
	uint32_t ts_ecr = 0;
	std::vector<std::pair<uint32_t, uint32_t>> sack;
	std::string seen; /* what we sent, since the last look */

	explicit Script(uint32_t isn = 1000, uint32_t peer_isn = 5000,
		const struct tcp_config &cfg = test_config())
	    : iss(isn), peer_iss(peer_isn)
	{
		start(isn, cfg);
		peer_key = 0;
	}

	Packet
	make(uint8_t flags, uint32_t seq, uint32_t ack, const std::string &payload = "")
	{
		struct net_tx tx = {};

		tx.saddr = tuple.paddr;
		tx.daddr = tuple.laddr;
		tx.sport = tuple.pport;
		tx.dport = tuple.lport;
		tx.ttl = 64;
		tx.seq = peer_iss + seq;
		tx.ack = flags & ACK ? iss + ack : 0;
		tx.flags = flags;
		tx.wnd = wnd;
		if (flags & SYN) {
			if (opts.mss != 0)
				tx.opts |= NET_OPT_MSS;
			tx.mss = opts.mss;
			if (opts.wscale >= 0)
				tx.opts |= NET_OPT_WSCALE;
			tx.wscale = (uint8_t)opts.wscale;
			if (opts.sack)
				tx.opts |= NET_OPT_SACK_OK;
		}
		if (opts.ts && !(flags & RST)) {
			tx.opts |= NET_OPT_TS;
			tx.ts_val = ts_val;
			tx.ts_ecr = ts_ecr;
		}
		for (auto &b : sack) {
			tx.sack[tx.n_sack][0] = iss + b.first;
			tx.sack[tx.n_sack][1] = iss + b.second;
			tx.n_sack++;
		}
		return Packet(tx, payload);
	}

	void
	in(uint8_t flags, uint32_t seq, uint32_t ack, const std::string &payload = "")
	{
		input(make(flags, seq, ack, payload));
	}

	/* Let virtual time pass, timers run. */
	void
	wait(uint64_t ns)
	{
		uint64_t end = sim_now + ns;

		for (;;) {
			uint64_t at = next_timer();

			if (at > end)
				break;
			sim_now = at > sim_now ? at : sim_now + 1;
			timers();
		}
		sim_now = end;
		timers();
	}

	/* What was sent since the last look, e.g. "PA 1:101 ack 1" and "S. 0:1 ack 1", one a line.
	 */
	std::string
	out()
	{
		std::string text;

		for (auto &p : sent) {
			char line[96];
			uint32_t seq = p.v.seq - iss;
			std::string f;

			if (p.flags() & SYN)
				f += 'S';
			if (p.flags() & FIN)
				f += 'F';
			if (p.flags() & RST)
				f += 'R';
			if (p.flags() & PSH)
				f += 'P';
			if (p.flags() & ACK)
				f += '.';
			snprintf(line, sizeof(line), "%s %u:%u", f.c_str(), seq,
				seq + net_view_seg_len(&p.v));
			text += (text.empty() ? "" : "\n") + std::string(line);
			if (p.flags() & ACK)
				text += " ack " + std::to_string(p.v.ack - peer_iss);
		}
		last.clear();
		for (auto &p : sent)
			last.push_back(p);
		sent.clear();
		return text;
	}
	std::deque<Packet> last; /* the packets of the last look */

	/* Handshake as the active or the passive side. */
	void
	establish(bool active)
	{
		if (active) {
			open();
			ASSERT_EQ("S 0:1", out());
			ts_ecr = last[0].s.ts_val;
			in(SYN | ACK, 0, 1);
			ASSERT_EQ(". 1:1 ack 1", out());
		} else {
			listening = true;
			in(SYN, 0, 0);
			ASSERT_EQ("S. 0:1 ack 1", out());
			ts_ecr = last[0].s.ts_val;
			in(ACK, 1, 1);
			ASSERT_EQ("", out());
		}
		ASSERT_EQ(TCP_ESTABLISHED, c().state);
		ASSERT_EQ(iss, c().iss);
	}

	~Script()
	{
		if (x != TCP_NONE)
			give();
		expect_empty();
	}
};

/* Role and ISN pairs that matter: plain, our side wraps, the peer's side wraps, sign changes. */
struct RoleIsn {
	bool active;
	uint32_t isn;
	uint32_t peer_isn;
};

static inline void
PrintTo(const RoleIsn &r, std::ostream *os)
{
	*os << (r.active ? "active " : "passive ") << r.isn << " " << r.peer_isn;
}

static const RoleIsn role_isns[] = {
	{true, 1000, 5000},
	{false, 1000, 5000},
	{true, 0xffffff00, 5000},
	{false, 0xfffffffe, 0xffffffff},
	{true, 1000, 0xffffff80},
	{false, 0x7fffff80, 0x7fffffff},
};

class EveryRole : public testing::TestWithParam<RoleIsn>
{
      public:
	std::unique_ptr<Script>
	script(const struct tcp_config &cfg = test_config())
	{
		return std::make_unique<Script>(GetParam().isn, GetParam().peer_isn, cfg);
	}
	std::unique_ptr<Script>
	established(const Opts &o = Opts(), const struct tcp_config &cfg = test_config(),
		uint16_t wnd = 50000)
	{
		auto s = script(cfg);

		s->opts = o;
		s->wnd = wnd;
		s->establish(GetParam().active);
		return s;
	}
};

#endif
