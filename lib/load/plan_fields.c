/* SPDX-License-Identifier: BSD-3-Clause */
#include "load_plan.h"

#define BOTH (PLAN_CLIENT | PLAN_SERVER)
#define ROW(owner, pgl, member, kind) \
	{ \
		pgl, #member, offsetof(struct plan, member), sizeof(((struct plan *)0)->member), \
			owner, kind, NULL \
	}
#define CHOICE(owner, pgl, member, kind, choices) \
	{ \
		pgl, #member, offsetof(struct plan, member), sizeof(((struct plan *)0)->member), \
			owner, kind, choices \
	}
#define METHODS "GET|HEAD|POST|PUT|DELETE|OPTIONS|CONNECT|TRACE|PATCH"

/* In the order of printing within an object. */
const struct plan_field plan_fields[] = {
	ROW(BOTH, "Content.size", origin.rep_size, PLAN_K_DIST),

	ROW(PLAN_SERVER, "Server.addresses", origin.addrs, PLAN_K_RANGES),
	ROW(PLAN_SERVER, "Server.addresses", origin.n_addrs, PLAN_K_PART),
	ROW(PLAN_SERVER, "Server.xact_think", origin.xact_think, PLAN_K_DIST),
	ROW(PLAN_SERVER, "Server.pconn_use_lmt", origin.pconn_use_lmt, PLAN_K_DIST),
	ROW(PLAN_SERVER, "Server.idle_pconn_tout", origin.idle_pconn_tout_ns, PLAN_K_TOUT),

	ROW(PLAN_CLIENT, "Robot.addresses", robots.addrs, PLAN_K_RANGES),
	ROW(PLAN_CLIENT, "Robot.addresses", robots.n_addrs, PLAN_K_PART),
	ROW(PLAN_CLIENT, "Robot.origins", robots.origins, PLAN_K_RANGES),
	ROW(PLAN_CLIENT, "Robot.origins", robots.n_origins, PLAN_K_PART),
	ROW(PLAN_CLIENT, "Robot.http_proxies", robots.proxy_addr, PLAN_K_HOST),
	ROW(PLAN_CLIENT, "Robot.http_proxies", robots.proxy_port, PLAN_K_PART),
	ROW(PLAN_CLIENT, "Robot.req_rate", robots.rate_per_sec, PLAN_K_RATE),
	CHOICE(PLAN_CLIENT, "Robot.req_methods", robots.method, PLAN_K_LIST, METHODS),
	CHOICE(PLAN_CLIENT, "Robot.http_versions", robots.http_minor, PLAN_K_LIST, "1.0|1.1"),
	ROW(PLAN_CLIENT, "Robot.pconn_use_lmt", robots.pconn_use_lmt, PLAN_K_DIST),
	ROW(PLAN_CLIENT, "Robot.idle_pconn_tout", robots.idle_pconn_tout_ns, PLAN_K_TOUT),
	ROW(PLAN_CLIENT, "Robot.open_conn_lmt", robots.open_conn_lmt, PLAN_K_LIMIT),
	ROW(PLAN_CLIENT, "Robot.xact_lifetime", robots.timeout_ns, PLAN_K_TOUT),

	ROW(BOTH, "Phase.name", phase[0].name, PLAN_K_CHARS),
	ROW(BOTH, "Phase.goal.duration", phase[0].goal.duration_ns, PLAN_K_NEVER),
	ROW(BOTH, "Phase.goal.xactions", phase[0].goal.n_xactions, PLAN_K_NUMBER),
	ROW(BOTH, "Phase.goal.errors", phase[0].goal.err_ratio, PLAN_K_ERRORS),
	ROW(BOTH, "Phase.load_factor_beg", phase[0].load_beg, PLAN_K_FACTOR),
	ROW(BOTH, "Phase.load_factor_end", phase[0].load_end, PLAN_K_FACTOR),
	ROW(BOTH, "Phase.populus_factor_beg", phase[0].populus_beg, PLAN_K_FACTOR),
	ROW(BOTH, "Phase.populus_factor_end", phase[0].populus_end, PLAN_K_FACTOR),
	ROW(BOTH, "Phase.primary", phase[0].measured, PLAN_K_BOOL),
	ROW(BOTH, "schedule", n_phases, PLAN_K_PART),

	ROW(BOTH, "Iface.port", iface[0].port, PLAN_K_COUNT),
	ROW(BOTH, "Iface.address", iface[0].addr, PLAN_K_ADDR),
	ROW(BOTH, "Iface.prefix", iface[0].prefix, PLAN_K_COUNT),
	ROW(BOTH, "Iface.gateway", iface[0].gw, PLAN_K_ADDR),
	ROW(BOTH, "Iface.mac", iface[0].mac, PLAN_K_MAC),
	ROW(BOTH, "Iface.gateway_mac", iface[0].gw_mac, PLAN_K_MAC),
	ROW(BOTH, "Iface.mtu", iface[0].mtu, PLAN_K_LIMIT),
	ROW(BOTH, "use", n_ifaces, PLAN_K_PART),
	ROW(BOTH, "use", roles, PLAN_K_PART),

	ROW(BOTH, "Freshet.label", label, PLAN_K_CHARS),
	ROW(BOTH, "Freshet.seed", seed, PLAN_K_COUNT),
	ROW(BOTH, "Freshet.world", world, PLAN_K_COUNT),
	ROW(BOTH, "Freshet.lanes", n_lanes, PLAN_K_COUNT),
	CHOICE(BOTH, "Freshet.verify", verify, PLAN_K_CHOICE, "full|sample|length"),
	ROW(BOTH, "Freshet.verify_share", verify_share, PLAN_K_SHARE),
	ROW(BOTH, "Freshet.stats_cycle", stats_cycle_ns, PLAN_K_TIME),
	ROW(BOTH, "Freshet.csv_cycle", csv_cycle_ns, PLAN_K_TIME),
	ROW(BOTH, "Freshet.idle_tout", idle_tout_ns, PLAN_K_TOUT),
	ROW(BOTH, "Freshet.drain", drain_ns, PLAN_K_TIME),

	ROW(PLAN_SERVER, "Freshet.server.max_conns", origin.max_conns, PLAN_K_COUNT),

	ROW(PLAN_CLIENT, "Freshet.robot.count", robots.n_robots, PLAN_K_COUNT),
	CHOICE(PLAN_CLIENT, "Freshet.robot.arrival", robots.arrival, PLAN_K_CHOICE,
		"best_effort|poisson|const"),
	ROW(PLAN_CLIENT, "Freshet.robot.rate", robots.rate_is_total, PLAN_K_TOTAL),
	ROW(PLAN_CLIENT, "Freshet.robot.launch_win", robots.launch_win_ns, PLAN_K_TIME),
	ROW(PLAN_CLIENT, "Freshet.robot.uri", robots.uri, PLAN_K_TEXT),
	ROW(PLAN_CLIENT, "Freshet.robot.headers", robots.header, PLAN_K_TEXTS),
	ROW(PLAN_CLIENT, "Freshet.robot.headers", robots.n_headers, PLAN_K_PART),
	ROW(PLAN_CLIENT, "Freshet.robot.body_size", robots.body_size, PLAN_K_DIST),
	ROW(PLAN_CLIENT, "Freshet.robot.expect_status", robots.expect_status, PLAN_K_STATUS),
	ROW(PLAN_CLIENT, "Freshet.robot.expect_status", robots.expect_given, PLAN_K_PART),
	ROW(PLAN_CLIENT, "Freshet.robot.connect_timeout", robots.connect_timeout_ns, PLAN_K_TOUT),
	CHOICE(PLAN_CLIENT, "Freshet.robot.close", robots.close, PLAN_K_CHOICE, "fin|rst"),
	ROW(PLAN_CLIENT, "Freshet.robot.retry_stale", robots.retry_stale, PLAN_K_BOOL),
	ROW(PLAN_CLIENT, "Freshet.robot.max_conns", robots.max_conns, PLAN_K_COUNT),
	ROW(PLAN_CLIENT, "Freshet.robot.port_lo", robots.port_lo, PLAN_K_COUNT),
	ROW(PLAN_CLIENT, "Freshet.robot.port_hi", robots.port_hi, PLAN_K_COUNT),

	ROW(BOTH, "Freshet.tcp.mss", tcp.mss, PLAN_K_COUNT),
	ROW(BOTH, "Freshet.tcp.wscale", tcp.wscale, PLAN_K_COUNT),
	CHOICE(BOTH, "Freshet.tcp.cc", tcp.cc, PLAN_K_CHOICE, "reno|none"),
	ROW(BOTH, "Freshet.tcp.rcv_wnd", tcp.rcv_wnd, PLAN_K_SIZE),
	ROW(BOTH, "Freshet.tcp.initial_window", tcp.initial_window_segs, PLAN_K_COUNT),
	ROW(BOTH, "Freshet.tcp.syn_retries", tcp.syn_retries, PLAN_K_COUNT),
	ROW(BOTH, "Freshet.tcp.data_retries", tcp.data_retries, PLAN_K_COUNT),
	ROW(BOTH, "Freshet.tcp.rto_initial", tcp.rto_initial_ns, PLAN_K_TIME),
	ROW(BOTH, "Freshet.tcp.rto_min", tcp.rto_min_ns, PLAN_K_TIME),
	ROW(BOTH, "Freshet.tcp.rto_max", tcp.rto_max_ns, PLAN_K_TIME),
	ROW(BOTH, "Freshet.tcp.delayed_ack", tcp.delayed_ack_ns, PLAN_K_TIME),
	ROW(BOTH, "Freshet.tcp.delayed_ack_segs", tcp.delayed_ack_segs, PLAN_K_COUNT),
	ROW(BOTH, "Freshet.tcp.fin_wait2", tcp.fin_wait2_ns, PLAN_K_TIME),
	ROW(BOTH, "Freshet.tcp.time_wait", tcp.time_wait_ns, PLAN_K_TIME),
	ROW(BOTH, "Freshet.tcp.timestamps", tcp.timestamps, PLAN_K_BOOL),
	ROW(BOTH, "Freshet.tcp.sack", tcp.sack, PLAN_K_BOOL),
	ROW(BOTH, "Freshet.tcp.tw_reuse", tcp.tw_reuse, PLAN_K_BOOL),
	ROW(BOTH, "Freshet.tcp.isn_key", tcp.isn_key, PLAN_K_COUNT),
};
const uint32_t plan_n_fields = ARRAY_LEN(plan_fields);

const struct plan_array plan_arrays[] = {
	{"Phase", offsetof(struct plan, phase), sizeof(struct plan_phase),
		offsetof(struct plan, n_phases), PLAN_PHASES_MAX},
	{"Iface", offsetof(struct plan, iface), sizeof(struct plan_iface),
		offsetof(struct plan, n_ifaces), PLAN_IFACES_MAX},
};
const uint32_t plan_n_arrays = ARRAY_LEN(plan_arrays);
