/* SPDX-License-Identifier: BSD-3-Clause */
#include "net_fixture.h"

namespace
{

class view : public ::testing::Test
{
      protected:
	/** The first `split` bytes in one buffer, the others in a second, both up to a fault. */
	enum net_kind
	parse(const bytes &f, size_t split, int csum_good = 0)
	{
		const uint8_t *p = first.put(f.data(), split);
		struct span frag = {second.put(f.data() + split, f.size() - split),
			(uint32_t)(f.size() - split)};

		memset(&v, 0xee, sizeof(v));
		return net_view_parse(&v, p, (uint32_t)split, frag, csum_good, &c);
	}

	enum net_kind
	parse(const bytes &f)
	{
		return parse(f, f.size());
	}

	/** The frame is dropped, and by this counter. */
	void
	drops(const bytes &f, const uint64_t &counter, int csum_good = 0)
	{
		uint64_t before = counter;

		EXPECT_EQ(NET_KIND_DROP, parse(f, f.size(), csum_good));
		EXPECT_EQ(NET_KIND_DROP, v.kind);
		EXPECT_EQ(before + 1, counter);
	}

	guard first;
	guard second;
	struct net_view v;
	struct net_counters c = {};
};

const bytes ts_options = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2};

TEST_F(view, segment_is_described)
{
	bytes f = tcp_frame(pattern(100), ts_options);
	const uint8_t *o;

	ASSERT_EQ(NET_KIND_TCP, parse(f));
	EXPECT_EQ(NET_KIND_TCP, v.kind);
	EXPECT_EQ(PEER, v.saddr);
	EXPECT_EQ(OURS, v.daddr);
	EXPECT_EQ(40001, net_view_sport(&v));
	EXPECT_EQ(80, net_view_dport(&v));
	EXPECT_EQ(0xfffffff0u, v.seq);
	EXPECT_EQ(0x01020304u, v.ack);
	EXPECT_EQ(0x7fff, net_view_wnd(&v));
	EXPECT_EQ(NET_TCP_ACK | NET_TCP_PSH, v.flags);
	EXPECT_EQ(100, v.len);
	EXPECT_EQ(100, v.len_first);
	EXPECT_EQ(52, v.hdr_len);
	EXPECT_EQ(100u, net_view_seg_len(&v));
	ASSERT_EQ(12u, net_view_options(&v, &o));
	EXPECT_EQ(0, memcmp(o, ts_options.data(), 12));
	EXPECT_EQ(0, memcmp(v.l3 + v.hdr_len, pattern(100).data(), 100));
	EXPECT_EQ(1u, c.rx_frames);
	EXPECT_EQ(f.size(), c.rx_bytes);
	EXPECT_EQ(1u, c.rx_tcp);
}

TEST_F(view, payload_is_found_at_every_split)
{
	for (size_t n : {0u, 1u, 2u, 99u, 100u, 1448u}) {
		bytes f = tcp_frame(pattern(n), ts_options);

		for (size_t split = 66; split <= f.size(); split++) {
			ASSERT_EQ(NET_KIND_TCP, parse(f, split)) << n << " at " << split;
			ASSERT_EQ(n, v.len);
			ASSERT_EQ(split - 66, v.len_first);
		}
	}
}

TEST_F(view, headers_that_straddle_buffers_are_short)
{
	bytes f = tcp_frame(pattern(10), ts_options);

	for (size_t split = 0; split < 66; split++)
		ASSERT_EQ(NET_KIND_DROP, parse(f, split)) << split;
	EXPECT_EQ(66u, c.rx_short);
}

TEST_F(view, flipped_bit_anywhere_in_a_datagram_is_seen)
{
	bytes good = tcp_frame(pattern(33), ts_options);

	for (size_t split : {good.size(), good.size() - 10, good.size() - 11}) {
		for (size_t bit = 14 * 8; bit < good.size() * 8; bit++) {
			bytes f = good;

			f[bit / 8] ^= (uint8_t)(1 << bit % 8);
			ASSERT_EQ(NET_KIND_DROP, parse(f, split)) << bit;
		}
	}
	/* All but the 4 bits of the data offset, which may be a length that contradicts first. */
	EXPECT_GE(c.rx_bad_csum_tcp, 3 * ((good.size() - 34) * 8 - 4));
	EXPECT_GT(c.rx_bad_csum_ip, 3u * 16 * 8);
}

