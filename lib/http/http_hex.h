/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Sixteen hex digits at once, both ways: object numbers and transaction ids.
 * Private to lib/http. PURE.
 */
#ifndef HTTP_HEX_H
#define HTTP_HEX_H

#include "http_priv.h"

#ifdef __SSSE3__
#include <immintrin.h>

/** 16 hex digits of either case -> value. @return 0 when one is none. */
static inline int
hex16_read(const uint8_t *p, uint64_t *out)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p);
	__m128i digit = _mm_sub_epi8(v, _mm_set1_epi8('0'));
	__m128i alpha = _mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
	__m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
	__m128i is_alpha = _mm_cmpeq_epi8(_mm_min_epu8(alpha, _mm_set1_epi8(5)), alpha);
	__m128i nibble = _mm_add_epi8(
		_mm_and_si128(v, _mm_set1_epi8(0xf)), _mm_and_si128(is_alpha, _mm_set1_epi8(9)));

	if (_mm_movemask_epi8(_mm_or_si128(is_digit, is_alpha)) != 0xffff)
		return 0;
	nibble = _mm_maddubs_epi16(nibble, _mm_set1_epi16(0x0110));
	*out = __builtin_bswap64((uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(nibble, nibble)));
	return 1;
}

static inline void
hex16_write(uint8_t *p, uint64_t v)
{
	const __m128i digits = _mm_setr_epi8(
		'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f');
	const __m128i mask = _mm_set1_epi8(0xf);
	__m128i x = _mm_cvtsi64_si128((int64_t)__builtin_bswap64(v));
	__m128i hi = _mm_and_si128(_mm_srli_epi64(x, 4), mask);
	__m128i lo = _mm_and_si128(x, mask);

	_mm_storeu_si128((__m128i *)p, _mm_shuffle_epi8(digits, _mm_unpacklo_epi8(hi, lo)));
}
#else
static inline int
hex16_read(const uint8_t *p, uint64_t *out)
{
	uint64_t v = 0;

	for (int i = 0; i < 16; i++) {
		if (!http_is(p[i], HTTP_C_HEX))
			return 0;
		v = v << 4 | http_hex(p[i]);
	}
	*out = v;
	return 1;
}

static inline void
hex16_write(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 16; i++)
		p[i] = (uint8_t) "0123456789abcdef"[v >> (60 - 4 * i) & 0xf];
}
#endif

#endif
