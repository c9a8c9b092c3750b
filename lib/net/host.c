/* SPDX-License-Identifier: BSD-3-Clause */
#include "base_assert.h"
#include "net_priv.h"

/* Unanswered refreshes after which we ask everybody: the station may have a new MAC address. */
#define NEIGH_UNICAST_TRIES 3
#define NEIGH_NEVER UINT64_MAX

static const uint8_t mac_none[6];
static const uint8_t mac_all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

void
net_host_init(struct net_host *h, uint32_t cap_neigh, struct net_counters *c, void *memory)
{
	assert_(cap_neigh != 0 && (cap_neigh & (cap_neigh - 1)) == 0);
	memset(h, 0, sizeof(*h));
	memset(memory, 0, net_host_memory(cap_neigh));
	h->neigh = memory;
	h->cap_neigh = cap_neigh;
	h->counters = c;
}

int
net_iface_on_link(const struct net_host *h, uint32_t addr)
{
	int best = -1;
	uint32_t i;

	for (i = 0; i < h->n_ifaces; i++) {
		const struct net_iface *f = &h->iface[i];
		uint32_t mask = f->prefix == 0 ? 0 : UINT32_MAX << (32 - f->prefix);

		if (((addr ^ f->addr) & mask) != 0)
			continue;
		if (best < 0 || f->prefix > h->iface[best].prefix)
			best = (int)i;
	}
	return best;
}

static int
iface_with_gw(const struct net_host *h)
{
	uint32_t i;

	for (i = 0; i < h->n_ifaces; i++) {
		if (h->iface[i].gw != 0)
			return (int)i;
	}
	return -1;
}

/* Where addr is, or the free entry where it would go; -1: neither. Nothing is ever removed, so a
 * free entry ends the search. */
static int
neigh_slot(const struct net_host *h, uint32_t addr)
{
	uint32_t mask = h->cap_neigh - 1;
	uint32_t x = (uint32_t)(addr * 0x9e3779b97f4a7c15ULL >> 40) & mask;
	uint32_t i;

	for (i = 0; i < h->cap_neigh; i++, x = (x + 1) & mask) {
		if (h->neigh[x].state == NET_NEIGH_FREE || h->neigh[x].addr == addr)
			return (int)x;
	}
	return -1;
}

int
net_neigh_find(const struct net_host *h, uint32_t addr)
{
	int x = neigh_slot(h, addr);

	return x < 0 || h->neigh[x].state == NET_NEIGH_FREE ? -1 : x;
}

int
net_neigh_add(struct net_host *h, uint32_t addr, uint32_t x_iface)
{
	const struct net_iface *f = &h->iface[x_iface];
	/* An eighth stays free, so that a search ends soon. */
	uint32_t max = h->cap_neigh - h->cap_neigh / 8;
	int x = h->n_neigh < max ? neigh_slot(h, addr) : -1;

	if (x < 0) {
		h->counters->arp_full++;
		return -1;
	}
	assert_(h->neigh[x].state == NET_NEIGH_FREE);
	h->neigh[x] = (struct net_neigh){.addr = addr, .x_iface = (uint8_t)x_iface};
	h->neigh[x].state = NET_NEIGH_ASKED;
	if (addr == f->gw && memcmp(f->gw_mac, mac_none, 6) != 0) {
		memcpy(h->neigh[x].mac, f->gw_mac, 6);
		h->neigh[x].state = NET_NEIGH_STATIC;
	}
	h->n_neigh++;
	h->due_tsc = 0;
	return x;
}

int
net_neigh_set(struct net_host *h, int x, const uint8_t mac[6], uint64_t now_tsc)
{
	struct net_neigh *n = &h->neigh[x];

	if (n->state == NET_NEIGH_STATIC)
		return -1;
	memcpy(n->mac, mac, 6);
	n->state = NET_NEIGH_KNOWN;
	n->n_tries = 0;
	n->seen_tsc = now_tsc;
	h->due_tsc = 0;
	h->counters->arp_learned++;
	return 0;
}

void
net_host_learn(struct net_host *h, uint32_t addr, const uint8_t mac[6], uint64_t now_tsc)
{
	int x = net_neigh_find(h, addr);
	int x_iface = x < 0 ? net_iface_on_link(h, addr) : -1;

	if (x_iface >= 0)
		x = net_neigh_add(h, addr, (uint32_t)x_iface);
	if (x >= 0)
		net_neigh_set(h, x, mac, now_tsc);
}

int
net_host_route(struct net_host *h, uint32_t daddr)
{
	int x_iface = net_iface_on_link(h, daddr);
	uint32_t hop = daddr;
	int x;

	if (x_iface < 0) {
		x_iface = iface_with_gw(h);
		if (x_iface < 0)
			return -1;
		hop = h->iface[x_iface].gw;
	}
	x = net_neigh_find(h, hop);
	if (x < 0)
		x = net_neigh_add(h, hop, (uint32_t)x_iface);
	if (x < 0)
		return -2;
	if (!h->neigh[x].used) {
		h->neigh[x].used = 1;
		h->due_tsc = 0;
	}
	return x;
}

