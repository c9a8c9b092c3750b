/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp_priv.h"

/* The peer's FIN is next in sequence. */
static void
in_fin(struct tcp *t, struct tcp_conn *c, uint64_t now_tsc, struct tcp_result *res)
{
	int held = (c->flags2 & TCP_CONN2_LOSS) && tcp_loss_of(t, c)->parked != 0;

	c->rcv_nxt++;
	if (seq_lt(c->rcv_adv, c->rcv_nxt))
		c->rcv_adv = c->rcv_nxt;
	c->flags |= TCP_CONN_FIN_RCVD | TCP_CONN_ACK_NOW;
	if (c->flags2 & TCP_CONN2_LOSS)
		tcp_reasm_end(t, c);
	if (held)
		c->flags2 |= TCP_CONN2_FIN_HELD;
	else
		res->events |= TCP_EV_FIN;
	if (c->state == TCP_ESTABLISHED)
		c->state = TCP_CLOSE_WAIT;
	else if (c->state == TCP_FIN_WAIT_1)
		c->state = TCP_CLOSING;
	else if (c->state == TCP_FIN_WAIT_2 && !held)
		tcp_time_wait(t, c, now_tsc, res);
	else if (c->state == TCP_FIN_WAIT_2)
		c->rto_due = 0; /* all is done but our own reading */
}

/* In-order payload without a hole, parked bytes or other trouble. */
static inline void
in_spans(struct tcp *t, struct tcp_conn *c, const struct span *part, uint32_t len,
	struct tcp_result *res)
{
	if (part[0].n != 0)
		tcp_span_add(res, part[0].p, part[0].n);
	if (unlikely_(part[1].n != 0))
		tcp_span_add(res, part[1].p, part[1].n);
	c->rcv_nxt += len;
	t->counters->bytes_in += len;
	res->events |= TCP_EV_DATA;
}

static void
in_order(struct tcp *t, uint32_t x, struct tcp_conn *c, struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	int fin = (s->flags & NET_TCP_FIN) != 0;

	if (c->flags2 & TCP_CONN2_LOSS) {
		if (tcp_reasm_deliver(t, c, s, res) < 0)
			return;
		fin = (tcp_loss_of(t, c)->flags & TCP_LOSS_FIN) &&
		      tcp_loss_of(t, c)->fin_seq == c->rcv_nxt;
	} else if (s->len != 0) {
		in_spans(t, c, s->part, s->len, res);
	}
	if (s->len != 0)
		tcp_ack_later(t, x, c, tcp_tick(now_tsc));
	if (fin)
		in_fin(t, c, now_tsc, res);
	else if (c->state == TCP_FIN_WAIT_2)
		tcp_fin_wait2(t, x, c, tcp_tick(now_tsc)); /* it still talks */
	if (c->flags2 & TCP_CONN2_LOSS)
		tcp_loss_settle(t, c);
}

/* Payload and FIN: cut to the window, deliver or keep (RFC 9293 section 3.10.7.4, seventh). */
static void
in_payload(struct tcp *t, uint32_t x, struct tcp_conn *c, struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	uint32_t room;

	if (s->len == 0 && !(s->flags & NET_TCP_FIN))
		return;
	if (c->flags & TCP_CONN_FIN_RCVD) {
		c->flags |= TCP_CONN_ACK_NOW; /* a FIN again, or bytes after it: not possible */
		return;
	}
	if (seq_lt(s->seq, c->rcv_nxt)) {
		tcp_seg_trim_left(s, min_u32(c->rcv_nxt - s->seq, s->len));
		c->flags |= TCP_CONN_ACK_NOW;
	}
	room = c->rcv_adv - s->seq;
	if ((c->flags2 & TCP_CONN2_LOSS) && (tcp_loss_of(t, c)->flags & TCP_LOSS_FIN))
		room = min_u32(room, tcp_loss_of(t, c)->fin_seq - s->seq);
	if (s->len > room) {
		tcp_seg_trim_right(s, room);
		c->flags |= TCP_CONN_ACK_NOW;
		if (room == 0)
			return;
	}
	if (s->seq == c->rcv_nxt) {
		in_order(t, x, c, s, now_tsc, res);
	} else {
		tcp_reasm_hold(t, c, s);
		c->flags |= TCP_CONN_ACK_NOW;
	}
}

