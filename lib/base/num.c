/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base_bytes.h"
#include "base_num.h"

/* A decimal fraction kept exact: times and sizes are multiplied by their unit in integers, so that
 * 0.1sec is 100,000,000 ns and not a neighbour of it. */
struct num_dec {
	uint64_t whole;
	uint64_t frac; /* numerator over scale */
	uint64_t scale; /* power of 10, at most 10^18: further digits are below any unit here */
};

struct num_unit {
	const char *name;
	uint64_t factor;
};

/* Longest time is what uint64_t holds in ns: 584 years. */
static const struct num_unit num_time_units[] = {
	{"year", 365 * 86400 * 1000000000ULL},
	{"day", 86400 * 1000000000ULL},
	{"hour", 3600 * 1000000000ULL},
	{"hr", 3600 * 1000000000ULL},
	{"min", 60 * 1000000000ULL},
	{"sec", 1000000000ULL},
	{"s", 1000000000ULL},
	{"msec", 1000000ULL},
	{"ms", 1000000ULL},
	{"usec", 1000ULL},
	{"us", 1000ULL},
	{"nsec", 1ULL},
	{"ns", 1ULL},
};

/* In bits: Kb and KB differ by 8. */
static const struct num_unit num_size_units[] = {
	{"GB", 8ULL << 30},
	{"Gb", 1ULL << 30},
	{"MB", 8ULL << 20},
	{"Mb", 1ULL << 20},
	{"KB", 8ULL << 10},
	{"Kb", 1ULL << 10},
	{"Byte", 8},
	{"B", 8},
	{"bit", 1},
};

static bool
num_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits to a number. @return first byte after them, NULL on overflow. */
static const char *
num_digits(const char *s, uint64_t *v)
{
	*v = 0;
	for (; num_is_digit(*s); s++) {
		if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, *s - '0', v))
			return NULL;
	}
	return s;
}

/* Decimal fraction without sign or exponent. *end: first byte after it, s itself when there is no
 * number at all. */
static int
num_dec_parse(const char *s, struct num_dec *d, const char **end)
{
	const char *p;

	d->frac = 0;
	d->scale = 1;
	p = num_digits(s, &d->whole);
	if (p == NULL)
		return -ERANGE;
	if (*p != '.') {
		*end = p;
		return 0;
	}
	if (p == s && !num_is_digit(p[1]))
		return -EINVAL;
	for (p++; num_is_digit(*p); p++) {
		if (d->scale < 1000000000000000000ULL) {
			d->frac = d->frac * 10 + (uint64_t)(*p - '0');
			d->scale *= 10;
		}
	}
	*end = p;
	return 0;
}

/* d * factor / divisor, rounded to nearest. What is not 0 never becomes 0. */
static int
num_dec_scale(const struct num_dec *d, uint64_t factor, uint64_t divisor, uint64_t *v)
{
	unsigned __int128 whole = (unsigned __int128)d->whole * factor;
	/* 2^64 * 10^18 fits 128 bits; the fraction is below factor. */
	unsigned __int128 part = (unsigned __int128)d->frac * factor / d->scale;
	unsigned __int128 rest = (unsigned __int128)d->frac * factor % d->scale;
	unsigned __int128 sum = whole + part;
	unsigned __int128 r;

	if (divisor == 1)
		r = sum + (rest * 2 >= d->scale && rest != 0);
	else
		r = (sum + divisor / 2) / divisor;
	if (r > UINT64_MAX || (r == 0 && (d->whole != 0 || d->frac != 0)))
		return -ERANGE;
	*v = (uint64_t)r;
	return 0;
}

static const struct num_unit *
num_unit_find(const struct num_unit *u, unsigned int n, const char *name)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (strcmp(u[i].name, name) == 0)
			return &u[i];
	}
	return NULL;
}