int
net_host_owns(const struct net_host *h, uint32_t addr)
{
	uint32_t i;

	for (i = 0; i < h->n_own; i++) {
		if (net_range_index(&h->own[i], addr) >= 0)
			return 1;
	}
	for (i = 0; i < h->n_ifaces; i++) {
		if (h->iface[i].addr == addr && addr != 0)
			return 1;
	}
	return 0;
}

void
net_arp_write(uint8_t *out, const uint8_t dmac[6], uint16_t op, const uint8_t smac[6], uint32_t spa,
	const uint8_t tha[6], uint32_t tpa)
{
	uint8_t *p = out + NET_ETH_LEN;

	memset(out, 0, NET_FRAME_MIN);
	net_eth_write(out, dmac, smac, ETH_TYPE_ARP);
	store_be16(p, 1); /* Ethernet */
	store_be16(p + 2, ETH_TYPE_IP4);
	p[4] = 6;
	p[5] = 4;
	store_be16(p + 6, op);
	memcpy(p + 8, smac, 6);
	store_be32(p + 14, spa);
	memcpy(p + 18, tha, 6);
	store_be32(p + 24, tpa);
}

/* When to ask about it again. */
static uint64_t
neigh_due(const struct net_neigh *n, uint64_t retry_tsc, uint64_t refresh_tsc)
{
	if (n->state == NET_NEIGH_ASKED)
		return n->n_tries == 0 ? 0 : n->asked_tsc + retry_tsc;
	if (n->state == NET_NEIGH_KNOWN && n->used)
		return n->n_tries == 0 ? n->seen_tsc + refresh_tsc : n->asked_tsc + retry_tsc;
	return NEIGH_NEVER;
}

static void
neigh_ask(struct net_host *h, struct net_neigh *n, uint64_t now_tsc, uint8_t *out)
{
	const struct net_iface *f = &h->iface[n->x_iface];
	int unicast = n->state == NET_NEIGH_KNOWN && n->n_tries < NEIGH_UNICAST_TRIES;

	net_arp_write(out, unicast ? n->mac : mac_all, NET_ARP_REQUEST, f->mac, f->addr, mac_none,
		n->addr);
	n->asked_tsc = now_tsc;
	if (n->n_tries < UINT8_MAX)
		n->n_tries++;
	h->counters->arp_asked++;
}

uint32_t
net_host_poll(struct net_host *h, uint64_t now_tsc, uint64_t retry_tsc, uint64_t refresh_tsc,
	uint8_t *out, uint32_t cap)
{
	uint64_t first = NEIGH_NEVER;
	uint32_t i;

	if (now_tsc < h->due_tsc || cap < NET_FRAME_MIN)
		return 0;
	for (i = 0; i < h->cap_neigh; i++) {
		struct net_neigh *n = &h->neigh[h->x_poll];
		uint64_t due = neigh_due(n, retry_tsc, refresh_tsc);

		h->x_poll = (h->x_poll + 1) & (h->cap_neigh - 1);
		if (due <= now_tsc) {
			neigh_ask(h, n, now_tsc, out);
			return NET_FRAME_MIN;
		}
		if (due < first)
			first = due;
	}
	/* Until then the table, up to 128 KB, need not be read again. */
	h->due_tsc = first;
	return 0;
}

/* Own address number i: those of the ranges, then interface addresses outside of them. */
static int
own_at(const struct net_host *h, uint64_t i, uint32_t *addr)
{
	uint32_t k;
	uint32_t j;

	for (k = 0; k < h->n_own; k++) {
		uint64_t n = net_range_count(&h->own[k]);

		if (i < n) {
			*addr = net_range_at(&h->own[k], i);
			return 0;
		}
		i -= n;
	}
	for (k = 0; k < h->n_ifaces; k++) {
		*addr = h->iface[k].addr;
		for (j = 0; j < h->n_own && net_range_index(&h->own[j], *addr) < 0; j++)
			;
		if (*addr != 0 && j == h->n_own && i-- == 0)
			return 0;
	}
	return -1;
}

uint32_t
net_host_announce(struct net_host *h, uint64_t i, uint8_t *out, uint32_t cap)
{
	uint32_t addr;
	int x;

	if (cap < NET_FRAME_MIN || h->n_ifaces == 0 || own_at(h, i, &addr) != 0)
		return 0;
	x = net_iface_on_link(h, addr);
	net_arp_write(
		out, mac_all, NET_ARP_REQUEST, h->iface[x < 0 ? 0 : x].mac, addr, mac_none, addr);
	h->counters->arp_asked++;
	return NET_FRAME_MIN;
}
