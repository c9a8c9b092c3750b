/* SPDX-License-Identifier: BSD-3-Clause */
#include "net_priv.h"

const struct counter_desc net_counter_descs[] = {NET_COUNTERS(COUNTER_DESC)};
const uint32_t net_n_counter_descs = ARRAY_LEN(net_counter_descs);

static enum net_kind
view_drop(struct net_view *v, uint64_t *cause)
{
	(*cause)++;
	v->kind = NET_KIND_DROP;
	return NET_KIND_DROP;
}

/* ARP, or what we do not speak: IPv6, VLAN tags, spanning tree. */
static enum net_kind
view_other(struct net_view *v, uint16_t type, uint32_t n, struct net_counters *c)
{
	if (type != ETH_TYPE_ARP)
		return view_drop(v, &c->rx_other);
	if (n < ARP_LEN)
		return view_drop(v, &c->rx_short);
	v->saddr = 0;
	v->daddr = 0;
	v->l4_off = 0;
	v->len = (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);
	v->len_first = v->len;
	v->kind = NET_KIND_ARP;
	c->rx_arp++;
	return NET_KIND_ARP;
}

/* Folded sum of a header with its checksum in place: 0xffff when that is right. */
static inline uint16_t
view_ip_sum(const uint8_t *l3, uint32_t len)
{
	uint64_t sum = 0;
	uint32_t w;
	uint32_t i;

	for (i = 0; i < len; i += 4) {
		memcpy(&w, l3 + i, sizeof(w));
		sum += w;
	}
	return net_csum_fold(sum);
}

/* A sender must be one station: 0/8, multicast, class E and broadcast are none (RFC 9293 MUST-63,
 * RFC 1122 3.2.1.3); nor do we answer what went to many (MUST-57). 127/8 is left alone: on rings
 * and memif it belongs to the simulated net. */
static inline int
view_addr_bad(uint32_t saddr, uint32_t daddr, uint8_t dmac0)
{
	return saddr >= 0xe0000000 || saddr < 0x01000000 || daddr >= 0xe0000000 || (dmac0 & 1) != 0;
}

/* Checks the IPv4 header at v->l3, of which the first buffer has n bytes and the frame n_all.
 * @return the counter to blame, NULL when all is well. */
static inline uint64_t *
view_ip(struct net_view *v, uint32_t n, uint64_t n_all, uint8_t dmac0, int csum_good,
	struct net_counters *c)
{
	const uint8_t *l3 = v->l3;
	uint32_t head = (l3[0] & 15u) * 4;
	uint32_t total = load_be16(l3 + 2);

	if (unlikely_(l3[0] >> 4 != 4))
		return &c->rx_other;
	if (unlikely_(head < IP4_LEN || total < head || total > n_all))
		return &c->rx_bad_length;
	if (unlikely_(head > n))
		return &c->rx_short;
	if (!csum_good && unlikely_(view_ip_sum(l3, head) != 0xffff))
		return &c->rx_bad_csum_ip;
	if (unlikely_(l3[9] != IP_PROTO_TCP && l3[9] != IP_PROTO_ICMP))
		return &c->rx_other;
	if (unlikely_((load_be16(l3 + 6) & IP4_FRAG_MASK) != 0))
		return &c->rx_frag;
	v->saddr = load_be32(l3 + 12);
	v->daddr = load_be32(l3 + 16);
	if (unlikely_(view_addr_bad(v->saddr, v->daddr, dmac0)))
		return &c->rx_bad_addr;
	v->l4_off = (uint8_t)head;
	return NULL;
}

/* Folded sum of `len` bytes at p, n of them there and the rest in the second buffer. */
static inline uint16_t
view_sum(uint64_t sum, const uint8_t *p, uint32_t n, struct span frag, uint32_t len)
{
	uint16_t rest;

	if (likely_(len <= n))
		return net_csum_fold(net_csum_add(sum, p, len));
	sum = net_csum_add(sum, p, n);
	rest = net_csum_fold(net_csum_add(0, frag.p, len - n));
	return net_csum_fold(sum + (n & 1 ? net_csum_swap(rest) : rest));
}

