/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * One error of set-up: what was asked, the value given, what is allowed, and the exit code.
 * Not for the data path (named counters) and not for the impossible (base_assert.h).
 * PURE: the caller owns the struct; the first error wins until err_clear().
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#ifdef __cplusplus
extern "C" {
#endif

/** Exit codes of the program; the first that applies of 2, 3, 130, 5, 4, 1, 0. */
enum exit_code {
	EXIT_CODE_GOOD = 0,
	EXIT_CODE_GOAL = 1, /* a goal or threshold was missed */
	EXIT_CODE_USAGE = 2, /* usage or configuration */
	EXIT_CODE_SETUP = 3, /* EAL, port, memory, neighbour */
	EXIT_CODE_INVALID = 4, /* the run is invalid */
	EXIT_CODE_INCOMPLETE = 5, /* results incomplete (disk full) */
	EXIT_CODE_SIGNAL = 130, /* ended by a signal with goals unmet */
};

struct err {
	int exit_code; /* 0 while nothing happened */
	char what[160];
	char value[160];
	char allowed[240];
};

/** Forget what happened. */
void err_clear(struct err *e);

/**
 * Record a usage error: option or field, value as given, allowed range. Any of value and allowed
 * may be NULL. @return -EINVAL, always, so that callers can return the call.
 */
int err_usage(struct err *e, const char *what, const char *value, const char *allowed_fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** Record a set-up error. @param errnum positive errno. @return -errnum. */
int err_setup(struct err *e, int errnum, const char *what, const char *value,
	const char *allowed_fmt, ...) __attribute__((format(printf, 5, 6)));

/** Text `what: 'value': allowed` without line end. @return length as snprintf. */
int err_text(const struct err *e, char *buf, unsigned int size);

#ifdef __cplusplus
}
#endif
#endif
