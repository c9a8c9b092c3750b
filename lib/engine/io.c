/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts: mbuf <-> frame. A worker keeps received buffers that nobody else owns and builds what it
 * sends in these first: they are warm, and the pools are left alone. OWNER. */
#include "engine_priv.h"
#include <rte_ethdev.h>

static bool
is_body(const struct rte_mbuf *m)
{
	return (m->ol_flags & RTE_MBUF_F_EXTERNAL) != 0;
}

void
engine_io_free_now(struct worker *w)
{
	if (w->n_free != 0)
		rte_pktmbuf_free_bulk(w->to_free, w->n_free);
	w->n_free = 0;
}

static inline void
free_later(struct worker *w, struct rte_mbuf *m)
{
	if (w->n_free == ARRAY_LEN(w->to_free))
		engine_io_free_now(w);
	w->to_free[w->n_free++] = m;
}

/* All segments of a frame that is done with: kept for sending, or freed with the burst. */
void
engine_io_recycle(struct worker *w, struct rte_mbuf *m)
{
	while (m != NULL) {
		struct rte_mbuf *next = m->next;

		m->next = NULL;
		m->nb_segs = 1;
		if (rte_mbuf_refcnt_read(m) != 1) {
			free_later(w, m);
		} else if (is_body(m)) {
			if (w->n_bodies < ENGINE_STASH && rte_pktmbuf_priv_size(m->pool) != 0)
				w->bodies[w->n_bodies++] = m;
			else
				free_later(w, m);
		} else if (w->n_stash < ENGINE_STASH && RTE_MBUF_DIRECT(m) &&
			   m->buf_len >= RTE_PKTMBUF_HEADROOM + PORT_DATA_ROOM) {
			w->stash[w->n_stash++] = m;
		} else {
			free_later(w, m);
		}
		m = next;
	}
}

/* @return 0 when the frame does not fit two spans and could not be made to. */
static inline int
in_fill(struct engine_lane *l, struct lane_in *in, struct rte_mbuf *m, int redirected)
{
	const uint64_t good = RTE_MBUF_F_RX_L4_CKSUM_GOOD | RTE_MBUF_F_RX_IP_CKSUM_GOOD;

	if (unlikely_(m->nb_segs > 2)) {
		l->count->port.rx_linearised++;
		if (rte_pktmbuf_linearize(m) != 0) {
			l->own_rx_errors++;
			return 0;
		}
	}
	in->frame = rte_pktmbuf_mtod(m, const uint8_t *);
	in->len = m->data_len;
	in->frag.p = NULL;
	in->frag.n = 0;
	if (m->next != NULL) {
		in->frag.p = rte_pktmbuf_mtod(m->next, const uint8_t *);
		in->frag.n = m->next->data_len;
	}
	in->csum_good = l->csum_rx && (m->ol_flags & good) == good;
	in->redirected = (uint8_t)redirected;
	in->owner = (uint8_t)l->x_lane;
	return 1;
}

/* One frame that came through the news ring. */
void
engine_io_take(struct worker *w, struct engine_lane *l, struct rte_mbuf *m, int redirected)
{
	struct lane_in in;

	if (in_fill(l, &in, m, redirected))
		lane_rx(l->lane, &in, 1, w->now);
	engine_io_recycle(w, m);
}

static void
capture_burst(struct worker *w, struct rte_mbuf **m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		engine_capture_frame(w->eng->capture, w->x, m[i], w->now);
}

uint32_t
engine_io_receive(struct worker *w, struct engine_lane *l)
{
	uint32_t n = rte_eth_rx_burst(l->port_id, l->queue, l->rx, LANE_BURST);
	uint32_t k = 0;

	w->now = tick_now();
	if (n == 0)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		rte_prefetch0(rte_pktmbuf_mtod(l->rx[i], void *));
	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *m = l->rx[i];

		if (likely_(in_fill(l, &l->in[k], m, 0)))
			l->rx[k++] = m;
		else
			engine_io_recycle(w, m);
	}
	if (unlikely_(w->eng->capture != NULL))
		capture_burst(w, l->rx, k);
	lane_rx(l->lane, l->in, k, w->now);
	for (uint32_t i = 0; i < k; i++) {
		if (likely_(l->in[i].owner == l->x_lane))
			engine_io_recycle(w, l->rx[i]);
		else
			engine_news_redirect(w, l, l->rx[i], l->in[i].owner);
	}
	engine_io_free_now(w);
	return n;
}

static void
body_done(void *addr, void *opaque)
{
	/* The pattern lives for the whole run. */
}

/* At least one burst of body buffers; each keeps its own shared info: no count that cores share. */
static bool
bodies_fill(struct worker *w, struct engine_lane *l)
{
	struct rte_mbuf *m[LANE_BURST];

	if (w->n_bodies >= LANE_BURST)
		return true;
	if (rte_mempool_get_bulk(w->body_pool, (void **)m, LANE_BURST) != 0) {
		l->count->port.mbuf_empty++;
		return false;
	}
	for (uint32_t i = 0; i < LANE_BURST; i++) {
		struct rte_mbuf_ext_shared_info *si = rte_mbuf_to_priv(m[i]);

		si->free_cb = body_done;
		si->fcb_opaque = NULL;
		rte_mbuf_ext_refcnt_set(si, 1);
		rte_pktmbuf_reset(m[i]);
		rte_pktmbuf_attach_extbuf(m[i], (void *)(uintptr_t)w->eng->body->text,
			w->eng->body_iova, BODY_TAIL, si);
		w->bodies[w->n_bodies++] = m[i];
	}
	return true;
}

