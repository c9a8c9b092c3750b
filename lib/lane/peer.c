/* SPDX-License-Identifier: BSD-3-Clause */
#include "lane_priv.h"

static uint32_t
peer_add(struct lane *l, uint32_t addr)
{
	int route;

	if (l->n_peers >= LANE_PEERS_MAX)
		return AGENT_NONE;
	route = net_host_route(&l->host, addr);
	if (route < 0)
		return AGENT_NONE;
	l->peer[l->n_peers].addr = addr;
	l->peer[l->n_peers].route = (uint16_t)route;
	return l->n_peers++;
}

uint32_t
lane_peer_of(struct lane *l, uint32_t addr)
{
	uint32_t i = (uint32_t)((addr * 0x9e3779b97f4a7c15ULL) >> 40) & l->peer_mask;
	uint32_t x;

	for (; l->peer_hash[i] != 0; i = (i + 1) & l->peer_mask) {
		x = l->peer_hash[i] - 1;
		if (l->peer[x].addr == addr)
			return x;
	}
	x = peer_add(l, addr);
	if (x != AGENT_NONE)
		l->peer_hash[i] = x + 1;
	return x;
}
