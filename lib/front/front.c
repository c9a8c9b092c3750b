/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include "front_priv.h"

static const struct front_command {
	const char *name;
	uint32_t roles;
} front_commands[] = {
	{"loop", PLAN_CLIENT | PLAN_SERVER},
	{"client", PLAN_CLIENT},
	{"server", PLAN_SERVER},
};

static const struct front_command *
front_find(const char *command)
{
	uint32_t i;

	for (i = 0; i < ARRAY_LEN(front_commands); i++) {
		if (strcmp(front_commands[i].name, command) == 0)
			return &front_commands[i];
	}
	return NULL;
}

bool
front_knows(const char *command)
{
	return front_find(command) != NULL;
}

/* No file is made here: only names that can't be one are refused. */
static int
front_files_check(const struct front_values *v, struct err *e)
{
	static const char *const name[] = {"--csv", "--csv_counters", "--capture"};
	const char *file[] = {v->csv, v->csv_counters, v->capture};
	char both[48];
	unsigned int i;
	unsigned int k;

	for (i = 0; i < ARRAY_LEN(file); i++) {
		if (file[i] == NULL)
			continue;
		if (file[i][0] == '\0')
			return err_usage(e, name[i], "(empty)", "a file name");
		for (k = 0; k < i; k++) {
			if (file[k] == NULL || strcmp(file[i], file[k]) != 0)
				continue;
			(void)snprintf(both, sizeof(both), "%s and %s", name[k], name[i]);
			return err_usage(e, both, file[i], "must be different files");
		}
	}
	return 0;
}

static void
front_run_fill(
	const struct front_values *v, const char *command, bool simulated, struct front_run *run)
{
	run->command = command;
	run->csv = v->csv;
	run->csv_counters = v->csv_counters;
	run->verb_lvl = v->verb_lvl;
	run->console_time = v->console_time;
	run->idle = v->idle;
	run->topology = v->topology;
	run->workers = v->workers;
	run->port = v->port_id;
	run->queues = v->queues;
	run->print_config = v->print_config;
	run->help = v->help;
	run->stage_cycles = v->stage_cycles;
	run->capture = v->capture;
	run->simulated = simulated;
}

int
front_build(const char *command, int argc, char *const *argv, bool simulated, struct plan *p,
	struct front_run *run, struct err *e)
{
	const struct front_command *c = front_find(command);
	struct front_values *v = (struct front_values *)run->values;
	int rc;

	plan_init(p);
	memset(run, 0, sizeof(*run));
	if (c == NULL)
		return err_usage(e, "command", command, "loop, client or server");
	rc = opt_defaults(&front_options, command, v, e);
	if (rc == 0)
		rc = opt_parse(&front_options, command, argc, argv, v, e);
	if (rc != 0)
		return rc;
	if (c->roles == (PLAN_CLIENT | PLAN_SERVER))
		simulated = true;
	else if (v->ifaces.n != 0 || v->port_id_given)
		simulated = false;
	front_run_fill(v, c->name, simulated, run);
	if (run->help)
		return 0;
	p->roles = c->roles;
	rc = front_files_check(v, e);
	if (rc == 0)
		rc = quick_load(v, p, e);
	if (rc == 0)
		rc = quick_net(v, simulated, p, e);
	if (rc == 0)
		rc = plan_check(p, e);
	if (rc != 0)
		plan_fini(p);
	return rc;
}
