/* SPDX-License-Identifier: BSD-3-Clause */
#include <cerrno>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <gtest/gtest.h>
#include "load_plan.h"

namespace
{

net_range
range(const char *s)
{
	net_range r = {};

	EXPECT_EQ(net_range_parse(s, &r), 0) << s;
	return r;
}

/* Robots and origins of a loop: right in every respect. */
struct Plan : plan {
	Plan()
	{
		err e = {};

		plan_init(this);
		roles = PLAN_CLIENT | PLAN_SERVER;
		robots.n_robots = 1000;
		robots.addrs[0] = range("198.18.0.1-64");
		robots.n_addrs = 1;
		robots.origins[0] = origin.addrs[0] = range("198.18.128.1:80");
		robots.n_origins = origin.n_addrs = 1;
		robots.arrival = PLAN_POISSON;
		robots.rate_per_sec = 50000;
		robots.max_conns = origin.max_conns = 4000;
		EXPECT_EQ(dist_parse("100", DIST_COUNT, &robots.pconn_use_lmt, &e, "x"), 0);
	}
	~Plan()
	{
		plan_fini(this);
	}
	Plan(const Plan &) = delete;
};

std::string
arithmetic(const plan &p)
{
	char buf[256];

	plan_arithmetic_text(&p, buf, sizeof(buf));
	return buf;
}

std::string
time_wait(const plan &p)
{
	char buf[256];

	plan_time_wait_text(&p, buf, sizeof(buf));
	return buf;
}

std::string
refusal(const std::function<void(plan &)> &spoil)
{
	Plan p;
	err e = {};
	char buf[600];

	spoil(p);
	if (plan_check(&p, &e) != -EINVAL)
		return "accepted";
	EXPECT_EQ(e.exit_code, EXIT_CODE_USAGE);
	err_text(&e, buf, sizeof(buf));
	return buf;
}

} // namespace

TEST(plan, defaults_are_those_of_the_documents)
{
	plan p;

	plan_init(&p);
	EXPECT_EQ(p.robots.n_robots, 1u);
	EXPECT_EQ(p.robots.arrival, PLAN_BEST_EFFORT);
	EXPECT_EQ(p.robots.pconn_use_lmt.a, 1);
	EXPECT_EQ(p.robots.timeout_ns, 0u);
	EXPECT_EQ(p.stats_cycle_ns, 5000000000u);
	EXPECT_EQ(p.csv_cycle_ns, 1000000000u);
	EXPECT_EQ(p.drain_ns, 5000000000u);
	EXPECT_EQ(p.tcp.mss, 1460);
	EXPECT_EQ(p.tcp.rcv_wnd, 1u << 20);
	EXPECT_EQ(p.tcp.time_wait_ns, 60000000000u);
	EXPECT_EQ(p.n_phases, 1u);
	EXPECT_STREQ(p.phase[0].name, "dflt");
	plan_fini(&p);
}

TEST(plan, a_right_plan_is_accepted)
{
	Plan p;
	err e = {};

	EXPECT_EQ(plan_check(&p, &e), 0) << e.what << e.allowed;
}

TEST(plan, arithmetic_reads_as_the_documents_say)
{
	Plan p;

	EXPECT_EQ(arithmetic(p),
		"offered 50000/s = 1000 robots x 50/s, 100 req/conn -> 500 conn/s, <= 4000 open");
	p.robots.n_robots = 3;
	p.robots.rate_per_sec = 1;
	EXPECT_EQ(arithmetic(p),
		"offered 1/s = 3 robots x 0.3333/s, 100 req/conn -> 0.01 conn/s, <= 4000 open");
	p.robots.n_robots = 1;
	p.robots.rate_per_sec = 2500000;
	p.robots.pconn_use_lmt.a = 1;
	EXPECT_EQ(arithmetic(p), "offered 2500000/s = 1 robot x 2500000/s, 1 req/conn -> 2500000 "
				 "conn/s, <= 4000 open");
}

