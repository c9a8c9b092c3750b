/* SPDX-License-Identifier: BSD-3-Clause */
/* The fast path: whole lines in place. It takes a line only when nothing about it is odd and leaves
 * every other one, untouched, to the machine in field.c, so errors have one place and one offset.
 */
#include "http_hex.h"

/* Tables for pshufb: a byte is a tchar when low[b & 15] has the bit of its high nibble. */
#define TCHAR_LOW \
	0xe8, 0xfc, 0xf8, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xf8, 0xf8, 0xf4, 0x54, 0xd0, 0x54, 0xf4, \
		0x70
#define TCHAR_HIGH 0, 0, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0, 0, 0, 0, 0, 0, 0, 0

#if defined(__AVX2__)
#include <immintrin.h>

/* Bit i: byte i is a control byte other than HTAB. */
static inline uint32_t
control_mask(const uint8_t *p)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)p);
	__m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1f)), v);
	__m256i del = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(0x7f));
	__m256i tab = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\t'));

	return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(_mm256_andnot_si256(tab, low), del));
}

/* Bit i: byte i can't stand in a field name. */
static inline uint32_t
not_token_mask(const uint8_t *p)
{
	const __m256i low = _mm256_broadcastsi128_si256(_mm_setr_epi8(TCHAR_LOW));
	const __m256i high = _mm256_broadcastsi128_si256(_mm_setr_epi8(TCHAR_HIGH));
	const __m256i nibble = _mm256_set1_epi8(0xf);
	__m256i v = _mm256_loadu_si256((const __m256i *)p);
	__m256i l = _mm256_shuffle_epi8(low, _mm256_and_si256(v, nibble));
	__m256i h = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble));

	return (uint32_t)_mm256_movemask_epi8(
		_mm256_cmpeq_epi8(_mm256_and_si256(l, h), _mm256_setzero_si256()));
}
#elif defined(__SSSE3__)
static inline uint32_t
control_mask16(const uint8_t *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p);
	__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
	__m128i del = _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f));
	__m128i tab = _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'));

	return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_andnot_si128(tab, low), del));
}

static inline uint32_t
not_token_mask16(const uint8_t *p)
{
	const __m128i nibble = _mm_set1_epi8(0xf);
	__m128i v = _mm_loadu_si128((const __m128i *)p);
	__m128i l = _mm_shuffle_epi8(_mm_setr_epi8(TCHAR_LOW), _mm_and_si128(v, nibble));
	__m128i h = _mm_shuffle_epi8(
		_mm_setr_epi8(TCHAR_HIGH), _mm_and_si128(_mm_srli_epi16(v, 4), nibble));

	return (uint32_t)_mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_and_si128(l, h), _mm_setzero_si128()));
}

static inline uint32_t
control_mask(const uint8_t *p)
{
	return control_mask16(p) | control_mask16(p + 16) << 16;
}

static inline uint32_t
not_token_mask(const uint8_t *p)
{
	return not_token_mask16(p) | not_token_mask16(p + 16) << 16;
}
#else
static inline uint32_t
control_mask(const uint8_t *p)
{
	uint32_t mask = 0;

	for (int i = 0; i < 32; i++)
		mask |= (uint32_t)!http_is(p[i], HTTP_C_FIELD) << i;
	return mask;
}

static inline uint32_t
not_token_mask(const uint8_t *p)
{
	uint32_t mask = 0;

	for (int i = 0; i < 32; i++)
		mask |= (uint32_t)!http_is(p[i], HTTP_C_TOKEN) << i;
	return mask;
}
#endif

#define BLOCK 32

/* A block at p without a byte read beyond lim: near the end it is loaded further back, from bytes
 * that are ours too, and shifted. Bits of bytes beyond lim are 0. @return 0 when base is too near.
 */
static inline int
block_at(const uint8_t *base, const uint8_t *p, const uint8_t *lim, const uint8_t **load,
	uint32_t *shift)
{
	if (likely_(lim - p >= BLOCK)) {
		*load = p;
		*shift = 0;
		return 1;
	}
	if (lim - base < BLOCK || p == lim)
		return 0;
	*load = lim - BLOCK;
	*shift = BLOCK - (uint32_t)(lim - p);
	return 1;
}

