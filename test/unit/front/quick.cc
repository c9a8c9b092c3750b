/* SPDX-License-Identifier: BSD-3-Clause */
#include <cstdio>
#include <string>
#include <gtest/gtest.h>
#include "front_args.h"

namespace
{

const uint64_t SEC = 1000000000;

std::string
range_text(const net_range &r)
{
	char buf[96];

	net_range_text(&r, buf, sizeof(buf));
	return buf;
}

std::string
dist_text_of(const dist &d)
{
	char buf[800];

	dist_text(&d, buf, sizeof(buf));
	return buf;
}

std::string
arithmetic(const plan &p)
{
	char buf[256];

	plan_arithmetic_text(&p, buf, sizeof(buf));
	return buf;
}

std::string
banner(const FrontArgs &a)
{
	char *text = nullptr;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	front_banner(a.run.command, a.run.values, f);
	fclose(f);
	std::string s(text, size);
	free(text);
	return s;
}

} // namespace

TEST(quick, loop_alone_is_a_sensible_ten_second_run)
{
	FrontArgs a("loop", "");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_EQ(a.p.roles, (uint32_t)(PLAN_CLIENT | PLAN_SERVER));
	EXPECT_TRUE(a.run.simulated);
	EXPECT_EQ(arithmetic(a.p),
		"offered 50000/s = 1000 robots x 50/s, 1 req/conn -> 50000 conn/s, <= 50000 open");
	EXPECT_EQ(a.p.phase[0].goal.duration_ns, 10 * SEC);
	EXPECT_EQ(a.p.robots.arrival, PLAN_POISSON);
	EXPECT_FALSE(a.p.robots.rate_is_total);
	EXPECT_EQ(range_text(a.p.robots.addrs[0]), "198.18.0.1-64");
	EXPECT_EQ(range_text(a.p.origin.addrs[0]), "198.18.128.1:80");
	EXPECT_EQ(range_text(a.p.robots.origins[0]), "198.18.128.1:80");
	EXPECT_EQ(a.p.tcp.time_wait_ns, SEC);
	EXPECT_GE(a.p.origin.max_conns, a.p.robots.max_conns);
	EXPECT_EQ(a.run.verb_lvl, 2);
	EXPECT_EQ(a.run.csv, nullptr);
}

TEST(quick, client_and_server_alone_meet_in_the_simulated_net)
{
	FrontArgs c("client", ""), s("server", "");

	ASSERT_EQ(c.rc, 0) << c.message();
	ASSERT_EQ(s.rc, 0) << s.message();
	EXPECT_TRUE(c.run.simulated && s.run.simulated);
	EXPECT_EQ(c.p.roles, (uint32_t)PLAN_CLIENT);
	EXPECT_EQ(s.p.roles, (uint32_t)PLAN_SERVER);
	EXPECT_EQ(range_text(c.p.robots.origins[0]), range_text(s.p.origin.addrs[0]));
	EXPECT_EQ(c.p.robots.arrival, PLAN_BEST_EFFORT);
	EXPECT_EQ(c.p.robots.n_robots, 1u);
	EXPECT_EQ(c.p.phase[0].goal.duration_ns, PLAN_NEVER);
	EXPECT_EQ(c.p.tcp.time_wait_ns, 60 * SEC);
	EXPECT_EQ(c.p.world, s.p.world);
	EXPECT_EQ(dist_text_of(c.p.origin.rep_size), dist_text_of(s.p.origin.rep_size));
}

TEST(quick, any_address_belongs_to_the_simulated_net)
{
	FrontArgs c("client", "--origin 127.0.0.1:8080"), s("server", "--origin 127.0.0.1:8080");

	ASSERT_EQ(c.rc, 0) << c.message();
	ASSERT_EQ(s.rc, 0) << s.message();
	EXPECT_EQ(range_text(s.p.origin.addrs[0]), "127.0.0.1:8080");
}

