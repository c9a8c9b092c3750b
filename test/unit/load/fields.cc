/* SPDX-License-Identifier: BSD-3-Clause */
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "load_plan.h"

namespace
{

const plan_array *
array_of(const plan_field &f)
{
	for (uint32_t i = 0; i < plan_n_arrays; i++) {
		const plan_array &a = plan_arrays[i];

		if (f.offset >= a.offset && f.offset < a.offset + a.stride)
			return &a;
	}
	return nullptr;
}

/* The text of a header without comments. */
std::string
header(const std::string &path)
{
	std::ifstream in(std::string(TEST_DATA "/../../lib/") + path);
	std::string s((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());

	EXPECT_FALSE(s.empty()) << path;
	return std::regex_replace(s, std::regex("/\\*[^*]*\\*+([^/*][^*]*\\*+)*/"), "");
}

/* Paths of all members of a struct; structs of the plan's own headers are taken apart. */
void
members(const std::string &type, const std::string &before, std::set<std::string> &paths)
{
	static const std::string text = header("load/load_plan.h") + header("tcp/tcp.h");
	static const std::set<std::string> leaf = {"dist", "net_range", "plan_status_set"};
	static const std::regex form("(struct )?(\\w+)[ \\w]*? ?\\*?\\b(\\w+)(\\[\\w+\\])?$");
	size_t at = text.find("struct " + type + " {");

	ASSERT_NE(at, std::string::npos) << type;
	at = text.find('{', at) + 1;
	std::stringstream body(text.substr(at, text.find('}', at) - at));
	for (std::string line; std::getline(body, line, ';');) {
		std::smatch m;

		line = std::regex_replace(line, std::regex("\\s+"), " ");
		line.erase(0, line.find_first_not_of(' '));
		if (line.empty())
			continue;
		ASSERT_TRUE(std::regex_search(line, m, form)) << line;
		std::string path = before + m[3].str();
		if (m[1].matched && leaf.count(m[2]) == 0)
			members(m[2], path + (m[4].matched ? "[0]." : "."), paths);
		else
			paths.insert(path);
	}
}

/* How many rows cover each byte of the plan. */
std::vector<int>
coverage()
{
	std::vector<int> n(sizeof(plan));

	for (uint32_t i = 0; i < plan_n_fields; i++) {
		const plan_field &f = plan_fields[i];
		const plan_array *a = array_of(f);

		for (uint32_t k = 0; k < (a != nullptr ? a->n_max : 1); k++)
			for (uint32_t b = 0; b < f.size; b++)
				n[f.offset + k * (a != nullptr ? a->stride : 0) + b]++;
	}
	return n;
}

} // namespace

/* The declarations themselves are read, for the compiler can't list members. */
TEST(plan_fields, every_member_of_the_plan_has_a_row)
{
	std::set<std::string> declared, rows;

	members("plan", "", declared);
	for (uint32_t i = 0; i < plan_n_fields; i++)
		rows.insert(plan_fields[i].member);
	EXPECT_GT(declared.size(), 80u);
	for (const std::string &m : declared)
		EXPECT_EQ(rows.count(m), 1u) << "no row for " << m;
	for (const std::string &m : rows)
		EXPECT_EQ(declared.count(m), 1u) << "no member for " << m;
}

TEST(plan_fields, no_byte_has_two_rows)
{
	std::vector<int> rows = coverage();

	for (size_t i = 0; i < rows.size(); i++)
		ASSERT_LE(rows[i], 1) << i;
}

TEST(plan_fields, rows_that_print_have_spellings_of_their_own)
{
	std::set<std::string> seen;

	for (uint32_t i = 0; i < plan_n_fields; i++) {
		const plan_field &f = plan_fields[i];

		EXPECT_NE(f.owner, 0u) << f.member;
		EXPECT_EQ(f.choices != nullptr, f.kind == PLAN_K_CHOICE || f.kind == PLAN_K_LIST)
			<< f.member;
		if (f.kind != PLAN_K_PART) {
			EXPECT_TRUE(seen.insert(f.pgl).second) << f.pgl;
			EXPECT_NE(std::string(f.pgl).find('.'), std::string::npos) << f.pgl;
		}
	}
}

TEST(plan_fields, counts_of_arrays_stand_behind_their_array)
{
	for (uint32_t i = 0; i < plan_n_fields; i++) {
		if (plan_fields[i].kind != PLAN_K_RANGES && plan_fields[i].kind != PLAN_K_TEXTS)
			continue;
		ASSERT_LT(i + 1, plan_n_fields);
		EXPECT_EQ(plan_fields[i + 1].kind, PLAN_K_PART) << plan_fields[i].member;
		EXPECT_STREQ(plan_fields[i + 1].pgl, plan_fields[i].pgl);
		EXPECT_EQ(plan_fields[i + 1].size, sizeof(uint32_t));
	}
}
