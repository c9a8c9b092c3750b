// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cmath>
#include <string>
#include <gtest/gtest.h>
#include "base_num.h"
#include "base_rng.h"

static const std::string nines(400, '9');

struct good_u64 {
	const char *text;
	uint64_t value;
};

struct bad {
	const char *text;
	int rc;
};

template <typename V, typename F, size_t N>
static void
expect_bad(F parse, const bad (&rows)[N])
{
	for (const bad &r : rows) {
		V v = (V)77;

		EXPECT_EQ(parse(r.text, &v), r.rc) << "'" << r.text << "'";
		EXPECT_EQ(v, (V)77) << "'" << r.text << "' wrote a value";
	}
}

template <typename F, size_t N>
static void
expect_u64(F parse, const good_u64 (&rows)[N])
{
	for (const good_u64 &r : rows) {
		uint64_t v = 77;

		EXPECT_EQ(parse(r.text, &v), 0) << "'" << r.text << "'";
		EXPECT_EQ(v, r.value) << "'" << r.text << "'";
	}
}

TEST(NumCount, Good)
{
	const good_u64 rows[] = {{"0", 0}, {"1", 1}, {"007", 7}, {"10k", 10000}, {"2M", 2000000},
		{"3G", 3000000000ULL}, {"18446744073709551615", UINT64_MAX},
		{"18446744073G", 18446744073000000000ULL}};

	expect_u64(num_count_parse, rows);
}

TEST(NumCount, Bad)
{
	const bad rows[] = {{"", -EINVAL}, {"-1", -EINVAL}, {"+1", -EINVAL}, {" 1", -EINVAL},
		{"1 ", -EINVAL}, {"1.5", -EINVAL}, {"k", -EINVAL}, {"1K", -EINVAL},
		{"1kk", -EINVAL}, {"0x10", -EINVAL}, {"1e3", -EINVAL}, {"abc", -EINVAL},
		{"18446744073709551616", -ERANGE}, {"18446744074G", -ERANGE},
		{"99999999999999999999999", -ERANGE}, {"99999999999999999999999x", -EINVAL},
		{nines.c_str(), -ERANGE}};

	expect_bad<uint64_t>(num_count_parse, rows);
}

TEST(NumInt, GoodAndBad)
{
	const struct {
		const char *text;
		int64_t value;
	} good[] = {{"0", 0}, {"-1", -1}, {"+5", 5}, {"9223372036854775807", INT64_MAX},
		{"-9223372036854775808", INT64_MIN}};
	const bad rows[] = {{"", -EINVAL}, {"-", -EINVAL}, {"+", -EINVAL}, {"--1", -EINVAL},
		{"1.0", -EINVAL}, {"1k", -EINVAL}, {" 1", -EINVAL},
		{"9223372036854775808", -ERANGE}, {"-9223372036854775809", -ERANGE},
		{nines.c_str(), -ERANGE}};

	for (auto &r : good) {
		int64_t v = 0;

		EXPECT_EQ(num_int_parse(r.text, &v), 0) << r.text;
		EXPECT_EQ(v, r.value) << r.text;
	}
	expect_bad<int64_t>(num_int_parse, rows);
}

TEST(NumFloat, GoodAndBad)
{
	const struct {
		const char *text;
		double value;
	} good[] = {{"1", 1}, {"1.5", 1.5}, {".5", .5}, {"5.", 5}, {"-2.25", -2.25}, {"+1", 1},
		{"0.1", 0.1}};
	const bad rows[] = {{"", -EINVAL}, {".", -EINVAL}, {"-", -EINVAL}, {"-.", -EINVAL},
		{"1e5", -EINVAL}, {"1E5", -EINVAL}, {"inf", -EINVAL}, {"nan", -EINVAL},
		{"0x1p3", -EINVAL}, {"1..2", -EINVAL}, {"1,5", -EINVAL}, {" 1", -EINVAL},
		{"1 ", -EINVAL}, {nines.c_str(), -ERANGE}};

	for (auto &r : good) {
		double v = 77;

		EXPECT_EQ(num_float_parse(r.text, &v), 0) << r.text;
		EXPECT_EQ(v, r.value) << r.text;
	}
	expect_bad<double>(num_float_parse, rows);
}

