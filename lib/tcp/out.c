/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "tcp_priv.h"

/* Window field, and the right edge that it promises. */
static inline uint16_t
out_window(const struct tcp *t, struct tcp_conn *c)
{
	uint32_t edge;

	if (likely_(!(c->flags2 & TCP_CONN2_LOSS)))
		edge = c->rcv_nxt + tcp_rcv_space(t, c);
	else
		edge = tcp_rcv_edge(t, c);
	if (seq_lt(c->rcv_adv, edge))
		c->rcv_adv = edge;
	return (uint16_t)((c->rcv_adv - c->rcv_nxt) >> tcp_our_shift(c));
}

/* All that a segment of an established connection has in common; it acknowledges what there is. */
static inline void
out_head(const struct tcp *t, struct tcp_conn *c, struct tcp_seg *seg, uint32_t seq, uint32_t ts)
{
	struct net_tx *tx = &seg->tx;

	tx->sport = c->lport;
	tx->dport = c->pport;
	tx->seq = seq;
	tx->ack = c->rcv_nxt;
	tx->wnd = out_window(t, c);
	tx->flags = NET_TCP_ACK;
	tx->opts = 0;
	tx->n_sack = 0;
	if (c->flags & TCP_CONN_TS) {
		tx->opts = NET_OPT_TS;
		tx->ts_val = ts;
		tx->ts_ecr = c->ts_recent;
	}
	if (unlikely_(c->flags2 & TCP_CONN2_LOSS) && (c->flags & TCP_CONN_SACK))
		tx->n_sack = tcp_sack_blocks(t, c, tx->sack, c->flags & TCP_CONN_TS ? 3 : 4);
	seg->off = seq - c->iss - 1;
	seg->len = 0;
	c->flags &= (uint8_t)~TCP_CONN_ACK_NOW;
	c->last_ack_sent = c->rcv_nxt;
	c->ack_due = 0;
	c->n_unacked = 0;
}

/* SACK blocks take room from the payload (RFC 6691). */
static inline uint32_t
out_payload(const struct tcp_conn *c, const struct tcp_seg *seg, uint32_t len)
{
	uint32_t n_opts = seg->tx.n_sack != 0 ? 4u + 8u * seg->tx.n_sack : 0;

	return min_u32(len, c->mss > n_opts ? c->mss - n_opts : 1);
}

/* Book [seq, seq + n) as sent. */
static inline void
out_account(
	struct tcp *t, struct tcp_conn *c, uint32_t seq, uint32_t len, uint32_t n, uint32_t tick)
{
	struct tcp_counters *k = t->counters;

	k->data_segs_out += len != 0;
	if (likely_(seq == c->snd_max)) {
		k->bytes_out += len;
		if (!(c->flags2 & TCP_CONN2_RTT) && len != 0) {
			c->flags2 |= TCP_CONN2_RTT;
			c->rtt_seq = seq + len;
			c->rtt_tick = tick;
		}
	} else {
		uint32_t fresh = seq_lt(c->snd_max, seq + len) ? seq + len - c->snd_max : 0;

		k->rtx_segs++;
		k->rtx_bytes += len - fresh;
		k->bytes_out += fresh;
	}
	if (seq_lt(c->snd_max, seq + n))
		c->snd_max = seq + n;
}

static inline void
out_fin_sent(struct tcp_conn *c)
{
	if (c->state == TCP_ESTABLISHED)
		c->state = TCP_FIN_WAIT_1;
	else if (c->state == TCP_CLOSE_WAIT)
		c->state = TCP_LAST_ACK;
}

/* The segment [seq, seq + len) with PSH and FIN where the stream ends. @return its SEG.LEN. */
static inline uint32_t
out_data(struct tcp *t, struct tcp_conn *c, struct tcp_seg *seg, uint32_t seq, uint32_t len,
	uint64_t now_tsc)
{
	uint32_t n;

	out_head(t, c, seg, seq, c->flags & TCP_CONN_TS ? tcp_ts(t, now_tsc) : 0);
	len = out_payload(c, seg, len);
	n = len;
	seg->len = (uint16_t)len;
	if (seq + len == c->snd_end) {
		if (len != 0)
			seg->tx.flags |= NET_TCP_PSH;
		if (c->flags & TCP_CONN_END) {
			seg->tx.flags |= NET_TCP_FIN;
			n++;
			out_fin_sent(c);
		}
	}
	out_account(t, c, seq, len, n, tcp_tick(now_tsc));
	return n;
}

static void
out_ack(const struct tcp *t, struct tcp_conn *c, struct tcp_seg *seg, uint32_t seq,
	uint64_t now_tsc)
{
	out_head(t, c, seg, seq, tcp_ts(t, now_tsc));
}

