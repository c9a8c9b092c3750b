/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Outputs: pure functions snapshot -> bytes. Counters are found by module and name in the
 * snapshot's own tables, never by #include of the module. CTL only; the caller owns streams and
 * files.
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

enum report_time {
	REPORT_TIME_EPOCH,
	REPORT_TIME_MINUTES
};

/** Time column, without the bar that follows it: epoch seconds with microseconds, or minutes since
 * start (NNN.NN). These three return the length of the text as snprintf does. */
int report_time_text(
	enum report_time kind, uint64_t utc_ns, double since_start_s, char *buf, unsigned int size);
/** `i-dflt   4126 825.18      1   0.00   0    1` (columns 1-7 of Polygraph, its widths), without
 * the time: successful transactions since start, finished/s, mean response ms (due -> last byte),
 * hit %, failed and dropped in the window, open connections. -1 and -1.00: no data. A server's
 * sockets count its listener. For a phase row `p-NAME`, no socket column. */
int report_console_line(
	const struct report_index *x, const struct snapshot *s, char *buf, unsigned int size);
/** Our own line per interval: rates scheduled/sent/completed, late, p50/p99/p99.9 of response time
 * (n/a when the window has too few samples); on a server requests, replies, connections, Mbit/s. */
int report_own_line(
	const struct report_index *x, const struct snapshot *s, char *buf, unsigned int size);

/* Verdict, first form. */

enum verdict {
	VERDICT_VALID,
	VERDICT_DEGRADED,
	VERDICT_INVALID
};

struct report_verdict {
	enum verdict overall;
	enum verdict accounting;
	enum verdict rate;
	bool rate_judged; /* open loop on a client; else `rate` says nothing */
	char rules[32]; /* "V1;V7"; empty when valid */
	char why[512]; /* the rules that struck, with numbers; empty when valid */
};
/** From the run's snapshot (all scopes summed). @param open_loop rate is judged only then.
 * V7: the identities of the counters, else invalid. V1: sent >= 99.9 % of what was scheduled, else
 * invalid; what still waited at the stop is excused up to a last instant (20 ms, or twice the
 * longest stall of a lane); up to what fell due while the host ran something else (stalled_tsc) it
 * is degraded: so neither the end of a run nor the host makes it invalid. V6 and V18 (losses at our
 * port, lost samples): degraded. */
void report_verdict_make(const struct report_index *x, const struct snapshot *run, bool open_loop,
	struct report_verdict *v);

/** Final summary, at most 40 lines: verdict first, then offered/sent/completed/failed/dropped with
 * every non-zero class, the three times, connect and TTFB, connections, bytes, warnings of
 * counters. Counts are totals since start, rates those of the run's window. */
void report_summary(const struct report_index *x, const struct snapshot *run,
	const struct report_verdict *v, bool open_loop, FILE *f);

const char *report_verdict_name(enum verdict v);

/* CSV: interval file and counters, long form; doc/csv.rst. Both are RFC 4180 (CRLF), made new: a
 * path that exists is refused unless it is a device or a pipe. One write(2) per line, a line that
 * did not fit is taken back. Columns of the plan for later schemas that are absent now, with the
 * reason:
 * - offered_dhr_pct, dhr_pct, offered_bhr_pct, bhr_pct, dhr_sides_pct, false_hits, stale_objects,
 *   content_errors, revalidations_304: no cache model yet (hits, misses, offered_hits are counted);
 * - link_mbit_per_s, link_util_pct, rx_pause_frames, tx_pause_frames: no such value of a port;
 * - cpu_share_pct, mbuf_used_max_pct: no thread time and no pool size in the snapshot;
 * - probe_*: no probes. */

struct report_csv;
/** Opens and writes the header. x must outlive it. @return NULL with *e filled (exists already:
 * refused as usage). */
struct report_csv *report_csv_open(const char *path, const struct report_index *x,
	const char *run_id, const char *host, struct err *e);
/** Rows of a snapshot: all, then each scope. One write(2) per line. @return 0 or -errno (disk full:
 * the caller marks the results incomplete and goes on). */
int report_csv_rows(struct report_csv *c, const struct snapshot *s, const struct report_verdict *v);
int report_csv_close(struct report_csv *c);

/** Every counter of every module and scope, zero or not. Rows of intervals, of the run and its end;
 * a window that ends when the last one did adds nothing, and `delta` of a sum is its growth since
 * the counter's previous row: so deltas add up to the total and (t_end_s, role, scope, module,
 * counter) is a key. Phases are not written, their ends lie between those of intervals. */
struct report_counters;
struct report_counters *report_counters_open(const char *path, struct err *e);
int report_counters_rows(struct report_counters *c, const struct snapshot *s);
int report_counters_close(struct report_counters *c);

/* Documents made from the tables, reStructuredText. */

/** Every counter by module, then the columns of the CSV that are not counters. */
void report_metrics_doc(const struct counter_set *sets, uint32_t n_sets, FILE *f);
/** The columns of the interval file: the table in doc/csv.rst. */
void report_csv_doc(FILE *f);

#ifdef __cplusplus
}
#endif
#endif
