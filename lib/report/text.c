/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdarg.h>
#include "report_priv.h"

void
report_text_init(struct report_text *t, char *buf, unsigned int size)
{
	t->buf = buf;
	t->size = size;
	t->n = 0;
	if (size > 0)
		buf[0] = '\0';
}

void
report_text_add(struct report_text *t, const char *fmt, ...)
{
	unsigned int room = t->n < t->size ? t->size - t->n : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room > 0 ? t->buf + t->n : NULL, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->n += (unsigned int)n;
}

void
report_text_fixed(struct report_text *t, double v, unsigned int decimals, unsigned int width)
{
	static const uint64_t pow10[] = {
		1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
	double scaled = fabs(v) * (double)pow10[decimals];
	char num[48];
	uint64_t n;

	if (!isfinite(v))
		return;
	if (scaled > 9e18) { /* beyond what counts can reach: an integer is exact enough */
		report_text_add(t, "%*.0f", (int)width, v);
		return;
	}
	n = (uint64_t)llround(scaled);
	if (decimals == 0)
		snprintf(num, sizeof(num), "%s%llu", v < 0 && n > 0 ? "-" : "",
			(unsigned long long)n);
	else
		snprintf(num, sizeof(num), "%s%llu.%0*llu", v < 0 && n > 0 ? "-" : "",
			(unsigned long long)(n / pow10[decimals]), (int)decimals,
			(unsigned long long)(n % pow10[decimals]));
	report_text_add(t, "%*s", (int)width, num);
}

/* Three digits; the limits are where rounding would make a fourth. */
static void
text_scaled(struct report_text *t, double v, const char *unit, unsigned int width)
{
	unsigned int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
	char num[48];
	struct report_text s;

	report_text_init(&s, num, sizeof(num));
	report_text_fixed(&s, v, decimals, 0);
	report_text_add(&s, "%s", unit);
	report_text_add(t, "%*s", (int)width, num);
}

void
report_text_time(struct report_text *t, double ns, unsigned int width)
{
	if (ns < 999.5e3)
		text_scaled(t, ns / 1e3, "us", width);
	else if (ns < 999.5e6)
		text_scaled(t, ns / 1e6, "ms", width);
	else
		text_scaled(t, ns / 1e9, "s", width);
}

void
report_text_size(struct report_text *t, double bytes)
{
	static const char *const units[] = {"KB", "MB", "GB", "TB", "PB"};
	unsigned int i = 0;

	if (bytes < 1024) {
		report_text_fixed(t, bytes, 0, 0);
		report_text_add(t, "B");
		return;
	}
	for (bytes /= 1024; bytes >= 999.5 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		bytes /= 1024;
	text_scaled(t, bytes, units[i], 0);
}