/* SEQ of a segment without data: SND.MAX, but inside the window that the peer has now. */
static uint32_t
out_ack_seq(const struct tcp_conn *c)
{
	return c->snd_una + min_u32(c->snd_max - c->snd_una, c->snd_wnd);
}

static void
out_rst(struct tcp *t, const struct tcp_conn *c, struct tcp_seg *seg, uint32_t seq)
{
	memset(seg, 0, sizeof(*seg));
	seg->tx.sport = c->lport;
	seg->tx.dport = c->pport;
	seg->tx.seq = seq;
	seg->tx.flags = NET_TCP_RST;
	t->counters->rst_out++;
}

static void
out_syn(struct tcp *t, uint32_t x, struct tcp_conn *c, struct tcp_seg *seg, uint64_t now_tsc)
{
	int ack = c->state == TCP_SYN_RCVD;
	struct net_tx *tx = &seg->tx;

	out_head(t, c, seg, c->iss, 0);
	tx->flags = ack ? NET_TCP_SYN | NET_TCP_ACK : NET_TCP_SYN;
	tx->wnd = (uint16_t)min_u32(t->cfg.rcv_wnd, 0xffff);
	c->rcv_adv = c->rcv_nxt + tx->wnd;
	tx->ack = ack ? c->rcv_nxt : 0;
	tx->opts = NET_OPT_MSS;
	tx->mss = t->cfg.mss;
	tx->wscale = t->cfg.wscale;
	if (!ack || c->scales != 0)
		tx->opts |= NET_OPT_WSCALE;
	if (ack ? c->flags & TCP_CONN_SACK : t->cfg.sack)
		tx->opts |= NET_OPT_SACK_OK;
	if (ack ? c->flags & TCP_CONN_TS : t->cfg.timestamps) {
		tx->opts |= NET_OPT_TS;
		tx->ts_val = tcp_ts(t, now_tsc);
		tx->ts_ecr = c->ts_recent;
	}
	seg->off = 0;
	if (c->snd_max != c->iss) {
		t->counters->syn_rtx++;
	} else {
		c->flags2 |= TCP_CONN2_RTT;
		c->rtt_tick = tcp_tick(now_tsc);
	}
	c->snd_nxt = c->iss + 1;
	c->snd_max = c->snd_nxt;
	if (c->rto_due == 0)
		tcp_rto_set(t, x, c, tcp_tick(now_tsc), c->rto);
}

/* States without data: RST and SYN, the ACK that is the last word of a closed connection. */
static uint32_t
out_unsynchronised(struct tcp *t, uint32_t x, struct tcp_conn *c, uint64_t now_tsc,
	struct tcp_seg *seg, uint32_t n)
{
	uint32_t k = 0;

	if ((c->flags2 & TCP_CONN2_RST) && k < n) {
		c->flags2 &= (uint8_t)~TCP_CONN2_RST;
		out_rst(t, c, &seg[k++], c->snd_wl1);
	}
	if (c->state != TCP_CLOSED && c->snd_nxt == c->iss && k < n) {
		out_syn(t, x, c, &seg[k++], now_tsc);
	} else if ((c->flags & TCP_CONN_ACK_NOW) && k < n) {
		out_ack(t, c, &seg[k++], c->snd_max, now_tsc);
	}
	t->counters->segs_out += k;
	return k;
}

/* Probe a closed window: the FIN when nothing else is missing; a segment that the peer must answer,
 * one before SND.UNA; or what fits into a window that is too small to be worth it. */
static void
out_probe(struct tcp *t, struct tcp_conn *c, struct tcp_seg *seg, uint64_t now_tsc)
{
	uint32_t len = min_u32(min_u32(c->snd_wnd, c->mss), c->snd_end - c->snd_una);

	c->flags2 &= (uint8_t)~TCP_CONN2_PROBE;
	t->counters->persist_probes++;
	if (c->snd_una == c->snd_end || (len != 0 && c->snd_nxt == c->snd_una)) {
		len = out_data(t, c, seg, c->snd_una, len, now_tsc);
		if (seq_lt(c->snd_nxt, c->snd_una + len))
			c->snd_nxt = c->snd_una + len;
	} else {
		out_ack(t, c, seg, c->snd_una - 1, now_tsc);
	}
}

/* One segment again, at the first hole that is known, without going back. */
static int
out_fast(struct tcp *t, struct tcp_conn *c, struct tcp_seg *seg, uint64_t now_tsc)
{
	uint32_t seq = c->snd_una;
	uint32_t len = c->snd_end - c->snd_una;
	uint32_t edge;

	c->flags2 &= (uint8_t)~TCP_CONN2_FAST;
	tcp_sack_hole(t, c, &seq, &len);
	edge = c->snd_una + c->snd_wnd;
	if (seq == c->snd_max || seq_lt(edge, seq))
		return 0;
	len = min_u32(min_u32(len, c->mss), c->snd_end - seq);
	len = min_u32(len, edge - seq);
	if (len == 0 && seq != c->snd_end)
		return 0;
	len = out_data(t, c, seg, seq, len, now_tsc);
	if (c->flags2 & TCP_CONN2_LOSS)
		tcp_loss_of(t, c)->rtx_nxt = seq + len;
	c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
	return 1;
}

