/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Shared by the outputs of report/: text without locale, the counters that reports use, marginals
 * of the cells, the file that takes one line per write, and the CSV's column table. CTL only.
 */
#ifndef REPORT_PRIV_H
#define REPORT_PRIV_H

#include <stdbool.h>
#include <sys/types.h>
#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Text. Numbers never pass through printf's %f: its decimal point follows the locale. */

/** Bounded text; n is the length that a large enough buffer would hold, as with snprintf. */
struct report_text {
	char *buf;
	unsigned int size;
	unsigned int n;
};

void report_text_init(struct report_text *t, char *buf, unsigned int size);
void report_text_add(struct report_text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** v with a '.' and `decimals` digits (0..9), right-aligned in width. Nothing when not finite. */
void report_text_fixed(struct report_text *t, double v, unsigned int decimals, unsigned int width);
/** Three significant digits and a unit: `0.85us`, `12.3us`, `1.20ms`, `2.05s`; right-aligned. */
void report_text_time(struct report_text *t, double ns, unsigned int width);
/** Three significant digits and a unit of 1024: `512B`, `12.3KB`. */
void report_text_size(struct report_text *t, double bytes);

/* Counters by name. RC_agent_sent is the index of one of them in report_index.x. */

#define REPORT_FAIL_COUNTERS(X) \
	X(agent, fail_refused) \
	X(agent, fail_connect_timeout) \
	X(agent, fail_reset) \
	X(agent, fail_short) \
	X(agent, fail_noreply) \
	X(agent, fail_stale) \
	X(agent, fail_parse) \
	X(agent, fail_limit) \
	X(agent, fail_timeout) \
	X(agent, fail_status) \
	X(agent, fail_content) \
	X(agent, fail_local) \
	X(agent, fail_cut)

#define REPORT_DROP_COUNTERS(X) \
	X(agent, drop_port) \
	X(agent, drop_conn) \
	X(agent, drop_mbuf) \
	X(agent, drop_queue) \
	X(agent, drop_stop)

#define REPORT_COUNTERS(X) \
	X(agent, scheduled) \
	X(agent, sent) \
	X(agent, completed) \
	X(agent, failed) \
	X(agent, dropped) \
	X(agent, waiting_now) \
	X(agent, in_flight_now) \
	X(agent, late_1ms) \
	X(agent, late_max_us) \
	X(agent, retries) \
	REPORT_FAIL_COUNTERS(X) \
	REPORT_DROP_COUNTERS(X) \
	X(agent, status_1xx) \
	X(agent, status_2xx) \
	X(agent, status_3xx) \
	X(agent, status_4xx) \
	X(agent, status_5xx) \
	X(agent, hits) \
	X(agent, misses) \
	X(agent, offered_hits) \
	X(agent, conn_opened) \
	X(agent, conn_closed) \
	X(agent, conn_closed_by_peer) \
	X(agent, conn_open_now) \
	X(agent, conn_idle_now) \
	X(agent, idle_closed) \
	X(agent, extra_bytes_conns) \
	X(agent, req_bytes) \
	X(agent, rep_header_bytes) \
	X(agent, rep_body_bytes) \
	X(agent, requests_in) \
	X(agent, replies_out) \
	X(agent, replies_cut) \
	X(agent, bad_requests) \
	X(tcp, syn_rtx) \
	X(tcp, tw_now) \
	X(tcp, rtx_segs) \
	X(tcp, rto_expired) \
	X(tcp, ooo_segs) \
	X(tcp, zero_window) \
	X(tcp, rst_out) \
	X(tcp, rst_in) \
	X(tcp, rst_ignored) \
	X(net, rx_frames) \
	X(net, rx_bytes) \
	X(net, rx_bad_csum_ip) \
	X(net, rx_bad_csum_tcp) \
	X(net, rx_bad_csum_icmp) \
	X(lane, tx_frames) \
	X(lane, tx_bytes) \
	X(lane, busy_tsc) \
	X(lane, total_tsc) \
	X(lane, turn_max_us) \
	X(lane, stalled_tsc) \
	X(lane, wrong_lcore) \
	X(lane, hist_lost) \
	X(port, tx_refused) \
	X(port, tx_dropped) \
	X(port, redirect_full) \
	X(port, rx_missed) \
	X(port, rx_no_mbuf) \
	X(port, rx_errors) \
	X(port, tx_errors)

#define REPORT_COUNTER_ENUM(module, name) RC_##module##_##name,

enum report_counter {
	RC_NONE,
	REPORT_COUNTERS(REPORT_COUNTER_ENUM) RC_N,
};

#define RC_FAIL_FIRST RC_agent_fail_refused
#define RC_FAIL_LAST RC_agent_fail_cut
#define RC_DROP_FIRST RC_agent_drop_port
#define RC_DROP_LAST RC_agent_drop_stop

struct report_index {
	const struct counter_set *sets;
	uint32_t n_sets;
	int x[RC_N]; /* index in the value arrays, -1: absent */
};

struct report_counter_name {
	const char *module;
	const char *name;
};
extern const struct report_counter_name report_counter_names[RC_N];

static inline uint64_t
report_delta(const struct report_index *x, const struct snap_scope *sc, enum report_counter c)
{
	return x->x[c] < 0 ? 0 : sc->delta[x->x[c]];
}

static inline uint64_t
report_total(const struct report_index *x, const struct snap_scope *sc, enum report_counter c)
{
	return x->x[c] < 0 ? 0 : sc->total[x->x[c]];
}

/** Sum of the totals of counters first..last. */
uint64_t report_total_sum(const struct report_index *x, const struct snap_scope *sc,
	enum report_counter first, enum report_counter last);

/** 100 * part / whole; 0 when whole is 0. */
static inline double
report_pct(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static inline double
report_per_s(uint64_t n, double seconds)
{
	return seconds > 0 ? (double)n / seconds : 0;
}

/** Mbit/s on the wire: each frame takes preamble, FCS and gap of 24 bytes beside its own. */
static inline double
report_l1_mbit(uint64_t frames, uint64_t bytes, double seconds)
{
	return seconds > 0 ? 8e-6 * ((double)bytes + 24.0 * (double)frames) / seconds : 0;
}

/* Times of the transactions of a window. */

enum report_hist {
	REPORT_HIST_RESPONSE,
	REPORT_HIST_WIRE,
	REPORT_HIST_WAIT,
	REPORT_HIST_TTFB,
	REPORT_HIST_CONNECT,
	REPORT_HIST_LATE,
	REPORT_HIST_N
};

struct report_times {
	struct hist_sum sum[REPORT_HIST_TTFB + 1]; /* of successful transactions */
	const struct hist_sum *hist[REPORT_HIST_N]; /* NULL: no data */
};

void report_times_init(struct report_times *t);
void report_times_fini(struct report_times *t);
/** Sum up the marginals. @param cells may be NULL; must outlive the use of t->hist. */
void report_times_load(struct report_times *t, const struct cell_sum *cells);

/** Mean response time in ns of the successful transactions; < 0 when there is none. */
double report_response_mean(const struct cell_sum *cells);

/* A file of lines. */

struct report_out {
	int fd;
	off_t n_bytes; /* whole lines so far */
	bool regular; /* a torn line can be taken back */
};

/** Create path, refuse what exists unless it is a device or pipe. @return 0 or -errno, *e filled.
 */
int report_out_open(struct report_out *o, const char *path, const char *what, struct err *e);
/** One write(2). A line that does not fit is taken back. @return 0 or -errno. */
int report_out_line(struct report_out *o, const char *line, unsigned int n);
int report_out_close(struct report_out *o);

/* CSV fields. */

/** Text, quoted as RFC 4180 says when it must be; nothing for NULL. */
void report_csv_text(struct report_text *t, const char *s);
#define REPORT_CSV_EOL "\r\n"

struct report_csv {
	struct report_out out;
	const struct report_index *x;
	char run_id[256];
	char host[256];
	struct report_times times;
};

/** What a column may look at. */
struct report_csv_row {
	const struct report_csv *csv;
	const struct snapshot *s;
	const struct snap_scope *sc;
	const struct report_verdict *v; /* NULL: not judged */
};

struct report_csv_column {
	const char *name;
	const char *unit;
	const char *meaning; /* for doc/csv.rst and doc/metrics.rst */
	void (*put)(struct report_text *t, const struct report_csv_row *r,
		const struct report_csv_column *c);
	uint16_t counter[3]; /* enum report_counter; they add up; RC_NONE ends */
	uint8_t hist; /* enum report_hist */
	uint8_t client_only; /* empty in rows of a server */
	double q;
};
extern const struct report_csv_column report_csv_columns[];
extern const uint32_t report_n_csv_columns;

const char *report_row_name(enum snap_row row);
const char *report_role_name(enum snap_role role);
const char *report_kind_name(uint8_t kind);
const char *report_severity_name(uint8_t severity);

#ifdef __cplusplus
}
#endif
#endif
