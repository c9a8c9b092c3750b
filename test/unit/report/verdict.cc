// SPDX-License-Identifier: BSD-3-Clause
#include "fixture.h"

class Verdict : public Report
{
      protected:
	Verdict() : w(SNAP_RUN)
	{
		fill_good_run(w);
	}
	const struct report_verdict &
	judge(bool open_loop = true)
	{
		report_verdict_make(x.get(), w.get(), open_loop, &v);
		return v;
	}
	/** Of n transactions that fell due, n_stop were still waiting at the stop. */
	void
	stopped(uint64_t n, uint64_t n_stop)
	{
		w.set("agent.scheduled", n);
		w.set("agent.sent", n - n_stop);
		w.set("agent.completed", n - n_stop - 10);
		w.set("agent.dropped", n_stop);
		w.set("agent.drop_stop", n_stop);
	}

	Window w;
	struct report_verdict v;
};

TEST_F(Verdict, RunThatAddsUpIsValid)
{
	judge();
	EXPECT_EQ(v.overall, VERDICT_VALID);
	EXPECT_EQ(v.accounting, VERDICT_VALID);
	EXPECT_EQ(v.rate, VERDICT_VALID);
	EXPECT_TRUE(v.rate_judged);
	EXPECT_STREQ(v.why, "");
	EXPECT_STREQ(v.rules, "");
}

struct Breach {
	const char *counter;
	const char *text;
};

class VerdictIdentity : public Verdict, public ::testing::WithParamInterface<Breach>
{
};

TEST_P(VerdictIdentity, OneTooManyIsInvalid)
{
	w.add(GetParam().counter, 1);
	judge(false);
	EXPECT_EQ(v.overall, VERDICT_INVALID);
	EXPECT_EQ(v.accounting, VERDICT_INVALID);
	EXPECT_STREQ(v.rules, "V7");
	EXPECT_NE(std::string(v.why).find(GetParam().text), std::string::npos) << v.why;
}

INSTANTIATE_TEST_SUITE_P(Each, VerdictIdentity,
	::testing::Values(Breach{"agent.scheduled",
				  "V7 accounting: scheduled 500001 is not sent + waiting_now + "
				  "dropped 500000"},
		Breach{"agent.waiting_now", "sent + waiting_now + dropped 500001"},
		Breach{"agent.completed",
			"sent 499998 is not completed + failed + in_flight_now 499999"},
		Breach{"agent.in_flight_now", "completed + failed + in_flight_now 499999"},
		Breach{"agent.fail_reset", "failed 10 is not sum of fail_* 11"},
		Breach{"agent.fail_refused", "failed 10 is not sum of fail_* 11"},
		Breach{"agent.fail_cut", "failed 10 is not sum of fail_* 11"},
		Breach{"agent.drop_port", "dropped 2 is not sum of drop_* 3"},
		Breach{"agent.drop_stop", "dropped 2 is not sum of drop_* 3"},
		Breach{"agent.conn_opened",
			"conn_opened 5001 is not conn_closed + conn_open_now 5000"},
		Breach{"agent.conn_open_now", "conn_closed + conn_open_now 5001"}));

TEST_F(Verdict, SeveralBreachesAreAllNamed)
{
	w.add("agent.sent", 1);
	w.add("agent.conn_closed", 1);
	judge();
	EXPECT_STREQ(v.rules, "V7");
	EXPECT_STREQ(v.why,
		"V7 accounting: conn_opened 5000 is not conn_closed + conn_open_now 5001; "
		"V7 accounting: scheduled 500000 is not sent + waiting_now + dropped 500001; "
		"V7 accounting: sent 499999 is not completed + failed + in_flight_now 499998");
}

TEST_F(Verdict, ServerIsHeldToItsConnectionsOnly)
{
	Window server(SNAP_RUN, SNAP_SERVER);

	server.set("agent.conn_opened", 7);
	server.set("agent.conn_closed", 6);
	server.set("agent.requests_in", 100);
	report_verdict_make(x.get(), server.get(), true, &v);
	EXPECT_EQ(v.overall, VERDICT_INVALID);
	EXPECT_FALSE(v.rate_judged);
	server.set("agent.conn_open_now", 1);
	report_verdict_make(x.get(), server.get(), true, &v);
	EXPECT_EQ(v.overall, VERDICT_VALID);
}

TEST_F(Verdict, DropsForACauseBeyondATenthOfAPercentAreInvalid)
{
	w.set("agent.scheduled", 500501);
	w.set("agent.dropped", 503);
	w.set("agent.drop_port", 400);
	w.set("agent.drop_mbuf", 101);
	judge();
	EXPECT_EQ(v.overall, VERDICT_INVALID);
	EXPECT_EQ(v.rate, VERDICT_INVALID);
	EXPECT_EQ(v.accounting, VERDICT_VALID);
	EXPECT_STREQ(v.rules, "V1");
	EXPECT_STREQ(v.why, "V1 rate: port-bound, sent 499998 of 500501 scheduled (99.90 %): "
			    "dropped port 400, mbuf 101, stop 2");
}

TEST_F(Verdict, DropsForACauseWithinATenthOfAPercentAreValid)
{
	w.set("agent.scheduled", 500500);
	w.set("agent.dropped", 502);
	w.set("agent.drop_conn", 500);
	judge();
	EXPECT_EQ(v.overall, VERDICT_VALID) << v.why;
}

