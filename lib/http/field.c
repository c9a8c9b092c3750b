/* SPDX-License-Identifier: BSD-3-Clause */
/* Field sections byte by byte: any cut, any oddity. What it decides, line.c may only hasten. */
#include "http_priv.h"

#define IN(b, lo, hi) ((b) >= (lo) && (b) <= (hi))
#define IS_DIGIT(b) IN(b, '0', '9')
#define IS_ALPHA(b) (IN(b, 'a', 'z') || IN(b, 'A', 'Z'))
#define IS_TOKEN(b) \
	(IS_DIGIT(b) || IS_ALPHA(b) || (b) == '!' || IN(b, '#', '\'') || (b) == '*' || \
		(b) == '+' || (b) == '-' || (b) == '.' || IN(b, '^', '`') || (b) == '|' || \
		(b) == '~')
#define IS_NAME(b) \
	(IS_DIGIT(b) || IS_ALPHA(b) || (b) == '!' || IN(b, '$', '.') || (b) == ';' || \
		(b) == '=' || (b) == '_' || (b) == '~')
#define CLASS(b) \
	((IS_TOKEN(b) ? HTTP_C_TOKEN : 0) | \
		(((b) >= 0x20 && (b) != 0x7f) || (b) == '\t' ? HTTP_C_FIELD : 0) | \
		(IS_DIGIT(b) || IN(b, 'a', 'f') || IN(b, 'A', 'F') ? HTTP_C_HEX : 0) | \
		(IN(b, 0x21, 0x7e) && (b) != '#' ? HTTP_C_TARGET : 0) | \
		(IS_NAME(b) ? HTTP_C_NAME : 0) | (IS_DIGIT(b) ? HTTP_C_DIGIT : 0) | \
		(IS_ALPHA(b) ? HTTP_C_ALPHA : 0) | ((b) == ' ' || (b) == '\t' ? HTTP_C_BLANK : 0))
#define CLASS4(b) CLASS(b), CLASS((b) + 1), CLASS((b) + 2), CLASS((b) + 3)
#define CLASS16(b) CLASS4(b), CLASS4((b) + 4), CLASS4((b) + 8), CLASS4((b) + 12)
#define CLASS64(b) CLASS16(b), CLASS16((b) + 16), CLASS16((b) + 32), CLASS16((b) + 48)

const uint8_t http_class[256] = {CLASS64(0), CLASS64(64), CLASS64(128), CLASS64(192)};

struct word {
	const char *text; /* lower case */
	uint8_t len;
};
#define WORD(s) \
	{ \
		s, sizeof(s) - 1 \
	}

static const struct word names[] = {
	[HTTP_K_OTHER] = WORD(""),
	[HTTP_K_LENGTH] = WORD("content-length"),
	[HTTP_K_CONNECTION] = WORD("connection"),
	[HTTP_K_CODING] = WORD("transfer-encoding"),
	[HTTP_K_XACT] = WORD("x-xact"),
	[HTTP_K_DATE] = WORD("date"),
	[HTTP_K_HOST] = WORD("host"),
	[HTTP_K_EXPECT] = WORD("expect"),
};

/* Tokens in lists. */
enum token {
	TOKEN_NONE,
	TOKEN_CLOSE,
	TOKEN_KEEP,
	TOKEN_CHUNKED,
	TOKEN_CONTINUE,
};
static const struct word tokens[] = {
	[TOKEN_NONE] = WORD(""),
	[TOKEN_CLOSE] = WORD("close"),
	[TOKEN_KEEP] = WORD("keep-alive"),
	[TOKEN_CHUNKED] = WORD("chunked"),
	[TOKEN_CONTINUE] = WORD("100-continue"),
};

/* sub within lists of tokens; the candidate is in acc, the position in pos */
enum {
	LIST_BEFORE,
	LIST_IN,
	LIST_AFTER, /* blank behind a token */
};

/* sub within Content-Length and X-Xact */
enum {
	NUMBER_BEFORE,
	NUMBER_IN,
	NUMBER_AFTER,
	NUMBER_NEXT, /* behind a comma */
	NUMBER_BAD,
};

static uint8_t
lower(uint8_t b)
{
	return b | 0x20;
}

