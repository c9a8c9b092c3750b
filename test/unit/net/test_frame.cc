/* SPDX-License-Identifier: BSD-3-Clause */
#include "net_fixture.h"

namespace
{

struct net_tx
segment(uint8_t opts, uint8_t n_sack)
{
	struct net_tx t = {};

	t.saddr = OURS;
	t.daddr = PEER;
	t.sport = 80;
	t.dport = 40001;
	t.seq = 0x11223344;
	t.ack = 0xfffffffe;
	t.wnd = 0x8001;
	t.flags = NET_TCP_ACK | NET_TCP_PSH;
	t.opts = opts;
	t.mss = 1460;
	t.wscale = 7;
	t.n_sack = n_sack;
	t.ts_val = 0xa1a2a3a4;
	t.ts_ecr = 0xb1b2b3b4;
	for (uint32_t i = 0; i < NET_SACK_MAX; i++) {
		t.sack[i][0] = 1000 * (i + 1);
		t.sack[i][1] = 1000 * (i + 1) + 500;
	}
	memcpy(t.smac, OUR_MAC, 6);
	memcpy(t.dmac, PEER_MAC, 6);
	t.ttl = 61;
	return t;
}

/** Header and payload in a buffer that ends with it. */
bytes
write(const struct net_tx &t, const bytes &payload)
{
	guard g;
	uint32_t n = net_frame_head_len(&t);
	uint8_t *p = g.end(n);

	EXPECT_EQ(n, net_frame_write(p, &t, (uint16_t)payload.size(),
			     net_csum_add(0, payload.data(), (uint32_t)payload.size())));
	bytes f(n + payload.size());

	memcpy(f.data(), p, n);
	std::copy(payload.begin(), payload.end(), f.begin() + n);
	return f;
}

bytes
options_of(const struct net_tx &t)
{
	bytes f = write(t, {});

	return bytes(f.begin() + 54, f.end());
}

TEST(frame, fields_stand_where_the_rfcs_put_them)
{
	const bytes want = {0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0, 0xc8, 0x08,
		0x00, /* Ethernet */
		0x45, 0x00, 0x00, 0x2b, 0x00, 0x00, 0x40, 0x00, 0x3d, 0x06, 0, 0, 10, 1, 0, 200, 10,
		1, 0, 2, /* IPv4 */
		0x00, 0x50, 0x9c, 0x41, 0x11, 0x22, 0x33, 0x44, 0xff, 0xff, 0xff, 0xfe, 0x50, 0x18,
		0x80, 0x01, 0, 0, 0, 0, 'a', 'b', 'c'};
	bytes f = write(segment(0, 0), {'a', 'b', 'c'});

	EXPECT_EQ(0, ref_csum(&f[14], 20));
	EXPECT_EQ(0, ref_tcp_csum(&f[14], 43));
	set16(f, 24, 0);
	set16(f, 50, 0);
	EXPECT_EQ(want, f);
}

TEST(frame, every_combination_parses_back_with_right_checksums)
{
	for (uint8_t opts = 0; opts < 16; opts++) {
		for (uint8_t n_sack = 0; n_sack <= 5; n_sack++) {
			for (size_t n : {0u, 1u, 2u, 1401u}) {
				struct net_tx t = segment(opts, n_sack);
				bytes f = write(t, pattern(n));
				struct net_view v;
				struct net_counters c = {};

				ASSERT_EQ(0, ref_csum(&f[14], 20));
				ASSERT_EQ(0, ref_tcp_csum(&f[14], (uint32_t)f.size() - 14));
				ASSERT_EQ(NET_KIND_TCP,
					net_view_parse(&v, f.data(), (uint32_t)f.size(),
						{nullptr, 0}, 0, &c));
				ASSERT_EQ(n, v.len);
				ASSERT_EQ(t.seq, v.seq);
				ASSERT_EQ(t.flags, v.flags);
				ASSERT_LE(f.size() - n, (size_t)NET_HEAD_MAX);
			}
		}
	}
}

TEST(frame, syn_options_stand_in_a_fixed_order)
{
	const bytes want = {2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0xa1, 0xa2, 0xa3, 0xa4, 0xb1, 0xb2, 0xb3,
		0xb4, 1, 3, 3, 7};

	EXPECT_EQ(want, options_of(segment(
				NET_OPT_MSS | NET_OPT_SACK_OK | NET_OPT_TS | NET_OPT_WSCALE, 0)));
}

TEST(frame, options_without_timestamps_are_padded_in_front)
{
	const bytes want = {2, 4, 0x05, 0xb4, 1, 1, 4, 2, 1, 3, 3, 7};

	EXPECT_EQ(want, options_of(segment(NET_OPT_MSS | NET_OPT_SACK_OK | NET_OPT_WSCALE, 0)));
}

TEST(frame, timestamps_leave_room_for_three_sack_blocks)
{
	const bytes want = {1, 1, 8, 10, 0xa1, 0xa2, 0xa3, 0xa4, 0xb1, 0xb2, 0xb3, 0xb4, 1, 1, 5,
		26, 0, 0, 0x03, 0xe8, 0, 0, 0x05, 0xdc, 0, 0, 0x07, 0xd0, 0, 0, 0x09, 0xc4, 0, 0,
		0x0b, 0xb8, 0, 0, 0x0d, 0xac};

	EXPECT_EQ(want, options_of(segment(NET_OPT_TS, 4)));
	EXPECT_EQ(36u, options_of(segment(0, 4)).size());
	EXPECT_EQ(12u, options_of(segment(0, 1)).size());
}

} // namespace
