/* SPDX-License-Identifier: BSD-3-Clause */
#include "net_priv.h"

#define ICMP_ECHO_REPLY 0
#define ICMP_UNREACHABLE 3
#define ICMP_ECHO 8
#define ECHO_TTL 64

struct arp_in {
	const uint8_t *sha;
	uint32_t spa;
	uint32_t tpa;
	uint16_t op;
};

/* @return 0, -1: not ARP between Ethernet and IPv4, or a sender that cannot be one station. */
static int
arp_parse(const struct net_view *v, struct arp_in *a)
{
	static const uint8_t head[6] = {0, 1, 0x08, 0x00, 6, 4};
	const uint8_t *p = v->l3;

	if (v->len < ARP_LEN || memcmp(p, head, sizeof(head)) != 0)
		return -1;
	a->op = load_be16(p + 6);
	a->sha = p + 8;
	a->spa = load_be32(p + 14);
	a->tpa = load_be32(p + 24);
	if (a->op != NET_ARP_REQUEST && a->op != NET_ARP_REPLY)
		return -1;
	return (a->sha[0] & 1) != 0 || a->spa >= 0xe0000000 ? -1 : 0;
}

static int
mac_is_ours(const struct net_host *h, const uint8_t mac[6])
{
	uint32_t i;

	for (i = 0; i < h->n_ifaces; i++) {
		if (memcmp(h->iface[i].mac, mac, 6) == 0)
			return 1;
	}
	return 0;
}

/* RFC 826: refresh what we know; make an entry only for who talks to us. A probe (RFC 5227, no
 * sender address) teaches nothing. @return the entry, or -1. */
static int
arp_learn(struct net_host *h, const struct arp_in *a, int for_us, uint64_t now_tsc)
{
	int x_iface;
	int x;

	if (a->spa == 0)
		return -1;
	x = net_neigh_find(h, a->spa);
	if (x < 0 && for_us) {
		x_iface = net_iface_on_link(h, a->spa);
		if (x_iface >= 0)
			x = net_neigh_add(h, a->spa, (uint32_t)x_iface);
	}
	if (x < 0 || net_neigh_set(h, x, a->sha, now_tsc) != 0)
		return -1;
	return x;
}

static uint32_t
arp_answer(struct net_host *h, const struct arp_in *a, uint8_t *out, uint32_t cap)
{
	int x = net_iface_on_link(h, a->spa != 0 ? a->spa : a->tpa);

	if (cap < NET_FRAME_MIN || h->n_ifaces == 0)
		return 0;
	net_arp_write(
		out, a->sha, NET_ARP_REPLY, h->iface[x < 0 ? 0 : x].mac, a->tpa, a->sha, a->spa);
	h->counters->arp_answered++;
	return NET_FRAME_MIN;
}

static uint32_t
arp_input(struct net_host *h, const struct net_view *v, uint64_t now_tsc, uint8_t *out,
	uint32_t cap, int *x_learned)
{
	struct arp_in a;
	int for_us;

	if (arp_parse(v, &a) != 0) {
		h->counters->arp_bad++;
		return 0;
	}
	if (!h->shared && net_host_owns(h, a.spa)) {
		/* Our own frame come back, or a station that uses our address: never learned. */
		if (!mac_is_ours(h, a.sha))
			h->counters->arp_conflict++;
		return 0;
	}
	for_us = net_host_owns(h, a.tpa);
	*x_learned = arp_learn(h, &a, for_us, now_tsc);
	if (!for_us || a.op != NET_ARP_REQUEST)
		return 0;
	return arp_answer(h, &a, out, cap);
}

