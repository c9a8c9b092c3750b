/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Checked numbers with units, as users of Web Polygraph and PGL type them: 10sec, 250ms, 13KB,
 * 400/sec, 55% or 55p. KB = 1024 bytes. Range and overflow are errors, never wrap.
 * PURE. Each parses the whole string; @return 0, or -EINVAL / -ERANGE with nothing written.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** 1*DIGIT with optional k, M, G (powers of 1000). No sign. */
int num_count_parse(const char *s, uint64_t *v);
/** Signed decimal integer. */
int num_int_parse(const char *s, int64_t *v);
/** Decimal fraction: 1, 1.5, .5; no exponent, no inf or nan. */
int num_float_parse(const char *s, double *v);
/** Time with unit (us ms msec sec s min hour hr day year, also ns); a bare unit is 1 of it. A bare
 * number is refused unless it is 0. Result in ns. */
int num_time_parse(const char *s, uint64_t *ns);
/** Size with unit (bit Byte B Kb KB Mb MB Gb GB; 1024-based); a bare number is bytes. */
int num_size_parse(const char *s, uint64_t *bytes);
/** Rate: COUNT/TIMEUNIT such as 400/sec, 0.4/sec, 10k/sec, 90/min; a bare number is per second. */
int num_rate_parse(const char *s, double *per_sec);
/** Share: 55%, 55p or 0.55; result 0..1. */
int num_share_parse(const char *s, double *share);

/** Canonical texts, parse back to the same value. @return length as snprintf. */
int num_time_text(uint64_t ns, char *buf, unsigned int size);
int num_size_text(uint64_t bytes, char *buf, unsigned int size);
int num_rate_text(double per_sec, char *buf, unsigned int size);
int num_share_text(double share, char *buf, unsigned int size);

#ifdef __cplusplus
}
#endif
#endif