TEST(plan, best_effort_and_servers_have_an_arithmetic_too)
{
	Plan p;

	p.robots.arrival = PLAN_BEST_EFFORT;
	p.robots.rate_per_sec = 0;
	EXPECT_EQ(arithmetic(p),
		"best effort: 1000 robots, one request each at a time, 100 req/conn, <= 4000 open");
	p.robots.n_robots = 1;
	EXPECT_EQ(arithmetic(p),
		"best effort: 1 robot, one request at a time, 100 req/conn, <= 4000 open");
	p.roles = PLAN_SERVER;
	EXPECT_EQ(arithmetic(p), "serving 1 address, replies exp(13KB), <= 4000 open");
}

TEST(plan, time_wait_reads_as_the_documents_say)
{
	Plan p;

	p.robots.rate_per_sec = 400000;
	p.robots.pconn_use_lmt.a = 1;
	p.tcp.time_wait_ns = 1000000000;
	EXPECT_EQ(time_wait(p), "400000/s x 1 s = 400,000 of 4,128,768 tuples in TIME-WAIT");
	p.tcp.time_wait_ns = 60000000000;
	p.robots.rate_per_sec = 100;
	EXPECT_EQ(time_wait(p), "100/s x 60 s = 6,000 of 4,128,768 tuples in TIME-WAIT");
	p.robots.rate_per_sec = 0;
	EXPECT_EQ(time_wait(p),
		"TIME-WAIT 60 s: at most 68,812 new connections/s of 4,128,768 tuples");
}

TEST(plan, connections_follow_robots_and_rate)
{
	Plan p;

	EXPECT_EQ(plan_conns_default(&p), 50000u);
	p.robots.rate_per_sec = 100;
	EXPECT_EQ(plan_conns_default(&p), 4000u);
	p.robots.n_robots = 10;
	EXPECT_EQ(plan_conns_default(&p), 1024u);
	p.robots.open_conn_lmt = 7;
	EXPECT_EQ(plan_conns_default(&p), 70u);
	p.robots.open_conn_lmt = 0;
	p.robots.n_robots = 1 << 24;
	EXPECT_EQ(plan_conns_default(&p), 4000000u);
	p.robots.addrs[0] = range("10.0.0.1");
	EXPECT_EQ(plan_conns_default(&p), 64512u);
}

TEST(plan, ranges_are_one_sequence)
{
	net_range r[3] = {range("10.0.0.1-3:80"), range("10.0.1.9:8080"), range("10.1-2.0.1-2:81")};
	uint16_t port = 0;

	ASSERT_EQ(plan_ranges_count(r, 3), 8u);
	for (uint64_t i = 0; i < 8; i++)
		EXPECT_EQ(plan_ranges_index(r, 3, plan_ranges_at(r, 3, i, &port)), (int64_t)i);
	EXPECT_EQ(plan_ranges_at(r, 3, 3, &port), 0x0a000109u);
	EXPECT_EQ(port, 8080);
	EXPECT_EQ(plan_ranges_at(r, 3, 7, nullptr), 0x0a020002u);
	EXPECT_EQ(plan_ranges_index(r, 3, 0x0a000104), -1);
}

TEST(plan, object_sizes_are_a_function_of_object_and_seed)
{
	Plan p, q;
	double sum = 0;

	q.seed = 2;
	EXPECT_EQ(plan_object_size(&p, 5), plan_object_size(&p, 5));
	EXPECT_NE(plan_object_size(&p, 5), plan_object_size(&q, 5));
	for (uint64_t oid = 0; oid < 100000; oid++)
		sum += (double)plan_object_size(&p, oid);
	EXPECT_NEAR(sum / 100000, 13 * 1024, 200);
}

TEST(plan, texts_belong_to_the_plan)
{
	plan p;
	char uri[] = "/a";

	plan_init(&p);
	ASSERT_EQ(plan_text_set(&p.robots.uri, uri), 0);
	ASSERT_EQ(plan_text_set(&p.robots.uri, "/b"), 0);
	for (int i = 0; i < PLAN_HEADERS_MAX; i++)
		ASSERT_EQ(plan_header_add(&p, "A: b"), 0);
	EXPECT_EQ(plan_header_add(&p, "A: b"), -ENOSPC);
	EXPECT_STREQ(p.robots.uri, "/b");
	plan_fini(&p);
	EXPECT_EQ(p.robots.uri, nullptr);
	EXPECT_EQ(p.robots.n_headers, 0u);
}

