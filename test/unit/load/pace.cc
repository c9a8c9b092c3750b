/* SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <vector>
#include <gtest/gtest.h>
#include "load_pace.h"

namespace
{

const uint64_t HZ = 1000000000; /* a tick is 1 ns */
const uint64_t MS = HZ / 1000;

struct Pace {
	std::unique_ptr<pace> p = std::make_unique<pace>();

	Pace(pace_kind kind, uint64_t key = 1, uint64_t hz = HZ)
	{
		tick_rate r = tick_rate_of(hz);

		pace_init(p.get(), kind, key, &r);
	}
	/* Take all that may go at now. */
	std::vector<pace_launch>
	take(uint64_t now)
	{
		std::vector<pace_launch> v;
		pace_launch l;

		while (pace_peek(p.get(), now, &l)) {
			v.push_back(l);
			pace_take(p.get(), now);
		}
		return v;
	}
	/* Take each launch at its own due time until `end`. */
	std::vector<pace_launch>
	run(uint64_t end)
	{
		std::vector<pace_launch> v;
		pace_launch l;

		for (uint64_t t = pace_next_due(p.get()); t <= end; t = pace_next_due(p.get())) {
			if (!pace_peek(p.get(), t, &l)) {
				ADD_FAILURE() << "not due when it said";
				break;
			}
			v.push_back(l);
			pace_take(p.get(), t);
		}
		return v;
	}
	uint64_t
	scheduled(uint64_t now)
	{
		return pace_scheduled(p.get(), now);
	}
};

double
ks_exponential(std::vector<double> v)
{
	double d = 0;
	size_t n = v.size();

	std::sort(v.begin(), v.end());
	for (size_t i = 0; i < n; i++) {
		double f = 1 - exp(-v[i]);

		d = std::max(d, std::max(f - (double)i / n, (double)(i + 1) / n - f));
	}
	return d * sqrt((double)n);
}

/* Launch times never hold more than `limit` in a window. */
size_t
busiest(const std::vector<uint64_t> &at, uint64_t window)
{
	std::deque<uint64_t> in;
	size_t most = 0;

	for (uint64_t t : at) {
		in.push_back(t);
		while (in.front() + window <= t)
			in.pop_front();
		most = std::max(most, in.size());
	}
	return most;
}

} // namespace

TEST(pace, without_a_line_nothing_is_ever_due)
{
	Pace a(PACE_POISSON);
	pace_launch l;

	EXPECT_FALSE(pace_peek(a.p.get(), UINT64_MAX - 1, &l));
	EXPECT_EQ(pace_next_due(a.p.get()), UINT64_MAX);
	EXPECT_EQ(a.scheduled(UINT64_MAX - 1), 0u);
}

TEST(pace, constant_gaps_are_exact)
{
	Pace a(PACE_CONST);

	pace_line_add(a.p.get(), 5000, 1000, 0);
	std::vector<pace_launch> v = a.run(5000 + 10 * HZ);
	ASSERT_EQ(v.size(), 10000u);
	for (uint64_t i = 0; i < v.size(); i++) {
		ASSERT_EQ(v[i].n, i);
		ASSERT_EQ(v[i].due_tsc, 5000 + (i + 1) * MS);
	}
}

TEST(pace, gaps_that_are_no_whole_ticks_never_drift)
{
	const uint64_t hz = 2893437123;
	Pace a(PACE_CONST, 1, hz);

	pace_line_add(a.p.get(), 77, 3000, 0);
	std::vector<pace_launch> v = a.run(77 + 200 * hz);
	ASSERT_EQ(v.size(), 600000u);
	for (uint64_t i = 0; i < v.size(); i++) {
		long double want = 77 + (long double)(i + 1) * hz / 3000;

		ASSERT_NEAR((double)(v[i].due_tsc - want), 0, 0.51) << i;
	}
}

