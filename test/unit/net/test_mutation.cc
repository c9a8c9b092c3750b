/* SPDX-License-Identifier: BSD-3-Clause */
#include <string>
#include "net_fixture.h"
#include "base_rng.h"

namespace
{

class mutation : public host_test
{
      protected:
	uint64_t
	below(uint64_t n)
	{
		return rng_below(rng_at(20260101, n_draws++), n);
	}

	bytes
	mutant(const std::vector<bytes> &seeds)
	{
		bytes f = seeds[below(seeds.size())];

		for (uint64_t k = below(5); k > 0; k--)
			f[below(f.size())] = (uint8_t)below(256);
		if (below(2) == 0) /* headers are where the decisions are */
			f[12 + below(48)] ^= (uint8_t)(1 << below(8));
		if (below(4) == 0)
			f.resize(below(f.size() + 1));
		else if (below(4) == 0)
			f.resize(f.size() + below(40), 0xff);
		else if (below(3) != 0 && f[12] == 8 && f[13] == 0)
			mend(f);
		return f;
	}

	/** Right checksums let a mutant get past them. */
	static void
	mend(bytes &f)
	{
		uint32_t head = (f[14] & 15) * 4u;
		uint32_t total = load_be16(&f[16]);

		if (head >= 20 && total >= head + 20 && 14 + total <= f.size())
			seal(f);
	}

	/** Each byte that the view promises is there. */
	void
	touch(const struct net_view &v, const uint8_t *p, uint32_t n, struct span frag)
	{
		uint64_t sum = 0;

		ASSERT_LE(v.len_first, v.len);
		ASSERT_GE(v.hdr_len, v.l4_off + 20);
		ASSERT_LE(v.l3 + v.hdr_len + v.len_first, p + n);
		ASSERT_LE((uint32_t)(v.len - v.len_first), frag.n);
		for (uint32_t i = 0; i < (uint32_t)v.hdr_len + v.len_first; i++)
			sum += v.l3[i];
		for (uint32_t i = 0; i < (uint32_t)(v.len - v.len_first); i++)
			sum += frag.p[i];
		sink = sum;
	}

	guard second;
	uint64_t n_draws = 0;
	volatile uint64_t sink;
};

TEST_F(mutation, no_frame_reads_or_writes_outside_and_each_is_counted_once)
{
	const std::vector<bytes> seeds = {
		tcp_frame(pattern(100), {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2}),
		tcp_frame(pattern(7), {2, 4, 5, 0xb4}, 8),
		arp_frame(1, PEER_MAC, PEER, OURS),
		arp_frame(2, PEER_MAC, PEER, OURS),
		arp_frame(1, PEER_MAC, OURS, OURS),
		icmp_frame(8, 0, pattern(40)),
		icmp_frame(3, 3, quote_of(OURS, PEER)),
	};
	uint64_t n_icmp_in = 0;

	make(64);
	for (uint32_t k = 0; k < 100000; k++) {
		bytes f = mutant(seeds);
		uint32_t n = (uint32_t)(below(3) == 0 ? below(f.size() + 1) : f.size());
		const uint8_t *p = rx.put(f.data(), n);
		struct span frag = {second.put(f.data() + n, f.size() - n), (uint32_t)f.size() - n};
		uint32_t cap = below(4) == 0 ? (uint32_t)below(100) : 2048;
		struct net_view v = {};
		uint8_t *out = tx.end(cap);

		kind = net_view_parse(&v, p, n, frag, below(2) == 0, &c);
		ASSERT_EQ(kind, v.kind);
		if (kind == NET_KIND_TCP)
			touch(v, p, n, frag);
		n_icmp_in += kind == NET_KIND_ICMP;
		ASSERT_LE(net_host_input(&h, &v, p, n, k, out, cap, &x_learned, &icmp), cap);
		net_host_route(&h, v.saddr);
		net_host_poll(&h, k, 100, 1000, out, cap);
	}
	EXPECT_EQ(100000u, c.rx_frames);
	EXPECT_EQ(c.rx_frames, c.rx_tcp + c.rx_arp + c.rx_icmp + c.rx_short + c.rx_bad_length +
				       c.rx_bad_csum_ip + c.rx_bad_csum_tcp + c.rx_bad_csum_icmp +
				       c.rx_frag + c.rx_bad_addr + c.rx_other);
	EXPECT_EQ(n_icmp_in, c.icmp_echoed + c.icmp_unreachable + c.icmp_ignored);
	/* The mutants are worth their time: each way out was taken. */
	for (uint32_t i = 0; i < net_n_counter_descs; i++) {
		std::string name = net_counter_descs[i].name;

		if (name != "no_neighbour") {
			EXPECT_GT(((const uint64_t *)&c)[i], 20u) << name;
		}
	}
}

} // namespace
