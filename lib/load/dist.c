/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base_bytes.h"
#include "base_num.h"
#include "load_dist.h"

#define DIST_TEXT_MAX 200
/* rng_unit() is never below 2^-53: what its logarithm and Box-Muller's radius can reach. */
#define DIST_EXP_REACH (53.0 * M_LN2)
#define DIST_NORM_REACH 8.5717

static const struct dist_name {
	const char *name;
	uint8_t n_args;
} dist_names[] = {
	[DIST_CONST] = {"const", 1},
	[DIST_UNIF] = {"unif", 2},
	[DIST_EXP] = {"exp", 1},
	[DIST_NORM] = {"norm", 2},
	[DIST_LOGN] = {"logn", 2},
	[DIST_ZIPF] = {"zipf", 1},
};

static const char *const dist_examples[] = {
	[DIST_COUNT] = "a count or a distribution of counts such as 16, unif:1,8 or zipf:64",
	[DIST_TIME_NS] =
		"a time or a distribution of times such as 2.5sec, exp:13ms or norm:3s,1.5s",
	[DIST_SIZE_BYTES] =
		"a size or a distribution of sizes such as 13KB, exp:13KB or logn:25KB,10KB",
};

static int
dist_value_parse(const char *s, enum dist_unit unit, double *v)
{
	uint64_t n;
	int rc;

	switch (unit) {
	case DIST_TIME_NS:
		rc = num_time_parse(s, &n);
		break;
	case DIST_SIZE_BYTES:
		rc = num_size_parse(s, &n);
		break;
	default:
		rc = num_count_parse(s, &n);
		if (rc == -EINVAL && s[0] != '-' && s[0] != '+')
			return num_float_parse(s, v);
		break;
	}
	if (rc == 0)
		*v = (double)n;
	return rc;
}

/* Cut `name:args` or `name(args)` apart, in place. A text without either is const. */
static int
dist_split(char *s, enum dist_kind *kind, char **args)
{
	size_t n = strcspn(s, ":(");
	size_t end = strlen(s);
	unsigned int k;

	*kind = DIST_CONST;
	*args = s;
	if (s[n] == '\0')
		return 0;
	if (s[n] == '(') {
		if (s[end - 1] != ')')
			return -EINVAL;
		s[end - 1] = '\0';
	}
	s[n] = '\0';
	*args = s + n + 1;
	for (k = DIST_CONST; k < ARRAY_LEN(dist_names); k++) {
		if (strcmp(dist_names[k].name, s) == 0) {
			*kind = (enum dist_kind)k;
			return 0;
		}
	}
	return -EINVAL;
}

/* Exactly n values between commas; blanks after a comma are PGL's habit. */
static int
dist_args_parse(char *s, enum dist_unit unit, unsigned int n, double v[2])
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		char *comma = strchr(s, ',');
		int rc;

		if ((comma != NULL) != (i + 1 < n))
			return -EINVAL;
		if (comma != NULL)
			*comma = '\0';
		rc = dist_value_parse(s, unit, &v[i]);
		if (rc != 0)
			return rc;
		s = comma != NULL ? comma + 1 + strspn(comma + 1, " ") : s;
	}
	return 0;
}

static bool
dist_whole(double v)
{
	return v == floor(v);
}

/* What the values of this kind must be; NULL when they are. */
static const char *
dist_objection(const struct dist *d)
{
	switch (d->kind) {
	case DIST_CONST:
		return dist_whole(d->a) ? NULL : "a constant must be a whole number";
	case DIST_UNIF:
		if (!dist_whole(d->a) || !dist_whole(d->b))
			return "bounds must be whole numbers";
		return d->a <= d->b ? NULL : "the lower bound must not be above the upper one";
	case DIST_LOGN:
		return d->a > 0 ? NULL : "the mean of a log-normal must be above 0";
	case DIST_ZIPF:
		if (d->unit == DIST_TIME_NS)
			return "zipf counts: it does not make times";
		return d->a >= 1 && dist_whole(d->a) ? NULL : "zipf needs a whole number from 1 on";
	default:
		return NULL;
	}
}

/* Parameters of the logarithm from mean and deviation of the values. */
static void
dist_logn_prepare(struct dist *d)
{
	double cv = d->b / d->a;

	d->sigma = sqrt(log1p(cv * cv));
	d->mu = log(d->a) - d->sigma * d->sigma / 2;
}