TEST(pace, a_constant_rate_counts_exactly_over_an_hour)
{
	Pace a(PACE_CONST, 1, 2893437123);

	pace_line_add(a.p.get(), 1000, 997, 0);
	for (uint64_t s = 60; s <= 3600; s += 60) {
		ASSERT_EQ(a.scheduled(1000 + s * 2893437123 - 1), 997 * s - 1);
		ASSERT_EQ(a.scheduled(1000 + s * 2893437123), 997 * s);
	}
}

TEST(pace, a_day_at_ten_million_per_second_keeps_its_resolution)
{
	const uint64_t hz = 3000000000;
	const uint64_t day = 86400 * hz;
	Pace a(PACE_CONST, 1, hz);

	/* what a day of launches leaves behind: both cursors far from the line's start */
	pace_line_add(a.p.get(), 0, 1e7, 0);
	a.p->sched.n = a.p->next.n = 864000000000ULL;
	a.p->sched.base_tsc = a.p->next.base_tsc = day;
	a.p->sched.due_tsc = a.p->next.due_tsc = day + 300;
	std::vector<pace_launch> v = a.run(day + hz / 10);
	ASSERT_EQ(v.size(), 1000000u);
	for (uint64_t i = 0; i < v.size(); i++)
		ASSERT_EQ(v[i].due_tsc, day + 300 * (i + 1));
}

TEST(pace, poisson_gaps_pass_a_ks_test_for_most_seeds)
{
	int passed = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		Pace a(PACE_POISSON, rng_key(seed, 1));
		std::vector<double> gap;
		uint64_t last = 0;

		pace_line_add(a.p.get(), 0, 500, 0);
		for (const pace_launch &l : a.run(20 * HZ)) {
			gap.push_back((double)(l.due_tsc - last) / HZ * 500);
			last = l.due_tsc;
		}
		passed += ks_exponential(gap) < 1.63; /* p = 0.01 */
		EXPECT_NEAR((double)gap.size(), 10000, 500);
	}
	EXPECT_GE(passed, 18);
}

TEST(pace, due_times_are_the_same_for_the_same_seed_and_differ_for_others)
{
	Pace a(PACE_POISSON, 5), b(PACE_POISSON, 5), c(PACE_POISSON, 6);

	for (Pace *x : {&a, &b, &c})
		pace_line_add(x->p.get(), 0, 1e5, 0);
	std::vector<pace_launch> va = a.run(HZ / 10), vb = b.run(HZ / 10), vc = c.run(HZ / 10);
	ASSERT_EQ(va.size(), vb.size());
	for (size_t i = 0; i < va.size(); i++)
		ASSERT_EQ(va[i].due_tsc, vb[i].due_tsc);
	EXPECT_NE(va[0].due_tsc, vc[0].due_tsc);
}

TEST(pace, ramps_offer_exactly_their_area)
{
	const struct {
		double from, to;
		uint64_t sec;
	} t[] = {{0, 1000, 10}, {1000, 0, 10}, {1000, 100, 10}, {100, 1000, 7}, {0.5, 1.5, 600},
		{1, 1, 50}};

	for (const auto &c : t) {
		Pace a(PACE_CONST);
		uint64_t area = (uint64_t)((c.from + c.to) / 2 * (double)c.sec);

		pace_line_add(a.p.get(), HZ, c.from, (c.to - c.from) / (double)c.sec);
		pace_line_add(a.p.get(), HZ + c.sec * HZ, 0, 0);
		EXPECT_EQ(a.scheduled(HZ + c.sec * HZ), area) << c.from << ".." << c.to;
		EXPECT_EQ(a.scheduled(1000 * HZ), area);
		EXPECT_EQ(a.run(1000 * HZ).size(), area);
	}
}

TEST(pace, a_ramp_is_the_straight_line)
{
	Pace a(PACE_CONST);

	pace_line_add(a.p.get(), 0, 0, 100); /* launch n is due when 50 t^2 = n + 1 */
	for (const pace_launch &l : a.run(10 * HZ))
		ASSERT_NEAR((double)l.due_tsc, sqrt((double)(l.n + 1) / 50) * HZ, 1.0);
}

