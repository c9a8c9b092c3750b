/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "load_plan.h"

#define STATUS_LO 100
#define STATUS_HI 599

static bool
status_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* `2xx` or `200`; lo and hi are the codes it stands for. @return bytes used, 0 when it is neither.
 */
static unsigned int
status_item(const char *s, uint32_t *lo, uint32_t *hi)
{
	if (s[0] < '1' || s[0] > '5')
		return 0;
	if (s[1] == 'x' && s[2] == 'x') {
		*lo = (uint32_t)(s[0] - '0') * 100;
		*hi = *lo + 99;
		return 3;
	}
	if (!status_digit(s[1]) || !status_digit(s[2]))
		return 0;
	*lo = (uint32_t)(s[0] - '0') * 100 + (uint32_t)(s[1] - '0') * 10 + (uint32_t)(s[2] - '0');
	*hi = *lo;
	return 3;
}

static void
status_add(struct plan_status_set *set, uint32_t lo, uint32_t hi)
{
	for (; lo <= hi; lo++)
		set->bits[(lo - STATUS_LO) >> 6] |= 1ULL << ((lo - STATUS_LO) & 63);
}

int
plan_status_parse(const char *s, struct plan_status_set *set)
{
	struct plan_status_set r = {{0}};

	for (;;) {
		uint32_t lo;
		uint32_t hi;
		uint32_t first;
		unsigned int n = status_item(s, &lo, &hi);

		if (n == 0)
			return -EINVAL;
		s += n;
		if (s[0] == '-') {
			n = status_item(s + 1, &first, &hi);
			if (n == 0 || hi < lo)
				return -EINVAL;
			s += 1 + n;
		}
		status_add(&r, lo, hi);
		if (*s == '\0')
			break;
		if (*s++ != ',')
			return -EINVAL;
	}
	*set = r;
	return 0;
}

static uint32_t
status_run_end(const struct plan_status_set *set, uint32_t lo)
{
	while (lo < STATUS_HI && plan_status_has(set, lo + 1))
		lo++;
	return lo;
}

/* The next piece from lo on: a whole class where one fits, else a range. @return its last code. */
static uint32_t
status_piece(const struct plan_status_set *set, uint32_t lo, char *buf, unsigned int size)
{
	uint32_t hi = status_run_end(set, lo);
	uint32_t class_lo = (lo + 99) / 100 * 100;

	if (lo == class_lo && hi >= lo + 99) {
		(void)snprintf(buf, size, "%uxx", lo / 100);
		return lo + 99;
	}
	if (class_lo > lo && hi >= class_lo + 99)
		hi = class_lo - 1;
	if (hi == lo)
		(void)snprintf(buf, size, "%u", lo);
	else
		(void)snprintf(buf, size, "%u-%u", lo, hi);
	return hi;
}

int
plan_status_text(const struct plan_status_set *set, char *buf, unsigned int size)
{
	char piece[16];
	int n = 0;
	uint32_t i;

	if (size > 0)
		buf[0] = '\0';
	for (i = STATUS_LO; i <= STATUS_HI; i++) {
		unsigned int at = (unsigned int)n < size ? (unsigned int)n : size;

		if (!plan_status_has(set, i))
			continue;
		i = status_piece(set, i, piece, sizeof(piece));
		n += snprintf(buf + at, size - at, "%s%s", n == 0 ? "" : ",", piece);
	}
	return n;
}
