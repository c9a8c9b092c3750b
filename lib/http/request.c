/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: request line, strictness, what to answer (RFC 9112 sections 3 and 6). */
#include "http_hex.h"

static struct http_msg *
msg(struct http_request *r)
{
	return (struct http_msg *)r;
}

void
http_request_init(struct http_request *r)
{
	memset(r, 0, sizeof(*r));
	r->mode = HTTP_M_STRICT;
}

int
http_request_idle(const struct http_request *r)
{
	return r->state == HTTP_S_IDLE;
}

/* Method and the SP behind it, of those that carry the load. @return bytes, 0: another. */
static uint32_t
method_take(struct http_request *r, const uint8_t *p)
{
	if (memcmp(p, "GET ", 4) == 0) {
		r->method = HTTP_GET;
		return 4;
	}
	if (memcmp(p, "HEAD ", 5) == 0) {
		r->method = HTTP_HEAD_METHOD;
		return 5;
	}
	if (memcmp(p, "POST ", 5) == 0) {
		r->method = HTTP_POST;
		return 5;
	}
	if (memcmp(p, "PUT ", 4) == 0) {
		r->method = HTTP_PUT;
		return 4;
	}
	return 0;
}

#define OBJECT_BYTES 32

/* /wWWWWWWWW/tTT/_OOOOOOOOOOOOOOOO */
static int
object_take(struct http_request *r, const uint8_t *p)
{
	uint8_t digits[16];
	uint64_t low;

	if (memcmp(p, "/w", 2) != 0 || memcmp(p + 10, "/t", 2) != 0 || memcmp(p + 14, "/_", 2) != 0)
		return 0;
	memset(digits, '0', 6);
	memcpy(digits + 6, p + 2, 8);
	memcpy(digits + 14, p + 12, 2);
	if (!hex16_read(digits, &low) || !hex16_read(p + 16, &r->oid))
		return 0;
	r->world = (uint32_t)(low >> 8);
	r->type = (uint8_t)low;
	return 1;
}

/* A whole request line for an object of ours. @return bytes taken, 0: another. */
static uint32_t
object_line_take(struct http_request *r, const uint8_t *p, const uint8_t *lim)
{
	const uint8_t *t;
	uint32_t n;

	if (lim - p < 5 + OBJECT_BYTES + 11)
		return 0;
	n = method_take(r, p);
	if (n == 0)
		return 0;
	t = p + n + OBJECT_BYTES;
	if (memcmp(t, " HTTP/1.", 8) != 0 || !http_is(t[8], HTTP_C_DIGIT) || t[9] != '\r' ||
		t[10] != '\n' || !object_take(r, p + n)) {
		r->method = 0;
		r->oid = 0;
		return 0;
	}
	r->minor = t[8] - '0';
	r->target_bytes = OBJECT_BYTES;
	r->flags |= HTTP_F_OBJECT;
	r->state = HTTP_S_FIELD;
	return n + OBJECT_BYTES + 11;
}

/* The method's letters, eight of them at most, stand in acc with the first one lowest. */
static uint8_t
method_known(uint64_t letters, uint32_t n)
{
	char text[9];
	enum http_method m;

	if (n >= sizeof(text))
		return HTTP_METHOD_OTHER;
	memcpy(text, &letters, 8);
	text[n] = '\0';
	return http_method_parse(text, &m) == 0 ? (uint8_t)m : HTTP_METHOD_OTHER;
}

static int
method_byte(struct http_request *r, uint8_t b)
{
	if (b == ' ') {
		r->method = method_known(r->acc, r->pos);
		r->state = HTTP_S_TARGET;
		return HTTP_E_NONE;
	}
	if (!http_is(b, HTTP_C_TOKEN))
		return HTTP_E_METHOD;
	if (r->pos == HTTP_METHOD_MAX) {
		r->reply_status = 501;
		return HTTP_E_METHOD;
	}
	if (r->pos < 8)
		r->acc |= (uint64_t)b << (8 * r->pos);
	r->pos++;
	return HTTP_E_NONE;
}

/* Before the request line: one empty line is ignored (RFC 9112 section 2.2). */
static int
lead_byte(struct http_request *r, uint8_t b)
{
	if (r->state == HTTP_S_LEAD_LF) {
		r->state = HTTP_S_LED;
		return b == '\n' ? HTTP_E_NONE : HTTP_E_EXTRA;
	}
	if (b == '\r' || b == '\n') {
		if (r->state == HTTP_S_LED)
			return HTTP_E_EXTRA;
		r->state = HTTP_S_LEAD_LF;
		return b == '\r' ? HTTP_E_NONE : HTTP_E_BARE_LF;
	}
	r->acc = r->pos = 0;
	r->state = HTTP_S_METHOD;
	return http_is(b, HTTP_C_TOKEN) ? method_byte(r, b) : HTTP_E_METHOD;
}

/* "HTTP/1." of the request line. */
static int
proto_byte(struct http_request *r, uint8_t b)
{
	static const char text[] = "HTTP/1.";

	if (b != (uint8_t)text[r->pos]) {
		if (r->pos == 5 && http_is(b, HTTP_C_DIGIT))
			r->reply_status = 505;
		return HTTP_E_VERSION;
	}
	if (++r->pos == sizeof(text) - 1)
		r->state = HTTP_S_REQ_MINOR;
	return HTTP_E_NONE;
}

