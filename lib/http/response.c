/* SPDX-License-Identifier: BSD-3-Clause */
/* Responses: status line, and how the body is delimited (RFC 9112 section 6.3). */
#include "http_priv.h"

#define LENIENCY (HTTP_F_BARE_LF | HTTP_F_FOLDED | HTTP_F_LENIENT)

static struct http_msg *
msg(struct http_response *r)
{
	return (struct http_msg *)r;
}

void
http_response_init(struct http_response *r, enum http_method method)
{
	memset(r, 0, sizeof(*r));
	if (method == HTTP_HEAD_METHOD)
		r->mode = HTTP_M_HEAD;
	else if (method == HTTP_CONNECT)
		r->mode = HTTP_M_CONNECT;
}

int
http_response_idle(const struct http_response *r)
{
	return r->state == HTTP_S_IDLE;
}

/* The three digits are there. */
static int
status_known(struct http_response *r)
{
	if (r->status == 101)
		return HTTP_E_SWITCH;
	if (r->status < 200 && r->n_interim == HTTP_INTERIM_MAX)
		return HTTP_E_TOO_MANY;
	if (r->status < 200 || r->status == 204 || r->status == 304 ||
		(r->mode & HTTP_M_HEAD) != 0 ||
		((r->mode & HTTP_M_CONNECT) != 0 && r->status < 300))
		r->mode |= HTTP_M_BODILESS;
	return HTTP_E_NONE;
}

/* A whole, plain status line of a final reply. @return bytes taken, 0: not that. */
static uint32_t
status_take(struct http_response *r, const struct http_cursor *c, const uint8_t *lim)
{
	const uint8_t *p = c->p;
	const uint8_t *end;
	uint32_t minor;
	uint32_t d[3];

	if (lim - p < 15 || memcmp(p, "HTTP/1.", 7) != 0 || p[8] != ' ' || p[12] != ' ')
		return 0;
	minor = (uint32_t)p[7] - '0';
	for (int i = 0; i < 3; i++)
		d[i] = (uint32_t)p[9 + i] - '0';
	if (minor > 9 || d[0] < 2 || d[0] > 9 || d[1] > 9 || d[2] > 9)
		return 0;
	end = p + 15;
	if (lim - p < 17 || memcmp(p + 13, "OK\r\n", 4) != 0)
		end = http_text_end(c->base, p + 13, lim);
	if (end == NULL || lim - end < 2 || end[0] != '\r' || end[1] != '\n')
		return 0;
	r->minor = (uint8_t)minor;
	r->status = (uint16_t)(d[0] * 100 + d[1] * 10 + d[2]);
	r->state = HTTP_S_FIELD;
	(void)status_known(r); /* refuses interim replies only */
	return (uint32_t)(end + 2 - p);
}

/* "HTTP/1." */
static int
proto_byte(struct http_response *r, uint8_t b)
{
	static const char text[] = "HTTP/1.";

	if (b != (uint8_t)text[r->pos]) {
		if (r->pos < 5 || (r->pos == 5 && !http_is(b, HTTP_C_DIGIT)))
			return HTTP_E_STATUS_LINE;
		return HTTP_E_VERSION;
	}
	if (++r->pos == sizeof(text) - 1)
		r->state = HTTP_S_MINOR;
	return HTTP_E_NONE;
}

/* Before the status line: one empty line is forgiven. */
static int
lead_byte(struct http_response *r, uint8_t b)
{
	if (r->state == HTTP_S_LEAD_LF) {
		r->state = HTTP_S_LED;
		r->flags |= HTTP_F_LENIENT;
		return b == '\n' ? HTTP_E_NONE : HTTP_E_EXTRA;
	}
	if (b != '\r' && b != '\n') {
		r->pos = 0;
		r->state = HTTP_S_PROTO;
		return proto_byte(r, b);
	}
	if (r->state == HTTP_S_LED)
		return HTTP_E_EXTRA;
	r->state = HTTP_S_LEAD_LF;
	if (b == '\n') {
		r->state = HTTP_S_LED;
		r->flags |= HTTP_F_LENIENT | HTTP_F_BARE_LF;
	}
	return HTTP_E_NONE;
}

static int
version_byte(struct http_response *r, uint8_t b)
{
	if (r->state == HTTP_S_MINOR) {
		r->minor = b - '0';
		r->state = HTTP_S_CODE_SP;
		return http_is(b, HTTP_C_DIGIT) ? HTTP_E_NONE : HTTP_E_VERSION;
	}
	r->status = r->pos = 0;
	r->state = HTTP_S_CODE;
	if (b == ' ')
		return HTTP_E_NONE;
	return http_is(b, HTTP_C_DIGIT) ? HTTP_E_VERSION : HTTP_E_STATUS_LINE;
}

static int
code_byte(struct http_response *r, uint8_t b)
{
	if (!http_is(b, HTTP_C_DIGIT) || (r->pos == 0 && b == '0'))
		return HTTP_E_STATUS_LINE;
	r->status = (uint16_t)(r->status * 10 + b - '0');
	if (++r->pos < 3)
		return HTTP_E_NONE;
	r->state = HTTP_S_CODE_END;
	return status_known(r);
}

/* Reason phrase, and the blank before it that many servers leave out when it is empty. */
static int
reason_byte(struct http_response *r, uint8_t b)
{
	if (r->state == HTTP_S_CODE_END) {
		if (b != ' ' && b != '\r' && b != '\n')
			return HTTP_E_STATUS_LINE;
		r->state = HTTP_S_REASON;
		if (b == ' ')
			return HTTP_E_NONE;
		r->flags |= HTTP_F_LENIENT;
	}
	if (b == '\r') {
		r->state = HTTP_S_LINE_LF;
	} else if (b == '\n') {
		r->flags |= HTTP_F_BARE_LF;
		r->state = HTTP_S_FIELD;
	} else if (!http_is(b, HTTP_C_FIELD)) {
		return HTTP_E_FIELD_BYTE;
	}
	return HTTP_E_NONE;
}

