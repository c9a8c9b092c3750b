/* SPDX-License-Identifier: BSD-3-Clause */
#include "floor.h"
#include "base_bytes.h"
#include "base_tick.h"
#include "port_eth.h"
#include "port_mem.h"
#include <errno.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BURST 64 /* as LANE_BURST */
#define RING 1024 /* as loop's */
#define WINDOW 512 /* split: transactions in flight */
#define POOL 4095
#define HEAD 66 /* Ethernet, IPv4, TCP with timestamps */
#define THROWS 64
#define SPINS 1024 /* looks at a cache line between two looks at the clock */

/* Two ends and what joins them: what `a` sends on queue i, `b` receives on queue i, and back. */
struct wire {
	struct port a;
	struct port b;
	struct rte_ring *ring[2 * PORT_QUEUES_MAX];
};

struct floor_worker {
	struct rte_mempool *pool;
	uint64_t sum; /* of what was read, so that it is read */
	uint32_t n_flying;
	uint32_t n_ping;
} CACHE_ALIGNED;

struct floor {
	struct wire lanes;
	struct wire split;
	uint32_t n_workers;
	uint8_t head[HEAD];
	struct floor_worker worker[PORT_QUEUES_MAX];
	struct {
		/* writer: worker of the first half */
		uint32_t ping CACHE_ALIGNED;
		/* writer: its partner */
		uint32_t pong CACHE_ALIGNED;
	} line[PORT_QUEUES_MAX / 2] CACHE_ALIGNED;
};

static inline uint32_t
buffers_take(struct floor *f, struct floor_worker *w, struct rte_mbuf **m, uint32_t n)
{
	if (rte_pktmbuf_alloc_bulk(w->pool, m, n) != 0)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		memcpy(rte_pktmbuf_mtod(m[i], void *), f->head, HEAD);
		m[i]->data_len = HEAD;
		m[i]->pkt_len = HEAD;
	}
	return n;
}

static inline void
buffers_give(struct floor_worker *w, struct rte_mbuf **m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		rte_prefetch0(rte_pktmbuf_mtod(m[i], void *));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t v[HEAD / 8];

		memcpy(v, rte_pktmbuf_mtod(m[i], void *), sizeof(v));
		for (uint32_t k = 0; k < HEAD / 8; k++)
			w->sum += v[k];
	}
	rte_pktmbuf_free_bulk(m, n);
}

/* The rings hold more than can be in flight: what is sent is taken. */
static inline uint32_t
frames_send(struct floor *f, struct floor_worker *w, uint16_t port, uint16_t queue, uint32_t n)
{
	struct rte_mbuf *m[BURST];
	uint32_t done;

	if (n == 0)
		return 0;
	n = buffers_take(f, w, m, n);
	done = rte_eth_tx_burst(port, queue, m, (uint16_t)n);
	if (unlikely_(done < n))
		rte_pktmbuf_free_bulk(m + done, n - done);
	return done;
}

static inline uint32_t
receive(struct floor_worker *w, uint16_t port, uint16_t queue)
{
	struct rte_mbuf *m[BURST];
	uint32_t n = rte_eth_rx_burst(port, queue, m, BURST);

	if (n != 0)
		buffers_give(w, m, n);
	return n;
}

uint32_t
floor_lanes(struct floor *f, uint32_t x)
{
	struct floor_worker *w = &f->worker[x];
	uint16_t q = (uint16_t)x;

	frames_send(f, w, f->lanes.a.id, q, BURST);
	frames_send(f, w, f->lanes.b.id, q, receive(w, f->lanes.b.id, q));
	return receive(w, f->lanes.a.id, q);
}

uint32_t
floor_split(struct floor *f, uint32_t x)
{
	struct floor_worker *w = &f->worker[x];
	uint32_t half = f->n_workers / 2;
	uint32_t n;

	if (x >= half) {
		uint16_t q = (uint16_t)(x - half);

		if (q < half)
			frames_send(f, w, f->split.b.id, q, receive(w, f->split.b.id, q));
		return 0;
	}
	n = receive(w, f->split.a.id, (uint16_t)x);
	w->n_flying -= n;
	if (w->n_flying + BURST <= WINDOW)
		w->n_flying += frames_send(f, w, f->split.a.id, (uint16_t)x, BURST);
	return n;
}

static bool
line_await(const uint32_t *line, uint32_t value, uint64_t end_tsc)
{
	for (;;) {
		for (uint32_t i = 0; i < SPINS; i++)
			if (__atomic_load_n(line, __ATOMIC_ACQUIRE) == value)
				return true;
		if (tick_now() >= end_tsc)
			return false;
	}
}