int
num_count_parse(const char *s, uint64_t *v)
{
	const char *p;
	uint64_t n;
	uint64_t factor = 1;

	if (!num_is_digit(s[0]))
		return -EINVAL;
	p = num_digits(s, &n);
	if (p == NULL)
		return s[strspn(s, "0123456789")] == '\0' ? -ERANGE : -EINVAL;
	switch (*p) {
	case 'G':
		factor *= 1000; /* fall through */
	case 'M':
		factor *= 1000; /* fall through */
	case 'k':
		factor *= 1000;
		p++;
		break;
	default:
		break;
	}
	if (*p != '\0')
		return -EINVAL;
	if (__builtin_mul_overflow(n, factor, &n))
		return -ERANGE;
	*v = n;
	return 0;
}

int
num_int_parse(const char *s, int64_t *v)
{
	const bool minus = s[0] == '-';
	const char *first = s + (minus || s[0] == '+');
	const char *p;
	uint64_t n;

	if (!num_is_digit(*first))
		return -EINVAL;
	if (first[strspn(first, "0123456789")] != '\0')
		return -EINVAL;
	p = num_digits(first, &n);
	if (p == NULL || n > (uint64_t)INT64_MAX + minus)
		return -ERANGE;
	*v = minus ? (int64_t)(0 - n) : (int64_t)n;
	return 0;
}

/* Length of [+-]digits[.digits] with at least one digit, else 0. strtod() takes the value: it is
 * correctly rounded, and what it would accept beyond this form never reaches it. */
static size_t
num_float_span(const char *s)
{
	size_t i = (s[0] == '-' || s[0] == '+');
	size_t whole = strspn(s + i, "0123456789");
	size_t frac = 0;

	i += whole;
	if (s[i] == '.') {
		frac = strspn(s + i + 1, "0123456789");
		i += 1 + frac;
	}
	return whole + frac == 0 ? 0 : i;
}

static int
num_float_prefix(const char *s, double *v, const char **end)
{
	size_t n = num_float_span(s);
	double x;

	if (n == 0)
		return -EINVAL;
	x = strtod(s, NULL);
	if (s[n] == 'e' || s[n] == 'E' || s[n] == 'x' || s[n] == 'X')
		return -EINVAL; /* strtod() would have read on */
	if (!isfinite(x))
		return -ERANGE;
	*v = x;
	*end = s + n;
	return 0;
}

int
num_float_parse(const char *s, double *v)
{
	const char *end;
	double x;
	int rc = num_float_prefix(s, &x, &end);

	if (rc != 0)
		return rc;
	if (*end != '\0')
		return -EINVAL;
	*v = x;
	return 0;
}

int
num_time_parse(const char *s, uint64_t *ns)
{
	const struct num_unit *u;
	struct num_dec d;
	const char *end;
	int rc = num_dec_parse(s, &d, &end);

	if (rc != 0)
		return rc;
	if (end == s)
		d.whole = 1; /* a bare unit */
	if (*end == '\0') {
		if (end == s || d.whole != 0 || d.frac != 0)
			return -EINVAL;
		*ns = 0;
		return 0;
	}
	u = num_unit_find(num_time_units, ARRAY_LEN(num_time_units), end);
	if (u == NULL)
		return -EINVAL;
	return num_dec_scale(&d, u->factor, 1, ns);
}

int
num_size_parse(const char *s, uint64_t *bytes)
{
	static const struct num_unit byte = {"", 8};
	const struct num_unit *u = &byte;
	struct num_dec d;
	const char *end;
	int rc = num_dec_parse(s, &d, &end);

	if (rc != 0)
		return rc;
	if (*s == '\0')
		return -EINVAL;
	if (end == s)
		d.whole = 1;
	if (*end != '\0')
		u = num_unit_find(num_size_units, ARRAY_LEN(num_size_units), end);
	if (u == NULL)
		return -EINVAL;
	return num_dec_scale(&d, u->factor, 8, bytes);
}

/* What may stand after '/': a time, unit alone or with a number that is not 0. */
static int
num_rate_unit(const char *s, double *sec)
{
	uint64_t ns;
	int rc = num_time_parse(s, &ns);

	if (rc != 0)
		return rc;
	if (ns == 0)
		return -ERANGE;
	*sec = (double)ns * 1e-9;
	if (ns % 1000000000ULL == 0)
		*sec = (double)(ns / 1000000000ULL);
	return 0;
}

