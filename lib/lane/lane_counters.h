/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * All counters of a lane in one struct of uint64_t, with the tables that name them in order.
 * The port's part is written by the engine, on the same lcore.
 */
#ifndef LANE_COUNTERS_H
#define LANE_COUNTERS_H

#include "agent_counters.h"
#include "http_parse.h"
#include "net_view.h"
#include "stats_counter.h"
#include "tcp_counters.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LANE_COUNTERS(X) \
	X(turns, COUNTER_SUM, COUNTER_INFO, "1", "turns of the lane") \
	X(busy_tsc, COUNTER_SUM, COUNTER_INFO, "tsc", "time of turns that did something") \
	X(total_tsc, COUNTER_SUM, COUNTER_INFO, "tsc", "time of all turns") \
	X(turn_max_us, COUNTER_MAX, COUNTER_INFO, "us", "longest time from turn to turn") \
	X(turns_over_1ms, COUNTER_SUM, COUNTER_WARN, "1", \
		"turns that came more than 1 ms after the last one") \
	X(stalled_tsc, COUNTER_SUM, COUNTER_INFO, "tsc", \
		"time that the host took from the lane's thread, by its CPU clock; what it gave " \
		"up idle is not meant") \
	X(tx_frames, COUNTER_SUM, COUNTER_INFO, "1", "frames taken by the port") \
	X(tx_bytes, COUNTER_SUM, COUNTER_INFO, "bytes", "bytes of these frames, without FCS") \
	X(ctl_full, COUNTER_SUM, COUNTER_WARN, "1", "control segments lost: queue full") \
	X(peer_full, COUNTER_SUM, COUNTER_ERROR, "1", \
		"SYNs ignored: table of peer addresses full") \
	X(flow_full, COUNTER_SUM, COUNTER_ERROR, "1", "SYNs ignored: flow table full") \
	X(no_listener, COUNTER_SUM, COUNTER_WARN, "1", \
		"SYNs to an address or port where no origin listens") \
	X(wrong_lcore, COUNTER_SUM, COUNTER_WARN, "1", \
		"frames that arrived at a lane that does not own them") \
	X(redirected_in, COUNTER_SUM, COUNTER_INFO, "1", "frames that came through the news ring") \
	X(news_lost, COUNTER_SUM, COUNTER_ERROR, "1", "news that found a full list") \
	X(hist_lost, COUNTER_SUM, COUNTER_ERROR, "1", "histogram records without a chunk")

#define PORT_COUNTERS(X) \
	X(tx_refused, COUNTER_SUM, COUNTER_WARN, "1", \
		"frames that the port did not take at once (sent later)") \
	X(tx_dropped, COUNTER_SUM, COUNTER_ERROR, "1", "frames given up at the end") \
	X(tx_no_peer, COUNTER_SUM, COUNTER_INFO, "1", \
		"frames given up because the process at the other end had left") \
	X(redirect_full, COUNTER_SUM, COUNTER_ERROR, "1", \
		"mis-steered frames lost: news ring full") \
	X(mbuf_empty, COUNTER_SUM, COUNTER_ERROR, "1", "times the packet pool was empty") \
	X(mbuf_used_max, COUNTER_MAX, COUNTER_INFO, "1", "packet buffers in use, largest") \
	X(rx_linearised, COUNTER_SUM, COUNTER_INFO, "1", \
		"frames in more than two buffers, copied into one") \
	X(rx_missed, COUNTER_SUM, COUNTER_ERROR, "1", \
		"frames that the port dropped for want of room (queue 0 of the port reports all)") \
	X(rx_no_mbuf, COUNTER_SUM, COUNTER_ERROR, "1", \
		"receive buffer allocation failures of the port") \
	X(rx_errors, COUNTER_SUM, COUNTER_ERROR, "1", "receive errors of the port") \
	X(tx_errors, COUNTER_SUM, COUNTER_ERROR, "1", "transmit errors of the port")

struct lane_own_counters {
	LANE_COUNTERS(COUNTER_FIELD)
};
struct port_counters {
	PORT_COUNTERS(COUNTER_FIELD)
};

struct lane_counters {
	struct agent_counters agent;
	struct http_counters http;
	struct tcp_counters tcp;
	struct net_counters net;
	struct lane_own_counters lane;
	struct port_counters port;
};
#define LANE_N_VALUES (sizeof(struct lane_counters) / sizeof(uint64_t))

/** The tables, in the struct's order; `first` indexes it as an array of uint64_t. */
extern const struct counter_set lane_counter_sets[];
extern const uint32_t lane_n_counter_sets;

#ifdef __cplusplus
}
#endif
#endif