static int
status_byte(struct http_response *r, uint8_t b)
{
	switch (r->state) {
	case HTTP_S_PROTO:
		return proto_byte(r, b);
	case HTTP_S_MINOR:
	case HTTP_S_CODE_SP:
		return version_byte(r, b);
	case HTTP_S_CODE:
		return code_byte(r, b);
	case HTTP_S_CODE_END:
	case HTTP_S_REASON:
		return reason_byte(r, b);
	case HTTP_S_LINE_LF:
		r->state = HTTP_S_FIELD;
		return b == '\n' ? HTTP_E_NONE : HTTP_E_FIELD_BYTE;
	default:
		return lead_byte(r, b);
	}
}

/* @return enum http_error; state stays within the status line when bytes end there. */
static int
status_read(struct http_response *r, struct http_cursor *c, const uint8_t *lim)
{
	if (r->state == HTTP_S_IDLE)
		c->p += status_take(r, c, lim);
	while (c->p < lim && r->state < HTTP_S_FIELD) {
		int e = status_byte(r, *c->p);

		if (e != HTTP_E_NONE)
			return e;
		c->p++;
	}
	return c->p == lim && lim < c->end && r->state < HTTP_S_FIELD ? HTTP_E_TOO_LARGE
								      : HTTP_E_NONE;
}

/* Rules 3 and 4: Transfer-Encoding goes first; whoever also sends a length, or sends it in
 * HTTP/1.0, is not to be trusted with another message. */
static void
frame_by_coding(struct http_response *r)
{
	if ((r->flags & HTTP_F_LENGTH) != 0) {
		r->flags &= (uint16_t)~HTTP_F_LENGTH;
		r->flags |= HTTP_F_CONFLICT | HTTP_F_CLOSE;
	}
	if (r->minor == 0)
		r->flags |= HTTP_F_LENIENT | HTTP_F_CLOSE;
	if ((r->coding & HTTP_CODING_CHUNKED) != 0) {
		r->flags |= HTTP_F_CHUNKED;
		r->state = HTTP_S_SIZE0;
		return;
	}
	r->flags |= HTTP_F_TO_EOF | HTTP_F_CLOSE;
	r->state = HTTP_S_TO_EOF;
}

static void
frame(struct http_response *r)
{
	if ((r->mode & HTTP_M_BODILESS) != 0) { /* rules 1 and 2 */
		r->flags &= (uint16_t)~HTTP_F_LENGTH;
		r->flags |= HTTP_F_NO_BODY;
		if ((r->mode & HTTP_M_CONNECT) != 0 && r->status < 300)
			r->flags |= HTTP_F_CLOSE; /* a tunnel now */
		r->state = HTTP_S_DONE;
	} else if (r->coding != 0) {
		frame_by_coding(r);
	} else if ((r->flags & HTTP_F_LENGTH) != 0) { /* rule 6 */
		r->acc = r->content_length;
		r->state = HTTP_S_LENGTH;
	} else { /* rule 8 */
		r->flags |= HTTP_F_TO_EOF | HTTP_F_CLOSE;
		r->state = HTTP_S_TO_EOF;
	}
	if (r->minor == 0 && (r->flags & HTTP_F_KEEP) == 0)
		r->flags |= HTTP_F_CLOSE;
}

/* Nothing that an interim reply says is about the final one. Its status stays to be read. */
static void
interim_forget(struct http_response *r)
{
	r->n_interim++;
	r->flags &= LENIENCY;
	r->mode &= HTTP_M_HEAD | HTTP_M_CONNECT;
	r->content_length = r->x_xact = 0;
	r->n_fields = r->coding = 0;
	r->state = HTTP_S_IDLE;
}

static enum http_rc
head_read(struct http_response *r, const uint8_t *in, uint32_t n, uint32_t *used)
{
	struct http_cursor c = {in, in, in + n};
	const uint8_t *lim = http_limit(&c, r->header_bytes, HTTP_HEADER_MAX);
	int e = status_read(r, &c, lim);

	if (e == HTTP_E_NONE)
		e = http_section_read(msg(r), &c, lim);
	*used = (uint32_t)(c.p - in);
	r->header_bytes += *used;
	if (e != HTTP_E_NONE)
		return http_fail(msg(r), e);
	if (r->state != HTTP_S_FIELDS_END)
		return HTTP_MORE;
	if (r->status < 200) {
		interim_forget(r);
		return HTTP_INTERIM;
	}
	frame(r);
	return HTTP_HEAD;
}

enum http_rc
http_response_parse(
	struct http_response *r, const uint8_t *in, uint32_t n, uint32_t *used, struct span *body)
{
	if (r->state >= HTTP_S_FIELDS_END || (r->mode & HTTP_M_TRAILER) != 0)
		return http_body_read(msg(r), in, n, used, body);
	body->p = NULL;
	body->n = 0;
	return head_read(r, in, n, used);
}

enum http_rc
http_response_eof(struct http_response *r)
{
	switch (r->state) {
	case HTTP_S_IDLE:
		if (r->n_interim == 0)
			return HTTP_MORE;
		break;
	case HTTP_S_LENGTH:
		if (r->acc != 0)
			break;
		/* fall through */
	case HTTP_S_TO_EOF:
	case HTTP_S_DONE:
		r->state = HTTP_S_DONE;
		return HTTP_DONE;
	case HTTP_S_FAILED:
		return HTTP_ERROR;
	default:
		break;
	}
	return http_fail(msg(r), HTTP_E_NONE);
}
