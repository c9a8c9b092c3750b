/* SPDX-License-Identifier: BSD-3-Clause */
/* Templates of what we send. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "http_priv.h"
#include "http_message.h"

#define DATE_BYTES HTTP_DATE_BYTES
#define OID_BYTES 16
#define XACT_BYTES 16

/* A header section that grows; what doesn't fit is only counted. */
struct draft {
	uint32_t n;
	uint8_t text[HTTP_TEMPLATE_MAX];
};

static void
draft_add(struct draft *d, const char *s)
{
	size_t n = strlen(s);

	if (d->n + n <= sizeof(d->text))
		memcpy(d->text + d->n, s, n);
	d->n += (uint32_t)n;
}

/* A hole of n bytes. @return its place. */
static uint16_t
draft_hole(struct draft *d, uint32_t n, uint8_t fill)
{
	uint32_t at = d->n;

	if (at + n <= sizeof(d->text))
		memset(d->text + at, fill, n);
	d->n += n;
	return (uint16_t)at;
}

/* Fields that the program sets itself. */
static const struct {
	const char *name;
	const char *why;
} reserved[] = {
	{"Content-Length", "the size of the body sets it"},
	{"Transfer-Encoding", "bodies are sent with Content-Length"},
	{"Connection", "--pconn_use_lmt and the HTTP version set it"},
	{"X-Xact", "carries the transaction id"},
};

/* Is this line the field `name`? */
static int
line_is(const char *line, const char *name)
{
	size_t n = strlen(name);

	return strncasecmp(line, name, n) == 0 && line[n] == ':';
}

static int
line_check(const char *line, struct err *e)
{
	size_t n = 0;

	while (http_is((uint8_t)line[n], HTTP_C_TOKEN))
		n++;
	if (line[n] == ' ' || line[n] == '\t')
		return err_usage(e, "header field", line, "no blank in or behind the name");
	if (n == 0 || line[n] != ':')
		return err_usage(e, "header field", line, "Name: value, the name a token");
	for (const char *p = line + n; *p != '\0'; p++) {
		if (!http_is((uint8_t)*p, HTTP_C_FIELD))
			return err_usage(
				e, "header field", line, "no CR, LF or control byte in a value");
	}
	for (size_t i = 0; i < ARRAY_LEN(reserved); i++) {
		if (line_is(line, reserved[i].name))
			return err_usage(e, "header field", line, "not %s: %s", reserved[i].name,
				reserved[i].why);
	}
	return 0;
}

/* The user's line of that name, NULL when there is none. */
static const char *
line_find(const char *const *lines, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++) {
		if (line_is(lines[i], name))
			return lines[i];
	}
	return NULL;
}

/* All lines good, and none of the `single` fields twice. */
static int
lines_check(const char *const *lines, uint32_t n, const char *const *single, struct err *e)
{
	for (uint32_t i = 0; i < n; i++) {
		int rc = line_check(lines[i], e);

		if (rc != 0)
			return rc;
	}
	for (uint32_t i = 0; single[i] != NULL; i++) {
		uint32_t seen = 0;

		for (uint32_t j = 0; j < n; j++)
			seen += (uint32_t)line_is(lines[j], single[i]);
		if (seen > 1)
			return err_usage(e, "header field", single[i], "once");
	}
	return 0;
}

static void
lines_add(struct draft *d, const char *const *lines, uint32_t n, const char *but)
{
	for (uint32_t i = 0; i < n; i++) {
		if (but != NULL && line_is(lines[i], but))
			continue;
		draft_add(d, lines[i]);
		draft_add(d, "\r\n");
	}
}

static void
field_add(struct draft *d, const char *name, const char *value)
{
	draft_add(d, name);
	draft_add(d, ": ");
	draft_add(d, value);
	draft_add(d, "\r\n");
}

/* Text of one line all whose bytes are of these classes. */
static int
part_check(const char *what, const char *s, uint8_t classes, struct err *e)
{
	for (const char *p = s; *p != '\0'; p++) {
		if (!http_is((uint8_t)*p, classes))
			return err_usage(e, what, s, "no blank, control byte or '#'");
	}
	return *s != '\0' ? 0 : err_usage(e, what, s, "not empty");
}