TEST(pace, slopes_near_zero_are_as_good_as_none)
{
	for (double slope : {1e-300, -1e-300, 1e-15, -1e-15, 1e-9, -1e-9}) {
		Pace a(PACE_CONST);

		pace_line_add(a.p.get(), 0, 1000, slope);
		std::vector<pace_launch> v = a.run(10 * HZ);
		ASSERT_NEAR((double)v.size(), 10000, 1) << slope;
		for (const pace_launch &l : v)
			ASSERT_NEAR((double)l.due_tsc, (double)((l.n + 1) * MS), 1.0) << slope;
	}
}

TEST(pace, a_rate_that_falls_to_zero_ends_the_launches)
{
	Pace a(PACE_CONST);

	pace_line_add(a.p.get(), 0, 100, -10); /* 500 until 10 s */
	EXPECT_EQ(a.run(UINT64_MAX - 1).size(), 500u);
	EXPECT_EQ(pace_next_due(a.p.get()), UINT64_MAX);
	pace_line_add(a.p.get(), 60 * HZ, 10, 0);
	EXPECT_EQ(pace_next_due(a.p.get()), 60 * HZ + HZ / 10);
}

TEST(pace, a_line_from_below_zero_starts_where_it_comes_up)
{
	Pace a(PACE_CONST);

	pace_line_add(a.p.get(), 0, -100, 10); /* up through 0 at 10 s; then 5 t^2 */
	std::vector<pace_launch> v = a.run(20 * HZ);
	ASSERT_EQ(v.size(), 500u);
	EXPECT_NEAR((double)v[0].due_tsc, (10 + sqrt(0.2)) * HZ, 10);
}

TEST(pace, lines_that_continue_the_last_one_are_dropped)
{
	Pace a(PACE_POISSON), b(PACE_POISSON);

	for (Pace *x : {&a, &b})
		pace_line_add(x->p.get(), 0, 100, 50);
	for (uint64_t t = 10; t < 10000; t += 10)
		pace_line_add(a.p.get(), t * MS, 100 + 50 * (double)t / 1000, 50);
	EXPECT_EQ(a.p->n_lines, 1u);
	EXPECT_EQ(a.run(10 * HZ).size(), b.run(10 * HZ).size());
}

TEST(pace, a_gap_that_spans_lines_uses_the_rate_of_each)
{
	Pace a(PACE_CONST);

	pace_line_add(a.p.get(), 0, 1, 0);
	pace_line_add(a.p.get(), HZ / 2, 0, 0);
	pace_line_add(a.p.get(), 2 * HZ, 5, 0);
	/* half a launch in the first line, half in the third: 0.1 s */
	EXPECT_EQ(pace_next_due(a.p.get()), 2 * HZ + HZ / 10);
	EXPECT_EQ(a.run(3 * HZ).size(), 5u);
}

TEST(pace, a_line_replaces_one_that_has_not_begun)
{
	Pace a(PACE_CONST);

	pace_line_add(a.p.get(), 10 * HZ, 1, 0);
	pace_line_add(a.p.get(), 10 * HZ, 1000, 0);
	EXPECT_EQ(a.p->n_lines, 1u);
	EXPECT_EQ(pace_next_due(a.p.get()), 10 * HZ + MS);
}

