/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_priv.h"
#include <rte_lcore.h>
#include <stdio.h>
#include <stdlib.h>

static int
failed(struct engine *e)
{
	char text[640];

	err_text(&e->err, text, sizeof(text));
	fflush(stdout);
	fprintf(stderr, "freshet: %s\n", text);
	return e->err.exit_code != 0 ? e->err.exit_code : EXIT_CODE_SETUP;
}

/* Set-up or resolution failed: workers, if any, end first. */
static void
workers_abort(struct engine *e)
{
	__atomic_store_n(&e->stop, 1, __ATOMIC_RELEASE);
	if (e->eal_runs)
		rte_eal_mp_wait_lcore();
	port_memif_guard(NULL, NULL);
	engine_output_close(e);
}

static int
run(struct engine *e)
{
	if (engine_setup_start(e) != 0)
		return failed(e);
	if (engine_setup_lanes(e) != 0)
		return failed(e);
	engine_control_run(e);
	if (e->err.exit_code != 0)
		return failed(e);
	engine_finish_drain(e);
	return engine_finish_report(e);
}

int
engine_run(const struct engine_want *want)
{
	struct engine *e = aligned_alloc(CACHE_LINE, (sizeof(*e) + 63) & ~(size_t)63);
	int code;

	if (e == NULL)
		return EXIT_CODE_SETUP;
	memset(e, 0, sizeof(*e));
	e->want = want;
	e->plan = want->plan;
	e->run = want->run;
	e->open_loop =
		(want->plan->roles & PLAN_CLIENT) && want->plan->robots.arrival != PLAN_BEST_EFFORT;
	err_clear(&e->err);
	engine_signals_catch();
	code = run(e);
	workers_abort(e);
	engine_setup_fini(e);
	free(e);
	return code;
}