static inline const uint8_t *
text_end(const uint8_t *base, const uint8_t *p, const uint8_t *lim)
{
	const uint8_t *load;
	uint32_t shift;

	while (block_at(base, p, lim, &load, &shift)) {
		uint32_t mask = control_mask(load) >> shift;

		if (mask != 0)
			return p + __builtin_ctz(mask);
		if (shift != 0)
			return NULL;
		p += BLOCK;
	}
	return NULL;
}

const uint8_t *
http_text_end(const uint8_t *base, const uint8_t *p, const uint8_t *lim)
{
	return text_end(base, p, lim);
}

static inline uint64_t
load64_lower(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v | 0x2020202020202020ULL;
}

static inline uint32_t
load32_lower(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v | 0x20202020U;
}

/* Does the text at p, any case, equal the lower-case one? n from 4 on. */
static inline int
same_lower(const uint8_t *p, const char *text, uint32_t n)
{
	const uint8_t *t = (const uint8_t *)text;

	if (n < 8)
		return load32_lower(p) == load32_lower(t) &&
		       load32_lower(p + n - 4) == load32_lower(t + n - 4);
	for (uint32_t i = 0; i + 8 <= n; i += 8) {
		if (load64_lower(p + i) != load64_lower(t + i))
			return 0;
	}
	return load64_lower(p + n - 8) == load64_lower(t + n - 8);
}

#define IS_NAME(p, text) same_lower(p, text, sizeof(text) - 1)

/* Lengths of the names that we read. */
#define NAME_LENGTHS (1U << 4 | 1U << 6 | 1U << 10 | 1U << 14 | 1U << 17)

/* All bytes are tchar, among which OR 0x20 joins letters with their other case only. */
static inline enum http_kind
name_kind(const uint8_t *p, uint32_t n)
{
	if (n > 17 || (NAME_LENGTHS >> n & 1) == 0)
		return HTTP_K_OTHER;
	switch (n) {
	case 4:
		if (IS_NAME(p, "date"))
			return HTTP_K_DATE;
		return IS_NAME(p, "host") ? HTTP_K_HOST : HTTP_K_OTHER;
	case 6:
		if (IS_NAME(p, "x-xact"))
			return HTTP_K_XACT;
		return IS_NAME(p, "expect") ? HTTP_K_EXPECT : HTTP_K_OTHER;
	case 10:
		return IS_NAME(p, "connection") ? HTTP_K_CONNECTION : HTTP_K_OTHER;
	case 14:
		return IS_NAME(p, "content-length") ? HTTP_K_LENGTH : HTTP_K_OTHER;
	default:
		return IS_NAME(p, "transfer-encoding") ? HTTP_K_CODING : HTTP_K_OTHER;
	}
}

enum http_kind
http_name_kind(const uint8_t *p, uint32_t n)
{
	return name_kind(p, n);
}

/* Each of these takes a value or leaves everything as it was and returns 0. */
static int
length_take(struct http_msg *m, const uint8_t *p, uint32_t n)
{
	uint64_t v = 0;

	if (n == 0 || n > 18 || (m->flags & HTTP_F_LENGTH) != 0)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		uint8_t d = p[i] - '0';

		if (d > 9)
			return 0;
		v = v * 10 + d;
	}
	m->content_length = v;
	m->flags |= HTTP_F_LENGTH;
	return 1;
}

static int
connection_take(struct http_msg *m, const uint8_t *p, uint32_t n)
{
	if (n == 10 && same_lower(p, "keep-alive", 10))
		m->flags |= HTTP_F_KEEP;
	else if (n == 5 && same_lower(p, "close", 5))
		m->flags |= HTTP_F_CLOSE;
	else
		return 0;
	return 1;
}

static int
coding_take(struct http_msg *m, const uint8_t *p, uint32_t n)
{
	if (m->coding != 0 || n != 7 || !same_lower(p, "chunked", 7))
		return 0;
	m->coding = HTTP_CODING_SEEN | HTTP_CODING_ONE | HTTP_CODING_CHUNKED;
	return 1;
}

static int
xact_take(struct http_msg *m, const uint8_t *p, uint32_t n)
{
	if (n != 16 || !hex16_read(p, &m->x_xact))
		return 0;
	m->flags |= HTTP_F_XACT;
	return 1;
}

