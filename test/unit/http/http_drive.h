/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Drives a parser over bytes that are cut in a given way and writes down all that a caller can
 * see, so that two ways to cut can be compared with memcmp. Used by the unit tests and the fuzz
 * targets. Not a test by itself; C and C++.
 */
#ifndef HTTP_DRIVE_H
#define HTTP_DRIVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "http_parse.h"

#define DRIVE_MESSAGES 8

enum drive_end {
	DRIVE_DONE,
	DRIVE_ERROR,
	DRIVE_MORE, /* bytes ended within a message */
	DRIVE_SHORT, /* the stream ended within a message */
	DRIVE_NOREPLY, /* the stream ended before a byte */
};

/** One message as the caller saw it. */
struct drive_message {
	uint64_t offset; /* of the byte behind it, or of the culprit */
	uint64_t content_length;
	uint64_t body_bytes;
	uint64_t body_hash; /* FNV-1a */
	uint64_t x_xact;
	uint64_t oid;
	uint32_t header_bytes;
	uint32_t world;
	uint16_t trailer_bytes;
	uint16_t status; /* of a response, or to answer a request with */
	uint16_t flags;
	uint16_t n_interim;
	uint8_t end; /* enum drive_end */
	uint8_t error;
	uint8_t minor;
	uint8_t n_fields;
	uint8_t n_heads; /* HTTP_HEAD seen */
	uint8_t method;
	uint8_t type;
	uint8_t spare;
};

/** How bytes are cut: `first` of them, then pieces of `step`, or of 1..2*step when a seed is given.
 */
struct drive_cut {
	uint32_t first;
	uint32_t step;
	uint64_t seed;
};

struct drive {
	/* input */
	int is_request;
	enum http_method method;
	int fin;
	uint8_t *guard; /* end of writable memory: each piece is moved to end there; NULL: in place
			 */
	/* result */
	uint32_t n;
	struct drive_message m[DRIVE_MESSAGES];
	/* work */
	struct http_response response;
	struct http_request request;
	uint64_t offset;
	uint64_t hash;
	uint16_t n_interim;
	uint8_t n_heads;
	uint8_t over;
};

/** What must never be, whatever the bytes are. */
static inline void
drive_must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "http_drive: %s\n", what);
	abort();
}

static inline uint64_t
drive_hash(uint64_t h, const uint8_t *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ULL;
	return h;
}

#define DRIVE_HASH0 0xcbf29ce484222325ULL

static inline void
drive_message_begin(struct drive *d)
{
	if (d->is_request)
		http_request_init(&d->request);
	else
		http_response_init(&d->response, d->method);
	d->hash = DRIVE_HASH0;
	d->n_interim = 0;
	d->n_heads = 0;
}

#define DRIVE_COPY(to, from) \
	do { \
		(to)->content_length = (from)->content_length; \
		(to)->body_bytes = (from)->body_bytes; \
		(to)->x_xact = (from)->x_xact; \
		(to)->header_bytes = (from)->header_bytes; \
		(to)->trailer_bytes = (from)->trailer_bytes; \
		(to)->flags = (from)->flags; \
		(to)->error = (from)->error; \
		(to)->minor = (from)->minor; \
		(to)->n_fields = (from)->n_fields; \
	} while (0)

static inline void
drive_message_end(struct drive *d, enum drive_end end)
{
	struct drive_message *m;

	if (d->n == DRIVE_MESSAGES) {
		d->over = 1;
		return;
	}
	m = &d->m[d->n++];
	m->offset = d->offset;
	m->body_hash = d->hash;
	m->end = (uint8_t)end;
	m->n_heads = d->n_heads;
	m->n_interim = d->n_interim;
	if (d->is_request) {
		DRIVE_COPY(m, &d->request);
		m->status = d->request.reply_status;
		m->method = d->request.method;
		m->oid = d->request.oid;
		m->world = d->request.world;
		m->type = d->request.type;
	} else {
		DRIVE_COPY(m, &d->response);
		m->status = d->response.status;
		drive_must(d->response.n_interim == d->n_interim, "interim replies miscounted");
	}
	drive_must(end != DRIVE_DONE || m->error == HTTP_E_NONE, "done with an error");
	drive_must(end != DRIVE_ERROR || m->error != HTTP_E_NONE, "error without a kind");
}