int
http_host_byte(uint8_t *sub, uint8_t b)
{
	switch (*sub) {
	case HTTP_H_START:
		if (b == '[') {
			*sub = HTTP_H_V6_FIRST;
			return 0;
		}
		*sub = HTTP_H_NAME;
		return http_is(b, HTTP_C_NAME) ? 0 : -1;
	case HTTP_H_NAME:
		if (b == ':')
			*sub = HTTP_H_PORT;
		return b == ':' || http_is(b, HTTP_C_NAME) ? 0 : -1;
	case HTTP_H_V6_FIRST:
		*sub = HTTP_H_V6;
		return b == ':' || http_is(b, HTTP_C_HEX) ? 0 : -1;
	case HTTP_H_V6:
		if (b == ']')
			*sub = HTTP_H_V6_END;
		return b == ']' || b == ':' || b == '.' || http_is(b, HTTP_C_HEX) ? 0 : -1;
	case HTTP_H_V6_END:
		*sub = HTTP_H_PORT;
		return b == ':' ? 0 : -1;
	case HTTP_H_PORT:
	case HTTP_H_PORT_DIGIT:
		*sub = HTTP_H_PORT_DIGIT;
		return http_is(b, HTTP_C_DIGIT) ? 0 : -1;
	default:
		return -1;
	}
}

int
http_host_whole(uint8_t sub)
{
	return sub == HTTP_H_NAME || sub >= HTTP_H_V6_END;
}

/* One value of Content-Length is complete. Equal copies may be taken once (RFC 9112 section 6.3),
 * which a server must not do for requests: copies are how requests are smuggled. */
static int
length_commit(struct http_msg *m)
{
	if ((m->flags & HTTP_F_LENGTH) != 0) {
		if ((m->mode & HTTP_M_STRICT) != 0 || m->content_length != m->acc)
			return HTTP_E_LENGTH;
		m->flags |= HTTP_F_LENIENT;
	}
	m->content_length = m->acc;
	m->flags |= HTTP_F_LENGTH;
	return HTTP_E_NONE;
}

static int
length_digit(struct http_msg *m, uint8_t d)
{
	if (m->sub == NUMBER_AFTER)
		return HTTP_E_LENGTH;
	if (m->sub != NUMBER_IN)
		m->acc = m->pos = 0;
	m->sub = NUMBER_IN;
	if (++m->pos > HTTP_LENGTH_DIGITS_MAX || m->acc > (INT64_MAX - (uint64_t)d) / 10)
		return HTTP_E_LENGTH;
	m->acc = m->acc * 10 + d;
	return HTTP_E_NONE;
}

static int
length_byte(struct http_msg *m, uint8_t b)
{
	if (http_is(b, HTTP_C_DIGIT))
		return length_digit(m, b - '0');
	if (http_is(b, HTTP_C_BLANK)) {
		if (m->sub == NUMBER_IN)
			m->sub = NUMBER_AFTER;
		return HTTP_E_NONE;
	}
	if (b != ',' || (m->mode & HTTP_M_STRICT) != 0 ||
		(m->sub != NUMBER_IN && m->sub != NUMBER_AFTER))
		return HTTP_E_LENGTH;
	m->sub = NUMBER_NEXT;
	return length_commit(m);
}

static int
length_end(struct http_msg *m)
{
	if (m->sub != NUMBER_IN && m->sub != NUMBER_AFTER)
		return HTTP_E_LENGTH;
	return length_commit(m);
}

static void
token_end(struct http_msg *m)
{
	enum token t = (enum token)m->acc;

	if (m->sub == LIST_BEFORE)
		return; /* empty list elements are ignored (RFC 9110 section 5.6.1) */
	if (m->pos != tokens[t].len)
		t = TOKEN_NONE;
	if (m->kind == HTTP_K_CONNECTION && t == TOKEN_CLOSE)
		m->flags |= HTTP_F_CLOSE;
	if (m->kind == HTTP_K_CONNECTION && t == TOKEN_KEEP)
		m->flags |= HTTP_F_KEEP;
	if (m->kind == HTTP_K_EXPECT && t == TOKEN_CONTINUE)
		m->flags |= HTTP_F_EXPECT;
	if (m->kind == HTTP_K_CODING) {
		m->coding |=
			(m->coding & HTTP_CODING_ONE) != 0 ? HTTP_CODING_MANY : HTTP_CODING_ONE;
		m->coding &= (uint8_t)~HTTP_CODING_CHUNKED;
		if (t == TOKEN_CHUNKED)
			m->coding |= HTTP_CODING_CHUNKED;
	}
}

