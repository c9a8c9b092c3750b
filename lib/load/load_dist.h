/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Distributions of sizes, times and counts, with PGL's names: const, unif, exp, norm, logn, zipf.
 * A draw is a pure function of (key, n). PURE.
 */
#ifndef LOAD_DIST_H
#define LOAD_DIST_H

#include "base_err.h"
#include "base_rng.h"

#ifdef __cplusplus
extern "C" {
#endif

enum dist_kind {
	DIST_NONE, /* unset */
	DIST_CONST, /* a */
	DIST_UNIF, /* whole values a..b, each as likely */
	DIST_EXP, /* mean a */
	DIST_NORM, /* mean a, standard deviation b; negative draws become 0 */
	DIST_LOGN, /* mean a, standard deviation b of the values, not of their logarithms */
	DIST_ZIPF, /* 1..a: floor((a + 1)^U) */
};

/** What a draw counts: decides which units the text may carry. */
enum dist_unit {
	DIST_COUNT,
	DIST_TIME_NS,
	DIST_SIZE_BYTES
};

struct dist {
	uint8_t kind;
	uint8_t unit;
	double a;
	double b;
	double mu; /* private: logn's parameters */
	double sigma;
};

/** `13KB`, `const:13KB`, `exp:13KB`, `unif:1KB,8KB`, `norm:3s,1.5s`, `logn:25KB,10KB`, `zipf:64`;
 * also PGL's form exp(13KB). A bare number is const. */
int dist_parse(const char *s, enum dist_unit unit, struct dist *d, struct err *e, const char *what);
/** PGL form: exp(13KB). @return length as snprintf. */
int dist_text(const struct dist *d, char *buf, unsigned int size);
/** Draw number n. Never negative. */
double dist_at(const struct dist *d, uint64_t key, uint64_t n);
/** Mean of the draws: norm's is of max(0, x). */
double dist_mean(const struct dist *d);
/** No draw is above it. For exp, norm and logn it is what 53 random bits can reach: a mean and 36
 * means, a mean and 8.6 deviations (of the logarithm for logn). */
double dist_bound(const struct dist *d);

#ifdef __cplusplus
}
#endif
#endif
