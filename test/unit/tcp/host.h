/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A TCP endpoint of the tests: one `struct tcp` with a small application, its own clock (so that
 * the ISN can be chosen) and real bytes on both sides. Every call is followed by tcp_check().
 */
#ifndef TEST_TCP_HOST_H
#define TEST_TCP_HOST_H

#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "net_csum.h"
#include "net_frame.h"
#include "net_view.h"
#include "tcp.h"
#include "tcp_priv.h"

constexpr uint64_t US = 1000;
constexpr uint64_t MS = 1000000;
constexpr uint64_t SEC = 1000000000;
constexpr uint8_t FIN = NET_TCP_FIN;
constexpr uint8_t SYN = NET_TCP_SYN;
constexpr uint8_t RST = NET_TCP_RST;
constexpr uint8_t PSH = NET_TCP_PSH;
constexpr uint8_t ACK = NET_TCP_ACK;
constexpr uint8_t URG = NET_TCP_URG;

static inline struct tcp_config
test_config()
{
	struct tcp_config c = {};

	c.mss = 1000;
	c.wscale = 2;
	c.cc = TCP_CC_RENO;
	c.rcv_wnd = 200000;
	c.initial_window_segs = 10;
	c.syn_retries = 3;
	c.data_retries = 8;
	c.rto_initial_ns = SEC;
	c.rto_min_ns = 200 * MS;
	c.rto_max_ns = 60 * SEC;
	c.delayed_ack_ns = 40 * MS;
	c.delayed_ack_segs = 2;
	c.fin_wait2_ns = 60 * SEC;
	c.time_wait_ns = 10 * SEC;
	c.timestamps = 1;
	c.sack = 1;
	c.tw_reuse = 1;
	c.isn_key = 0x1234;
	return c;
}

static inline struct tcp_sizes
test_sizes()
{
	struct tcp_sizes s = {8, 64, 8, 256};

	return s;
}

/* Byte i of the stream that a host with this key sends. */
static inline uint8_t
stream_byte(uint32_t key, uint64_t i)
{
	return (uint8_t)((i * 131 + (i >> 8) * 7 + key * 29) ^ (i >> 16));
}

/* A frame with its view; the view points into the bytes. */
struct Packet {
	std::vector<uint8_t> bytes;
	struct net_view v = {};
	struct seg_in s = {};

	Packet() = default;
	Packet(const Packet &o) : bytes(o.bytes)
	{
		parse();
	}
	Packet(Packet &&) = default;
	Packet &operator=(Packet &&) = default;
	Packet(const struct net_tx &tx, const std::string &payload)
	{
		uint32_t n = net_frame_head_len(&tx);
		uint64_t sum = net_csum_add(0, payload.data(), (uint32_t)payload.size());

		bytes.resize(n + payload.size());
		EXPECT_EQ(n, net_frame_write(bytes.data(), &tx, (uint16_t)payload.size(), sum));
		memcpy(bytes.data() + n, payload.data(), payload.size());
		parse();
	}

	void
	parse()
	{
		struct net_counters c = {};
		struct span none = {nullptr, 0};

		ASSERT_EQ(NET_KIND_TCP,
			net_view_parse(&v, bytes.data(), (uint32_t)bytes.size(), none, 0, &c));
		tcp_seg_read(&s, &v, nullptr);
		ASSERT_FALSE(s.bad);
	}
	std::string
	payload() const
	{
		return std::string((const char *)v.l3 + v.hdr_len, v.len);
	}
	uint8_t
	flags() const
	{
		return v.flags;
	}
};

struct Host {
	struct tcp t = {};
	struct tcp_counters k = {};
	std::unique_ptr<uint8_t, void (*)(void *)> mem{nullptr, free};
	uint64_t offset = 0; /* of our clock */
	uint64_t sim_now = 0;
	uint32_t key = 1; /* of the stream that we send */
	uint32_t peer_key = 2; /* of the stream that we expect; 0: anything */
	struct tcp_tuple tuple = {0x0a000001, 0x0a000002, 40000, 80};
	uint32_t x = TCP_NONE;
	uint32_t x_tw = TCP_NONE;
	bool listening = false;
	bool paused = false; /* park what comes */
	bool close_on_fin = false;
	bool wrong_bytes = false;
	int data_ok = 1;
	uint32_t n_out = 64; /* descriptors per tcp_output() */
	uint64_t received = 0;
	uint64_t acked = 0;
	uint32_t events = 0; /* all so far */
	uint32_t last_events = 0;
	uint8_t end_state = TCP_CLOSED;
	uint32_t n_established = 0;
	uint32_t n_fin = 0;
	std::string rx; /* what came, in order */
	std::function<void(uint32_t)> on_event;
	std::deque<Packet> sent;

