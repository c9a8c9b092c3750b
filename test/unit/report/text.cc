// SPDX-License-Identifier: BSD-3-Clause
#include <clocale>
#include <cmath>
#include <regex>
#include "fixture.h"

static std::string
fixed(double v, unsigned int decimals, unsigned int width = 0)
{
	char buf[64];
	struct report_text t;

	report_text_init(&t, buf, sizeof(buf));
	report_text_fixed(&t, v, decimals, width);
	return buf;
}

static std::string
time_text(double ns)
{
	char buf[64];
	struct report_text t;

	report_text_init(&t, buf, sizeof(buf));
	report_text_time(&t, ns, 0);
	return buf;
}

static std::string
size_text(double bytes)
{
	char buf[64];
	struct report_text t;

	report_text_init(&t, buf, sizeof(buf));
	report_text_size(&t, bytes);
	return buf;
}

TEST(Text, FixedNumbersRoundAndAlign)
{
	EXPECT_EQ(fixed(825.18, 2, 6), "825.18");
	EXPECT_EQ(fixed(0, 2, 6), "  0.00");
	EXPECT_EQ(fixed(-1, 2, 6), " -1.00");
	EXPECT_EQ(fixed(-0.5, 2), "-0.50");
	EXPECT_EQ(fixed(-0.0001, 2), "0.00");
	EXPECT_EQ(fixed(0.9996, 3), "1.000");
	EXPECT_EQ(fixed(12.05, 1), "12.1");
	EXPECT_EQ(fixed(7.6, 0, 4), "   8");
	EXPECT_EQ(fixed(1.0000005, 6), "1.000001");
	EXPECT_EQ(fixed(1e18, 6), "1000000000000000000");
}

TEST(Text, WhatIsNoNumberIsEmpty)
{
	EXPECT_EQ(fixed(NAN, 2, 6), "");
	EXPECT_EQ(fixed(INFINITY, 2, 6), "");
}

/* Where a machine has one of these; the next test holds everywhere. */
TEST(Text, NumbersDoNotFollowTheLocale)
{
	for (const char *name : {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"}) {
		if (setlocale(LC_ALL, name) == nullptr)
			continue;
		EXPECT_EQ(fixed(1234.5, 2), "1234.50") << name;
		EXPECT_EQ(time_text(1500), "1.50us") << name;
	}
	setlocale(LC_ALL, "C");
}

TEST(Text, NoOutputPrintsFractionsByTheLocale)
{
	static const std::regex fraction("%[-+ #0-9.*]*[fFgGeE][^a-zA-Z]");

	for (const char *name : {"console", "csv", "csv_columns", "csv_counters", "metrics_doc",
		     "summary", "text", "verdict"}) {
		std::string text = file_text(source_path(std::string("lib/report/") + name + ".c"));
		std::smatch m;

		ASSERT_FALSE(text.empty()) << name;
		if (std::regex_search(text, m, fraction)) {
			EXPECT_EQ(m.str(), "%*.0f\"") << name;
		}
	}
}

TEST(Text, TimesTakeTheUnitThatKeepsThreeDigits)
{
	EXPECT_EQ(time_text(0), "0.00us");
	EXPECT_EQ(time_text(850), "0.85us");
	EXPECT_EQ(time_text(12345), "12.3us");
	EXPECT_EQ(time_text(123456), "123us");
	EXPECT_EQ(time_text(999499), "999us");
	EXPECT_EQ(time_text(999500), "1.00ms");
	EXPECT_EQ(time_text(9994999), "9.99ms");
	EXPECT_EQ(time_text(9995000), "10.0ms");
	EXPECT_EQ(time_text(999.5e6), "1.00s");
	EXPECT_EQ(time_text(4398e9), "4398s");
}

TEST(Text, SizesTakeTheUnitThatKeepsThreeDigits)
{
	EXPECT_EQ(size_text(0), "0B");
	EXPECT_EQ(size_text(1023), "1023B");
	EXPECT_EQ(size_text(1024), "1.00KB");
	EXPECT_EQ(size_text(13.0 * 1024 * 1024), "13.0MB");
	EXPECT_EQ(size_text(1e18), "888PB");
}

TEST(Text, CutTextKeepsItsFullLength)
{
	char buf[6];
	struct report_text t;

	report_text_init(&t, buf, sizeof(buf));
	report_text_add(&t, "abc%d", 1);
	report_text_fixed(&t, 2.5, 1, 0);
	report_text_add(&t, "tail");
	EXPECT_STREQ(buf, "abc12");
	EXPECT_EQ(t.n, 11u);
}