TEST(quick, polymix_1s_options_are_understood)
{
	FrontArgs a("client", "--sport 1024:30000 --launch_win 1min --robots 1 --req_rate 400/sec "
			      "--goal -1:1hr:0.30 --proxy 10.0.0.9:3128 --origin 10.0.0.1-4:8080");
	FrontArgs b("server",
		"--idle_tout 135sec --xact_think norm:3s,1.5s --goal 1.1hr --port 8080 "
		"--origin 10.0.0.1");

	ASSERT_EQ(a.rc, 0) << a.message();
	ASSERT_EQ(b.rc, 0) << b.message();
	EXPECT_EQ(a.p.robots.port_lo, 1024);
	EXPECT_EQ(a.p.robots.port_hi, 30000);
	EXPECT_EQ(a.p.robots.launch_win_ns, 60 * SEC);
	EXPECT_EQ(a.p.robots.rate_per_sec, 400);
	EXPECT_EQ(a.p.phase[0].goal.duration_ns, 3600 * SEC);
	EXPECT_EQ(a.p.phase[0].goal.n_xactions, PLAN_NEVER);
	EXPECT_EQ(a.p.phase[0].goal.err_ratio, 0.3);
	EXPECT_EQ(a.p.robots.proxy_addr, 0x0a000009u);
	EXPECT_EQ(a.p.robots.proxy_port, 3128);
	EXPECT_EQ(b.p.idle_tout_ns, 135 * SEC);
	EXPECT_EQ(b.p.phase[0].goal.duration_ns, 3960 * SEC);
	EXPECT_EQ(dist_text_of(b.p.origin.xact_think), "norm(3sec, 1500msec)");
	EXPECT_EQ(range_text(b.p.origin.addrs[0]), "10.0.0.1:8080");
}

TEST(quick, goals_have_three_forms)
{
	EXPECT_EQ(FrontArgs("loop", "--goal 100000").p.phase[0].goal.n_xactions, 100000u);
	EXPECT_EQ(FrontArgs("loop", "--goal 100000").p.phase[0].goal.duration_ns, PLAN_NEVER);
	EXPECT_EQ(FrontArgs("loop", "--goal 1.5min").p.phase[0].goal.duration_ns, 90 * SEC);
	FrontArgs a("loop", "--goal 5k:20sec:3p");
	ASSERT_EQ(a.rc, 0);
	EXPECT_EQ(a.p.phase[0].goal.n_xactions, 5000u);
	EXPECT_EQ(a.p.phase[0].goal.duration_ns, 20 * SEC);
	EXPECT_EQ(a.p.phase[0].goal.err_ratio, 0.03);
	EXPECT_EQ(FrontArgs("loop", "--goal -1:-1:-1").rc, 0);
}

TEST(quick, a_total_rate_is_shared_by_the_robots)
{
	FrontArgs a("loop", "--rate 10k/sec --robots 2000 --pconn_use_lmt 100 --open_conn_lmt 4");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_TRUE(a.p.robots.rate_is_total);
	EXPECT_EQ(arithmetic(a.p),
		"offered 10000/s = 2000 robots x 5/s, 100 req/conn -> 100 conn/s, <= 8000 open");
}

TEST(quick, best_effort_is_a_choice)
{
	FrontArgs a("loop", "--best_effort --robots 10 --pconn-use-lmt zipf:64");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_EQ(arithmetic(a.p),
		"best effort: 10 robots, one request each at a time, 14.85 req/conn, <= 1024 open");
	EXPECT_EQ(FrontArgs("client", "--req_rate 5").p.robots.arrival, PLAN_POISSON);
}

TEST(quick, arrivals_have_three_names)
{
	EXPECT_EQ(FrontArgs("loop", "--req_inter_arrival const").p.robots.arrival, PLAN_CONSTANT);
	EXPECT_EQ(FrontArgs("loop", "--req_inter_arrival poisson").p.robots.arrival, PLAN_POISSON);
	EXPECT_EQ(FrontArgs("loop", "--req_inter_arrival exp").p.robots.arrival, PLAN_POISSON);
}

