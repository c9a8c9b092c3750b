// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <set>
#include "fixture.h"

static std::string
printed(const std::function<void(FILE *)> &print)
{
	char *buf = nullptr;
	size_t n = 0;
	FILE *f = open_memstream(&buf, &n);

	print(f);
	fclose(f);
	std::string s(buf, n);
	free(buf);
	return s;
}

TEST(Docs, MetricsAreATablePerModule)
{
	static const struct counter_desc tcp[] = {
		{"opens", "1", "connections opened", COUNTER_SUM, COUNTER_INFO},
		{"rtx", "bytes", "payload sent again", COUNTER_SUM, COUNTER_WARN}};
	static const struct counter_desc lane[] = {
		{"open_now", "1", "open now", COUNTER_LEVEL, COUNTER_INFO},
		{"turn_us", "us", "longest turn", COUNTER_MAX, COUNTER_ERROR}};
	static const struct counter_set sets[] = {{"tcp", tcp, 2, 0}, {"lane", lane, 2, 2}};

	expect_golden("metrics.rst", printed([](FILE *f) { report_metrics_doc(sets, 2, f); }));
}

TEST(Docs, MetricsNameEveryCounterAndEveryColumnOnce)
{
	std::string s = printed(
		[](FILE *f) { report_metrics_doc(tables().sets.data(), tables().sets.size(), f); });
	size_t n_rows = 0;

	for (size_t at = s.find("   * - ``"); at != std::string::npos;
		at = s.find("   * - ``", at + 1))
		n_rows++;
	size_t derived = s.find("Columns that are no counters");
	size_t n_derived = 0;
	for (uint32_t i = 0; i < report_n_csv_columns; i++) {
		std::string name = std::string("* - ``") + report_csv_columns[i].name + "``\n";

		EXPECT_NE(s.find(name), std::string::npos) << name;
		n_derived += s.find(name, derived) != std::string::npos;
	}
	EXPECT_EQ(n_rows, tables().n_values + n_derived);
}

TEST(Docs, CsvReferenceHoldsTheColumnsOfTheSource)
{
	std::string doc = file_text(source_path("doc/csv.rst"));

	EXPECT_NE(doc.find(printed(report_csv_doc)), std::string::npos)
		<< "doc/csv.rst is behind lib/report/csv_columns.c; its table must be:\n"
		<< printed(report_csv_doc);
}

TEST(Docs, ColumnsAreNamedOnceAndExplained)
{
	std::set<std::string> names;

	for (uint32_t i = 0; i < report_n_csv_columns; i++) {
		const struct report_csv_column *c = &report_csv_columns[i];

		EXPECT_TRUE(names.insert(c->name).second) << c->name;
		EXPECT_GT(strlen(c->meaning), 10u) << c->name;
		EXPECT_GT(strlen(c->unit), 0u) << c->name;
	}
}
