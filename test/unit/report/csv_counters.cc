// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>
#include "fixture.h"

class CsvCounters : public Report
{
      protected:
	CsvCounters() : file(path("counters.csv"))
	{
		err_clear(&e);
		c = report_counters_open(file.c_str(), &e);
	}
	std::vector<std::vector<std::string>>
	close()
	{
		EXPECT_EQ(report_counters_close(c), 0);
		return csv_parse(file_text(file));
	}

	std::string file;
	struct report_counters *c;
	struct err e;
};

TEST_F(CsvCounters, EveryCounterOfEveryScopeHasARow)
{
	Window w;
	Values lane;

	lane.set("tcp.rtx_segs", 9);
	w.set("tcp.rtx_segs", 9);
	w.scope("lcore:4", lane);
	EXPECT_EQ(report_counters_rows(c, w.get()), 0);
	auto rows = close();
	ASSERT_EQ(rows.size(), 1 + 2 * (size_t)tables().n_values);
	EXPECT_EQ(rows[0], (std::vector<std::string>{"t_end_s", "role", "scope", "module",
				   "counter", "unit", "delta", "total"}));
	std::vector<std::string> want = {
		"10.000000", "client", "lcore:4", "tcp", "rtx_segs", "1", "9", "9"};
	EXPECT_EQ(std::count(rows.begin(), rows.end(), want), 1);
}

TEST_F(CsvCounters, DeltasAddUpToTheTotalAndRowsAreUnique)
{
	Window w;
	std::set<std::vector<std::string>> keys;
	uint64_t sum = 0;
	static const enum snap_row order[] = {
		SNAP_INTERVAL, SNAP_INTERVAL, SNAP_PHASE, SNAP_RUN, SNAP_END};
	static const double ends[] = {1, 2, 2, 2.5, 2.5};
	int at = tables().at("agent.sent");

	for (int i = 0; i < 5; i++) {
		w.s.row = order[i];
		w.s.t_end_s = ends[i];
		w.delta[at] = 1000; /* of its own window, whatever that is */
		w.total[at] = i == 0 ? 100 : i < 3 ? 250 : 260;
		EXPECT_EQ(report_counters_rows(c, w.get()), 0);
	}
	for (const auto &r : close()) {
		EXPECT_TRUE(keys.insert({r.begin(), r.begin() + 5}).second);
		if (r[4] == "sent")
			sum += std::stoull(r[6]);
	}
	EXPECT_EQ(sum, 260u);
	EXPECT_EQ(keys.size(), 1 + 3 * (size_t)tables().n_values);
}

TEST_F(CsvCounters, RolesKeepTheirOwnDeltas)
{
	Window client;
	Window server(SNAP_INTERVAL, SNAP_SERVER);
	std::map<std::string, std::string> delta;

	client.set("tcp.segs_in", 5);
	server.set("tcp.segs_in", 11);
	EXPECT_EQ(report_counters_rows(c, client.get()), 0);
	EXPECT_EQ(report_counters_rows(c, server.get()), 0);
	for (const auto &r : close())
		if (r[4] == "segs_in")
			delta[r[1]] = r[6];
	EXPECT_EQ(delta["client"], "5");
	EXPECT_EQ(delta["server"], "11");
}

TEST_F(CsvCounters, LevelsAndMaximaAreThoseOfTheWindow)
{
	Window w;
	std::vector<std::string> got;

	w.set("agent.conn_open_now", 40);
	EXPECT_EQ(report_counters_rows(c, w.get()), 0);
	w.s.t_end_s = 20;
	EXPECT_EQ(report_counters_rows(c, w.get()), 0);
	for (const auto &r : close())
		if (r[4] == "conn_open_now")
			got.push_back(r[6]);
	EXPECT_EQ(got, (std::vector<std::string>{"40", "40"}));
}

TEST_F(CsvCounters, ExistingFileIsRefused)
{
	EXPECT_EQ(report_counters_open(file.c_str(), &e), nullptr);
	EXPECT_EQ(e.exit_code, EXIT_CODE_USAGE);
	EXPECT_EQ(e.value, file);
	close();
}

TEST_F(CsvCounters, FullDiskIsAnError)
{
	err_clear(&e);
	EXPECT_EQ(report_counters_open("/dev/full", &e), nullptr);
	EXPECT_EQ(e.exit_code, EXIT_CODE_SETUP);
	close();
}
