/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Counters of robots and origins: the plan's transactions, each in exactly one class. Names are the
 * CSV's. scheduled = sent + waiting_now + dropped; sent = completed + failed + in_flight_now;
 * failed = sum of fail_*; dropped = sum of drop_*.
 */
#ifndef AGENT_COUNTERS_H
#define AGENT_COUNTERS_H

#include "stats_counter.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AGENT_FAIL_COUNTERS(X) \
	X(fail_refused, COUNTER_SUM, COUNTER_WARN, "1", \
		"connection refused (RST in answer to SYN, or ICMP unreachable)") \
	X(fail_connect_timeout, COUNTER_SUM, COUNTER_WARN, "1", \
		"no answer to SYN within the retries or the connect timeout") \
	X(fail_reset, COUNTER_SUM, COUNTER_WARN, "1", "RST before the reply was complete") \
	X(fail_short, COUNTER_SUM, COUNTER_WARN, "1", "FIN before the reply was complete") \
	X(fail_noreply, COUNTER_SUM, COUNTER_WARN, "1", \
		"FIN with zero reply bytes on the first request of a connection") \
	X(fail_stale, COUNTER_SUM, COUNTER_WARN, "1", \
		"kept-alive connection closed with zero reply bytes, not retried") \
	X(fail_parse, COUNTER_SUM, COUNTER_WARN, "1", \
		"reply is not HTTP or its framing is broken") \
	X(fail_limit, COUNTER_SUM, COUNTER_WARN, "1", "reply over one of our size limits") \
	X(fail_timeout, COUNTER_SUM, COUNTER_WARN, "1", \
		"reply not complete within the timeout, or TCP gave up") \
	X(fail_status, COUNTER_SUM, COUNTER_WARN, "1", "status code outside the expected set") \
	X(fail_content, COUNTER_SUM, COUNTER_WARN, "1", \
		"content differs from what the object must hold") \
	X(fail_local, COUNTER_SUM, COUNTER_ERROR, "1", \
		"lost by a shortage of our own after sending began") \
	X(fail_cut, COUNTER_SUM, COUNTER_WARN, "1", "in flight when the drain at the end ran out")

#define AGENT_DROP_COUNTERS(X) \
	X(drop_port, COUNTER_SUM, COUNTER_ERROR, "1", \
		"no free local port: range x addresses / TIME-WAIT is the ceiling") \
	X(drop_conn, COUNTER_SUM, COUNTER_ERROR, "1", "no free connection block (max_conns)") \
	X(drop_mbuf, COUNTER_SUM, COUNTER_ERROR, "1", "no packet buffer") \
	X(drop_queue, COUNTER_SUM, COUNTER_ERROR, "1", \
		"connection lost before anything of it was sent, or wait limit") \
	X(drop_stop, COUNTER_SUM, COUNTER_INFO, "1", "still waiting when the run stopped")

