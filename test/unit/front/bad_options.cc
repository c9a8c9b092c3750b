/* SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>
#include <cerrno>
#include <fstream>
#include <set>
#include <string>
#include <gtest/gtest.h>
#include "front_args.h"

namespace
{

struct Line {
	std::string text, command, args, message;
	int code;
};

/* test/data/bad_options.txt: command | args | exit code | message. */
std::vector<Line>
lines()
{
	std::ifstream in(TEST_DATA "/bad_options.txt");
	std::vector<Line> v;

	for (std::string s; std::getline(in, s);) {
		Line l;
		size_t a = s.find(" | "), b = s.find(" | ", a + 3), c = s.find(" | ", b + 3);

		if (s.empty() || s[0] == '#')
			continue;
		if (c == std::string::npos) {
			ADD_FAILURE() << "four fields are needed: " << s;
			continue;
		}
		l.text = s;
		l.command = s.substr(0, a);
		l.args = s.substr(a + 3, b - a - 3);
		l.code = std::stoi(s.substr(b + 3, c - b - 3));
		l.message = s.substr(c + 3);
		if (front_knows(l.command.c_str()))
			v.push_back(l);
	}
	return v;
}

} // namespace

TEST(bad_options, each_is_refused_with_its_message_and_exit_code)
{
	std::set<std::string> seen;

	for (const Line &l : lines()) {
		FrontArgs a(l.command, l.args);

		EXPECT_EQ(a.rc, -EINVAL) << l.text;
		EXPECT_EQ(a.e.exit_code, l.code) << l.text;
		EXPECT_EQ(a.message(), l.message) << l.text;
		EXPECT_TRUE(seen.insert(l.command + l.args).second) << l.text;
	}
	EXPECT_GE(seen.size(), 70u);
}

TEST(bad_options, none_makes_a_file)
{
	for (const Line &l : lines())
		FrontArgs a(l.command, l.args);
	EXPECT_NE(access("out.csv", F_OK), 0);
}

TEST(bad_options, a_line_end_never_gets_into_a_message)
{
	for (std::string name : {"--add_header", "--uri", "--label", "--csv", "--proxy"}) {
		for (std::string value : {"A: b\r\nC: d", "A: b\nC: d", "A: b\rC: d"}) {
			FrontArgs a("client", std::vector<std::string>{name, value});

			EXPECT_EQ(a.rc, -EINVAL) << name;
			EXPECT_EQ(a.message().find_first_of("\r\n"), std::string::npos);
			EXPECT_NE(a.message().find("without line ends"), std::string::npos)
				<< a.message();
		}
	}
}

TEST(bad_options, control_bytes_are_refused)
{
	EXPECT_EQ(FrontArgs("loop", std::vector<std::string>{"--label", "a\x1b[2J"}).rc, -EINVAL);
	EXPECT_EQ(FrontArgs("loop", std::vector<std::string>{"--uri", "/\x01"}).rc, -EINVAL);
	EXPECT_EQ(
		FrontArgs("loop", std::vector<std::string>{"--add_header", "A: \x01"}).rc, -EINVAL);
}

TEST(bad_options, too_many_are_refused)
{
	std::vector<std::string> headers, origins;

	for (int i = 0; i < PLAN_HEADERS_MAX + 1; i++)
		headers.insert(headers.end(), {"--add_header", "A: b"});
	FrontArgs a("loop", headers);
	EXPECT_EQ(a.message(), "--add_header: 'A: b': at most 32");
	for (int i = 0; i < PLAN_RANGES_MAX + 1; i++)
		origins.insert(origins.end(), {"--origin", "10.0.0.1:80"});
	FrontArgs b("client", origins);
	EXPECT_EQ(b.message(), "--origin: '10.0.0.1:80': at most 16 ranges");
	FrontArgs c("loop", "--uri /" + std::string(PLAN_URI_MAX, 'a'));
	EXPECT_NE(c.message().find("2049 bytes; at most 2048"), std::string::npos) << c.message();
	FrontArgs d("client", "--origin " + std::string(1000, '1') + ":80");
	EXPECT_EQ(d.rc, -EINVAL);
}

TEST(bad_options, an_unknown_command_is_refused)
{
	FrontArgs a("polyclt", "");

	EXPECT_EQ(a.rc, -EINVAL);
	EXPECT_EQ(a.message(), "command: 'polyclt': loop, client or server");
	EXPECT_FALSE(front_knows("polyclt"));
}
