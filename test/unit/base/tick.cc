// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <gtest/gtest.h>
#include "base_tick.h"

TEST(Tick, OneTickPerNanosecondIsExact)
{
	struct tick_rate r = tick_rate_of(1000000000);

	EXPECT_EQ(tick_to_ns(&r, 123456789), 123456789u);
	EXPECT_EQ(tick_from_ns(&r, UINT64_MAX), UINT64_MAX);
}

/* 2^-33 of relative error in a factor: below 1 us in an hour at any CPU's rate. */
TEST(Tick, ConversionsAreRightOverHours)
{
	for (uint64_t hz :
		{24000000ULL, 1000000000ULL, 2099998000ULL, 3187654321ULL, 5000000000ULL}) {
		struct tick_rate r = tick_rate_of(hz);

		EXPECT_EQ(r.hz, hz);
		EXPECT_NEAR((double)tick_to_ns(&r, hz), 1e9, 1) << hz;
		EXPECT_NEAR((double)tick_from_ns(&r, 1000000000), (double)hz, 1) << hz;
		EXPECT_NEAR((double)tick_to_ns(&r, hz * 3600) / 3600e9, 1.0, 1e-9) << hz;
		EXPECT_NEAR(
			(double)tick_from_ns(&r, 3600000000000ULL) / ((double)hz * 3600), 1.0, 1e-8)
			<< hz;
	}
}

TEST(Tick, LongTimesDoNotOverflow)
{
	struct tick_rate r = tick_rate_of(3000000000ULL);
	uint64_t year_ns = 31536000000000000ULL;

	EXPECT_NEAR((double)tick_to_ns(&r, tick_from_ns(&r, year_ns)) / (double)year_ns, 1.0, 1e-9);
}

/* Against a window of its own: two calibrations of the same machine agree to 200 ppm even on a
 * busy host, where rte_get_tsc_hz() was 1900 ppm off. */
TEST(Tick, CalibrationAgreesWithTheRawClock)
{
	struct tick_stamp a;
	struct tick_stamp b;
	struct tick_rate r;
	double hz;

	tick_stamp_read(&a);
	r = tick_calibrate(20000000);
	tick_stamp_read(&b);
	hz = (double)(b.tsc - a.tsc) * 1e9 / (double)(b.raw_ns - a.raw_ns);
	EXPECT_GE(b.raw_ns - a.raw_ns, 20000000u);
	EXPECT_NEAR((double)r.hz / hz, 1.0, 200e-6);
	EXPECT_GT(a.realtime_ns, 1600000000ULL * 1000000000ULL);
}