TEST(quick, requests_are_as_asked_for)
{
	FrontArgs a("client",
		"--uri /a?b --method POST --body_sz exp:2KB --http_version 1.0 --add_header "
		"'Host: x' --add_header 'Accept: */*' --expect_status 2xx,404 --timeout 5sec "
		"--retry_stale off --close rst --connect_timeout 3sec --idle_pconn_tout 15sec");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_STREQ(a.p.robots.uri, "/a?b");
	EXPECT_EQ(a.p.robots.method, HTTP_POST);
	EXPECT_EQ(dist_text_of(a.p.robots.body_size), "exp(2KB)");
	EXPECT_EQ(a.p.robots.http_minor, 0);
	ASSERT_EQ(a.p.robots.n_headers, 2u);
	EXPECT_STREQ(a.p.robots.header[1], "Accept: */*");
	EXPECT_TRUE(a.p.robots.expect_given);
	EXPECT_TRUE(plan_status_has(&a.p.robots.expect_status, 404));
	EXPECT_FALSE(plan_status_has(&a.p.robots.expect_status, 302));
	EXPECT_EQ(a.p.robots.timeout_ns, 5 * SEC);
	EXPECT_EQ(a.p.robots.connect_timeout_ns, 3 * SEC);
	EXPECT_EQ(a.p.robots.idle_pconn_tout_ns, 15 * SEC);
	EXPECT_FALSE(a.p.robots.retry_stale);
	EXPECT_EQ(a.p.robots.close, PLAN_CLOSE_RST);
}

TEST(quick, a_body_where_one_is_needed_has_a_default_size)
{
	EXPECT_EQ(dist_text_of(FrontArgs("loop", "--method PUT").p.robots.body_size), "const(1KB)");
	EXPECT_EQ(dist_text_of(FrontArgs("loop", "--method GET").p.robots.body_size), "undef()");
}

TEST(quick, a_timeout_of_zero_is_none)
{
	FrontArgs a("client", "--timeout 0 --idle_tout 0sec --drain 0");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_EQ(a.p.robots.timeout_ns, 0u);
	EXPECT_EQ(a.p.idle_tout_ns, 0u);
	EXPECT_EQ(a.p.drain_ns, 0u);
}

TEST(quick, a_servers_limits_are_its_own)
{
	FrontArgs s("server", "--pconn_use_lmt zipf:16 --idle_pconn_tout 15sec --max_conns 1000");
	FrontArgs l("loop", "--pconn_use_lmt 7");

	ASSERT_EQ(s.rc, 0) << s.message();
	EXPECT_EQ(dist_text_of(s.p.origin.pconn_use_lmt), "zipf(16)");
	EXPECT_EQ(s.p.origin.idle_pconn_tout_ns, 15 * SEC);
	EXPECT_EQ(s.p.origin.max_conns, 1000u);
	EXPECT_EQ(dist_text_of(l.p.robots.pconn_use_lmt), "const(7)");
	EXPECT_EQ(dist_text_of(l.p.origin.pconn_use_lmt), "undef()");
	EXPECT_EQ(FrontArgs("server", "").p.origin.max_conns, 262144u);
}

TEST(quick, an_interface_is_read_whole)
{
	FrontArgs a("client",
		"--vdev=net_tap0 -- --origin 10.1.0.1 --port_id 3 --iface 'port=2 "
		"addr=10.1.0.2/24 gw=10.1.0.254 mac=02:00:00:00:00:01 gw_mac= mtu=9000' "
		"--iface addr=10.2.0.2/16");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_FALSE(a.run.simulated);
	ASSERT_EQ(a.p.n_ifaces, 2u);
	EXPECT_EQ(a.p.iface[0].port, 2);
	EXPECT_EQ(a.p.iface[0].addr, 0x0a010002u);
	EXPECT_EQ(a.p.iface[0].prefix, 24);
	EXPECT_EQ(a.p.iface[0].gw, 0x0a0100feu);
	EXPECT_EQ(a.p.iface[0].mac[5], 1);
	EXPECT_EQ(a.p.iface[0].gw_mac[0], 0);
	EXPECT_EQ(a.p.iface[0].mtu, 9000);
	EXPECT_EQ(a.p.iface[1].port, 3);
	EXPECT_EQ(range_text(a.p.robots.addrs[0]), "10.1.0.2");
	EXPECT_EQ(range_text(a.p.robots.origins[0]), "10.1.0.1:80");
}

