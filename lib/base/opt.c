/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base_assert.h"
#include "base_bytes.h"
#include "base_num.h"
#include "base_opt.h"
#include "opt_priv.h"

#define OPT_NEAR 3 /* farthest edit distance at which a name is suggested */
#define OPT_NAME_MAX 64

/* Names equal, `_` and `-` being the same; a has n bytes. */
static bool
opt_name_equal(const char *a, size_t n, const char *b)
{
	size_t i;

	for (i = 0; i < n; i++) {
		char c = a[i] == '-' ? '_' : a[i];

		if (b[i] == '\0' || c != b[i])
			return false;
	}
	return b[n] == '\0';
}

bool
opt_row_has(const struct opt_row *r, const char *command)
{
	size_t n;
	const char *p;

	if (command == NULL || r->commands == NULL)
		return true;
	n = strlen(command);
	for (p = r->commands; (p = strstr(p, command)) != NULL; p += n) {
		if ((p == r->commands || p[-1] == ' ') && (p[n] == '\0' || p[n] == ' '))
			return true;
	}
	return false;
}

static const struct opt_row *
opt_find(const struct opt_table *t, const char *command, const char *name, size_t n)
{
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		if (opt_name_equal(name, n, t->rows[i].name) && opt_row_has(&t->rows[i], command))
			return &t->rows[i];
	}
	return NULL;
}

/* Levenshtein distance by one row of the table. */
static uint32_t
opt_distance(const char *a, size_t n, const char *b)
{
	uint32_t cost[OPT_NAME_MAX + 1];
	size_t m = strlen(b);
	size_t i;
	size_t j;

	if (n > OPT_NAME_MAX || m > OPT_NAME_MAX)
		return UINT32_MAX;
	for (j = 0; j <= m; j++)
		cost[j] = (uint32_t)j;
	for (i = 1; i <= n; i++) {
		uint32_t diagonal = cost[0];
		char c = a[i - 1] == '-' ? '_' : a[i - 1];

		cost[0] = (uint32_t)i;
		for (j = 1; j <= m; j++) {
			uint32_t change = diagonal + (c != b[j - 1]);

			diagonal = cost[j];
			if (cost[j - 1] + 1 < change)
				change = cost[j - 1] + 1;
			cost[j] = cost[j] + 1 < change ? cost[j] + 1 : change;
		}
	}
	return cost[m];
}

static const char *
opt_nearest(const struct opt_table *t, const char *command, const char *name, size_t n)
{
	const char *best = NULL;
	uint32_t best_cost = OPT_NEAR + 1;
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		uint32_t cost = opt_distance(name, n, t->rows[i].name);

		/* a name of which nothing is left is no suggestion */
		if (!opt_row_has(&t->rows[i], command) || cost >= best_cost || cost >= n)
			continue;
		best = t->rows[i].name;
		best_cost = cost;
	}
	return best;
}

/* Commands of all rows of this name: an option that exists, elsewhere. */
static int
opt_error_elsewhere(const struct opt_table *t, const char *command, const char *word,
	const char *name, size_t n, struct err *e)
{
	char list[200] = "";
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < t->n && used < sizeof(list); i++) {
		if (!opt_name_equal(name, n, t->rows[i].name))
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
			used == 0 ? "" : " ", t->rows[i].commands);
	}
	return err_usage(
		e, word, NULL, "not an option of '%s'; commands that have it: %s", command, list);
}

static int
opt_error_unknown(
	const struct opt_table *t, const char *command, const char *name, size_t n, struct err *e)
{
	char word[OPT_NAME_MAX + 3];
	const char *near;

	(void)snprintf(word, sizeof(word), "--%.*s", (int)n, name);
	if (opt_find(t, NULL, name, n) != NULL)
		return opt_error_elsewhere(t, command, word, name, n, e);
	near = opt_nearest(t, command, name, n);
	if (near != NULL)
		return err_usage(e, "unknown option", word, "did you mean --%s?", near);
	return err_usage(e, "unknown option", word, "see 'freshet %s --help'",
		command == NULL ? "" : command);
}

