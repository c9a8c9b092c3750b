/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "base_log.h"

void
log_line(const struct log_sink *s, int level, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	int n;

	if (s == NULL || s->write == NULL)
		return;
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof(line))
		memcpy(line + sizeof(line) - 4, "...", 4);
	s->write(s->ctx, level, line);
}
