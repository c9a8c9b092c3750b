/* SPDX-License-Identifier: BSD-3-Clause */
#include <cerrno>
#include <string>
#include <gtest/gtest.h>
#include "load_plan.h"

namespace
{

std::string
round_trip(const char *s)
{
	plan_status_set set = {}, back = {};
	char buf[2400];

	EXPECT_EQ(plan_status_parse(s, &set), 0) << s;
	int n = plan_status_text(&set, buf, sizeof(buf));
	EXPECT_EQ(n, (int)strlen(buf));
	EXPECT_EQ(plan_status_parse(buf, &back), 0) << buf;
	EXPECT_EQ(memcmp(&set, &back, sizeof(set)), 0) << s << " " << buf;
	return buf;
}

} // namespace

TEST(status, sets_print_in_their_shortest_form)
{
	EXPECT_EQ(round_trip("200"), "200");
	EXPECT_EQ(round_trip("404,200"), "200,404");
	EXPECT_EQ(round_trip("2xx"), "2xx");
	EXPECT_EQ(round_trip("200-299"), "2xx");
	EXPECT_EQ(round_trip("2xx,3xx"), "2xx,3xx");
	EXPECT_EQ(round_trip("250-350"), "250-350");
	EXPECT_EQ(round_trip("199-301"), "199,2xx,300-301");
	EXPECT_EQ(round_trip("1xx-5xx"), "1xx,2xx,3xx,4xx,5xx");
	EXPECT_EQ(round_trip("599,100"), "100,599");
}

TEST(status, members_are_exactly_those_named)
{
	plan_status_set set = {};

	ASSERT_EQ(plan_status_parse("200,404,5xx", &set), 0);
	for (uint32_t s = 0; s < 1000; s++)
		ASSERT_EQ(plan_status_has(&set, s), s == 200 || s == 404 || (s >= 500 && s < 600))
			<< s;
}

TEST(status, bad_lists_are_refused_and_write_nothing)
{
	for (const char *s :
		{"", "99", "600", "0", "20", "2000", "2x", "2xxx", "xxx", "6xx", "200,", ",200",
			"200-", "-200", "300-200", "200 404", "abc", "200-600", "2XX"}) {
		plan_status_set set = {{1, 2, 3}};

		EXPECT_EQ(plan_status_parse(s, &set), -EINVAL) << s;
		EXPECT_EQ(set.bits[0], 1u) << s;
	}
}

TEST(status, every_other_code_fits_the_printers_buffer)
{
	plan_status_set set = {};
	char buf[2400];

	for (auto &b : set.bits)
		b = 0x5555555555555555ULL;
	EXPECT_LT(plan_status_text(&set, buf, sizeof(buf)), (int)sizeof(buf));
}
