/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp_priv.h"

#define TCP_HALF_OPEN_MAX 3 /* SYNs sent at once after our RST; later ones wait for the timer */

/* Tell the peer what we expect, unless that was done too often: two ends that disagree would
 * acknowledge each other's ACKs for ever. */
int
tcp_ack_limited(struct tcp *t, struct tcp_conn *c, uint64_t now_tsc)
{
	if (!tcp_limiter_take(
		    &t->challenge, tcp_tick(now_tsc), t->ticks_per_ms, TCP_CHALLENGE_BURST))
		return 0;
	c->flags |= TCP_CONN_ACK_NOW;
	return 1;
}

/* Challenge ACK (RFC 5961). */
void
tcp_challenge(struct tcp *t, struct tcp_conn *c, uint64_t now_tsc)
{
	t->counters->challenge_acks += (uint64_t)tcp_ack_limited(t, c, now_tsc);
}

static void
rst_answer(struct tcp_conn *c, uint32_t seq)
{
	c->snd_wl1 = seq; /* not used for windows before the connection is established */
	c->flags2 |= TCP_CONN2_RST;
}

/* An ACK that does not fit our SYN: the peer has an old connection (RFC 9293 section 3.5.1). After
 * the RST it will take the SYN, so the next one need not wait for the timer. */
static void
half_open(struct tcp *t, struct tcp_conn *c, const struct seg_in *s)
{
	t->counters->bad_ack++;
	rst_answer(c, s->ack);
	if (c->n_dupacks >= TCP_HALF_OPEN_MAX)
		return;
	c->n_dupacks++;
	c->snd_nxt = c->iss;
	c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
}

/* The handshake is complete; s carries the ACK of our SYN. */
static void
establish(struct tcp *t, uint32_t x, struct tcp_conn *c, const struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	uint32_t us = tcp_ticks_to_us(t, tcp_tick(now_tsc) - c->rtt_tick);

	c->state = TCP_ESTABLISHED;
	c->snd_una = c->iss + 1;
	c->snd_nxt = c->snd_una;
	c->snd_wnd = s->flags & NET_TCP_SYN ? s->wnd : s->wnd << tcp_peer_shift(c);
	c->snd_wl1 = s->seq;
	if (c->n_rexmit != 0) {
		/* RFC 6298 (5.7), RFC 5681 section 3.1 */
		c->rto = max_u32(c->rto, t->rto_syn_lost);
		if (t->cfg.cc != TCP_CC_NONE)
			c->cwnd = c->mss;
	} else if (c->flags2 & TCP_CONN2_RTT) {
		tcp_rtt_sample(t, c, us);
	}
	c->flags2 &= (uint8_t) ~(TCP_CONN2_RTT | TCP_CONN2_RST | TCP_CONN2_SLOW);
	c->n_rexmit = 0;
	c->n_dupacks = 0;
	c->rto_due = 0;
	c->recover = c->iss;
	if (c->snd_wnd == 0)
		t->counters->zero_window++;
	t->counters->established++;
	res->events |= TCP_EV_ESTABLISHED;
	tcp_persist_need(t, x, c, tcp_tick(now_tsc));
}

/* RFC 9293 section 3.10.7.3. */
void
tcp_syn_sent_in(struct tcp *t, uint32_t x, struct tcp_conn *c, struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	int acked = 0;

	if (s->flags & NET_TCP_ACK) {
		acked = s->ack == c->iss + 1 && c->snd_max != c->iss;
		if (!acked && !(s->flags & NET_TCP_RST))
			half_open(t, c, s);
		if (!acked && (s->flags & NET_TCP_RST))
			t->counters->rst_ignored++;
		if (!acked)
			return;
	}
	if (s->flags & NET_TCP_RST) {
		if (!acked) {
			t->counters->rst_ignored++;
			return;
		}
		t->counters->rst_in++;
		tcp_gone(c, res, TCP_EV_REFUSED);
		return;
	}
	if (!(s->flags & NET_TCP_SYN))
		return;
	tcp_options_take(t, c, s);
	if (acked) {
		establish(t, x, c, s, now_tsc, res);
		c->flags |= TCP_CONN_ACK_NOW;
	} else { /* both opened at once: our SYN again, with an ACK */
		c->state = TCP_SYN_RCVD;
		c->snd_nxt = c->iss;
		c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
	}
}

static void
syn_rcvd_rst(struct tcp *t, struct tcp_conn *c, const struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	if (s->seq == c->rcv_nxt) {
		t->counters->rst_in++;
		tcp_gone(c, res, c->flags & TCP_CONN_ACTIVE ? TCP_EV_REFUSED : TCP_EV_RESET);
		return;
	}
	t->counters->rst_ignored++;
	if (s->seq - c->rcv_nxt < c->rcv_adv - c->rcv_nxt)
		tcp_challenge(t, c, now_tsc);
}

/* A SYN again: 1 when it carries the ACK that simultaneous open waits for. */
static int
syn_rcvd_syn(struct tcp *t, struct tcp_conn *c, struct seg_in *s, uint64_t now_tsc)
{
	if (s->seq + 1 != c->rcv_nxt) {
		tcp_challenge(t, c, now_tsc);
		return 0;
	}
	if (!(s->flags & NET_TCP_ACK) || s->ack != c->iss + 1) {
		c->snd_nxt = c->iss; /* our SYN-ACK was lost */
		c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
		return 0;
	}
	s->seq++;
	if (s->len != 0)
		tcp_seg_trim_right(s, 0);
	s->flags &= (uint8_t) ~(NET_TCP_SYN | NET_TCP_FIN);
	s->wnd >>= tcp_peer_shift(c); /* a SYN's window is not scaled, but will be */
	c->flags |= TCP_CONN_ACK_NOW;
	return 1;
}

/* @return 1 when the handshake is complete and the segment is to be handled as any other. */
int
tcp_syn_rcvd_in(struct tcp *t, uint32_t x, struct tcp_conn *c, struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	if (s->flags & NET_TCP_RST) {
		syn_rcvd_rst(t, c, s, now_tsc, res);
		return 0;
	}
	if ((s->flags & NET_TCP_SYN) && !syn_rcvd_syn(t, c, s, now_tsc))
		return 0;
	if (!(s->flags & NET_TCP_ACK))
		return 0;
	if ((c->flags & TCP_CONN_TS) && (s->opts & NET_OPT_TS) && seq_lt(s->ts_val, c->ts_recent)) {
		t->counters->paws_drop++;
		tcp_ack_limited(t, c, now_tsc);
		return 0;
	}
	if (s->seq - c->rcv_nxt > c->rcv_adv - c->rcv_nxt) {
		t->counters->old_segs++;
		tcp_ack_limited(t, c, now_tsc);
		return 0;
	}
	if (s->ack != c->iss + 1 || c->snd_max == c->iss) {
		t->counters->bad_ack++;
		rst_answer(c, s->ack);
		return 0;
	}
	establish(t, x, c, s, now_tsc, res);
	return 1;
}
