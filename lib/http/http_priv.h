/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What the two parsers share: the leading members of their structs as one view, byte classes, and
 * the machines for field sections and bodies. Two paths read a field section: http_lines_read()
 * takes clean whole lines in place, http_field_byte() everything else; they must agree.
 * Private to lib/http. PURE. Design: doc/design/http.rst.
 */
#ifndef HTTP_PRIV_H
#define HTTP_PRIV_H

#include <stddef.h>
#include "http_parse.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Leading members of struct http_response and struct http_request. */
struct http_msg {
	uint64_t content_length;
	uint64_t body_bytes;
	uint64_t x_xact;
	uint64_t acc;
	uint32_t header_bytes;
	uint16_t trailer_bytes;
	uint16_t status;
	uint16_t flags;
	uint16_t pos;
	uint8_t minor;
	uint8_t error;
	uint8_t n_fields;
	uint8_t state;
	uint8_t mode;
	uint8_t kind;
	uint8_t sub;
	uint8_t coding;
};

#define HTTP_SAME_PLACE(member) \
	static_assert_( \
		offsetof(struct http_response, member) == offsetof(struct http_msg, member) && \
			offsetof(struct http_request, member) == \
				offsetof(struct http_msg, member), \
		#member)
HTTP_SAME_PLACE(content_length);
HTTP_SAME_PLACE(body_bytes);
HTTP_SAME_PLACE(x_xact);
HTTP_SAME_PLACE(acc);
HTTP_SAME_PLACE(header_bytes);
HTTP_SAME_PLACE(trailer_bytes);
HTTP_SAME_PLACE(flags);
HTTP_SAME_PLACE(pos);
HTTP_SAME_PLACE(minor);
HTTP_SAME_PLACE(error);
HTTP_SAME_PLACE(n_fields);
HTTP_SAME_PLACE(state);
HTTP_SAME_PLACE(mode);
HTTP_SAME_PLACE(kind);
HTTP_SAME_PLACE(sub);
HTTP_SAME_PLACE(coding);
static_assert_(offsetof(struct http_response, status) == offsetof(struct http_msg, status), "");
static_assert_(
	offsetof(struct http_request, reply_status) == offsetof(struct http_msg, status), "");

/** Where the machine is. Order matters: start line, field section, end of head, body, end. */
enum http_state {
	/* start line of both */
	HTTP_S_IDLE, /* nothing seen */
	HTTP_S_LEAD_LF, /* CR of an empty line before the message seen */
	HTTP_S_LED, /* one such line seen */
	HTTP_S_LINE_LF, /* CR of the start line seen */
	/* status line */
	HTTP_S_PROTO, /* "HTTP/1." */
	HTTP_S_MINOR,
	HTTP_S_CODE_SP,
	HTTP_S_CODE,
	HTTP_S_CODE_END,
	HTTP_S_REASON,
	/* request line */
	HTTP_S_METHOD,
	HTTP_S_TARGET, /* its first byte */
	HTTP_S_SCHEME, /* "http://" or "https://" */
	HTTP_S_AUTHORITY, /* of absolute-form, or the whole of a CONNECT target */
	HTTP_S_PATH, /* path and query */
	HTTP_S_STAR, /* after "*" */
	HTTP_S_REQ_PROTO,
	HTTP_S_REQ_MINOR,
	HTTP_S_REQ_CR,
	/* field section, also of trailers */
	HTTP_S_FIELD, /* first byte of a line */
	HTTP_S_NAME,
	HTTP_S_NAME_SP, /* blank between name and colon */
	HTTP_S_VALUE,
	HTTP_S_VALUE_LF, /* CR seen */
	HTTP_S_VALUE_END, /* line ended; a blank now would continue the value (obs-fold) */
	HTTP_S_FIELDS_LF, /* CR of the empty line seen */
	HTTP_S_FIELDS_END, /* section complete, framing not decided yet */
	/* body */
	HTTP_S_SIZE0, /* first digit of a chunk size */
	HTTP_S_SIZE,
	HTTP_S_SIZE_SP,
	HTTP_S_EXT,
	HTTP_S_SIZE_LF,
	HTTP_S_CHUNK,
	HTTP_S_CHUNK_CR,
	HTTP_S_CHUNK_LF,
	HTTP_S_LENGTH, /* acc bytes left */
	HTTP_S_TO_EOF,
	HTTP_S_DONE,
	HTTP_S_FAILED,
};

/* mode */
#define HTTP_M_STRICT 0x01 /* a request */
#define HTTP_M_TRAILER 0x02 /* the field section is a trailer: no field has an effect */
#define HTTP_M_HEAD 0x04 /* answer to HEAD */
#define HTTP_M_CONNECT 0x08 /* answer to CONNECT */
#define HTTP_M_BODILESS 0x10 /* known from the status line: no body whatever the fields say */

/* Fields that we read. */
enum http_kind {
	HTTP_K_OTHER,
	HTTP_K_LENGTH,
	HTTP_K_CONNECTION,
	HTTP_K_CODING,
	HTTP_K_XACT,
	HTTP_K_DATE,
	HTTP_K_HOST,
	HTTP_K_EXPECT,
};

/* coding: what Transfer-Encoding said so far */
#define HTTP_CODING_SEEN 0x01
#define HTTP_CODING_CHUNKED 0x02 /* the last coding is chunked */
#define HTTP_CODING_ONE 0x04 /* at least one coding */
#define HTTP_CODING_MANY 0x08 /* more than one */

/* Byte classes. */
#define HTTP_C_TOKEN 0x01 /* tchar */
#define HTTP_C_FIELD 0x02 /* field value, reason: HTAB, SP, VCHAR, obs-text */
#define HTTP_C_HEX 0x04
#define HTTP_C_TARGET 0x08 /* VCHAR but '#' */
#define HTTP_C_NAME 0x10 /* reg-name: unreserved, sub-delims, '%' */
#define HTTP_C_DIGIT 0x20
#define HTTP_C_ALPHA 0x40
#define HTTP_C_BLANK 0x80 /* SP, HTAB */
extern const uint8_t http_class[256];

static inline int
http_is(uint8_t b, uint8_t classes)
{
	return (http_class[b] & classes) != 0;
}

/** Value of a hex digit. */
static inline uint8_t
http_hex(uint8_t b)
{
	return (uint8_t)((b & 0xf) + 9 * (b >> 6));
}

/** Bytes of one call: base <= p <= end. */
struct http_cursor {
	const uint8_t *base;
	const uint8_t *p;
	const uint8_t *end;
};

/* Host as a machine of its own (RFC 3986 section 3.2.2): Host values and authorities. */
enum http_host_sub {
	HTTP_H_START,
	HTTP_H_NAME,
	HTTP_H_V6_FIRST,
	HTTP_H_V6,
	HTTP_H_V6_END,
	HTTP_H_PORT, /* after the colon */
	HTTP_H_PORT_DIGIT, /* at least one digit of it */
	HTTP_H_BLANK, /* Host value only: blank after the value */
};

/** One byte of host[:port]. @return 0, or -1 when it can't stand there. */
int http_host_byte(uint8_t *sub, uint8_t b);
/** May the text end here? */
int http_host_whole(uint8_t sub);

/** Kind of a whole name, HTTP_K_OTHER when it is none of ours. */
enum http_kind http_name_kind(const uint8_t *p, uint32_t n);

/** Read fields until the section ends (state HTTP_S_FIELDS_END, p behind it), bytes end or an
 * error. @param lim end of bytes, or of the section's limit. @return enum http_error, p at the
 * culprit. */
int http_fields_read(struct http_msg *m, struct http_cursor *c, const uint8_t *lim);

/** Take whole clean lines from p on; state must be HTTP_S_FIELD. @return where it stopped: state
 * HTTP_S_FIELDS_END when the empty line was taken too. */
const uint8_t *http_lines_read(
	struct http_msg *m, const uint8_t *base, const uint8_t *p, const uint8_t *lim);

/** End of a line's clean text: first control byte other than HTAB, NULL when there is none. */
const uint8_t *http_text_end(const uint8_t *base, const uint8_t *p, const uint8_t *lim);

/** Body from the end of the head on. */
enum http_rc http_body_read(
	struct http_msg *m, const uint8_t *in, uint32_t n, uint32_t *used, struct span *body);

/** One byte of a request-target. @return enum http_error; sets reply_status when it isn't 400. */
int http_target_byte(struct http_request *r, uint8_t b);

/** Where a section's limit falls within the bytes: min(end, p + limit - so_far). */
static inline const uint8_t *
http_limit(const struct http_cursor *c, uint32_t so_far, uint32_t limit)
{
	uint32_t room = limit - so_far;

	return (size_t)(c->end - c->p) > room ? c->p + room : c->end;
}

/** Fields behind a start line, if that is complete: whole lines first, mostly all there is to do.
 */
static inline int
http_section_read(struct http_msg *m, struct http_cursor *c, const uint8_t *lim)
{
	if (m->state == HTTP_S_FIELD) {
		c->p = http_lines_read(m, c->base, c->p, lim);
		if (m->state == HTTP_S_FIELDS_END)
			return HTTP_E_NONE;
	}
	return m->state < HTTP_S_FIELD ? HTTP_E_NONE : http_fields_read(m, c, lim);
}

static inline enum http_rc
http_fail(struct http_msg *m, int error)
{
	m->error = (uint8_t)error;
	m->state = HTTP_S_FAILED;
	return HTTP_ERROR;
}

struct http_template;

/** Set t->sum from its finished text (render.c). */
void http_template_sum_fixed(struct http_template *t);

#ifdef __cplusplus
}
#endif
#endif
