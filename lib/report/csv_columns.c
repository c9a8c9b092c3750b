/* SPDX-License-Identifier: BSD-3-Clause */
/* The interval file, one line per column: header, rows, doc/csv.rst and doc/metrics.rst come from
 * it. */
#include <inttypes.h>
#include <math.h>
#include <time.h>
#include "report_priv.h"

#define CSV_SCHEMA 1

#define PUT(name) \
	static void put_##name(struct report_text *t, const struct report_csv_row *r, \
		const struct report_csv_column *c)

PUT(schema)
{
	report_text_add(t, "%d", CSV_SCHEMA);
}

PUT(run_id)
{
	report_csv_text(t, r->csv->run_id);
}

PUT(host)
{
	report_csv_text(t, r->csv->host);
}

PUT(row)
{
	report_text_add(t, "%s", report_row_name(r->s->row));
}

PUT(t_end)
{
	report_text_fixed(t, r->s->t_end_s, 6, 0);
}

PUT(interval)
{
	report_text_fixed(t, r->sc->interval_s, 6, 0);
}

PUT(utc_end)
{
	time_t sec = (time_t)(r->s->utc_end_ns / 1000000000);
	struct tm tm;

	gmtime_r(&sec, &tm);
	report_text_add(t, "%04d-%02d-%02dT%02d:%02d:%02d.%06" PRIu64 "Z", tm.tm_year + 1900,
		tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		r->s->utc_end_ns / 1000 % 1000000);
}

PUT(phase)
{
	report_csv_text(t, r->s->phase);
}

PUT(measured)
{
	report_text_add(t, "%d", r->s->measured ? 1 : 0);
}

PUT(role)
{
	report_text_add(t, "%s", report_role_name(r->s->role));
}

PUT(scope)
{
	report_csv_text(t, r->sc->name);
}

PUT(cpu)
{
	if (r->sc->cpu >= 0)
		report_text_add(t, "%d", r->sc->cpu);
}

PUT(target)
{
	if (r->sc->target_per_s >= 0)
		report_text_fixed(t, r->sc->target_per_s, 3, 0);
}

PUT(sent_per_s)
{
	report_text_fixed(t, r->sc->sent_per_s, 3, 0);
}

PUT(count)
{
	const struct report_index *x = r->csv->x;
	uint64_t n = 0;

	for (int i = 0; i < 3 && c->counter[i] != RC_NONE; i++) {
		if (x->x[c->counter[i]] < 0)
			return;
		n += report_delta(x, r->sc, (enum report_counter)c->counter[i]);
	}
	report_text_add(t, "%" PRIu64, n);
}

PUT(completed)
{
	enum report_counter n =
		r->s->role == SNAP_SERVER ? RC_agent_replies_out : RC_agent_completed;

	report_text_add(t, "%" PRIu64, report_delta(r->csv->x, r->sc, n));
}

PUT(completed_per_s)
{
	double per_s = r->sc->completed_per_s;

	if (r->s->role == SNAP_SERVER)
		per_s = report_per_s(
			report_delta(r->csv->x, r->sc, RC_agent_replies_out), r->sc->interval_s);
	report_text_fixed(t, per_s, 3, 0);
}

/* Bits of a byte counter per second, in millions. */
PUT(mbit)
{
	report_text_fixed(t,
		8e-6 * report_per_s(
			       report_delta(r->csv->x, r->sc, (enum report_counter)c->counter[0]),
			       r->sc->interval_s),
		3, 0);
}

/* counter[0] frames, counter[1] bytes. */
PUT(l1_mbit)
{
	const struct report_index *x = r->csv->x;

	report_text_fixed(t,
		report_l1_mbit(report_delta(x, r->sc, (enum report_counter)c->counter[0]),
			report_delta(x, r->sc, (enum report_counter)c->counter[1]),
			r->sc->interval_s),
		3, 0);
}

PUT(busy)
{
	uint64_t all = report_delta(r->csv->x, r->sc, RC_lane_total_tsc);

	if (all > 0)
		report_text_fixed(
			t, report_pct(report_delta(r->csv->x, r->sc, RC_lane_busy_tsc), all), 2, 0);
}

PUT(rules)
{
	if (r->v != NULL)
		report_csv_text(t, r->v->rules);
}