int
dist_parse(const char *s, enum dist_unit unit, struct dist *d, struct err *e, const char *what)
{
	struct dist r = {.unit = (uint8_t)unit};
	char copy[DIST_TEXT_MAX];
	enum dist_kind kind;
	const char *objection;
	double v[2] = {0, 0};
	char *args;
	int rc;

	if (strlen(s) >= sizeof(copy))
		return err_usage(e, what, s, "%s", dist_examples[unit]);
	strcpy(copy, s);
	rc = dist_split(copy, &kind, &args);
	if (rc == 0)
		rc = dist_args_parse(args, unit, dist_names[kind].n_args, v);
	if (rc != 0)
		return err_usage(e, what, s[0] == '\0' ? "(empty)" : s, "%s", dist_examples[unit]);
	r.kind = (uint8_t)kind;
	r.a = v[0];
	r.b = v[1];
	objection = dist_objection(&r);
	if (objection != NULL)
		return err_usage(e, what, s, "%s", objection);
	if (kind == DIST_LOGN)
		dist_logn_prepare(&r);
	*d = r;
	return 0;
}

/* Shortest fixed-point text that reads back. */
static void
dist_count_text(double v, char *buf, unsigned int size)
{
	double back;
	int digits;

	for (digits = 0; digits < 340; digits++) {
		(void)snprintf(buf, size, "%.*f", digits, v);
		if (num_float_parse(buf, &back) == 0 && back == v)
			return;
	}
}

static void
dist_value_text(const struct dist *d, double v, char *buf, unsigned int size)
{
	switch (d->unit) {
	case DIST_TIME_NS:
		(void)num_time_text((uint64_t)v, buf, size);
		break;
	case DIST_SIZE_BYTES:
		(void)num_size_text((uint64_t)v, buf, size);
		break;
	default:
		dist_count_text(v, buf, size);
		break;
	}
}

int
dist_text(const struct dist *d, char *buf, unsigned int size)
{
	char a[400];
	char b[400];

	if (d->kind == DIST_NONE)
		return snprintf(buf, size, "undef()");
	dist_value_text(d, d->a, a, sizeof(a));
	if (dist_names[d->kind].n_args == 1)
		return snprintf(buf, size, "%s(%s)", dist_names[d->kind].name, a);
	dist_value_text(d, d->b, b, sizeof(b));
	return snprintf(buf, size, "%s(%s, %s)", dist_names[d->kind].name, a, b);
}

/* Standard normal variate by Box-Muller from values 2n and 2n + 1 of the stream. */
static double
dist_gauss(uint64_t key, uint64_t n)
{
	double r = sqrt(-2 * log(rng_unit(rng_at(key, 2 * n))));

	return r * cos(2 * M_PI * rng_unit(rng_at(key, 2 * n + 1)));
}

double
dist_at(const struct dist *d, uint64_t key, uint64_t n)
{
	double v;

	switch (d->kind) {
	case DIST_CONST:
		return d->a;
	case DIST_UNIF:
		/* whole values, each as likely as the others; 1 - u is in [0, 1) */
		v = d->a + floor((d->b - d->a + 1) * (1 - rng_unit(rng_at(key, n))));
		return v < d->b ? v : d->b;
	case DIST_EXP:
		return -d->a * log(rng_unit(rng_at(key, n)));
	case DIST_NORM:
		v = d->a + d->b * dist_gauss(key, n);
		return v > 0 ? v : 0;
	case DIST_LOGN:
		return exp(d->mu + d->sigma * dist_gauss(key, n));
	case DIST_ZIPF:
		v = floor(exp(log1p(d->a) * (1 - rng_unit(rng_at(key, n)))));
		return v < d->a ? v : d->a;
	default:
		return 0;
	}
}

double
dist_mean(const struct dist *d)
{
	double z;

	switch (d->kind) {
	case DIST_UNIF:
		return (d->a + d->b) / 2;
	case DIST_NORM:
		/* of max(0, X): the part that is cut off at 0 lifts the mean */
		if (d->b == 0)
			return d->a;
		z = d->a / d->b;
		return d->a * 0.5 * erfc(-z * M_SQRT1_2) +
		       d->b * exp(-z * z / 2) * (0.5 * M_2_SQRTPI * M_SQRT1_2);
	case DIST_ZIPF:
		/* sum of k (ln(k + 1) - ln k) / ln(N + 1) */
		return (d->a * log1p(d->a) - lgamma(d->a + 1)) / log1p(d->a);
	default:
		return d->a;
	}
}

double
dist_bound(const struct dist *d)
{
	switch (d->kind) {
	case DIST_UNIF:
		return d->b;
	case DIST_EXP:
		return d->a * DIST_EXP_REACH;
	case DIST_NORM:
		return d->a + d->b * DIST_NORM_REACH;
	case DIST_LOGN:
		return exp(d->mu + d->sigma * DIST_NORM_REACH);
	default:
		return d->a;
	}
}
