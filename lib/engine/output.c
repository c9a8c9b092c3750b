/* SPDX-License-Identifier: BSD-3-Clause */
/* Console and files. A closed stdout loses lines, never results; a file that can't be written marks
 * the run incomplete and is not tried again. CTL. */
#include "engine_priv.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void
engine_output_line(struct engine *e, int level, const char *fmt, ...)
{
	char time[40];
	va_list ap;

	if (level > e->run->verb_lvl)
		return;
	report_time_text((enum report_time)e->run->console_time, engine_clock_utc_ns(),
		(double)(tick_to_ns(&e->rate, tick_now() - e->start.tsc)) * 1e-9, time,
		sizeof(time));
	printf("%s| ", time);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

int
engine_output_open(struct engine *e)
{
	if (e->run->csv != NULL) {
		e->csv = report_csv_open(e->run->csv, e->index, e->run_id, e->host, &e->err);
		if (e->csv == NULL)
			return -1;
	}
	if (e->run->csv_counters != NULL) {
		e->counters = report_counters_open(e->run->csv_counters, &e->err);
		if (e->counters == NULL)
			return -1;
	}
	if (e->run->capture != NULL) {
		e->capture = engine_capture_open(e, &e->err);
		if (e->capture == NULL)
			return -1;
	}
	return 0;
}

static void
file_failed(struct engine *e, const char *what, const char *path, int rc)
{
	e->incomplete = true;
	fprintf(stderr, "freshet: %s: '%s': %s; the run goes on without it\n", what, path,
		strerror(-rc));
}

static void
csv_give_up(struct engine *e, int rc)
{
	file_failed(e, "csv", e->run->csv, rc);
	report_csv_close(e->csv);
	e->csv = NULL;
}

static void
counters_give_up(struct engine *e, int rc)
{
	file_failed(e, "csv_counters", e->run->csv_counters, rc);
	report_counters_close(e->counters);
	e->counters = NULL;
}

void
engine_output_csv(
	struct engine *e, enum window_id win, enum snap_row row, const struct report_verdict *v)
{
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		struct snapshot s;
		int rc = 0;

		if (e->role[role].n_lanes == 0 || (e->csv == NULL && e->counters == NULL))
			continue;
		/* The last row of the file says that it is complete: one, whatever the roles. */
		if (row == SNAP_END && role == SNAP_CLIENT && e->role[SNAP_SERVER].n_lanes != 0)
			continue;
		engine_collect_snapshot(e, role, win, row, &s);
		if (e->csv != NULL)
			rc = report_csv_rows(e->csv, &s, v);
		if (rc != 0)
			csv_give_up(e, rc);
		rc = e->counters != NULL ? report_counters_rows(e->counters, &s) : 0;
		if (rc != 0)
			counters_give_up(e, rc);
		engine_control_breathe();
	}
}

/* `i-` lines of each role, and our own line below each. */
void
engine_output_interval(struct engine *e)
{
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		struct snapshot s;
		char line[512];

		if (e->role[role].n_lanes == 0 || e->run->verb_lvl < 2)
			continue;
		engine_collect_snapshot(e, role, WIN_CONSOLE, SNAP_INTERVAL, &s);
		report_console_line(e->index, &s, line, sizeof(line));
		engine_output_line(e, 2, "%s", line);
		report_own_line(e->index, &s, line, sizeof(line));
		engine_output_line(e, 2, "%s", line);
	}
}

/* `p-` lines at the end of a phase. */
void
engine_output_phase(struct engine *e)
{
	for (uint32_t role = 0; role < ENGINE_ROLES; role++) {
		struct snapshot s;
		char line[512];

		if (e->role[role].n_lanes == 0)
			continue;
		engine_collect_snapshot(e, role, WIN_PHASE, SNAP_PHASE, &s);
		report_console_line(e->index, &s, line, sizeof(line));
		engine_output_line(e, 1, "%s", line);
	}
	engine_output_csv(e, WIN_PHASE, SNAP_PHASE, NULL);
}

void
engine_output_close(struct engine *e)
{
	int rc;

	rc = e->csv != NULL ? report_csv_close(e->csv) : 0;
	e->csv = NULL;
	if (rc != 0)
		file_failed(e, "csv", e->run->csv, rc);
	rc = e->counters != NULL ? report_counters_close(e->counters) : 0;
	e->counters = NULL;
	if (rc != 0)
		file_failed(e, "csv_counters", e->run->csv_counters, rc);
	engine_capture_close(e);
}
