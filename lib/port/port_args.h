/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Command line -> EAL arguments: `COMMAND [EAL options] -- [options]`. Without `--` every option is
 * the command's and EAL gets our defaults: no hugepages unless free, one control lcore that floats
 * over all allowed CPUs, workers pinned one per CPU.
 * PURE but port_host_read() and port_rundir_*(), which read the machine. INIT only.
 */
#ifndef PORT_ARGS_H
#define PORT_ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include "base_err.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PORT_CPUS_MAX 1024
#define PORT_ARGS_MAX 96

/** A command line behind COMMAND, split at `--`. Texts stay argv's. */
struct port_args {
	char *eal[PORT_ARGS_MAX];
	int n_eal;
	char **cmd;
	int n_cmd;
	bool names_port; /* a device is named: --vdev, -a */
	bool names_vdev; /* a virtual one, and no other */
};

/** @return 0, or -EINVAL when there are more EAL options than we take. */
int port_args_split(int argc, char **argv, struct port_args *a, struct err *e);

/** What the machine offers. */
struct port_host {
	uint16_t cpu[PORT_CPUS_MAX]; /* allowed ones, ascending */
	uint32_t n_cpus;
	uint64_t
		huge_free_mb; /* 2 MB pages that we may take; 0 without a mount that we can write */
};
void port_host_read(struct port_host *h);

enum port_place {
	PORT_PLACE_LOW,
	PORT_PLACE_HIGH
}; /* which of the allowed CPUs workers take */

struct port_want {
	uint32_t n_workers; /* 0: default_workers */
	uint32_t default_workers; /* never more than CPUs */
	enum port_place place;
	const char *vdev; /* our own device, NULL: none */
	bool devices; /* PCI devices are wanted: the net is not our own */
	int pid; /* makes --file-prefix unique */
};

#define PORT_EAL_TEXT 8192
struct port_eal {
	char *argv[PORT_ARGS_MAX + 24];
	int argc;
	uint32_t n_workers; /* lcores that EAL will give us beside the main one */
	bool huge;
	bool ours; /* lcores are our choice, not the user's */
	char text[PORT_EAL_TEXT];
	uint32_t used;
};

/** Lcores first: fills n_workers and the lcore arguments, so that memory can be computed from them.
 * @return 0, or -EINVAL with *e filled. */
int port_eal_lcores(const struct port_args *a, const struct port_host *h, const struct port_want *w,
	struct port_eal *out, struct err *e);

/** Then the rest, with `mem_mb` of packet memory. */
int port_eal_finish(const struct port_args *a, const struct port_host *h, const struct port_want *w,
	uint32_t mem_mb, struct port_eal *out, struct err *e);

/** Number of lcores that an EAL list names: `0-3`, `0,2`, `0@(0,1),1@0`, `(1-3)@0`; 0: not a list.
 */
uint32_t port_lcores_count(const char *list);

/** Start EAL. Its own complaints go to stderr. @return 0, or -errno with *e (set-up) filled. */
int port_eal_start(struct port_eal *eal, struct err *e);
/** Stop EAL and remove the directory of this run. */
void port_eal_stop(void);

/** Remove run directories `freshet-PID` of processes that are gone. @return how many. */
uint32_t port_rundir_sweep(const char *base);
/** Remove one directory with the files in it. */
void port_rundir_remove(const char *dir);
/** Where EAL puts run directories for this user. */
void port_rundir_base(char *buf, unsigned int size);

#ifdef __cplusplus
}
#endif
#endif
