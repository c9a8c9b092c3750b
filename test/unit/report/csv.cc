// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fixture.h"

using Row = std::map<std::string, std::string>;

class Csv : public Report
{
      protected:
	struct report_csv *
	open(const std::string &name = "run.csv", const char *run_id = "r1",
		const char *host = "h1")
	{
		file = path(name);
		err_clear(&e);
		return report_csv_open(file.c_str(), x.get(), run_id, host, &e);
	}
	std::vector<Row>
	rows()
	{
		auto all = csv_parse(file_text(file));
		std::vector<Row> out;

		for (size_t i = 1; i < all.size(); i++) {
			EXPECT_EQ(all[i].size(), all[0].size());
			out.emplace_back();
			for (size_t k = 0; k < all[0].size() && k < all[i].size(); k++)
				out.back()[all[0][k]] = all[i][k];
		}
		return out;
	}
	/** The only row of one window. */
	Row
	row(Window &w, const struct report_verdict *v = nullptr)
	{
		struct report_csv *c = open();

		EXPECT_EQ(report_csv_rows(c, w.get(), v), 0);
		EXPECT_EQ(report_csv_close(c), 0);
		auto all = rows();
		EXPECT_EQ(all.size(), 1u);
		return all[0];
	}

	std::string file;
	struct err e;
};

TEST_F(Csv, HeaderIsTheOneOfSchemaOne)
{
	EXPECT_EQ(report_csv_close(open()), 0);
	expect_golden("header.csv", file_text(file));
}

TEST_F(Csv, RowsOfARun)
{
	Window w(SNAP_RUN);
	Values half;
	Cells c;
	struct report_verdict v;
	struct report_csv *csv = open();

	fill_good_run(w);
	w.s.all.target_per_s = 50000;
	half.set("agent.sent", 250000);
	w.scope("lcore:1", half).target_per_s = 25000;
	c.ladder(20000);
	w.s.cells = c.sum();
	w.set("port.rx_missed", 1);
	report_verdict_make(x.get(), w.get(), true, &v);
	EXPECT_EQ(report_csv_rows(csv, w.get(), &v), 0);
	EXPECT_EQ(report_csv_close(csv), 0);
	expect_golden("run.csv", file_text(file));
}

TEST_F(Csv, NoDataIsEmpty)
{
	Window w;
	Row r = row(w);

	for (const char *name : {"cpu", "target_per_s", "response_mean_us", "response_p50_us",
		     "response_max_us", "wire_p50_us", "wait_max_us", "ttfb_p99_us",
		     "connect_max_us", "late_p999_us", "busy_pct", "rules"})
		EXPECT_EQ(r[name], "") << name;
	EXPECT_EQ(r["sent"], "0");
	EXPECT_EQ(r["sent_per_s"], "0.000");
}

TEST_F(Csv, PercentilesNeedTheirSamples)
{
	Window w;
	Cells c;

	c.ladder(150);
	w.s.cells = c.sum();
	Row r = row(w);
	EXPECT_NEAR(std::stod(r["response_p50_us"]), 75.5, 0.1);
	EXPECT_NEAR(std::stod(r["response_p90_us"]), 135.5, 0.2);
	EXPECT_EQ(r["response_p99_us"], "");
	EXPECT_EQ(r["response_p999_us"], "");
	EXPECT_EQ(r["response_max_us"], "150.500");
	EXPECT_EQ(r["response_mean_us"], "76.000");
	EXPECT_EQ(r["wire_max_us"], "150.000");
	EXPECT_EQ(r["wait_max_us"], "0.500");
	EXPECT_EQ(r["connect_max_us"], "20.000");
	EXPECT_EQ(r["late_p999_us"], "");
}

TEST_F(Csv, FailuresAreInNoTimeColumn)
{
	Window w;
	Cells c;

	c.transaction(0, 5000, CELL_HIT);
	c.transaction(0, 9000000, CELL_FAILED);
	w.s.cells = c.sum();
	Row r = row(w);
	EXPECT_EQ(r["response_max_us"], "5.000");
	EXPECT_EQ(r["wire_max_us"], "5.000");
}

TEST_F(Csv, ScopesHaveNoHistograms)
{
	Window w;
	Values lane;
	Cells c;
	struct report_csv *csv = open();

	c.ladder(100);
	w.s.cells = c.sum();
	w.scope("lcore:2", lane);
	EXPECT_EQ(report_csv_rows(csv, w.get(), nullptr), 0);
	EXPECT_EQ(report_csv_close(csv), 0);
	auto all = rows();
	ASSERT_EQ(all.size(), 2u);
	EXPECT_NE(all[0]["response_p50_us"], "");
	EXPECT_EQ(all[1]["response_p50_us"], "");
	EXPECT_EQ(all[1]["scope"], "lcore:2");
	EXPECT_EQ(all[1]["cpu"], "3");
}

