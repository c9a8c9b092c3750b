/* SPDX-License-Identifier: BSD-3-Clause */
/* What `freshet loop` does at best on this machine, beside what its rings do: loop_bench [--slices
 * N]
 * [--figure NAME]... [--csv FILE] [--workers N] [--topology lanes|split]. One process per figure,
 * as EAL starts once; in it, work and floor in turn (slices.h). doc/measuring.rst. */
#include "engine.h"
#include "table.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TUPLES (64 * (65535 - 1024 + 1))
#define CONNS "4352" /* closed loop: a few are between two connections at any time */
#define ARGS_MAX 64

static const struct figure {
	const char *name;
	const char *what;
	enum table_unit unit;
	const char *use;
	const char *size;
	const char *verify;
} figures[] = {
	{"keep-alive", "kept connections, replies of 100 bytes, compared in full", TABLE_XACTS,
		"1000000000", "100B", "full"},
	{"connections", "one request per connection, replies of 100 bytes, FIN both ways",
		TABLE_CONNS, "1", "100B", "full"},
	{"bulk-length", "replies of 1 MB, MTU 1500, checksums and length only", TABLE_GBIT,
		"1000000000", "1MB", "length"},
	{"bulk-full", "replies of 1 MB, MTU 1500, checksums and each byte", TABLE_GBIT,
		"1000000000", "1MB", "full"},
};

struct options {
	uint32_t n_slices;
	const char *csv;
	const char *topology;
	const char *workers;
	const char *figure[ARRAY_LEN(figures)];
	uint32_t n_figures;
};

struct command {
	char *argv[ARGS_MAX];
	int argc;
};

static void
add(struct command *c, const char *name, const char *value)
{
	c->argv[c->argc++] = (char *)(uintptr_t)name;
	if (value != NULL)
		c->argv[c->argc++] = (char *)(uintptr_t)value;
}

/* The bench plan. RTO above the length of a slice: timers stand still while a floor runs. */
static void
command_make(const struct figure *f, const struct options *o, const char *csv, const char *goal,
	struct command *c)
{
	memset(c, 0, sizeof(*c));
	add(c, "freshet", NULL);
	add(c, "loop", NULL);
	add(c, "-m", "256");
	add(c, "--no-huge", NULL);
	add(c, "--", NULL);
	add(c, "--best_effort", NULL);
	add(c, "--robots", CONNS);
	add(c, "--addresses", "198.18.0.1-64");
	add(c, "--pconn_use_lmt", f->use);
	add(c, "--rep_sz", f->size);
	add(c, "--verify", f->verify);
	add(c, "--rto_min", "3sec");
	add(c, "--tw", "1sec");
	add(c, "--csv_cycle", "1sec");
	add(c, "--csv", csv);
	add(c, "--topology", o->topology);
	add(c, "--workers", o->workers);
	add(c, "--goal", goal);
	add(c, "--verb_lvl", "1");
}

static void
plan_print(const struct figure *f, const struct command *c)
{
	printf("\n%s: %s\n  plan:", f->name, f->what);
	for (int i = 0; i < c->argc; i++)
		printf(" %s", c->argv[i]);
	printf("\n  new object each request, no pipelining, both parsers, histograms and counters, "
	       "CSV "
	       "each second\n");
	if (f->unit == TABLE_CONNS)
		printf("  TIME-WAIT 1 s, at the origins (they close first); ports of an address "
		       "are used "
		       "in turn\n");
	fflush(stdout);
}

static int
error_print(const struct err *e)
{
	char text[640];

	err_text(e, text, sizeof(text));
	fprintf(stderr, "loop_bench: %s\n", text);
	return e->exit_code;
}

static int
engine_start(struct command *c, const struct engine_hook *hook)
{
	static struct plan plan;
	static struct front_run run;
	struct port_args args;
	struct err e;
	struct engine_want want = {.plan = &plan,
		.run = &run,
		.args = &args,
		.simulated = true,
		.argc = c->argc,
		.argv = c->argv,
		.hook = hook};
	int code;

	err_clear(&e);
	if (port_args_split(c->argc - 2, c->argv + 2, &args, &e) != 0 ||
		front_build("loop", args.n_cmd, args.cmd, true, &plan, &run, &e) != 0)
		return error_print(&e);
	code = engine_run(&want);
	plan_fini(&plan);
	return code;
}