TEST(NumTime, Good)
{
	const good_u64 rows[] = {{"10sec", 10000000000ULL}, {"250ms", 250000000ULL},
		{"250msec", 250000000ULL}, {"1.5s", 1500000000ULL}, {".5sec", 500000000ULL},
		{"0.1sec", 100000000ULL}, {"5min", 300000000000ULL}, {"1hr", 3600000000000ULL},
		{"1hour", 3600000000000ULL}, {"1day", 86400000000000ULL},
		{"1year", 31536000000000000ULL}, {"7us", 7000}, {"7usec", 7000}, {"3ns", 3},
		{"3nsec", 3}, {"0", 0}, {"0.0", 0}, {"0sec", 0}, {"sec", 1000000000ULL},
		{"min", 60000000000ULL}, {"0.0000015ms", 2}, {"1.4ns", 1}, {"1.5ns", 2},
		{"18446744073709551615ns", UINT64_MAX}, {"584year", 18417024000000000000ULL},
		{"0.333333333333333333333333sec", 333333333}};

	expect_u64(num_time_parse, rows);
}

TEST(NumTime, Bad)
{
	const bad rows[] = {{"", -EINVAL}, {"10", -EINVAL}, {"0.5", -EINVAL}, {"-1sec", -EINVAL},
		{"1 sec", -EINVAL}, {"1sec ", -EINVAL}, {"1m", -EINVAL}, {"1SEC", -EINVAL},
		{"1secs", -EINVAL}, {"1sec2", -EINVAL}, {".", -EINVAL}, {".sec", -EINVAL},
		{"1e3sec", -EINVAL}, {"infsec", -EINVAL}, {"10KB", -EINVAL},
		{"18446744073709551616ns", -ERANGE}, {"585year", -ERANGE},
		{"18446744073.8sec", -ERANGE}, {"0.1ns", -ERANGE},
		{"99999999999999999999sec", -ERANGE}};

	expect_bad<uint64_t>(num_time_parse, rows);
}

TEST(NumSize, Good)
{
	const good_u64 rows[] = {{"0", 0}, {"1", 1}, {"500", 500}, {"13KB", 13312}, {"8Kb", 1024},
		{"1MB", 1048576}, {"1Mb", 131072}, {"1GB", 1073741824}, {"1Gb", 134217728},
		{"1.5KB", 1536}, {"100Byte", 100}, {"100B", 100}, {"8bit", 1}, {"12bit", 2},
		{"KB", 1024}, {"0.3KB", 307}, {"0KB", 0}, {"18446744073709551615", UINT64_MAX},
		{"17179869183GB", 18446744072635809792ULL}};

	expect_u64(num_size_parse, rows);
}

TEST(NumSize, Bad)
{
	const bad rows[] = {{"", -EINVAL}, {"-1KB", -EINVAL}, {"1kb", -EINVAL}, {"1kB", -EINVAL},
		{"1K", -EINVAL}, {"1 KB", -EINVAL}, {"KBKB", -EINVAL}, {"1TB", -EINVAL},
		{"1sec", -EINVAL}, {".", -EINVAL}, {"1bit", 0}, {"18446744073709551616", -ERANGE},
		{"17179869184GB", -ERANGE}, {"0.0001KB", -ERANGE}};

	for (const bad &r : rows) {
		uint64_t v = 77;

		if (r.rc == 0)
			EXPECT_EQ(num_size_parse("3bit", &v), -ERANGE);
		else
			EXPECT_EQ(num_size_parse(r.text, &v), r.rc) << r.text;
		EXPECT_EQ(v, 77u) << r.text;
	}
}

TEST(NumRate, GoodAndBad)
{
	const struct {
		const char *text;
		double value;
	} good[] = {{"400/sec", 400}, {"0.4/sec", 0.4}, {"10k/sec", 10000}, {"90/min", 1.5},
		{"400", 400}, {"2M", 2e6}, {"1.5k", 1500}, {"1/hour", 1.0 / 3600}, {"10/5sec", 2},
		{"1/ms", 1000}, {"0", 0}, {"1G/sec", 1e9}};
	const bad rows[] = {{"", -EINVAL}, {"/sec", -EINVAL}, {"400/", -EINVAL},
		{"400/foo", -EINVAL}, {"-1/sec", -EINVAL}, {"+1/sec", -EINVAL}, {"1e3", -EINVAL},
		{"400/sec/sec", -EINVAL}, {"400 /sec", -EINVAL}, {"4x", -EINVAL},
		{"inf/sec", -EINVAL}, {"1/5", -EINVAL}, {"1/0", -ERANGE}, {"1/0sec", -ERANGE},
		{nines.c_str(), -ERANGE}};

	for (auto &r : good) {
		double v = 77;

		EXPECT_EQ(num_rate_parse(r.text, &v), 0) << r.text;
		EXPECT_DOUBLE_EQ(v, r.value) << r.text;
	}
	expect_bad<double>(num_rate_parse, rows);
}