TEST_F(Csv, ServerRowsLeaveTheClientsColumnsEmpty)
{
	Window w(SNAP_INTERVAL, SNAP_SERVER);

	w.set("agent.replies_out", 50);
	w.set("agent.conn_opened", 4);
	w.set("agent.rep_body_bytes", 10000000);
	Row r = row(w);
	EXPECT_EQ(r["role"], "server");
	EXPECT_EQ(r["completed"], "50");
	EXPECT_EQ(r["completed_per_s"], "5.000");
	EXPECT_EQ(r["conn_opened"], "4");
	EXPECT_EQ(r["goodput_mbit_per_s"], "8.000");
	for (const char *name : {"scheduled", "sent", "failed", "fail_reset", "drop_stop", "hits",
		     "sent_per_s", "late_max_us"})
		EXPECT_EQ(r[name], "") << name;
}

TEST_F(Csv, DerivedColumnsFollowTheirDefinitions)
{
	Window w;

	w.set("lane.tx_frames", 1000000);
	w.set("lane.tx_bytes", 101000000);
	w.set("net.rx_frames", 10);
	w.set("net.rx_bytes", 1010);
	w.set("net.rx_bad_csum_ip", 1);
	w.set("net.rx_bad_csum_tcp", 2);
	w.set("net.rx_bad_csum_icmp", 4);
	w.set("tcp.rst_in", 3);
	w.set("tcp.rst_ignored", 5);
	w.set("lane.busy_tsc", 1);
	w.set("lane.total_tsc", 3);
	Row r = row(w);
	EXPECT_EQ(r["tx_l1_mbit_per_s"], "100.000");
	EXPECT_EQ(r["rx_l1_mbit_per_s"], "0.001");
	EXPECT_EQ(r["bad_checksum"], "7");
	EXPECT_EQ(r["rst_received"], "8");
	EXPECT_EQ(r["busy_pct"], "33.33");
	EXPECT_EQ(r["t_end_s"], "10.000000");
	EXPECT_EQ(r["utc_end"], "1999-09-03T17:26:32.403624Z");
}

TEST_F(Csv, TextIsQuotedWhenItMustBe)
{
	struct report_csv *c = open("q.csv", "a,b", "say \"hi\"\r\nthere");
	Window w;

	w.s.phase = "inc1";
	EXPECT_EQ(report_csv_rows(c, w.get(), nullptr), 0);
	EXPECT_EQ(report_csv_close(c), 0);
	EXPECT_NE(file_text(file).find(",\"say \"\"hi\"\"\r\nthere\","), std::string::npos);
	auto all = rows();
	ASSERT_EQ(all.size(), 1u);
	EXPECT_EQ(all[0]["run_id"], "a,b");
	EXPECT_EQ(all[0]["host"], "say \"hi\"\r\nthere");
	EXPECT_EQ(all[0]["phase"], "inc1");
}

TEST_F(Csv, EachKindOfRowHasItsName)
{
	struct report_csv *c = open();
	const char *names[] = {"interval", "phase", "run", "end"};

	for (int i = 0; i < 4; i++) {
		Window w((enum snap_row)i);

		EXPECT_EQ(report_csv_rows(c, w.get(), nullptr), 0);
	}
	EXPECT_EQ(report_csv_close(c), 0);
	auto all = rows();
	ASSERT_EQ(all.size(), 4u);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(all[i]["row"], names[i]);
}

TEST_F(Csv, IntervalsAddUpToTheRunAndLanesToAll)
{
	static const char *const counts[] = {"agent.scheduled", "agent.sent", "agent.completed",
		"agent.fail_reset", "agent.status_2xx", "tcp.rtx_segs", "net.rx_bad_csum_tcp",
		"tcp.rst_ignored", "port.rx_missed"};
	static const char *const columns[] = {"scheduled", "sent", "completed", "fail_reset",
		"status_2xx", "rtx_segs", "bad_checksum", "rst_received", "rx_missed"};
	std::mt19937 rng(7);
	struct report_csv *c = open();
	Window run(SNAP_RUN);

	for (int i = 0; i < 20; i++) {
		Window w;
		Values lane[2];

		for (const char *name : counts)
			for (Values &l : lane) {
				uint64_t n = rng() % 100000;

				l.set(name, n);
				w.add(name, n);
				run.add(name, n);
			}
		w.scope("lcore:0", lane[0]);
		w.scope("lcore:1", lane[1]);
		EXPECT_EQ(report_csv_rows(c, w.get(), nullptr), 0);
	}
	EXPECT_EQ(report_csv_rows(c, run.get(), nullptr), 0);
	EXPECT_EQ(report_csv_close(c), 0);

	auto all = rows();
	for (const char *name : columns) {
		std::map<std::string, uint64_t> sum;

		for (Row &r : all)
			sum[r["row"] + (r["scope"] == "all" ? "" : "/lanes")] +=
				std::stoull(r[name]);
		EXPECT_EQ(sum["interval"], sum["run"]) << name;
		EXPECT_EQ(sum["interval/lanes"], sum["interval"]) << name;
		EXPECT_GT(sum["run"], 0u) << name;
	}
}