static enum token
token_first(uint8_t b)
{
	for (int t = TOKEN_CLOSE; t <= TOKEN_CONTINUE; t++) {
		/* "close" stands for "chunked" too: the second letter decides in token_next() */
		if (tokens[t].text[0] == b)
			return (enum token)t;
	}
	return TOKEN_NONE;
}

static void
token_next(struct http_msg *m, uint8_t b)
{
	if (m->acc == TOKEN_CLOSE && m->pos == 1 && b == 'h')
		m->acc = TOKEN_CHUNKED;
	if (m->acc == TOKEN_NONE || m->pos >= tokens[m->acc].len ||
		(uint8_t)tokens[m->acc].text[m->pos] != b)
		m->acc = TOKEN_NONE;
	else
		m->pos++;
}

static void
list_byte(struct http_msg *m, uint8_t b)
{
	if (b == ',') {
		token_end(m);
		m->sub = LIST_BEFORE;
	} else if (http_is(b, HTTP_C_BLANK)) {
		if (m->sub == LIST_IN)
			m->sub = LIST_AFTER;
	} else if (m->sub == LIST_BEFORE) {
		m->sub = LIST_IN;
		m->acc = token_first(lower(b));
		m->pos = 1;
	} else if (m->sub == LIST_AFTER) {
		m->acc = TOKEN_NONE; /* two words: none of ours */
	} else {
		token_next(m, lower(b));
	}
}

static void
xact_byte(struct http_msg *m, uint8_t b)
{
	if (http_is(b, HTTP_C_BLANK)) {
		if (m->sub == NUMBER_IN)
			m->sub = NUMBER_AFTER;
	} else if (m->sub > NUMBER_IN || !http_is(b, HTTP_C_HEX) || m->pos == 16) {
		m->sub = NUMBER_BAD;
	} else {
		m->sub = NUMBER_IN;
		m->acc = m->acc << 4 | http_hex(b);
		m->pos++;
	}
}

static int
host_value_byte(struct http_msg *m, uint8_t b)
{
	if (http_is(b, HTTP_C_BLANK)) {
		if (m->sub == HTTP_H_START)
			return HTTP_E_NONE;
		if (!http_host_whole(m->sub))
			return HTTP_E_HOST;
		m->sub = HTTP_H_BLANK;
		return HTTP_E_NONE;
	}
	return http_host_byte(&m->sub, b) == 0 ? HTTP_E_NONE : HTTP_E_HOST;
}

/* A message without a body is framed by its status alone: its bad length does no harm. */
static int
length_forgive(struct http_msg *m, int e)
{
	if (e == HTTP_E_NONE || (m->mode & HTTP_M_BODILESS) == 0)
		return e;
	m->kind = HTTP_K_OTHER;
	m->flags |= HTTP_F_LENIENT;
	return HTTP_E_NONE;
}

static int
value_byte(struct http_msg *m, uint8_t b)
{
	switch (m->kind) {
	case HTTP_K_LENGTH:
		return length_forgive(m, length_byte(m, b));
	case HTTP_K_CONNECTION:
	case HTTP_K_CODING:
	case HTTP_K_EXPECT:
		list_byte(m, b);
		return HTTP_E_NONE;
	case HTTP_K_XACT:
		xact_byte(m, b);
		return HTTP_E_NONE;
	case HTTP_K_HOST:
		return host_value_byte(m, b);
	default:
		return HTTP_E_NONE;
	}
}

