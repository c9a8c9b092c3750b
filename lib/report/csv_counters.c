/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report_priv.h"

/** What was written last of one scope: deltas start there. */
struct counters_scope {
	struct counters_scope *next;
	enum snap_role role;
	double t_end_s;
	uint32_t n_values;
	uint64_t *total;
	char name[sizeof(((struct snap_scope *)NULL)->name)];
};

struct report_counters {
	struct report_out out;
	struct counters_scope *scopes;
};

struct report_counters *
report_counters_open(const char *path, struct err *e)
{
	static const char header[] =
		"t_end_s,role,scope,module,counter,unit,delta,total" REPORT_CSV_EOL;
	struct report_counters *c = calloc(1, sizeof(*c));
	int rc;

	if (c == NULL) {
		err_setup(e, ENOMEM, "CSV file of counters", path, "no memory");
		return NULL;
	}
	if (report_out_open(&c->out, path, "CSV file of counters", e) != 0) {
		free(c);
		return NULL;
	}
	rc = report_out_line(&c->out, header, sizeof(header) - 1);
	if (rc != 0) {
		err_setup(e, -rc, "CSV file of counters", path, "cannot write: %s", strerror(-rc));
		(void)report_counters_close(c);
		return NULL;
	}
	return c;
}

static struct counters_scope *
counters_scope_get(struct report_counters *c, const struct snapshot *s, const struct snap_scope *sc)
{
	struct counters_scope *cs;

	for (cs = c->scopes; cs != NULL; cs = cs->next)
		if (cs->role == s->role && strcmp(cs->name, sc->name) == 0)
			return cs;
	cs = calloc(1, sizeof(*cs));
	if (cs == NULL)
		return NULL;
	cs->total = calloc(s->n_values, sizeof(*cs->total));
	if (cs->total == NULL) {
		free(cs);
		return NULL;
	}
	cs->role = s->role;
	cs->t_end_s = -1;
	cs->n_values = s->n_values;
	snprintf(cs->name, sizeof(cs->name), "%s", sc->name);
	cs->next = c->scopes;
	c->scopes = cs;
	return cs;
}

static int
counters_line(struct report_counters *c, const struct snapshot *s, const struct snap_scope *sc,
	struct counters_scope *cs, const struct counter_set *set, const struct counter_desc *d)
{
	uint32_t i = set->first + (uint32_t)(d - set->desc);
	uint64_t delta = sc->delta[i];
	char line[256];
	struct report_text t;

	if (i >= cs->n_values)
		return -EOVERFLOW;
	if (d->kind == COUNTER_SUM)
		delta = sc->total[i] - cs->total[i];
	report_text_init(&t, line, sizeof(line));
	report_text_fixed(&t, s->t_end_s, 6, 0);
	report_text_add(&t, ",%s,%s,%s,%s,%s,%llu,%llu" REPORT_CSV_EOL, report_role_name(s->role),
		sc->name, set->module, d->name, d->unit, (unsigned long long)delta,
		(unsigned long long)sc->total[i]);
	if (t.n >= sizeof(line))
		return -EOVERFLOW;
	cs->total[i] = sc->total[i];
	return report_out_line(&c->out, line, t.n);
}

static int
counters_scope_rows(
	struct report_counters *c, const struct snapshot *s, const struct snap_scope *sc)
{
	struct counters_scope *cs = counters_scope_get(c, s, sc);
	int rc = 0;

	if (cs == NULL)
		return -ENOMEM;
	if (s->t_end_s <= cs->t_end_s)
		return 0;
	cs->t_end_s = s->t_end_s;
	for (uint32_t m = 0; m < s->n_sets && rc == 0; m++)
		for (uint32_t i = 0; i < s->sets[m].n && rc == 0; i++)
			rc = counters_line(c, s, sc, cs, &s->sets[m], &s->sets[m].desc[i]);
	return rc;
}

int
report_counters_rows(struct report_counters *c, const struct snapshot *s)
{
	int rc;

	if (s->row == SNAP_PHASE)
		return 0;
	rc = counters_scope_rows(c, s, &s->all);
	for (uint32_t i = 0; i < s->n_scopes && rc == 0; i++)
		rc = counters_scope_rows(c, s, &s->scope[i]);
	return rc;
}

int
report_counters_close(struct report_counters *c)
{
	struct counters_scope *cs;
	int rc;

	if (c == NULL)
		return 0;
	rc = report_out_close(&c->out);
	while ((cs = c->scopes) != NULL) {
		c->scopes = cs->next;
		free(cs->total);
		free(cs);
	}
	free(c);
	return rc;
}