/* Histograms exist for the sum of all lanes only. */
static const struct hist_sum *
row_hist(const struct report_csv_row *r, const struct report_csv_column *c)
{
	const struct hist_sum *h = r->csv->times.hist[c->hist];

	return r->sc == &r->s->all && h != NULL && h->n > 0 ? h : NULL;
}

PUT(quantile)
{
	const struct hist_sum *h = row_hist(r, c);

	if (h != NULL && hist_sum_supports(h, c->q))
		report_text_fixed(t, (double)hist_sum_quantile(h, c->q) / 1e3, 3, 0);
}

PUT(mean)
{
	const struct hist_sum *h = row_hist(r, c);

	if (h != NULL)
		report_text_fixed(t, hist_sum_mean(h) / 1e3, 3, 0);
}

PUT(max)
{
	const struct hist_sum *h = row_hist(r, c);

	if (h != NULL)
		report_text_fixed(t, (double)h->max_ns / 1e3, 3, 0);
}

#define KEY(name, unit, put, meaning) \
	{ \
		name, unit, meaning, put, {0}, 0, 0, 0 \
	}
#define CLIENT(name, unit, put, meaning) \
	{ \
		name, unit, meaning, put, {0}, 0, 1, 0 \
	}
/* A counter of agent/ that only robots move. */
#define ROBOT(name, meaning) \
	{ \
#name, "1", meaning, put_count, {RC_agent_##name }, 0, 1, 0 \
	}
