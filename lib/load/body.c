/* SPDX-License-Identifier: BSD-3-Clause */
#include "base_assert.h"
#include "base_rng.h"
#include "load_body.h"
#include "net_csum.h"

#define BODY_LINE 64 /* a line of text: divides the period, so that lines go on across its end */

void
body_pattern_init(struct body_pattern *b, uint64_t seed)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t total = BODY_PERIOD + BODY_TAIL;
	uint32_t i;

	for (i = 0; i < BODY_PERIOD; i++) {
		b->text[i] = (uint8_t)letters[rng_at(seed, i) >> 58];
		if (i % BODY_LINE == BODY_LINE - 1)
			b->text[i] = '\n';
	}
	memcpy(b->text + BODY_PERIOD, b->text, BODY_TAIL);
	b->sum[0] = 0;
	for (i = 0; i < total / 2; i++) {
		uint16_t word;

		memcpy(&word, b->text + 2 * i, sizeof(word));
		b->sum[i + 1] = b->sum[i] + word;
	}
}

/* One byte as the first (then 0) or the second (after 0) of a native word. */
static uint32_t
body_word(uint8_t first, uint8_t second)
{
	uint8_t pair[2] = {first, second};
	uint16_t word;

	memcpy(&word, pair, sizeof(word));
	return word;
}

/* n bytes from even offset o on. */
static uint64_t
body_sum_even(const struct body_pattern *b, uint32_t o, uint32_t n)
{
	uint64_t sum = b->sum[(o + n) / 2] - b->sum[o / 2];

	if (n & 1)
		sum += body_word(b->text[o + n - 1], 0);
	return sum;
}

uint64_t
body_sum(const struct body_pattern *b, const uint8_t *p, uint32_t n)
{
	uint32_t o = (uint32_t)(p - b->text);
	uint64_t sum;

	assert_(p >= b->text && o + n <= sizeof(b->text));
	if ((o & 1) == 0)
		return body_sum_even(b, o, n);
	if (n == 0)
		return 0;
	/* as if a zero byte stood before it: all words are then swapped (RFC 1071 section 2 B) */
	sum = body_word(0, b->text[o]) + body_sum_even(b, o + 1, n - 1);
	return net_csum_swap(net_csum_fold(sum));
}

int
body_equal(
	const struct body_pattern *b, uint64_t oid, uint64_t offset, const uint8_t *in, uint32_t n)
{
	uint32_t at = (uint32_t)((body_start(oid) + offset) & (BODY_PERIOD - 1));

	while (n != 0) {
		uint32_t m = (uint32_t)sizeof(b->text) - at;

		if (m > n)
			m = n;
		if (memcmp(b->text + at, in, m) != 0)
			return 0;
		in += m;
		n -= m;
		at = (at + m) & (BODY_PERIOD - 1);
	}
	return 1;
}
