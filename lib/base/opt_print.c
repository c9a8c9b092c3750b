/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base_bytes.h"
#include "base_num.h"
#include "base_opt.h"
#include "opt_priv.h"

/* The form of each kind, for a value that has no range or that is not even of the form. */
static const char *const opt_form[] = {
	[OPT_FLAG] = "on, off, yes, no, true, false, 1 or 0",
	[OPT_COUNT] = "a count such as 5, 10k or 2M",
	[OPT_INT] = "a whole number",
	[OPT_FLOAT] = "a decimal number such as 1.5",
	[OPT_TIME] = "a time with unit such as 10sec, 250ms or 5min",
	[OPT_SIZE] = "a size such as 13KB, 1MB or 500",
	[OPT_RATE] = "a rate such as 400/sec, 10k/sec or 90/min",
	[OPT_SHARE] = "a share such as 55%, 55p or 0.55",
	[OPT_TEXT] = "a text without line ends",
	[OPT_CHOICE] = "one of",
	[OPT_LIST] = "a text without line ends",
};

static const char *const opt_arg[] = {
	[OPT_FLAG] = "",
	[OPT_COUNT] = "N",
	[OPT_INT] = "N",
	[OPT_FLOAT] = "X",
	[OPT_TIME] = "TIME",
	[OPT_SIZE] = "SIZE",
	[OPT_RATE] = "RATE",
	[OPT_SHARE] = "SHARE",
	[OPT_TEXT] = "TEXT",
	[OPT_CHOICE] = "WORD",
	[OPT_LIST] = "TEXT",
};

/* Shortest of the usual precisions that reads back. */
static int
opt_double_text(double v, char *buf, unsigned int size)
{
	char t[400];
	int digits;

	for (digits = 0; digits < 330; digits++) {
		(void)snprintf(t, sizeof(t), "%.*f", digits, v);
		if (strtod(t, NULL) == v)
			break;
	}
	return snprintf(buf, size, "%s", t);
}

/* A bound of a range in the row's own unit. */
static int
opt_bound_text(const struct opt_row *r, double v, char *buf, unsigned int size)
{
	switch (r->kind) {
	case OPT_TIME:
		return num_time_text((uint64_t)v, buf, size);
	case OPT_SIZE:
		return num_size_text((uint64_t)v, buf, size);
	case OPT_RATE:
		return num_rate_text(v, buf, size);
	case OPT_SHARE:
		return num_share_text(v, buf, size);
	default:
		return opt_double_text(v, buf, size);
	}
}

/* `low..high`, or `at least low` where the top is beyond what the type could hold. */
static int
opt_range_text(const struct opt_row *r, char *buf, unsigned int size)
{
	const double top = r->kind == OPT_RATE || r->kind == OPT_FLOAT ? 1e300 : 9.2e18;
	char low[64];
	char high[64];

	if (r->min == r->max)
		return snprintf(buf, size, "%s", "");
	(void)opt_bound_text(r, r->min, low, sizeof(low));
	if (r->max >= top)
		return snprintf(buf, size, "at least %s", low);
	(void)opt_bound_text(r, r->max, high, sizeof(high));
	return snprintf(buf, size, "%s..%s", low, high);
}

/* Choices as `a, b or c`. */
static int
opt_choices_text(const struct opt_row *r, char *buf, unsigned int size)
{
	const char *p = r->choices;
	unsigned int used = 0;

	if (size != 0)
		buf[0] = '\0';
	while (used < size) {
		size_t len = strcspn(p, "|");
		bool last = p[len] == '\0';
		bool before_last = !last && strchr(p + len + 1, '|') == NULL;

		used += (unsigned int)snprintf(buf + used, size - used, "%.*s%s", (int)len, p,
			last	      ? ""
			: before_last ? " or "
				      : ", ");
		if (last)
			break;
		p += len + 1;
	}
	return (int)used;
}

int
opt_allowed_text(const struct opt_row *r, char *buf, unsigned int size)
{
	char more[160];

	if (r->kind == OPT_CHOICE) {
		(void)opt_choices_text(r, more, sizeof(more));
		return snprintf(buf, size, "%s", more);
	}
	(void)opt_range_text(r, more, sizeof(more));
	if (more[0] == '\0')
		return snprintf(buf, size, "%s", opt_form[r->kind]);
	return snprintf(buf, size, "%s, %s", opt_form[r->kind], more);
}

static const char *
opt_arg_of(const struct opt_row *r)
{
	return r->arg != NULL ? r->arg : opt_arg[r->kind];
}

/* What help and doc say behind the sentence: choices, range, default. */
static int
opt_facts_text(const struct opt_row *r, const char *quote, char *buf, unsigned int size)
{
	char range[160];
	int n = 0;

	range[0] = '\0';
	if (r->kind == OPT_CHOICE)
		(void)opt_choices_text(r, range, sizeof(range));
	else if (r->kind <= OPT_SHARE && r->kind != OPT_FLAG)
		(void)opt_range_text(r, range, sizeof(range));
	buf[0] = '\0';
	if (range[0] != '\0')
		n = snprintf(buf, size, "%s%s", range, r->kind == OPT_LIST ? "" : "; ");
	if (r->kind == OPT_LIST)
		n += snprintf(buf + n, size - (unsigned int)n, "may be repeated; ");
	return n + snprintf(buf + n, size - (unsigned int)n, "default %s%s%s",
			   r->value == NULL ? "" : quote,
			   r->value == NULL	 ? "none"
			   : r->value[0] == '\0' ? "empty"
						 : r->value,
			   r->value == NULL ? "" : quote);
}