#define COUNT(name, unit, counter, meaning) \
	{ \
		name, unit, meaning, put_count, {RC_##counter}, 0, 0, 0 \
	}
#define QUANTILE(name, h, q, meaning) \
	{ \
		name, "us", meaning, put_quantile, {0}, REPORT_HIST_##h, 1, q \
	}
#define MEAN(name, h, meaning) \
	{ \
		name, "us", meaning, put_mean, {0}, REPORT_HIST_##h, 1, 0 \
	}
#define MAX(name, h, meaning) \
	{ \
		name, "us", meaning, put_max, {0}, REPORT_HIST_##h, 1, 0 \
	}

const struct report_csv_column report_csv_columns[] = {
	/* key */
	KEY("schema", "1", put_schema,
		"version of this list of columns; it rises when one is appended"),
	KEY("run_id", "text", put_run_id, "name of the run, the same in all its files"),
	KEY("host", "text", put_host, "host that wrote the file"),
	KEY("row", "text", put_row,
		"window that the row is about: interval, phase, run (all of it), or end, which is "
		"the last row of a complete file"),
	KEY("t_end_s", "s", put_t_end, "end of the window, since the start of the run"),
	KEY("interval_s", "s", put_interval,
		"length of the window, by the clock of the scope's own lanes"),
	KEY("utc_end", "UTC", put_utc_end,
		"end of the window by the host's clock, ISO 8601: a label, nothing is computed "
		"from it"),
	KEY("phase", "text", put_phase, "phase in which the window ended"),
	KEY("measured", "1", put_measured,
		"1 when the phase counts for the result, 0 for warm-up and the like"),
	KEY("role", "text", put_role, "client (robots) or server (origins)"),
	KEY("scope", "text", put_scope, "all, lcore:N or port:N"),
	KEY("cpu", "1", put_cpu, "CPU that the scope ran on; empty when there are several or none"),
	/* load */
	CLIENT("target_per_s", "1/s", put_target,
		"mean rate that the plan asked of this scope in the window; empty when it asks for "
		"none (best effort)"),
	ROBOT(scheduled, "transactions that fell due"),
	ROBOT(sent, "transactions whose first packet the port took; an attempt after a retry is "
		    "not counted again"),
	{"completed", "1",
		"transactions that ended with a whole, expected and verified reply; in rows of a "
		"server, replies whose last byte was acknowledged",
		put_completed, {0}, 0, 0, 0},
	ROBOT(failed, "sent transactions that ended otherwise; the sum of the fail_ columns"),
	ROBOT(dropped, "transactions that were never sent; the sum of the drop_ columns"),
	ROBOT(late_1ms, "launches more than 1 ms after they were due"),
	ROBOT(waiting_now,
		"transactions due and neither sent nor dropped at the end of the window"),
	ROBOT(in_flight_now, "transactions sent and not ended at the end of the window"),
	CLIENT("sent_per_s", "1/s", put_sent_per_s,
		"rate of sent, a sum of the rates of the lanes"),
	KEY("completed_per_s", "1/s", put_completed_per_s,
		"rate of completed, a sum of the rates of the lanes"),
	/* time */
	MEAN("response_mean_us", RESPONSE,
		"mean response time, from the instant a transaction was due to the last byte of "
		"its reply; completed transactions only, like all response, wire, wait and ttfb "
		"columns"),
	QUANTILE("response_p50_us", RESPONSE, 0.5,
		"median response time; a percentile q is empty in windows of fewer than 10 / (1 - "
		"q) samples"),
	QUANTILE("response_p90_us", RESPONSE, 0.9, "90th percentile of response time"),
	QUANTILE("response_p99_us", RESPONSE, 0.99, "99th percentile of response time"),
	QUANTILE("response_p999_us", RESPONSE, 0.999, "99.9th percentile of response time"),
	MAX("response_max_us", RESPONSE, "longest response time"),
	QUANTILE("wire_p50_us", WIRE, 0.5,
		"median time on the wire, from the first byte sent to the last byte of the reply"),
	QUANTILE("wire_p99_us", WIRE, 0.99, "99th percentile of time on the wire"),
	QUANTILE("wire_p999_us", WIRE, 0.999, "99.9th percentile of time on the wire"),
	MAX("wire_max_us", WIRE, "longest time on the wire"),
	QUANTILE("wait_p50_us", WAIT, 0.5,
		"median time of waiting inside the generator, from due to the first byte sent"),
	QUANTILE("wait_p99_us", WAIT, 0.99, "99th percentile of waiting"),
	MAX("wait_max_us", WAIT, "longest waiting"),
	QUANTILE("ttfb_p50_us", TTFB, 0.5,
		"median time from the first byte sent to the first byte of the final reply"),
	QUANTILE("ttfb_p99_us", TTFB, 0.99, "99th percentile of time to first byte"),
	QUANTILE("connect_p50_us", CONNECT, 0.5,
		"median time from SYN to established, over connections"),
	QUANTILE("connect_p99_us", CONNECT, 0.99, "99th percentile of connect time"),
	MAX("connect_max_us", CONNECT, "longest connect time"),
	/* failures */
	ROBOT(fail_refused,
		"failed: the connection was refused (RST in answer to SYN, ICMP unreachable)"),
	ROBOT(fail_connect_timeout,
		"failed: no answer to SYN within its retries or the connect timeout"),
	ROBOT(fail_reset, "failed: RST before the reply was complete"),
	ROBOT(fail_short, "failed: FIN before the reply was complete"),
	ROBOT(fail_noreply,
		"failed: FIN without one byte of reply to the first request of a connection"),
	ROBOT(fail_stale, "failed: a kept connection was closed without one byte of reply, and the "
			  "request was not tried again"),
	ROBOT(fail_parse, "failed: the reply is not HTTP, or its framing is broken"),
	ROBOT(fail_limit, "failed: the reply exceeds one of our limits of size"),
	ROBOT(fail_timeout, "failed: the reply was not complete in time, or TCP gave up"),
	ROBOT(fail_status, "failed: a status code that was not expected"),
	ROBOT(fail_content, "failed: the content is not what the object must hold"),
	ROBOT(fail_local, "failed: lost by a shortage of our own after sending began"),
	ROBOT(fail_cut, "failed: still in flight when the time to drain ran out"),
	/* drops */
	ROBOT(drop_port,
		"dropped: no free local port (addresses x ports, less what is in TIME-WAIT)"),
	ROBOT(drop_conn, "dropped: no free connection block"),
	ROBOT(drop_mbuf, "dropped: no packet buffer"),
	ROBOT(drop_queue,
		"dropped: its connection was lost before anything was sent, or a limit of waiting"),
	ROBOT(drop_stop, "dropped: still waiting when the run stopped"),
	/* replies */
	COUNT("status_1xx", "1", agent_status_1xx, "interim replies"),
	COUNT("status_2xx", "1", agent_status_2xx,
		"final replies with status 200-299, expected or not"),
	COUNT("status_3xx", "1", agent_status_3xx, "final replies with status 300-399"),
	COUNT("status_4xx", "1", agent_status_4xx, "final replies with status 400-499"),
	COUNT("status_5xx", "1", agent_status_5xx, "final replies with status 500-599"),
	ROBOT(offered_hits, "requests that a perfect cache would have answered"),
	ROBOT(hits, "replies that our origin made for another transaction: a cache answered"),
	ROBOT(misses, "replies that our origin made for this transaction"),
	/* connections */
	COUNT("conn_opened", "1", agent_conn_opened, "connections established"),
	COUNT("conn_closed", "1", agent_conn_closed, "established connections that ended"),
	COUNT("conn_closed_by_peer", "1", agent_conn_closed_by_peer,
		"of these, ended by the peer first"),
	COUNT("conn_open_now", "1", agent_conn_open_now,
		"connections established at the end of the window"),
	COUNT("conn_idle_now", "1", agent_conn_idle_now, "of these, without a transaction"),
	COUNT("conn_timewait_now", "1", tcp_tw_now,
		"connections in TIME-WAIT at the end of the window"),
	COUNT("idle_closed", "1", agent_idle_closed, "idle connections that the peer closed"),
	COUNT("extra_bytes_conns", "1", agent_extra_bytes_conns,
		"connections with bytes after a complete reply"),
	COUNT("syn_rtx", "1", tcp_syn_rtx,
		"SYN and SYN-ACK sent again; each adds a second or more to a connect time"),
	/* bytes */
	COUNT("req_bytes", "bytes", agent_req_bytes, "requests, header and content"),
	COUNT("rep_header_bytes", "bytes", agent_rep_header_bytes, "header sections of replies"),
	COUNT("rep_body_bytes", "bytes", agent_rep_body_bytes,
		"content of replies, without its framing"),
	{"goodput_mbit_per_s", "Mbit/s", "rep_body_bytes per second, in million bits", put_mbit,
		{RC_agent_rep_body_bytes}, 0, 0, 0},
	COUNT("tx_packets", "1", lane_tx_frames, "frames that the port took"),
	COUNT("rx_packets", "1", net_rx_frames, "frames taken from the port"),
	{"tx_l1_mbit_per_s", "Mbit/s",
		"load that we put on the line: frames with 24 bytes more for FCS, preamble and gap",
		put_l1_mbit, {RC_lane_tx_frames, RC_lane_tx_bytes}, 0, 0, 0},
	{"rx_l1_mbit_per_s", "Mbit/s", "load of the line towards us, counted alike", put_l1_mbit,
		{RC_net_rx_frames, RC_net_rx_bytes}, 0, 0, 0},
	/* tcp, port */
	COUNT("rtx_segs", "1", tcp_rtx_segs, "segments sent again, SYN excluded"),
	COUNT("rto_expired", "1", tcp_rto_expired, "retransmission timeouts, SYN excluded"),
	COUNT("ooo_segs", "1", tcp_ooo_segs, "segments that came out of order and were kept"),
	COUNT("zero_window", "1", tcp_zero_window, "times that a peer closed its window"),
	{"bad_checksum", "1", "frames received with a wrong IP, TCP or ICMP checksum", put_count,
		{RC_net_rx_bad_csum_ip, RC_net_rx_bad_csum_tcp, RC_net_rx_bad_csum_icmp}, 0, 0, 0},
	COUNT("rst_sent", "1", tcp_rst_out, "RST segments made"),
	{"rst_received", "1", "RST segments received for a connection, acceptable or not",
		put_count, {RC_tcp_rst_in, RC_tcp_rst_ignored}, 0, 0, 0},
	COUNT("rx_missed", "1", port_rx_missed, "frames that the port dropped for want of room"),
	COUNT("rx_no_mbuf", "1", port_rx_no_mbuf, "frames for which the port found no buffer"),
	COUNT("rx_errors", "1", port_rx_errors, "frames that the port received in error"),
	COUNT("tx_refused", "1", port_tx_refused,
		"frames that the port did not take at once; they were sent later"),
	COUNT("wrong_lcore", "1", lane_wrong_lcore,
		"frames that arrived at a lane that does not own them"),
	/* instrument */
	KEY("busy_pct", "%", put_busy, "share of a worker's time in turns that did something"),
	COUNT("turn_max_us", "us", lane_turn_max_us,
		"longest time from one turn of a lane to its next"),
	QUANTILE("late_p999_us", LATE, 0.999,
		"99.9th percentile of the generator's own lateness, from due to launched"),
	{"late_max_us", "us", "largest lateness of a launch", put_count, {RC_agent_late_max_us}, 0,
		1, 0},
	KEY("rules", "text", put_rules,
		"rules of the verdict that struck, joined by semicolons; empty when none did or "
		"none was judged"),
};
const uint32_t report_n_csv_columns = sizeof(report_csv_columns) / sizeof(report_csv_columns[0]);
