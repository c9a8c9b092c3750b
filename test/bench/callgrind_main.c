/* SPDX-License-Identifier: BSD-3-Clause */
/* Work to be counted: callgrind_main FIGURE N runs N transactions of the pure modules and prints
 * how many units they were. test/callgrind/run takes the difference of two N, so that start and end
 * cancel out. --time: nanoseconds of CPU per unit, for a look without valgrind, with as many robots
 * as given. */
#include "pair.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum unit {
	UNIT_XACT,
	UNIT_SEGMENT /* with payload, of origins */
};

static const struct figure {
	const char *name;
	enum unit unit;
	struct pair_want want;
} figures[] = {
	{"keep-alive", UNIT_XACT, {"1000000000", "100B", PLAN_VERIFY_FULL, 1024, 0}},
	{"connection", UNIT_XACT, {"1", "100B", PLAN_VERIFY_FULL, 1024, 0}},
	{"segment-length", UNIT_SEGMENT, {"1000000000", "1MB", PLAN_VERIFY_LENGTH, 16, 0}},
	{"segment-full", UNIT_SEGMENT, {"1000000000", "1MB", PLAN_VERIFY_FULL, 16, 0}},
};

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int
figure_run(const struct figure *f, uint64_t n, const char *timed_robots)
{
	struct pair_want want = f->want;
	struct pair *p;
	struct err e;
	uint64_t units;
	double beg;
	int rc;

	err_clear(&e);
	want.n_xacts = n;
	if (timed_robots != NULL)
		want.n_robots = (uint32_t)strtoul(timed_robots, NULL, 10);
	p = pair_new(&want, &e);
	if (p == NULL) {
		char text[640];

		err_text(&e, text, sizeof(text));
		fprintf(stderr, "callgrind_main: %s\n", text);
		return 2;
	}
	beg = now_ns();
	rc = pair_run(p);
	units = f->unit == UNIT_SEGMENT ? pair_server(p)->tcp.data_segs_out
					: pair_client(p)->agent.completed;
	if (rc != 0 || pair_client(p)->tcp.rtx_segs + pair_server(p)->tcp.rtx_segs != 0) {
		fprintf(stderr, "callgrind_main: %s: a transaction failed or was sent again\n",
			f->name);
		rc = 1;
	} else if (timed_robots != NULL) {
		printf("%s %.1f ns\n", f->name, (now_ns() - beg) / (double)units);
	} else {
		printf("%llu\n", (unsigned long long)units);
	}
	pair_free(p);
	return rc;
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc >= 3 && i < ARRAY_LEN(figures); i++)
		if (strcmp(argv[1], figures[i].name) == 0)
			return figure_run(&figures[i], strtoull(argv[2], NULL, 10),
				argc > 4 && strcmp(argv[3], "--time") == 0 ? argv[4] : NULL);
	fprintf(stderr, "usage: callgrind_main FIGURE N [--time ROBOTS]\n");
	return 2;
}
