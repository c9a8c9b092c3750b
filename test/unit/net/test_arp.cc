/* SPDX-License-Identifier: BSD-3-Clause */
#include "net_fixture.h"

namespace
{

const uint8_t OTHER_MAC[6] = {0x02, 0, 0, 0, 0, 0x99};

class arp : public host_test
{
      protected:
	/** Ethernet destination, operation and the four addresses of an ARP frame of 60 bytes. */
	static void
	is_arp(const bytes &f, const uint8_t *dmac, uint16_t op, uint32_t spa, const uint8_t *tha,
		uint32_t tpa)
	{
		bytes want = arp_frame(op, OUR_MAC, spa, tpa);

		memcpy(&want[0], dmac, 6);
		memcpy(&want[32], tha, 6);
		EXPECT_EQ(want, f);
	}

	const struct net_neigh *
	neigh(uint32_t addr)
	{
		int x = net_host_route(&h, addr);

		return x < 0 ? nullptr : &h.neigh[x];
	}

	static constexpr uint8_t ALL[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	static constexpr uint8_t NONE[6] = {};
};
constexpr uint8_t arp::ALL[6];
constexpr uint8_t arp::NONE[6];

TEST_F(arp, request_for_the_interface_address_is_answered)
{
	is_arp(input(arp_frame(1, PEER_MAC, PEER, OURS)), PEER_MAC, 2, OURS, PEER_MAC, PEER);
	EXPECT_EQ(1u, c.arp_answered);
}

TEST_F(arp, request_for_every_emulated_address_is_answered)
{
	for (uint64_t i = 0; i < net_range_count(&h.own[0]); i++) {
		uint32_t own = net_range_at(&h.own[0], i);

		is_arp(input(arp_frame(1, PEER_MAC, PEER, own)), PEER_MAC, 2, own, PEER_MAC, PEER);
	}
	EXPECT_TRUE(input(arp_frame(1, PEER_MAC, PEER, 0x0a020000)).empty());
	EXPECT_TRUE(input(arp_frame(1, PEER_MAC, PEER, 0x0a010003)).empty());
	EXPECT_EQ(500u, c.arp_answered);
}

TEST_F(arp, unicast_request_is_answered)
{
	bytes f = arp_frame(1, PEER_MAC, PEER, OURS);

	memcpy(&f[0], OUR_MAC, 6);
	EXPECT_EQ(60u, input(f).size());
}

TEST_F(arp, probe_is_answered_and_teaches_nothing)
{
	is_arp(input(arp_frame(1, OTHER_MAC, 0, OURS)), OTHER_MAC, 2, OURS, OTHER_MAC, 0);
	EXPECT_EQ(-1, x_learned);
	EXPECT_EQ(0u, h.n_neigh);
	EXPECT_EQ(0u, c.arp_conflict);
}

TEST_F(arp, no_reply_into_a_buffer_that_is_too_small)
{
	EXPECT_TRUE(input(arp_frame(1, PEER_MAC, PEER, OURS), 0, 59).empty());
	EXPECT_EQ(0u, c.arp_answered);
}

TEST_F(arp, request_to_us_teaches_its_sender)
{
	input(arp_frame(1, PEER_MAC, PEER, OURS), 500);
	ASSERT_GE(x_learned, 0);
	EXPECT_EQ(PEER, h.neigh[x_learned].addr);
	EXPECT_TRUE(net_neigh_ready(&h.neigh[x_learned]));
	EXPECT_EQ(0, memcmp(h.neigh[x_learned].mac, PEER_MAC, 6));
	EXPECT_EQ(500u, h.neigh[x_learned].seen_tsc);
	EXPECT_EQ(1u, c.arp_learned);
	EXPECT_EQ(x_learned, net_host_route(&h, PEER));
}

TEST_F(arp, request_to_others_refreshes_only_who_is_known)
{
	input(arp_frame(1, PEER_MAC, PEER, 0x0a010055));
	EXPECT_EQ(-1, x_learned);
	EXPECT_EQ(0u, h.n_neigh);
	input(arp_frame(1, PEER_MAC, PEER, OURS));
	input(arp_frame(1, OTHER_MAC, PEER, 0x0a010055), 9);
	ASSERT_GE(x_learned, 0);
	EXPECT_EQ(0, memcmp(neigh(PEER)->mac, OTHER_MAC, 6));
	EXPECT_EQ(9u, neigh(PEER)->seen_tsc);
}

TEST_F(arp, sender_off_the_link_is_answered_but_not_kept)
{
	EXPECT_EQ(60u, input(arp_frame(1, PEER_MAC, 0x0b010002, OURS)).size());
	EXPECT_EQ(0u, h.n_neigh);
	EXPECT_EQ(-1, x_learned);
}

TEST_F(arp, claim_of_our_address_is_a_conflict_and_not_learned)
{
	EXPECT_TRUE(input(arp_frame(1, OTHER_MAC, OURS, OURS)).empty());
	EXPECT_TRUE(input(arp_frame(2, OTHER_MAC, 0x0a020001, OURS)).empty());
	EXPECT_TRUE(input(arp_frame(1, OTHER_MAC, OURS, 0x0a010055)).empty());
	EXPECT_EQ(3u, c.arp_conflict);
	EXPECT_EQ(0u, h.n_neigh);
}

TEST_F(arp, own_frame_come_back_is_no_conflict)
{
	EXPECT_TRUE(input(arp_frame(1, OUR_MAC, OURS, OURS)).empty());
	EXPECT_EQ(0u, c.arp_conflict);
}

TEST_F(arp, shared_link_answers_and_learns_an_address_that_both_ends_have)
{
	h.shared = 1;
	is_arp(input(arp_frame(1, OTHER_MAC, OURS, OURS)), OTHER_MAC, 2, OURS, OTHER_MAC, OURS);
	EXPECT_EQ(0u, c.arp_conflict);
	EXPECT_EQ(0, memcmp(neigh(OURS)->mac, OTHER_MAC, 6));
}

TEST_F(arp, malformed_packets_are_counted)
{
	for (size_t at : {14u, 15u, 16u, 17u, 18u, 19u, 20u, 21u}) {
		bytes f = arp_frame(1, PEER_MAC, PEER, OURS);

		f[at] ^= 0x40;
		EXPECT_TRUE(input(f).empty()) << at;
	}
	bytes f = arp_frame(1, PEER_MAC, PEER, OURS);

	f[22] |= 1; /* a group as sender */
	EXPECT_TRUE(input(f).empty());
	EXPECT_TRUE(input(arp_frame(1, PEER_MAC, 0xe0000001, OURS)).empty());
	EXPECT_EQ(10u, c.arp_bad);
	EXPECT_EQ(0u, h.n_neigh);
}

TEST_F(arp, full_table_refuses_and_counts)
{
	make(4);
	for (uint32_t i = 0; i < 4; i++)
		EXPECT_GE(net_host_route(&h, PEER + i), 0);
	EXPECT_EQ(-2, net_host_route(&h, PEER + 4));
	EXPECT_GE(net_host_route(&h, PEER + 3), 0);
	EXPECT_EQ(1u, c.arp_full);
	EXPECT_EQ(60u, input(arp_frame(1, PEER_MAC, PEER + 5, OURS)).size());
	EXPECT_EQ(-1, x_learned);
	EXPECT_EQ(2u, c.arp_full);
}

TEST_F(arp, table_keeps_its_entries_apart)
{
	make(256);
	for (uint32_t i = 0; i < 200; i++) {
		uint8_t mac[6] = {2, 0, 0, 0, 1, (uint8_t)i};

		net_host_learn(&h, 0x0a010000 + i, mac, i);
	}
	for (uint32_t i = 0; i < 200; i++) {
		EXPECT_EQ(0x0a010000 + i, neigh(0x0a010000 + i)->addr);
		EXPECT_EQ(i, neigh(0x0a010000 + i)->mac[5]);
	}
	EXPECT_EQ(200u, h.n_neigh);
}

TEST_F(arp, destination_on_the_link_is_its_own_next_hop)
{
	EXPECT_EQ(PEER, neigh(PEER)->addr);
	EXPECT_FALSE(net_neigh_ready(neigh(PEER)));
	EXPECT_EQ(1u, h.n_neigh);
}

TEST_F(arp, destination_elsewhere_goes_to_the_gateway)
{
	EXPECT_EQ(0x0a010001u, neigh(0x08080808)->addr);
	EXPECT_EQ(0x0a010001u, neigh(0x08080809)->addr);
	EXPECT_EQ(1u, h.n_neigh);
	h.iface[0].gw = 0;
	EXPECT_EQ(-1, net_host_route(&h, 0x08080808));
}

TEST_F(arp, longest_prefix_chooses_the_interface)
{
	h.n_ifaces = 3;
	h.iface[1].addr = 0x0a010105;
	h.iface[1].prefix = 16;
	h.iface[2].addr = 0x0a010181;
	h.iface[2].prefix = 32;
	EXPECT_EQ(0, neigh(0x0a010003)->x_iface);
	EXPECT_EQ(1, neigh(0x0a010203)->x_iface);
	EXPECT_EQ(2, neigh(0x0a010181)->x_iface);
	h.iface[1].prefix = 0; /* everything is on this link */
	EXPECT_EQ(1, neigh(0x08080808)->x_iface);
	EXPECT_EQ(0x08080808u, neigh(0x08080808)->addr);
}

TEST_F(arp, given_gateway_mac_is_used_and_never_asked_or_changed)
{
	memcpy(h.iface[0].gw_mac, OTHER_MAC, 6);
	const struct net_neigh *n = neigh(0x08080808);

	EXPECT_TRUE(net_neigh_ready(n));
	EXPECT_EQ(0, memcmp(n->mac, OTHER_MAC, 6));
	EXPECT_TRUE(poll(1000000).empty());
	input(arp_frame(1, PEER_MAC, 0x0a010001, OURS));
	EXPECT_EQ(-1, x_learned);
	net_host_learn(&h, 0x0a010001, PEER_MAC, 5);
	EXPECT_EQ(0, memcmp(n->mac, OTHER_MAC, 6));
}

TEST_F(arp, new_neighbour_is_asked_for_at_once_and_each_retry)
{
	net_host_route(&h, PEER);
	is_arp(poll(10), ALL, 1, OURS, NONE, PEER);
	EXPECT_TRUE(poll(10).empty());
	EXPECT_TRUE(poll(1009).empty());
	is_arp(poll(1010), ALL, 1, OURS, NONE, PEER);
	EXPECT_EQ(2u, c.arp_asked);
}

TEST_F(arp, every_unresolved_neighbour_is_asked_for_once_per_retry)
{
	std::vector<int> n_asked(10);

	for (uint32_t i = 0; i < 10; i++)
		net_host_route(&h, PEER + i);
	for (uint64_t now : {1u, 500u, 1001u, 1002u}) {
		bytes f;

		while (!(f = poll(now)).empty())
			n_asked[f[41] - 2u]++;
	}
	EXPECT_EQ(std::vector<int>(10, 2), n_asked);
}

TEST_F(arp, answer_ends_the_asking)
{
	net_host_route(&h, PEER);
	poll(10);
	input(arp_frame(2, PEER_MAC, PEER, OURS), 20);
	EXPECT_TRUE(net_neigh_ready(neigh(PEER)));
	EXPECT_TRUE(poll(5000).empty());
}

TEST_F(arp, used_neighbour_is_refreshed_by_unicast)
{
	net_host_route(&h, PEER);
	poll(10);
	input(arp_frame(2, PEER_MAC, PEER, OURS), 20);
	EXPECT_TRUE(poll(30019).empty());
	is_arp(poll(30020), PEER_MAC, 1, OURS, NONE, PEER);
	input(arp_frame(2, PEER_MAC, PEER, OURS), 30030);
	EXPECT_TRUE(poll(60029).empty());
	EXPECT_EQ(60u, poll(60030).size());
}

TEST_F(arp, neighbour_that_nothing_was_sent_to_is_not_refreshed_until_it_is_used)
{
	input(arp_frame(1, PEER_MAC, PEER, OURS), 20);
	EXPECT_TRUE(poll(100000).empty());
	net_host_route(&h, PEER);
	EXPECT_EQ(60u, poll(100000).size());
}

TEST_F(arp, silent_neighbour_keeps_its_mac_and_is_asked_for_by_broadcast)
{
	net_host_learn(&h, PEER, PEER_MAC, 0);
	net_host_route(&h, PEER);
	for (uint64_t now : {30000u, 31000u, 32000u})
		is_arp(poll(now), PEER_MAC, 1, OURS, NONE, PEER);
	for (uint64_t now = 33000; now < 400000; now += 1000)
		is_arp(poll(now), ALL, 1, OURS, NONE, PEER);
	EXPECT_TRUE(net_neigh_ready(neigh(PEER)));
	EXPECT_EQ(0, memcmp(neigh(PEER)->mac, PEER_MAC, 6));
	input(arp_frame(2, OTHER_MAC, PEER, OURS), 400000);
	EXPECT_EQ(0, memcmp(neigh(PEER)->mac, OTHER_MAC, 6));
	EXPECT_TRUE(poll(429999).empty());
	is_arp(poll(430000), OTHER_MAC, 1, OURS, NONE, PEER);
}

TEST_F(arp, news_of_another_lane_counts_as_an_answer)
{
	net_host_route(&h, PEER);
	poll(10);
	net_host_learn(&h, PEER, PEER_MAC, 15);
	EXPECT_TRUE(net_neigh_ready(neigh(PEER)));
	EXPECT_TRUE(poll(20000).empty());
	net_host_learn(&h, 0x0b000001, PEER_MAC, 15); /* on no link of ours */
	EXPECT_EQ(1u, h.n_neigh);
}

TEST_F(arp, every_own_address_is_announced_once)
{
	uint64_t i;

	for (i = 0; i < 500; i++) {
		uint8_t *out = tx.end(60);
		uint32_t own = net_range_at(&h.own[0], i);

		ASSERT_EQ(60u, net_host_announce(&h, i, out, 60));
		is_arp(copy(out, 60), ALL, 1, own, NONE, own);
	}
	uint8_t *out = tx.end(60);

	EXPECT_EQ(60u, net_host_announce(&h, 500, out, 60));
	is_arp(copy(out, 60), ALL, 1, OURS, NONE, OURS);
	EXPECT_EQ(0u, net_host_announce(&h, 501, out, 60));
	EXPECT_EQ(501u, c.arp_asked);
}

TEST_F(arp, interface_address_in_a_range_is_announced_with_the_range_only)
{
	uint8_t *out = tx.end(60);

	ASSERT_EQ(0, net_range_parse("10.1.0.200-201", &h.own[0]));
	EXPECT_EQ(60u, net_host_announce(&h, 1, out, 60));
	EXPECT_EQ(0u, net_host_announce(&h, 2, out, 60));
}

TEST_F(arp, owns_ranges_and_interfaces)
{
	EXPECT_TRUE(net_host_owns(&h, OURS));
	EXPECT_TRUE(net_host_owns(&h, 0x0a0201fa));
	EXPECT_FALSE(net_host_owns(&h, 0x0a0201fb));
	EXPECT_FALSE(net_host_owns(&h, PEER));
	h.iface[0].addr = 0;
	EXPECT_FALSE(net_host_owns(&h, 0));
}

} // namespace