static int
value_end(struct http_msg *m)
{
	switch (m->kind) {
	case HTTP_K_LENGTH:
		return length_forgive(m, length_end(m));
	case HTTP_K_CONNECTION:
	case HTTP_K_CODING:
	case HTTP_K_EXPECT:
		token_end(m);
		return HTTP_E_NONE;
	case HTTP_K_XACT:
		if ((m->sub == NUMBER_IN || m->sub == NUMBER_AFTER) && m->pos == 16) {
			m->x_xact = m->acc;
			m->flags |= HTTP_F_XACT;
		}
		return HTTP_E_NONE;
	case HTTP_K_HOST: /* empty is what a client sends when its URI has no authority */
		return m->sub == HTTP_H_START || http_host_whole(m->sub) ? HTTP_E_NONE
									 : HTTP_E_HOST;
	default:
		return HTTP_E_NONE;
	}
}

/* The colon of a field. */
static int
value_begin(struct http_msg *m)
{
	const int strict = (m->mode & HTTP_M_STRICT) != 0;

	m->state = HTTP_S_VALUE;
	m->acc = m->pos = m->sub = 0;
	switch (m->kind) {
	case HTTP_K_CODING:
		m->coding |= HTTP_CODING_SEEN;
		return HTTP_E_NONE;
	case HTTP_K_DATE:
		if (!strict)
			m->flags |= HTTP_F_DATE;
		return HTTP_E_NONE;
	case HTTP_K_HOST:
		if (!strict)
			m->kind = HTTP_K_OTHER;
		else if ((m->flags & HTTP_F_HOST) != 0)
			return HTTP_E_HOST;
		else
			m->flags |= HTTP_F_HOST;
		return HTTP_E_NONE;
	case HTTP_K_EXPECT:
		if (!strict)
			m->kind = HTTP_K_OTHER;
		return HTTP_E_NONE;
	default:
		return HTTP_E_NONE;
	}
}

static enum http_kind
name_first(uint8_t b)
{
	switch (b) {
	case 'c':
		return HTTP_K_LENGTH; /* or Connection, told apart by the fourth letter */
	case 't':
		return HTTP_K_CODING;
	case 'x':
		return HTTP_K_XACT;
	case 'd':
		return HTTP_K_DATE;
	case 'h':
		return HTTP_K_HOST;
	case 'e':
		return HTTP_K_EXPECT;
	default:
		return HTTP_K_OTHER;
	}
}

static void
name_next(struct http_msg *m, uint8_t b)
{
	if (m->kind == HTTP_K_OTHER)
		return;
	if (m->kind == HTTP_K_LENGTH && m->pos == 3 && b == 'n')
		m->kind = HTTP_K_CONNECTION;
	if (m->pos < names[m->kind].len && (uint8_t)names[m->kind].text[m->pos] == b)
		m->pos++;
	else
		m->kind = HTTP_K_OTHER;
}

/* Bytes outside tchar that a lenient reader lets pass in a name, which is then none of ours. */
static int
name_odd(struct http_msg *m, uint8_t b)
{
	if ((m->mode & HTTP_M_STRICT) != 0 || http_is(b, HTTP_C_BLANK) || !http_is(b, HTTP_C_FIELD))
		return HTTP_E_FIELD_NAME;
	m->flags |= HTTP_F_LENIENT;
	m->kind = HTTP_K_OTHER;
	return HTTP_E_NONE;
}

static int
field_first(struct http_msg *m, uint8_t b)
{
	const int strict = (m->mode & HTTP_M_STRICT) != 0;

	if (b == '\r') {
		m->state = HTTP_S_FIELDS_LF;
		return HTTP_E_NONE;
	}
	if (b == '\n') {
		if (strict)
			return HTTP_E_BARE_LF;
		m->flags |= HTTP_F_BARE_LF;
		m->state = HTTP_S_FIELDS_END;
		return HTTP_E_NONE;
	}
	if (b == ':')
		return HTTP_E_FIELD_NAME;
	if ((m->mode & HTTP_M_TRAILER) == 0) {
		if (m->n_fields == HTTP_FIELDS_MAX)
			return HTTP_E_TOO_MANY;
		m->n_fields++;
	}
	m->state = HTTP_S_NAME;
	m->pos = 1;
	/* nothing in a trailer section can frame the message again */
	m->kind = (m->mode & HTTP_M_TRAILER) != 0 ? HTTP_K_OTHER : name_first(lower(b));
	return http_is(b, HTTP_C_TOKEN) ? HTTP_E_NONE : name_odd(m, b);
}

