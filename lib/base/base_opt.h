/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Option tables: one row defines name, kind, range, default and help; parsing, --help, doc and the
 * configuration banner are made from it. `--name value` or `--name=value`; `_` and `-` are the same
 * in names. PURE: results go to a caller's struct by offset.
 */
#ifndef BASE_OPT_H
#define BASE_OPT_H

#include <stdint.h>
#include <stdio.h>
#include "base_err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum opt_kind {
	OPT_FLAG, /* bool: --x, --x on|off|yes|no|true|false|1|0 after '=' only */
	OPT_COUNT, /* uint64_t */
	OPT_INT, /* int64_t */
	OPT_FLOAT, /* double */
	OPT_TIME, /* uint64_t ns */
	OPT_SIZE, /* uint64_t bytes */
	OPT_RATE, /* double per second */
	OPT_SHARE, /* double 0..1 */
	OPT_TEXT, /* const char * into argv */
	OPT_CHOICE, /* int: index in `choices`, separated by '|'; -1 while unset */
	OPT_LIST, /* struct opt_list: every occurrence is kept */
};

#define OPT_LIST_MAX 64
struct opt_list {
	uint32_t n;
	const char *v[OPT_LIST_MAX];
};

struct opt_row {
	const char *name; /* with '_' */
	enum opt_kind kind;
	uint32_t offset; /* in the result struct */
	uint32_t set_offset; /* of a bool "was given", 0 = none (offset 0 is never a flag) */
	double min; /* range of the number in its unit's base; min == max: no range */
	double max;
	const char *value; /* default, as text the option's parser takes; NULL = unset */
	const char *arg; /* metavariable for help, e.g. "TIME" */
	const char *choices; /* OPT_CHOICE */
	const char *commands; /* blank-separated commands it belongs to */
	const char *group; /* heading in help and doc */
	const char *help; /* one sentence, no full stop */
};

struct opt_table {
	const struct opt_row *rows;
	uint32_t n;
};

/** Write every default of `command`'s rows into `result` (no default: 0, NULL, -1, empty list), and
 * clear "was given". A name may have several rows as long as their commands differ. Fails only when
 * the table itself is wrong. */
int opt_defaults(const struct opt_table *t, const char *command, void *result, struct err *e);

/** Parse argv[0..argc). Unknown name (with the nearest known one named), missing value, value out
 * of range, an option of another command, or a stray word is a usage error. */
int opt_parse(const struct opt_table *t, const char *command, int argc, char *const *argv,
	void *result, struct err *e);

/** Help of one command: groups, names, metavariables, defaults, ranges. */
void opt_help(const struct opt_table *t, const char *command, FILE *f);

/** reStructuredText of all rows: doc/options.rst is this output. */
void opt_doc(const struct opt_table *t, FILE *f);

/** Current value of a row as text that parses back; "<none>" when unset. */
int opt_text(const struct opt_row *r, const void *result, char *buf, unsigned int size);

#ifdef __cplusplus
}
#endif
#endif
