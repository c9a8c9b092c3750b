/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies: by length, to the end of the stream, chunked (RFC 9112 sections 6 and 7). */
#include "http_priv.h"

#define CHUNK_DIGITS_MAX 16

static int
size_digit(struct http_msg *m, uint8_t b)
{
	if (++m->pos > CHUNK_DIGITS_MAX || m->acc > INT64_MAX >> 4)
		return HTTP_E_CHUNK_SIZE;
	m->acc = m->acc << 4 | http_hex(b);
	m->state = HTTP_S_SIZE;
	return HTTP_E_NONE;
}

/* Behind the size: blanks, extensions, and the CR. A lone LF here is how two readers are made to
 * see different bodies, so it is an error for everybody. */
static int
size_tail_byte(struct http_msg *m, uint8_t b)
{
	const int strict = (m->mode & HTTP_M_STRICT) != 0;

	if (b == '\r') {
		if (m->state == HTTP_S_SIZE_SP && strict)
			return HTTP_E_CHUNK_SIZE;
		m->state = HTTP_S_SIZE_LF;
		return HTTP_E_NONE;
	}
	if (m->state == HTTP_S_SIZE)
		m->pos = 0;
	if (++m->pos > HTTP_CHUNK_EXT_MAX)
		return HTTP_E_TOO_LARGE;
	if (m->state == HTTP_S_EXT)
		return http_is(b, HTTP_C_FIELD) ? HTTP_E_NONE : HTTP_E_CHUNK_SIZE;
	if (b == ';') {
		m->state = HTTP_S_EXT;
		return HTTP_E_NONE;
	}
	if (!http_is(b, HTTP_C_BLANK))
		return HTTP_E_CHUNK_SIZE;
	m->flags |= HTTP_F_LENIENT;
	m->state = HTTP_S_SIZE_SP;
	return HTTP_E_NONE;
}

static int
size_line_end(struct http_msg *m, uint8_t b)
{
	if (b != '\n')
		return HTTP_E_CHUNK_SIZE;
	m->state = HTTP_S_CHUNK;
	if (m->acc == 0) {
		m->state = HTTP_S_FIELD;
		m->mode |= HTTP_M_TRAILER;
	}
	return HTTP_E_NONE;
}

static int
chunk_byte(struct http_msg *m, uint8_t b)
{
	switch (m->state) {
	case HTTP_S_SIZE0:
		m->acc = m->pos = 0;
		return http_is(b, HTTP_C_HEX) ? size_digit(m, b) : HTTP_E_CHUNK_SIZE;
	case HTTP_S_SIZE:
		return http_is(b, HTTP_C_HEX) ? size_digit(m, b) : size_tail_byte(m, b);
	case HTTP_S_SIZE_SP:
	case HTTP_S_EXT:
		return size_tail_byte(m, b);
	case HTTP_S_SIZE_LF:
		return size_line_end(m, b);
	case HTTP_S_CHUNK_CR:
		m->state = HTTP_S_CHUNK_LF;
		return b == '\r' ? HTTP_E_NONE : HTTP_E_CHUNK_END;
	default: /* HTTP_S_CHUNK_LF */
		m->state = HTTP_S_SIZE0;
		return b == '\n' ? HTTP_E_NONE : HTTP_E_CHUNK_END;
	}
}

/* Hand out up to `most` bytes where they lie. */
static enum http_rc
content_give(struct http_msg *m, struct http_cursor *c, uint64_t most, struct span *body)
{
	size_t n = (size_t)(c->end - c->p);

	if (n > most)
		n = (size_t)most;
	if (n == 0)
		return HTTP_MORE;
	body->p = c->p;
	body->n = (uint32_t)n;
	m->body_bytes += n;
	c->p += n;
	return HTTP_BODY;
}

static enum http_rc
trailer_read(struct http_msg *m, struct http_cursor *c)
{
	const uint8_t *from = c->p;
	int e = http_fields_read(m, c, http_limit(c, m->trailer_bytes, HTTP_TRAILER_MAX));

	m->trailer_bytes += (uint16_t)(c->p - from);
	if (e != HTTP_E_NONE)
		return http_fail(m, e);
	if (m->state != HTTP_S_FIELDS_END)
		return HTTP_MORE;
	m->state = HTTP_S_DONE;
	return HTTP_DONE;
}

static enum http_rc
chunked_read(struct http_msg *m, struct http_cursor *c, struct span *body)
{
	enum http_rc rc;

	while (m->state >= HTTP_S_SIZE0) {
		if (m->state == HTTP_S_CHUNK) {
			rc = content_give(m, c, m->acc, body);
			m->acc -= body->n;
			if (m->acc == 0)
				m->state = HTTP_S_CHUNK_CR;
			return rc;
		}
		if (c->p == c->end)
			return HTTP_MORE;
		int e = chunk_byte(m, *c->p);

		if (e != HTTP_E_NONE)
			return http_fail(m, e);
		c->p++;
	}
	return trailer_read(m, c);
}

/* Out of line, so that the way by length stays free of its registers. */
static __attribute__((noinline)) enum http_rc
other_read(struct http_msg *m, const uint8_t *in, uint32_t n, uint32_t *used, struct span *body)
{
	struct http_cursor c = {in, in, in + n};
	enum http_rc rc;

	body->p = NULL;
	body->n = 0;
	if (m->state == HTTP_S_TO_EOF)
		rc = content_give(m, &c, UINT64_MAX, body);
	else if (m->state == HTTP_S_DONE)
		rc = HTTP_DONE;
	else if (m->state == HTTP_S_FAILED)
		rc = HTTP_ERROR;
	else
		rc = chunked_read(m, &c, body);
	*used = (uint32_t)(c.p - in);
	return rc;
}

/* Bodies by length are most of them, and this is called twice for each. */
enum http_rc
http_body_read(struct http_msg *m, const uint8_t *in, uint32_t n, uint32_t *used, struct span *body)
{
	if (m->state != HTTP_S_LENGTH)
		return other_read(m, in, n, used, body);
	if (n > m->acc)
		n = (uint32_t)m->acc;
	*used = n;
	body->p = in;
	body->n = n;
	m->body_bytes += n;
	m->acc -= n;
	if (n != 0)
		return HTTP_BODY;
	if (m->acc != 0)
		return HTTP_MORE;
	m->state = HTTP_S_DONE;
	return HTTP_DONE;
}
