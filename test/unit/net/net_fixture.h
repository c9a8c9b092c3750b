/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Frames made byte by byte with a checksum of their own (not net_csum, not net_frame), and buffers
 * that end at an unmapped page.
 */
#ifndef NET_FIXTURE_H
#define NET_FIXTURE_H

#include <sys/mman.h>
#include <unistd.h>
#include <cstdint>
#include <cstring>
#include <vector>
#include "gtest/gtest.h"
#include "net_csum.h"
#include "net_frame.h"
#include "net_host.h"
#include "net_view.h"

using bytes = std::vector<uint8_t>;

inline bytes
copy(const uint8_t *p, size_t n)
{
	bytes b(n);

	if (n != 0)
		memcpy(b.data(), p, n);
	return b;
}

/** One page, and behind it one that faults. */
class guard
{
      public:
	guard()
	{
		page = (size_t)sysconf(_SC_PAGESIZE);
		base = (uint8_t *)mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (base == MAP_FAILED || mprotect(base + page, page, PROT_NONE) != 0)
			abort();
	}
	~guard()
	{
		munmap(base, 2 * page);
	}
	guard(const guard &) = delete;
	guard &operator=(const guard &) = delete;

	/** n bytes up to the fault. */
	uint8_t *
	end(size_t n)
	{
		return base + page - n;
	}

	uint8_t *
	put(const uint8_t *p, size_t n)
	{
		if (n != 0)
			memcpy(end(n), p, n);
		return end(n);
	}

      private:
	uint8_t *base;
	size_t page;
};

