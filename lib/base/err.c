/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base_err.h"

void
err_clear(struct err *e)
{
	memset(e, 0, sizeof(*e));
}

/* Values come from a command line or a file: control bytes must not reach a terminal. */
static void
err_copy(char *to, size_t size, const char *from)
{
	size_t i;

	if (from == NULL)
		from = "";
	for (i = 0; i + 1 < size && from[i] != '\0'; i++) {
		unsigned char c = (unsigned char)from[i];

		to[i] = (c < 0x20 || c == 0x7f) ? '?' : (char)c;
	}
	if (i + 1 == size && i >= 3 && from[i] != '\0')
		memcpy(to + i - 3, "...", 3);
	to[i] = '\0';
}

static void
err_fill(struct err *e, int code, const char *what, const char *value, const char *fmt, va_list ap)
{
	char allowed[sizeof(e->allowed) + 1];

	if (e == NULL || e->exit_code != 0)
		return;
	e->exit_code = code;
	err_copy(e->what, sizeof(e->what), what);
	err_copy(e->value, sizeof(e->value), value);
	allowed[0] = '\0';
	if (fmt != NULL)
		(void)vsnprintf(allowed, sizeof(allowed), fmt, ap);
	err_copy(e->allowed, sizeof(e->allowed), allowed);
}

int
err_usage(struct err *e, const char *what, const char *value, const char *allowed_fmt, ...)
{
	va_list ap;

	va_start(ap, allowed_fmt);
	err_fill(e, EXIT_CODE_USAGE, what, value, allowed_fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int
err_setup(struct err *e, int errnum, const char *what, const char *value, const char *allowed_fmt,
	...)
{
	va_list ap;

	va_start(ap, allowed_fmt);
	err_fill(e, EXIT_CODE_SETUP, what, value, allowed_fmt, ap);
	va_end(ap);
	return -errnum;
}

int
err_text(const struct err *e, char *buf, unsigned int size)
{
	const char *quote = e->value[0] != '\0' ? "'" : "";
	const char *colon1 = e->value[0] != '\0' ? ": " : "";
	const char *colon2 = e->allowed[0] != '\0' ? ": " : "";

	return snprintf(buf, size, "%s%s%s%s%s%s%s", e->what, colon1, quote, e->value, quote,
		colon2, e->allowed);
}
