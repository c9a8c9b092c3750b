/* SPDX-License-Identifier: BSD-3-Clause */
/* Differential test: random damage to valid messages; cut differently, the outcome is the same. */
#include <iterator>
#include <gtest/gtest.h>
#include "base_rng.h"
#include "http_drive.h"

namespace
{

const char *const replies[] = {
	"HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length:           5\r\n"
	"X-Xact: 0123456789abcdef\r\nConnection: keep-alive\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
	"5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\nServer: a/b (c)\r\nCONTENT-length: 3\r\n"
	"Connection: foo, Keep-Alive\r\n\r\nabc",
	"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 7, 7\r\n\r\n"
	"HTTP/1.1 404 Not Found\nContent-Length: 2\nA: b\n c\n\nok",
};

const char *const requests[] = {
	"GET /w00000001/t02/_0123456789abcdef HTTP/1.1\r\nHost: origin.example:8080\r\n"
	"X-Xact: fedcba9876543210\r\n\r\n",
	"POST http://a.example/w00000001/t02/_0123456789abcdef.html?q HTTP/1.1\r\n"
	"Host: a.example\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello",
	"PUT /index.html?a=b HTTP/1.1\r\nHost: [::1]:80\r\nTransfer-Encoding: chunked\r\n\r\n"
	"5\r\nhello\r\n0\r\n\r\n",
	"\r\nGET /x HTTP/1.0\r\nConnection: keep-alive\r\nUser-Agent: x\r\n\r\n"
	"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n",
};

const uint32_t room = 1024;
const uint32_t rounds = 200000; /* of each role */

struct Random {
	uint64_t key;
	uint64_t n = 0;

	uint32_t
	below(uint32_t limit)
	{
		return (uint32_t)rng_below(rng_at(key, n++), limit);
	}
};

/* Bytes that mean something somewhere. */
uint8_t
odd_byte(Random *random)
{
	static const uint8_t odd[] = "\r\n\r\n \t:,;\"0159afxAZ-+_/.?#*[]@%=H\x01\x7f\x80\xff";

	return odd[random->below(sizeof(odd))]; /* its NUL too */
}

uint32_t
damage(Random *random, uint8_t *p, uint32_t n)
{
	uint32_t at = random->below(n);
	uint32_t len = 1 + random->below(random->below(4) == 0 ? 24 : 2);

	if (len > n - at)
		len = n - at;
	switch (random->below(4)) {
	case 0: /* take away */
		memmove(p + at, p + at + len, n - at - len);
		return n - len;
	case 1: /* double */
		if (n + len > room)
			return n;
		memmove(p + at + len, p + at, n - at);
		return n + len;
	case 2: /* slip in */
		if (n == room)
			return n;
		memmove(p + at + 1, p + at, n - at);
		p[at] = odd_byte(random);
		return n + 1;
	default:
		p[at] = odd_byte(random);
		return n;
	}
}

uint32_t
message(Random *random, const char *const *texts, uint32_t n_texts, uint8_t *p)
{
	const char *text = texts[random->below(n_texts)];
	uint32_t n = (uint32_t)strlen(text);

	memcpy(p, text, n);
	for (uint32_t times = random->below(4); times > 0 && n > 1; times--)
		n = damage(random, p, n);
	return n;
}

/* @return messages that ended well, so that the test knows it didn't only see refusals. */
uint32_t
differ(int is_request, const char *const *texts, uint32_t n_texts, uint64_t seed)
{
	static const http_method methods[] = {
		HTTP_GET, HTTP_GET, HTTP_GET, HTTP_HEAD_METHOD, HTTP_CONNECT};
	Random random = {rng_key(seed, 1)};
	uint32_t n_done = 0;
	uint8_t p[room];
	drive whole = {};
	drive cut = {};

	whole.is_request = cut.is_request = is_request;
	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t n = message(&random, texts, n_texts, p);
		uint32_t step = i % 4 != 0 ? 1 + random.below(40) : 1;

		whole.method = cut.method = methods[random.below(std::size(methods))];
		whole.fin = cut.fin = (int)random.below(2);
		drive_run(&whole, p, n, {0, room, 0});
		drive_run(&cut, p, n, {0, step, i % 2 != 0 ? i : 0u});
		if (!drive_same(&whole, &cut)) {
			ADD_FAILURE() << "round " << i << " step " << step << ": "
				      << testing::PrintToString(std::string((const char *)p, n));
			return 0;
		}
		for (uint32_t k = 0; k < whole.n; k++)
			n_done += whole.m[k].end == DRIVE_DONE;
	}
	return n_done;
}

TEST(HttpRandom, DamagedRepliesEndTheSameHoweverTheyAreCut)
{
	EXPECT_GT(differ(0, replies, std::size(replies), 1), rounds / 5);
}

TEST(HttpRandom, DamagedRequestsEndTheSameHoweverTheyAreCut)
{
	EXPECT_GT(differ(1, requests, std::size(requests), 2), rounds / 5);
}

TEST(HttpRandom, EveryByteAtEveryPlaceEndsTheSameHoweverItIsCut)
{
	drive whole = {};
	drive cut = {};

	for (const char *text : {replies[0], requests[0]}) {
		uint8_t p[room];
		uint32_t n = (uint32_t)strlen(text);

		whole.is_request = cut.is_request = text == requests[0];
		for (uint32_t i = 0; i < n * 256; i++) {
			memcpy(p, text, n);
			p[i / 256] = (uint8_t)i;
			drive_run(&whole, p, n, {0, room, 0});
			drive_run(&cut, p, n, {i / 256 + 1, 7, 0});
			ASSERT_TRUE(drive_same(&whole, &cut))
				<< "byte " << i % 256 << " at " << i / 256;
		}
	}
}

} // namespace
