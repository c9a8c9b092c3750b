/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Command options -> plan. One table defines every option (front_options); what is not workload goes
 * to `struct front_run`. INIT only. Texts point into argv, which lives as long as the program.
 */
#ifndef FRONT_H
#define FRONT_H

#include "base_opt.h"
#include "load_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

enum front_idle { FRONT_IDLE_AUTO, FRONT_IDLE_SPIN, FRONT_IDLE_YIELD, FRONT_IDLE_SLEEP };
enum front_topology { FRONT_LANES, FRONT_SPLIT };
enum front_time { FRONT_TIME_EPOCH, FRONT_TIME_MINUTES };

/** What is about the program, not the workload. */
struct front_run {
	const char *command;
	const char *csv;	  /* interval file; NULL: none */
	const char *csv_counters; /* long form; NULL: none */
	int64_t verb_lvl;
	int console_time;	  /* enum front_time */
	int idle;		  /* enum front_idle */
	int topology;		  /* enum front_topology */
	uint64_t workers;	  /* 0: chosen */
	uint64_t port;		  /* DPDK port of client or server */
	uint64_t queues;	  /* 0: one per worker */
	bool print_config;
	bool help;
	bool stage_cycles;
	const char *capture;	  /* pcapng file, NULL: none */
};

extern const struct opt_table front_options;

/** Commands of this table: "loop", "client", "server". @return true when known. */
bool front_knows(const char *command);

/**
 * Options of a command -> plan (plan_init'ed here) and run. @param simulated true when no port or EAL
 * argument was given, so that the net is our own: addresses then default to 198.18.0.0/15 (RFC 2544)
 * and any address may be used. @return 0 or -errno with *e filled.
 */
int front_build(const char *command, int argc, char *const *argv, bool simulated, struct plan *p,
	struct front_run *run, struct err *e);

/** Start banner's `Configuration:` block: every option of the command and its value, two columns. */
void front_banner(const char *command, const void *values, FILE *f);

#ifdef __cplusplus
}
#endif
#endif
