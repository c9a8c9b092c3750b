/* SPDX-License-Identifier: BSD-3-Clause */
#include <cstdlib>
#include <map>
#include <set>
#include <vector>
#include "gtest/gtest.h"
#include "base_rng.h"
#include "net_flow.h"

namespace
{

/** Sizes with a measuring arena, then builds: as the engine does. */
class arena_memory
{
      public:
	template <typename F> explicit arena_memory(F build)
	{
		struct arena a = {nullptr, 0, 0};

		build(&a);
		a.size = a.used;
		a.used = 0;
		p = (uint8_t *)aligned_alloc(64, (a.size + 63) / 64 * 64);
		memset(p, 0x77, a.size); /* whoever relies on zeroed memory is seen */
		a.p = p;
		build(&a);
		EXPECT_TRUE(arena_ok(&a));
	}
	~arena_memory()
	{
		free(p);
	}

      private:
	uint8_t *p;
};

TEST(ports, all_are_given_once_round_robin_then_none)
{
	struct net_ports p;
	arena_memory m([&](struct arena *a) { net_ports_init(&p, 2, 1000, 1029, 0, 1, a); });
	uint32_t tw;

	for (uint16_t port = 1000; port < 1030; port++) {
		EXPECT_EQ(port, net_ports_take(&p, 1, 5, 0, &tw));
		EXPECT_EQ(NET_FLOW_NONE, tw);
	}
	EXPECT_EQ(0, net_ports_take(&p, 1, 5, 0, &tw));
	EXPECT_EQ(1000, net_ports_take(&p, 0, 6, 0, &tw)); /* the other address is untouched */
	*net_ports_entry(&p, 1, 1017) = NET_FLOW_NONE;
	EXPECT_EQ(1017, net_ports_take(&p, 1, 9, 0, &tw));
	EXPECT_EQ(9u, *net_ports_entry(&p, 1, 1017));
}

TEST(ports, freed_port_is_not_given_again_at_once)
{
	struct net_ports p;
	arena_memory m([&](struct arena *a) { net_ports_init(&p, 1, 1000, 1009, 0, 1, a); });
	uint32_t tw;

	for (int i = 0; i < 30; i++) {
		uint16_t port = net_ports_take(&p, 0, 1, 0, &tw);

		EXPECT_EQ(1000 + i % 10, port);
		*net_ports_entry(&p, 0, port) = NET_FLOW_NONE;
	}
}

TEST(ports, lanes_share_all_ports_and_no_port_has_two_lanes)
{
	std::set<uint16_t> seen;

	for (uint16_t lane = 0; lane < 3; lane++) {
		struct net_ports p;
		arena_memory m(
			[&](struct arena *a) { net_ports_init(&p, 1, 1024, 65535, lane, 3, a); });
		uint32_t tw;
		uint16_t port;

		while ((port = net_ports_take(&p, 0, lane, 0, &tw)) != 0) {
			ASSERT_EQ(lane, port % 3);
			ASSERT_TRUE(seen.insert(port).second);
			ASSERT_EQ(lane, *net_ports_entry(&p, 0, port));
		}
	}
	EXPECT_EQ(64512u, seen.size());
}

TEST(ports, entry_of_a_foreign_port_or_address_is_none)
{
	struct net_ports p;
	arena_memory m([&](struct arena *a) { net_ports_init(&p, 2, 1025, 1099, 1, 4, a); });

	EXPECT_NE(nullptr, net_ports_entry(&p, 0, 1025));
	EXPECT_NE(nullptr, net_ports_entry(&p, 1, 1097));
	EXPECT_EQ(nullptr, net_ports_entry(&p, 0, 1026));
	EXPECT_EQ(nullptr, net_ports_entry(&p, 0, 1021));
	EXPECT_EQ(nullptr, net_ports_entry(&p, 0, 1101));
	EXPECT_EQ(nullptr, net_ports_entry(&p, 0, 0));
	EXPECT_EQ(nullptr, net_ports_entry(&p, 2, 1025));
}

TEST(ports, lane_without_a_port_has_no_entry_and_takes_none)
{
	struct net_ports p;
	arena_memory m([&](struct arena *a) { net_ports_init(&p, 1, 65533, 65534, 3, 8, a); });
	uint32_t tw;

	EXPECT_EQ(0u, p.ports_per_addr);
	EXPECT_EQ(0, net_ports_take(&p, 0, 1, 1, &tw));
	for (uint32_t port = 0; port <= 65535; port++)
		ASSERT_EQ(nullptr, net_ports_entry(&p, 0, (uint16_t)port));
}

TEST(ports, timewait_is_skipped_unless_reuse_is_allowed)
{
	struct net_ports p;
	arena_memory m([&](struct arena *a) { net_ports_init(&p, 1, 1000, 1002, 0, 1, a); });
	uint32_t tw;

	*net_ports_entry(&p, 0, 1000) = NET_FLOW_TIMEWAIT | 77;
	*net_ports_entry(&p, 0, 1001) = 3;
	EXPECT_EQ(1002, net_ports_take(&p, 0, 1, 0, &tw));
	EXPECT_EQ(0, net_ports_take(&p, 0, 1, 0, &tw));
	EXPECT_EQ(NET_FLOW_NONE, tw);
	EXPECT_EQ(1000, net_ports_take(&p, 0, 8, 1, &tw));
	EXPECT_EQ(77u, tw);
	EXPECT_EQ(8u, *net_ports_entry(&p, 0, 1000));
	EXPECT_EQ(0, net_ports_take(&p, 0, 1, 1, &tw));
	EXPECT_EQ(NET_FLOW_NONE, tw);
}

TEST(ports, call_looks_at_64_entries_and_the_next_goes_on)
{
	struct net_ports p;
	arena_memory m([&](struct arena *a) { net_ports_init(&p, 1, 1000, 1999, 0, 1, a); });
	uint32_t tw;

	for (uint16_t port = 1000; port < 1128; port++)
		*net_ports_entry(&p, 0, port) = 1;
	EXPECT_EQ(0, net_ports_take(&p, 0, 2, 0, &tw));
	EXPECT_EQ(0, net_ports_take(&p, 0, 2, 0, &tw));
	EXPECT_EQ(1128, net_ports_take(&p, 0, 2, 0, &tw));
}

TEST(flows, found_changed_and_removed)
{
	struct net_flows f;
	arena_memory m([&](struct arena *a) { net_flows_init(&f, 100, a); });
	uint64_t h = net_flow_hash(1, 2, 3, 4);
	uint32_t it = 0;

	EXPECT_EQ(NET_FLOW_NONE, net_flows_next(&f, h, &it));
	ASSERT_EQ(0, net_flows_add(&f, h, 42));
	EXPECT_EQ(1u, f.n);
	it = 0;
	EXPECT_EQ(42u, net_flows_next(&f, h, &it));
	EXPECT_EQ(NET_FLOW_NONE, net_flows_next(&f, h, &it));
	EXPECT_EQ(-1, net_flows_set(&f, h, 41, 43));
	EXPECT_EQ(0, net_flows_set(&f, h, 42, NET_FLOW_TIMEWAIT | 9));
	it = 0;
	EXPECT_EQ(NET_FLOW_TIMEWAIT | 9, net_flows_next(&f, h, &it));
	EXPECT_EQ(-1, net_flows_del(&f, h, 42));
	EXPECT_EQ(0, net_flows_del(&f, h, NET_FLOW_TIMEWAIT | 9));
	EXPECT_EQ(0u, f.n);
	it = 0;
	EXPECT_EQ(NET_FLOW_NONE, net_flows_next(&f, h, &it));
}

TEST(flows, tag_zero_in_an_empty_entry_is_no_flow)
{
	struct net_flows f;
	arena_memory m([&](struct arena *a) { net_flows_init(&f, 100, a); });
	uint32_t it = 0;

	EXPECT_EQ(NET_FLOW_NONE, net_flows_next(&f, 0, &it));
	ASSERT_EQ(0, net_flows_add(&f, 0, 1));
	it = 0;
	EXPECT_EQ(1u, net_flows_next(&f, 0, &it));
	EXPECT_EQ(NET_FLOW_NONE, net_flows_next(&f, 0, &it));
	EXPECT_EQ(NET_FLOW_NONE, net_flows_next(&f, 0, &it));
}

TEST(flows, one_hash_holds_16_then_is_full_and_every_candidate_comes_once)
{
	struct net_flows f;
	arena_memory m([&](struct arena *a) { net_flows_init(&f, 1000, a); });
	uint64_t h = 0x1234567890abcdefULL;
	std::set<uint32_t> seen;
	uint32_t it = 0;
	uint32_t s;

	for (uint32_t i = 0; i < 16; i++)
		ASSERT_EQ(0, net_flows_add(&f, h, i));
	EXPECT_EQ(-1, net_flows_add(&f, h, 16));
	EXPECT_EQ(1u, f.n_full);
	EXPECT_EQ(16u, f.n);
	while ((s = net_flows_next(&f, h, &it)) != NET_FLOW_NONE)
		EXPECT_TRUE(seen.insert(s).second);
	EXPECT_EQ(16u, seen.size());
	for (uint32_t i = 0; i < 16; i++)
		EXPECT_EQ(0, net_flows_del(&f, h, i));
	EXPECT_EQ(0u, f.n);
}

bool
holds(const struct net_flows &f, uint64_t h, uint32_t slot)
{
	uint32_t it = 0;
	uint32_t s;

	net_flows_prefetch(&f, h);
	do
		s = net_flows_next(&f, h, &it);
	while (s != slot && s != NET_FLOW_NONE);
	return s == slot;
}

/** Tuples as a run makes them: few addresses, dense ports. */
uint64_t
hash_of(uint32_t i)
{
	return net_flow_hash(0x0a010001, 0x0a020001 + i / 60000, 80, (uint16_t)(1024 + i % 60000));
}

TEST(flows, table_at_its_capacity_refuses_none_under_churn)
{
	const uint32_t n = 131072; /* just what 32768 buckets are said to hold */
	struct net_flows f;
	arena_memory m([&](struct arena *a) { net_flows_init(&f, n, a); });
	std::vector<uint32_t> live(n);

	ASSERT_EQ(32767u, f.mask);
	for (uint32_t i = 0; i < n; i++) {
		live[i] = i;
		ASSERT_EQ(0, net_flows_add(&f, hash_of(i), i));
	}
	for (uint32_t i = n; i < 8 * n; i++) {
		uint32_t k = (uint32_t)rng_below(rng_at(1, i), n);

		ASSERT_EQ(0, net_flows_del(&f, hash_of(live[k]), live[k]));
		live[k] = i;
		ASSERT_EQ(0, net_flows_add(&f, hash_of(i), i));
	}
	for (uint32_t i : live)
		ASSERT_TRUE(holds(f, hash_of(i), i));
	EXPECT_EQ(n, f.n);
	EXPECT_EQ(0u, f.n_full);
}

TEST(flows, false_candidates_are_rare)
{
	const uint32_t n = 100000;
	struct net_flows f;
	arena_memory m([&](struct arena *a) { net_flows_init(&f, n, a); });
	uint32_t n_false = 0;

	for (uint32_t i = 0; i < n; i++)
		ASSERT_EQ(0, net_flows_add(&f, hash_of(i), i));
	for (uint32_t i = n; i < 2 * n; i++) {
		uint32_t it = 0;

		n_false += net_flows_next(&f, hash_of(i), &it) != NET_FLOW_NONE;
	}
	EXPECT_LT(n_false, 40u); /* about n * 8 / 65536 */
}

} // namespace