TEST(pace, a_late_line_never_changes_what_is_scheduled)
{
	Pace a(PACE_CONST);

	pace_line_add(a.p.get(), 0, 1000, 0);
	EXPECT_EQ(a.scheduled(HZ), 1000u);
	EXPECT_EQ(a.take(HZ / 2).size(), 2u); /* what catch-up lets go at once; the rest lags */
	pace_line_add(a.p.get(), HZ / 4, 1, 0); /* 750 ms too late */
	EXPECT_EQ(a.scheduled(HZ), 1000u);
	EXPECT_EQ(a.scheduled(2 * HZ), 1001u);
	/* the lagging cursor finds the same due times */
	std::vector<pace_launch> v;
	for (uint64_t t = HZ / 2; t < 3 * HZ; t += MS / 10)
		for (const pace_launch &l : a.take(t))
			v.push_back(l);
	ASSERT_EQ(v.size(), 999u);
	for (size_t i = 0; i + 1 < v.size(); i++)
		ASSERT_EQ(v[i].due_tsc, (v[i].n + 1) * MS);
	EXPECT_EQ(v.back().due_tsc, 2 * HZ);
}

TEST(pace, a_ring_of_lines_that_overruns_is_counted_and_loses_no_launch)
{
	Pace a(PACE_POISSON, 3);
	uint64_t sent = 0;
	uint64_t before = 0;

	for (uint64_t k = 0; k < 1000; k++) /* 1000 lines of 10 ms: 744 are lost */
		pace_line_add(a.p.get(), k * 10 * MS, k % 2 != 0 ? 1000 : 3000, 0);
	pace_stop(a.p.get(), 10 * HZ);
	uint64_t want = a.scheduled(11 * HZ);
	EXPECT_NEAR((double)want, 20000, 600);
	for (uint64_t t = 10 * HZ; sent < want && t < 60 * HZ; t += MS) {
		for (const pace_launch &l : a.take(t)) {
			ASSERT_EQ(l.n, sent++);
			ASSERT_GE(l.due_tsc, before);
			ASSERT_LT(l.due_tsc, 10 * HZ);
			before = l.due_tsc;
		}
	}
	EXPECT_EQ(sent, want);
	EXPECT_EQ(a.p->n_lines_lost, 1000u - PACE_LINES);
}

TEST(pace, cursors_agree_when_one_runs_far_behind_the_other)
{
	Pace ahead(PACE_POISSON, 8), exact(PACE_POISSON, 8);
	std::vector<pace_launch> late;

	for (uint64_t k = 0; k < 200; k++) {
		for (Pace *x : {&ahead, &exact})
			pace_line_add(x->p.get(), k * 10 * MS, 1000 + 500 * sin((double)k), 37);
		ahead.scheduled(k * 10 * MS + 5 * MS);
	}
	std::vector<pace_launch> want = exact.run(2 * HZ);
	for (uint64_t t = 2 * HZ; late.size() < want.size() && t < 20 * HZ; t += MS / 4)
		for (const pace_launch &l : ahead.take(t))
			late.push_back(l);
	ASSERT_GE(late.size(), want.size());
	for (size_t i = 0; i < want.size(); i++) {
		ASSERT_EQ(late[i].n, want[i].n);
		ASSERT_EQ(late[i].due_tsc, want[i].due_tsc);
	}
}

TEST(pace, after_a_stall_no_ten_milliseconds_hold_more_than_twice_the_rate)
{
	for (double rate : {1000.0, 20000.0, 333333.0}) {
		Pace a(PACE_CONST);
		std::vector<uint64_t> at;
		uint64_t caught_up = 0;

		pace_line_add(a.p.get(), 0, rate, 0);
		for (uint64_t t = 0; t < 6 * HZ; t += 50000) {
			if (t >= HZ / 2 && t < HZ / 2 + 2 * HZ)
				continue; /* the stall */
			at.insert(at.end(), a.take(t).size(), t);
			if (caught_up == 0 && t > 2 * HZ && at.size() == a.scheduled(t))
				caught_up = t;
		}
		EXPECT_LE(busiest(at, 10 * MS), (size_t)(2 * rate / 100)) << rate;
		EXPECT_EQ(at.size(), a.scheduled(6 * HZ - 50000)) << rate;
		/* 2 s of launches at 0.75 above the rate */
		EXPECT_NEAR((double)caught_up / HZ, 2.5 + 2 / 0.75, 0.05) << rate;
	}
}