TEST_F(view, checksums_that_the_port_verified_are_not_looked_at)
{
	bytes f = tcp_frame(pattern(33));

	f[60] ^= 1;
	f[24] ^= 1;
	EXPECT_EQ(NET_KIND_TCP, parse(f, f.size(), 1));
}

TEST_F(view, ethernet_padding_is_no_payload)
{
	for (size_t n : {0u, 1u, 5u}) {
		bytes f = tcp_frame(pattern(n));

		f.resize(60, 0xff);
		ASSERT_EQ(NET_KIND_TCP, parse(f));
		EXPECT_EQ(n, v.len);
		EXPECT_EQ(n, v.len_first);
	}
}

TEST_F(view, padding_in_the_second_buffer_is_no_payload)
{
	bytes f = tcp_frame(pattern(5));

	f.resize(90, 0xff);
	ASSERT_EQ(NET_KIND_TCP, parse(f, 57));
	EXPECT_EQ(5, v.len);
	EXPECT_EQ(3, v.len_first);
	ASSERT_EQ(NET_KIND_TCP, parse(f, 70));
	EXPECT_EQ(5, v.len_first);
}

TEST_F(view, ip_options_move_the_segment)
{
	for (size_t n = 4; n <= 40; n += 4) {
		bytes f = tcp_frame(pattern(11), ts_options, n);

		ASSERT_EQ(NET_KIND_TCP, parse(f)) << n;
		EXPECT_EQ(20 + n, v.l4_off);
		EXPECT_EQ(52 + n, v.hdr_len);
		EXPECT_EQ(11, v.len);
		EXPECT_EQ(80, net_view_dport(&v));
	}
}

TEST_F(view, fragments_are_counted_and_dropped)
{
	for (uint16_t off : {0x2000, 0x2001, 0x0001, 0x1fff}) {
		bytes f = tcp_frame(pattern(8));

		set16(f, 20, off);
		seal(f);
		drops(f, c.rx_frag);
	}
}

TEST_F(view, every_truncation_is_dropped_without_reading_past_the_end)
{
	for (const bytes &f : {tcp_frame(pattern(40), ts_options, 8), icmp_frame(8, 0, pattern(40)),
		     arp_frame(1, PEER_MAC, PEER, OURS)}) {
		size_t need = f[12] == 8 && f[13] == 6 ? 42 : f.size();

		for (size_t n = 0; n < need; n++) {
			bytes cut(f.begin(), f.begin() + (long)n);

			ASSERT_EQ(NET_KIND_DROP, parse(cut)) << n;
			ASSERT_EQ(NET_KIND_DROP, parse(cut, n, 1)) << n;
		}
	}
	EXPECT_EQ(c.rx_frames, c.rx_short + c.rx_bad_length);
}

TEST_F(view, contradicting_lengths_are_bad_length)
{
	bytes f = tcp_frame(pattern(10));

	for (uint16_t total : {(int)f.size() - 14 + 1, 65535, 39, 21, 19, 0}) {
		bytes g = f;

		set16(g, 16, total);
		drops(g, c.rx_bad_length, 1);
	}
	for (uint8_t ihl : {0x40, 0x44}) {
		bytes g = f;

		g[14] = ihl;
		drops(g, c.rx_bad_length, 1);
	}
}

TEST_F(view, data_offset_below_5_or_beyond_the_segment_is_bad_length)
{
	for (int off : {0, 1, 4, 8, 15}) {
		bytes f = tcp_frame(pattern(10));

		f[46] = (uint8_t)(off << 4);
		seal(f);
		drops(f, c.rx_bad_length);
	}
}

