/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What the option table writes to, and the steps from there to a plan. INIT only.
 */
#ifndef FRONT_PRIV_H
#define FRONT_PRIV_H

#include "front.h"

/** Result of opt_parse(). The first member is no flag: offset 0 means "no flag" in a row. */
struct front_values {
	/* load */
	uint64_t robots;
	double req_rate;
	double rate;
	int arrival; /* 0 poisson, 1 const, 2 exp, which is Poisson too */
	bool best_effort;
	bool req_rate_given;
	bool rate_given;
	bool arrival_given;
	const char *goal;
	uint64_t launch_win;
	uint64_t open_conn_lmt;
	const char *pconn_use_lmt;
	uint64_t seed;
	/* requests and replies */
	const char *uri;
	const char *method;
	struct opt_list headers;
	const char *body_sz;
	int http_version;
	const char *expect_status;
	const char *rep_sz;
	const char *xact_think;
	const char *verify;
	int retry_stale;
	/* times */
	uint64_t timeout;
	uint64_t connect_timeout;
	uint64_t idle_tout;
	uint64_t idle_pconn_tout;
	uint64_t drain;
	/* addresses */
	struct opt_list origins;
	struct opt_list addresses;
	struct opt_list ifaces;
	const char *proxy;
	const char *sport;
	uint64_t port; /* TCP port of origins given without one */
	/* TCP */
	uint64_t mss;
	bool mss_given;
	uint64_t wscale;
	uint64_t rcv_wnd;
	bool rcv_wnd_given;
	uint64_t initial_window;
	uint64_t syn_retries;
	uint64_t rto_min;
	uint64_t delayed_ack;
	uint64_t tw;
	int sack;
	int timestamps;
	int cc;
	int close;
	/* program */
	uint64_t max_conns;
	uint64_t workers;
	uint64_t queues;
	uint64_t port_id;
	bool port_id_given;
	int topology;
	int idle;
	uint64_t stats_cycle;
	uint64_t csv_cycle;
	int64_t verb_lvl;
	int console_time;
	const char *label;
	const char *csv;
	const char *csv_counters;
	const char *capture;
	bool print_config;
	bool stage_cycles;
	bool help;
};
static_assert_(sizeof(struct front_values) <= FRONT_VALUES_WORDS * 8, "front_run holds it");

/** Everything but addresses. */
int quick_load(const struct front_values *v, struct plan *p, struct err *e);
/** Addresses, interfaces, proxy; then the sizes that follow from them. */
int quick_net(const struct front_values *v, bool simulated, struct plan *p, struct err *e);

#endif