/* RFC 5961 section 3: only the exact sequence number resets. */
static void
in_rst(struct tcp *t, struct tcp_conn *c, const struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	int done = (c->flags2 & TCP_CONN2_FIN_HELD) && c->state != TCP_CLOSE_WAIT &&
		   c->snd_una == c->snd_max;

	if (s->seq == c->rcv_nxt && !done) {
		t->counters->rst_in++;
		tcp_gone(c, res, TCP_EV_RESET);
		return;
	}
	t->counters->rst_ignored++;
	if (done) /* TIME-WAIT in all but name: RFC 1337 */
		return;
	if (s->seq - c->rcv_nxt < c->rcv_adv - c->rcv_nxt)
		tcp_challenge(t, c, now_tsc);
}

/* The four cases of RFC 9293 section 3.4, with room for what is harmless: a bare ACK or FIN at the
 * right edge, and ACKs that were overtaken since our last one. @return 0: answered and done. */
static int
in_window(struct tcp *t, struct tcp_conn *c, const struct seg_in *s, uint64_t now_tsc)
{
	uint32_t len = s->len + !!(s->flags & NET_TCP_FIN);

	if (seq_lt(c->rcv_adv, s->seq)) {
		t->counters->old_segs++;
		tcp_ack_limited(t, c, now_tsc);
		return 0;
	}
	if (!seq_lt(s->seq, c->rcv_nxt) || seq_lt(c->rcv_nxt, s->seq + len))
		return 1;
	/* wholly before RCV.NXT; its ACK may still be news */
	if (len != 0 || s->seq + 1 == c->rcv_nxt) {
		t->counters->old_segs++;
		c->flags |= TCP_CONN_ACK_NOW; /* our ACK was lost, or a keep-alive probe */
	} else if (seq_lt(s->seq, c->last_ack_sent)) {
		t->counters->old_segs++;
		tcp_ack_limited(t, c, now_tsc);
	}
	return 1;
}

static int
in_paws(struct tcp *t, struct tcp_conn *c, const struct seg_in *s, uint64_t now_tsc)
{
	if (!(c->flags & TCP_CONN_TS) || !(s->opts & NET_OPT_TS))
		return 1;
	if (seq_lt(s->ts_val, c->ts_recent)) {
		t->counters->paws_drop++;
		if (s->len != 0 || (s->flags & NET_TCP_FIN))
			c->flags |= TCP_CONN_ACK_NOW;
		else
			tcp_ack_limited(t, c, now_tsc);
		return 0;
	}
	return 1;
}

/* Synchronised states, in the order of RFC 9293 section 3.10.7.4. */
static void
in_synchronised(struct tcp *t, uint32_t x, struct tcp_conn *c, struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	if (s->flags & NET_TCP_RST) {
		in_rst(t, c, s, now_tsc, res);
		return;
	}
	if (s->flags & NET_TCP_SYN) {
		/* the peer has not seen our ACK of its SYN-ACK, or it is RFC 5961 section 4 */
		if ((s->flags & NET_TCP_ACK) && s->seq + 1 == c->rcv_nxt && s->ack == c->iss + 1)
			c->flags |= TCP_CONN_ACK_NOW;
		else
			tcp_challenge(t, c, now_tsc);
		return;
	}
	if (!in_paws(t, c, s, now_tsc) || !(s->flags & NET_TCP_ACK) || !in_window(t, c, s, now_tsc))
		return;
	if ((c->flags & TCP_CONN_TS) && (s->opts & NET_OPT_TS) && seq_leq(s->seq, c->last_ack_sent))
		c->ts_recent = s->ts_val;
	if (!tcp_ack_in(t, x, c, s, now_tsc, res) || c->state == TCP_CLOSED)
		return;
	if (!seq_lt(s->seq, c->rcv_nxt) ||
		seq_lt(c->rcv_nxt, s->seq + s->len + !!(s->flags & NET_TCP_FIN)))
		in_payload(t, x, c, s, now_tsc, res);
}

