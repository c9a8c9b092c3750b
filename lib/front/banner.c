/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "front_priv.h"

#define BANNER_TEXT 4096 /* a list of 64 long values is cut there */

/* Unit and two decimals, as Web Polygraph's banner has times: 5.00sec, 1.00min. */
static void
banner_time(uint64_t ns, char *buf, size_t size)
{
	static const struct {
		const char *name;
		double ns;
	} unit[] = {{"hour", 3600e9}, {"min", 60e9}, {"sec", 1e9}, {"msec", 1e6}, {"usec", 1e3}};
	unsigned int i = 0;

	if (ns == 0)
		i = 2;
	while (ns != 0 && i + 1 < ARRAY_LEN(unit) && (double)ns < unit[i].ns)
		i++;
	(void)snprintf(buf, size, "%.2f%s", (double)ns / unit[i].ns, unit[i].name);
}

/* 64.000KB */
static void
banner_size(uint64_t bytes, char *buf, size_t size)
{
	static const char *const unit[] = {"Byte", "KB", "MB", "GB"};
	double v = (double)bytes;
	unsigned int i = 0;

	while (v >= 1024 && i + 1 < ARRAY_LEN(unit)) {
		v /= 1024;
		i++;
	}
	(void)snprintf(buf, size, "%.*f%s", i == 0 ? 0 : 3, v, unit[i]);
}

static bool
banner_has(const struct opt_row *r, const char *command)
{
	const char *p = r->commands;
	size_t n = strlen(command);

	while (*p != '\0') {
		size_t len = strcspn(p, " ");

		if (len == n && strncmp(p, command, n) == 0)
			return true;
		p += len + (p[len] == ' ');
	}
	return false;
}

static void
banner_value(const struct opt_row *r, const void *values, char *buf, size_t size)
{
	uint64_t v;

	(void)opt_text(r, values, buf, (unsigned int)size);
	if (strcmp(buf, "<none>") == 0 || (r->kind != OPT_TIME && r->kind != OPT_SIZE))
		return;
	memcpy(&v, (const uint8_t *)values + r->offset, sizeof(v));
	if (r->kind == OPT_TIME)
		banner_time(v, buf, size);
	else
		banner_size(v, buf, size);
}

void
front_banner(const char *command, const void *values, FILE *f)
{
	char text[BANNER_TEXT];
	uint32_t i;

	fputs("Configuration:\n", f);
	for (i = 0; i < front_options.n; i++) {
		const struct opt_row *r = &front_options.rows[i];
		char name[64];

		if (!banner_has(r, command))
			continue;
		(void)snprintf(name, sizeof(name), "%s:", r->name);
		banner_value(r, values, text, sizeof(text));
		fprintf(f, "\t%-20s %s\n", name, text);
	}
}