TEST(quick, the_second_interface_bounds_the_segment_too)
{
	FrontArgs a("client", "--origin 10.1.0.1 --iface 'addr=10.1.0.2/24 mtu=9000' --iface "
			      "addr=10.2.0.2/16 --mss 8960");

	EXPECT_EQ(a.message(), "--mss: '8960': at most 1460 with an MTU of 1500");
}

TEST(quick, an_address_with_a_prefix_needs_no_interface)
{
	FrontArgs c("client", "-a x -- --origin 10.1.0.1 --addresses 10.1.0.2-65/24 --port_id 1");
	FrontArgs s("server", "-a x -- --origin 10.1.0.1/24:8080");

	ASSERT_EQ(c.rc, 0) << c.message();
	ASSERT_EQ(s.rc, 0) << s.message();
	EXPECT_EQ(c.p.n_ifaces, 1u);
	EXPECT_EQ(c.p.iface[0].addr, 0x0a010002u);
	EXPECT_EQ(c.p.iface[0].port, 1);
	EXPECT_EQ(s.p.iface[0].addr, 0x0a010001u);
	EXPECT_EQ(s.p.iface[0].prefix, 24);
	EXPECT_EQ(range_text(c.p.robots.addrs[0]), "10.1.0.2-65/24");
}

TEST(quick, a_server_listens_on_its_interface)
{
	FrontArgs s("server", "-a x -- --iface addr=10.1.0.1/24 --port 8080");

	ASSERT_EQ(s.rc, 0) << s.message();
	EXPECT_EQ(range_text(s.p.origin.addrs[0]), "10.1.0.1:8080");
}

TEST(quick, an_interface_says_that_the_net_is_real)
{
	EXPECT_FALSE(
		FrontArgs("client", "--origin 10.1.0.1 --iface addr=10.1.0.2/24").run.simulated);
	EXPECT_FALSE(FrontArgs("server", "--port_id 0 --origin 10.1.0.1/24").run.simulated);
	EXPECT_TRUE(FrontArgs("client", "--origin 10.1.0.1").run.simulated);
	EXPECT_TRUE(FrontArgs("loop", "-l 1 --").run.simulated); /* rings, whatever EAL is told */
}

TEST(quick, segments_fit_the_smallest_link)
{
	FrontArgs a("server", "-a x -- --iface 'addr=10.1.0.1/24 mtu=1400'");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_EQ(a.p.tcp.mss, 1360);
}

TEST(quick, an_unscaled_window_is_made_to_fit)
{
	FrontArgs a("loop", "--wscale 0");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_EQ(a.p.tcp.rcv_wnd, 65535u);
}

TEST(quick, lists_of_origins_join)
{
	FrontArgs a("client", "--origin 10.0.0.1:80,10.0.0.2-3:81 --origin 10.0.1.1");

	ASSERT_EQ(a.rc, 0) << a.message();
	ASSERT_EQ(a.p.robots.n_origins, 3u);
	EXPECT_EQ(range_text(a.p.robots.origins[1]), "10.0.0.2-3:81");
	EXPECT_EQ(range_text(a.p.robots.origins[2]), "10.0.1.1:80");
}

TEST(quick, tcp_is_as_asked_for)
{
	FrontArgs a("loop",
		"--tw 0 --delayed_ack 0 --sack off --timestamps off --wscale 3 --initial_window "
		"4 --rto_min 50ms --syn_retries 2 --cc none --mss 536 --rcv_wnd 64KB");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_EQ(a.p.tcp.time_wait_ns, 0u);
	EXPECT_EQ(a.p.tcp.delayed_ack_ns, 0u);
	EXPECT_EQ(a.p.tcp.sack, 0);
	EXPECT_EQ(a.p.tcp.timestamps, 0);
	EXPECT_EQ(a.p.tcp.wscale, 3);
	EXPECT_EQ(a.p.tcp.initial_window_segs, 4u);
	EXPECT_EQ(a.p.tcp.rto_min_ns, SEC / 20);
	EXPECT_EQ(a.p.tcp.syn_retries, 2u);
	EXPECT_EQ(a.p.tcp.cc, TCP_CC_NONE);
	EXPECT_EQ(a.p.tcp.mss, 536);
	EXPECT_EQ(a.p.tcp.rcv_wnd, 65536u);
}

