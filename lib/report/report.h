/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Outputs: pure functions snapshot -> bytes. Counters are found by module and name in the snapshot's
 * own tables, never by #include of the module. CTL only; the caller owns streams and files.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>
#include "base_err.h"
#include "stats_snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Values that reports use, resolved once from the tables; -1 = absent. */
struct report_index;
struct report_index *report_index_new(const struct counter_set *sets, uint32_t n_sets);
void report_index_free(struct report_index *x);

/* Console. */

enum report_time { REPORT_TIME_EPOCH, REPORT_TIME_MINUTES };

/** Time column: epoch seconds with microseconds, or minutes since start. */
int report_time_text(enum report_time kind, uint64_t utc_ns, double since_start_s, char *buf,
	unsigned int size);
/** `i-dflt   4126  825.18    1   0.00   0    1` (columns 1-7 of Polygraph), without the time. For a
 * phase row `p-NAME`, no socket column. */
int report_console_line(const struct report_index *x, const struct snapshot *s, char *buf,
	unsigned int size);
/** Our own line per interval: rates scheduled/sent/completed, late, p50/p99/p99.9 of response time. */
int report_own_line(const struct report_index *x, const struct snapshot *s, char *buf,
	unsigned int size);

/* Verdict, first form. */

enum verdict { VERDICT_VALID, VERDICT_DEGRADED, VERDICT_INVALID };

struct report_verdict {
	enum verdict overall;
	enum verdict accounting;
	enum verdict rate;
	char why[512]; /* the rules that struck, with numbers; empty when valid */
};
/** From the run's snapshot (all scopes summed). @param open_loop rate is judged only then. */
void report_verdict_make(const struct report_index *x, const struct snapshot *run, bool open_loop,
	struct report_verdict *v);

/** Final summary: verdict first, then offered/sent/completed/failed/dropped with every non-zero class,
 * the three times, connect and TTFB, connections, bytes, warnings of counters. */
void report_summary(const struct report_index *x, const struct snapshot *run,
	const struct report_verdict *v, bool open_loop, FILE *f);

/* CSV (../csv.md in the project's doc): interval file and counters, long form. */

struct report_csv;
/** Opens and writes the header. @return NULL with *e filled (exists already: refused). */
struct report_csv *report_csv_open(const char *path, const struct report_index *x,
	const char *run_id, const char *host, struct err *e);
/** Rows of a snapshot: all, then each scope. One write(2) per line. @return 0 or -errno (disk full: the
 * caller marks the results incomplete and goes on). */
int report_csv_rows(struct report_csv *c, const struct snapshot *s, const struct report_verdict *v);
int report_csv_close(struct report_csv *c);

struct report_counters;
struct report_counters *report_counters_open(const char *path, struct err *e);
int report_counters_rows(struct report_counters *c, const struct snapshot *s);
int report_counters_close(struct report_counters *c);

/* Documents made from the tables. */
void report_metrics_doc(const struct counter_set *sets, uint32_t n_sets, FILE *f);

#ifdef __cplusplus
}
#endif
#endif