	uint64_t
	now() const
	{
		return sim_now + offset;
	}
	struct tcp_conn &
	c()
	{
		return t.conn[x];
	}

	void
	init(const struct tcp_config &cfg, const struct tcp_sizes &sizes, uint64_t now_tsc)
	{
		struct tick_rate rate = tick_rate_of(SEC);
		struct arena a = {nullptr, 0, 0};

		tcp_init(&t, &cfg, &sizes, &rate, &k, now_tsc, &a);
		EXPECT_FALSE(arena_ok(&a));
		a.size = a.used + 64;
		mem.reset((uint8_t *)aligned_alloc(64, (a.size + 63) & ~(size_t)63));
		memset(mem.get(), 0, a.size);
		a.p = mem.get();
		a.used = 0;
		tcp_init(&t, &cfg, &sizes, &rate, &k, now_tsc, &a);
		ASSERT_TRUE(arena_ok(&a));
	}

	/* Choose the clock so that a connection opened at sim time 0 has this ISN. */
	void
	start(uint32_t isn, const struct tcp_config &cfg = test_config(),
		const struct tcp_sizes &sizes = test_sizes())
	{
		uint32_t hash;

		init(cfg, sizes, 0);
		hash = tcp_isn(&t, &tuple, 0);
		offset = (uint64_t)(uint32_t)(isn - hash) * 4000 + 2000;
		init(cfg, sizes, offset);
	}

	void
	check()
	{
		if (x == TCP_NONE)
			return;
		const char *bad = tcp_check(&t, x);
		ASSERT_EQ(nullptr, bad) << bad;
	}

	void
	open()
	{
		x = tcp_open(&t, &tuple, 0, 0, 0, now());
		ASSERT_NE(TCP_NONE, x);
		flush();
	}

	void
	write(uint32_t n)
	{
		tcp_stream_extend(&t, x, n);
		check();
		flush();
	}

	void
	close()
	{
		tcp_stream_end(&t, x);
		flush();
	}

	void
	transmit(const struct tcp_seg &seg, uint32_t iss_key)
	{
		struct net_tx tx = seg.tx;
		std::string payload(seg.len, 0);

		memset(tx.smac, 0, sizeof(tx.smac)); /* tcp_output() leaves these to the lane */
		memset(tx.dmac, 0, sizeof(tx.dmac));
		tx.saddr = tuple.laddr;
		tx.daddr = tuple.paddr;
		tx.ttl = 64;
		for (uint32_t i = 0; i < seg.len; i++)
			payload[i] = (char)stream_byte(iss_key, seg.off + i);
		ASSERT_LE(tx.n_sack, 4);
		sent.emplace_back(tx, payload);
	}

	void
	flush()
	{
		struct tcp_seg seg[64];
		uint32_t n;

		if (x == TCP_NONE)
			return;
		do {
			n = tcp_output(&t, x, now(), data_ok, seg, n_out);
			ASSERT_LE(n, n_out);
			for (uint32_t i = 0; i < n; i++)
				transmit(seg[i], key);
		} while (n == n_out);
		check();
	}

	void
	take(const struct span *sp, uint32_t n)
	{
		for (uint32_t i = 0; i < n; i++) {
			rx.append((const char *)sp[i].p, sp[i].n);
			if (peer_key != 0)
				for (uint32_t j = 0; j < sp[i].n; j++)
					wrong_bytes |=
						sp[i].p[j] != stream_byte(peer_key, received + j);
			received += sp[i].n;
		}
	}

