/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "report_priv.h"

static void
doc_title(FILE *f, const char *title, char line)
{
	fprintf(f, "%s\n", title);
	for (size_t i = 0; i < strlen(title); i++)
		fputc(line, f);
	fputs("\n\n", f);
}

static void
doc_table(FILE *f, const char *widths, const char *const *heads, unsigned int n)
{
	fprintf(f, ".. list-table::\n   :header-rows: 1\n   :widths: %s\n\n", widths);
	for (unsigned int i = 0; i < n; i++)
		fprintf(f, "   %s %s\n", i == 0 ? "* -" : "  -", heads[i]);
}

/* A counter that the columns take as it is has its definition in its module's table. */
static bool
column_is_counter(const struct report_csv_column *c)
{
	return c->counter[0] != RC_NONE && c->counter[1] == RC_NONE &&
	       strcmp(c->unit, "Mbit/s") != 0 &&
	       strcmp(c->name, report_counter_names[c->counter[0]].name) == 0;
}

static void
doc_column(FILE *f, const struct report_csv_column *c)
{
	fprintf(f, "   * - ``%s``\n     - %s\n     - %s\n", c->name, c->unit, c->meaning);
}

static void
doc_module(FILE *f, const struct counter_set *set)
{
	static const char *const heads[] = {"counter", "kind", "unit", "severity", "meaning"};

	doc_title(f, set->module, '-');
	doc_table(f, "22 8 8 8 54", heads, 5);
	for (uint32_t i = 0; i < set->n; i++)
		fprintf(f, "   * - ``%s``\n     - %s\n     - %s\n     - %s\n     - %s\n",
			set->desc[i].name, report_kind_name(set->desc[i].kind), set->desc[i].unit,
			report_severity_name(set->desc[i].severity), set->desc[i].help);
	fputc('\n', f);
}

void
report_csv_doc(FILE *f)
{
	static const char *const heads[] = {"column", "unit", "meaning"};

	doc_table(f, "24 8 68", heads, 3);
	for (uint32_t i = 0; i < report_n_csv_columns; i++)
		doc_column(f, &report_csv_columns[i]);
}

void
report_metrics_doc(const struct counter_set *sets, uint32_t n_sets, FILE *f)
{
	static const char *const heads[] = {"column", "unit", "meaning"};

	fputs(".. SPDX-License-Identifier: BSD-3-Clause\n\n", f);
	doc_title(f, "Metrics", '=');
	fputs("Made from the tables in the source; do not edit.\n\n"
	      "Each module counts in one table. A *sum* grows: a window shows the difference, and "
	      "lanes add\n"
	      "up. A *level* is a value now; lanes add up. A *max* is the largest in the window. "
	      "*warn* is\n"
	      "something to look at when it is not zero, *error* means that the generator or its "
	      "port lost\n"
	      "something.\n\n",
		f);
	for (uint32_t i = 0; i < n_sets; i++)
		doc_module(f, &sets[i]);
	doc_title(f, "Columns that are no counters", '-');
	fputs("What the interval file (csv.rst) computes, or takes under another name.\n\n", f);
	doc_table(f, "24 8 68", heads, 3);
	for (uint32_t i = 0; i < report_n_csv_columns; i++)
		if (!column_is_counter(&report_csv_columns[i]))
			doc_column(f, &report_csv_columns[i]);
}
