/* SPDX-License-Identifier: BSD-3-Clause */
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <gtest/gtest.h>
#include "base_num.h"
#include "pgl_print.h"

namespace
{

std::string
print(const plan &p)
{
	char *text = nullptr;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	EXPECT_EQ(pgl_print(&p, f), 0);
	fclose(f);
	std::string s(text, size);
	free(text);
	return s;
}

bool
has(const std::string &s, const std::string &line)
{
	return s.find("\n\t" + line + "\n") != std::string::npos;
}

/* A plan in which every field is in use, so that a change of it must show. */
struct Plan : plan {
	Plan()
	{
		err e = {};

		plan_init(this);
		roles = PLAN_CLIENT | PLAN_SERVER;
		strcpy(label, "a \"b\" \\c");
		net_range_parse("198.18.0.1-64", &robots.addrs[0]);
		net_range_parse("198.18.128.1:80", &robots.origins[0]);
		net_range_parse("198.18.128.1:80", &origin.addrs[0]);
		net_range_parse("10.0.0.1", &robots.addrs[1]);
		net_range_parse("10.0.0.2:81", &robots.origins[1]);
		net_range_parse("10.0.0.3:82", &origin.addrs[1]);
		robots.n_addrs = robots.n_origins = origin.n_addrs = 1;
		robots.n_robots = 1000;
		robots.arrival = PLAN_POISSON;
		robots.rate_per_sec = 50000;
		robots.proxy_addr = 0x0a000009;
		robots.proxy_port = 3128;
		plan_text_set(&robots.uri, "/x");
		plan_header_add(this, "A: \"b\"");
		plan_header_add(this, "C: d");
		robots.n_headers = 1;
		plan_status_parse("200,404", &robots.expect_status);
		robots.expect_given = true;
		dist_parse("unif:1KB,8KB", DIST_SIZE_BYTES, &robots.body_size, &e, "x");
		phase[0].goal = {10000000000, 100000, 0.3};
		phase[1] = phase[0];
		strcpy(phase[1].name, "top");
		iface[0] = {1, 0x0a000001, 24, 0x0a0000fe, {2, 1}, {2, 2}, 9000};
		iface[1] = iface[0];
		iface[1].port = 2;
		n_ifaces = 1;
	}
	~Plan()
	{
		robots.n_headers = 2;
		plan_fini(this);
	}
	Plan(const Plan &) = delete;
};

void
flip_double(void *v)
{
	double d;

	memcpy(&d, v, sizeof(d));
	d = d == 0 ? 0.5 : d * 0.75;
	memcpy(v, &d, sizeof(d));
}

/* Another value that means something else. */
void
perturb(const plan_field &f, void *v)
{
	static const char *other = "/other";
	uint8_t *b = static_cast<uint8_t *>(v);
	dist *d = static_cast<dist *>(v);
	err e = {};

	switch (f.kind) {
	case PLAN_K_SHARE:
	case PLAN_K_FACTOR:
	case PLAN_K_ERRORS:
	case PLAN_K_RATE:
		flip_double(v);
		break;
	case PLAN_K_DIST:
		EXPECT_EQ(dist_parse("norm:3,4", DIST_COUNT, d, &e, "x"), 0);
		break;
	case PLAN_K_TEXT:
	case PLAN_K_TEXTS:
		memcpy(v, &other, sizeof(other));
		break;
	case PLAN_K_CHARS:
		b[0] = b[0] == 'z' ? 'y' : 'z';
		b[1] = 0;
		break;
	default:
		b[0] ^= 1; /* numbers, addresses, choices, sets, booleans */
		break;
	}
}

} // namespace

TEST(pgl_print, a_change_of_any_field_changes_the_text)
{
	Plan p;
	const std::string before = print(p);

	for (uint32_t i = 0; i < plan_n_fields; i++) {
		const plan_field &f = plan_fields[i];
		uint8_t *v = reinterpret_cast<uint8_t *>(static_cast<plan *>(&p)) + f.offset;
		std::string saved(reinterpret_cast<char *>(v), f.size);

		perturb(f, v);
		EXPECT_NE(print(p), before) << f.member;
		memcpy(v, saved.data(), f.size);
	}
	EXPECT_EQ(print(p), before);
}

TEST(pgl_print, elements_of_arrays_print_their_own_values)
{
	Plan p;

	p.n_phases = 2;
	const std::string before = print(p);
	p.phase[1].load_end = 0.25;
	EXPECT_NE(print(p), before);
	EXPECT_TRUE(has(print(p), "load_factor_end = 0.25;"));
	EXPECT_NE(before.find("schedule(Phase1, Phase2);"), std::string::npos);
	p.n_ifaces = 2;
	EXPECT_TRUE(has(print(p), "port = 2;"));
	EXPECT_NE(print(p).find("use(F, S, R, Iface1, Iface2);"), std::string::npos);
}