static void
pong(struct floor *f, uint32_t x, uint64_t end_tsc)
{
	uint32_t seen = __atomic_load_n(&f->line[x].pong, __ATOMIC_RELAXED);

	while (line_await(&f->line[x].ping, seen + 1, end_tsc))
		__atomic_store_n(&f->line[x].pong, ++seen, __ATOMIC_RELEASE);
}

uint64_t
floor_ping(struct floor *f, uint32_t x, uint64_t end_tsc)
{
	uint32_t half = f->n_workers / 2;
	struct floor_worker *w = &f->worker[x];
	uint64_t best = 0;

	if (x >= half) {
		if (x - half < half)
			pong(f, x - half, end_tsc);
		return 0;
	}
	while (tick_now() < end_tsc) {
		uint64_t beg = tick_now();
		uint64_t each;

		for (uint32_t i = 0; i < THROWS; i++) {
			/* What the last slice left unanswered is answered first. */
			if (!line_await(&f->line[x].pong, w->n_ping, end_tsc))
				return best;
			__atomic_store_n(&f->line[x].ping, ++w->n_ping, __ATOMIC_RELEASE);
		}
		each = (tick_now() - beg) / THROWS / 2;
		if (best == 0 || each < best)
			best = each;
	}
	return best;
}

static int
end_open(const char *name, struct rte_ring **rx, struct rte_ring **tx, uint16_t n,
	struct rte_mempool *const *pool, struct port *p, struct err *e)
{
	int id = rte_eth_from_rings(name, rx, n, tx, n, 0);
	int rc;

	if (id < 0)
		return err_setup(e, rte_errno, "ring port", name, "%s", rte_strerror(rte_errno));
	rc = port_open(p, (uint16_t)id, e);
	return rc != 0 ? rc : port_start(p, n, pool, 1, e);
}

static int
wire_open(struct wire *w, const char *name, uint16_t n, struct rte_mempool *const *pool,
	struct err *e)
{
	char text[32];
	int rc;

	for (uint16_t i = 0; i < 2 * n; i++) {
		snprintf(text, sizeof(text), "%s_%u", name, i);
		w->ring[i] =
			rte_ring_create(text, RING, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
		if (w->ring[i] == NULL)
			return err_setup(e, rte_errno, "ring", text, "%s", rte_strerror(rte_errno));
	}
	snprintf(text, sizeof(text), "%s_a", name);
	rc = end_open(text, w->ring + n, w->ring, n, pool, &w->a, e);
	snprintf(text, sizeof(text), "%s_b", name);
	return rc != 0 ? rc : end_open(text, w->ring, w->ring + n, n, pool, &w->b, e);
}

static int
parts_make(struct floor *f, struct err *e)
{
	struct rte_mempool *pool[PORT_QUEUES_MAX];
	char name[32];
	int rc;

	for (uint32_t i = 0; i < f->n_workers; i++) {
		snprintf(name, sizeof(name), "floor_%u", i);
		pool[i] = port_pool_packets(name, POOL, PORT_LAYOUT_COMPACT, SOCKET_ID_ANY, e);
		if (pool[i] == NULL)
			return -1;
		f->worker[i].pool = pool[i];
	}
	rc = wire_open(&f->lanes, "floor_lanes", (uint16_t)f->n_workers, pool, e);
	if (rc == 0 && f->n_workers > 1)
		rc = wire_open(&f->split, "floor_split", (uint16_t)(f->n_workers / 2), pool, e);
	return rc;
}

struct floor *
floor_new(uint32_t n_workers, struct err *e)
{
	struct floor *f;

	if (n_workers > PORT_QUEUES_MAX) {
		err_usage(e, "workers", NULL, "at most %d", PORT_QUEUES_MAX);
		return NULL;
	}
	f = aligned_alloc(CACHE_LINE, sizeof(*f));
	if (f == NULL) {
		err_setup(e, ENOMEM, "memory", NULL, "not granted");
		return NULL;
	}
	memset(f, 0, sizeof(*f));
	f->n_workers = n_workers;
	if (parts_make(f, e) != 0) {
		free(f);
		return NULL;
	}
	return f;
}

void
floor_free(struct floor *f)
{
	port_stop(&f->lanes.a);
	port_stop(&f->lanes.b);
	if (f->n_workers > 1) {
		port_stop(&f->split.a);
		port_stop(&f->split.b);
	}
	free(f);
}