TEST(NumShare, GoodAndBad)
{
	const struct {
		const char *text;
		double value;
	} good[] = {{"55%", .55}, {"55p", .55}, {"0.55", .55}, {"0", 0}, {"1", 1}, {"100%", 1},
		{"0%", 0}, {".5p", .005}};
	const bad rows[] = {{"", -EINVAL}, {"%", -EINVAL}, {"55%%", -EINVAL}, {"55pp", -EINVAL},
		{"-5%", -EINVAL}, {"5e1%", -EINVAL}, {"nan", -EINVAL}, {"101%", -ERANGE},
		{"100.1p", -ERANGE}, {"1.01", -ERANGE}, {"55", -ERANGE}};

	for (auto &r : good) {
		double v = 77;

		EXPECT_EQ(num_share_parse(r.text, &v), 0) << r.text;
		EXPECT_EQ(v, r.value) << r.text;
	}
	expect_bad<double>(num_share_parse, rows);
}

static std::string
time_text(uint64_t v)
{
	char b[64];

	num_time_text(v, b, sizeof(b));
	return b;
}

static std::string
size_text(uint64_t v)
{
	char b[64];

	num_size_text(v, b, sizeof(b));
	return b;
}

static std::string
rate_text(double v)
{
	char b[400];

	num_rate_text(v, b, sizeof(b));
	return b;
}

static std::string
share_text(double v)
{
	char b[400];

	num_share_text(v, b, sizeof(b));
	return b;
}

TEST(NumText, Canonical)
{
	EXPECT_EQ(time_text(0), "0sec");
	EXPECT_EQ(time_text(10000000000ULL), "10sec");
	EXPECT_EQ(time_text(90000000000ULL), "90sec");
	EXPECT_EQ(time_text(300000000000ULL), "5min");
	EXPECT_EQ(time_text(7200000000000ULL), "2hour");
	EXPECT_EQ(time_text(250000000ULL), "250msec");
	EXPECT_EQ(time_text(1001), "1001nsec");
	EXPECT_EQ(size_text(0), "0Byte");
	EXPECT_EQ(size_text(13312), "13KB");
	EXPECT_EQ(size_text(100), "100Byte");
	EXPECT_EQ(size_text(1048576), "1MB");
	EXPECT_EQ(rate_text(400), "400/sec");
	EXPECT_EQ(rate_text(0.4), "0.4/sec");
	EXPECT_EQ(rate_text(0), "0/sec");
	EXPECT_EQ(rate_text(50000000), "50000000/sec");
	EXPECT_EQ(share_text(.55), "55%");
	EXPECT_EQ(share_text(0), "0%");
	EXPECT_EQ(share_text(1), "100%");
	EXPECT_EQ(share_text(.001), "0.1%");
}

TEST(NumText, EveryValueReadsBackAsItself)
{
	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t u = rng_at(5, i) >> (i % 64);
		double d = std::ldexp(rng_unit(rng_at(6, i)), (int)(i % 60) - 30);
		double s = rng_unit(rng_at(7, i));
		uint64_t u2;
		double d2;

		ASSERT_EQ(num_time_parse(time_text(u).c_str(), &u2), 0) << u;
		ASSERT_EQ(u2, u);
		ASSERT_EQ(num_size_parse(size_text(u).c_str(), &u2), 0) << u;
		ASSERT_EQ(u2, u);
		ASSERT_EQ(num_rate_parse(rate_text(d).c_str(), &d2), 0) << d;
		ASSERT_EQ(d2, d);
		ASSERT_EQ(num_share_parse(share_text(s).c_str(), &d2), 0) << s;
		ASSERT_EQ(d2, s);
	}
}

TEST(NumText, ShortBufferIsCutNotOverrun)
{
	char b[4] = {'z', 'z', 'z', 'z'};

	EXPECT_EQ(num_time_text(10000000000ULL, b, 3), 5);
	EXPECT_STREQ(b, "10");
	EXPECT_EQ(b[3], 'z');
}