/** RFC 1071 as its text says it: big-endian words one by one. */
inline uint16_t
ref_csum(const uint8_t *p, size_t n, uint32_t sum = 0)
{
	for (size_t i = 0; i < n; i++)
		sum += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

inline void
set16(bytes &b, size_t at, uint16_t v)
{
	b[at] = (uint8_t)(v >> 8);
	b[at + 1] = (uint8_t)v;
}

inline void
set32(bytes &b, size_t at, uint32_t v)
{
	set16(b, at, (uint16_t)(v >> 16));
	set16(b, at + 2, (uint16_t)v);
}

/** Checksum of TCP over IPv4 at l3: 0 when the one in place is right. */
inline uint16_t
ref_tcp_csum(const uint8_t *l3, uint32_t len)
{
	uint32_t head = (l3[0] & 15) * 4u;
	uint32_t sum = 6 + len - head;

	for (uint32_t i = 12; i < 20; i += 2)
		sum += (uint32_t)l3[i] << 8 | l3[i + 1];
	return ref_csum(l3 + head, len - head, sum);
}

/** Recompute what a changed header needs; the IP header starts at 14. */
inline void
seal(bytes &f)
{
	uint32_t head = (f[14] & 15) * 4u;
	uint32_t total = (uint32_t)f[16] << 8 | f[17];

	set16(f, 24, 0);
	set16(f, 24, ref_csum(&f[14], head));
	if (f[23] == 6) {
		set16(f, 14 + head + 16, 0);
		set16(f, 14 + head + 16, ref_tcp_csum(&f[14], total));
	} else if (f[23] == 1) {
		set16(f, 14 + head + 2, 0);
		set16(f, 14 + head + 2, ref_csum(&f[14 + head], total - head));
	}
}

constexpr uint32_t PEER = 0x0a010002; /* 10.1.0.2 */
constexpr uint32_t OURS = 0x0a0100c8; /* 10.1.0.200 */
constexpr uint8_t PEER_MAC[6] = {0x02, 0, 0, 0, 0, 0x02};
constexpr uint8_t OUR_MAC[6] = {0x02, 0, 0, 0, 0, 0xc8};

/** Ethernet and IPv4 header of a datagram from PEER to OURS, body to be filled. */
inline bytes
ip_frame(uint8_t proto, size_t n_ip_options, size_t n_body)
{
	bytes f(14 + 20 + n_ip_options + n_body, 0);

	memcpy(&f[0], OUR_MAC, 6);
	memcpy(&f[6], PEER_MAC, 6);
	set16(f, 12, 0x0800);
	f[14] = (uint8_t)(0x45 + n_ip_options / 4);
	set16(f, 16, (uint16_t)(f.size() - 14));
	set16(f, 20, 0x4000);
	f[22] = 64;
	f[23] = proto;
	set32(f, 26, PEER);
	set32(f, 30, OURS);
	for (size_t i = 0; i < n_ip_options; i++)
		f[34 + i] = 1; /* NOP */
	return f;
}

inline bytes
tcp_frame(const bytes &payload, const bytes &options = {}, size_t n_ip_options = 0)
{
	size_t l4 = 34 + n_ip_options;
	bytes f = ip_frame(6, n_ip_options, 20 + options.size() + payload.size());

	set16(f, l4, 40001);
	set16(f, l4 + 2, 80);
	set32(f, l4 + 4, 0xfffffff0);
	set32(f, l4 + 8, 0x01020304);
	f[l4 + 12] = (uint8_t)((20 + options.size()) / 4 << 4);
	f[l4 + 13] = NET_TCP_ACK | NET_TCP_PSH;
	set16(f, l4 + 14, 0x7fff);
	std::copy(options.begin(), options.end(), f.begin() + (long)l4 + 20);
	std::copy(payload.begin(), payload.end(), f.begin() + (long)(l4 + 20 + options.size()));
	seal(f);
	return f;
}

inline bytes
pattern(size_t n)
{
	bytes b(n);

	for (size_t i = 0; i < n; i++)
		b[i] = (uint8_t)(i * 131 + 7);
	return b;
}

inline bytes
icmp_frame(uint8_t type, uint8_t code, const bytes &rest, size_t n_ip_options = 0)
{
	bytes f = ip_frame(1, n_ip_options, 4 + rest.size());

	f[34 + n_ip_options] = type;
	f[35 + n_ip_options] = code;
	std::copy(rest.begin(), rest.end(), f.begin() + 38 + (long)n_ip_options);
	seal(f);
	return f;
}

inline bytes
arp_frame(uint16_t op, const uint8_t sha[6], uint32_t spa, uint32_t tpa)
{
	bytes f(60, 0);

	memset(&f[0], 0xff, 6);
	memcpy(&f[6], sha, 6);
	set16(f, 12, 0x0806);
	set16(f, 14, 1);
	set16(f, 16, 0x0800);
	f[18] = 6;
	f[19] = 4;
	set16(f, 20, op);
	memcpy(&f[22], sha, 6);
	set32(f, 28, spa);
	set32(f, 38, tpa);
	return f;
}

/** Four bytes that an unreachable message carries before its quote, then the quoted segment. */
inline bytes
quote_of(uint32_t saddr, uint32_t daddr, uint16_t mtu = 0)
{
	bytes f = tcp_frame(pattern(4));
	bytes q(4 + 28, 0);

	set32(f, 26, saddr);
	set32(f, 30, daddr);
	set16(q, 2, mtu);
	memcpy(&q[4], &f[14], 28);
	return q;
}

/** A host with one interface 10.1.0.200/24, gateway 10.1.0.1 and a range off the link. */
class host_test : public ::testing::Test
{
      protected:
	void
	make(uint32_t cap)
	{
		memory.assign(net_host_memory(cap) / sizeof(struct net_neigh), net_neigh());
		net_host_init(&h, cap, &c, memory.data());
		h.n_ifaces = 1;
		h.iface[0].addr = OURS;
		h.iface[0].prefix = 24;
		h.iface[0].gw = 0x0a010001;
		memcpy(h.iface[0].mac, OUR_MAC, 6);
		h.n_own = 1;
		ASSERT_EQ(0, net_range_parse("10.2.0-1.1-250", &h.own[0]));
	}

	void
	SetUp() override
	{
		make(16);
	}

	/** @return the reply frame, empty: none. */
	bytes
	input(const bytes &f, uint64_t now = 0, uint32_t cap = 2048)
	{
		struct net_view v = {};
		uint8_t *p = rx.put(f.data(), f.size());
		uint8_t *out = tx.end(cap);
		uint32_t n;

		kind = net_view_parse(&v, p, (uint32_t)f.size(), {nullptr, 0}, 0, &c);
		n = net_host_input(&h, &v, p, (uint32_t)f.size(), now, out, cap, &x_learned, &icmp);
		return copy(out, n);
	}

	bytes
	poll(uint64_t now)
	{
		uint8_t *out = tx.end(60);
		uint32_t n = net_host_poll(&h, now, 1000, 30000, out, 60);

		return copy(out, n);
	}

	guard rx;
	guard tx;
	std::vector<struct net_neigh> memory;
	struct net_counters c = {};
	struct net_host h;
	enum net_kind kind;
	int x_learned = -1;
	struct net_icmp_error icmp = {};
};

#endif