static uint32_t
out_special(struct tcp *t, struct tcp_conn *c, uint64_t now_tsc, int data_ok, struct tcp_seg *seg,
	uint32_t n)
{
	uint32_t k = 0;

	if ((c->flags2 & TCP_CONN2_PROBE) && k < n)
		out_probe(t, c, &seg[k++], now_tsc);
	if ((c->flags2 & TCP_CONN2_FAST) && data_ok && k < n)
		k += (uint32_t)out_fast(t, c, &seg[k], now_tsc);
	return k;
}

uint32_t
tcp_output(
	struct tcp *t, uint32_t x, uint64_t now_tsc, int data_ok, struct tcp_seg *seg, uint32_t n)
{
	struct tcp_conn *c = &t->conn[x];
	uint32_t tick = tcp_tick(now_tsc);
	int idle = c->snd_una == c->snd_max;
	uint32_t k = 0;

	if (unlikely_(c->state <= TCP_SYN_RCVD))
		return out_unsynchronised(t, x, c, now_tsc, seg, n);
	if (unlikely_(c->flags2 & (TCP_CONN2_PROBE | TCP_CONN2_FAST)))
		k = out_special(t, c, now_tsc, data_ok, seg, n);
	if (idle && c->cwnd > 2u * c->mss)
		tcp_cwnd_idle(t, c, tick);
	while (k < n) {
		uint32_t most = UINT32_MAX;
		uint32_t len;

		if (unlikely_(c->snd_nxt != c->snd_max) && (c->flags2 & TCP_CONN2_LOSS))
			most = tcp_sack_skip(t, c, most);
		len = min_u32(tcp_next_len(c), most);
		if (len != 0 ? !data_ok : !tcp_fin_next(c))
			break;
		c->snd_nxt += out_data(t, c, &seg[k++], c->snd_nxt, len, now_tsc);
	}
	if ((c->flags & TCP_CONN_ACK_NOW) && k < n)
		out_ack(t, c, &seg[k++], out_ack_seq(c), now_tsc);
	if (c->snd_una != c->snd_max) {
		if (c->rto_due == 0 || idle) /* idle: what runs is a persist timer */
			tcp_rto_set(t, x, c, tick, c->rto);
	} else if (unlikely_(c->snd_nxt != tcp_snd_all(c))) {
		tcp_persist_need(t, x, c, tick);
	}
	t->counters->segs_out += k;
	return k;
}

int
tcp_abort(struct tcp *t, uint32_t x, struct tcp_seg *seg)
{
	struct tcp_conn *c = &t->conn[x];
	uint8_t state = c->state;

	c->state = TCP_CLOSED;
	c->flags &= (uint8_t)~TCP_CONN_ACK_NOW;
	c->flags2 &= (uint8_t) ~(TCP_CONN2_FAST | TCP_CONN2_PROBE | TCP_CONN2_RST);
	c->rto_due = 0;
	c->ack_due = 0;
	c->app_due = 0;
	if (state == TCP_CLOSED || state == TCP_SYN_SENT || c->snd_max == c->iss)
		return 0;
	out_rst(t, c, seg, c->snd_max);
	seg->tx.flags |= NET_TCP_ACK;
	seg->tx.ack = c->rcv_nxt;
	seg->tx.wnd = 0;
	t->counters->segs_out++;
	return 1;
}

/* RFC 9293 section 3.10.7.1. */
int
tcp_stray_reply(struct tcp *t, const struct net_view *v, struct tcp_seg *seg)
{
	t->counters->stray_segs++;
	if (v->flags & NET_TCP_RST)
		return 0;
	if (!tcp_limiter_take(
		    &t->stray, (uint32_t)t->wheel.tick, t->ticks_per_ms / 10, TCP_STRAY_BURST)) {
		t->counters->stray_limited++;
		return 0;
	}
	memset(seg, 0, sizeof(*seg));
	seg->tx.saddr = v->daddr;
	seg->tx.daddr = v->saddr;
	seg->tx.sport = net_view_dport(v);
	seg->tx.dport = net_view_sport(v);
	seg->tx.flags = NET_TCP_RST;
	if (v->flags & NET_TCP_ACK) {
		seg->tx.seq = v->ack;
	} else {
		seg->tx.flags |= NET_TCP_ACK;
		seg->tx.ack = v->seq + net_view_seg_len(v);
	}
	t->counters->rst_out++;
	t->counters->segs_out++;
	return 1;
}