int
num_rate_parse(const char *s, double *per_sec)
{
	const char *p;
	double sec = 1.0;
	double x;
	int rc;

	if (s[0] == '-' || s[0] == '+')
		return -EINVAL;
	rc = num_float_prefix(s, &x, &p);
	if (rc != 0)
		return rc;
	if (*p == 'k' || *p == 'M' || *p == 'G')
		x *= *p == 'k' ? 1e3 : *p == 'M' ? 1e6 : 1e9, p++;
	if (*p == '/') {
		rc = num_rate_unit(p + 1, &sec);
		if (rc != 0)
			return rc;
	} else if (*p != '\0') {
		return -EINVAL;
	}
	x /= sec;
	if (!isfinite(x))
		return -ERANGE;
	*per_sec = x;
	return 0;
}

int
num_share_parse(const char *s, double *share)
{
	const char *p;
	double x;
	int rc;

	if (s[0] == '-' || s[0] == '+')
		return -EINVAL;
	rc = num_float_prefix(s, &x, &p);
	if (rc != 0)
		return rc;
	if ((*p == '%' || *p == 'p') && p[1] == '\0')
		x /= 100.0;
	else if (*p != '\0')
		return -EINVAL;
	if (x > 1.0)
		return -ERANGE;
	*share = x;
	return 0;
}

/* Largest of the units in which v is whole. */
static const struct num_unit *
num_unit_largest(const struct num_unit *u, unsigned int n, unsigned __int128 v)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (v % u[i].factor == 0)
			return &u[i];
	}
	return &u[n - 1];
}

int
num_time_text(uint64_t ns, char *buf, unsigned int size)
{
	const struct num_unit *u;

	if (ns == 0)
		return snprintf(buf, size, "0sec");
	/* days and years read worse than hours: start at "hour" */
	u = num_unit_largest(num_time_units + 2, ARRAY_LEN(num_time_units) - 2, ns);
	return snprintf(buf, size, "%llu%s", (unsigned long long)(ns / u->factor), u->name);
}

int
num_size_text(uint64_t bytes, char *buf, unsigned int size)
{
	static const struct num_unit units[] = {
		{"GB", 1ULL << 30}, {"MB", 1ULL << 20}, {"KB", 1ULL << 10}, {"Byte", 1}};
	const struct num_unit *u = &units[3];

	if (bytes != 0)
		u = num_unit_largest(units, ARRAY_LEN(units), bytes);
	return snprintf(buf, size, "%llu%s", (unsigned long long)(bytes / u->factor), u->name);
}

/* Shortest fixed-point text of x * scale + suffix that `parse` reads back as x. The parsers know no
 * exponent, so that a very small x needs many digits. @return false when there is none. */
static bool
num_float_text(double x, double scale, const char *suffix, int (*parse)(const char *, double *),
	char *t, unsigned int size)
{
	double back;
	int digits;

	for (digits = 0; digits <= 340; digits++) {
		if (snprintf(t, size, "%.*f%s", digits, x * scale, suffix) >= (int)size)
			return false;
		if (parse(t, &back) == 0 && back == x)
			return true;
	}
	return false;
}

int
num_rate_text(double per_sec, char *buf, unsigned int size)
{
	char t[720];

	(void)num_float_text(per_sec, 1.0, "/sec", num_rate_parse, t, sizeof(t));
	return snprintf(buf, size, "%s", t);
}

int
num_share_text(double share, char *buf, unsigned int size)
{
	char t[720];

	/* x * 100 / 100 is not x for every x: then the fraction itself is written */
	if (!num_float_text(share, 100.0, "%", num_share_parse, t, sizeof(t)))
		(void)num_float_text(share, 1.0, "", num_share_parse, t, sizeof(t));
	return snprintf(buf, size, "%s", t);
}
