/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * DPDK ports: ring pairs of this process, memif to another one, and whatever EAL found; set-up by
 * the driver's profile, what was granted is said. Bursts are the engine's (rte_eth_rx_burst).
 * INIT, except port_link() (CTL) and port_totals_read() (OWNER of queue 0).
 */
#ifndef PORT_ETH_H
#define PORT_ETH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base_err.h"
#include "port_profile.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PORT_QUEUES_MAX 64

struct rte_mempool;

struct port {
	uint16_t id;
	uint16_t n_queues; /* receive and transmit */
	uint16_t max_queues;
	uint8_t zero_copy; /* takes frames of two buffers */
	uint8_t csum_rx; /* checksum flags of received frames can be trusted */
	uint8_t honest; /* reports the frames that it dropped */
	uint8_t ring; /* a ring pair of this process: buffers go through it */
	uint8_t started;
	uint8_t mac[6];
	uint16_t mtu;
	uint16_t rx_ring;
	uint16_t tx_ring;
	uint32_t link_mbit;
	char driver[32];
	char said[256]; /* what was asked and not granted; empty: nothing */
	struct port_profile profile;
};

/** Read what the device is; nothing is changed. @return 0, or -ENODEV with *e filled. */
int port_open(struct port *p, uint16_t id, struct err *e);

/** Configure n queues and start. @param pool receive pool of each queue. */
int port_start(struct port *p, uint16_t n_queues, struct rte_mempool *const *pool, uint32_t n_macs,
	struct err *e);
void port_stop(struct port *p);

/** Wait for the link, at most ms; a memif client asks again now and then. @return true when up. */
bool port_connect(const struct port *p, uint32_t ms);
/** True when the link is up now. */
bool port_link(const struct port *p);

/** Two ports joined by n ring pairs: what `a` sends on queue i, `b` receives on queue i, and back.
 * @param missteer what comes back is one queue off, for tests of the hand-over. */
int port_rings_new(
	uint16_t n, uint32_t size, bool missteer, struct port *a, struct port *b, struct err *e);

/** Device text of our memif for this user. server: creates the socket; stale ones are removed.
 * @param path socket path, out. @return 0 or -errno. */
int port_memif_vdev(
	bool server, char *vdev, size_t size, char *path, size_t path_size, struct err *e);
/** Server, once it knows: how many queues a client must have. A client with fewer would crash a
 * server that had one with more before (driver of 22.11). */
void port_memif_advertise(const char *path, uint32_t n_queues);
/** Client: wait until a server listens there. @return its number of queues; -ECONNREFUSED with *e
 * filled. */
int port_memif_wait(const char *path, uint32_t ms, struct err *e);
/** Server, at the end. */
void port_memif_remove(const char *path);

/** What to call before memory that a worker may still read is unmapped: returns when every worker
 * has begun a burst of its own anew. NULL: nothing. Set while workers run; called on any thread. */
void port_memif_guard(void (*wait)(void *arg), void *arg);

/** Totals that the device itself counts. */
struct port_totals {
	uint64_t rx_missed;
	uint64_t rx_no_mbuf;
	uint64_t rx_errors;
	uint64_t tx_errors;
};
void port_totals_read(const struct port *p, struct port_totals *t);

#ifdef __cplusplus
}
#endif
#endif
