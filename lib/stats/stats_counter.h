/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Counter tables. A module lists its counters once:
 *   #define TCP_COUNTERS(X) X(opens, COUNTER_SUM, "1", "connections opened by us") ...
 * and from it come the struct, the metric names, doc/metrics.rst and every output.
 * OWNER writes its own struct; everybody else reads copies made by the owner (snapshot).
 */
#ifndef STATS_COUNTER_H
#define STATS_COUNTER_H

#include <stdint.h>

enum counter_kind {
	COUNTER_SUM, /* grows; a window shows the difference; lanes add up */
	COUNTER_LEVEL, /* value now; lanes add up */
	COUNTER_MAX, /* largest in the window: the owner zeroes it at each snapshot */
};

enum counter_severity {
	COUNTER_INFO,
	COUNTER_WARN, /* something to look at when not zero */
	COUNTER_ERROR, /* the generator or its port lost something */
};

struct counter_desc {
	const char *name;
	const char *unit; /* "1", "bytes", "us", "tsc" */
	const char *help; /* one sentence, no full stop */
	uint8_t kind;
	uint8_t severity;
};

#define COUNTER_FIELD(name, kind, severity, unit, help) uint64_t name;
#define COUNTER_DESC(name, kind, severity, unit, help) {#name, unit, help, kind, severity},

/** One module's table within an array of values. */
struct counter_set {
	const char *module;
	const struct counter_desc *desc;
	uint32_t n;
	uint32_t first; /* index of its first value in the array */
};

#endif