/* The whole datagram must be in the first buffer. IP options are not sent back. */
static uint32_t
icmp_echo(struct net_host *h, const struct net_view *v, const uint8_t *frame, uint32_t n_icmp,
	uint8_t *out, uint32_t cap)
{
	uint8_t *icmp = out + NET_ETH_LEN + IP4_LEN;
	uint32_t len = NET_ETH_LEN + IP4_LEN + n_icmp;
	int x = net_iface_on_link(h, v->saddr);
	uint16_t old;
	uint16_t csum;

	if (len > cap || cap < NET_FRAME_MIN || h->n_ifaces == 0) {
		h->counters->icmp_ignored++;
		return 0;
	}
	if (len < NET_FRAME_MIN)
		memset(out + len, 0, NET_FRAME_MIN - len);
	net_eth_write(out, frame + 6, h->iface[x < 0 ? 0 : x].mac, ETH_TYPE_IP4);
	net_ip4_write(out + NET_ETH_LEN, v->l3[1], (uint16_t)(IP4_LEN + n_icmp), ECHO_TTL,
		IP_PROTO_ICMP, v->daddr, v->saddr);
	memcpy(icmp, v->l3 + v->l4_off, n_icmp);
	icmp[0] = ICMP_ECHO_REPLY;
	/* RFC 1624: HC' = ~(~HC + ~m + m'), and m' is 0. A result of 0 is wrong when all else is 0
	 * too, and else the same as 0xffff. */
	memcpy(&old, icmp + 2, sizeof(old));
	csum = (uint16_t)~net_csum_fold(
		(uint64_t)(uint16_t)~old + (uint16_t)~host_be16(ICMP_ECHO << 8));
	if (csum == 0)
		csum = 0xffff;
	memcpy(icmp + 2, &csum, sizeof(csum));
	h->counters->icmp_echoed++;
	return len < NET_FRAME_MIN ? NET_FRAME_MIN : len;
}

/* Believed only when it quotes a TCP segment that one of our addresses sent, told to that address;
 * tcp/ compares the sequence number (RFC 5927). @return 0 with *e filled, -1: not to be believed.
 */
static int
icmp_unreachable(
	const struct net_view *v, const uint8_t *icmp, uint32_t n_icmp, struct net_icmp_error *e)
{
	const uint8_t *ip = icmp + ICMP_LEN;
	uint32_t n = n_icmp - ICMP_LEN;
	uint32_t head;

	if (n < IP4_LEN || ip[0] >> 4 != 4 || ip[9] != IP_PROTO_TCP)
		return -1;
	head = (ip[0] & 15u) * 4;
	if (head < IP4_LEN || n < head + 8 || (load_be16(ip + 6) & IP4_OFFSET_MASK) != 0)
		return -1;
	if (load_be32(ip + 12) != v->daddr)
		return -1;
	e->type = icmp[0];
	e->code = icmp[1];
	e->mtu = e->code == NET_ICMP_FRAG_NEEDED ? load_be16(icmp + 6) : 0;
	e->saddr = load_be32(ip + 12);
	e->daddr = load_be32(ip + 16);
	e->sport = load_be16(ip + head);
	e->dport = load_be16(ip + head + 2);
	e->seq = load_be32(ip + head + 4);
	e->valid = 1;
	return 0;
}

static uint32_t
icmp_input(struct net_host *h, const struct net_view *v, const uint8_t *frame, uint8_t *out,
	uint32_t cap, struct net_icmp_error *e)
{
	const uint8_t *icmp = v->l3 + v->l4_off;
	uint32_t total = load_be16(v->l3 + 2);
	uint32_t n_icmp = v->len - v->l4_off;
	int ours = net_host_owns(h, v->daddr);

	if (ours && icmp[0] == ICMP_ECHO && icmp[1] == 0 && total == v->len)
		return icmp_echo(h, v, frame, n_icmp, out, cap);
	if (ours && icmp[0] == ICMP_UNREACHABLE && icmp_unreachable(v, icmp, n_icmp, e) == 0)
		h->counters->icmp_unreachable++;
	else
		h->counters->icmp_ignored++;
	return 0;
}

uint32_t
net_host_input(struct net_host *h, const struct net_view *v, const uint8_t *frame,
	uint32_t frame_len, uint64_t now_tsc, uint8_t *out, uint32_t cap, int *x_learned,
	struct net_icmp_error *icmp)
{
	*x_learned = -1;
	memset(icmp, 0, sizeof(*icmp));
	if (frame_len < NET_ETH_LEN)
		return 0;
	if (v->kind == NET_KIND_ARP)
		return arp_input(h, v, now_tsc, out, cap, x_learned);
	if (v->kind == NET_KIND_ICMP)
		return icmp_input(h, v, frame, out, cap, icmp);
	return 0;
}