/* What the program says goes to a file, and is shown when the run is invalid. */
static int
engine_start_quiet(struct command *c, const struct engine_hook *hook, const char *path)
{
	int out = dup(STDOUT_FILENO);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char text[4096];
	ssize_t n;
	int code;

	if (out < 0 || fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
		perror("loop_bench: log");
		return EXIT_CODE_SETUP;
	}
	code = engine_start(c, hook);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	lseek(fd, 0, SEEK_SET);
	while (code != 0 && (n = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)n, stdout);
	close(fd);
	unlink(path);
	return code;
}

/* In a process of its own. */
static int
figure_run(const struct figure *f, const struct options *o)
{
	struct tick_rate rate = tick_calibrate(100000000);
	char dir[] = "/tmp/freshet-bench-XXXXXX";
	char csv[64];
	char log[64];
	struct engine_hook hook = {.start = slices_start, .turn = slices_turn, .stop = slices_stop};
	FILE *out = o->csv != NULL ? fopen(o->csv, "a") : NULL;
	struct command c;
	struct slices *s;
	struct err e;
	char goal[24];
	int code;

	err_clear(&e);
	s = slices_new(&rate, o->n_slices, &e);
	if (s == NULL)
		return error_print(&e);
	if ((o->csv != NULL && out == NULL) || mkdtemp(dir) == NULL) {
		perror("loop_bench: results");
		return EXIT_CODE_SETUP;
	}
	snprintf(csv, sizeof(csv), "%s/run.csv", dir);
	snprintf(log, sizeof(log), "%s/log", dir);
	hook.arg = s;
	snprintf(goal, sizeof(goal), "%.2fsec",
		((double)WARM_UP_NS + 2.0 * o->n_slices * (double)SLICE_NS) * 1e-9 + 0.4);
	command_make(f, o, csv, goal, &c);
	plan_print(f, &c);
	code = engine_start_quiet(&c, &hook, log);
	unlink(csv);
	rmdir(dir);
	if (code == 0 && table_print(s, &rate, f->name, f->unit, TUPLES, out) != 0)
		code = EXIT_CODE_INVALID;
	else if (code != 0)
		printf("  the run is invalid: exit code %d\n", code);
	slices_free(s);
	if (out != NULL && fclose(out) != 0)
		code = EXIT_CODE_INCOMPLETE;
	return code;
}

static int
figure_fork(const struct figure *f, const struct options *o)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		exit(figure_run(f, o));
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror("loop_bench");
		return EXIT_CODE_SETUP;
	}
	if (WIFSIGNALED(status))
		printf("  ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_CODE_SETUP;
}

static bool
wanted(const struct options *o, const struct figure *f)
{
	for (uint32_t i = 0; i < o->n_figures; i++)
		if (strcmp(o->figure[i], f->name) == 0)
			return true;
	return o->n_figures == 0;
}

static int
options_parse(int argc, char **argv, struct options *o)
{
	for (int i = 1; i < argc; i += 2) {
		const char *value = argv[i + 1];

		if (value == NULL)
			return -1;
		if (strcmp(argv[i], "--slices") == 0)
			o->n_slices = (uint32_t)strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--csv") == 0)
			o->csv = value;
		else if (strcmp(argv[i], "--topology") == 0)
			o->topology = value;
		else if (strcmp(argv[i], "--workers") == 0)
			o->workers = value;
		else if (strcmp(argv[i], "--figure") == 0 && o->n_figures < ARRAY_LEN(figures))
			o->figure[o->n_figures++] = value;
		else
			return -1;
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct options o = {.n_slices = 20, .topology = "lanes", .workers = "0"};
	int worst = 0;

	if (options_parse(argc, argv, &o) != 0) {
		fprintf(stderr, "usage: loop_bench [--slices N] [--figure NAME]... [--csv FILE] "
				"[--workers N] [--topology lanes|split]\n");
		return EXIT_CODE_USAGE;
	}
	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		int code = wanted(&o, &figures[i]) ? figure_fork(&figures[i], &o) : 0;

		worst = code != 0 ? code : worst;
	}
	return worst;
}