#define AGENT_COUNTERS(X) \
	X(scheduled, COUNTER_SUM, COUNTER_INFO, "1", "transactions due so far") \
	X(sent, COUNTER_SUM, COUNTER_INFO, "1", \
		"transactions whose first packet the port took (SYN, or request on a kept " \
		"connection)") \
	X(completed, COUNTER_SUM, COUNTER_INFO, "1", \
		"transactions with a whole, expected and verified reply") \
	X(failed, COUNTER_SUM, COUNTER_WARN, "1", "sent transactions that ended otherwise") \
	X(dropped, COUNTER_SUM, COUNTER_WARN, "1", "transactions never sent, by stated cause") \
	X(waiting_now, COUNTER_LEVEL, COUNTER_INFO, "1", "due, not yet sent, not dropped") \
	X(in_flight_now, COUNTER_LEVEL, COUNTER_INFO, "1", "sent, not ended") \
	X(late_1ms, COUNTER_SUM, COUNTER_WARN, "1", "launches more than 1 ms after they were due") \
	X(late_max_us, COUNTER_MAX, COUNTER_INFO, "us", "largest lateness of a launch") \
	X(retries, COUNTER_SUM, COUNTER_INFO, "1", "second attempts after a stale connection") \
	AGENT_FAIL_COUNTERS(X) \
	AGENT_DROP_COUNTERS(X) \
	X(status_1xx, COUNTER_SUM, COUNTER_INFO, "1", "interim replies") \
	X(status_2xx, COUNTER_SUM, COUNTER_INFO, "1", \
		"final replies 200-299, whatever was expected") \
	X(status_3xx, COUNTER_SUM, COUNTER_INFO, "1", "final replies 300-399") \
	X(status_4xx, COUNTER_SUM, COUNTER_INFO, "1", "final replies 400-499") \
	X(status_5xx, COUNTER_SUM, COUNTER_INFO, "1", "final replies 500-599") \
	X(hits, COUNTER_SUM, COUNTER_INFO, "1", \
		"replies from our origin's objects that carried another transaction's id") \
	X(misses, COUNTER_SUM, COUNTER_INFO, "1", "replies that carried this transaction's id") \
	X(foreign, COUNTER_SUM, COUNTER_INFO, "1", "replies without our id") \
	X(offered_hits, COUNTER_SUM, COUNTER_INFO, "1", \
		"requests that a perfect cache would answer") \
	X(conn_opened, COUNTER_SUM, COUNTER_INFO, "1", "connections established") \
	X(conn_closed, COUNTER_SUM, COUNTER_INFO, "1", "established connections that ended") \
	X(conn_closed_by_peer, COUNTER_SUM, COUNTER_INFO, "1", \
		"of these, ended by the peer first") \
	X(conn_open_now, COUNTER_LEVEL, COUNTER_INFO, "1", "connections established now") \
	X(conn_idle_now, COUNTER_LEVEL, COUNTER_INFO, "1", "of these, with no transaction") \
	X(idle_closed, COUNTER_SUM, COUNTER_INFO, "1", "idle connections that the peer closed") \
	X(idle_reset, COUNTER_SUM, COUNTER_INFO, "1", \
		"idle or finished connections that the peer reset") \
	X(extra_bytes_conns, COUNTER_SUM, COUNTER_WARN, "1", \
		"connections with bytes after a complete reply") \
	X(req_bytes, COUNTER_SUM, COUNTER_INFO, "bytes", "requests, header and content") \
	X(rep_header_bytes, COUNTER_SUM, COUNTER_INFO, "bytes", "reply header sections") \
	X(rep_body_bytes, COUNTER_SUM, COUNTER_INFO, "bytes", "reply content, framing excluded") \
	X(requests_in, COUNTER_SUM, COUNTER_INFO, "1", "origin: requests taken whole") \
	X(replies_out, COUNTER_SUM, COUNTER_INFO, "1", \
		"origin: replies whose last byte was acknowledged") \
	X(replies_cut, COUNTER_SUM, COUNTER_WARN, "1", \
		"origin: replies lost with their connection") \
	X(bad_requests, COUNTER_SUM, COUNTER_WARN, "1", "origin: requests refused") \
	X(bad_content_in, COUNTER_SUM, COUNTER_WARN, "1", \
		"origin: request content that differs from what our robot must send") \
	X(partial_exhausted, COUNTER_SUM, COUNTER_ERROR, "1", \
		"origin: connections aborted, no room to keep an incomplete request") \
	X(slot_exhausted, COUNTER_SUM, COUNTER_ERROR, "1", "times no transaction slot was free") \
	X(idle_backoff, COUNTER_SUM, COUNTER_INFO, "1", \
		"best-effort robots that paused after a failure")

struct agent_counters {
	AGENT_COUNTERS(COUNTER_FIELD)
};
extern const struct counter_desc agent_counter_descs[];
extern const uint32_t agent_n_counter_descs;

#ifdef __cplusplus
}
#endif
#endif
