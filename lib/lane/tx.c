/* SPDX-License-Identifier: BSD-3-Clause */
#include "lane_priv.h"

void
lane_ctl_push(
	struct lane *l, const struct net_tx *tx, uint32_t saddr, uint32_t daddr, uint16_t route)
{
	struct lane_ctl *ctl;

	if (l->ctl_head - l->ctl_tail == LANE_CTL) {
		l->c.lane.ctl_full++;
		return;
	}
	ctl = &l->ctl[l->ctl_head++ & (LANE_CTL - 1)];
	ctl->tx = *tx;
	ctl->tx.saddr = saddr;
	ctl->tx.daddr = daddr;
	ctl->route = route;
}

void
lane_conn_abort(struct lane *l, uint32_t x, uint64_t now)
{
	struct tcp_conn *c = &l->tcp.conn[x];
	struct tcp_seg seg;

	if (tcp_abort(&l->tcp, x, &seg))
		lane_ctl_push(l, &seg.tx, l->local[c->x_local], l->peer[c->x_peer].addr, c->route);
	lane_conn_over(l, x, TCP_NONE, now);
}

static void
frame_pad(struct lane_frame *f)
{
	if (f->len + f->body_len >= NET_FRAME_MIN)
		return;
	memset(f->buf + f->len, 0, NET_FRAME_MIN - f->len);
	f->len = NET_FRAME_MIN;
}

/** MAC addresses of a frame. @return -1 when the next hop has none (yet). */
static int
frame_link(struct lane *l, struct net_tx *tx, uint16_t route)
{
	const struct net_neigh *n = &l->host.neigh[route];

	if (unlikely_(!net_neigh_ready(n))) {
		l->c.net.no_neighbour++;
		return -1;
	}
	memcpy(tx->dmac, n->mac, 6);
	memcpy(tx->smac, l->host.iface[n->x_iface].mac, 6);
	tx->ttl = 64;
	return 0;
}

static int
ctl_write(struct lane *l, struct lane_ctl *ctl, struct lane_frame *f)
{
	if (frame_link(l, &ctl->tx, ctl->route) != 0)
		return 0;
	f->len = (uint16_t)net_frame_write(f->buf, &ctl->tx, 0, 0);
	f->body_len = 0;
	f->x_slot = AGENT_NONE;
	frame_pad(f);
	return 1;
}

static int
seg_write(struct lane *l, uint32_t x, struct tcp_seg *seg, struct lane_frame *f)
{
	const struct tcp_conn *c = &l->tcp.conn[x];
	uint32_t body_len = 0;
	uint32_t x_slot = AGENT_NONE;
	uint64_t sum = 0;
	uint32_t n = 0;
	uint32_t head;

	if (frame_link(l, &seg->tx, c->route) != 0)
		return 0;
	seg->tx.saddr = l->local[c->x_local];
	seg->tx.daddr = l->peer[c->x_peer].addr;
	head = net_frame_head_len(&seg->tx);
	if (seg->len > 0)
		n = agent_write(&l->agent, x, seg->off, seg->len, f->buf + head, &sum,
			l->cfg.zero_copy, &f->body, &body_len, &x_slot);
	else if (seg->tx.flags & NET_TCP_SYN)
		x_slot = agent_syn_slot(&l->agent, x);
	net_frame_write(f->buf, &seg->tx, seg->len, sum);
	f->len = (uint16_t)(head + n);
	f->body_len = (uint16_t)body_len;
	f->x_slot = x_slot;
	if (x_slot != AGENT_NONE)
		f->gen = l->agent.slot[x_slot].gen;
	frame_pad(f);
	return 1;
}

static uint32_t
ctl_write_all(struct lane *l, struct lane_frame *f, uint32_t n)
{
	uint32_t done = 0;

	while (l->n_arp > 0 && done < n) {
		l->n_arp--;
		memcpy(f[done].buf, l->arp + (size_t)l->n_arp * LANE_ARP_FRAME,
			l->arp_len[l->n_arp]);
		f[done].len = l->arp_len[l->n_arp];
		f[done].body_len = 0;
		f[done].x_slot = AGENT_NONE;
		done++;
	}
	while (l->ctl_tail != l->ctl_head && done < n)
		done += ctl_write(l, &l->ctl[l->ctl_tail++ & (LANE_CTL - 1)], &f[done]);
	return done;
}

/** Segments of one connection. @return frames written. */
static uint32_t
conn_write(struct lane *l, uint32_t x, struct lane_frame *f, uint32_t n, uint64_t now)
{
	struct tcp_seg seg[LANE_SEGS];
	uint32_t done = 0;
	uint32_t n_segs;

	n_segs = tcp_output(&l->tcp, x, now, 1, seg, n < LANE_SEGS ? n : LANE_SEGS);
	for (uint32_t i = 0; i < n_segs; i++)
		done += seg_write(l, x, &seg[i], &f[done]);
	return done;
}

uint32_t
lane_tx(struct lane *l, struct lane_frame *f, uint32_t n, uint64_t now)
{
	struct agent *a = &l->agent;
	uint32_t n_ready = a->ready_head - a->ready_tail;
	uint32_t done = ctl_write_all(l, f, n);

	while (n_ready-- > 0 && done < n) {
		uint32_t x = a->ready[a->ready_tail++ & a->ready_mask];

		if (!agent_ready_take(a, x))
			continue;
		if (unlikely_(a->conn[x].flags & AGENT_CONN_F_ABORT)) {
			lane_conn_abort(l, x, now);
			continue;
		}
		done += conn_write(l, x, &f[done], n - done, now);
		if (tcp_wants_output(&l->tcp, x))
			agent_ready(a, x); /* its turn comes again behind the others */
	}
	return done;
}

void
lane_sent(struct lane *l, const struct lane_frame *f, uint32_t n, uint64_t now)
{
	for (uint32_t i = 0; i < n; i++) {
		l->c.lane.tx_bytes += f[i].len + f[i].body_len;
		if (f[i].x_slot != AGENT_NONE)
			agent_sent(&l->agent, f[i].x_slot, f[i].gen, now);
	}
	l->c.lane.tx_frames += n;
}