TEST_F(Verdict, BestEffortHasNoRateToMiss)
{
	w.set("agent.scheduled", 600000);
	w.set("agent.dropped", 100002);
	w.set("agent.drop_conn", 100000);
	judge(false);
	EXPECT_EQ(v.overall, VERDICT_VALID);
	EXPECT_FALSE(v.rate_judged);
}

TEST_F(Verdict, WhatFellDueInTheLastInstantIsExcused)
{
	stopped(500000, 1000);
	judge();
	EXPECT_EQ(v.overall, VERDICT_VALID) << v.why;
}

TEST_F(Verdict, BacklogOfATooSlowGeneratorIsNotExcusedByTheStop)
{
	stopped(500000, 25000);
	judge();
	EXPECT_EQ(v.rate, VERDICT_INVALID);
	EXPECT_STREQ(v.why, "V1 rate: client-bound, sent 475000 of 500000 scheduled (95.00 %): "
			    "dropped stop 25000");
}

TEST_F(Verdict, BacklogOfAStallOfTheHostIsExcused)
{
	stopped(500000, 25000);
	w.set("lane.turn_max_us", 300000);
	judge();
	EXPECT_EQ(v.overall, VERDICT_VALID) << v.why;
}

TEST_F(Verdict, BacklogOfAHostThatWasBusyAllAlongDegrades)
{
	stopped(500000, 25000);
	w.set("lane.turn_max_us", 9000);
	w.set("lane.total_tsc", 1000000);
	w.set("lane.stalled_tsc", 60000);
	judge();
	EXPECT_EQ(v.overall, VERDICT_DEGRADED);
	EXPECT_STREQ(v.why, "V1 rate: host-bound, sent 475000 of 500000 scheduled (95.00 %): "
			    "dropped stop 25000");
	w.set("lane.stalled_tsc", 2000);
	judge();
	EXPECT_EQ(v.overall, VERDICT_INVALID) << "too little time was taken for that backlog";
}

TEST_F(Verdict, WaitingAfterTheEndHasNoCause)
{
	w.set("agent.scheduled", 500001);
	w.set("agent.waiting_now", 1);
	judge();
	EXPECT_STREQ(v.why, "V1 rate: 1 due, neither sent nor dropped for a cause");
	EXPECT_EQ(v.overall, VERDICT_INVALID);
	w.s.row = SNAP_PHASE;
	judge();
	EXPECT_EQ(v.overall, VERDICT_VALID);
}

TEST_F(Verdict, LossesOfThePortDegrade)
{
	w.set("port.rx_missed", 12);
	w.set("port.tx_dropped", 1);
	judge();
	EXPECT_EQ(v.overall, VERDICT_DEGRADED);
	EXPECT_EQ(v.accounting, VERDICT_VALID);
	EXPECT_EQ(v.rate, VERDICT_VALID);
	EXPECT_STREQ(v.rules, "V6");
	EXPECT_STREQ(v.why, "V6 port: rx_missed 12, tx_dropped 1");
}

TEST_F(Verdict, LostSamplesDegrade)
{
	w.set("lane.hist_lost", 5);
	w.set("port.rx_errors", 2);
	judge();
	EXPECT_EQ(v.overall, VERDICT_DEGRADED);
	EXPECT_STREQ(v.rules, "V6;V18");
}

TEST_F(Verdict, HostNoiseAloneChangesNothing)
{
	w.set("lane.turn_max_us", 2000000);
	w.set("lane.turns_over_1ms", 999);
	w.set("agent.late_1ms", 400000);
	w.set("agent.late_max_us", 2000000);
	w.set("port.tx_refused", 77);
	judge();
	EXPECT_EQ(v.overall, VERDICT_VALID) << v.why;
}

TEST_F(Verdict, TextIsCutNotOverrun)
{
	for (uint32_t i = 0; i < w.total.size(); i++)
		w.total[i] = w.delta[i] = 17000000000000000000u + i * 1000000000;
	judge();
	EXPECT_EQ(v.overall, VERDICT_INVALID);
	EXPECT_LT(strlen(v.why), sizeof(v.why));
	EXPECT_STREQ(v.rules, "V7;V1;V6;V18");
}

TEST(ReportIndex, EveryCounterThatReportsUseExists)
{
	for (int i = RC_NONE + 1; i < RC_N; i++) {
		std::string name = std::string(report_counter_names[i].module) + "." +
				   report_counter_names[i].name;

		EXPECT_GE(tables().at(name), 0) << name;
	}
}

TEST(ReportIndex, EveryClassOfFailureAndDropIsUsed)
{
	int n_fail = 0;
	int n_drop = 0;

	for (uint32_t i = 0; i < tables().sets[0].n; i++) {
		std::string name = tables().sets[0].desc[i].name;

		n_fail += name.compare(0, 5, "fail_") == 0;
		n_drop += name.compare(0, 5, "drop_") == 0;
	}
	EXPECT_EQ(n_fail, RC_FAIL_LAST - RC_FAIL_FIRST + 1);
	EXPECT_EQ(n_drop, RC_DROP_LAST - RC_DROP_FIRST + 1);
}