TEST(pace, repeated_short_stalls_make_no_storm_either)
{
	Pace a(PACE_CONST);
	std::vector<uint64_t> at;
	const double rate = 100000;

	pace_line_add(a.p.get(), 0, rate, 0);
	for (uint64_t t = 0; t < 2 * HZ; t += 20000) {
		if (t % (7 * MS) < 3 * MS)
			continue;
		at.insert(at.end(), a.take(t).size(), t);
	}
	EXPECT_LE(busiest(at, 10 * MS), (size_t)(2 * rate / 100));
	EXPECT_NEAR((double)at.size(), 2 * rate, rate * 0.004);
}

TEST(pace, in_time_launches_are_not_held_back)
{
	Pace a(PACE_POISSON, 12);
	uint64_t n = 0;

	pace_line_add(a.p.get(), 0, 1e6, 0);
	for (uint64_t t = 0; t < HZ / 5; t += 100000) { /* a turn of 100 us: 100 launches each */
		n += a.take(t).size();
		ASSERT_EQ(n, a.scheduled(t));
	}
}

TEST(pace, a_lag_wakes_at_the_allowed_time)
{
	Pace a(PACE_CONST);
	pace_launch l;

	pace_line_add(a.p.get(), 0, 1000, 0);
	a.take(HZ);
	EXPECT_FALSE(pace_peek(a.p.get(), HZ, &l));
	uint64_t t = pace_next_due(a.p.get());
	ASSERT_GT(t, HZ);
	ASSERT_LT(t, HZ + MS);
	EXPECT_FALSE(pace_peek(a.p.get(), t - 1, &l));
	EXPECT_TRUE(pace_peek(a.p.get(), t, &l));
}

TEST(pace, a_backlog_drains_after_the_rate_has_ended)
{
	Pace a(PACE_CONST);
	uint64_t n = 0;

	pace_line_add(a.p.get(), 0, 1000, 0);
	pace_line_add(a.p.get(), HZ, 0, 0);
	for (uint64_t t = 5 * HZ; t < 6 * HZ; t += MS / 2)
		n += a.take(t).size();
	EXPECT_EQ(n, 1000u);
}

TEST(pace, nothing_is_due_at_or_after_the_stop)
{
	Pace a(PACE_CONST);

	pace_line_add(a.p.get(), 0, 1000, 0);
	pace_stop(a.p.get(), 5 * MS);
	pace_line_add(a.p.get(), 6 * MS, 1e6, 0);
	EXPECT_EQ(a.scheduled(HZ), 4u);
	EXPECT_EQ(a.run(UINT64_MAX - 1).size(), 4u);
	EXPECT_EQ(pace_next_due(a.p.get()), UINT64_MAX);
}

TEST(pace, lanes_interleave_to_constant_gaps)
{
	std::vector<uint64_t> due;

	for (int w = 0; w < 4; w++) {
		Pace a(PACE_CONST);

		pace_first_set(a.p.get(), (w + 1) / 4.0);
		pace_line_add(a.p.get(), 0, 250, 0);
		for (const pace_launch &l : a.run(HZ))
			due.push_back(l.due_tsc);
	}
	std::sort(due.begin(), due.end());
	ASSERT_EQ(due.size(), 1000u);
	for (size_t i = 0; i < due.size(); i++)
		ASSERT_EQ(due[i], (i + 1) * MS);
}

TEST(pace, peek_does_not_consume)
{
	Pace a(PACE_CONST);
	pace_launch x, y;

	pace_line_add(a.p.get(), 0, 1000, 0);
	ASSERT_TRUE(pace_peek(a.p.get(), MS, &x));
	ASSERT_TRUE(pace_peek(a.p.get(), MS, &y));
	EXPECT_EQ(x.n, y.n);
	pace_take(a.p.get(), MS);
	EXPECT_FALSE(pace_peek(a.p.get(), MS, &y));
}
