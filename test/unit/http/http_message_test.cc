/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctime>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "http_drive.h"
#include "http_message.h"
#include "net_csum.h"

namespace
{

const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";

struct Template {
	http_template t = {};
	err e = {};
	int rc = 0;

	explicit Template(const http_request_desc &d)
	{
		rc = http_request_build(&t, &d, &e);
	}

	explicit Template(const http_response_desc &d)
	{
		rc = http_response_build(&t, &d, &e);
	}

	~Template()
	{
		http_template_fini(&t);
	}

	std::string
	text(uint64_t oid = 0, uint64_t xact = 0, uint64_t length = 0)
	{
		std::string s(t.len, '?');

		uint64_t sum = http_template_write(&t, (uint8_t *)&s[0], oid, xact, length, date);
		EXPECT_EQ(net_csum_fold(sum), net_csum_fold(net_csum_add(0, s.data(), s.size())));
		return s;
	}
};

http_request_desc
get()
{
	http_request_desc d = {};

	d.host = "origin.example:8080";
	d.minor = 1;
	return d;
}

int
build_with(const char *line, std::string *why = nullptr)
{
	http_request_desc d = get();
	const char *lines[] = {line};

	d.headers = lines;
	d.n_headers = 1;
	Template t(d);
	char text[600];

	err_text(&t.e, text, sizeof(text));
	if (why != nullptr)
		*why = text;
	EXPECT_EQ(t.rc == 0, t.e.exit_code == 0);
	return t.rc;
}

TEST(HttpRequestText, ObjectIsNamedByWorldTypeAndNumber)
{
	http_request_desc d = get();

	d.world = 0xabcd;
	d.type = 0x1f;
	d.xact = 1;
	EXPECT_EQ(Template(d).text(0x123456789abcdef0ULL, 0xfedcba9876543210ULL),
		"GET /w0000abcd/t1f/_123456789abcdef0 HTTP/1.1\r\n"
		"Host: origin.example:8080\r\nX-Xact: fedcba9876543210\r\n\r\n");
}

TEST(HttpRequestText, ProxyFormGoesBeforeOurPathsOnly)
{
	http_request_desc d = get();

	d.scheme_host = "http://origin.example:8080";
	EXPECT_EQ(Template(d).text(1).substr(0, 48),
		"GET http://origin.example:8080/w00000000/t00/_00");
	d.uri = "/a?b";
	EXPECT_EQ(
		Template(d).text().substr(0, 44), "GET http://origin.example:8080/a?b HTTP/1.1\r");
}

TEST(HttpRequestText, UserHostReplacesOurs)
{
	http_request_desc d = get();
	const char *lines[] = {"X-A: 1", "hOsT: x", "X-B:"};

	d.uri = "/";
	d.headers = lines;
	d.n_headers = 3;
	EXPECT_EQ(Template(d).text(), "GET / HTTP/1.1\r\nhOsT: x\r\nX-A: 1\r\nX-B:\r\n\r\n");
	lines[2] = "Host: y";
	EXPECT_EQ(Template(d).rc, -EINVAL);
}

TEST(HttpRequestText, WithoutHostTheUsersFieldsStayInOneSection)
{
	http_request_desc d = get();
	const char *lines[] = {"X-A: 1"};

	d.uri = "/";
	d.host = nullptr;
	d.headers = lines;
	d.n_headers = 1;
	EXPECT_EQ(Template(d).text(), "GET / HTTP/1.1\r\nX-A: 1\r\n\r\n");
}

TEST(HttpRequestText, EmptyPostSaysSo)
{
	http_request_desc d = get();

	d.uri = "/";
	for (http_method m : {HTTP_POST, HTTP_PUT, HTTP_PATCH}) {
		d.method = m;
		EXPECT_NE(Template(d).text().find("\r\nContent-Length:            0\r\n"),
			std::string::npos);
	}
	d.method = HTTP_DELETE;
	EXPECT_EQ(Template(d).text().find("Content-Length"), std::string::npos);
}

TEST(HttpRequestText, ConnectionFollowsVersionAndUse)
{
	http_request_desc d = get();

	d.uri = "/";
	d.host = nullptr;
	EXPECT_EQ(Template(d).text(), "GET / HTTP/1.1\r\n\r\n");
	d.close = 1;
	EXPECT_EQ(Template(d).text(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
	d.minor = 0;
	EXPECT_EQ(Template(d).text(), "GET / HTTP/1.0\r\n\r\n");
	d.close = 0;
	EXPECT_EQ(Template(d).text(), "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
}

TEST(HttpRequestText, AnyTokenIsAMethod)
{
	http_request_desc d = get();

	d.uri = "/";
	d.method = HTTP_METHOD_OTHER;
	d.method_text = "PROPFIND";
	EXPECT_EQ(Template(d).text().substr(0, 12), "PROPFIND / H");
	for (const char *bad : {"", "GE T", "GET\r\nX: y", (const char *)nullptr}) {
		d.method_text = bad;
		EXPECT_EQ(Template(d).rc, -EINVAL);
	}
}

TEST(HttpRequestText, FieldLinesThatWouldBreakTheMessageAreRefused)
{
	EXPECT_EQ(build_with("X-A: 1"), 0);
	EXPECT_EQ(build_with("X-A:\t\xe9"), 0);
	for (const char *line : {"", ":", ": x", "X-A", "X-A 1", "X A: 1", "X-A : 1", "X-A: 1\r\n",
		     "X-A: 1\nX-B: 2", "X-A: \r", "X-A: \x01", "X-A: \x7f", "X(A): 1", " X-A: 1",
		     "\xe9: 1"})
		EXPECT_EQ(build_with(line), -EINVAL) << line;
}

TEST(HttpRequestText, FieldsThatWeSetAreRefusedWithTheReason)
{
	std::string why;

	EXPECT_EQ(build_with("content-LENGTH: 5", &why), -EINVAL);
	EXPECT_NE(why.find("body"), std::string::npos);
	EXPECT_EQ(build_with("Transfer-Encoding: chunked", &why), -EINVAL);
	EXPECT_EQ(build_with("Connection: close", &why), -EINVAL);
	EXPECT_NE(why.find("--pconn_use_lmt"), std::string::npos);
	EXPECT_EQ(build_with("X-Xact: 1"), -EINVAL);
	EXPECT_EQ(build_with("Content-Lengths: 5"), 0);
}

TEST(HttpRequestText, TargetsThatWouldBreakTheRequestLineAreRefused)
{
	http_request_desc d = get();

	for (const char *uri : {"", "x", "/a b", "/a\r\nX: y", "/a#b", "/a\n", "/\xe9", "*",
		     "ftp://a/", "/\x7f"}) {
		d.uri = uri;
		EXPECT_EQ(Template(d).rc, -EINVAL) << uri;
	}
	for (const char *uri : {"/", "/a?b|c", "http://a/", "HTTPS://a"}) {
		d.uri = uri;
		EXPECT_EQ(Template(d).rc, 0) << uri;
	}
	d.method = HTTP_OPTIONS;
	d.uri = "*";
	EXPECT_EQ(Template(d).rc, 0);
	d.uri = "/";
	d.host = "a b";
	EXPECT_EQ(Template(d).rc, -EINVAL);
	d.host = "a";
	d.scheme_host = "http://a\r\n";
	EXPECT_EQ(Template(d).rc, -EINVAL);
}

TEST(HttpRequestText, SectionLargerThanATemplateIsRefused)
{
	http_request_desc d = get();
	std::string line = "A: " + std::string(HTTP_TEMPLATE_MAX - 23, 'x');
	const char *lines[] = {line.c_str()};

	d.uri = "/";
	d.host = nullptr;
	d.headers = lines;
	d.n_headers = 1;
	EXPECT_EQ(Template(d).t.len, HTTP_TEMPLATE_MAX);
	line += "x";
	lines[0] = line.c_str();
	Template t(d);
	EXPECT_EQ(t.rc, -E2BIG);
	EXPECT_EQ(t.t.text, nullptr);
}

TEST(HttpResponseText, HasDateTypeLengthAndId)
{
	http_response_desc d = {};

	d.status = 200;
	d.content_type = "text/html";
	d.has_length = 1;
	d.xact = 1;
	Template t(d);

	EXPECT_EQ(t.text(0, 0xff, 1024),
		"HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
		"Content-Type: text/html\r\nContent-Length:         1024\r\n"
		"X-Xact: 00000000000000ff\r\n\r\n");
	EXPECT_EQ(t.t.at_oid, HTTP_NO_HOLE);
	EXPECT_EQ(t.text(0, 0, 999999999999ULL).size(), t.text(0, 0, 0).size());
	EXPECT_NE(t.text(0, 0, 999999999999ULL).find(": 999999999999\r"), std::string::npos);
}

/* text() compares the sum that rendering returns with that of the bytes. */
TEST(HttpResponseText, LengthsOfAnyWidthAtOddAndEvenOffsets)
{
	const char *const types[] = {"a", "ab"};
	const uint64_t around[] = {0, 1, 9, 10, 12345678, 99999999, 100000000, 100000001,
		1000000000, 12345678901, 100000000000, 999999999999};

	for (const char *type : types) {
		http_response_desc d = {};

		d.status = 200;
		d.content_type = type;
		d.has_length = 1;
		d.xact = 1;
		Template t(d);
		ASSERT_EQ(t.t.at_length & 1, t.t.at_xact & 1);
		for (uint64_t v : around) {
			char want[32];

			snprintf(want, sizeof(want), ": %12llu\r\n", (unsigned long long)v);
			EXPECT_NE(t.text(0, v * 0x9e3779b97f4a7c15ULL, v).find(want),
				std::string::npos)
				<< want;
		}
	}
}

TEST(HttpResponseText, ConnectionIsSaidWhenItMatters)
{
	http_response_desc d = {};

	d.status = 304;
	EXPECT_EQ(Template(d).text(),
		"HTTP/1.1 304 Not Modified\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
	d.keep = 1;
	EXPECT_NE(Template(d).text().find("\r\nConnection: keep-alive\r\n"), std::string::npos);
	d.close = 1;
	EXPECT_NE(Template(d).text().find("\r\nConnection: close\r\n"), std::string::npos);
	EXPECT_EQ(Template(d).text().find("keep-alive"), std::string::npos);
}

TEST(HttpResponseText, StatusThatHasNoBodyHasNoLength)
{
	http_response_desc d = {};

	d.has_length = 1;
	d.status = 100;
	EXPECT_EQ(Template(d).text(), "HTTP/1.1 100 Continue\r\n\r\n");
	d.status = 204;
	EXPECT_EQ(Template(d).text().find("Length"), std::string::npos);
	d.status = 99;
	EXPECT_EQ(Template(d).rc, -EINVAL);
	d.status = 799;
	EXPECT_EQ(Template(d).text().substr(0, 22), "HTTP/1.1 799 Unknown\r\n");
}

TEST(HttpResponseText, UserDateAndTypeReplaceOurs)
{
	http_response_desc d = {};
	const char *lines[] = {"date: x", "content-type: y"};

	d.status = 200;
	d.content_type = "text/html";
	d.headers = lines;
	d.n_headers = 2;
	EXPECT_EQ(Template(d).text(), "HTTP/1.1 200 OK\r\ndate: x\r\ncontent-type: y\r\n\r\n");
	lines[1] = "Content-Length: 5";
	EXPECT_EQ(Template(d).rc, -EINVAL);
	d.n_headers = 1;
	d.content_type = "a\r\nb";
	EXPECT_EQ(Template(d).rc, -EINVAL);
}

TEST(HttpMessage, BothParsersReadBackWhatWeWrite)
{
	http_request_desc q = get();
	http_response_desc a = {};

	q.method = HTTP_POST;
	q.world = 7;
	q.type = 3;
	q.xact = 1;
	a.status = 200;
	a.has_length = 1;
	a.xact = 1;
	a.close = 1;
	for (uint64_t v = 1; v != 0; v <<= 1) {
		std::string request = Template(q).text(v, ~v, 0);
		std::string reply = Template(a).text(0, v, 3) + "abc";
		drive d = {};

		d.is_request = 1;
		drive_run(&d, (const uint8_t *)request.data(), request.size(), {0, 4096, 0});
		ASSERT_EQ(d.n, 1u);
		EXPECT_EQ(d.m[0].oid, v);
		EXPECT_EQ(d.m[0].x_xact, ~v);
		EXPECT_EQ(d.m[0].world, 7u);
		EXPECT_EQ(d.m[0].type, 3);
		EXPECT_EQ(d.m[0].flags, HTTP_F_OBJECT | HTTP_F_HOST | HTTP_F_LENGTH | HTTP_F_XACT);
		d.is_request = 0;
		drive_run(&d, (const uint8_t *)reply.data(), reply.size(), {0, 4096, 0});
		ASSERT_EQ(d.n, 1u);
		EXPECT_EQ(d.m[0].x_xact, v);
		EXPECT_EQ(d.m[0].flags, HTTP_F_CLOSE | HTTP_F_LENGTH | HTTP_F_XACT | HTTP_F_DATE);
		EXPECT_EQ(d.m[0].header_bytes, reply.size() - 3);
	}
}

TEST(HttpHost, PortIsLeftOutWhenItIs80AndLiteralsGetBrackets)
{
	static const struct {
		const char *name;
		uint16_t port;
		const char *text;
	} cases[] = {
		{"127.0.0.1", 18000, "127.0.0.1:18000"},
		{"::1", 18000, "[::1]:18000"},
		{"[::1]", 18000, "[::1]:18000"},
		{"fe80::1%eth0", 80, "[fe80::1]"},
		{"name", 80, "name"},
		{"name", 65535, "name:65535"},
	};
	char buf[32];

	for (const auto &c : cases) {
		EXPECT_EQ(http_host_text(c.name, c.port, buf, sizeof(buf)), (int)strlen(c.text));
		EXPECT_STREQ(buf, c.text);
	}
}

TEST(HttpHost, WhatIsNoHostIsRefused)
{
	char buf[16];

	for (const char *bad : {"", "a b", "a/b", "a?b", "a#b", "me@a", "a\r", "%eth0:"})
		EXPECT_EQ(http_host_text(bad, 80, buf, sizeof(buf)), -EINVAL) << bad;
	EXPECT_EQ(http_host_text("name.example.com", 80, buf, sizeof(buf)), -ENOSPC);
	EXPECT_EQ(http_host_text("name.example.co", 80, buf, sizeof(buf)), 15);
}

TEST(HttpDate, IsThatOfTheSystemsCalendar)
{
	char ours[30];
	char theirs[64];

	for (uint64_t i = 0; i < 20000; i++) {
		time_t s = (time_t)(i * 1234567);
		struct tm tm;

		gmtime_r(&s, &tm);
		strftime(theirs, sizeof(theirs), "%a, %d %b %Y %H:%M:%S GMT", &tm);
		http_date_text((uint64_t)s, ours);
		ASSERT_STREQ(ours, theirs);
	}
	http_date_text(951782400, ours); /* a leap day of a year that 400 divides */
	EXPECT_STREQ(ours, "Tue, 29 Feb 2000 00:00:00 GMT");
}

} // namespace
