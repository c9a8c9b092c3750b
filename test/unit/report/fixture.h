/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What the tests of report/ share: the real counter tables (read from the headers that declare
 * them, so that a renamed counter is noticed), a snapshot to fill by name, cells, golden files.
 */
#ifndef REPORT_TEST_FIXTURE_H
#define REPORT_TEST_FIXTURE_H

#include <list>
#include <memory>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "report_priv.h"

/** All counters, as the lanes' tables; help texts are replaced by `help of NAME`. */
class Tables
{
      public:
	Tables();
	int at(const std::string &counter) const; /* "agent.sent" */

	std::vector<struct counter_set> sets;
	uint32_t n_values = 0;

      private:
	void add(const char *module, const char *header, const std::string &begin,
		const std::string &end);
	std::list<std::string> texts;
	std::list<std::vector<struct counter_desc>> descs;
};
const Tables &tables();

/** Histograms of one window. */
class Cells
{
      public:
	Cells();
	~Cells();
	/** A transaction whose wire time is `wire_ns` and that waited `wait_ns` before. */
	void transaction(uint64_t wait_ns, uint64_t wire_ns, enum cell_class c = CELL_MISS);
	/** n of them, 1 us .. n us on the wire. */
	void ladder(uint32_t n);
	const struct cell_sum *sum();

	struct cell_set set;

      private:
	std::vector<uint8_t> memory;
	struct cell_sum cells;
};

/** Values of one scope. */
struct Values {
	Values();
	/** Delta and total alike. */
	void set(const std::string &counter, uint64_t v);
	void add(const std::string &counter, uint64_t v);
	std::vector<uint64_t> delta;
	std::vector<uint64_t> total;
};

/** A snapshot of ten seconds that can be filled by name. */
class Window : public Values
{
      public:
	explicit Window(enum snap_row row = SNAP_INTERVAL, enum snap_role role = SNAP_CLIENT);
	/** Rates of `all` from its deltas. */
	const struct snapshot *get();
	struct snap_scope &scope(const std::string &name, Values &v);

	struct snapshot s = {};

      private:
	std::vector<struct snap_scope> scopes;
};

/** A run of 500000 transactions in which everything adds up. */
void fill_good_run(Window &w);

/** Compare with test/data/report/NAME; FRESHET_GOLDEN_UPDATE=1 in the environment writes it. */
void expect_golden(const std::string &name, const std::string &text);
std::string file_text(const std::string &path);
std::string source_path(const std::string &below_top);

struct IndexFree {
	void
	operator()(struct report_index *x) const
	{
		report_index_free(x);
	}
};
using Index = std::unique_ptr<struct report_index, IndexFree>;

class Report : public ::testing::Test
{
      protected:
	Report() : x(report_index_new(tables().sets.data(), tables().sets.size()))
	{
	}
	/** A path in a new directory, removed at the end. */
	std::string path(const std::string &name);
	~Report() override;

	Index x;

      private:
	std::string dir;
	std::vector<std::string> made;
};

/** Records of an RFC 4180 text. */
std::vector<std::vector<std::string>> csv_parse(const std::string &text);

#endif
