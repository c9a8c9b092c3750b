/* SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "load_dist.h"

namespace
{

dist
parsed(const char *s, dist_unit unit)
{
	dist d = {};
	err e = {};

	EXPECT_EQ(dist_parse(s, unit, &d, &e, "x"), 0) << s << ": " << e.allowed;
	return d;
}

std::string
text(const dist &d)
{
	char buf[800];

	dist_text(&d, buf, sizeof(buf));
	return buf;
}

std::string
refusal(const char *s, dist_unit unit)
{
	dist d = {};
	err e = {};

	d.kind = 77;
	EXPECT_EQ(dist_parse(s, unit, &d, &e, "--x"), -EINVAL) << s;
	EXPECT_EQ(d.kind, 77) << s;
	EXPECT_EQ(e.exit_code, EXIT_CODE_USAGE) << s;
	return e.allowed;
}

std::vector<double>
draws(const dist &d, uint64_t key, size_t n)
{
	std::vector<double> v(n);

	for (size_t i = 0; i < n; i++)
		v[i] = dist_at(&d, key, i);
	return v;
}

double
mean_of(const std::vector<double> &v)
{
	double sum = 0;

	for (double x : v)
		sum += x;
	return sum / (double)v.size();
}

double
deviation_of(const std::vector<double> &v)
{
	double m = mean_of(v), sum = 0;

	for (double x : v)
		sum += (x - m) * (x - m);
	return sqrt(sum / (double)v.size());
}

/* Kolmogorov-Smirnov: largest distance times root of n; above 1.95 has probability 0.001. */
template <class F>
double
ks(std::vector<double> v, F cdf)
{
	double d = 0;
	size_t n = v.size();

	std::sort(v.begin(), v.end());
	for (size_t i = 0; i < n; i++) {
		double f = cdf(v[i]);

		d = std::max(d, std::max(f - (double)i / n, (double)(i + 1) / n - f));
	}
	return d * sqrt((double)n);
}

double
phi(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

const size_t N = 50000;
const double KS_LIMIT = 1.95;

} // namespace

TEST(dist, texts_of_both_forms_parse_to_the_same)
{
	const struct {
		const char *colon, *pgl;
		dist_unit unit;
	} t[] = {
		{"13KB", "const(13KB)", DIST_SIZE_BYTES},
		{"const:13KB", "const(13KB)", DIST_SIZE_BYTES},
		{"exp:13KB", "exp(13KB)", DIST_SIZE_BYTES},
		{"unif:1KB,8KB", "unif(1KB, 8KB)", DIST_SIZE_BYTES},
		{"norm:3s,1.5s", "norm(3sec, 1500msec)", DIST_TIME_NS},
		{"logn:25KB,10KB", "logn(25KB, 10KB)", DIST_SIZE_BYTES},
		{"zipf:64", "zipf(64)", DIST_COUNT},
		{"exp:12.5", "exp(12.5)", DIST_COUNT},
		{"10k", "const(10000)", DIST_COUNT},
		{"0", "const(0sec)", DIST_TIME_NS},
	};

	for (const auto &c : t) {
		dist a = parsed(c.colon, c.unit);
		dist b = parsed(text(a).c_str(), c.unit);

		EXPECT_EQ(text(a), c.pgl);
		EXPECT_EQ(a.kind, b.kind);
		EXPECT_EQ(a.a, b.a);
		EXPECT_EQ(a.b, b.b);
		EXPECT_EQ(a.mu, b.mu);
		EXPECT_EQ(a.sigma, b.sigma);
	}
	EXPECT_EQ(text(dist{}), "undef()");
}

TEST(dist, bad_texts_are_refused_and_write_nothing)
{
	for (const char *s : {"", "exp", "exp:", "exp:13KB,1KB", "unif:1KB", "unif:1,2,3",
		     "exp(13KB", "exp:13KB)", "tri:1,2", "EXP:1KB", "13XB", "-1", "exp:-1KB",
		     "norm:1KB,", ":1", "("})
		EXPECT_NE(refusal(s, DIST_SIZE_BYTES).find("a size or a distribution of sizes"),
			std::string::npos)
			<< s;
	EXPECT_NE(refusal("5", DIST_TIME_NS).find("a time or"), std::string::npos);
	EXPECT_NE(refusal("1.x", DIST_COUNT).find("a count or"), std::string::npos);
	EXPECT_EQ(refusal("unif:8KB,1KB", DIST_SIZE_BYTES),
		"the lower bound must not be above the upper one");
	EXPECT_EQ(refusal("unif:1.5,8", DIST_COUNT), "bounds must be whole numbers");
	EXPECT_EQ(refusal("1.5", DIST_COUNT), "a constant must be a whole number");
	EXPECT_EQ(refusal("logn:0,5", DIST_COUNT), "the mean of a log-normal must be above 0");
	EXPECT_EQ(refusal("zipf:0", DIST_COUNT), "zipf needs a whole number from 1 on");
	EXPECT_EQ(refusal("zipf:1sec", DIST_TIME_NS), "zipf counts: it does not make times");
	EXPECT_NE(refusal(std::string(300, '1').c_str(), DIST_COUNT), "");
}