static int
opt_error_value(const struct opt_row *r, const char *value, struct err *e)
{
	char name[OPT_NAME_MAX + 3];
	char range[160];

	(void)snprintf(name, sizeof(name), "--%s", r->name);
	(void)opt_allowed_text(r, range, sizeof(range));
	return err_usage(e, name, value[0] == '\0' ? "(empty)" : value, "%s", range);
}

static int
opt_flag_parse(const char *s, bool *v)
{
	static const char *const yes[] = {"on", "yes", "true", "1"};
	static const char *const no[] = {"off", "no", "false", "0"};
	size_t i;

	for (i = 0; i < ARRAY_LEN(yes); i++) {
		if (strcmp(s, yes[i]) == 0 || strcmp(s, no[i]) == 0) {
			*v = strcmp(s, yes[i]) == 0;
			return 0;
		}
	}
	return -EINVAL;
}

static int
opt_choice_parse(const char *choices, const char *s, int *v)
{
	size_t n = strlen(s);
	const char *p = choices;
	int i;

	for (i = 0;; i++) {
		size_t len = strcspn(p, "|");

		if (len == n && n != 0 && strncmp(p, s, n) == 0) {
			*v = i;
			return 0;
		}
		if (p[len] == '\0')
			return -EINVAL;
		p += len + 1;
	}
}

/* A line end inside a text would become a header or a log line of its own. */
static int
opt_text_check(const char *s)
{
	return s[strcspn(s, "\r\n")] == '\0' ? 0 : -EINVAL;
}

static int
opt_list_add(struct opt_list *l, const char *s)
{
	int rc = opt_text_check(s);

	if (rc != 0)
		return rc;
	if (l->n == OPT_LIST_MAX)
		return -ENOSPC;
	l->v[l->n++] = s;
	return 0;
}

static bool
opt_in_range(const struct opt_row *r, double v)
{
	return r->min == r->max || (v >= r->min && v <= r->max);
}

static int
opt_store_u64(const struct opt_row *r, int rc, uint64_t v, void *field)
{
	if (rc != 0 || !opt_in_range(r, (double)v))
		return rc != 0 ? rc : -ERANGE;
	memcpy(field, &v, sizeof(v));
	return 0;
}

static int
opt_store_double(const struct opt_row *r, int rc, double v, void *field)
{
	if (rc != 0 || !opt_in_range(r, v))
		return rc != 0 ? rc : -ERANGE;
	memcpy(field, &v, sizeof(v));
	return 0;
}

/* Parse one value by the row's kind into its field. */
static int
opt_store(const struct opt_row *r, const char *s, void *field)
{
	uint64_t u = 0;
	int64_t i = 0;
	double d = 0;
	int rc;

	switch (r->kind) {
	case OPT_FLAG:
		return opt_flag_parse(s, field);
	case OPT_COUNT:
		rc = num_count_parse(s, &u);
		return opt_store_u64(r, rc, u, field);
	case OPT_INT:
		rc = num_int_parse(s, &i);
		if (rc != 0 || !opt_in_range(r, (double)i))
			return rc != 0 ? rc : -ERANGE;
		memcpy(field, &i, sizeof(i));
		return 0;
	case OPT_FLOAT:
		rc = num_float_parse(s, &d);
		return opt_store_double(r, rc, d, field);
	case OPT_TIME:
		rc = num_time_parse(s, &u);
		return opt_store_u64(r, rc, u, field);
	case OPT_SIZE:
		rc = num_size_parse(s, &u);
		return opt_store_u64(r, rc, u, field);
	case OPT_RATE:
		rc = num_rate_parse(s, &d);
		return opt_store_double(r, rc, d, field);
	case OPT_SHARE:
		rc = num_share_parse(s, &d);
		return opt_store_double(r, rc, d, field);
	case OPT_TEXT:
		rc = opt_text_check(s);
		if (rc == 0)
			memcpy(field, &s, sizeof(s));
		return rc;
	case OPT_CHOICE:
		return opt_choice_parse(r->choices, s, field);
	case OPT_LIST:
		return opt_list_add(field, s);
	}
	return -EINVAL;
}

