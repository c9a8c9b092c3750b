/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"
#include <cstring>
#include <gtest/gtest.h>

static constexpr uint32_t CLIENT_NET = 198u << 24 | 18u << 16;

static struct net_range
range_of(const char *text)
{
	struct net_range r;

	if (net_range_parse(text, &r) != 0)
		throw std::runtime_error(text);
	return r;
}

static void
plan_defaults(struct plan &p)
{
	struct err e;

	plan_init(&p);
	p.roles = PLAN_CLIENT | PLAN_SERVER;
	p.seed = 1;
	p.robots.n_robots = 10;
	p.robots.addrs[0] = range_of("198.18.0.1-4");
	p.robots.n_addrs = 1;
	p.robots.origins[0] = range_of("198.18.128.1:80");
	p.robots.n_origins = 1;
	p.robots.arrival = PLAN_BEST_EFFORT;
	p.robots.max_conns = 4096;
	p.robots.timeout_ns = 0;
	dist_parse("1", DIST_COUNT, &p.robots.pconn_use_lmt, &e, "use");
	p.origin.addrs[0] = p.robots.origins[0];
	p.origin.n_addrs = 1;
	p.origin.max_conns = 4096;
	dist_parse("100", DIST_SIZE_BYTES, &p.origin.rep_size, &e, "size");
	p.tcp.time_wait_ns = 1000000000;
}

World::World(const std::function<void(struct plan &)> &edit, size_t lanes, bool with_server)
    : body(new struct body_pattern)
{
	plan_defaults(plan);
	edit(plan);
	plan.n_lanes = (uint32_t)lanes;
	body_pattern_init(body.get(), 1);
	for (int i = 0; i < 2; i++) {
		memset(&iface[i], 0, sizeof(iface[i]));
		iface[i].addr = CLIENT_NET + (i == 0 ? 1 : 128 << 8 | 1);
		iface[i].prefix = 15;
		iface[i].mtu = 1500;
		iface[i].mac[0] = 2;
		iface[i].mac[5] = (uint8_t)(i + 1);
	}
	make(clients, PLAN_CLIENT, lanes);
	if (with_server)
		make(servers, PLAN_SERVER, lanes);
}

World::~World()
{
	for (auto *side : {&clients, &servers})
		for (auto &n : *side)
			lane_fini(n->l);
	plan_fini(&plan);
}

void
World::make(std::vector<std::unique_ptr<Node>> &side, enum plan_role role, size_t lanes)
{
	for (size_t i = 0; i < lanes; i++) {
		struct lane_config cfg;
		struct err e;
		auto node = std::make_unique<Node>();

		err_clear(&e);
		memset(&cfg, 0, sizeof(cfg));
		cfg.plan = &plan;
		cfg.role = role;
		cfg.x_lane = (uint16_t)i;
		cfg.n_lanes = (uint16_t)lanes;
		cfg.rate = tick_rate_of(1000000000);
		cfg.iface = &iface[role == PLAN_CLIENT ? 0 : 1];
		cfg.n_ifaces = 1;
		cfg.body = body.get();
		cfg.resolver = i == 0;
		node->memory.resize(lane_memory(&cfg) + CACHE_LINE);
		uintptr_t base = (uintptr_t)node->memory.data();
		uintptr_t aligned = (base + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1);
		struct arena a = {(uint8_t *)aligned, node->memory.size() - (aligned - base), 0};
		node->l = lane_new(&cfg, &a, now, &e);
		if (node->l == nullptr) {
			char text[512];

			err_text(&e, text, sizeof(text));
			throw std::runtime_error(text);
		}
		side.push_back(std::move(node));
	}
}

void
World::dial(Node &n, const struct lane_dial &d)
{
	n.dials.push_back(std::make_unique<struct lane_dial>(d));
	lane_dial_publish(n.l, n.dials.back().get());
}

