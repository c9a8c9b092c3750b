/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What the parts of net/ share and nobody else sees: protocol constants, the IPv4 header writer,
 * the neighbour table and the ARP writer. OWNER for what takes a net_host, else PURE.
 */
#ifndef NET_PRIV_H
#define NET_PRIV_H

#include "net_csum.h"
#include "net_frame.h"
#include "net_host.h"

#define ETH_TYPE_IP4 0x0800
#define ETH_TYPE_ARP 0x0806
#define IP4_LEN 20
#define IP4_DF 0x4000
#define IP4_FRAG_MASK 0x3fff /* more fragments, or an offset */
#define IP4_OFFSET_MASK 0x1fff
#define IP_PROTO_ICMP 1
#define IP_PROTO_TCP 6
#define TCP_LEN 20
#define TCP_OPTS_MAX 40
#define ARP_LEN 28
#define ICMP_LEN 8

static inline void
net_eth_write(uint8_t *buf, const uint8_t dmac[6], const uint8_t smac[6], uint16_t type)
{
	memcpy(buf, dmac, 6);
	memcpy(buf + 6, smac, 6);
	store_be16(buf + 12, type);
}

/** Header of an unfragmented datagram, checksum complete; 20 bytes. @param len IP total length. */
static inline void
net_ip4_write(uint8_t *p, uint8_t tos, uint16_t len, uint8_t ttl, uint8_t proto, uint32_t saddr,
	uint32_t daddr)
{
	uint32_t word[5] = {
		host_be32(0x45000000u | (uint32_t)tos << 16 | len),
		host_be32(IP4_DF),
		host_be32((uint32_t)ttl << 24 | (uint32_t)proto << 16),
		host_be32(saddr),
		host_be32(daddr),
	};
	uint64_t sum = (uint64_t)word[0] + word[1] + word[2] + word[3] + word[4];
	uint16_t csum = (uint16_t)~net_csum_fold(sum);

	/* Summed in registers: loads behind narrower stores would wait for the cache. */
	memcpy(p, word, sizeof(word));
	memcpy(p + 10, &csum, sizeof(csum));
}

#define NET_ARP_REQUEST 1
#define NET_ARP_REPLY 2

/** A whole ARP frame of NET_FRAME_MIN bytes. */
void net_arp_write(uint8_t *out, const uint8_t dmac[6], uint16_t op, const uint8_t smac[6],
	uint32_t spa, const uint8_t tha[6], uint32_t tpa);

/** Interface with the longest prefix that holds addr, or -1. */
int net_iface_on_link(const struct net_host *h, uint32_t addr);

/** Index of the neighbour, or -1. */
int net_neigh_find(const struct net_host *h, uint32_t addr);

/** New entry, NET_NEIGH_ASKED (or STATIC for a gateway with a given MAC). The address must not be
 * in the table. @return index, -1: full (counted). */
int net_neigh_add(struct net_host *h, uint32_t addr, uint32_t x_iface);

/** Set what was heard of entry x. @return 0, -1 for a static one. */
int net_neigh_set(struct net_host *h, int x, const uint8_t mac[6], uint64_t now_tsc);

#endif
