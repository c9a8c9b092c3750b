/* SPDX-License-Identifier: BSD-3-Clause */
#include "net_fixture.h"

namespace
{

class icmp : public host_test
{
};

TEST_F(icmp, echo_comes_back_with_its_payload)
{
	for (size_t n : {4u, 5u, 18u, 60u, 1476u}) {
		bytes f = icmp_frame(8, 0, pattern(n));
		bytes r = input(f);

		ASSERT_EQ(std::max<size_t>(60, f.size()), r.size());
		EXPECT_EQ(0, memcmp(&r[0], PEER_MAC, 6));
		EXPECT_EQ(0, memcmp(&r[6], OUR_MAC, 6));
		EXPECT_EQ(OURS, load_be32(&r[26]));
		EXPECT_EQ(PEER, load_be32(&r[30]));
		EXPECT_EQ(f.size() - 14, load_be16(&r[16]));
		EXPECT_EQ(0, ref_csum(&r[14], 20));
		EXPECT_EQ(0, ref_csum(&r[34], f.size() - 34));
		EXPECT_EQ(0, r[34]);
		EXPECT_EQ(0, memcmp(&r[38], &f[38], f.size() - 38));
		for (size_t i = f.size(); i < r.size(); i++)
			EXPECT_EQ(0, r[i]);
	}
	EXPECT_EQ(5u, c.icmp_echoed);
}

TEST_F(icmp, echo_checksum_is_right_for_every_identifier)
{
	for (uint32_t id = 0; id < 65536; id++) {
		bytes rest = {(uint8_t)(id >> 8), (uint8_t)id, 0, 0};
		bytes r = input(icmp_frame(8, 0, rest));

		ASSERT_EQ(0, ref_csum(&r[34], 8)) << id;
	}
}

TEST_F(icmp, echo_with_ip_options_is_answered_without_them)
{
	bytes r = input(icmp_frame(8, 0, pattern(30), 8));

	ASSERT_EQ(68u, r.size());
	EXPECT_EQ(0x45, r[14]);
	EXPECT_EQ(0, ref_csum(&r[34], 34));
	EXPECT_EQ(0, memcmp(&r[38], pattern(30).data(), 30));
}

TEST_F(icmp, echo_of_an_emulated_address_is_answered_by_it)
{
	bytes f = icmp_frame(8, 0, pattern(30));

	set32(f, 30, 0x0a0201fa);
	seal(f);
	bytes r = input(f);
	ASSERT_EQ(68u, r.size());
	EXPECT_EQ(0x0a0201fau, load_be32(&r[26]));
}

TEST_F(icmp, echo_for_a_stranger_is_ignored)
{
	bytes f = icmp_frame(8, 0, pattern(30));

	set32(f, 30, 0x0a010003);
	seal(f);
	EXPECT_TRUE(input(f).empty());
	EXPECT_EQ(1u, c.icmp_ignored);
}

TEST_F(icmp, echo_that_does_not_fit_the_reply_buffer_is_ignored)
{
	bytes f = icmp_frame(8, 0, pattern(100));

	EXPECT_TRUE(input(f, 0, (uint32_t)f.size() - 1).empty());
	EXPECT_EQ(f.size(), input(f, 0, (uint32_t)f.size()).size());
	EXPECT_TRUE(input(icmp_frame(8, 0, pattern(4)), 0, 59).empty());
	EXPECT_EQ(2u, c.icmp_ignored);
}

TEST_F(icmp, other_messages_are_ignored)
{
	for (uint8_t type : {0, 4, 5, 11, 13, 255})
		EXPECT_TRUE(input(icmp_frame(type, 0, pattern(40))).empty());
	EXPECT_TRUE(input(icmp_frame(8, 1, pattern(40))).empty());
	EXPECT_EQ(7u, c.icmp_ignored);
	EXPECT_FALSE(host_test::icmp.valid);
}

TEST_F(icmp, unreachable_returns_the_quoted_segment)
{
	for (uint8_t code : {0, 1, 2, 3, 13}) {
		EXPECT_TRUE(input(icmp_frame(3, code, quote_of(OURS, 0x08080808))).empty());
		const struct net_icmp_error &e = host_test::icmp;

		ASSERT_TRUE(e.valid);
		EXPECT_EQ(3, e.type);
		EXPECT_EQ(code, e.code);
		EXPECT_EQ(0, e.mtu);
		EXPECT_EQ(OURS, e.saddr);
		EXPECT_EQ(0x08080808u, e.daddr);
		EXPECT_EQ(40001, e.sport);
		EXPECT_EQ(80, e.dport);
		EXPECT_EQ(0xfffffff0u, e.seq);
	}
	EXPECT_EQ(5u, c.icmp_unreachable);
}

TEST_F(icmp, fragmentation_needed_carries_the_mtu)
{
	input(icmp_frame(3, 4, quote_of(OURS, PEER, 1400)));
	EXPECT_TRUE(host_test::icmp.valid);
	EXPECT_EQ(1400, host_test::icmp.mtu);
}

TEST_F(icmp, quote_that_is_not_ours_is_not_believed)
{
	input(icmp_frame(3, 3, quote_of(0x0a010003, PEER)));
	EXPECT_FALSE(host_test::icmp.valid);
	input(icmp_frame(3, 3, quote_of(0x0a020001, PEER))); /* ours, but told to another of ours */
	EXPECT_FALSE(host_test::icmp.valid);
	EXPECT_EQ(2u, c.icmp_ignored);
	EXPECT_EQ(0u, c.icmp_unreachable);
}

TEST_F(icmp, quote_that_is_no_tcp_segment_is_not_believed)
{
	bytes q = quote_of(OURS, PEER);

	for (size_t at : {4u, 13u, 11u}) { /* version, protocol, fragment offset */
		bytes bad = q;

		bad[at] ^= 0x33;
		input(icmp_frame(3, 3, bad));
		EXPECT_FALSE(host_test::icmp.valid) << at;
	}
	for (size_t n = 4; n < q.size(); n++) {
		input(icmp_frame(3, 3, bytes(q.begin(), q.begin() + (long)n)));
		EXPECT_FALSE(host_test::icmp.valid) << n;
	}
	input(icmp_frame(3, 3, q));
	EXPECT_TRUE(host_test::icmp.valid);
}

} // namespace