TEST_F(view, reserved_bits_are_ignored)
{
	bytes f = tcp_frame(pattern(10));

	f[46] |= 0x0f;
	seal(f);
	EXPECT_EQ(NET_KIND_TCP, parse(f));
	EXPECT_EQ(10, v.len);
}

TEST_F(view, source_that_is_no_station_is_bad_addr)
{
	for (uint32_t a : {0xffffffffu, 0xe0000001u, 0xefffffffu, 0xf0000001u, 0u, 0x00ffffffu}) {
		bytes f = tcp_frame(pattern(1));

		set32(f, 26, a);
		seal(f);
		drops(f, c.rx_bad_addr);
	}
	bytes f = tcp_frame(pattern(1));

	set32(f, 26, 0x7f000001); /* simulated nets use it */
	seal(f);
	EXPECT_EQ(NET_KIND_TCP, parse(f));
}

TEST_F(view, segment_to_many_is_bad_addr)
{
	bytes f = tcp_frame(pattern(1));

	set32(f, 30, 0xe0000001);
	seal(f);
	drops(f, c.rx_bad_addr);
	f = tcp_frame(pattern(1));
	memset(&f[0], 0xff, 6);
	drops(f, c.rx_bad_addr);
}

TEST_F(view, land_is_bad_addr_but_other_ports_of_one_address_are_fine)
{
	bytes f = tcp_frame(pattern(1));

	set32(f, 26, OURS);
	seal(f);
	EXPECT_EQ(NET_KIND_TCP, parse(f));
	set16(f, 34, 80);
	seal(f);
	drops(f, c.rx_bad_addr);
}

TEST_F(view, other_protocols_are_counted_as_other)
{
	bytes f = tcp_frame(pattern(10));

	for (uint16_t type : {0x8100, 0x86dd, 0x88cc, 0x0027, 0x0000}) {
		bytes g = f;

		set16(g, 12, type);
		drops(g, c.rx_other);
	}
	bytes g = f;

	g[23] = 17;
	seal(g);
	drops(g, c.rx_other);
	g = f;
	g[14] = 0x65;
	drops(g, c.rx_other);
}

TEST_F(view, icmp_view_ends_with_the_datagram)
{
	bytes f = icmp_frame(8, 0, pattern(5), 4);

	f.resize(60, 0xff);
	ASSERT_EQ(NET_KIND_ICMP, parse(f));
	EXPECT_EQ(33, v.len);
	EXPECT_EQ(24, v.l4_off);
	EXPECT_EQ(PEER, v.saddr);
	EXPECT_EQ(1u, c.rx_icmp);
}

TEST_F(view, icmp_checksum_is_verified_whatever_the_port_says)
{
	bytes f = icmp_frame(8, 0, pattern(50));

	f[80] ^= 4;
	drops(f, c.rx_bad_csum_icmp, 1);
	f = icmp_frame(8, 0, pattern(50));
	EXPECT_EQ(NET_KIND_ICMP, parse(f, 61));
	EXPECT_EQ(47, v.len);
}

TEST_F(view, icmp_without_a_header_is_bad_length)
{
	bytes f = icmp_frame(8, 0, pattern(3));

	drops(f, c.rx_bad_length);
}

TEST_F(view, arp_view_is_what_follows_the_ethernet_header)
{
	ASSERT_EQ(NET_KIND_ARP, parse(arp_frame(1, PEER_MAC, PEER, OURS)));
	EXPECT_EQ(46, v.len);
	EXPECT_EQ(1u, c.rx_arp);
}

TEST_F(view, syn_and_fin_take_sequence_space)
{
	bytes f = tcp_frame(pattern(3));

	f[47] = NET_TCP_SYN | NET_TCP_FIN;
	seal(f);
	ASSERT_EQ(NET_KIND_TCP, parse(f));
	EXPECT_EQ(5u, net_view_seg_len(&v));
}

TEST(counters, table_describes_every_field)
{
	EXPECT_EQ(sizeof(struct net_counters) / 8, net_n_counter_descs);
	EXPECT_STREQ("rx_frames", net_counter_descs[0].name);
}

} // namespace
