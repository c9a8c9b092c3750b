// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include "fixture.h"

class Summary : public Report
{
      protected:
	std::string
	text(Window &w, bool open_loop)
	{
		struct report_verdict v;
		char *buf = nullptr;
		size_t n = 0;
		FILE *f = open_memstream(&buf, &n);

		report_verdict_make(x.get(), w.get(), open_loop, &v);
		report_summary(x.get(), w.get(), &v, open_loop, f);
		fclose(f);
		std::string s(buf, n);
		free(buf);
		return s;
	}
};

TEST_F(Summary, OpenLoopRun)
{
	Window w(SNAP_RUN);
	Cells c;

	fill_good_run(w);
	w.s.all.target_per_s = 50000;
	w.set("tcp.rtx_segs", 12);
	w.set("port.rx_missed", 3);
	c.ladder(20000);
	w.s.cells = c.sum();
	expect_golden("summary-open.txt", text(w, true));
}

TEST_F(Summary, BestEffortRunSaysWhatItMeasures)
{
	Window w(SNAP_RUN);
	Cells c;

	w.set("agent.scheduled", 60);
	w.set("agent.sent", 60);
	w.set("agent.completed", 59);
	w.set("agent.failed", 1);
	w.set("agent.fail_status", 1);
	w.set("agent.status_2xx", 59);
	w.set("agent.status_5xx", 1);
	w.set("agent.hits", 30);
	w.set("agent.misses", 29);
	w.set("agent.conn_opened", 60);
	w.set("agent.conn_closed", 60);
	c.ladder(59);
	c.transaction(700, 2500000000, CELL_FAILED);
	w.s.cells = c.sum();
	expect_golden("summary-best-effort.txt", text(w, false));
}

TEST_F(Summary, RunThatDidNothing)
{
	Window w(SNAP_RUN);
	Cells c;

	w.s.cells = c.sum();
	expect_golden("summary-nothing.txt", text(w, true));
}

TEST_F(Summary, ServerRun)
{
	Window w(SNAP_RUN, SNAP_SERVER);

	w.set("agent.requests_in", 51791);
	w.set("agent.replies_out", 51790);
	w.set("agent.replies_cut", 1);
	w.set("agent.bad_requests", 2);
	w.set("agent.conn_opened", 600);
	w.set("agent.conn_closed", 600);
	w.set("agent.conn_closed_by_peer", 20);
	w.set("agent.req_bytes", 5179100);
	w.set("agent.rep_header_bytes", 9000000);
	w.set("agent.rep_body_bytes", 690000000);
	w.set("tcp.stray_segs", 4);
	expect_golden("summary-server.txt", text(w, true));
}

TEST_F(Summary, WorstCaseStaysOnOneScreen)
{
	Window w(SNAP_RUN);
	Cells c;

	for (uint32_t i = 0; i < w.total.size(); i++)
		w.total[i] = w.delta[i] = 9000000000000000000u + i;
	c.ladder(100);
	c.transaction(700, 2500000000, CELL_FAILED);
	w.s.cells = c.sum();
	std::string s = text(w, true);
	EXPECT_LE(std::count(s.begin(), s.end(), '\n'), 40) << s;
	EXPECT_EQ(s.back(), '\n');
	EXPECT_NE(
		s.find(" more counters that should be zero: --csv_counters\n"), std::string::npos);
}

TEST_F(Summary, ErrorsComeBeforeWarnings)
{
	Window w(SNAP_RUN);

	w.set("tcp.rtx_segs", 1);
	w.set("port.mbuf_empty", 2);
	std::string s = text(w, true);
	ASSERT_NE(s.find("tcp.rtx_segs"), std::string::npos);
	EXPECT_LT(s.find("port.mbuf_empty"), s.find("tcp.rtx_segs"));
}
