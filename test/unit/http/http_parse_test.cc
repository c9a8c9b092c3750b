/* SPDX-License-Identifier: BSD-3-Clause */
/* What a caller relies on between the calls, beyond what cases as data can say. */
#include <string>
#include <gtest/gtest.h>
#include "http_priv.h"

namespace
{

struct Feed {
	http_response r;
	uint32_t used = 0;
	span body = {};

	explicit Feed(http_method m = HTTP_GET)
	{
		http_response_init(&r, m);
	}

	http_rc
	operator()(const std::string &s)
	{
		return http_response_parse(
			&r, (const uint8_t *)s.data(), (uint32_t)s.size(), &used, &body);
	}
};

TEST(HttpResponse, HeadBodyAndEndAreCallsOfTheirOwn)
{
	const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
	const std::string wire = head + "helloHTTP";
	Feed f;

	EXPECT_EQ(f(wire), HTTP_HEAD);
	EXPECT_EQ(f.used, head.size());
	EXPECT_EQ(f.r.content_length, 5u);
	EXPECT_EQ(f("helloHTTP"), HTTP_BODY);
	EXPECT_EQ(f.used, 5u);
	EXPECT_EQ(f.body.n, 5u);
	EXPECT_EQ(f("HTTP"), HTTP_DONE);
	EXPECT_EQ(f.used, 0u);
	EXPECT_EQ(f.body.n, 0u);
}

TEST(HttpResponse, EndComesWithoutBytes)
{
	Feed f;

	EXPECT_EQ(f("HTTP/1.1 204 No Content\r\n\r\n"), HTTP_HEAD);
	EXPECT_EQ(http_response_parse(&f.r, nullptr, 0, &f.used, &f.body), HTTP_DONE);
	EXPECT_EQ(http_response_parse(&f.r, nullptr, 0, &f.used, &f.body), HTTP_DONE);
}

TEST(HttpResponse, BodyIsHandedOutWhereItLies)
{
	const std::string wire = "5\r\nhello\r\n0\r\n\r\n";
	Feed f;

	ASSERT_EQ(f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), HTTP_HEAD);
	ASSERT_EQ(f(wire), HTTP_BODY);
	EXPECT_EQ((const char *)f.body.p, wire.data() + 3);
}

TEST(HttpResponse, IdleUntilTheFirstByteOfEachReply)
{
	Feed f;

	EXPECT_TRUE(http_response_idle(&f.r));
	EXPECT_EQ(f(""), HTTP_MORE);
	EXPECT_TRUE(http_response_idle(&f.r));
	EXPECT_EQ(f("H"), HTTP_MORE);
	EXPECT_FALSE(http_response_idle(&f.r));
	EXPECT_EQ(f("TTP/1.1 100 Continue\r\n\r\n"), HTTP_INTERIM);
	EXPECT_EQ(f.r.status, 100);
	EXPECT_TRUE(http_response_idle(&f.r));
	EXPECT_EQ(f("HTTP/1.1 200 OK\r\n\r\n"), HTTP_HEAD);
	EXPECT_FALSE(http_response_idle(&f.r));
}

TEST(HttpResponse, ErrorIsFinalAndNamesTheCulprit)
{
	Feed f;

	EXPECT_EQ(f("HTTP/1.1 200 OK\r\nA: b\r\n: c\r\n"), HTTP_ERROR);
	EXPECT_EQ(f.used, 23u);
	EXPECT_EQ(f.r.header_bytes, 23u);
	EXPECT_EQ(f.r.error, HTTP_E_FIELD_NAME);
	EXPECT_EQ(f("HTTP/1.1 200 OK\r\n\r\n"), HTTP_ERROR);
	EXPECT_EQ(f.used, 0u);
	EXPECT_EQ(http_response_eof(&f.r), HTTP_ERROR);
	EXPECT_EQ(f.r.error, HTTP_E_FIELD_NAME);
}