TEST(dist, a_draw_is_a_function_of_key_and_number)
{
	for (const char *s : {"unif:1,1000000", "exp:1000", "norm:1000,100", "logn:1000,500"}) {
		dist d = parsed(s, DIST_COUNT);

		EXPECT_EQ(dist_at(&d, 5, 77), dist_at(&d, 5, 77)) << s;
		EXPECT_NE(dist_at(&d, 5, 77), dist_at(&d, 5, 78)) << s;
		EXPECT_NE(dist_at(&d, 5, 77), dist_at(&d, 6, 77)) << s;
	}
}

TEST(dist, exponential_draws_fit)
{
	dist d = parsed("exp:13KB", DIST_SIZE_BYTES);

	for (uint64_t key : {1u, 2u, 3u})
		EXPECT_LT(ks(draws(d, key, N), [&](double x) { return 1 - exp(-x / d.a); }),
			KS_LIMIT);
}

TEST(dist, normal_draws_fit)
{
	dist d = parsed("norm:1000,100", DIST_COUNT);

	for (uint64_t key : {1u, 2u, 3u})
		EXPECT_LT(ks(draws(d, key, N), [&](double x) { return phi((x - 1000) / 100); }),
			KS_LIMIT);
}

TEST(dist, lognormal_draws_fit_and_have_the_stated_mean_and_deviation)
{
	dist d = parsed("logn:25000,10000", DIST_COUNT);
	std::vector<double> v = draws(d, 4, 200000);

	EXPECT_LT(ks(v, [&](double x) { return phi((log(x) - d.mu) / d.sigma); }), KS_LIMIT);
	EXPECT_NEAR(mean_of(v), 25000, 100);
	EXPECT_NEAR(deviation_of(v), 10000, 150);
}

TEST(dist, uniform_draws_hit_each_whole_value_equally)
{
	dist d = parsed("unif:3,12", DIST_COUNT);
	std::vector<int> cell(10);
	double chi = 0;

	for (double x : draws(d, 9, N)) {
		ASSERT_EQ(x, floor(x));
		ASSERT_GE(x, 3);
		ASSERT_LE(x, 12);
		cell[(int)x - 3]++;
	}
	for (int c : cell)
		chi += (c - N / 10.0) * (c - N / 10.0) / (N / 10.0);
	EXPECT_LT(chi, 27.9); /* 9 degrees of freedom, p = 0.001 */
}

TEST(dist, zipf_draws_fit_its_law)
{
	dist d = parsed("zipf:64", DIST_COUNT);
	std::vector<int> cell(65);
	double chi = 0;

	for (double x : draws(d, 11, N)) {
		ASSERT_GE(x, 1);
		ASSERT_LE(x, 64);
		cell[(int)x]++;
	}
	for (int k = 1; k <= 64; k++) {
		double want = N * (log(k + 1.0) - log((double)k)) / log(65.0);

		chi += (cell[k] - want) * (cell[k] - want) / want;
	}
	EXPECT_LT(chi, 103.4); /* 63 degrees of freedom, p = 0.001 */
}

TEST(dist, means_are_those_of_the_draws)
{
	for (const char *s : {"7", "unif:1,8", "exp:13000", "norm:3000,1500", "norm:100,300",
		     "logn:25000,10000", "zipf:64", "zipf:1", "zipf:100000"}) {
		dist d = parsed(s, DIST_COUNT);
		std::vector<double> v = draws(d, 21, 200000);
		double error = 5 * deviation_of(v) / sqrt((double)v.size()) + 1e-9;

		EXPECT_NEAR(mean_of(v), dist_mean(&d), error) << s;
	}
}

TEST(dist, no_draw_is_negative_or_above_the_bound)
{
	for (const char *s : {"0", "7", "unif:0,8", "exp:13000", "exp:0", "norm:100,3000",
		     "norm:5,0", "logn:2,50", "zipf:64"}) {
		dist d = parsed(s, DIST_COUNT);

		for (double x : draws(d, 31, N)) {
			ASSERT_GE(x, 0) << s;
			ASSERT_LE(x, dist_bound(&d)) << s;
		}
	}
	/* the smallest and largest that the generator can make */
	dist d = parsed("exp:1", DIST_COUNT);
	EXPECT_GE(dist_bound(&d), -log(0x1.0p-53));
	d = parsed("norm:0,1", DIST_COUNT);
	EXPECT_GE(dist_bound(&d), sqrt(-2 * log(0x1.0p-53)));
}