static int
version_end_byte(struct http_request *r, uint8_t b)
{
	if (r->state == HTTP_S_REQ_MINOR) {
		r->minor = b - '0';
		r->state = HTTP_S_REQ_CR;
		return http_is(b, HTTP_C_DIGIT) ? HTTP_E_NONE : HTTP_E_VERSION;
	}
	r->state = HTTP_S_LINE_LF;
	if (b == '\n')
		return HTTP_E_BARE_LF;
	return b == '\r' ? HTTP_E_NONE : HTTP_E_VERSION;
}

static int
line_byte(struct http_request *r, uint8_t b)
{
	switch (r->state) {
	case HTTP_S_METHOD:
		return method_byte(r, b);
	case HTTP_S_REQ_PROTO:
		return proto_byte(r, b);
	case HTTP_S_REQ_MINOR:
	case HTTP_S_REQ_CR:
		return version_end_byte(r, b);
	case HTTP_S_LINE_LF:
		r->state = HTTP_S_FIELD;
		return b == '\n' ? HTTP_E_NONE : HTTP_E_FIELD_BYTE;
	case HTTP_S_IDLE:
	case HTTP_S_LEAD_LF:
	case HTTP_S_LED:
		return lead_byte(r, b);
	default:
		return http_target_byte(r, b);
	}
}

/* @return enum http_error; state stays within the request line when bytes end there. */
static int
line_read(struct http_request *r, struct http_cursor *c, const uint8_t *lim)
{
	if (r->state == HTTP_S_IDLE)
		c->p += object_line_take(r, c->p, lim);
	while (c->p < lim && r->state < HTTP_S_FIELD) {
		int e = line_byte(r, *c->p);

		if (e != HTTP_E_NONE)
			return e;
		c->p++;
	}
	return HTTP_E_NONE; /* method, target and version are bounded by themselves */
}

/* Everything known: refuse what cannot be framed beyond doubt. */
static int
frame(struct http_request *r)
{
	if ((r->flags & HTTP_F_HOST) == 0 && r->minor > 0)
		return HTTP_E_HOST;
	if (r->minor == 0) {
		r->flags &= (uint16_t)~HTTP_F_EXPECT; /* RFC 9110 section 10.1.1 */
		if ((r->flags & HTTP_F_KEEP) == 0)
			r->flags |= HTTP_F_CLOSE;
	}
	if (r->coding != 0) {
		if ((r->flags & HTTP_F_LENGTH) != 0) {
			r->flags |= HTTP_F_CONFLICT;
			return HTTP_E_CODING;
		}
		if (r->minor == 0)
			return HTTP_E_CODING;
		if (r->coding != (HTTP_CODING_SEEN | HTTP_CODING_ONE | HTTP_CODING_CHUNKED)) {
			r->reply_status = 501;
			return HTTP_E_CODING;
		}
		r->flags |= HTTP_F_CHUNKED;
		r->state = HTTP_S_SIZE0;
		return HTTP_E_NONE;
	}
	r->acc = r->content_length;
	r->state = HTTP_S_LENGTH;
	if ((r->flags & HTTP_F_LENGTH) == 0) { /* rule 7 */
		r->flags |= HTTP_F_NO_BODY;
		r->state = HTTP_S_DONE;
	}
	return HTTP_E_NONE;
}

static enum http_rc
refuse(struct http_request *r, int error)
{
	r->flags |= HTTP_F_CLOSE;
	if (r->reply_status == 0)
		r->reply_status = error == HTTP_E_TOO_LARGE || error == HTTP_E_TOO_MANY ? 431 : 400;
	return http_fail(msg(r), error);
}

static enum http_rc
head_read(struct http_request *r, const uint8_t *in, uint32_t n, uint32_t *used)
{
	struct http_cursor c = {in, in, in + n};
	const uint8_t *lim = http_limit(&c, r->header_bytes, HTTP_HEADER_MAX);
	int e = line_read(r, &c, lim);

	if (e == HTTP_E_NONE)
		e = http_section_read(msg(r), &c, lim);
	if (e == HTTP_E_NONE && r->state == HTTP_S_FIELDS_END) {
		e = frame(r);
		if (e != HTTP_E_NONE)
			c.p--; /* the culprit is the LF that ends the section */
	}
	*used = (uint32_t)(c.p - in);
	r->header_bytes += *used;
	if (e != HTTP_E_NONE)
		return refuse(r, e);
	return r->state < HTTP_S_FIELDS_END ? HTTP_MORE : HTTP_HEAD;
}

enum http_rc
http_request_parse(
	struct http_request *r, const uint8_t *in, uint32_t n, uint32_t *used, struct span *body)
{
	enum http_rc rc;

	if (r->state >= HTTP_S_FIELDS_END || (r->mode & HTTP_M_TRAILER) != 0) {
		rc = http_body_read(msg(r), in, n, used, body);
		return rc != HTTP_ERROR || r->reply_status != 0 ? rc : refuse(r, r->error);
	}
	body->p = NULL;
	body->n = 0;
	return head_read(r, in, n, used);
}
