/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Counters of tcp/. One table: struct, names, help, doc/metrics.rst.
 */
#ifndef TCP_COUNTERS_H
#define TCP_COUNTERS_H

#include "stats_counter.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TCP_COUNTERS(X) \
	X(opens_active, COUNTER_SUM, COUNTER_INFO, "1", \
		"connections that we opened (first SYN made)") \
	X(opens_passive, COUNTER_SUM, COUNTER_INFO, "1", "connections accepted (SYN taken)") \
	X(established, COUNTER_SUM, COUNTER_INFO, "1", "handshakes completed, both roles") \
	X(closed, COUNTER_SUM, COUNTER_INFO, "1", "connection blocks given back") \
	X(conn_now, COUNTER_LEVEL, COUNTER_INFO, "1", \
		"connection blocks in use, TIME-WAIT excluded") \
	X(conn_exhausted, COUNTER_SUM, COUNTER_ERROR, "1", \
		"opens or SYNs refused: no connection block") \
	X(segs_in, COUNTER_SUM, COUNTER_INFO, "1", "segments given to a connection") \
	X(segs_out, COUNTER_SUM, COUNTER_INFO, "1", "segments made") \
	X(data_segs_out, COUNTER_SUM, COUNTER_INFO, "1", \
		"segments with payload made, retransmissions included") \
	X(bytes_in, COUNTER_SUM, COUNTER_INFO, "bytes", "payload delivered in order") \
	X(bytes_out, COUNTER_SUM, COUNTER_INFO, "bytes", "payload sent for the first time") \
	X(rtx_segs, COUNTER_SUM, COUNTER_WARN, "1", "segments retransmitted, SYN excluded") \
	X(rtx_bytes, COUNTER_SUM, COUNTER_WARN, "bytes", "payload retransmitted") \
	X(syn_rtx, COUNTER_SUM, COUNTER_WARN, "1", "SYN and SYN-ACK retransmissions") \
	X(rto_expired, COUNTER_SUM, COUNTER_WARN, "1", "retransmission timeouts, SYN excluded") \
	X(fast_rtx, COUNTER_SUM, COUNTER_WARN, "1", "fast retransmits (third duplicate ACK)") \
	X(dup_acks_in, COUNTER_SUM, COUNTER_INFO, "1", "duplicate ACKs received") \
	X(give_up, COUNTER_SUM, COUNTER_ERROR, "1", \
		"connections dropped after the last retry (R2)") \
	X(ooo_segs, COUNTER_SUM, COUNTER_WARN, "1", "out-of-order segments kept") \
	X(ooo_dropped, COUNTER_SUM, COUNTER_WARN, "1", \
		"out-of-order segments dropped for want of a block") \
	X(old_segs, COUNTER_SUM, COUNTER_INFO, "1", \
		"segments wholly before RCV.NXT or outside the window") \
	X(bad_ack, COUNTER_SUM, COUNTER_WARN, "1", \
		"segments with an ACK outside [SND.UNA - window, SND.NXT]") \
	X(paws_drop, COUNTER_SUM, COUNTER_WARN, "1", "segments dropped by PAWS (RFC 7323)") \
	X(bad_options, COUNTER_SUM, COUNTER_WARN, "1", "segments with a broken option list") \
	X(challenge_acks, COUNTER_SUM, COUNTER_WARN, "1", "challenge ACKs sent (RFC 5961)") \
	X(rst_in, COUNTER_SUM, COUNTER_WARN, "1", "RST segments that reset a connection") \
	X(rst_ignored, COUNTER_SUM, COUNTER_WARN, "1", "RST segments that were not acceptable") \
	X(rst_out, COUNTER_SUM, COUNTER_INFO, "1", "RST segments made") \
	X(stray_segs, COUNTER_SUM, COUNTER_WARN, "1", "segments that belong to no connection") \
	X(stray_limited, COUNTER_SUM, COUNTER_WARN, "1", "RST answers suppressed by the limiter") \
	X(zero_window, COUNTER_SUM, COUNTER_WARN, "1", "times a peer closed its window to us") \
	X(persist_probes, COUNTER_SUM, COUNTER_WARN, "1", "window probes sent") \
	X(delayed_acks, COUNTER_SUM, COUNTER_INFO, "1", "ACKs sent by the delayed ACK timer") \
	X(loss_exhausted, COUNTER_SUM, COUNTER_WARN, "1", \
		"loss blocks refused: recovery by timeout only") \
	X(tw_now, COUNTER_LEVEL, COUNTER_INFO, "1", "connections in TIME-WAIT") \
	X(tw_entered, COUNTER_SUM, COUNTER_INFO, "1", "connections that entered TIME-WAIT") \
	X(tw_recycled, COUNTER_SUM, COUNTER_WARN, "1", \
		"TIME-WAIT entries given up early: table full") \
	X(tw_reopened, COUNTER_SUM, COUNTER_INFO, "1", \
		"SYNs that reopened a tuple in TIME-WAIT (RFC 6191)") \
	X(tw_reacked, COUNTER_SUM, COUNTER_INFO, "1", "segments answered in TIME-WAIT") \
	X(fin_wait2_expired, COUNTER_SUM, COUNTER_WARN, "1", \
		"FIN-WAIT-2 connections freed by timeout")

struct tcp_counters {
	TCP_COUNTERS(COUNTER_FIELD)
};
extern const struct counter_desc tcp_counter_descs[];
extern const uint32_t tcp_n_counter_descs;

#ifdef __cplusplus
}
#endif
#endif
