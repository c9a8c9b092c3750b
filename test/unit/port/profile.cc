// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <set>
#include <string>
#include "port_profile.h"

TEST(PortProfile, EveryShippedFileParsesAndNamesOneDriver)
{
	std::set<std::string> seen;

	ASSERT_GE(port_profile_count(), 8u);
	for (uint32_t i = 0; i < port_profile_count(); i++) {
		struct port_profile p;
		struct err e;

		err_clear(&e);
		ASSERT_EQ(port_profile_parse(port_profile_text(i), &p, &e), 0) << e.value;
		EXPECT_NE(p.driver[0], 0);
		EXPECT_GT(p.rx_ring, 0u);
		EXPECT_GT(p.tx_ring, 0u);
		EXPECT_TRUE(seen.insert(p.driver).second) << p.driver << " twice";
	}
	EXPECT_EQ(seen.count("default"), 1u);
}

TEST(PortProfile, UnknownDriverGetsTheDefault)
{
	struct port_profile p;

	port_profile_find("net_never_heard_of", &p);
	EXPECT_STREQ(p.driver, "default");
	EXPECT_EQ(p.multi_seg, PORT_CAPA);
}

TEST(PortProfile, DriversWithKnownHabits)
{
	struct port_profile p;

	port_profile_find("net_af_packet", &p);
	EXPECT_EQ(p.imissed, PORT_NO) << "hides receive loss";
	port_profile_find("net_af_xdp", &p);
	EXPECT_EQ(p.multi_seg, PORT_NO) << "takes one buffer per frame";
	port_profile_find("net_ring", &p);
	EXPECT_EQ(p.csum_rx, PORT_NO) << "checksums are verified in loop too";
}

TEST(PortProfile, BadLinesAreNamed)
{
	static const char *const bad[] = {"driver", "colour=red\n", "rx_ring=many\n", "rx_ring=\n",
		"rx_ring=70000\n", "multi_seg=perhaps\n",
		"driver=a_name_that_is_longer_than_any_driver_has\n"};

	for (const char *text : bad) {
		struct port_profile p;
		struct err e;

		err_clear(&e);
		EXPECT_EQ(port_profile_parse(text, &p, &e), -EINVAL) << text;
		EXPECT_EQ(e.exit_code, EXIT_CODE_USAGE);
	}
}

TEST(PortProfile, CommentsAndEmptyLinesAreSkipped)
{
	struct port_profile p;
	struct err e;

	err_clear(&e);
	ASSERT_EQ(port_profile_parse("# a comment\n\ndriver=x\nmax_queues=3", &p, &e), 0);
	EXPECT_STREQ(p.driver, "x");
	EXPECT_EQ(p.max_queues, 3u);
}