TEST(HttpResponse, EndOfStreamTellsShortFromNothingAndFromDone)
{
	Feed nothing;
	Feed cut;
	Feed to_eof;

	EXPECT_EQ(http_response_eof(&nothing.r), HTTP_MORE);
	EXPECT_EQ(cut("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), HTTP_HEAD);
	EXPECT_EQ(cut("hell"), HTTP_BODY);
	EXPECT_EQ(http_response_eof(&cut.r), HTTP_ERROR);
	EXPECT_EQ(cut.r.error, HTTP_E_NONE);
	EXPECT_EQ(to_eof("HTTP/1.1 200 OK\r\n\r\n"), HTTP_HEAD);
	EXPECT_EQ(to_eof("hell"), HTTP_BODY);
	EXPECT_EQ(http_response_eof(&to_eof.r), HTTP_DONE);
	EXPECT_EQ(http_response_eof(&to_eof.r), HTTP_DONE);
	EXPECT_EQ(to_eof.r.body_bytes, 4u);
}

TEST(HttpRequest, RefusalKeepsItsStatusAndCloses)
{
	const std::string wire = "GET / HTTP/2.0\r\n\r\n";
	http_request r;
	uint32_t used;
	span body;

	http_request_init(&r);
	EXPECT_TRUE(http_request_idle(&r));
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(http_request_parse(&r, (const uint8_t *)wire.data(),
				  (uint32_t)wire.size(), &used, &body),
			HTTP_ERROR);
		EXPECT_EQ(r.reply_status, 505);
		EXPECT_EQ(r.error, HTTP_E_VERSION);
	}
	EXPECT_TRUE(r.flags & HTTP_F_CLOSE);
	EXPECT_FALSE(http_request_idle(&r));
}

TEST(HttpName, KindsOfWholeNamesAgreeWithThoseReadByteByByte)
{
	static const struct {
		const char *name;
		http_kind kind;
	} cases[] = {
		{"Content-Length", HTTP_K_LENGTH},
		{"CONNECTION", HTTP_K_CONNECTION},
		{"transfer-Encoding", HTTP_K_CODING},
		{"X-XACT", HTTP_K_XACT},
		{"dATE", HTTP_K_DATE},
		{"Host", HTTP_K_HOST},
		{"expect", HTTP_K_EXPECT},
		{"Content-Lengti", HTTP_K_OTHER},
		{"Content_Length", HTTP_K_OTHER},
		{"Transfer-Encodinh", HTTP_K_OTHER},
		{"Connect-on", HTTP_K_OTHER},
		{"XxXact", HTTP_K_OTHER},
		{"Dat", HTTP_K_OTHER},
	};

	for (const auto &c : cases) {
		EXPECT_EQ(http_name_kind((const uint8_t *)c.name, (uint32_t)strlen(c.name)), c.kind)
			<< c.name;
	}
}

TEST(HttpText, EndIsFoundAtEveryPlaceAndNoByteIsReadBehind)
{
	for (uint32_t n = 32; n < 140; n++) {
		std::string s(n, 'a');
		const uint8_t *p = (const uint8_t *)s.data();

		for (uint32_t from = 0; from <= n; from += 7) {
			EXPECT_EQ(http_text_end(p, p + from, p + n), nullptr);
			for (uint32_t i = 0; i < n; i++) {
				s[i] = "\r\n\0\x7f"[i % 4];
				EXPECT_EQ(http_text_end(p, p + from, p + n),
					i < from ? nullptr : p + i)
					<< n << " " << from << " " << i;
				s[i] = i % 2 != 0 ? '\t' : '\xff';
			}
			s.assign(n, 'a');
			p = (const uint8_t *)s.data();
		}
	}
}

TEST(HttpWords, EachErrorAndMethodHasItsOwn)
{
	for (int i = 0; i < HTTP_E_N; i++) {
		for (int j = 0; j < i; j++)
			EXPECT_STRNE(
				http_error_text((http_error)i), http_error_text((http_error)j));
	}
	EXPECT_STREQ(http_error_text((http_error)1000), "unknown error");
	for (int i = HTTP_GET; i < HTTP_METHOD_OTHER; i++) {
		http_method m = HTTP_METHOD_OTHER;

		EXPECT_EQ(http_method_parse(http_method_text((http_method)i), &m), 0);
		EXPECT_EQ(m, i);
	}
}

TEST(HttpWords, MethodsAreTokensWithACase)
{
	http_method m;

	EXPECT_EQ(http_method_parse("get", &m), 0);
	EXPECT_EQ(m, HTTP_METHOD_OTHER);
	for (const char *bad : {"", "GE T", "GET\r\n", "G(T", "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM"})
		EXPECT_EQ(http_method_parse(bad, &m), -EINVAL) << bad;
}

TEST(HttpWords, EachCounterIsNamedAfterItsField)
{
	ASSERT_EQ(http_n_counter_descs * sizeof(uint64_t), sizeof(http_counters));
	EXPECT_STREQ(http_counter_descs[0].name, "replies");
	EXPECT_STREQ(http_counter_descs[http_n_counter_descs - 1].name, "bad_requests");
}

} // namespace
