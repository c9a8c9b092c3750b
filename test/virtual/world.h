/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A run in virtual time: lanes of robots and of origins, joined by cables that delay, drop or turn
 * frames as a test says. One tick is one nanosecond. What a test does not set has the plan's
 * default.
 */
#ifndef TEST_WORLD_H
#define TEST_WORLD_H

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "lane.h"

struct Frame {
	uint64_t at; /* arrival */
	std::vector<uint8_t> bytes;
	bool redirected = false;
};

/** One role's lane with its inbox. */
struct Node {
	struct lane *l = nullptr;
	std::vector<uint8_t> memory;
	std::deque<Frame> inbox;
	std::vector<std::unique_ptr<struct lane_dial>> dials;
	uint64_t busy_until = 0; /* a stalled worker */
};

struct Cable {
	uint64_t delay_ns = 20000;
	/* @return false: lost. May change the frame or its arrival. */
	std::function<bool(Frame &, bool to_server)> hook;
	/* queue of the other side, given the sender's; default: the same number */
	std::function<size_t(const Frame &, size_t queue, bool to_server)> steer;
};

class World
{
      public:
	explicit World(const std::function<void(struct plan &)> &edit, size_t lanes = 1,
		bool with_server = true);
	~World();

	/** Publish RUN to all lanes: robots offer the plan's rate from now on. */
	void start(uint64_t quota = UINT64_MAX);
	void state(enum lane_state s, bool clients, bool servers);
	/** Let time pass. */
	void run(uint64_t ns);
	/** Until cond() or the limit; @return whether cond() became true. */
	bool run_until(const std::function<bool()> &cond, uint64_t limit_ns);
	/** Drain, close, and check that everything came back. */
	void finish(uint64_t drain_ns = 1000000000);

	/** Sum over lanes. */
	struct agent_counters client() const;
	struct agent_counters server() const;
	uint64_t tcp_sum(bool of_client, size_t offset) const;
	/** Identities of the whole; empty when they hold. */
	std::string identities() const;
	/** Ends of everything: pools back. */
	std::string baseline() const;
	/** All recorded response times of completed transactions. */
	struct hist_sum responses();

	struct plan plan;
	Cable cable;
	std::vector<std::unique_ptr<Node>> clients;
	std::vector<std::unique_ptr<Node>> servers;
	uint64_t now = 1000000000;
	uint64_t step_ns = 10000;
	std::function<void(uint64_t now)> each_step;
	uint64_t frames_to_server = 0;
	uint64_t frames_to_client = 0;

      private:
	void make(std::vector<std::unique_ptr<Node>> &side, enum plan_role role, size_t lanes);
	void turn(std::vector<std::unique_ptr<Node>> &side, size_t i, bool is_client);
	void give(std::vector<std::unique_ptr<Node>> &from, size_t i, Node &n);
	void send(const struct lane_frame &f, size_t queue, bool to_server);
	void dial(Node &n, const struct lane_dial &d);

	std::unique_ptr<struct body_pattern> body;
	struct net_iface iface[2];
};

#define TCP_SUM(world, of_client, field) \
	(world).tcp_sum(of_client, offsetof(struct tcp_counters, field))

#endif
