// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include "engine_phase.h"

namespace
{

constexpr uint64_t SEC = 1000000000ULL;

struct plan *
plan_of(double rate, double load_beg, double load_end, double pop_beg, double pop_end,
	uint64_t duration_ns, uint64_t n = PLAN_NEVER)
{
	static struct plan p;

	memset(&p, 0, sizeof(p));
	p.robots.rate_per_sec = rate;
	p.n_phases = 1;
	p.phase[0].load_beg = load_beg;
	p.phase[0].load_end = load_end;
	p.phase[0].populus_beg = pop_beg;
	p.phase[0].populus_end = pop_end;
	p.phase[0].goal.duration_ns = duration_ns;
	p.phase[0].goal.n_xactions = n;
	return &p;
}

/* Offered by all pieces of the phase, from their lines. */
double
offered(const struct plan *p, uint64_t beg_ns, uint64_t end_ns, uint32_t *n_pieces)
{
	double sum = 0;
	uint64_t at = beg_ns;

	*n_pieces = 0;
	while (at < end_ns) {
		struct phase_piece s;

		phase_piece_at(p, 0, beg_ns, at, 0, &s);
		EXPECT_EQ(s.beg_ns, at);
		EXPECT_GT(s.end_ns, at);
		sum += phase_piece_offered(&s, s.beg_ns, s.end_ns);
		at = s.end_ns;
		(*n_pieces)++;
	}
	EXPECT_EQ(at, end_ns) << "exact at the end of the phase";
	return sum;
}

} // namespace

TEST(Phase, FlatPhaseIsOnePiece)
{
	struct plan *p = plan_of(1000, 1, 1, 1, 1, 10 * SEC);
	uint32_t n;

	EXPECT_NEAR(offered(p, 3 * SEC, 13 * SEC, &n), 10000, 1e-6);
	EXPECT_EQ(n, 1u);
}

TEST(Phase, RampOfLoadIsAStraightLine)
{
	struct plan *p = plan_of(1000, 0.1, 1, 1, 1, 10 * SEC);
	struct phase_piece s;
	uint32_t n;

	EXPECT_NEAR(offered(p, 0, 10 * SEC, &n), 1000 * 0.55 * 10, 1e-6);
	EXPECT_EQ(n, 1u);
	phase_piece_at(p, 0, 0, 0, 0, &s);
	EXPECT_NEAR(s.per_sec, 100, 1e-9);
	EXPECT_NEAR(s.per_sec + s.per_sec2 * 10, 1000, 1e-9);
}

TEST(Phase, RampOfBothIsFollowedInPieces)
{
	struct plan *p = plan_of(1000, 0, 1, 0, 1, 2 * SEC);
	uint32_t n;

	/* integral of t^2 from 0 to 1, over 2 s */
	EXPECT_NEAR(offered(p, 0, 2 * SEC, &n), 2000.0 / 3, 2000.0 / 3 * 0.02);
	EXPECT_EQ(n, 100u);
}

TEST(Phase, RampOfPopulusMovesRobotsAndRate)
{
	struct plan *p = plan_of(1000, 1, 1, 0, 1, 1 * SEC);
	struct phase_piece s;
	uint32_t n;

	EXPECT_NEAR(offered(p, 0, SEC, &n), 500, 1e-6);
	phase_piece_at(p, 0, 0, SEC / 2, 0, &s);
	EXPECT_NEAR(s.populus, 0.5, 1e-9);
	EXPECT_NEAR(s.per_sec, 500, 1e-9);
}

TEST(Phase, WithoutDurationItNeverEnds)
{
	struct plan *p = plan_of(1000, 1, 1, 1, 1, PLAN_NEVER);
	struct phase_piece s;

	phase_piece_at(p, 0, 0, 5 * SEC, 0, &s);
	EXPECT_EQ(s.end_ns, PLAN_NEVER);
	EXPECT_NEAR(phase_piece_offered(&s, 5 * SEC, 7 * SEC), 2000, 1e-6);
	EXPECT_NEAR(phase_piece_offered(&s, 0, 6 * SEC), 1000, 1e-6) << "not before it begins";
}

TEST(Phase, RampOverACountFollowsTheCount)
{
	struct plan *p = plan_of(1000, 0, 1, 1, 1, PLAN_NEVER, 100);
	struct phase_piece s;

	phase_piece_at(p, 0, 0, 7 * SEC, 25, &s);
	EXPECT_NEAR(s.per_sec, 250, 1e-9);
	EXPECT_EQ(s.end_ns, 7 * SEC + PHASE_PIECE_NS);
}

TEST(Phase, ProgressIsThatOfTheNearestGoal)
{
	struct plan *p = plan_of(0, 1, 1, 1, 1, 10 * SEC, 100);

	EXPECT_NEAR(phase_progress(&p->phase[0], 2 * SEC, 50), 0.5, 1e-9);
	EXPECT_NEAR(phase_progress(&p->phase[0], 8 * SEC, 50), 0.8, 1e-9);
	EXPECT_NEAR(phase_progress(&p->phase[0], 99 * SEC, 50), 1, 1e-9);
}

TEST(Phase, LaunchWindowIsAStraightRampFromNothing)
{
	struct plan *p = plan_of(1000, 1, 1, 1, 1, 20 * SEC);
	struct phase_piece s;
	uint32_t n;

	p->robots.launch_win_ns = 10 * SEC;
	phase_piece_at(p, 0, 0, 0, 0, &s);
	EXPECT_EQ(s.end_ns, 10 * SEC);
	EXPECT_DOUBLE_EQ(s.per_sec, 0);
	EXPECT_DOUBLE_EQ(s.per_sec2, 100);
	phase_piece_at(p, 0, 0, 5 * SEC, 0, &s);
	EXPECT_DOUBLE_EQ(s.per_sec, 500);
	/* half of the full load over the window, all of it after */
	EXPECT_NEAR(offered(p, 0, 20 * SEC, &n), 5000 + 10000, 1e-6);
}

TEST(Phase, SharesAreExactAndEven)
{
	for (uint64_t whole : {0ULL, 1ULL, 7ULL, 100000ULL, 100001ULL, 18446744073709551614ULL})
		for (uint32_t n : {1u, 2u, 3u, 7u}) {
			uint64_t sum = 0, lo = UINT64_MAX, hi = 0;

			for (uint32_t x = 0; x < n; x++) {
				uint64_t s = phase_share(whole, x, n);

				sum += s;
				lo = s < lo ? s : lo;
				hi = s > hi ? s : hi;
			}
			EXPECT_EQ(sum, whole);
			EXPECT_LE(hi - lo, 1u);
		}
}

TEST(Phase, LoadGoesWhereRobotsAre)
{
	EXPECT_EQ(phase_quota(1000, 1, 0, 2), 1000u);
	EXPECT_EQ(phase_quota(1000, 1, 1, 2), 0u) << "no robot, no load";
	EXPECT_EQ(phase_quota(1000, 4, 3, 4), 250u);
	EXPECT_NEAR(phase_weight(3, 0, 2), 2.0 / 3, 1e-12);
	EXPECT_NEAR(phase_weight(3, 1, 2), 1.0 / 3, 1e-12);
	for (uint64_t whole : {1ULL, 7ULL, 100000ULL, 1ULL << 62})
		for (uint32_t robots : {1u, 3u, 1000u, 16777215u}) {
			uint64_t sum = 0;

			for (uint32_t x = 0; x < 7; x++)
				sum += phase_quota(whole, robots, x, 7);
			EXPECT_EQ(sum, whole);
		}
}
