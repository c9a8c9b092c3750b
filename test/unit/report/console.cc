// SPDX-License-Identifier: BSD-3-Clause
#include "fixture.h"

class Console : public Report
{
      protected:
	std::string
	line(Window &w)
	{
		char buf[200];
		int n = report_console_line(x.get(), w.get(), buf, sizeof(buf));

		EXPECT_EQ(n, (int)strlen(buf));
		return buf;
	}
	std::string
	own(Window &w)
	{
		char buf[300];
		int n = report_own_line(x.get(), w.get(), buf, sizeof(buf));

		EXPECT_EQ(n, (int)strlen(buf));
		return buf;
	}
};

static std::string
time_text(enum report_time kind, uint64_t utc_ns, double s)
{
	char buf[40];

	report_time_text(kind, utc_ns, s, buf, sizeof(buf));
	return buf;
}

TEST(ConsoleTime, EpochHasMicroseconds)
{
	EXPECT_EQ(time_text(REPORT_TIME_EPOCH, 936379592403624999, 7), "936379592.403624");
	EXPECT_EQ(time_text(REPORT_TIME_EPOCH, 936379592000000999, 7), "936379592.000000");
}

TEST(ConsoleTime, MinutesAreZeroFilled)
{
	EXPECT_EQ(time_text(REPORT_TIME_MINUTES, 1, 0), "000.00");
	EXPECT_EQ(time_text(REPORT_TIME_MINUTES, 1, 10.8), "000.18");
	EXPECT_EQ(time_text(REPORT_TIME_MINUTES, 1, 60000), "1000.00");
}

TEST_F(Console, ClientIntervalHasPolygraphsColumns)
{
	Window w;
	Cells c;

	w.s.all.interval_s = 5;
	w.set("agent.completed", 4126);
	w.set("agent.misses", 4126);
	w.set("agent.conn_open_now", 1);
	c.transaction(200000, 1000000);
	w.s.cells = c.sum();
	EXPECT_EQ(line(w), "i-dflt   4126 825.20      1   0.00   0    1");
}

TEST_F(Console, TransactionsAreCumulativeAndTheRestIsOfTheWindow)
{
	Window w;

	w.set("agent.completed", 1000);
	w.total[tables().at("agent.completed")] = 9000000;
	w.set("agent.failed", 500);
	w.set("agent.dropped", 7);
	w.set("agent.hits", 550);
	w.set("agent.misses", 450);
	w.set("agent.conn_open_now", 12345);
	EXPECT_EQ(line(w), "i-dflt 9000000 150.00     -1  55.00 507 12345");
}

TEST_F(Console, IdleClientHasNoResponseTimeAndNoHitRatio)
{
	Window w;

	EXPECT_EQ(line(w), "i-dflt      0   0.00     -1  -1.00   0    0");
}

TEST_F(Console, FailuresAreNotPartOfTheResponseTime)
{
	Window w;
	Cells c;

	c.transaction(0, 2000000, CELL_HIT);
	c.transaction(0, 4000000, CELL_4XX);
	c.transaction(0, 900000000, CELL_FAILED);
	w.s.cells = c.sum();
	EXPECT_EQ(line(w), "i-dflt      0   0.00      3  -1.00   0    0");
}

TEST_F(Console, IdleServerCountsItsListener)
{
	Window w(SNAP_INTERVAL, SNAP_SERVER);

	EXPECT_EQ(line(w), "i-dflt      0   0.00     -1  -1.00   0    1");
}

TEST_F(Console, BusyServerNeverHits)
{
	Window w(SNAP_INTERVAL, SNAP_SERVER);

	w.set("agent.requests_in", 900);
	w.set("agent.replies_out", 885);
	w.set("agent.replies_cut", 2);
	w.set("agent.bad_requests", 3);
	w.set("agent.conn_open_now", 1);
	EXPECT_EQ(line(w), "i-dflt    885  88.70     -1   0.00   5    2");
}

TEST_F(Console, PhaseLineHasNoSockets)
{
	Window w(SNAP_PHASE);

	w.s.phase = "ramp";
	w.set("agent.completed", 3349);
	w.set("agent.conn_open_now", 5);
	EXPECT_EQ(line(w), "p-ramp   3349 334.90     -1  -1.00   0");
}

TEST_F(Console, OwnLineOfAClientShowsRatesAndPercentiles)
{
	Window w;
	Cells c;

	fill_good_run(w);
	w.set("agent.waiting_now", 4);
	c.ladder(10000);
	w.s.cells = c.sum();
	EXPECT_EQ(own(w), "o-dflt  sched  50000.0/s sent  49999.8/s done  49998.8/s wait 4 late 3 "
			  "resp p50 5.00ms p99 9.90ms p99.9 9.99ms");
}

TEST_F(Console, OwnLineWithholdsPercentilesThatTheSampleDoesNotSupport)
{
	Window w;
	Cells c;

	c.ladder(1000);
	w.s.cells = c.sum();
	std::string text = own(w);
	EXPECT_NE(text.find("p50  501us p99  990us p99.9    n/a"), std::string::npos) << text;
}

TEST_F(Console, OwnLineOfAServerShowsWhatItServed)
{
	Window w(SNAP_INTERVAL, SNAP_SERVER);

	w.set("agent.requests_in", 8550);
	w.set("agent.replies_out", 8540);
	w.set("agent.conn_opened", 90);
	w.set("agent.conn_open_now", 12);
	w.set("net.rx_frames", 10000);
	w.set("net.rx_bytes", 1010000);
	w.set("lane.tx_frames", 100000);
	w.set("lane.tx_bytes", 151400000);
	EXPECT_EQ(own(w), "o-dflt  req    855.0/s rep    854.0/s conn      9.0/s open 12 in 1.0 "
			  "out 123.0 Mbit/s");
}

TEST_F(Console, SmallBufferIsNotOverrun)
{
	Window w;
	char buf[8] = "xxxxxxx";

	EXPECT_EQ(report_console_line(x.get(), w.get(), buf, 7), 43);
	EXPECT_STREQ(buf, "i-dflt");
}
