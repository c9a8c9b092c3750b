/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Incremental HTTP/1.x parsers (RFC 9112). No buffer: state lives in the struct, any split of the
 * bytes gives the same result. Bodies are handed out as spans into the caller's bytes.
 * PURE; the caller owns the struct (it lives in a transaction slot).
 */
#ifndef HTTP_PARSE_H
#define HTTP_PARSE_H

#include "base_bytes.h"
#include "base_assert.h"
#include "stats_counter.h"

#ifdef __cplusplus
extern "C" {
#endif

enum http_rc {
	HTTP_MORE, /* all bytes used, message not complete */
	HTTP_INTERIM, /* a 1xx reply ended; the same message goes on */
	HTTP_HEAD, /* header section complete: fields below are valid; call again for the body */
	HTTP_BODY, /* *body holds content bytes (framing removed); call again */
	HTTP_DONE, /* message complete; unused bytes belong to the next */
	HTTP_ERROR, /* error and err_off say what and where; the connection is lost */
};

/** Why parsing failed. Text by http_error_text(). */
enum http_error {
	HTTP_E_NONE,
	HTTP_E_STATUS_LINE, /* not HTTP/1.x SP 3DIGIT */
	HTTP_E_VERSION, /* HTTP/2.0 in text and such */
	HTTP_E_FIELD_NAME, /* empty, control byte, or line without colon */
	HTTP_E_FIELD_SPACE, /* space before the colon (framing fields; any field in requests) */
	HTTP_E_FIELD_BYTE, /* NUL, bare CR or control byte in a value */
	HTTP_E_OBS_FOLD, /* folded line in a request */
	HTTP_E_LENGTH, /* Content-Length not 1*DIGIT, overflow, or copies that differ */
	HTTP_E_CODING, /* Transfer-Encoding that we can't take (request) */
	HTTP_E_CHUNK_SIZE,
	HTTP_E_CHUNK_END, /* chunk data not followed by CRLF */
	HTTP_E_TOO_LARGE, /* header section or one line over the limit: class `limit` */
	HTTP_E_TOO_MANY, /* fields, or interim replies over 32 */
	HTTP_E_EXTRA, /* bytes before a status line */
	HTTP_E_SWITCH, /* 101 that nobody asked for */
	HTTP_E_METHOD, /* request: not a token */
	HTTP_E_TARGET, /* request: bad request-target */
	HTTP_E_HOST, /* request: Host missing, twice or bad in HTTP/1.1 */
	HTTP_E_BARE_LF, /* request: line ended by LF alone */
	HTTP_E_N
};

enum http_method {
	HTTP_GET,
	HTTP_HEAD_METHOD,
	HTTP_POST,
	HTTP_PUT,
	HTTP_DELETE,
	HTTP_OPTIONS,
	HTTP_CONNECT,
	HTTP_TRACE,
	HTTP_PATCH,
	HTTP_METHOD_OTHER,
};

/* Flags that both parsers use. */
#define HTTP_F_CLOSE 0x0001 /* the connection can't be reused after this message */
#define HTTP_F_KEEP 0x0002 /* explicit keep-alive */
#define HTTP_F_CHUNKED 0x0004
#define HTTP_F_LENGTH 0x0008 /* Content-Length given and in use */
#define HTTP_F_TO_EOF 0x0010 /* response body ends at FIN */
#define HTTP_F_NO_BODY 0x0020 /* HEAD, 1xx, 204, 304: ends at the empty line */
#define HTTP_F_XACT 0x0040 /* our own X-Xact field was there: x_xact is valid */
#define HTTP_F_CONFLICT 0x0080 /* Transfer-Encoding with Content-Length */
#define HTTP_F_BARE_LF 0x0100
#define HTTP_F_FOLDED 0x0200
#define HTTP_F_LENIENT 0x0400 /* other leniency: space before a chunk extension, before a colon */
#define HTTP_F_EXPECT 0x0800 /* request: Expect: 100-continue */
#define HTTP_F_OBJECT 0x1000 /* request: target names an object of ours (world, type, oid) */
#define HTTP_F_HOST 0x2000 /* request: Host seen */
#define HTTP_F_ABSOLUTE 0x4000 /* request: absolute-form */
#define HTTP_F_DATE 0x8000 /* response: Date seen */

#define HTTP_HEADER_MAX 65536
#define HTTP_FIELDS_MAX 128
#define HTTP_INTERIM_MAX 32
#define HTTP_TARGET_MAX 16384

#define HTTP_TRAILER_MAX 32768 /* trailer section with its empty line */
#define HTTP_CHUNK_EXT_MAX 4096 /* blanks and extensions of one chunk-size line */
#define HTTP_METHOD_MAX 32 /* longest method token we read */
#define HTTP_LENGTH_DIGITS_MAX 32 /* of Content-Length, leading zeros included */

/** Response parser, one cache line. Fields marked `private` are the machine's. */
struct http_response {
	uint64_t content_length; /* as announced; in use when HTTP_F_LENGTH is set at HTTP_HEAD */
	uint64_t body_bytes; /* content bytes so far, framing excluded */
	uint64_t x_xact; /* our field: transaction id as the origin echoes it */
	uint64_t acc; /* private: number being read, bytes left */
	uint32_t header_bytes; /* status line, fields, interim replies; trailers not */
	uint16_t trailer_bytes; /* trailer section of a chunked reply, its empty line included */
	uint16_t status;
	uint16_t flags; /* HTTP_F_* */
	uint16_t pos; /* private: position in what is being matched */
	uint8_t minor; /* HTTP/1.minor */
	uint8_t error; /* enum http_error */
	uint8_t n_fields;
	uint8_t state; /* private from here: see http_priv.h */
	uint8_t mode;
	uint8_t kind;
	uint8_t sub;
	uint8_t coding;
	/* common with struct http_request up to here */
	uint8_t n_interim; /* interim replies so far */
	uint8_t spare[11];
};
static_assert_(sizeof(struct http_response) == 64, "one cache line");

/** @param method of the request this answers: HEAD and CONNECT change the framing. */
void http_response_init(struct http_response *r, enum http_method method);

/** True when not one byte of the (next interim or final) reply has been seen. */
int http_response_idle(const struct http_response *r);

/** Feed n bytes; *used says how many were taken, also on error (offset of the culprit). Call again
 * with the rest on INTERIM, HEAD and BODY, also when nothing is left (n = 0): the end of a message
 * is always a call of its own. DONE and ERROR are final until the next init. */
enum http_rc http_response_parse(
	struct http_response *r, const uint8_t *in, uint32_t n, uint32_t *used, struct span *body);

/** The peer ended its stream: HTTP_DONE when that ends the body, HTTP_MORE when no byte was seen
 * (noreply or stale), HTTP_ERROR (error = HTTP_E_NONE) when the reply is short; interim replies
 * count as bytes seen. */
enum http_rc http_response_eof(struct http_response *r);

/** Request parser, two cache lines at most. Strict (RFC 9112 section 11,
 * table in doc/design/http.rst): what is doubtful is refused. */
struct http_request {
	uint64_t content_length;
	uint64_t body_bytes;
	uint64_t x_xact;
	uint64_t acc; /* private */
	uint32_t header_bytes;
	uint16_t trailer_bytes;
	uint16_t reply_status; /* after HTTP_ERROR: what to answer (400, 414, 431, 501, 505) */
	uint16_t flags;
	uint16_t pos; /* private */
	uint8_t minor;
	uint8_t error;
	uint8_t n_fields;
	uint8_t state; /* private from here */
	uint8_t mode;
	uint8_t kind;
	uint8_t sub;
	uint8_t coding;
	/* common with struct http_response up to here */
	uint8_t method; /* enum http_method */
	uint8_t type; /* object type of the target */
	uint16_t target_bytes; /* length of the request-target */
	uint64_t oid; /* HTTP_F_OBJECT: object number; else FNV-1a of path and query */
	uint32_t world; /* HTTP_F_OBJECT: world of the object */
	uint32_t spare;
};
static_assert_(sizeof(struct http_request) <= 128, "two cache lines");

void http_request_init(struct http_request *r);
int http_request_idle(const struct http_request *r);
enum http_rc http_request_parse(
	struct http_request *r, const uint8_t *in, uint32_t n, uint32_t *used, struct span *body);

const char *http_error_text(enum http_error e);
const char *http_method_text(enum http_method m);
/** Case-sensitive name -> method. @return 0 or -EINVAL (not a token). */
int http_method_parse(const char *s, enum http_method *m);

#define HTTP_COUNTERS(X) \
	X(replies, COUNTER_SUM, COUNTER_INFO, "1", "final replies parsed whole") \
	X(requests, COUNTER_SUM, COUNTER_INFO, "1", "requests parsed whole") \
	X(interim, COUNTER_SUM, COUNTER_INFO, "1", "1xx replies") \
	X(conflicts, COUNTER_SUM, COUNTER_WARN, "1", \
		"messages with Transfer-Encoding and Content-Length") \
	X(bare_lf, COUNTER_SUM, COUNTER_WARN, "1", "replies with bare LF line ends") \
	X(folded, COUNTER_SUM, COUNTER_WARN, "1", "replies with folded field lines") \
	X(lenient, COUNTER_SUM, COUNTER_WARN, "1", "replies accepted by other leniency") \
	X(chunked, COUNTER_SUM, COUNTER_INFO, "1", "messages in chunked coding") \
	X(to_eof, COUNTER_SUM, COUNTER_INFO, "1", "replies delimited by close") \
	X(header_bytes, COUNTER_SUM, COUNTER_INFO, "bytes", "header sections received") \
	X(body_bytes, COUNTER_SUM, COUNTER_INFO, "bytes", "content received, framing excluded") \
	X(trailer_bytes, COUNTER_SUM, COUNTER_INFO, "bytes", "chunked trailer sections received") \
	X(bad_requests, COUNTER_SUM, COUNTER_WARN, "1", "requests refused by the parser")

struct http_counters {
	HTTP_COUNTERS(COUNTER_FIELD)
};
extern const struct counter_desc http_counter_descs[];
extern const uint32_t http_n_counter_descs;

#ifdef __cplusplus
}
#endif
#endif
