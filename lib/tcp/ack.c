/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp_priv.h"

#define TCP_DUP_ACKS 3

/* RTT of what this ACK covers: by Karn's rule, or after a retransmission by the echoed timestamp,
 * which says what the answer is to. With neither, the backed-off RTO stays until a sample comes. */
static void
ack_rtt(struct tcp *t, struct tcp_conn *c, const struct seg_in *s, uint64_t now_tsc)
{
	uint32_t ms;

	if ((c->flags2 & TCP_CONN2_RTT) && seq_leq(c->rtt_seq, s->ack)) {
		c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
		tcp_rtt_sample(t, c, tcp_ticks_to_us(t, tcp_tick(now_tsc) - c->rtt_tick));
	} else if (c->n_rexmit != 0) {
		ms = tcp_ts(t, now_tsc) - s->ts_ecr;
		if ((c->flags & TCP_CONN_TS) && (s->opts & NET_OPT_TS) && s->ts_ecr != 0 &&
			ms < 120000)
			tcp_rtt_sample(t, c, ms * 1000 + 500);
		else
			c->rto = tcp_backoff(t, c->rto, c->n_rexmit);
	}
}

/* A partial ACK in recovery: the next hole is at SND.UNA (RFC 6582 section 3.2 step 3). */
static void
ack_partial(struct tcp *t, struct tcp_conn *c, uint32_t acked)
{
	if (!(c->flags2 & TCP_CONN2_LOSS) || tcp_loss_of(t, c)->n_sacked == 0 ||
		seq_leq(tcp_loss_of(t, c)->rtx_nxt, c->snd_una))
		c->flags2 |= TCP_CONN2_FAST;
	if (t->cfg.cc == TCP_CC_NONE)
		return;
	c->cwnd = c->cwnd > acked ? c->cwnd - acked : 0;
	if (acked >= c->mss)
		c->cwnd += c->mss;
	c->cwnd = max_u32(c->cwnd, c->mss);
}

static void
ack_recovered(struct tcp *t, struct tcp_conn *c)
{
	c->flags &= (uint8_t)~TCP_CONN_RECOVERY;
	c->flags2 &= (uint8_t)~TCP_CONN2_FAST;
	if (t->cfg.cc == TCP_CC_NONE)
		return;
	c->cwnd = min_u32(c->ssthresh, max_u32(c->snd_max - c->snd_una, c->mss) + c->mss);
}

static void
ack_congestion(struct tcp *t, struct tcp_conn *c, uint32_t acked, uint32_t flight)
{
	int passed = !seq_lt(c->snd_una, c->recover);

	if (c->flags & TCP_CONN_RECOVERY) {
		if (passed)
			ack_recovered(t, c);
		else
			ack_partial(t, c, acked);
	} else {
		tcp_cwnd_grow(c, acked, flight);
	}
	if ((c->flags2 & TCP_CONN2_RECOVER) && seq_lt(c->recover, c->snd_una))
		c->flags2 &= (uint8_t)~TCP_CONN2_RECOVER;
}

/* Our FIN is acknowledged. */
static void
ack_fin(struct tcp *t, uint32_t x, struct tcp_conn *c, uint64_t now_tsc, struct tcp_result *res)
{
	if (c->state == TCP_FIN_WAIT_1) {
		tcp_fin_wait2(t, x, c, tcp_tick(now_tsc));
	} else if (c->state == TCP_CLOSING) {
		if (c->flags2 & TCP_CONN2_FIN_HELD)
			c->state = TCP_FIN_WAIT_2;
		else
			tcp_time_wait(t, c, now_tsc, res);
	} else if (c->state == TCP_LAST_ACK && !(c->flags2 & TCP_CONN2_FIN_HELD)) {
		tcp_gone(c, res, 0);
	}
}

static void
ack_advance(struct tcp *t, uint32_t x, struct tcp_conn *c, const struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	uint32_t acked = s->ack - c->snd_una;
	uint32_t flight = c->snd_max - c->snd_una;
	int fin = (c->flags & TCP_CONN_END) && s->ack == c->snd_end + 1;

	c->snd_una = s->ack;
	if (seq_lt(c->snd_nxt, s->ack))
		c->snd_nxt = s->ack;
	ack_rtt(t, c, s, now_tsc);
	c->n_rexmit = 0;
	c->n_dupacks = 0;
	c->n_probes = 0;
	c->flags2 &= (uint8_t) ~(TCP_CONN2_SLOW | TCP_CONN2_PROBE);
	if (c->flags2 & TCP_CONN2_LOSS)
		tcp_sack_acked(t, c);
	ack_congestion(t, c, acked, flight);
	if (c->snd_una == c->snd_max)
		c->rto_due = 0;
	else
		tcp_rto_set(t, x, c, tcp_tick(now_tsc), c->rto);
	res->acked = acked - (uint32_t)fin;
	if (res->acked != 0)
		res->events |= TCP_EV_ACKED;
	if (fin)
		ack_fin(t, x, c, now_tsc, res);
}