namespace
{

/* What is wrong with a plan, and a part of the message that says so. */
const struct {
	std::function<void(plan &)> spoil;
	const char *message;
} spoils[] = {
	{[](plan &p) { p.roles = 0; }, "plan: robots or servers are needed"},
	{[](plan &p) { p.robots.n_addrs = 0; }, "robots' addresses: 'none': 1..16 ranges"},
	{[](plan &p) { p.robots.n_origins = 0; }, "origins: 'none': 1..16 ranges"},
	{[](plan &p) { p.robots.origins[0].port = 0; },
		"origins: '198.18.128.1': a port is needed"},
	{[](plan &p) { p.origin.n_addrs = 0; }, "origin addresses: 'none'"},
	{[](plan &p) { p.origin.addrs[0] = range("198.18.0.9:80"); },
		"robots' addresses: '198.18.0.1-64': must not be origins'"},
	{[](plan &p) { p.robots.addrs[0] = range("224.0.0.1"); }, "multicast"},
	{[](plan &p) { p.robots.addrs[0] = range("0.0.0.1"); }, "nobody's"},
	{[](plan &p) { p.robots.addrs[0] = range("10.0.0.0/24"); }, "no host part"},
	{[](plan &p) { p.robots.addrs[0] = range("10.0.0.1-255/24"); }, "broadcast address of /24"},
	{[](plan &p) { p.robots.n_robots = 0; }, "robots: '0': 1..16777216"},
	{[](plan &p) { p.robots.n_robots = (1 << 24) + 1; }, "robots: '16777217'"},
	{[](plan &p) { p.robots.rate_per_sec = 0; }, "rate: '0/sec': must be above 0"},
	{[](plan &p) { p.robots.rate_per_sec = NAN; }, "must be above 0"},
	{[](plan &p) { p.robots.rate_per_sec = 2e9; }, "rate of all robots: '2e+09/sec'"},
	{[](plan &p) { p.robots.arrival = PLAN_BEST_EFFORT; }, "best effort has no rate"},
	{[](plan &p) { plan_text_set(&p.robots.uri, "x"); }, "uri: 'x': a path that begins"},
	{[](plan &p) { plan_header_add(&p, "x"); }, "header: 'x': a field line"},
	{[](plan &p) { p.robots.http_minor = 2; }, "HTTP version"},
	{[](plan &p) {
		 p.robots.port_lo = 9;
		 p.robots.port_hi = 8;
	 },
		"local ports"},
	{[](plan &p) { p.robots.max_conns = 0; }, "open connections: '0': 1..4000000"},
	{[](plan &p) {
		 p.robots.addrs[0] = range("10.0.0.1");
		 p.robots.max_conns = 64513;
	 },
		"64512 local addresses x ports allow no more"},
	{[](plan &p) { p.origin.max_conns = 4000001; }, "open connections of the server"},
	{[](plan &p) { p.robots.proxy_addr = 0x0a000001; }, "proxy: a port is needed"},
	{[](plan &p) {
		 p.robots.proxy_addr = 0xc6120005;
		 p.robots.proxy_port = 1;
	 },
		"proxy: its address is one of the robots'"},
	{[](plan &p) { p.origin.rep_size.kind = DIST_NONE; }, "reply size: must be given"},
	{[](plan &p) { p.origin.rep_size.a = 2e12; }, "reply size: a size of at most 1024GB"},
	{[](plan &p) { p.n_phases = 0; }, "phases: 1..32"},
	{[](plan &p) { p.phase[0].name[0] = 0; }, "phase: '(empty)': a name"},
	{[](plan &p) { p.phase[0].load_beg = -1; }, "load factors of phase: 'dflt'"},
	{[](plan &p) { p.phase[0].populus_end = 1.5; }, "populus factors of phase: 'dflt'"},
	{[](plan &p) { p.phase[0].load_beg = 0; }, "a ramp needs a duration"},
	{[](plan &p) {
		 p.phase[1] = p.phase[0];
		 p.n_phases = 2;
	 },
		"only the last phase"},
	{[](plan &p) {
		 p.phase[0].goal.duration_ns = 1;
		 p.phase[1] = p.phase[0];
		 p.n_phases = 2;
	 },
		"names must differ"},
	{[](plan &p) { p.phase[0].goal.n_xactions = 0; }, "goal of phase: 'dflt': must be above 0"},
	{[](plan &p) { p.n_ifaces = 1; }, "interface: an address is needed"},
	{[](plan &p) {
		 p.n_ifaces = 1;
		 p.iface[0].addr = 0x0a000001;
	 },
		"a prefix length"},
	{[](plan &p) {
		 p.n_ifaces = 1;
		 p.iface[0] = {0, 0x0a000001, 24, 0x0a000101, {}, {}, 0};
	 },
		"the gateway is not in its /24"},
	{[](plan &p) {
		 p.n_ifaces = 1;
		 p.iface[0] = {0, 0x0a000001, 24, 0x0a000001, {}, {}, 0};
	 },
		"the gateway is the interface itself"},
	{[](plan &p) {
		 p.n_ifaces = 1;
		 p.iface[0] = {0, 0x0a000001, 24, 0, {}, {}, 100};
	 },
		"MTU"},
	{[](plan &p) { p.tcp.mss = 40; }, "mss: 48..9216"},
	{[](plan &p) { p.tcp.wscale = 15; }, "window scale: 0..14"},
	{[](plan &p) { p.tcp.rcv_wnd = 100; }, "receive window: '100Byte'"},
	{[](plan &p) { p.tcp.wscale = 0; }, "at most 65535 with window scale 0"},
	{[](plan &p) { p.tcp.rto_min_ns = 0; }, "rto_min"},
	{[](plan &p) { p.tcp.initial_window_segs = 0; }, "initial window"},
	{[](plan &p) { p.n_lanes = 65; }, "lanes: 1..64"},
	{[](plan &p) { p.verify_share = 0; }, "share of verified replies"},
	{[](plan &p) { p.csv_cycle_ns = 0; }, "statistics cycle: above 0"},
};

} // namespace

