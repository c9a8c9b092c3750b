/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A run on this machine: workers poll lanes on ports, control walks the phases and writes results.
 * Not the workload (load/), not the protocols (lane/), not the ports' set-up (port/).
 * CTL: called once, on the thread that becomes EAL's main lcore. doc/design/engine.rst.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "front.h"
#include "port_args.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lane_counters;

/** What a worker does in place of its lanes for some turns. test/bench measures so what the rings
 * can do at best: on the same cores, in the same process, slice by slice. */
struct engine_hook {
	void *arg;
	/** INIT: EAL runs and the ports are there. @return 0, or -errno with *e filled. */
	int (*start)(void *arg, uint32_t n_workers, struct err *e);
	/** OWNER, before each turn of a worker. @param client, server counters of its lanes, NULL:
	 * none. @return true when it did something else: the lanes are not turned this time. */
	bool (*turn)(void *arg, uint32_t x_worker, const struct lane_counters *client,
		const struct lane_counters *server);
	/** INIT: the workers have ended. */
	void (*stop)(void *arg);
};

struct engine_want {
	struct plan *plan; /* n_lanes and missing interfaces are filled in here */
	const struct front_run *run;
	const struct port_args *args;
	bool simulated; /* rings or memif of our own */
	int argc; /* as typed, for the banner */
	char *const *argv;
	const struct engine_hook *hook; /* NULL: none */
};

/** Run to the end. Messages go to stdout, errors to stderr. @return exit code of the program. */
int engine_run(const struct engine_want *want);

#ifdef __cplusplus
}
#endif
#endif
