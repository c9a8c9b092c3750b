/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of the HTTP module per message: one reply of ours parsed, one request parsed, one of each
 * written. `http_parse [N]` prints nanoseconds; under callgrind with
 * --toggle-collect=bench_reply_parse (or another bench_ function) the instructions of N of them. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "http_message.h"

#define BODY_BYTES 100

static uint8_t wire[HTTP_TEMPLATE_MAX + BODY_BYTES];
static uint32_t wire_bytes;
static uint64_t sum; /* what is computed must be used */

void bench_reply_parse(uint32_t n);
void bench_request_parse(uint32_t n);
void bench_write(const struct http_template *t, uint32_t n);

__attribute__((noinline)) void
bench_reply_parse(uint32_t n)
{
	struct http_response r;
	struct span body;
	uint32_t used;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *p = wire;
		uint32_t left = wire_bytes;
		enum http_rc rc;

		http_response_init(&r, HTTP_GET);
		do {
			rc = http_response_parse(&r, p, left, &used, &body);
			p += used;
			left -= used;
		} while (rc == HTTP_HEAD || rc == HTTP_BODY);
		sum += r.body_bytes + r.x_xact + (rc == HTTP_DONE);
	}
}

__attribute__((noinline)) void
bench_request_parse(uint32_t n)
{
	struct http_request r;
	struct span body;
	uint32_t used;

	for (uint32_t i = 0; i < n; i++) {
		http_request_init(&r);
		sum += http_request_parse(&r, wire, wire_bytes, &used, &body) == HTTP_HEAD;
		sum += http_request_parse(&r, wire, 0, &used, &body) == HTTP_DONE;
		sum += r.oid + r.x_xact;
	}
}

__attribute__((noinline)) void
bench_write(const struct http_template *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		http_template_write(
			t, wire, i, ~(uint64_t)i, BODY_BYTES, "Sun, 06 Nov 1994 08:49:37 GMT");
		sum += wire[t->len - 3];
	}
}

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void
measure(const char *name, const struct http_template *t, void (*parse)(uint32_t), uint32_t n)
{
	double t0 = now_ns();
	double t1;

	bench_write(t, n);
	t1 = now_ns();
	parse(n);
	printf("%s of %u bytes: write %.1f ns, parse %.1f ns\n", name, t->len, (t1 - t0) / n,
		(now_ns() - t1) / n);
}

int
main(int argc, char **argv)
{
	static const char *const lines[] = {"User-Agent: freshet", "Accept: text/html"};
	const uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
	struct http_request_desc q = {.host = "198.18.0.1:8080",
		.minor = 1,
		.xact = 1,
		.world = 1,
		.headers = lines,
		.n_headers = 2};
	struct http_response_desc a = {.status = 200,
		.content_type = "application/octet-stream",
		.has_length = 1,
		.xact = 1};
	struct http_template t;
	struct err e = {0};

	if (n == 0 || http_response_build(&t, &a, &e) != 0)
		return 2;
	wire_bytes = t.len + BODY_BYTES;
	measure("reply", &t, bench_reply_parse, n);
	http_template_fini(&t);
	if (http_request_build(&t, &q, &e) != 0)
		return 2;
	wire_bytes = t.len;
	measure("request", &t, bench_request_parse, n);
	http_template_fini(&t);
	return sum != 0 ? 0 : 1;
}