static inline enum http_rc
drive_parse(struct drive *d, const uint8_t *p, uint32_t n, uint32_t *used, struct span *body)
{
	return d->is_request ? http_request_parse(&d->request, p, n, used, body)
			     : http_response_parse(&d->response, p, n, used, body);
}

static inline int
drive_idle(const struct drive *d)
{
	return d->is_request ? http_request_idle(&d->request) : http_response_idle(&d->response);
}

/** One piece; @return 0 when the machine stopped for good. */
static inline int
drive_piece(struct drive *d, const uint8_t *p, uint32_t n)
{
	for (;;) {
		struct span body;
		uint32_t used;
		enum http_rc rc = drive_parse(d, p, n, &used, &body);

		drive_must(used <= n, "more used than given");
		drive_must((rc == HTTP_BODY) == (body.n != 0), "body without HTTP_BODY or empty");
		d->offset += used;
		if (rc == HTTP_BODY) {
			drive_must(body.p >= p && body.p + body.n <= p + used, "body elsewhere");
			d->hash = drive_hash(d->hash, body.p, body.n);
		}
		p += used;
		n -= used;
		if (rc == HTTP_MORE) {
			drive_must(n == 0, "bytes left behind");
			return 1;
		} else if (rc == HTTP_ERROR) {
			drive_message_end(d, DRIVE_ERROR);
			return 0;
		} else if (rc == HTTP_INTERIM) {
			d->n_interim++;
		} else if (rc == HTTP_HEAD) {
			d->n_heads++;
		} else if (rc == HTTP_DONE) {
			drive_message_end(d, DRIVE_DONE);
			if (d->over)
				return 0;
			drive_message_begin(d);
			if (n == 0)
				return 1;
		}
	}
}

/** The stream ended or pauses. */
static inline void
drive_end_of_bytes(struct drive *d)
{
	const int was_idle = drive_idle(d);
	enum http_rc rc;

	if (was_idle && d->n_interim == 0 && d->n > 0)
		return;
	if (!d->fin || d->is_request) {
		drive_message_end(d, DRIVE_MORE);
		return;
	}
	rc = http_response_eof(&d->response);
	drive_must(rc == HTTP_DONE || rc == HTTP_MORE || rc == HTTP_ERROR, "code of eof");
	drive_must(rc != HTTP_MORE || was_idle, "no byte seen, but not idle");
	drive_message_end(d, rc == HTTP_DONE   ? DRIVE_DONE
			     : rc == HTTP_MORE ? DRIVE_NOREPLY
					       : DRIVE_SHORT);
}

static inline uint32_t
drive_cut_next(const struct drive_cut *c, uint64_t at, uint64_t *random)
{
	if (at == 0 && c->first != 0)
		return c->first;
	if (c->seed == 0)
		return c->step;
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return 1 + (uint32_t)(*random % (2 * c->step));
}

/** Run the bytes through; the input part of d must be set. */
static inline void
drive_run(struct drive *d, const uint8_t *bytes, uint32_t n, struct drive_cut cut)
{
	uint64_t random = cut.seed;

	d->n = 0;
	d->over = 0;
	d->offset = 0;
	memset(d->m, 0, sizeof(d->m));
	drive_message_begin(d);
	for (uint32_t at = 0; at < n;) {
		uint32_t len = drive_cut_next(&cut, at, &random);
		const uint8_t *p = bytes + at;

		if (len > n - at)
			len = n - at;
		if (d->guard != NULL) {
			memcpy(d->guard - len, p, len);
			p = d->guard - len;
		}
		if (!drive_piece(d, p, len))
			return;
		at += len;
	}
	drive_end_of_bytes(d);
}

static inline int
drive_same(const struct drive *a, const struct drive *b)
{
	return a->n == b->n && memcmp(a->m, b->m, sizeof(a->m[0]) * a->n) == 0;
}

#endif