static int
name_byte(struct http_msg *m, uint8_t b)
{
	if (http_is(b, HTTP_C_TOKEN)) {
		name_next(m, lower(b));
		return HTTP_E_NONE;
	}
	if (b == ':') {
		if (m->pos != names[m->kind].len)
			m->kind = HTTP_K_OTHER;
		return value_begin(m);
	}
	if (!http_is(b, HTTP_C_BLANK))
		return name_odd(m, b);
	if ((m->mode & HTTP_M_STRICT) != 0)
		return HTTP_E_FIELD_SPACE;
	if (m->pos != names[m->kind].len)
		m->kind = HTTP_K_OTHER;
	m->state = HTTP_S_NAME_SP;
	return HTTP_E_NONE;
}

/* A field that decides where the message ends must not be a matter of taste. */
static int
name_blank_byte(struct http_msg *m, uint8_t b)
{
	if (http_is(b, HTTP_C_BLANK))
		return HTTP_E_NONE;
	if (b != ':')
		return HTTP_E_FIELD_NAME;
	if (m->kind == HTTP_K_LENGTH || m->kind == HTTP_K_CODING || m->kind == HTTP_K_CONNECTION)
		return HTTP_E_FIELD_SPACE;
	m->kind = HTTP_K_OTHER;
	m->flags |= HTTP_F_LENIENT;
	return value_begin(m);
}

static int
field_value_byte(struct http_msg *m, uint8_t b)
{
	if (http_is(b, HTTP_C_FIELD))
		return value_byte(m, b);
	if (b == '\r') {
		m->state = HTTP_S_VALUE_LF;
		return HTTP_E_NONE;
	}
	if (b != '\n')
		return HTTP_E_FIELD_BYTE;
	if ((m->mode & HTTP_M_STRICT) != 0)
		return HTTP_E_BARE_LF;
	m->flags |= HTTP_F_BARE_LF;
	m->state = HTTP_S_VALUE_END;
	return HTTP_E_NONE;
}

/* Blank at the start of a line: the value goes on, the line break reads as a blank. */
static int
field_fold(struct http_msg *m)
{
	if ((m->mode & HTTP_M_STRICT) != 0)
		return HTTP_E_OBS_FOLD;
	m->flags |= HTTP_F_FOLDED;
	m->state = HTTP_S_VALUE;
	return value_byte(m, ' ');
}

static int
field_byte(struct http_msg *m, uint8_t b)
{
	switch (m->state) {
	case HTTP_S_FIELD:
		return field_first(m, b);
	case HTTP_S_NAME:
		return name_byte(m, b);
	case HTTP_S_NAME_SP:
		return name_blank_byte(m, b);
	case HTTP_S_VALUE:
		return field_value_byte(m, b);
	case HTTP_S_VALUE_LF:
		m->state = HTTP_S_VALUE_END;
		return b == '\n' ? HTTP_E_NONE : HTTP_E_FIELD_BYTE;
	case HTTP_S_VALUE_END:
		return field_fold(m);
	default: /* HTTP_S_FIELDS_LF */
		m->state = HTTP_S_FIELDS_END;
		return b == '\n' ? HTTP_E_NONE : HTTP_E_FIELD_BYTE;
	}
}

int
http_fields_read(struct http_msg *m, struct http_cursor *c, const uint8_t *lim)
{
	int e = HTTP_E_NONE;

	while (c->p < lim && m->state != HTTP_S_FIELDS_END) {
		if (m->state == HTTP_S_VALUE_END && !http_is(*c->p, HTTP_C_BLANK)) {
			e = value_end(m);
			if (e != HTTP_E_NONE)
				return e;
			m->state = HTTP_S_FIELD;
		}
		if (m->state == HTTP_S_FIELD && (m->mode & HTTP_M_TRAILER) == 0) {
			c->p = http_lines_read(m, c->base, c->p, lim);
			if (m->state == HTTP_S_FIELDS_END || c->p == lim)
				break;
		}
		e = field_byte(m, *c->p);
		if (e != HTTP_E_NONE)
			return e;
		c->p++;
	}
	if (c->p == lim && lim < c->end && m->state != HTTP_S_FIELDS_END)
		return HTTP_E_TOO_LARGE;
	return HTTP_E_NONE;
}
