/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A received frame as TCP wants it: 32 bytes in an L1 array, pointing into a packet buffer that the
 * caller keeps until the burst is done. Parsing checks lengths, IP and TCP checksums (RFC 9293
 * MUST-2/3, RFC 1122) and takes the TCP length from the IP total length, never from the frame
 * (Ethernet padding). IPv4 here; a view does not say which family, the caller's tables do.
 * PURE.
 */
#ifndef NET_VIEW_H
#define NET_VIEW_H

#include "base_bytes.h"
#include "base_assert.h"
#include "stats_counter.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NET_TCP_FIN 0x01
#define NET_TCP_SYN 0x02
#define NET_TCP_RST 0x04
#define NET_TCP_PSH 0x08
#define NET_TCP_ACK 0x10
#define NET_TCP_URG 0x20
#define NET_TCP_ECE 0x40
#define NET_TCP_CWR 0x80

/** What a frame turned out to be. */
enum net_kind {
	NET_KIND_TCP,
	NET_KIND_ARP,
	NET_KIND_ICMP,
	NET_KIND_DROP, /* counted by cause in net_counters */
};

struct net_view {
	const uint8_t *l3; /* IP header */
	uint32_t saddr; /* host order */
	uint32_t daddr;
	uint32_t seq;
	uint32_t ack;
	uint16_t len; /* TCP payload bytes, both parts */
	uint16_t len_first; /* of these, in the buffer of the headers; the rest is in the frag span
			     */
	uint8_t hdr_len; /* IP header bytes + TCP header bytes; payload = l3 + hdr_len */
	uint8_t l4_off; /* IP header bytes */
	uint8_t flags; /* NET_TCP_* */
	uint8_t kind; /* enum net_kind */
};
static_assert_(sizeof(struct net_view) == 32, "a view is half a cache line");

static inline uint16_t
net_view_sport(const struct net_view *v)
{
	return load_be16(v->l3 + v->l4_off);
}

static inline uint16_t
net_view_dport(const struct net_view *v)
{
	return load_be16(v->l3 + v->l4_off + 2);
}

static inline uint16_t
net_view_wnd(const struct net_view *v)
{
	return load_be16(v->l3 + v->l4_off + 14);
}

/** TCP option bytes: @return length, *p points at the first. */
static inline uint32_t
net_view_options(const struct net_view *v, const uint8_t **p)
{
	*p = v->l3 + v->l4_off + 20;
	return (uint32_t)(v->hdr_len - v->l4_off - 20);
}

/** Sequence space that the segment takes (SEG.LEN of RFC 9293). */
static inline uint32_t
net_view_seg_len(const struct net_view *v)
{
	return (uint32_t)v->len + !!(v->flags & NET_TCP_SYN) + !!(v->flags & NET_TCP_FIN);
}

#define NET_COUNTERS(X) \
	X(rx_frames, COUNTER_SUM, COUNTER_INFO, "1", "frames taken from the port") \
	X(rx_bytes, COUNTER_SUM, COUNTER_INFO, "bytes", "bytes of these frames, without FCS") \
	X(rx_tcp, COUNTER_SUM, COUNTER_INFO, "1", "TCP segments that passed all checks") \
	X(rx_arp, COUNTER_SUM, COUNTER_INFO, "1", "ARP frames") \
	X(rx_icmp, COUNTER_SUM, COUNTER_INFO, "1", "ICMP messages") \
	X(rx_short, COUNTER_SUM, COUNTER_WARN, "1", "frames cut off within a header") \
	X(rx_bad_length, COUNTER_SUM, COUNTER_WARN, "1", \
		"IP or TCP lengths that contradict each other") \
	X(rx_bad_csum_ip, COUNTER_SUM, COUNTER_WARN, "1", "wrong IPv4 header checksum") \
	X(rx_bad_csum_tcp, COUNTER_SUM, COUNTER_WARN, "1", "wrong TCP checksum") \
	X(rx_bad_csum_icmp, COUNTER_SUM, COUNTER_WARN, "1", "wrong ICMP checksum") \
	X(rx_frag, COUNTER_SUM, COUNTER_WARN, "1", "IP fragments (not reassembled)") \
	X(rx_bad_addr, COUNTER_SUM, COUNTER_WARN, "1", \
		"broadcast, multicast or own source address") \
	X(rx_other, COUNTER_SUM, COUNTER_INFO, "1", "frames of protocols that we do not speak") \
	X(arp_answered, COUNTER_SUM, COUNTER_INFO, "1", "ARP replies sent") \
	X(arp_asked, COUNTER_SUM, COUNTER_INFO, "1", \
		"ARP requests sent, gratuitous ones included") \
	X(arp_learned, COUNTER_SUM, COUNTER_INFO, "1", "neighbour entries made or refreshed") \
	X(arp_full, COUNTER_SUM, COUNTER_ERROR, "1", \
		"neighbours refused because the table is full") \
	X(arp_bad, COUNTER_SUM, COUNTER_WARN, "1", "malformed ARP packets and impossible senders") \
	X(arp_conflict, COUNTER_SUM, COUNTER_ERROR, "1", \
		"another station claims one of our addresses") \
	X(icmp_echoed, COUNTER_SUM, COUNTER_INFO, "1", "ICMP echo replies sent") \
	X(icmp_unreachable, COUNTER_SUM, COUNTER_WARN, "1", \
		"ICMP destination unreachable messages for our flows") \
	X(icmp_ignored, COUNTER_SUM, COUNTER_INFO, "1", \
		"ICMP messages that we neither answer nor believe") \
	X(no_neighbour, COUNTER_SUM, COUNTER_WARN, "1", \
		"frames not sent because the next hop has no MAC address")

struct net_counters {
	NET_COUNTERS(COUNTER_FIELD)
};
extern const struct counter_desc net_counter_descs[];
extern const uint32_t net_n_counter_descs;

/**
 * Parse one frame. @param frame first buffer from the Ethernet header on, n_first bytes; @param
 * frag bytes of a second buffer that continue it, or n = 0: payload only, all headers must be in
 * the first. @param csum_good the port has verified IP and TCP checksums (an ICMP checksum is
 * always verified here). Counts into c, rx_frames and rx_bytes included. @return the kind, also
 * left in v->kind; nothing else of *v is valid after NET_KIND_DROP. For ARP and ICMP v->l3 points
 * behind the Ethernet header, v->len is the number of bytes there in the first buffer (for ICMP of
 * the datagram, without padding), and saddr, daddr and l4_off are set (0 for ARP).
 */
enum net_kind net_view_parse(struct net_view *v, const uint8_t *frame, uint32_t n_first,
	struct span frag, int csum_good, struct net_counters *c);

#ifdef __cplusplus
}
#endif
#endif
