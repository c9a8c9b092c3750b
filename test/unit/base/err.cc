// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "base_arena.h"
#include "base_bytes.h"
#include "base_err.h"
#include "base_log.h"

static std::string
text(const struct err &e)
{
	char buf[700];

	err_text(&e, buf, sizeof(buf));
	return buf;
}

TEST(Err, NamesOptionValueAndRange)
{
	struct err e = {};

	EXPECT_EQ(err_usage(&e, "--robots", "x", "1..%d", 10), -EINVAL);
	EXPECT_EQ(e.exit_code, EXIT_CODE_USAGE);
	EXPECT_EQ(text(e), "--robots: 'x': 1..10");
}

TEST(Err, FirstErrorWinsUntilCleared)
{
	struct err e = {};

	EXPECT_EQ(err_setup(&e, ENOMEM, "arena", "4GB", nullptr), -ENOMEM);
	EXPECT_EQ(err_usage(&e, "later", nullptr, nullptr), -EINVAL);
	EXPECT_EQ(text(e), "arena: '4GB'");
	EXPECT_EQ(e.exit_code, EXIT_CODE_SETUP);
	err_clear(&e);
	EXPECT_EQ(e.exit_code, 0);
	err_usage(&e, "later", nullptr, nullptr);
	EXPECT_EQ(text(e), "later");
}

TEST(Err, ControlBytesOfUserInputDoNotReachTheTerminal)
{
	struct err e = {};

	err_usage(&e, "--label", "a\r\n\x1b[2J\x7f", "text");
	EXPECT_EQ(text(e), "--label: 'a???[2J?': text");
}

TEST(Err, LongValueIsCutWithAMark)
{
	struct err e = {};
	std::string value(1000, 'v');

	err_usage(&e, "--x", value.c_str(), "%s", std::string(1000, 'a').c_str());
	EXPECT_EQ(std::string(e.value).size(), sizeof(e.value) - 1);
	EXPECT_EQ(std::string(e.value).substr(sizeof(e.value) - 5), "v...");
	EXPECT_EQ(std::string(e.allowed).substr(sizeof(e.allowed) - 5), "a...");
}

TEST(Err, WithoutAStructOnlyTheCodeIsReturned)
{
	EXPECT_EQ(err_usage(nullptr, "a", "b", "c"), -EINVAL);
	EXPECT_EQ(err_setup(nullptr, EBUSY, "a", "b", "c"), -EBUSY);
}

static void
keep(void *ctx, int level, const char *line)
{
	static_cast<std::vector<std::string> *>(ctx)->push_back(std::to_string(level) + " " + line);
}

TEST(Log, LineGoesToTheSinkWithItsLevel)
{
	std::vector<std::string> lines;
	struct log_sink s = {keep, &lines};

	log_line(&s, 2, "%s %d", "rate", 7);
	log_line(&s, 0, "%s", std::string(5000, 'x').c_str());
	ASSERT_EQ(lines.size(), 2u);
	EXPECT_EQ(lines[0], "2 rate 7");
	EXPECT_EQ(lines[1].size(), 2u + 1023u);
	EXPECT_EQ(lines[1].substr(lines[1].size() - 4), "x...");
}

TEST(Log, NoSinkIsSilence)
{
	struct log_sink s = {nullptr, nullptr};

	log_line(nullptr, 1, "x");
	log_line(&s, 1, "x");
}

TEST(Arena, MeasuresAndThenBuildsTheSameSize)
{
	struct arena a = {};

	EXPECT_EQ(arena_take(&a, 1), nullptr);
	EXPECT_EQ(arena_take(&a, 100), nullptr);
	EXPECT_EQ(a.used, 164u);
	EXPECT_FALSE(arena_ok(&a));

	alignas(64) static uint8_t mem[164];
	struct arena b = {mem, sizeof(mem), 0};

	EXPECT_EQ(arena_take(&b, 1), mem);
	EXPECT_EQ(arena_take(&b, 100), mem + 64);
	EXPECT_TRUE(arena_ok(&b));
	EXPECT_EQ(arena_take(&b, 1), nullptr);
	EXPECT_FALSE(arena_ok(&b));
}

TEST(Bytes, NetworkOrderAtAnyAddress)
{
	uint8_t b[8] = {};

	store_be32(b + 1, 0x01020304);
	EXPECT_EQ(b[1], 1);
	EXPECT_EQ(b[4], 4);
	EXPECT_EQ(load_be32(b + 1), 0x01020304u);
	store_be16(b + 5, 0xa0b0);
	EXPECT_EQ(b[5], 0xa0);
	EXPECT_EQ(load_be16(b + 5), 0xa0b0);
	EXPECT_EQ(be16_host(host_be16(0x1234)), 0x1234);
	EXPECT_EQ(be32_host(host_be32(0x12345678)), 0x12345678u);
}
