/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Message texts that we send, as templates: everything constant is rendered at start, variable
 * fields have fixed width and fixed offset, so the length of a message is known before it is
 * written and any byte of it can be made again for a retransmission.
 * INIT builds; rendering is PURE. Memory: inside the struct.
 */
#ifndef HTTP_MESSAGE_H
#define HTTP_MESSAGE_H

#include "base_bytes.h"
#include "base_err.h"
#include "http_parse.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HTTP_TEMPLATE_MAX 4096 /* longest header section we send */
#define HTTP_NO_HOLE UINT16_MAX

struct http_template {
	uint16_t len;
	uint16_t at_oid; /* 16 hex digits of the object number */
	uint16_t at_xact; /* 16 hex digits */
	uint16_t at_length; /* HTTP_LENGTH_WIDTH digits, right-aligned, blanks before (OWS) */
	uint16_t at_date; /* 29 bytes IMF-fixdate */
	uint8_t *text; /* malloc'd at build */
	uint64_t sum; /* of the text without its holes, as net_csum_add() has it */
};
#define HTTP_LENGTH_WIDTH 12
#define HTTP_DATE_BYTES 29

/** What a request template is made from. */
struct http_request_desc {
	enum http_method method;
	const char *method_text; /* of HTTP_METHOD_OTHER */
	const char *scheme_host; /* absolute-form prefix "http://host:port", NULL: origin-form */
	const char *uri; /* fixed target; NULL: an object of ours */
	uint32_t world; /* object target: /w%08x/t%02x/_%016x */
	uint8_t type;
	const char *host; /* Host value; NULL when `headers` holds one (user's wins) */
	const char *const *headers; /* user's field lines "Name: value", no line end */
	uint32_t n_headers;
	uint8_t minor; /* HTTP/1.minor */
	uint8_t close; /* Connection: close; for 1.0: absence of keep-alive */
	uint8_t has_length; /* Content-Length hole (POST, PUT, PATCH: always) */
	uint8_t xact; /* X-Xact hole */
};

/** What a response template is made from. */
struct http_response_desc {
	uint16_t status;
	const char *content_type; /* NULL: none */
	uint8_t close;
	uint8_t keep; /* Connection: keep-alive in answer to HTTP/1.0 */
	uint8_t has_length; /* ignored for 1xx and 204 (RFC 9110 section 8.6) */
	uint8_t xact;
	const char *const *headers;
	uint32_t n_headers;
};

/** Host value for a target: port left out when it is 80 (RFC 9110 section 7.2), an IPv6 literal in
 * brackets and without its zone. @return length, -EINVAL (no host name), -ENOSPC. */
int http_host_text(const char *name, uint16_t port, char *buf, unsigned int size);

/** Make the template of a message. Date is a hole of every final response; a user's Host, Date or
 * Content-Type replaces ours. Refused in `headers`: Content-Length, Transfer-Encoding, Connection,
 * X-Xact, names that are no token, control bytes in values.
 * @return 0, -E2BIG (over HTTP_TEMPLATE_MAX), -EINVAL (bad part or field line), -ENOMEM. */
int http_request_build(struct http_template *t, const struct http_request_desc *d, struct err *e);
int http_response_build(struct http_template *t, const struct http_response_desc *d, struct err *e);
void http_template_fini(struct http_template *t);

/** Render all of it: t->len bytes into out. Values of holes that the template lacks are ignored.
 * @param length below 10^12. @param date 29 bytes, NULL when there is no such hole. @return
 * checksum accumulator of what was written (net_csum.h). */
uint64_t http_template_write(const struct http_template *t, uint8_t *out, uint64_t oid,
	uint64_t xact, uint64_t length, const char *date);

/** IMF-fixdate of a UNIX second (RFC 9110 section 5.6.7), 29 bytes and a NUL. */
void http_date_text(uint64_t unix_s, char buf[30]);

const char *http_reason(uint16_t status);

#ifdef __cplusplus
}
#endif
#endif