TEST(pgl_print, is_the_same_each_time)
{
	Plan a, b;

	EXPECT_EQ(print(a), print(b));
}

TEST(pgl_print, reads_as_polygraph_language)
{
	Plan p;
	std::string s = print(p);

	for (const char *line : {"size = exp(13KB);", "addresses = [ '198.18.0.1-64' ];",
		     "origins = [ '198.18.128.1:80' ];", "http_proxies = [ '10.0.0.9:3128' ];",
		     "req_rate = 50/sec;", "req_methods = [ \"GET\" ];",
		     "http_versions = [ \"1.1\" ];", "pconn_use_lmt = const(1);",
		     "open_conn_lmt = undef();", "xact_lifetime = undef();", "name = \"dflt\";",
		     "goal.duration = 10sec;", "goal.xactions = 100000;", "goal.errors = 30%;",
		     "load_factor_beg = 1;", "primary = yes;", "address = '10.0.0.1';",
		     "gateway = '10.0.0.254';", "mac = '02:01:00:00:00:00';",
		     "label = \"a \\\"b\\\" \\\\c\";", "seed = 1;", "verify = \"full\";",
		     "stats_cycle = 5sec;", "robot.count = 1000;", "robot.arrival = \"poisson\";",
		     "robot.rate = undef();", "robot.uri = \"/x\";",
		     "robot.headers = [ \"A: \\\"b\\\"\" ];", "robot.body_size = unif(1KB, 8KB);",
		     "robot.expect_status = \"200,404\";", "tcp.rcv_wnd = 1MB;", "tcp.sack = yes;",
		     "tcp.rto_min = 200msec;"})
		EXPECT_TRUE(has(s, line)) << line << "\n" << s;
}

TEST(pgl_print, only_the_objects_of_the_plans_roles_are_there)
{
	Plan p;

	p.roles = PLAN_SERVER;
	std::string s = print(p);
	EXPECT_EQ(s.find("Robot R"), std::string::npos);
	EXPECT_EQ(s.find("robot."), std::string::npos);
	EXPECT_NE(s.find("Server S"), std::string::npos);
	EXPECT_NE(s.find("use(F, S, Iface1);"), std::string::npos);
	p.roles = PLAN_CLIENT;
	s = print(p);
	EXPECT_EQ(s.find("Server S"), std::string::npos);
	EXPECT_EQ(s.find("server."), std::string::npos);
	EXPECT_NE(s.find("Content C"), std::string::npos); /* replies are verified by it */
}

TEST(pgl_print, none_prints_as_undef)
{
	Plan p;

	p.phase[0].goal = {PLAN_NEVER, PLAN_NEVER, -1};
	p.robots.proxy_addr = 0;
	p.robots.expect_given = false;
	p.label[0] = 0;
	std::string s = print(p);
	for (const char *line : {"goal.duration = undef();", "goal.xactions = undef();",
		     "goal.errors = undef();", "http_proxies = undef();",
		     "robot.expect_status = undef();", "label = undef();", "idle_tout = undef();"})
		EXPECT_TRUE(has(s, line)) << line;
}

TEST(pgl_print, a_robots_rate_times_robots_is_the_total_bit_for_bit)
{
	Plan p;

	for (uint32_t n : {1u, 3u, 7u, 49u, 1000u, 999983u, 16777216u}) {
		for (double each : {50.0, 0.1, 1.0 / 3, 0.4, 123.456, 1e-3}) {
			p.robots.n_robots = n;
			p.robots.rate_per_sec = each * n;
			std::string s = print(p);
			size_t at = s.find("req_rate = ") + 11;
			double back = 0;

			ASSERT_EQ(num_rate_parse(s.substr(at, s.find(';', at) - at).c_str(), &back),
				0);
			EXPECT_EQ(back * n, p.robots.rate_per_sec) << n << " x " << each;
		}
	}
}

TEST(pgl_print, a_total_rate_prints_as_it_is)
{
	Plan p;

	p.robots.n_robots = 7;
	p.robots.rate_per_sec = 1234.5;
	p.robots.rate_is_total = true;
	EXPECT_TRUE(has(print(p), "robot.rate = 1234.5/sec;"));
	EXPECT_TRUE(has(print(p), "req_rate = undef();"));
}

TEST(pgl_print, a_full_stream_is_an_error)
{
	Plan p;
	FILE *f = fopen("/dev/full", "w");

	ASSERT_NE(f, nullptr);
	EXPECT_EQ(pgl_print(&p, f), -EIO);
	fclose(f);
}
