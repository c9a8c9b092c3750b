/* SPDX-License-Identifier: BSD-3-Clause */
/* Request-targets (RFC 9112 section 3.2) and the object that one of ours names:
 * /wWWWWWWWW/tTT/_OOOOOOOOOOOOOOOO, in hex, then nothing, an extension or a query. */
#include "http_priv.h"

#define FNV_PRIME 0x100000001b3ULL

/* r->coding while the target is read: place within the object form */
static const char form[] = "/wxxxxxxxx/txx/_xxxxxxxxxxxxxxxx";
enum {
	FORM_END = sizeof(form) - 1,
	FORM_DOT, /* "." seen */
	FORM_EXT, /* at least one byte behind it */
	FORM_QUERY,
	FORM_NOT,
};

static uint8_t
form_tail(uint8_t at, uint8_t b)
{
	if (at == FORM_QUERY)
		return FORM_QUERY;
	if (at != FORM_DOT && b == '?')
		return FORM_QUERY;
	if (at == FORM_END)
		return b == '.' ? FORM_DOT : FORM_NOT;
	return http_is(b, HTTP_C_ALPHA | HTTP_C_DIGIT) ? FORM_EXT : FORM_NOT;
}

static void
form_byte(struct http_request *r, uint8_t b)
{
	const uint8_t at = r->coding;

	if (at == FORM_NOT)
		return;
	if (at >= FORM_END) {
		r->coding = form_tail(at, b);
		return;
	}
	r->coding = at + 1;
	if (form[at] != 'x') {
		if ((uint8_t)form[at] != b)
			r->coding = FORM_NOT;
		return;
	}
	if (!http_is(b, HTTP_C_HEX))
		r->coding = FORM_NOT;
	else if (at < 10)
		r->world = r->world << 4 | http_hex(b);
	else if (at < 14)
		r->type = (uint8_t)(r->type << 4 | http_hex(b));
	else
		r->oid = r->oid << 4 | http_hex(b);
}

static void
path_add(struct http_request *r, uint8_t b)
{
	r->acc = (r->acc ^ b) * FNV_PRIME;
	form_byte(r, b);
}

static void
path_begin(struct http_request *r)
{
	r->acc = 0xcbf29ce484222325ULL;
	r->coding = 0;
	r->state = HTTP_S_PATH;
}

/* The SP behind the target. */
static int
target_end(struct http_request *r)
{
	if (r->coding == FORM_END || r->coding == FORM_EXT || r->coding == FORM_QUERY) {
		r->flags |= HTTP_F_OBJECT;
	} else {
		r->oid = r->acc;
		r->world = 0;
		r->type = 0;
	}
	r->coding = 0;
	r->pos = 0;
	r->state = HTTP_S_REQ_PROTO;
	return HTTP_E_NONE;
}

static int
path_byte(struct http_request *r, uint8_t b)
{
	if (b == ' ')
		return target_end(r);
	if (!http_is(b, HTTP_C_TARGET))
		return b == '\r' || b == '\n' ? HTTP_E_VERSION : HTTP_E_TARGET;
	path_add(r, b);
	return HTTP_E_NONE;
}

static int
target_first(struct http_request *r, uint8_t b)
{
	r->pos = r->sub = 0;
	if (r->method == HTTP_CONNECT) {
		r->state = HTTP_S_AUTHORITY;
		return http_host_byte(&r->sub, b) == 0 ? HTTP_E_NONE : HTTP_E_TARGET;
	}
	if (b == '/') {
		path_begin(r);
		path_add(r, b);
		return HTTP_E_NONE;
	}
	if (b == '*' && r->method == HTTP_OPTIONS) {
		r->state = HTTP_S_STAR;
		return HTTP_E_NONE;
	}
	r->pos = 1;
	r->state = HTTP_S_SCHEME;
	return (b | 0x20) == 'h' ? HTTP_E_NONE : HTTP_E_TARGET;
}

/* "http://" or "https://", of which only the s is optional. */
static int
scheme_byte(struct http_request *r, uint8_t b)
{
	static const char text[] = "https://";

	if (r->pos == 4 && b == ':')
		r->pos++;
	if ((r->pos < 5 ? b | 0x20 : b) != (uint8_t)text[r->pos])
		return HTTP_E_TARGET;
	if (++r->pos == sizeof(text) - 1) {
		r->flags |= HTTP_F_ABSOLUTE;
		r->state = HTTP_S_AUTHORITY;
	}
	return HTTP_E_NONE;
}

/* CONNECT needs host and port, absolute-form a host; user names are refused. */
static int
authority_byte(struct http_request *r, uint8_t b)
{
	if (r->method == HTTP_CONNECT) {
		if (b != ' ')
			return http_host_byte(&r->sub, b) == 0 ? HTTP_E_NONE : HTTP_E_TARGET;
		path_begin(r);
		r->coding = FORM_NOT;
		return r->sub == HTTP_H_PORT_DIGIT ? target_end(r) : HTTP_E_TARGET;
	}
	if (b != '/' && b != '?' && b != ' ')
		return http_host_byte(&r->sub, b) == 0 ? HTTP_E_NONE : HTTP_E_TARGET;
	if (!http_host_whole(r->sub))
		return HTTP_E_TARGET;
	path_begin(r);
	if (b != '/') /* an empty path is "/" (RFC 9110 section 4.2.3) */
		path_add(r, '/');
	return path_byte(r, b);
}

int
http_target_byte(struct http_request *r, uint8_t b)
{
	if (b != ' ' && r->target_bytes == HTTP_TARGET_MAX - 1) {
		r->reply_status = 414;
		return HTTP_E_TOO_LARGE;
	}
	if (b != ' ')
		r->target_bytes++;
	switch (r->state) {
	case HTTP_S_TARGET:
		return target_first(r, b);
	case HTTP_S_SCHEME:
		return scheme_byte(r, b);
	case HTTP_S_AUTHORITY:
		return authority_byte(r, b);
	case HTTP_S_PATH:
		return path_byte(r, b);
	default: /* HTTP_S_STAR */
		path_begin(r);
		path_add(r, '*');
		return b == ' ' ? target_end(r) : HTTP_E_TARGET;
	}
}