/* True when no earlier row that `command` shows has this group. */
static bool
opt_group_first(const struct opt_table *t, const char *command, uint32_t i)
{
	uint32_t j;

	for (j = 0; j < i; j++) {
		if (opt_row_has(&t->rows[j], command) &&
			strcmp(t->rows[j].group, t->rows[i].group) == 0)
			return false;
	}
	return opt_row_has(&t->rows[i], command);
}

static void
opt_help_row(const struct opt_row *r, FILE *f)
{
	char left[80];
	char facts[400];

	(void)snprintf(left, sizeof(left), "--%s%s%s", r->name, opt_arg_of(r)[0] != '\0' ? " " : "",
		opt_arg_of(r));
	(void)opt_facts_text(r, "", facts, sizeof(facts));
	if (strlen(left) > 26)
		fprintf(f, "  %s\n  %-26s  %s (%s)\n", left, "", r->help, facts);
	else
		fprintf(f, "  %-26s  %s (%s)\n", left, r->help, facts);
}

void
opt_help(const struct opt_table *t, const char *command, FILE *f)
{
	const char *blank = "";
	uint32_t i;
	uint32_t j;

	for (i = 0; i < t->n; i++) {
		if (!opt_group_first(t, command, i))
			continue;
		fprintf(f, "%s%s:\n", blank, t->rows[i].group);
		blank = "\n";
		for (j = i; j < t->n; j++) {
			if (opt_row_has(&t->rows[j], command) &&
				strcmp(t->rows[j].group, t->rows[i].group) == 0)
				opt_help_row(&t->rows[j], f);
		}
	}
}

static void
opt_doc_row(const struct opt_row *r, FILE *f)
{
	const char *arg = opt_arg_of(r);
	char facts[400];

	(void)opt_facts_text(r, "``", facts, sizeof(facts));
	fprintf(f, "``--%s%s%s``\n", r->name, arg[0] != '\0' ? " " : "", arg);
	fprintf(f, "    %s.\n", r->help);
	fprintf(f, "    %c%s.\n", facts[0] >= 'a' && facts[0] <= 'z' ? facts[0] - 32 : facts[0],
		facts + 1);
	fprintf(f, "    Commands: %s.\n\n", r->commands != NULL ? r->commands : "all");
}

void
opt_doc(const struct opt_table *t, FILE *f)
{
	uint32_t i;
	uint32_t j;
	size_t n;

	fprintf(f, ".. SPDX-License-Identifier: BSD-3-Clause\n"
		   ".. Made by `freshet doc-options` from the option table: do not edit.\n\n"
		   "Options\n=======\n\n"
		   "Write ``--name value`` or ``--name=value``; ``_`` and ``-`` are the same in "
		   "names.\n\n");
	for (i = 0; i < t->n; i++) {
		if (!opt_group_first(t, NULL, i))
			continue;
		fprintf(f, "%s\n", t->rows[i].group);
		for (n = strlen(t->rows[i].group); n > 0; n--)
			fputc('-', f);
		fputs("\n\n", f);
		for (j = i; j < t->n; j++) {
			if (strcmp(t->rows[j].group, t->rows[i].group) == 0)
				opt_doc_row(&t->rows[j], f);
		}
	}
}

static int
opt_list_text(const struct opt_list *l, char *buf, unsigned int size)
{
	unsigned int used = 0;
	uint32_t i;

	for (i = 0; i < l->n && used < size; i++)
		used += (unsigned int)snprintf(
			buf + used, size - used, "%s%s", i == 0 ? "" : ",", l->v[i]);
	return (int)used;
}

/* Position i of `choices`. */
static int
opt_choice_text(const char *choices, int i, char *buf, unsigned int size)
{
	for (; i > 0 && choices[0] != '\0'; i--)
		choices += strcspn(choices, "|") + 1;
	return snprintf(buf, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

/* True when nothing was given and there is no default: by the flag of the row where it has one,
 * else by what opt_defaults() writes then. */
static bool
opt_is_unset(const struct opt_row *r, const uint8_t *base)
{
	static const uint8_t zero[8];
	const uint8_t *field = base + r->offset;

	if (r->value != NULL || r->kind == OPT_FLAG)
		return false;
	if (r->kind == OPT_CHOICE)
		return *(const int *)(const void *)field < 0;
	if (r->kind == OPT_LIST)
		return ((const struct opt_list *)(const void *)field)->n == 0;
	if (r->kind != OPT_TEXT && r->set_offset != 0)
		return !base[r->set_offset];
	return memcmp(field, zero, sizeof(zero)) == 0;
}

int
opt_text(const struct opt_row *r, const void *result, char *buf, unsigned int size)
{
	const uint8_t *base = result;
	const void *field = base + r->offset;

	if (opt_is_unset(r, base))
		return snprintf(buf, size, "<none>");
	switch (r->kind) {
	case OPT_FLAG:
		return snprintf(buf, size, "%s", *(const bool *)field ? "on" : "off");
	case OPT_COUNT:
		return snprintf(buf, size, "%llu", *(const unsigned long long *)field);
	case OPT_INT:
		return snprintf(buf, size, "%lld", *(const long long *)field);
	case OPT_FLOAT:
		return opt_double_text(*(const double *)field, buf, size);
	case OPT_TIME:
		return num_time_text(*(const uint64_t *)field, buf, size);
	case OPT_SIZE:
		return num_size_text(*(const uint64_t *)field, buf, size);
	case OPT_RATE:
		return num_rate_text(*(const double *)field, buf, size);
	case OPT_SHARE:
		return num_share_text(*(const double *)field, buf, size);
	case OPT_TEXT:
		return snprintf(buf, size, "%s", *(const char *const *)field);
	case OPT_CHOICE:
		return opt_choice_text(r->choices, *(const int *)field, buf, size);
	case OPT_LIST:
		return opt_list_text(field, buf, size);
	}
	return snprintf(buf, size, "<none>");
}
