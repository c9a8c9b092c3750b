/* SPDX-License-Identifier: BSD-3-Clause */
/* Every case of test/data/http: whole, at every split in two, byte by byte, and at random, with
 * each piece ending at an unmapped page. */
#include <dirent.h>
#include <sys/mman.h>
#include <algorithm>
#include <gtest/gtest.h>
#include "http_case.h"

namespace
{

const size_t guard_bytes = 1 << 20;

/* End of a writable area that no byte may be read behind. */
uint8_t *
guard_page(void)
{
	static uint8_t *end;

	if (end == nullptr) {
		uint8_t *p = (uint8_t *)mmap(nullptr, guard_bytes + 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || mprotect(p + guard_bytes, 4096, PROT_NONE) != 0)
			abort();
		end = p + guard_bytes;
	}
	return end;
}

std::vector<std::string>
case_names(void)
{
	std::vector<std::string> names;
	DIR *dir = opendir(TEST_DATA "/http");
	struct dirent *e;

	while (dir != nullptr && (e = readdir(dir)) != nullptr) {
		std::string s = e->d_name;

		if (s.size() > 5 && s.compare(s.size() - 5, 5, ".case") == 0)
			names.push_back(s.substr(0, s.size() - 5));
	}
	if (dir != nullptr)
		closedir(dir);
	std::sort(names.begin(), names.end());
	return names;
}

class HttpCase : public testing::TestWithParam<std::string>
{
      protected:
	Case c;
	drive whole;

	void
	SetUp() override
	{
		ASSERT_EQ(case_load(TEST_DATA "/http/" + GetParam() + ".case", &c), "");
		ASSERT_LT(c.wire.size(), guard_bytes);
		whole = run({0, UINT32_MAX, 0});
	}

	drive
	run(drive_cut cut)
	{
		drive d = {};

		d.is_request = c.is_request;
		d.method = c.method;
		d.fin = c.fin;
		d.guard = guard_page();
		drive_run(&d, (const uint8_t *)c.wire.data(), (uint32_t)c.wire.size(), cut);
		return d;
	}

	void
	same(drive_cut cut)
	{
		drive d = run(cut);

		if (!drive_same(&whole, &d))
			ADD_FAILURE() << c.name << ": cut " << cut.first << "/" << cut.step << "/"
				      << cut.seed << " differs: " << case_compare(c, d);
	}
};

TEST_P(HttpCase, EndsAsItsFileSays)
{
	EXPECT_EQ(case_compare(c, whole), "") << c.name;
}

TEST_P(HttpCase, EverySplitInTwoGivesTheSame)
{
	const uint32_t n = (uint32_t)c.wire.size();
	const uint32_t near = 300; /* of large wires: the ends, and a sample between */

	for (uint32_t i = 1; i < n; i++) {
		if (n > 2000 && i > near && i < n - near && i % 997 != 0)
			continue;
		same({i, UINT32_MAX, 0});
	}
}

TEST_P(HttpCase, ByteByByteAndRandomPiecesGiveTheSame)
{
	same({0, 1, 0});
	same({0, 2, 0});
	same({0, 33, 0});
	for (uint64_t seed = 1; seed <= 8; seed++)
		same({0, (uint32_t)(seed * seed), seed * 0x9e3779b97f4a7c15ULL});
}

INSTANTIATE_TEST_SUITE_P(Data, HttpCase, testing::ValuesIn(case_names()),
	[](const testing::TestParamInfo<std::string> &i) {
		std::string s = i.param;

		std::replace_if(
			s.begin(), s.end(), [](char ch) { return !isalnum((unsigned char)ch); },
			'_');
		return s;
	});

TEST(HttpCaseFile, ThereAreManyCases)
{
	EXPECT_GE(case_names().size(), 100u);
}

TEST(HttpCaseFile, NonsenseIsRefused)
{
	for (const char *text : {"", "name: x\n", "name: x\nexpect: perhaps\n",
		     "name: x\nexpect: error\n", "name: x\nexpect: error NOPE\n",
		     "name: x\nexpect: done status=200\n", "name: x\nsend: \"open\nexpect: more\n",
		     "name: x\nexpect: done keep flags=NOPE\n", "colour: red\nname: x\n",
		     "name: x\nexpect: more what=1\n", "name: x\nsend: \"\\q\"\nexpect: more\n"}) {
		Case c;

		EXPECT_NE(case_parse(text, &c), "") << text;
	}
}

TEST(HttpCaseFile, ADifferentOutcomeIsNoticed)
{
	Case c;
	drive d = {};

	ASSERT_EQ(case_parse("name: x\nsend: \"HTTP/1.1 204 \\r\\n\\r\\n\"\n"
			     "expect: done status=200 keep flags=NO_BODY\n",
			  &c),
		"");
	drive_run(&d, (const uint8_t *)c.wire.data(), (uint32_t)c.wire.size(), {0, 100, 0});
	EXPECT_NE(case_compare(c, d), "");
	c.expect[0].numbers["status"] = 204;
	EXPECT_EQ(case_compare(c, d), "");
	c.expect[0].close = 1;
	EXPECT_NE(case_compare(c, d), "");
}

} // namespace