static __attribute__((noinline)) void
in_slow(struct tcp *t, uint32_t x, const struct net_view *v, const struct span *frag,
	uint64_t now_tsc, struct tcp_result *res)
{
	struct tcp_conn *c = &t->conn[x];
	struct seg_in s;

	if (c->state == TCP_CLOSED)
		return;
	tcp_seg_read(&s, v, frag);
	if (s.bad)
		t->counters->bad_options++;
	if (c->state == TCP_SYN_SENT)
		tcp_syn_sent_in(t, x, c, &s, now_tsc, res);
	else if (c->state != TCP_SYN_RCVD || tcp_syn_rcvd_in(t, x, c, &s, now_tsc, res))
		in_synchronised(t, x, c, &s, now_tsc, res);
	if (tcp_wants(c))
		res->events |= TCP_EV_OUTPUT;
	tcp_persist_need(t, x, c, tcp_tick(now_tsc));
}

/* Header prediction: ESTABLISHED, next in sequence, ACK only, the usual options, nothing lost on
 * either side. @return 0: not such a segment, nothing was changed. */
static inline int
in_fast(struct tcp *t, uint32_t x, struct tcp_conn *c, const struct net_view *v,
	const struct span *frag, uint64_t now_tsc, struct tcp_result *res)
{
	const uint8_t *opt = v->l3 + v->l4_off + 20;
	uint32_t n_opt = (uint32_t)v->hdr_len - v->l4_off - 20;
	uint32_t wnd = (uint32_t)net_view_wnd(v) << tcp_peer_shift(c);
	uint32_t acked = v->ack - c->snd_una;
	uint32_t flight = c->snd_max - c->snd_una;
	uint32_t tick = tcp_tick(now_tsc);
	uint32_t ts = 0;

	if ((v->flags & (NET_TCP_FIN | NET_TCP_SYN | NET_TCP_RST | NET_TCP_ACK)) != NET_TCP_ACK ||
		c->state != TCP_ESTABLISHED || (c->flags2 & ~TCP_CONN2_RTT) != 0 ||
		v->seq != c->rcv_nxt || acked > flight || v->len > c->rcv_adv - c->rcv_nxt ||
		wnd < c->mss || c->snd_wnd < c->mss || c->snd_nxt != c->snd_max)
		return 0;
	if (acked == 0 && v->len == 0 && flight != 0)
		return 0; /* a duplicate ACK, perhaps */
	if (c->flags & TCP_CONN_TS) {
		if (n_opt != TCP_TS_LEN || load_be32(opt) != TCP_TS_HEAD)
			return 0;
		ts = load_be32(opt + 4);
		if (seq_lt(ts, c->ts_recent))
			return 0;
		if (c->rcv_nxt == c->last_ack_sent)
			c->ts_recent = ts;
	} else if (n_opt != 0) {
		return 0;
	}
	c->snd_wnd = wnd;
	c->snd_wl1 = v->seq;
	if (acked != 0) {
		c->snd_una = v->ack;
		res->acked = acked;
		res->events |= TCP_EV_ACKED;
		if ((c->flags2 & TCP_CONN2_RTT) && seq_leq(c->rtt_seq, v->ack)) {
			c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
			tcp_rtt_sample(t, c, tcp_ticks_to_us(t, tick - c->rtt_tick));
		}
		tcp_cwnd_grow(c, acked, flight);
		if (acked == flight)
			c->rto_due = 0;
		else
			tcp_rto_set(t, x, c, tick, c->rto);
	}
	if (v->len != 0) {
		struct span part[2];

		part[0].p = v->l3 + v->hdr_len;
		part[0].n = v->len_first;
		part[1].p = frag != NULL ? frag->p : NULL;
		part[1].n = (uint32_t)v->len - v->len_first;
		in_spans(t, c, part, v->len, res);
		tcp_ack_later(t, x, c, tick);
	}
	if (tcp_wants(c))
		res->events |= TCP_EV_OUTPUT;
	return 1;
}

void
tcp_segment_in(struct tcp *t, uint32_t x, const struct net_view *v, const struct span *frag,
	uint64_t now_tsc, struct tcp_result *res)
{
	tcp_result_clear(res);
	t->counters->segs_in++;
	if (unlikely_(!in_fast(t, x, &t->conn[x], v, frag, now_tsc, res)))
		in_slow(t, x, v, frag, now_tsc, res);
}