static int
template_finish(struct http_template *t, const struct draft *d, struct err *e)
{
	char size[16];

	if (d->n > HTTP_TEMPLATE_MAX) {
		(void)snprintf(size, sizeof(size), "%u", d->n);
		(void)err_usage(
			e, "bytes of the header section", size, "at most %d", HTTP_TEMPLATE_MAX);
		return -E2BIG;
	}
	t->text = malloc(d->n);
	if (t->text == NULL)
		return err_setup(e, ENOMEM, "message template", NULL, NULL);
	memcpy(t->text, d->text, d->n);
	t->len = (uint16_t)d->n;
	http_template_sum_fixed(t);
	return 0;
}

static void
template_clear(struct http_template *t)
{
	memset(t, 0, sizeof(*t));
	t->at_oid = t->at_xact = t->at_length = t->at_date = HTTP_NO_HOLE;
}

static const char *
method_text(const struct http_request_desc *d)
{
	return d->method == HTTP_METHOD_OTHER ? d->method_text : http_method_text(d->method);
}

static int
request_method_check(const struct http_request_desc *d, struct err *e)
{
	const char *text = method_text(d);
	enum http_method m;

	if (text == NULL || http_method_parse(text, &m) != 0)
		return err_usage(
			e, "method", text, "a token of at most %d letters", HTTP_METHOD_MAX);
	return 0;
}

/* What a target may begin with depends on the method (RFC 9112 section 3.2). */
static int
request_uri_check(const struct http_request_desc *d, struct err *e)
{
	int rc = part_check("request target", d->uri, HTTP_C_TARGET, e);

	if (rc != 0 || d->method == HTTP_CONNECT || d->uri[0] == '/')
		return rc;
	if (d->method == HTTP_OPTIONS && strcmp(d->uri, "*") == 0)
		return 0;
	if (d->scheme_host == NULL &&
		(strncasecmp(d->uri, "http://", 7) == 0 || strncasecmp(d->uri, "https://", 8) == 0))
		return 0;
	return err_usage(e, "request target", d->uri, "a path that begins with /, or http://");
}

static int
request_check(const struct http_request_desc *d, struct err *e)
{
	static const char *const single[] = {"Host", NULL};
	int rc = request_method_check(d, e);

	if (rc == 0 && d->scheme_host != NULL)
		rc = part_check("proxied origin", d->scheme_host, HTTP_C_TARGET, e);
	if (rc == 0 && d->uri != NULL)
		rc = request_uri_check(d, e);
	if (rc == 0 && d->host != NULL && *d->host != '\0')
		rc = part_check("Host", d->host, HTTP_C_TARGET, e);
	if (rc == 0 && d->minor > 1)
		rc = err_usage(e, "HTTP version", NULL, "1.0 or 1.1");
	return rc != 0 ? rc : lines_check(d->headers, d->n_headers, single, e);
}