static void
opt_unset(const struct opt_row *r, uint8_t *field)
{
	static const size_t size[] = {
		[OPT_FLAG] = sizeof(bool),
		[OPT_TEXT] = sizeof(const char *),
		[OPT_CHOICE] = sizeof(int),
		[OPT_LIST] = sizeof(struct opt_list),
	};

	memset(field, r->kind == OPT_CHOICE ? 0xff : 0,
		r->kind < ARRAY_LEN(size) && size[r->kind] != 0 ? size[r->kind] : sizeof(uint64_t));
}

int
opt_defaults(const struct opt_table *t, const char *command, void *result, struct err *e)
{
	uint8_t *base = result;
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		const struct opt_row *r = &t->rows[i];

		if (!opt_row_has(r, command))
			continue;
		opt_unset(r, base + r->offset);
		if (r->set_offset != 0)
			base[r->set_offset] = false;
		if (r->value != NULL && opt_store(r, r->value, base + r->offset) != 0)
			return opt_error_value(r, r->value, e);
	}
	return 0;
}

/* One occurrence. The first one given of a list replaces its default. */
static int
opt_set(const struct opt_row *r, const char *value, uint8_t *base, struct err *e)
{
	struct opt_list *l = (struct opt_list *)(void *)(base + r->offset);
	int rc;

	if (r->kind == OPT_LIST && l->n == 1 && l->v[0] == r->value)
		l->n = 0;
	rc = opt_store(r, value, base + r->offset);
	if (rc == -ENOSPC) {
		char name[OPT_NAME_MAX + 3];

		(void)snprintf(name, sizeof(name), "--%s", r->name);
		return err_usage(e, name, value, "at most %d of them", OPT_LIST_MAX);
	}
	if (rc != 0)
		return opt_error_value(r, value, e);
	if (r->set_offset != 0)
		base[r->set_offset] = true;
	return 0;
}

/* The argument is not of the form --name: say what it may have been meant as. */
static int
opt_error_stray(const char *word, struct err *e)
{
	if (strcmp(word, "--") == 0)
		return err_usage(e, "'--' given twice", NULL, "EAL options -- options");
	if (word[0] == '-' && word[1] != '\0')
		return err_usage(e, "unknown option", word,
			"options begin with '--'; EAL options stand before ' -- '");
	return err_usage(e, "stray word", word, "options have the form --name value");
}

static int
opt_error_missing(const struct opt_row *r, struct err *e)
{
	char name[OPT_NAME_MAX + 32];
	char range[160];

	(void)snprintf(name, sizeof(name), "--%s: value is missing", r->name);
	(void)opt_allowed_text(r, range, sizeof(range));
	return err_usage(e, name, NULL, "%s", range);
}

int
opt_parse(const struct opt_table *t, const char *command, int argc, char *const *argv, void *result,
	struct err *e)
{
	int i;

	for (i = 0; i < argc; i++) {
		const char *name = argv[i] + 2;
		const struct opt_row *r;
		const char *value;
		size_t n;
		int rc;

		if (strncmp(argv[i], "--", 2) != 0 || argv[i][2] == '\0')
			return opt_error_stray(argv[i], e);
		n = strcspn(name, "=");
		r = opt_find(t, command, name, n);
		if (r == NULL)
			return opt_error_unknown(t, command, name, n, e);
		if (name[n] == '=')
			value = name + n + 1;
		else if (r->kind == OPT_FLAG)
			value = "on";
		else if (i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0)
			value = argv[++i];
		else
			return opt_error_missing(r, e);
		rc = opt_set(r, value, result, e);
		if (rc != 0)
			return rc;
	}
	return 0;
}