TEST(plan, what_contradicts_itself_is_refused_with_what_is_allowed)
{
	for (const auto &c : spoils)
		EXPECT_NE(refusal(c.spoil).find(c.message), std::string::npos) << c.message << "\n"
									       << refusal(c.spoil);
}

TEST(plan, targets_are_paths_of_visible_ascii)
{
	err e = {};

	EXPECT_EQ(plan_uri_check("/", "x", &e), 0);
	EXPECT_EQ(plan_uri_check("/a?b=%20&c=[1]", "x", &e), 0);
	EXPECT_EQ(plan_uri_check(("/" + std::string(PLAN_URI_MAX - 1, 'a')).c_str(), "x", &e), 0);
	for (std::string s :
		{"", "a", "http://a/", "/a b", "/a#b", "/\x01", "/\x7f", "/\xc3\xa4", "*"}) {
		err_clear(&e);
		EXPECT_EQ(plan_uri_check(s.c_str(), "x", &e), -EINVAL) << s;
	}
	EXPECT_EQ(plan_uri_check(("/" + std::string(PLAN_URI_MAX, 'a')).c_str(), "x", &e), -EINVAL);
}

TEST(plan, header_lines_are_tokens_and_values_without_control_bytes)
{
	err e = {};

	for (const char *s : {"A: b", "A:", "Accept: */*", "X_y!: \"a, b\"\tc", "Host: x"})
		EXPECT_EQ(plan_header_check(s, "x", &e), 0) << s;
	for (const char *s : {"", ":", ": b", "A", "A b: c", "A : b", "A: b\r\nC: d", "A: b\n",
		     "A: \x01", "Content-Length: 5", "transfer-encoding: chunked",
		     "Connection: close", "X-Xact: 1"}) {
		err_clear(&e);
		EXPECT_EQ(plan_header_check(s, "x", &e), -EINVAL) << s;
	}
}
