/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The lane's struct, shared by lane/'s own files. Fields that another lcore touches stand on cache
 * lines of their own, marked with writer and reader.
 */
#ifndef LANE_PRIV_H
#define LANE_PRIV_H

#include "lane.h"
#include "net_flow.h"
#include "net_frame.h"

#define LANE_CTL 1024 /* control segments without a connection: power of two */
#define LANE_NEWS 64
#define LANE_PEERS_MAX 65536
#define LANE_SEEN 256 /* power of two */
#define LANE_SEGS 16 /* segments of one connection per visit */
#define LANE_CHORE_NS 1000000
#define LANE_ARP_RETRY_NS 200000000ULL
#define LANE_ARP_REFRESH_NS 5000000000ULL

/** The other end's address, interned. */
struct lane_peer {
	uint32_t addr;
	uint16_t route; /* index in host.neigh */
	uint16_t used;
};

/** Number of one of our addresses, by its low bits: found again without a search. */
struct lane_seen {
	uint32_t addr;
	uint32_t x_local;
};

struct lane_ctl {
	struct net_tx tx;
	uint16_t route;
};

struct lane {
	struct lane_config cfg;
	struct agent agent;
	struct tcp tcp;
	struct net_host host;
	struct net_flows flows; /* server */
	uint32_t *local; /* our addresses by number */
	uint16_t *local_port; /* server: port of the range that holds it */
	uint32_t n_locals;
	struct lane_seen seen[LANE_SEEN];
	struct lane_peer *peer;
	uint32_t n_peers;
	uint32_t *peer_hash; /* server: open addressing over peer[] */
	uint32_t peer_mask;
	struct lane_ctl *ctl;
	uint32_t ctl_head;
	uint32_t ctl_tail;
	struct lane_news news[LANE_NEWS];
	uint32_t n_news;
	uint8_t *arp; /* frames of ARP and ICMP that wait for a buffer: n_arp of LANE_ARP_FRAME */
	uint16_t arp_len[LANE_BURST];
	uint32_t n_arp;
	uint64_t announced; /* gratuitous ARPs sent so far */
	uint64_t chore_tsc;
	uint64_t chore_next;
	uint64_t arp_retry_tsc;
	uint64_t arp_refresh_tsc;
	uint32_t close_cursor;
	uint8_t state; /* enum lane_state */
	uint8_t tw_dropped;
	uint16_t mtu;
	struct cell_set cells[2];
	uint32_t x_cells; /* active */
	uint64_t snap_beg;
	uint16_t x_max[64]; /* indices of COUNTER_MAX values */
	uint32_t n_max;
	uint64_t stage_tsc[LANE_ST_N];
	struct lane_counters c CACHE_ALIGNED;
	/* writer: control; reader: lane */
	const struct lane_dial *dial_next CACHE_ALIGNED;
	/* writer: lane; reader: control */
	const struct lane_dial *dial_now CACHE_ALIGNED;
	struct lane_probe probe;
	struct lane_snap snap; /* line by line: see lane.h */
};

#define LANE_ARP_FRAME 1536

/* rx.c */
/** Connection x is over: last words, settle, demultiplexing, block back. */
void lane_conn_over(struct lane *l, uint32_t x, uint32_t x_tw, uint64_t now);
/** After events of connection x. */
void lane_after(struct lane *l, uint32_t x, const struct tcp_result *res, uint64_t now);
/** TIME-WAIT entries that are over: clear their demultiplexing. */
void lane_tw_expire(struct lane *l, uint64_t now);
void lane_tw_drop_all(struct lane *l);

/* tx.c */
/** Queue a segment without payload for an address; counted ctl_full when it is lost. */
void lane_ctl_push(
	struct lane *l, const struct net_tx *tx, uint32_t saddr, uint32_t daddr, uint16_t route);
/** Reset connection x. */
void lane_conn_abort(struct lane *l, uint32_t x, uint64_t now);

/* peer.c */
/** Number of a peer address, interned when new. AGENT_NONE: table full or no route. */
uint32_t lane_peer_of(struct lane *l, uint32_t addr);

#endif
