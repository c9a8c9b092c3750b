/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Command options -> plan. One table defines every option (front_options); what is not workload
 * goes to `struct front_run`. INIT only. Texts point into argv, which lives as long as the program.
 */
#ifndef FRONT_H
#define FRONT_H

#include "base_opt.h"
#include "load_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

enum front_idle {
	FRONT_IDLE_AUTO,
	FRONT_IDLE_SPIN,
	FRONT_IDLE_YIELD,
	FRONT_IDLE_SLEEP
};
enum front_topology {
	FRONT_LANES,
	FRONT_SPLIT
};
enum front_time {
	FRONT_TIME_EPOCH,
	FRONT_TIME_MINUTES
};

#define FRONT_VALUES_WORDS 384

/** What is about the program, not the workload. */
struct front_run {
	const char *command;
	const char *csv; /* interval file; NULL: none */
	const char *csv_counters; /* long form; NULL: none */
	int64_t verb_lvl;
	int console_time; /* enum front_time */
	int idle; /* enum front_idle */
	int topology; /* enum front_topology; of loop */
	uint64_t workers; /* 0: chosen */
	uint64_t port; /* DPDK port of client or server: --port_id */
	uint64_t queues; /* 0: one per worker */
	bool print_config;
	bool help;
	bool stage_cycles;
	const char *capture; /* pcapng file, NULL: none */
	bool simulated; /* the net is our own; an --iface or --port_id says that it is not */
	uint64_t values[FRONT_VALUES_WORDS]; /* options as parsed: for front_banner() */
};

extern const struct opt_table front_options;

/** Commands of this table: "loop", "client", "server". @return true when known. */
bool front_knows(const char *command);

/**
 * Options of a command -> plan (plan_init'ed here; the caller calls plan_fini() after success) and
 * run. Addresses default to 198.18.0.0/15 (RFC 2544) in a simulated net, else to the interfaces'.
 * With run->help nothing is built. plan->n_lanes is --workers, or 1: the engine sets what it chose.
 * @param simulated true when no port or EAL argument was given; see also run->simulated.
 * @return 0 or -errno with *e filled.
 */
int front_build(const char *command, int argc, char *const *argv, bool simulated, struct plan *p,
	struct front_run *run, struct err *e);

/** Start banner's `Configuration:` block: every option of the command and its value, two columns.
 * @param values front_run's. */
void front_banner(const char *command, const void *values, FILE *f);

#ifdef __cplusplus
}
#endif
#endif