void
World::start(uint64_t quota)
{
	bool resolved = run_until(
		[&] {
			for (auto &c : clients)
				if (lane_probe_get(c->l)->unresolved_addr != 0)
					return false;
			return now > 1010000000;
		},
		3000000000);

	ASSERT_TRUE(resolved || servers.empty());
	for (size_t i = 0; i < clients.size(); i++) {
		struct lane_dial d;

		memset(&d, 0, sizeof(d));
		d.t0_tsc = now;
		d.per_sec = plan.robots.rate_per_sec / (double)clients.size();
		d.stop_tsc = UINT64_MAX;
		d.quota = quota == UINT64_MAX ? quota : quota / clients.size();
		d.n_robots = plan.robots.n_robots;
		d.state = LANE_RUN;
		dial(*clients[i], d);
	}
	state(LANE_RUN, false, true);
}

void
World::state(enum lane_state s, bool to_clients, bool to_servers)
{
	struct lane_dial d;

	memset(&d, 0, sizeof(d));
	d.t0_tsc = now;
	d.stop_tsc = s >= LANE_DRAIN ? now : UINT64_MAX;
	d.quota = UINT64_MAX;
	d.state = (uint8_t)s;
	if (to_clients)
		for (auto &n : clients)
			dial(*n, d);
	if (to_servers)
		for (auto &n : servers)
			dial(*n, d);
}

void
World::send(const struct lane_frame &f, size_t queue, bool to_server)
{
	auto &side = to_server ? servers : clients;
	Frame frame;

	frame.at = now + cable.delay_ns;
	frame.bytes.assign(f.buf, f.buf + f.len);
	if (f.body_len > 0)
		frame.bytes.insert(frame.bytes.end(), f.body, f.body + f.body_len);
	(to_server ? frames_to_server : frames_to_client)++;
	if (cable.hook && !cable.hook(frame, to_server))
		return;
	if (side.empty())
		return;
	if (cable.steer)
		queue = cable.steer(frame, queue, to_server);
	auto &inbox = side[queue % side.size()]->inbox;
	auto it = inbox.end();
	while (it != inbox.begin() && (it - 1)->at > frame.at)
		--it;
	inbox.insert(it, std::move(frame));
}

void
World::give(std::vector<std::unique_ptr<Node>> &side, size_t i, Node &n)
{
	struct lane_in in[LANE_BURST];
	std::vector<Frame> burst;

	while (!n.inbox.empty() && n.inbox.front().at <= now && burst.size() < LANE_BURST) {
		burst.push_back(std::move(n.inbox.front()));
		n.inbox.pop_front();
	}
	for (size_t k = 0; k < burst.size(); k++) {
		memset(&in[k], 0, sizeof(in[k]));
		in[k].frame = burst[k].bytes.data();
		in[k].len = (uint16_t)burst[k].bytes.size();
		in[k].redirected = burst[k].redirected;
	}
	lane_rx(n.l, in, (uint32_t)burst.size(), now);
	for (size_t k = 0; k < burst.size(); k++) {
		if (in[k].owner == i)
			continue;
		burst[k].redirected = true;
		side[in[k].owner]->inbox.push_front(std::move(burst[k]));
	}
	struct lane_news news[16];
	uint32_t n_news = lane_news_take(n.l, news, 16);
	for (uint32_t k = 0; k < n_news; k++)
		for (auto &other : side)
			if (other.get() != &n)
				lane_news_give(other->l, &news[k], now);
}

void
World::turn(std::vector<std::unique_ptr<Node>> &side, size_t i, bool is_client)
{
	static uint8_t buf[LANE_BURST][LANE_HEAD_ROOM];
	struct lane_frame f[LANE_BURST];
	Node &n = *side[i];
	uint32_t k;

	if (now < n.busy_until)
		return;
	give(side, i, n);
	lane_timers(n.l, now);
	lane_launch(n.l, now, 1);
	do {
		for (uint32_t j = 0; j < LANE_BURST; j++)
			f[j].buf = buf[j];
		k = lane_tx(n.l, f, LANE_BURST, now);
		for (uint32_t j = 0; j < k; j++)
			send(f[j], i, is_client);
		lane_sent(n.l, f, k, now);
	} while (k == LANE_BURST);
	lane_chores(n.l, now);
}