/* A name or IPv4 address, with or without port. */
static int
host_take(struct http_msg *m, const uint8_t *p, uint32_t n)
{
	const uint8_t *end = p + n;

	if ((m->flags & HTTP_F_HOST) != 0 || n == 0 || *p == ':')
		return 0;
	while (p < end && http_is(*p, HTTP_C_NAME))
		p++;
	if (p < end && *p++ != ':')
		return 0;
	while (p < end && http_is(*p, HTTP_C_DIGIT))
		p++;
	if (p < end)
		return 0;
	m->flags |= HTTP_F_HOST;
	return 1;
}

static inline int
is_blank(uint8_t b)
{
	return b <= ' ' && (b == ' ' || b == '\t');
}

/* The value without the blanks around it; our own lengths come with eight and more of them. */
static inline const uint8_t *
value_trim(const uint8_t *p, const uint8_t **end)
{
	static const char blanks[9] = "        ";

	if (p < *end && *p == ' ')
		p++;
	while (p < *end && is_blank(*p))
		p += *end - p >= 8 && memcmp(p, blanks, 8) == 0 ? 8 : 1;
	while (*end > p && is_blank((*end)[-1]))
		--*end;
	return p;
}

static int
value_take(struct http_msg *m, enum http_kind kind, const uint8_t *p, const uint8_t *end)
{
	p = value_trim(p, &end);
	switch (kind) {
	case HTTP_K_LENGTH:
		return length_take(m, p, (uint32_t)(end - p));
	case HTTP_K_CONNECTION:
		return connection_take(m, p, (uint32_t)(end - p));
	case HTTP_K_CODING:
		return coding_take(m, p, (uint32_t)(end - p));
	case HTTP_K_XACT:
		return xact_take(m, p, (uint32_t)(end - p));
	case HTTP_K_HOST:
		return (m->mode & HTTP_M_STRICT) == 0 || host_take(m, p, (uint32_t)(end - p));
	default: /* HTTP_K_EXPECT */
		return (m->mode & HTTP_M_STRICT) == 0;
	}
}

/* End of the name: the first byte that is no tchar, which must be a colon. 0: it isn't. */
static uint32_t
name_length(const uint8_t *p, const uint8_t *end, uint32_t not_token)
{
	uint32_t n = BLOCK;

	if (not_token != 0)
		n = (uint32_t)__builtin_ctz(not_token);
	else
		while (p + n < end && http_is(p[n], HTTP_C_TOKEN))
			n++;
	return p + n < end && p[n] == ':' ? n : 0;
}

/* One field line at p whose text ends at `end`. @return 0 when the other machine must read it. */
static inline int
line_take(struct http_msg *m, const uint8_t *p, const uint8_t *end, uint32_t not_token)
{
	uint32_t n = name_length(p, end, not_token);
	enum http_kind kind;

	if (n == 0 || m->n_fields == HTTP_FIELDS_MAX || is_blank(end[2]))
		return 0;
	kind = name_kind(p, n);
	if (kind == HTTP_K_DATE) {
		if ((m->mode & HTTP_M_STRICT) == 0)
			m->flags |= HTTP_F_DATE;
	} else if (kind != HTTP_K_OTHER && !value_take(m, kind, p + n + 1, end)) {
		return 0;
	}
	m->n_fields++;
	return 1;
}

static inline int
is_crlf(const uint8_t *p)
{
	return memcmp(p, "\r\n", 2) == 0;
}

const uint8_t *
http_lines_read(struct http_msg *m, const uint8_t *base, const uint8_t *p, const uint8_t *lim)
{
	const uint8_t *load;
	uint32_t shift;

	while (lim - p >= 2 && !is_crlf(p)) {
		const uint8_t *end;
		uint32_t controls;

		if (!block_at(base, p, lim, &load, &shift))
			return p;
		controls = control_mask(load) >> shift;
		if (likely_(controls != 0))
			end = p + __builtin_ctz(controls);
		else
			end = shift != 0 ? NULL : text_end(base, p + BLOCK, lim);
		/* the byte behind the line tells whether it is folded */
		if (end == NULL || lim - end < 3 || !is_crlf(end) ||
			!line_take(m, p, end, not_token_mask(load) >> shift))
			return p;
		p = end + 2;
	}
	if (lim - p < 2)
		return p;
	m->state = HTTP_S_FIELDS_END;
	return p + 2;
}
