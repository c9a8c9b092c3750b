/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include "front_priv.h"

#define MSEC 1e6
#define SEC 1e9
#define HOUR 3600e9
#define ALL "loop client server"
#define ROBOTS "loop client"
#define ORIGINS "loop server"
#define PORTS "client server"
#define AT(member) offsetof(struct front_values, member)
#define SIMPLE(name, kind, member, value, arg, commands, group, help) \
	{ \
		name, kind, AT(member), 0, 0, 0, value, arg, NULL, commands, group, help \
	}
#define RANGE(name, kind, member, min, max, value, arg, commands, group, help) \
	{ \
		name, kind, AT(member), 0, min, max, value, arg, NULL, commands, group, help \
	}
#define GIVEN(name, kind, member, given, min, max, value, arg, commands, group, help) \
	{ \
		name, kind, AT(member), AT(given), min, max, value, arg, NULL, commands, group, \
			help \
	}
#define WORDS(name, member, given, choices, value, commands, group, help) \
	{ \
		name, OPT_CHOICE, AT(member), given, 0, 0, value, NULL, choices, commands, group, \
			help \
	}

static const struct opt_row front_rows[] = {
	RANGE("robots", OPT_COUNT, robots, 1, PLAN_ROBOTS_MAX, "1000", "N", "loop", "Load",
		"simulated users"),
	RANGE("robots", OPT_COUNT, robots, 1, PLAN_ROBOTS_MAX, "1", "N", "client", "Load",
		"simulated users"),
	GIVEN("req_rate", OPT_RATE, req_rate, req_rate_given, 1e-6, 1e9, "50/sec", "RATE", "loop",
		"Load", "requests per second of each robot, open loop"),
	GIVEN("req_rate", OPT_RATE, req_rate, req_rate_given, 1e-6, 1e9, NULL, "RATE", "client",
		"Load", "requests per second of each robot, open loop; unset: best effort"),
	GIVEN("rate", OPT_RATE, rate, rate_given, 1e-6, 1e9, NULL, "RATE", ROBOTS, "Load",
		"requests per second of all robots together, open loop, instead of --req_rate"),
	SIMPLE("best_effort", OPT_FLAG, best_effort, NULL, NULL, ROBOTS, "Load",
		"each robot sends its next request when the previous one ends: measures service "
		"time, "
		"not capacity"),
	WORDS("req_inter_arrival", arrival, AT(arrival_given), "poisson|const|exp", "poisson",
		ROBOTS, "Load", "gaps between requests: Poisson (exp is the same) or constant"),
	SIMPLE("goal", OPT_TEXT, goal, "10sec", "GOAL", "loop", "Load",
		"end of the run: XACTIONS:TIME:ERRRATIO with -1 for none, or a time, or a number "
		"of "
		"transactions"),
	SIMPLE("goal", OPT_TEXT, goal, NULL, "GOAL", PORTS, "Load",
		"end of the run: XACTIONS:TIME:ERRRATIO with -1 for none, or a time, or a number "
		"of "
		"transactions"),
	RANGE("launch_win", OPT_TIME, launch_win, 0, 24 * HOUR, NULL, "TIME", ROBOTS, "Load",
		"robots start one after the other over this time"),
	SIMPLE("pconn_use_lmt", OPT_TEXT, pconn_use_lmt, "1", "DISTR", ROBOTS, "Load",
		"requests per connection, drawn for each; 1 is no keep-alive"),
	SIMPLE("pconn_use_lmt", OPT_TEXT, pconn_use_lmt, NULL, "DISTR", "server", "Load",
		"replies after which the server closes, drawn for each connection"),
	RANGE("open_conn_lmt", OPT_COUNT, open_conn_lmt, 1, 65535, NULL, "N", ROBOTS, "Load",
		"open connections of each robot; further requests wait"),
	RANGE("rng_seed", OPT_COUNT, seed, 0, 1.8e19, "1", "N", ALL, "Load",
		"everything random is a function of it; the same for client and server"),

	SIMPLE("uri", OPT_TEXT, uri, NULL, "PATH", ROBOTS, "Messages",
		"fixed request target; unset: a new object of our own server each time"),
	SIMPLE("method", OPT_TEXT, method, "GET", "METHOD", ROBOTS, "Messages",
		"GET, HEAD, POST, PUT, DELETE, OPTIONS or PATCH"),
	SIMPLE("add_header", OPT_LIST, headers, NULL, "LINE", ROBOTS, "Messages",
		"request field line 'Name: value'"),
	SIMPLE("body_sz", OPT_TEXT, body_sz, NULL, "DISTR", ROBOTS, "Messages",
		"sizes of request bodies; 1KB when POST, PUT or PATCH has none"),
	WORDS("http_version", http_version, 0, "1.0|1.1", "1.1", ROBOTS, "Messages",
		"what robots speak"),
	SIMPLE("expect_status", OPT_TEXT, expect_status, NULL, "LIST", ROBOTS, "Messages",
		"status codes that count as success, such as 200,404 or 2xx,300-303; unset: 200 of "
		"our "
		"own server, 2xx and 3xx of others"),
	SIMPLE("rep_sz", OPT_TEXT, rep_sz, "exp:13KB", "DISTR", ALL, "Messages",
		"sizes of replies; the same for client and server"),
	SIMPLE("xact_think", OPT_TEXT, xact_think, NULL, "DISTR", ORIGINS, "Messages",
		"time before the server replies"),
	SIMPLE("verify", OPT_TEXT, verify, "full", "WHAT", ALL, "Messages",
		"what is compared of our own server's replies: full, sample:N (one in N) or "
		"length"),
	WORDS("retry_stale", retry_stale, 0, "off|on", "on", ROBOTS, "Messages",
		"one more attempt when a kept connection had closed silently"),

	RANGE("timeout", OPT_TIME, timeout, 0, 24 * HOUR, NULL, "TIME", ROBOTS, "Times",
		"longest transaction, failed after that; 0 or unset: none"),
	RANGE("connect_timeout", OPT_TIME, connect_timeout, 0, HOUR, NULL, "TIME", ROBOTS, "Times",
		"longest handshake; 0 or unset: when SYN retries are used up"),
	RANGE("idle_pconn_tout", OPT_TIME, idle_pconn_tout, 0, 24 * HOUR, NULL, "TIME", ALL,
		"Times", "close a connection that is idle for so long; 0 or unset: never"),
	RANGE("idle_tout", OPT_TIME, idle_tout, 0, 8760 * HOUR, NULL, "TIME", ALL, "Times",
		"quit after so long without traffic; 0 or unset: never"),
	RANGE("drain", OPT_TIME, drain, 0, HOUR, "5sec", "TIME", ALL, "Times",
		"longest wait at the end for what is in flight"),

	SIMPLE("origin", OPT_LIST, origins, NULL, "RANGE:PORT", ALL, "Addresses",
		"servers, comma separated, such as 10.1.0.1-4:80"),
	RANGE("port", OPT_COUNT, port, 1, 65535, "80", "N", ALL, "Addresses",
		"TCP port of origins that are given without one"),
	SIMPLE("addresses", OPT_LIST, addresses, NULL, "RANGE", ROBOTS, "Addresses",
		"robots' addresses, comma separated, such as 10.1.0.2-65"),
	SIMPLE("proxy", OPT_TEXT, proxy, NULL, "ADDR:PORT", "client", "Addresses",
		"forward proxy: requests go there in absolute-form"),
	SIMPLE("sport", OPT_TEXT, sport, "1024-65535", "LO-HI", ROBOTS, "Addresses",
		"robots' TCP ports"),
	SIMPLE("iface", OPT_LIST, ifaces, NULL, "TEXT", PORTS, "Addresses",
		"'port=0 addr=10.1.0.2/24 gw=10.1.0.1 mac= gw_mac= mtu=': our end of a DPDK port"),

	GIVEN("mss", OPT_COUNT, mss, mss_given, 48, 9216, "1460", "N", ALL, "TCP",
		"largest segment that is announced and sent, bytes"),
	RANGE("wscale", OPT_COUNT, wscale, 0, 14, "7", "N", ALL, "TCP", "shift of our window"),
	GIVEN("rcv_wnd", OPT_SIZE, rcv_wnd, rcv_wnd_given, 1024, 1 << 30, "1MB", "SIZE", ALL, "TCP",
		"receive window"),
	RANGE("initial_window", OPT_COUNT, initial_window, 1, 1000, "10", "N", ALL, "TCP",
		"initial congestion window, segments"),
	WORDS("cc", cc, 0, "reno|none", "reno", ALL, "TCP",
		"congestion control; none: the peer's window only, for a lab"),
	RANGE("syn_retries", OPT_COUNT, syn_retries, 0, 20, "5", "N", ALL, "TCP",
		"SYNs after the first: 1, 2, 4 s apart"),
	RANGE("rto_min", OPT_TIME, rto_min, MSEC, 60 * SEC, "200ms", "TIME", ALL, "TCP",
		"shortest retransmission timeout"),
	RANGE("delayed_ack", OPT_TIME, delayed_ack, 0, 500 * MSEC, "40ms", "TIME", ALL, "TCP",
		"longest wait before an ACK; 0: at once"),
	WORDS("sack", sack, 0, "off|on", "on", ALL, "TCP", "selective acknowledgements (RFC 2018)"),
	WORDS("timestamps", timestamps, 0, "off|on", "on", ALL, "TCP", "timestamps (RFC 7323)"),
	RANGE("tw", OPT_TIME, tw, 0, 240 * SEC, "1sec", "TIME", "loop", "TCP", "TIME-WAIT"),
	RANGE("tw", OPT_TIME, tw, 0, 240 * SEC, "60sec", "TIME", PORTS, "TCP", "TIME-WAIT"),
	WORDS("close", close, 0, "fin|rst", "fin", ROBOTS, "TCP", "how robots close"),

	RANGE("max_conns", OPT_COUNT, max_conns, 1, PLAN_CONNS_MAX, NULL, "N", ALL, "Program",
		"open connections that memory is taken for; unset: from robots and rate"),
	RANGE("workers", OPT_COUNT, workers, 0, PLAN_LANES_MAX, "0", "N", ALL, "Program",
		"worker cores; 0: chosen"),
	WORDS("topology", topology, 0, "lanes|split", "lanes", "loop", "Program",
		"robots and origins share each worker, or have workers of their own"),
	WORDS("idle", idle, 0, "auto|spin|yield|sleep", "auto", ALL, "Program",
		"what a worker does with nothing to do"),
	RANGE("queues", OPT_COUNT, queues, 0, PLAN_LANES_MAX, "0", "N", PORTS, "Program",
		"queues of the port; 0: one per worker"),
	GIVEN("port_id", OPT_COUNT, port_id, port_id_given, 0, 1023, "0", "N", PORTS, "Program",
		"number of the DPDK port"),

	RANGE("stats_cycle", OPT_TIME, stats_cycle, 10 * MSEC, 24 * HOUR, "5sec", "TIME", ALL,
		"Results", "time from interval line to interval line"),
	RANGE("verb_lvl", OPT_INT, verb_lvl, 0, 10, "2", "N", ALL, "Results",
		"console level: 0 errors, 1 phases, 2 intervals and configuration, ... 10"),
	WORDS("console_time", console_time, 0, "epoch|minutes", "epoch", ALL, "Results",
		"time column: seconds since 1970, or minutes since the start"),
	SIMPLE("label", OPT_TEXT, label, NULL, "TEXT", ALL, "Results",
		"name of the run in results"),
	SIMPLE("csv", OPT_TEXT, csv, NULL, "FILE", ALL, "Results", "intervals as CSV"),
	RANGE("csv_cycle", OPT_TIME, csv_cycle, 10 * MSEC, 24 * HOUR, "1sec", "TIME", ALL,
		"Results", "time from row to row of the CSV"),
	SIMPLE("csv_counters", OPT_TEXT, csv_counters, NULL, "FILE", ALL, "Results",
		"every counter of every module as CSV"),
	SIMPLE("capture", OPT_TEXT, capture, NULL, "FILE", ALL, "Results",
		"packets of the run as pcapng"),
	SIMPLE("stage_cycles", OPT_FLAG, stage_cycles, NULL, NULL, ALL, "Results",
		"print clock cycles of each stage of a worker's turn"),
	SIMPLE("print_config", OPT_FLAG, print_config, NULL, NULL, ALL, "Results",
		"print the run as PGL and exit"),
	SIMPLE("help", OPT_FLAG, help, NULL, NULL, ALL, "Results", "print this and exit"),
};

const struct opt_table front_options = {front_rows, ARRAY_LEN(front_rows)};
