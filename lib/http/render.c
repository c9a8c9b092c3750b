/* SPDX-License-Identifier: BSD-3-Clause */
/* Templates -> bytes, and the checksum of these from the parts that change: to read back what was
 * just stored in other widths would wait for the stores (a tenth of a transaction's time). */
#include "base_assert.h"
#include "http_hex.h"
#include "http_message.h"
#include "net_csum.h"

static_assert_(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "digits are made in registers");

#define ZEROS 0x3030303030303030ULL
#define BLANKS 0x2020202020202020ULL
#define BLANK_TO_ZERO 0x1010101010101010ULL

/* Sum of a piece that begins at an odd or even offset of the text. */
static inline uint64_t
sum_at(uint32_t at, uint64_t sum)
{
	return at & 1 ? net_csum_swap(net_csum_fold(sum)) : sum;
}

static inline uint64_t
sum8(const void *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return (w & 0xffffffff) + (w >> 32);
}

/* Sixteen bytes that were stored at once are read back in two halves without waiting. */
static inline uint64_t
hex_put(uint8_t *out, uint32_t at, uint64_t v)
{
	hex16_write(out + at, v);
	return sum_at(at, sum8(out + at) + sum8(out + at + 8));
}

/* Eight decimal digits, most significant in the lowest byte; v < 10^8. */
static inline uint64_t
digits8(uint32_t v)
{
	uint64_t fours = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t top = (fours * 10486 >> 20) & 0x0000007f0000007fULL;
	uint64_t twos = top | (fours - 100 * top) << 16;
	uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000fULL;

	return tens | (twos - 10 * tens) << 8;
}

/* Bytes from the first digit that is not 0 on: 0x10, others 0. */
static inline uint64_t
shown(uint64_t digits)
{
	return digits == 0 ? 0 : BLANK_TO_ZERO << (__builtin_ctzll(digits) & 56);
}

/* Right-aligned decimal of HTTP_LENGTH_WIDTH bytes, blanks before. */
static inline uint64_t
length_put(uint8_t *out, uint32_t at, uint64_t v)
{
	uint32_t high = (uint32_t)(v / 100000000);
	uint64_t low = digits8((uint32_t)(v % 100000000));
	uint32_t four = (uint32_t)BLANKS;

	assert_(v < 1000000000000ULL);
	if (likely_(high == 0)) {
		low |= BLANKS | shown(low | 1ULL << 56); /* the last digit always */
	} else {
		uint64_t d = digits8(high) >> 32;

		four |= (uint32_t)(d | shown(d));
		low |= ZEROS;
	}
	memcpy(out + at, &four, sizeof(four));
	memcpy(out + at + 4, &low, sizeof(low));
	return sum_at(at, (uint64_t)four + (low & 0xffffffff) + (low >> 32));
}

uint64_t
http_template_write(const struct http_template *t, uint8_t *out, uint64_t oid, uint64_t xact,
	uint64_t length, const char *date)
{
	uint64_t sum = t->sum;

	memcpy(out, t->text, t->len);
	if (t->at_oid != HTTP_NO_HOLE)
		sum += hex_put(out, t->at_oid, oid);
	if (t->at_xact != HTTP_NO_HOLE)
		sum += hex_put(out, t->at_xact, xact);
	if (t->at_length != HTTP_NO_HOLE)
		sum += length_put(out, t->at_length, length);
	if (t->at_date != HTTP_NO_HOLE) {
		const void *text = date != NULL ? date : (const void *)(t->text + t->at_date);

		memcpy(out + t->at_date, text, HTTP_DATE_BYTES);
		sum += sum_at(t->at_date, net_csum_add(0, text, HTTP_DATE_BYTES));
	}
	return sum;
}

void
http_template_sum_fixed(struct http_template *t)
{
	const struct {
		uint16_t at;
		uint16_t n;
	} hole[] = {{t->at_oid, 16}, {t->at_xact, 16}, {t->at_length, HTTP_LENGTH_WIDTH},
		{t->at_date, HTTP_DATE_BYTES}};
	uint8_t text[HTTP_TEMPLATE_MAX];

	memcpy(text, t->text, t->len);
	for (size_t i = 0; i < ARRAY_LEN(hole); i++)
		if (hole[i].at != HTTP_NO_HOLE)
			memset(text + hole[i].at, 0, hole[i].n);
	t->sum = net_csum_add(0, text, t->len);
}