TEST_F(Csv, ExistingFileIsRefusedAndKept)
{
	struct report_csv *c = open();
	char text[500];

	EXPECT_EQ(report_csv_close(c), 0);
	std::string before = file_text(file);
	EXPECT_EQ(report_csv_open(file.c_str(), x.get(), "r2", "h", &e), nullptr);
	EXPECT_EQ(e.exit_code, EXIT_CODE_USAGE);
	err_text(&e, text, sizeof(text));
	EXPECT_NE(std::string(text).find(file), std::string::npos) << text;
	EXPECT_EQ(file_text(file), before);
}

TEST_F(Csv, MissingDirectoryIsASetUpError)
{
	err_clear(&e);
	EXPECT_EQ(report_csv_open("/nonexistent/run.csv", x.get(), "r", "h", &e), nullptr);
	EXPECT_EQ(e.exit_code, EXIT_CODE_SETUP);
	EXPECT_STREQ(e.value, "/nonexistent/run.csv");
	EXPECT_STREQ(e.allowed, "cannot open: No such file or directory");
}

TEST_F(Csv, FullDeviceIsSeenAtTheHeader)
{
	err_clear(&e);
	EXPECT_EQ(report_csv_open("/dev/full", x.get(), "r", "h", &e), nullptr);
	EXPECT_EQ(e.exit_code, EXIT_CODE_SETUP);
	EXPECT_STREQ(e.allowed, "cannot write: No space left on device");
}

TEST_F(Csv, FullDiskIsReportedPerRow)
{
	struct report_csv *c = open();
	Window w;
	int full = ::open("/dev/full", O_WRONLY);

	ASSERT_GE(full, 0);
	dup2(full, c->out.fd);
	close(full);
	EXPECT_EQ(report_csv_rows(c, w.get(), nullptr), -ENOSPC);
	EXPECT_EQ(report_csv_rows(c, w.get(), nullptr), -ENOSPC);
	EXPECT_EQ(report_csv_close(c), 0);
}

TEST_F(Csv, RowThatFitsInPartIsTakenBack)
{
	struct report_csv *c = open();
	struct rlimit old;
	struct rlimit low;
	Window w;
	struct stat before;
	struct stat after;

	ASSERT_EQ(stat(file.c_str(), &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = old;
	low.rlim_cur = (rlim_t)before.st_size + 20;
	ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
	EXPECT_EQ(report_csv_rows(c, w.get(), nullptr), -ENOSPC);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_DFL);
	ASSERT_EQ(stat(file.c_str(), &after), 0);
	EXPECT_EQ(after.st_size, before.st_size);
	EXPECT_EQ(report_csv_rows(c, w.get(), nullptr), 0);
	EXPECT_EQ(report_csv_close(c), 0);
	EXPECT_EQ(rows().size(), 1u);
}

TEST_F(Csv, EachRowIsOneWrite)
{
	std::string fifo = path("pipe");
	char buf[65536];
	Window w;
	Values lane;

	ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
	int in = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
	ASSERT_GE(in, 0);
	err_clear(&e);
	struct report_csv *c = report_csv_open(fifo.c_str(), x.get(), "r", "h", &e);
	ASSERT_NE(c, nullptr);
	ssize_t n = read(in, buf, sizeof(buf));
	EXPECT_EQ(std::string(buf, 7), "schema,");
	EXPECT_EQ(std::string(buf + n - 2, 2), "\r\n");

	/* A pipe in packet mode keeps writes apart: one read returns what one write gave. */
	ASSERT_EQ(fcntl(c->out.fd, F_SETFL, O_DIRECT | O_NONBLOCK), 0);
	w.scope("lcore:1", lane);
	w.scope("lcore:2", lane);
	EXPECT_EQ(report_csv_rows(c, w.get(), nullptr), 0);
	for (int i = 0; i < 3; i++) {
		n = read(in, buf, sizeof(buf));
		ASSERT_GT(n, 0);
		EXPECT_EQ(std::count(buf, buf + n, '\n'), 1);
		EXPECT_EQ(buf[n - 1], '\n');
	}
	EXPECT_LT(read(in, buf, sizeof(buf)), 0);
	EXPECT_EQ(report_csv_close(c), 0);
	close(in);
}

TEST_F(Csv, PipeThatNobodyReadsIsRefusedAtOnce)
{
	std::string fifo = path("pipe");

	ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
	err_clear(&e);
	EXPECT_EQ(report_csv_open(fifo.c_str(), x.get(), "r", "h", &e), nullptr);
	EXPECT_EQ(e.exit_code, EXIT_CODE_SETUP);
}
