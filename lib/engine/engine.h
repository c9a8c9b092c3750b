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

struct engine_want {
	struct plan *plan; /* n_lanes and missing interfaces are filled in here */
	const struct front_run *run;
	const struct port_args *args;
	bool simulated; /* rings or memif of our own */
	int argc; /* as typed, for the banner */
	char *const *argv;
};

/** Run to the end. Messages go to stdout, errors to stderr. @return exit code of the program. */
int engine_run(const struct engine_want *want);

#ifdef __cplusplus
}
#endif
#endif
