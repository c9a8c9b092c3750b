/* SPDX-License-Identifier: BSD-3-Clause */
#include <cerrno>
#include <string>
#include "gtest/gtest.h"
#include "net_addr.h"

namespace
{

std::string
range_text(const struct net_range &r)
{
	char buf[80];
	int n = net_range_text(&r, buf, sizeof(buf));

	EXPECT_EQ((int)strlen(buf), n);
	return buf;
}

TEST(addr, dotted_quad_is_host_order)
{
	uint32_t a = 0;

	EXPECT_EQ(0, net_addr_parse("10.1.0.2", &a));
	EXPECT_EQ(0x0a010002u, a);
	EXPECT_EQ(0, net_addr_parse("255.255.255.255", &a));
	EXPECT_EQ(0xffffffffu, a);
	EXPECT_EQ(0, net_addr_parse("0.0.0.0", &a));
	EXPECT_EQ(0u, a);
}

TEST(addr, what_is_no_dotted_quad_is_refused_and_nothing_written)
{
	for (const char *s : {"", "1", "1.2.3", "1.2.3.", "1.2.3.4.", "1.2.3.4.5", "1..3.4",
		     ".1.2.3.4", "1.2.3.256", "1.2.3.01", "010.1.0.2", "00.0.0.0", "1.2.3.0x4",
		     "1.2.3.-4", "1.2.3.+4", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4:80", "1.2.3.4/24",
		     "a.b.c.d", "1.2.3.99999999999", "1.2.3.4-5", "localhost"}) {
		uint32_t a = 7;

		EXPECT_EQ(-EINVAL, net_addr_parse(s, &a)) << s;
		EXPECT_EQ(7u, a);
	}
}

TEST(addr, text_parses_back)
{
	char buf[16];
	uint32_t a;

	EXPECT_EQ(15, net_addr_text(0xc8c8c8c8, buf, sizeof(buf)));
	ASSERT_EQ(0, net_addr_parse(buf, &a));
	EXPECT_EQ(0xc8c8c8c8u, a);
}

TEST(addr, port_is_optional)
{
	uint32_t a;
	uint16_t port = 9090;

	EXPECT_EQ(0, net_addr_port_parse("127.0.0.1", &a, &port));
	EXPECT_EQ(9090, port);
	EXPECT_EQ(0, net_addr_port_parse("127.0.0.1:65535", &a, &port));
	EXPECT_EQ(65535, port);
	EXPECT_EQ(0x7f000001u, a);
}

TEST(addr, bad_port_is_refused_and_nothing_written)
{
	for (const char *s :
		{"1.2.3.4:", "1.2.3.4:0", "1.2.3.4:65536", "1.2.3.4:080", "1.2.3.4:80 ",
			"1.2.3.4:-1", "1.2.3.4:80-90", "1.2.3.4::80", "1.2.3.4:4294967376"}) {
		uint32_t a = 7;
		uint16_t port = 8;

		EXPECT_EQ(-EINVAL, net_addr_port_parse(s, &a, &port)) << s;
		EXPECT_EQ(7u, a);
		EXPECT_EQ(8, port);
	}
}

TEST(range, product_of_octets)
{
	struct net_range r;

	ASSERT_EQ(0, net_range_parse("10.1.0-3.1-250:80", &r));
	EXPECT_EQ(1000u, net_range_count(&r));
	EXPECT_EQ(80, r.port);
	EXPECT_EQ(0, r.prefix);
	EXPECT_EQ(0x0a010001u, net_range_at(&r, 0));
	EXPECT_EQ(0x0a010002u, net_range_at(&r, 1));
	EXPECT_EQ(0x0a0100fau, net_range_at(&r, 249));
	EXPECT_EQ(0x0a010101u, net_range_at(&r, 250));
	EXPECT_EQ(0x0a0103fau, net_range_at(&r, 999));
}

TEST(range, index_inverts_at_and_refuses_what_is_outside)
{
	struct net_range r;

	ASSERT_EQ(0, net_range_parse("10-11.1.4-6.250-255", &r));
	ASSERT_EQ(36u, net_range_count(&r));
	for (uint64_t i = 0; i < 36; i++)
		EXPECT_EQ((int64_t)i, net_range_index(&r, net_range_at(&r, i)));
	for (uint32_t a : {0x090104fau, 0x0c0104fau, 0x0a0004fau, 0x0a0204fau, 0x0a0103fau,
		     0x0a0107fau, 0x0a0104f9u, 0u})
		EXPECT_EQ(-1, net_range_index(&r, a));
}

TEST(range, whole_address_space_does_not_wrap)
{
	struct net_range r;

	ASSERT_EQ(0, net_range_parse("0-255.0-255.0-255.0-255", &r));
	EXPECT_EQ(1ULL << 32, net_range_count(&r));
	EXPECT_EQ(0xffffffffu, net_range_at(&r, 0xffffffff));
	EXPECT_EQ(0xffffffffLL, net_range_index(&r, 0xffffffff));
}

TEST(range, prefix_names_the_subnet_and_adds_no_address)
{
	struct net_range r;

	ASSERT_EQ(0, net_range_parse("10.1.0.0/24", &r));
	EXPECT_EQ(1u, net_range_count(&r));
	EXPECT_EQ(24, r.prefix);
	EXPECT_EQ(0x0a010000u, net_range_at(&r, 0));
	ASSERT_EQ(0, net_range_parse("10.0.1-2.1-250/22", &r));
	EXPECT_EQ(500u, net_range_count(&r));
	EXPECT_EQ(22, r.prefix);
}

TEST(range, port_and_prefix_in_either_order_print_as_pgl_does)
{
	struct net_range r;

	ASSERT_EQ(0, net_range_parse("10.101.0-123.1-250/22:80", &r));
	EXPECT_EQ("10.101.0-123.1-250:80/22", range_text(r));
	ASSERT_EQ(0, net_range_parse("10.101.0-123.1-250:80/22", &r));
	EXPECT_EQ("10.101.0-123.1-250:80/22", range_text(r));
	ASSERT_EQ(0, net_range_parse("1.2.3.4-4", &r));
	EXPECT_EQ("1.2.3.4", range_text(r));
}

TEST(range, what_is_no_range_is_refused_and_nothing_written)
{
	for (const char *s : {"", "10.1.0", "10.1.0.5-4", "10.1.0.1-256", "10.1.0.1-", "10.1.0.-5",
		     "10.1.0.1-2-3", "10.1.0.01-2", "10.1.0.1-02", "10.1.0.1/0", "10.1.0.1/33",
		     "10.1.0.1/024", "10.1.0.1/", "10.1.0.1:", "10.1.0.1:0", "10.1.0.1:65536",
		     "10.1.0.1:80:81", "10.1.0.1/24/24", "10.1.0.1/24:80/24", "10.1.0.1:80-90",
		     "10.1.0.1 ", "10.1.0.1,10.1.0.2", "10.1.0.1/24x", "*.1.0.1", "10.1.0.1- 2"}) {
		struct net_range r;

		memset(&r, 0x5a, sizeof(r));
		EXPECT_EQ(-EINVAL, net_range_parse(s, &r)) << s;
		EXPECT_EQ(0x5a5a, r.port) << s;
		EXPECT_EQ(0x5a, r.lo[0]) << s;
	}
}

TEST(range, text_is_cut_to_the_buffer_and_tells_its_length)
{
	struct net_range r;
	char buf[8];

	ASSERT_EQ(0, net_range_parse("100-200.100-200.100-200.100-200:65535/32", &r));
	for (unsigned int size = 0; size <= sizeof(buf); size++) {
		memset(buf, '#', sizeof(buf));
		EXPECT_EQ(40, net_range_text(&r, buf, size));
		if (size != 0) {
			EXPECT_EQ(size - 1, strlen(buf));
		}
		if (size < sizeof(buf)) {
			EXPECT_EQ('#', buf[size]);
		}
	}
}

TEST(mac, text_parses_back)
{
	uint8_t mac[6];
	char buf[18];

	ASSERT_EQ(0, net_mac_parse("02:0A:ff:00:9b:C1", mac));
	EXPECT_EQ(17, net_mac_text(mac, buf, sizeof(buf)));
	EXPECT_STREQ("02:0a:ff:00:9b:c1", buf);
}

TEST(mac, what_is_no_mac_is_refused_and_nothing_written)
{
	for (const char *s : {"", "0", "02", "02:", "02:0a:ff:00:9b", "02:0a:ff:00:9b:",
		     "02:0a:ff:00:9b:c", "02:0a:ff:00:9b:c1:", "02:0a:ff:00:9b:c1 ",
		     "02-0a-ff-00-9b-c1", "2:a:ff:0:9b:c1", "02:0g:ff:00:9b:c1", "020aff009bc1"}) {
		uint8_t mac[6] = {9};

		EXPECT_EQ(-EINVAL, net_mac_parse(s, mac)) << s;
		EXPECT_EQ(9, mac[0]);
	}
}

} // namespace