/* RFC 5681 section 3.2, RFC 6582; with SACK, holes below what the peer has are sent again one for
 * each ACK, instead of new data. */
static void
ack_duplicate(struct tcp *t, uint32_t x, struct tcp_conn *c, uint64_t now_tsc)
{
	uint32_t seq;
	uint32_t len;

	t->counters->dup_acks_in++;
	if (c->n_dupacks < UINT8_MAX)
		c->n_dupacks++;
	c->flags2 |= TCP_CONN2_SLOW;
	if (c->flags & TCP_CONN_RECOVERY) {
		if (tcp_sack_hole(t, c, &seq, &len))
			c->flags2 |= TCP_CONN2_FAST;
		else if (t->cfg.cc != TCP_CC_NONE && c->cwnd < TCP_CWND_MAX)
			c->cwnd += c->mss;
		return;
	}
	/* duplicates that our own go-back causes must not start a recovery */
	if (c->n_dupacks != TCP_DUP_ACKS || (c->flags2 & TCP_CONN2_RECOVER))
		return;
	t->counters->fast_rtx++;
	tcp_cwnd_fast(t, c);
	if (c->flags2 & TCP_CONN2_LOSS)
		tcp_loss_of(t, c)->rtx_nxt = c->snd_una;
	c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
	tcp_rto_set(t, x, c, tcp_tick(now_tsc), c->rto);
}

static void
ack_window(struct tcp *t, struct tcp_conn *c, const struct seg_in *s)
{
	uint32_t wnd = s->wnd << tcp_peer_shift(c);
	uint32_t old = c->snd_wnd;

	if (seq_lt(s->seq, c->snd_wl1))
		return;
	c->snd_wl1 = s->seq;
	c->snd_wnd = wnd;
	if (wnd == 0 && old != 0)
		t->counters->zero_window++;
	if (wnd == 0) {
		c->n_rexmit = 0; /* it answers: probe for as long as it does (RFC 9293 MUST-37) */
		return;
	}
	if (c->n_probes == 0 || wnd <= old)
		return;
	/* open again: what was sent into the closed window was probably dropped */
	c->n_probes = 0;
	c->n_rexmit = 0;
	c->flags2 &= (uint8_t)~TCP_CONN2_PROBE;
	c->rto_due = 0;
	if (c->snd_una != c->snd_max) {
		c->snd_nxt = c->snd_una;
		c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
	}
}

/* ACK field and window of a segment in a synchronised state. @return 0: drop the segment. */
int
tcp_ack_in(struct tcp *t, uint32_t x, struct tcp_conn *c, const struct seg_in *s, uint64_t now_tsc,
	struct tcp_result *res)
{
	int same = s->wnd << tcp_peer_shift(c) == c->snd_wnd;

	if (seq_lt(c->snd_max, s->ack)) {
		t->counters->bad_ack++;
		tcp_challenge(t, c, now_tsc);
		return 0;
	}
	if (seq_lt(s->ack, c->snd_una)) {
		/* RFC 5961 section 5, with the largest window that the peer's scale can say */
		if (c->snd_una - s->ack <= 0xffffu << tcp_peer_shift(c))
			return 1;
		t->counters->bad_ack++;
		tcp_challenge(t, c, now_tsc);
		return 0;
	}
	if (c->snd_una != c->snd_max && s->n_sack != 0)
		tcp_sack_in(t, c, s);
	if (s->ack != c->snd_una)
		ack_advance(t, x, c, s, now_tsc, res);
	else if (s->len == 0 && !(s->flags & NET_TCP_FIN) && same && s->wnd != 0 &&
		 c->snd_una != c->snd_max)
		ack_duplicate(t, x, c, now_tsc);
	if (c->state != TCP_CLOSED)
		ack_window(t, c, s);
	if (c->state != TCP_CLOSED && c->snd_una != c->snd_max && c->rto_due == 0)
		tcp_rto_set(t, x, c, tcp_tick(now_tsc), c->rto);
	return 1;
}