TEST(quick, the_program_is_as_asked_for)
{
	FrontArgs a("loop",
		"--workers 4 --topology split --idle yield --stats_cycle 1sec --csv_cycle 100ms "
		"--verb_lvl 5 --console_time minutes --label test --csv a.csv --csv_counters b.csv "
		"--capture c.pcapng --print_config --stage_cycles --rng_seed 7 --verify sample:10");

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_EQ(a.run.workers, 4u);
	EXPECT_EQ(a.p.n_lanes, 4u);
	EXPECT_EQ(a.run.topology, FRONT_SPLIT);
	EXPECT_EQ(a.run.idle, FRONT_IDLE_YIELD);
	EXPECT_EQ(a.p.stats_cycle_ns, SEC);
	EXPECT_EQ(a.p.csv_cycle_ns, SEC / 10);
	EXPECT_EQ(a.run.verb_lvl, 5);
	EXPECT_EQ(a.run.console_time, FRONT_TIME_MINUTES);
	EXPECT_STREQ(a.p.label, "test");
	EXPECT_STREQ(a.run.csv, "a.csv");
	EXPECT_STREQ(a.run.csv_counters, "b.csv");
	EXPECT_STREQ(a.run.capture, "c.pcapng");
	EXPECT_TRUE(a.run.print_config && a.run.stage_cycles);
	EXPECT_EQ(a.p.seed, 7u);
	EXPECT_NE(a.p.world, FrontArgs("loop", "").p.world);
	EXPECT_EQ(a.p.verify, PLAN_VERIFY_SAMPLE);
	EXPECT_EQ(a.p.verify_share, 0.1);
}

TEST(quick, help_needs_nothing_else)
{
	FrontArgs a("client", "-a x -- --help");

	EXPECT_EQ(a.rc, 0);
	EXPECT_TRUE(a.run.help);
}

TEST(quick, every_default_is_valid_for_each_command)
{
	for (const char *command : {"loop", "client", "server"}) {
		front_run run;
		err e = {};

		EXPECT_EQ(opt_defaults(&front_options, command, run.values, &e), 0) << e.what;
	}
}

TEST(front_banner, shows_each_option_of_the_command_as_polygraph_does)
{
	FrontArgs a("loop", "--timeout 90sec --rto_min 250ms --rate 5k --add_header 'A: b' "
			    "--add_header 'C: d'");
	std::string s = banner(a);

	ASSERT_EQ(a.rc, 0) << a.message();
	EXPECT_EQ(s.find("Configuration:\n\trobots:              1000\n"), 0u) << s;
	for (const char *line : {"timeout:             1.50min", "rto_min:             250.00msec",
		     "stats_cycle:         5.00sec", "rcv_wnd:             1.000MB",
		     "csv:                 <none>", "rate:                5000/sec",
		     "help:                off", "sack:                on",
		     "rep_sz:              exp:13KB", "idle_tout:           <none>",
		     "verb_lvl:            2", "rng_seed:            1",
		     "add_header:          A: b,C: d", "goal:                10sec"})
		EXPECT_NE(s.find(std::string("\t") + line + "\n"), std::string::npos)
			<< line << "\n"
			<< s;
	EXPECT_EQ(s.find("proxy"), std::string::npos); /* not an option of loop */
}

TEST(front_banner, shows_nothing_twice)
{
	for (const char *command : {"loop", "client", "server"}) {
		std::string s = banner(FrontArgs(command, ""));
		size_t first = s.find("\tgoal:");

		ASSERT_NE(first, std::string::npos);
		EXPECT_EQ(s.find("\tgoal:", first + 1), std::string::npos) << command;
	}
}
