/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_args.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
port_rundir_base(char *buf, unsigned int size)
{
	const char *dir = getenv("XDG_RUNTIME_DIR");

	/* As EAL chooses: /var/run for root, the user's own directory, /tmp. */
	if (getuid() == 0)
		dir = "/var/run";
	else if (dir == NULL || *dir == 0)
		dir = "/tmp";
	snprintf(buf, size, "%s/dpdk", dir);
}

void
port_rundir_remove(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *f;

	if (d == NULL)
		return;
	while ((f = readdir(d)) != NULL)
		if (strcmp(f->d_name, ".") != 0 && strcmp(f->d_name, "..") != 0)
			unlinkat(dirfd(d), f->d_name, 0);
	closedir(d);
	rmdir(dir);
}

uint32_t
port_rundir_sweep(const char *base)
{
	DIR *d = opendir(base);
	struct dirent *f;
	uint32_t n = 0;

	if (d == NULL)
		return 0;
	while ((f = readdir(d)) != NULL) {
		char path[512];
		char *end;
		long pid;

		if (strncmp(f->d_name, "freshet-", 8) != 0)
			continue;
		pid = strtol(f->d_name + 8, &end, 10);
		if (*end != 0 || pid <= 1 || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", base, f->d_name) >= (int)sizeof(path))
			continue;
		port_rundir_remove(path);
		n++;
	}
	closedir(d);
	return n;
}
