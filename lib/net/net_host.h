/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The link side of a lane: interfaces, next hops, ARP (RFC 826) and ICMP echo (RFC 792). Answers
 * for every emulated address; learns; asks; announces. Frames to send are written into the caller's
 * buffers. One per lane, OWNER only; what one lane learns reaches the others as news.
 */
#ifndef NET_HOST_H
#define NET_HOST_H

#include "net_addr.h"
#include "net_view.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NET_IFACE_MAX 8
#define NET_NEIGH_MAX 4096 /* entries; a full table refuses new ones, counted by arp_full */
#define NET_FRAME_MIN 60
#define NET_ICMP_FRAG_NEEDED 4 /* code of "destination unreachable" (RFC 1191) */

/** One interface of a port: our prefix on the link and the gateway. Host order. */
struct net_iface {
	uint32_t addr; /* an address of ours on the link: sender of ARP requests */
	uint8_t prefix; /* 0..32 */
	uint32_t gw; /* 0: none */
	uint8_t mac[6]; /* ours */
	uint8_t gw_mac[6]; /* all zero: resolve */
	uint16_t mtu;
};

enum net_neigh_state {
	NET_NEIGH_FREE,
	NET_NEIGH_ASKED,
	NET_NEIGH_KNOWN,
	NET_NEIGH_STATIC, /* gw_mac: never asked */
};

struct net_neigh {
	uint32_t addr;
	uint8_t mac[6];
	uint8_t state;
	uint8_t n_tries;
	uint8_t x_iface;
	uint8_t used; /* a route led here: to be refreshed */
	uint64_t asked_tsc; /* last request */
	uint64_t seen_tsc; /* last answer */
};

struct net_host {
	struct net_iface iface[NET_IFACE_MAX];
	uint32_t n_ifaces;
	struct net_range own[NET_IFACE_MAX * 4]; /* emulated addresses: answered by ARP and ping */
	uint32_t n_own;
	struct net_neigh *neigh; /* open addressing, capacity a power of two */
	uint32_t cap_neigh;
	uint32_t n_neigh;
	uint32_t x_poll; /* where net_host_poll() goes on */
	uint64_t due_tsc; /* no request is due before; 0: not known */
	uint8_t shared; /* rings, memif: the other end may emulate the same addresses as we do
			 * (127.0.0.1 on both), so that a claim of ours is not a conflict */
	struct net_counters *counters;
};

/** Empty table, no interfaces, no addresses: the caller fills iface, own and their counts.
 * @param cap_neigh a power of two; 7/8 of it can be used from 8 on. @param memory
 * net_host_memory() bytes. */
void net_host_init(struct net_host *h, uint32_t cap_neigh, struct net_counters *c, void *memory);
static inline size_t
net_host_memory(uint32_t cap_neigh)
{
	return sizeof(struct net_neigh) * cap_neigh;
}

/** Next hop for a destination: on-link by prefix, else the gateway of an interface. @return
 * neighbour index (entry made if new), or -1: no route (-ENETUNREACH sense), -2: table full. */
int net_host_route(struct net_host *h, uint32_t daddr);

/** True when that neighbour has a MAC address. */
static inline int
net_neigh_ready(const struct net_neigh *n)
{
	return n->state >= NET_NEIGH_KNOWN;
}

/** True when addr is one of ours: in a range, or an interface's. */
int net_host_owns(const struct net_host *h, uint32_t addr);

/** Handle a received ARP frame or ICMP message (view as parsed). Writes at most one reply frame.
 * @param out NET reply buffer of cap bytes. @return bytes of the reply, 0 = none. *x_learned gets
 * the neighbour that was learned, changed or confirmed, else -1 (to be told to other lanes, whose
 * requests are answered on this lane's queue). An ICMP
 * destination unreachable that quotes a TCP segment of ours is returned in *quoted (kind =
 * NET_KIND_TCP, addresses and ports as in the quoted segment, seq filled) and `code` of it. */
struct net_icmp_error {
	int valid;
	uint8_t type;
	uint8_t code;
	uint16_t mtu;
	uint32_t saddr;
	uint32_t daddr;
	uint16_t sport;
	uint16_t dport;
	uint32_t seq;
};
uint32_t net_host_input(struct net_host *h, const struct net_view *v, const uint8_t *frame,
	uint32_t frame_len, uint64_t now_tsc, uint8_t *out, uint32_t cap, int *x_learned,
	struct net_icmp_error *icmp);

/** What another lane learned; ignored for a static neighbour or when the table is full (counted).
 */
void net_host_learn(struct net_host *h, uint32_t addr, const uint8_t mac[6], uint64_t now_tsc);

/**
 * Next ARP request that is due, if any: unresolved neighbours each `retry`, known ones that we use
 * refreshed (unicast) each `refresh`; without an answer again each `retry`, from the 4th time by
 * broadcast, while the old MAC stays in use. Both times are constants of a host. Call until it
 * returns 0. @return frame bytes written (NET_FRAME_MIN), 0 = nothing due.
 */
uint32_t net_host_poll(struct net_host *h, uint64_t now_tsc, uint64_t retry_tsc,
	uint64_t refresh_tsc, uint8_t *out, uint32_t cap);

/** Gratuitous ARP for own address number i over all ranges, then interface addresses outside of
 * them.
 * @return bytes, 0 = past the last. */
uint32_t net_host_announce(struct net_host *h, uint64_t i, uint8_t *out, uint32_t cap);

#ifdef __cplusplus
}
#endif
#endif
