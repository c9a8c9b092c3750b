/* SPDX-License-Identifier: BSD-3-Clause */
#include "http_message.h"

static void
two_digits(char *p, unsigned int v)
{
	p[0] = (char)('0' + v / 10 % 10);
	p[1] = (char)('0' + v % 10);
}

/* Days since 1970-01-01 -> civil date. Years begin in March here, so that the leap day is a year's
 * last; 146097 days make 400 years. */
static void
civil(uint64_t days, unsigned int *year, unsigned int *month, unsigned int *day)
{
	uint64_t z = days + 719468;
	uint64_t era = z / 146097;
	unsigned int doe = (unsigned int)(z % 146097);
	unsigned int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	unsigned int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	unsigned int mp = (5 * doy + 2) / 153;

	*day = doy - (153 * mp + 2) / 5 + 1;
	*month = mp < 10 ? mp + 3 : mp - 9;
	*year = (unsigned int)(era * 400) + yoe + (*month <= 2);
}

void
http_date_text(uint64_t unix_s, char buf[30])
{
	static const char days[] = "ThuFriSatSunMonTueWed"; /* day 0 was a Thursday */
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	unsigned int s = (unsigned int)(unix_s % 86400);
	unsigned int year;
	unsigned int month;
	unsigned int day;

	civil(unix_s / 86400, &year, &month, &day);
	memcpy(buf, "Thu, 01 Jan 1970 00:00:00 GMT", 30);
	memcpy(buf, days + unix_s / 86400 % 7 * 3, 3);
	two_digits(buf + 5, day);
	memcpy(buf + 8, months + 3 * (month - 1), 3);
	two_digits(buf + 12, year / 100);
	two_digits(buf + 14, year % 100);
	two_digits(buf + 17, s / 3600);
	two_digits(buf + 20, s / 60 % 60);
	two_digits(buf + 23, s % 60);
}