/* Give a buffer to each frame that has none. @return frames that can be written. */
static uint32_t
heads_fill(struct worker *w, struct engine_lane *l)
{
	while (l->x_hole < l->n_hole) {
		struct rte_mbuf *m;

		if (w->n_stash != 0) {
			m = w->stash[--w->n_stash];
		} else {
			m = rte_pktmbuf_alloc(w->tx_pool);
			if (m == NULL) {
				l->count->port.mbuf_empty++;
				return l->x_hole;
			}
		}
		m->data_off = RTE_PKTMBUF_HEADROOM;
		l->tx[l->x_hole] = m;
		l->f[l->x_hole++].buf = rte_pktmbuf_mtod(m, uint8_t *);
	}
	return LANE_BURST;
}

static void
body_append(struct worker *w, struct rte_mbuf *m, const struct lane_frame *f)
{
	struct rte_mbuf *b = w->bodies[--w->n_bodies];

	b->buf_addr = (void *)(uintptr_t)f->body;
	b->buf_iova = w->eng->body_iova + (uint64_t)(f->body - w->eng->body->text);
	b->data_off = 0;
	b->data_len = f->body_len;
	b->pkt_len = f->body_len;
	b->buf_len = f->body_len;
	m->next = b;
	m->nb_segs = 2;
	m->pkt_len += f->body_len;
}

static void
frames_build(struct worker *w, struct engine_lane *l, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *m = l->tx[i];
		const struct lane_frame *f = &l->f[i];

		m->data_len = f->len;
		m->pkt_len = f->len;
		m->ol_flags = 0;
		m->nb_segs = 1;
		m->next = NULL;
		if (f->body_len != 0)
			body_append(w, m, f);
	}
	if (unlikely_(w->eng->capture != NULL && !l->port->ring))
		capture_burst(w, l->tx, n);
}

/* The peer process is away: what waits is given up, so that the lane's clock goes on. */
static void
pending_drop(struct worker *w, struct engine_lane *l)
{
	uint32_t n = l->n_pend - l->x_pend;

	for (uint32_t i = l->x_pend; i < l->n_pend; i++)
		engine_io_recycle(w, l->tx[i]);
	engine_io_free_now(w);
	lane_sent(l->lane, l->f + l->x_pend, n, w->now);
	if (__atomic_load_n(&w->eng->link_down, __ATOMIC_RELAXED))
		l->count->port.tx_no_peer += n;
	else
		l->count->port.tx_dropped += n;
	l->x_pend = l->n_pend = 0;
}

/* What the port refuses waits at the head: at most one burst. */
static uint32_t
pending_push(struct worker *w, struct engine_lane *l)
{
	uint32_t n = rte_eth_tx_burst(
		l->port_id, l->queue, l->tx + l->x_pend, (uint16_t)(l->n_pend - l->x_pend));

	w->now = tick_now();
	if (n != 0)
		lane_sent(l->lane, l->f + l->x_pend, n, w->now);
	l->x_pend += n;
	if (l->x_pend == l->n_pend)
		l->x_pend = l->n_pend = 0;
	else if (__atomic_load_n(&w->eng->link_down, __ATOMIC_RELAXED))
		pending_drop(w, l);
	return n;
}

uint32_t
engine_io_send(struct worker *w, struct engine_lane *l)
{
	uint32_t room, n, sent;

	if (unlikely_(l->n_pend != 0)) {
		n = pending_push(w, l);
		if (l->n_pend != 0)
			return n;
	}
	room = heads_fill(w, l);
	if (l->zero_copy && !bodies_fill(w, l))
		room = RTE_MIN(room, w->n_bodies);
	if (unlikely_(room == 0))
		return 0;
	n = lane_tx(l->lane, l->f, room, w->now);
	if (n == 0)
		return 0;
	frames_build(w, l, n);
	/* Slots [0, n) are the port's from now on; those behind keep their buffers. */
	l->x_hole = 0;
	l->n_hole = n;
	l->x_pend = 0;
	l->n_pend = n;
	sent = pending_push(w, l);
	if (unlikely_(l->n_pend != 0))
		l->count->port.tx_refused += n - sent;
	return n;
}

void
engine_io_flush_stash(struct worker *w)
{
	for (uint32_t i = 0; i < w->n_bodies; i++)
		free_later(w, w->bodies[i]);
	for (uint32_t i = 0; i < w->n_stash; i++)
		free_later(w, w->stash[i]);
	w->n_bodies = w->n_stash = 0;
	engine_io_free_now(w);
}

/* The end: what waits is given up, what comes in is dropped, buffers go home. */
void
engine_io_flush(struct worker *w, struct engine_lane *l)
{
	uint32_t n;

	if (l->n_pend != 0)
		pending_drop(w, l);
	for (uint32_t i = 0; i < LANE_BURST; i++)
		if (i < l->x_hole || i >= l->n_hole)
			free_later(w, l->tx[i]);
	l->x_hole = 0;
	l->n_hole = LANE_BURST;
	do {
		n = rte_eth_rx_burst(l->port_id, l->queue, l->rx, LANE_BURST);
		for (uint32_t i = 0; i < n; i++)
			engine_io_recycle(w, l->rx[i]);
		engine_io_free_now(w);
	} while (n != 0);
}