	void
	handle(struct tcp_result &res)
	{
		last_events = res.events;
		events |= res.events;
		acked += res.acked;
		if (!(res.events & TCP_EV_ACKED)) {
			EXPECT_EQ(0u, res.acked);
		}
		if (!(res.events & TCP_EV_DATA)) {
			EXPECT_EQ(0u, res.n_spans);
		}
		if (res.events & TCP_EV_ESTABLISHED)
			n_established++;
		if (res.events & TCP_EV_DATA) {
			if (paused && !(res.events & TCP_EV_GONE)) {
				ASSERT_EQ(0, tcp_park(&t, x, res.span, res.n_spans));
			} else {
				take(res.span, res.n_spans);
			}
		}
		/* a FIN behind bytes that were parked is told again */
		if ((res.events & TCP_EV_FIN) &&
			(!paused || (res.events & TCP_EV_GONE) || !(res.events & TCP_EV_DATA))) {
			n_fin++;
			if (close_on_fin && !(res.events & TCP_EV_GONE))
				tcp_stream_end(&t, x);
		}
		if (on_event)
			on_event(res.events);
		if (res.events & TCP_EV_GONE) {
			x_tw = res.x_tw;
			end_state = res.state;
			flush();
			give();
		}
		check();
	}

	void
	resume()
	{
		struct tcp_result res;

		paused = false;
		do {
			tcp_unpark(&t, x, &res);
			handle(res);
		} while ((res.events & TCP_EV_DATA) && x != TCP_NONE);
		flush();
	}

	void
	give()
	{
		tcp_give(&t, x);
		x = TCP_NONE;
	}

	void
	abort()
	{
		struct tcp_seg seg;

		if (tcp_abort(&t, x, &seg))
			transmit(seg, key);
		give();
	}

	/* In TIME-WAIT, or nobody's. @return false: the segment is for a connection. */
	bool
	input_closed(const Packet &p)
	{
		struct tcp_result res;
		struct tcp_seg seg;
		uint32_t iss_above = 0;

		if (x != TCP_NONE)
			return false;
		if (x_tw != TCP_NONE) {
			if (tcp_tw_segment(&t, x_tw, &p.v, now(), &res, &seg))
				transmit(seg, key);
			if (!(res.events & TCP_EV_NEW))
				return true;
			iss_above = tcp_tw_at(&t, x_tw)->snd_nxt;
			tcp_tw_drop(&t, x_tw);
			x_tw = TCP_NONE;
		}
		if (listening && (p.flags() & (SYN | ACK | RST)) == SYN) {
			x = tcp_accept(&t, &tuple, 0, 0, 0, &p.v, iss_above, now());
			if (x != TCP_NONE)
				flush();
			return true;
		}
		if (tcp_stray_reply(&t, &p.v, &seg))
			transmit(seg, key);
		return true;
	}

	void
	input(const Packet &p)
	{
		struct tcp_result res;

		if (input_closed(p))
			return;
		tcp_segment_in(&t, x, &p.v, nullptr, now(), &res);
		handle(res);
		flush();
	}

	void
	timers()
	{
		uint32_t out[8];
		uint32_t n;
		struct tcp_tw tw[4];
		uint32_t x_out[4];

		while ((n = wheel_expire(&t.wheel, now(), out, 8)) != 0) {
			for (uint32_t i = 0; i < n; i++) {
				struct tcp_result res;

				ASSERT_EQ(x, out[i]);
				tcp_timer(&t, x, now(), &res);
				handle(res);
				flush();
			}
		}
		while ((n = tcp_tw_expire(&t, now(), tw, x_out, 4)) != 0)
			x_tw = TCP_NONE;
	}

	uint64_t
	next_timer() const
	{
		uint64_t at = wheel_next(&t.wheel);

		return at == UINT64_MAX ? at : at < now() ? sim_now : at - offset;
	}

	/* Every pool is as it was at the start. */
	void
	expect_empty() const
	{
		uint32_t n = 0;

		EXPECT_EQ(0u, t.n_used);
		EXPECT_EQ(0u, k.conn_now);
		EXPECT_EQ(0u, t.n_ooo_used);
		EXPECT_EQ(0u, t.wheel.n_armed);
		EXPECT_EQ(k.opens_active + k.opens_passive, k.closed);
		for (uint32_t i = t.x_free; i != TCP_NONE; i = t.conn[i].link.next)
			n++;
		EXPECT_EQ(t.n_conns, n);
		n = 0;
		for (uint32_t i = t.x_free_loss; i != TCP_NONE; i = t.loss[i].x_next)
			n++;
		EXPECT_EQ(t.n_loss, n);
		n = t.n_spent_ooo;
		for (uint32_t i = t.x_free_ooo; i != TCP_NONE; i = tcp_ooo_at(&t, i)->x_next)
			n++;
		EXPECT_EQ(t.n_ooo, n);
	}
};

#endif