static void
request_line_add(struct http_template *t, struct draft *out, const struct http_request_desc *d)
{
	char object[24];

	draft_add(out, method_text(d));
	draft_add(out, " ");
	if (d->scheme_host != NULL && d->method != HTTP_CONNECT &&
		(d->uri == NULL || d->uri[0] == '/'))
		draft_add(out, d->scheme_host);
	if (d->uri != NULL) {
		draft_add(out, d->uri);
	} else {
		(void)snprintf(object, sizeof(object), "/w%08x/t%02x/_", d->world, d->type);
		draft_add(out, object);
		t->at_oid = draft_hole(out, OID_BYTES, '0');
	}
	draft_add(out, d->minor != 0 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n");
}

/* A user's Host stands where ours would, first of all, and alone. */
static void
request_host_add(struct draft *out, const struct http_request_desc *d)
{
	const char *own = line_find(d->headers, d->n_headers, "Host");

	if (own != NULL) {
		draft_add(out, own);
		draft_add(out, "\r\n");
	} else if (d->host != NULL) {
		field_add(out, "Host", d->host);
	}
}

static int
request_has_length(const struct http_request_desc *d)
{
	return d->has_length != 0 || d->method == HTTP_POST || d->method == HTTP_PUT ||
	       d->method == HTTP_PATCH;
}

static void
xact_add(struct http_template *t, struct draft *out)
{
	draft_add(out, "X-Xact: ");
	t->at_xact = draft_hole(out, XACT_BYTES, '0');
	draft_add(out, "\r\n");
}

static void
length_add(struct http_template *t, struct draft *out)
{
	draft_add(out, "Content-Length: ");
	t->at_length = draft_hole(out, HTTP_LENGTH_WIDTH, ' ');
	draft_add(out, "\r\n");
}

int
http_request_build(struct http_template *t, const struct http_request_desc *d, struct err *e)
{
	struct draft out;
	int rc = request_check(d, e);

	template_clear(t);
	if (rc != 0)
		return rc;
	out.n = 0;
	request_line_add(t, &out, d);
	request_host_add(&out, d);
	if (d->xact != 0)
		xact_add(t, &out);
	if (request_has_length(d))
		length_add(t, &out);
	if (d->minor == 0 && d->close == 0)
		field_add(&out, "Connection", "keep-alive");
	else if (d->minor != 0 && d->close != 0)
		field_add(&out, "Connection", "close");
	lines_add(&out, d->headers, d->n_headers, "Host");
	draft_add(&out, "\r\n");
	rc = template_finish(t, &out, e);
	if (rc != 0)
		template_clear(t);
	return rc;
}

/* 1xx and 204 must not carry a length (RFC 9110 section 8.6). */
static int
response_has_length(const struct http_response_desc *d)
{
	return d->has_length != 0 && d->status >= 200 && d->status != 204;
}

static int
response_check(const struct http_response_desc *d, struct err *e)
{
	static const char *const single[] = {"Date", "Content-Type", NULL};
	char text[8];

	if (d->status < 100 || d->status > 999) {
		(void)snprintf(text, sizeof(text), "%u", d->status);
		return err_usage(e, "status", text, "100 to 999");
	}
	if (d->content_type != NULL) {
		for (const char *p = d->content_type; *p != '\0'; p++) {
			if (!http_is((uint8_t)*p, HTTP_C_FIELD))
				return err_usage(
					e, "content type", d->content_type, "no control byte");
		}
	}
	return lines_check(d->headers, d->n_headers, single, e);
}

static void
response_head_add(struct http_template *t, struct draft *out, const struct http_response_desc *d)
{
	char line[16];

	(void)snprintf(line, sizeof(line), "HTTP/1.1 %u ", d->status);
	draft_add(out, line);
	draft_add(out, http_reason(d->status));
	draft_add(out, "\r\n");
	if (d->status >= 200 && line_find(d->headers, d->n_headers, "Date") == NULL) {
		draft_add(out, "Date: ");
		t->at_date = draft_hole(out, DATE_BYTES, ' ');
		draft_add(out, "\r\n");
	}
	if (d->content_type != NULL && line_find(d->headers, d->n_headers, "Content-Type") == NULL)
		field_add(out, "Content-Type", d->content_type);
}

int
http_response_build(struct http_template *t, const struct http_response_desc *d, struct err *e)
{
	struct draft out;
	int rc = response_check(d, e);

	template_clear(t);
	if (rc != 0)
		return rc;
	out.n = 0;
	response_head_add(t, &out, d);
	if (response_has_length(d))
		length_add(t, &out);
	if (d->xact != 0)
		xact_add(t, &out);
	if (d->close != 0)
		field_add(&out, "Connection", "close");
	else if (d->keep != 0)
		field_add(&out, "Connection", "keep-alive");
	lines_add(&out, d->headers, d->n_headers, NULL);
	draft_add(&out, "\r\n");
	rc = template_finish(t, &out, e);
	if (rc != 0)
		template_clear(t);
	return rc;
}

void
http_template_fini(struct http_template *t)
{
	free(t->text);
	template_clear(t);
}

int
http_host_text(const char *name, uint16_t port, char *buf, unsigned int size)
{
	const int v6 = name[0] != '[' && strchr(name, ':') != NULL;
	const int n_name = v6 ? (int)strcspn(name, "%") : (int)strlen(name); /* no zone */
	char tail[8] = "";
	int n;

	if (n_name == 0)
		return -EINVAL;
	for (const char *p = name; *p != '\0'; p++) {
		if (!http_is((uint8_t)*p, HTTP_C_TARGET) || *p == '/' || *p == '?' || *p == '@')
			return -EINVAL;
	}
	if (port != 80)
		(void)snprintf(tail, sizeof(tail), ":%u", port);
	n = snprintf(buf, size, "%s%.*s%s%s", v6 ? "[" : "", n_name, name, v6 ? "]" : "", tail);
	return n < (int)size ? n : -ENOSPC;
}
