/* SPDX-License-Identifier: BSD-3-Clause */
/* The program: command table, arguments, exit code. No logic. */
#include "engine.h"
#include "lane.h"
#include "pgl_print.h"
#include "report.h"
#include <stdio.h>
#include <string.h>

static int
error_print(const struct err *e)
{
	char text[640];

	err_text(e, text, sizeof(text));
	fprintf(stderr, "freshet: %s\n", text);
	return e->exit_code != 0 ? e->exit_code : EXIT_CODE_USAGE;
}

/* A listing that could not be written is not one. */
static int
stdout_close(void)
{
	return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_CODE_GOOD : EXIT_CODE_INCOMPLETE;
}

static int
plan_print(const struct plan *p)
{
	return pgl_print(p, stdout) == 0 ? stdout_close() : EXIT_CODE_INCOMPLETE;
}

static int
traffic_main(int argc, char **argv)
{
	static struct plan plan;
	static struct front_run run;
	struct port_args args;
	struct err e;
	struct engine_want want = {
		.plan = &plan, .run = &run, .args = &args, .argc = argc, .argv = argv};
	int code;

	err_clear(&e);
	if (port_args_split(argc - 2, argv + 2, &args, &e) != 0 ||
		front_build(argv[1], args.n_cmd, args.cmd, !args.names_port, &plan, &run, &e) != 0)
		return error_print(&e);
	if (run.help) {
		printf("usage: freshet %s [EAL options] -- [options]\n"
		       "       freshet %s [options]\n\n",
			argv[1], argv[1]);
		opt_help(&front_options, argv[1], stdout);
		return stdout_close();
	}
	want.simulated = run.simulated;
	code = run.print_config ? plan_print(&plan) : engine_run(&want);
	plan_fini(&plan);
	return code;
}

static int
doc_options_main(int argc, char **argv)
{
	opt_doc(&front_options, stdout);
	return stdout_close();
}

static int
doc_metrics_main(int argc, char **argv)
{
	report_metrics_doc(lane_counter_sets, lane_n_counter_sets, stdout);
	return stdout_close();
}

static int
version_main(int argc, char **argv)
{
	printf("freshet %s\n", FRESHET_VERSION);
	return stdout_close();
}

static int help_main(int argc, char **argv);

static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *help;
} commands[] = {
	{"loop", traffic_main, "robots and origins in this process, joined by rings"},
	{"client", traffic_main, "robots on a DPDK port, or towards `freshet server` on this host"},
	{"server", traffic_main, "origins on a DPDK port, or for `freshet client` on this host"},
	{"doc-options", doc_options_main, "every option, reStructuredText"},
	{"doc-metrics", doc_metrics_main, "every counter, reStructuredText"},
	{"help", help_main, "this text; `freshet COMMAND --help` for its options"},
	{"--help", help_main, NULL},
	{"--version", version_main, "version of the program"},
};

static void
usage(FILE *f)
{
	fprintf(f, "usage: freshet COMMAND [EAL options] -- [options]\n"
		   "       freshet COMMAND [options]\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].help != NULL)
			fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].help);
}

static int
help_main(int argc, char **argv)
{
	usage(stdout);
	return stdout_close();
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_CODE_USAGE;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].main(argc, argv);
	fprintf(stderr, "freshet: command: '%s': see `freshet help`\n", argv[1]);
	return EXIT_CODE_USAGE;
}