static enum net_kind
view_icmp(struct net_view *v, uint32_t n, struct span frag, struct net_counters *c)
{
	uint32_t total = load_be16(v->l3 + 2);
	uint32_t head = v->l4_off;

	if (total - head < ICMP_LEN)
		return view_drop(v, &c->rx_bad_length);
	if (n < head + ICMP_LEN)
		return view_drop(v, &c->rx_short);
	if (view_sum(0, v->l3 + head, n - head, frag, total - head) != 0xffff)
		return view_drop(v, &c->rx_bad_csum_icmp);
	v->len = (uint16_t)(total < n ? total : n);
	v->len_first = v->len;
	v->kind = NET_KIND_ICMP;
	c->rx_icmp++;
	return NET_KIND_ICMP;
}

/* As view_ip(), for the TCP header; the whole of it must be in the first buffer. */
static inline uint64_t *
view_tcp(struct net_view *v, uint32_t n, struct span frag, int csum_good, struct net_counters *c)
{
	const uint8_t *l4 = v->l3 + v->l4_off;
	uint32_t total = load_be16(v->l3 + 2);
	uint32_t tcp_len = total - v->l4_off;
	uint32_t n_tcp = n - v->l4_off;
	uint32_t head;
	uint64_t sum;

	if (unlikely_(tcp_len < TCP_LEN))
		return &c->rx_bad_length;
	if (unlikely_(n_tcp < TCP_LEN))
		return &c->rx_short;
	head = (l4[12] >> 4) * 4u;
	if (unlikely_(head < TCP_LEN || head > tcp_len))
		return &c->rx_bad_length;
	if (unlikely_(head > n_tcp))
		return &c->rx_short;
	if (unlikely_(v->saddr == v->daddr && memcmp(l4, l4 + 2, 2) == 0)) /* LAND */
		return &c->rx_bad_addr;
	if (!csum_good) {
		sum = net_csum_pseudo(host_be32(v->saddr), host_be32(v->daddr), (uint16_t)tcp_len);
		if (unlikely_(view_sum(sum, l4, n_tcp, frag, tcp_len) != 0xffff))
			return &c->rx_bad_csum_tcp;
	}
	v->seq = load_be32(l4 + 4);
	v->ack = load_be32(l4 + 8);
	v->flags = l4[13];
	v->hdr_len = (uint8_t)(v->l4_off + head);
	v->len = (uint16_t)(tcp_len - head);
	v->len_first = (uint16_t)(total < n ? v->len : n - v->hdr_len);
	return NULL;
}

enum net_kind
net_view_parse(struct net_view *v, const uint8_t *frame, uint32_t n_first, struct span frag,
	int csum_good, struct net_counters *c)
{
	uint32_t n = n_first - NET_ETH_LEN;
	uint64_t *cause;
	uint16_t type;

	c->rx_frames++;
	c->rx_bytes += (uint64_t)n_first + frag.n;
	if (unlikely_(n_first < NET_ETH_LEN))
		return view_drop(v, &c->rx_short);
	type = load_be16(frame + 12);
	v->l3 = frame + NET_ETH_LEN;
	if (unlikely_(type != ETH_TYPE_IP4))
		return view_other(v, type, n, c);
	if (unlikely_(n < IP4_LEN))
		return view_drop(v, &c->rx_short);
	cause = view_ip(v, n, (uint64_t)n + frag.n, frame[0], csum_good, c);
	if (unlikely_(cause != NULL))
		return view_drop(v, cause);
	if (unlikely_(v->l3[9] == IP_PROTO_ICMP))
		return view_icmp(v, n, frag, c);
	cause = view_tcp(v, n, frag, csum_good, c);
	if (unlikely_(cause != NULL))
		return view_drop(v, cause);
	v->kind = NET_KIND_TCP;
	c->rx_tcp++;
	return NET_KIND_TCP;
}