void
World::run(uint64_t ns)
{
	uint64_t end = now + ns;

	while (now < end) {
		if (each_step)
			each_step(now);
		for (size_t i = 0; i < clients.size(); i++)
			turn(clients, i, true);
		for (size_t i = 0; i < servers.size(); i++)
			turn(servers, i, false);
		now += step_ns;
	}
}

bool
World::run_until(const std::function<bool()> &cond, uint64_t limit_ns)
{
	uint64_t end = now + limit_ns;

	while (now < end) {
		run(1000000);
		if (cond())
			return true;
	}
	return false;
}

void
World::finish(uint64_t drain_ns)
{
	state(LANE_DRAIN, true, false);
	run_until(
		[&] {
			for (auto &n : clients)
				if (lane_probe_get(n->l)->n_conns != 0)
					return false;
			return true;
		},
		drain_ns);
	state(LANE_CLOSE, true, true);
	run(400000000);
	EXPECT_EQ(identities(), "");
	EXPECT_EQ(baseline(), "");
}

static struct agent_counters
sum_of(const std::vector<std::unique_ptr<Node>> &side)
{
	struct agent_counters s;
	uint64_t *to = (uint64_t *)&s;

	memset(&s, 0, sizeof(s));
	for (auto &n : side) {
		const uint64_t *from = (const uint64_t *)&lane_counters_get(n->l)->agent;

		for (size_t i = 0; i < sizeof(s) / sizeof(*to); i++)
			to[i] += from[i];
	}
	return s;
}

struct agent_counters
World::client() const
{
	return sum_of(clients);
}

struct agent_counters
World::server() const
{
	return sum_of(servers);
}

uint64_t
World::tcp_sum(bool of_client, size_t offset) const
{
	uint64_t v = 0;

	for (auto &n : of_client ? clients : servers)
		v += *(const uint64_t *)((const char *)&lane_counters_get(n->l)->tcp + offset);
	return v;
}

std::string
World::identities() const
{
	struct agent_counters c = client();
	std::string why;
	uint64_t failed = 0;
	uint64_t dropped = 0;

#define ADD_FAIL(name, kind, severity, unit, help) failed += c.name;
#define ADD_DROP(name, kind, severity, unit, help) dropped += c.name;
	AGENT_FAIL_COUNTERS(ADD_FAIL)
	AGENT_DROP_COUNTERS(ADD_DROP)
	if (c.scheduled != c.sent + c.dropped)
		why += "scheduled " + std::to_string(c.scheduled) + " != sent " +
		       std::to_string(c.sent) + " + dropped " + std::to_string(c.dropped) + "; ";
	if (c.sent != c.completed + c.failed)
		why += "sent " + std::to_string(c.sent) + " != completed " +
		       std::to_string(c.completed) + " + failed " + std::to_string(c.failed) + "; ";
	if (failed != c.failed)
		why += "failed classes do not add up; ";
	if (dropped != c.dropped)
		why += "drop causes do not add up; ";
	if (c.conn_open_now != 0 || c.conn_idle_now != 0)
		why += "connections left; ";
	if (c.conn_opened != c.conn_closed)
		why += "opened != closed; ";
	return why;
}

std::string
World::baseline() const
{
	char text[200];
	std::string why;

	for (auto *side : {&clients, &servers})
		for (auto &n : *side)
			if (!lane_is_baseline(n->l, text, sizeof(text)))
				why += std::string(side == &clients ? "client: " : "server: ") +
				       text + "; ";
	return why;
}

struct hist_sum
World::responses()
{
	struct cell_sum cells;
	struct hist_sum out;

	hist_sum_init(&out);
	cell_sum_init(&cells, 1);
	for (auto &n : clients) {
		struct lane_snap *s = lane_snap_get(n->l);

		s->req++;
		run(2000000);
		cell_sum_add(&cells, s->retired);
		cell_set_clear(s->retired);
	}
	cell_sum_marginal(&cells, CELL_SUM, CELL_SUCCESS_MASK, &out);
	cell_sum_fini(&cells);
	return out;
}
