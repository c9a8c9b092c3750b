/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Demultiplexing. Client: an array indexed by (number of the local address, local port of this
 * lane) holds a connection slot, a TIME-WAIT mark or nothing, and doubles as the port allocator.
 * Server: 64-byte buckets of 8 x {tag, slot}, two choices; the caller compares the whole tuple.
 *
 * A lane owns the client ports p with p % n_lanes == x_lane, in both roles (for a server: the
 * peer's port), so that the owner of a tuple is computable by every worker.
 *
 * OWNER only; memory from the lane's arena.
 */
#ifndef NET_FLOW_H
#define NET_FLOW_H

#include "base_arena.h"
#include "base_bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slots of connections are below NET_FLOW_TIMEWAIT. */
#define NET_FLOW_NONE UINT32_MAX
#define NET_FLOW_TIMEWAIT 0x80000000u /* | index of the TIME-WAIT entry */
#define NET_PORT_LO 1024
#define NET_PORT_HI 65535

/** Client side. */
struct net_ports {
	uint32_t *slot; /* [x_local * ports_per_addr + x_port] */
	uint32_t *cursor; /* [x_local] round robin position */
	uint32_t n_locals;
	uint32_t ports_per_addr;
	uint16_t lo;
	uint16_t hi;
	uint16_t x_lane;
	uint16_t n_lanes;
	uint16_t first; /* first port >= lo of this lane */
};

/** Ports lo..hi of this lane for each of n_locals addresses, all free; 1 <= lo <= hi, x_lane <
 * n_lanes. With an arena that only measures, nothing but the sizes is usable. */
void net_ports_init(struct net_ports *p, uint32_t n_locals, uint16_t lo, uint16_t hi,
	uint16_t x_lane, uint16_t n_lanes, struct arena *a);

/** Entry of (local address number, port), NULL when the port is not this lane's or not in range. */
static inline uint32_t *
net_ports_entry(const struct net_ports *p, uint32_t x_local, uint16_t port)
{
	uint32_t d = (uint32_t)port - p->first;

	if (unlikely_(port < p->first || port > p->hi || d % p->n_lanes != 0 ||
		      x_local >= p->n_locals))
		return NULL;
	return &p->slot[(size_t)x_local * p->ports_per_addr + d / p->n_lanes];
}

/**
 * Next free port of a local address, round robin, entry set to `slot`. Entries marked TIME-WAIT are
 * skipped unless reuse != 0. Looks at up to 64 entries per call. @return the port, 0 = none found.
 * *tw gets the TIME-WAIT index that was reused, else NET_FLOW_NONE.
 */
uint16_t net_ports_take(
	struct net_ports *p, uint32_t x_local, uint32_t slot, int reuse, uint32_t *tw);

/** Server side: hash of (local addr, peer addr, local port, peer port). */
struct net_flow_bucket {
	uint16_t tag[8];
	uint32_t slot[8];
	uint8_t used; /* bit i: entry i is taken */
	uint8_t pad[15];
} CACHE_ALIGNED;

struct net_flows {
	struct net_flow_bucket *bucket;
	uint32_t mask; /* buckets - 1 */
	uint32_t n;
	uint64_t n_full; /* inserts that found both buckets full */
};

/** Empty tables for n_flows_max flows, the peer's TIME-WAIT entries included. */
void net_flows_init(struct net_flows *f, uint32_t n_flows_max, struct arena *a);

static inline uint64_t
net_flow_hash(uint32_t laddr, uint32_t paddr, uint16_t lport, uint16_t pport)
{
	uint64_t a = ((uint64_t)laddr << 32 | paddr) * 0x9e3779b97f4a7c15ULL;
	uint64_t b = ((uint64_t)lport << 16 | pport) * 0xbf58476d1ce4e5b9ULL;

	a ^= b;
	a ^= a >> 29;
	a *= 0x94d049bb133111ebULL;
	return a ^ (a >> 32);
}

/** Both buckets of the hash; a burst's prefetches go before its look-ups. */
void net_flows_prefetch(const struct net_flows *f, uint64_t hash);
/** Candidates with the hash's tag: call with *it = 0 first. @return slot or NET_FLOW_NONE at the
 * end. The caller compares the tuple (slots may carry NET_FLOW_TIMEWAIT). */
uint32_t net_flows_next(const struct net_flows *f, uint64_t hash, uint32_t *it);
/** @return 0, or -1 when both buckets are full (counted). */
int net_flows_add(struct net_flows *f, uint64_t hash, uint32_t slot);
/** Change or remove the entry that holds exactly old_slot. @return 0 or -1 when absent. */
int net_flows_set(struct net_flows *f, uint64_t hash, uint32_t old_slot, uint32_t new_slot);
int net_flows_del(struct net_flows *f, uint64_t hash, uint32_t slot);

#ifdef __cplusplus
}
#endif
#endif
