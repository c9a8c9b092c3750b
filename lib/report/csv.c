/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report_priv.h"

#define CSV_LINE_MAX 8192

void
report_csv_text(struct report_text *t, const char *s)
{
	if (s == NULL)
		return;
	if (strpbrk(s, ",\"\r\n") == NULL) {
		report_text_add(t, "%s", s);
		return;
	}
	report_text_add(t, "\"");
	for (; *s != '\0'; s++)
		report_text_add(t, "%s%c", *s == '"' ? "\"" : "", *s);
	report_text_add(t, "\"");
}

static int
csv_header(struct report_csv *c)
{
	char line[CSV_LINE_MAX];
	struct report_text t;

	report_text_init(&t, line, sizeof(line));
	for (uint32_t i = 0; i < report_n_csv_columns; i++)
		report_text_add(&t, "%s%s", i > 0 ? "," : "", report_csv_columns[i].name);
	report_text_add(&t, REPORT_CSV_EOL);
	return report_out_line(&c->out, line, t.n);
}

struct report_csv *
report_csv_open(const char *path, const struct report_index *x, const char *run_id,
	const char *host, struct err *e)
{
	struct report_csv *c = calloc(1, sizeof(*c));
	int rc;

	if (c == NULL) {
		err_setup(e, ENOMEM, "CSV file", path, "no memory");
		return NULL;
	}
	if (report_out_open(&c->out, path, "CSV file", e) != 0) {
		free(c);
		return NULL;
	}
	c->x = x;
	snprintf(c->run_id, sizeof(c->run_id), "%s", run_id);
	snprintf(c->host, sizeof(c->host), "%s", host);
	report_times_init(&c->times);
	rc = csv_header(c);
	if (rc != 0) {
		err_setup(e, -rc, "CSV file", path, "cannot write: %s", strerror(-rc));
		(void)report_csv_close(c);
		return NULL;
	}
	return c;
}

static int
csv_row(struct report_csv *c, const struct snapshot *s, const struct snap_scope *sc,
	const struct report_verdict *v)
{
	const struct report_csv_row r = {.csv = c, .s = s, .sc = sc, .v = v};
	char line[CSV_LINE_MAX];
	struct report_text t;

	report_text_init(&t, line, sizeof(line));
	for (uint32_t i = 0; i < report_n_csv_columns; i++) {
		const struct report_csv_column *col = &report_csv_columns[i];

		if (i > 0)
			report_text_add(&t, ",");
		if (!col->client_only || s->role == SNAP_CLIENT)
			col->put(&t, &r, col);
	}
	report_text_add(&t, REPORT_CSV_EOL);
	if (t.n >= sizeof(line))
		return -EOVERFLOW;
	return report_out_line(&c->out, line, t.n);
}

int
report_csv_rows(struct report_csv *c, const struct snapshot *s, const struct report_verdict *v)
{
	int rc;

	report_times_load(&c->times, s->cells);
	rc = csv_row(c, s, &s->all, v);
	for (uint32_t i = 0; i < s->n_scopes && rc == 0; i++)
		rc = csv_row(c, s, &s->scope[i], v);
	return rc;
}

int
report_csv_close(struct report_csv *c)
{
	int rc;

	if (c == NULL)
		return 0;
	rc = report_out_close(&c->out);
	report_times_fini(&c->times);
	free(c);
	return rc;
}
