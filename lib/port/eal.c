/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_args.h"
#include <errno.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
huge_mount_writable(void)
{
	char dev[128], dir[256], type[64];
	FILE *f = fopen("/proc/mounts", "r");
	bool found = false;

	if (f == NULL)
		return false;
	while (!found && fscanf(f, "%127s %255s %63s %*[^\n]", dev, dir, type) == 3)
		found = strcmp(type, "hugetlbfs") == 0 && access(dir, W_OK | X_OK) == 0;
	fclose(f);
	return found;
}

static uint64_t
huge_free_mb(void)
{
	unsigned long n = 0;
	FILE *f = fopen("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "r");

	if (f == NULL)
		return 0;
	if (fscanf(f, "%lu", &n) != 1)
		n = 0;
	fclose(f);
	return n * 2;
}

void
port_host_read(struct port_host *h)
{
	cpu_set_t set;

	memset(h, 0, sizeof(*h));
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		for (uint32_t i = 0; i < CPU_SETSIZE && h->n_cpus < PORT_CPUS_MAX; i++)
			if (CPU_ISSET(i, &set))
				h->cpu[h->n_cpus++] = (uint16_t)i;
	if (h->n_cpus == 0)
		h->n_cpus = 1;
	if (huge_mount_writable())
		h->huge_free_mb = huge_free_mb();
}

int
port_eal_start(struct port_eal *eal, struct err *e)
{
	char *argv[PORT_ARGS_MAX + 24 + 1];
	char base[256];
	int rc;

	port_rundir_base(base, sizeof(base));
	port_rundir_sweep(base);
	/* EAL permutes the array. */
	memcpy(argv, eal->argv, sizeof(eal->argv[0]) * (size_t)eal->argc);
	argv[eal->argc] = NULL;
	rc = rte_eal_init(eal->argc, argv);
	if (rc >= 0)
		return 0;
	if (rte_errno == EINVAL)
		return err_usage(e, "EAL options", NULL, "DPDK refused them (its words are above)");
	return err_setup(e, rte_errno != 0 ? rte_errno : EIO, "DPDK did not start", NULL,
		"%s (its own words are above)", strerror(rte_errno));
}

void
port_eal_stop(void)
{
	char dir[512];

	snprintf(dir, sizeof(dir), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	if (strstr(dir, "/freshet-") != NULL)
		port_rundir_remove(dir);
}
