/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include "report_priv.h"

#define REPORT_COUNTER_NAME(module, name) {#module, #name},

const struct report_counter_name report_counter_names[RC_N] = {
	{NULL, NULL}, REPORT_COUNTERS(REPORT_COUNTER_NAME)};

struct report_index *
report_index_new(const struct counter_set *sets, uint32_t n_sets)
{
	struct report_index *x = malloc(sizeof(*x));

	if (x == NULL)
		return NULL;
	x->sets = sets;
	x->n_sets = n_sets;
	x->x[RC_NONE] = -1;
	for (int i = RC_NONE + 1; i < RC_N; i++)
		x->x[i] = snapshot_find(
			sets, n_sets, report_counter_names[i].module, report_counter_names[i].name);
	return x;
}

void
report_index_free(struct report_index *x)
{
	free(x);
}

uint64_t
report_total_sum(const struct report_index *x, const struct snap_scope *sc,
	enum report_counter first, enum report_counter last)
{
	uint64_t n = 0;

	for (int c = first; c <= (int)last; c++)
		n += report_total(x, sc, (enum report_counter)c);
	return n;
}

const char *
report_row_name(enum snap_row row)
{
	static const char *const names[] = {"interval", "phase", "run", "end"};

	return names[row];
}

const char *
report_role_name(enum snap_role role)
{
	return role == SNAP_SERVER ? "server" : "client";
}

const char *
report_kind_name(uint8_t kind)
{
	static const char *const names[] = {"sum", "level", "max"};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "?";
}

const char *
report_severity_name(uint8_t severity)
{
	static const char *const names[] = {"info", "warn", "error"};

	return severity < sizeof(names) / sizeof(names[0]) ? names[severity] : "?";
}

const char *
report_verdict_name(enum verdict v)
{
	static const char *const names[] = {"valid", "degraded", "invalid"};

	return names[v];
}
