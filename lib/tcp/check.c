/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp_priv.h"

static const char *
check_send(const struct tcp_conn *c)
{
	uint32_t all = tcp_snd_all(c) - c->snd_una;

	if (c->snd_nxt - c->snd_una > c->snd_max - c->snd_una)
		return "SND.NXT outside SND.UNA..SND.MAX";
	if (c->snd_max - c->snd_una > all)
		return "SND.MAX beyond the end of the stream";
	if (c->mss == 0 || c->cwnd < c->mss)
		return "cwnd below a segment";
	if (c->state >= TCP_ESTABLISHED && c->snd_una == c->iss)
		return "synchronised, but the SYN is not acknowledged";
	if ((c->flags & TCP_CONN_RECOVERY) && !(c->flags2 & TCP_CONN2_RECOVER))
		return "recovery without `recover`";
	if ((c->n_rexmit | c->n_probes) != 0 && c->state >= TCP_ESTABLISHED &&
		!(c->flags2 & TCP_CONN2_SLOW))
		return "retries, but the fast path is open";
	return NULL;
}

static const char *
check_state(const struct tcp_conn *c)
{
	int fin_sent = (c->flags & TCP_CONN_END) && c->snd_max == c->snd_end + 1;
	int fin_rcvd = (c->flags & TCP_CONN_FIN_RCVD) != 0;

	switch (c->state) {
	case TCP_SYN_SENT:
	case TCP_SYN_RCVD:
	case TCP_ESTABLISHED:
		return fin_sent || fin_rcvd ? "a FIN before its state" : NULL;
	case TCP_FIN_WAIT_1:
		return !fin_sent || fin_rcvd ? "FIN-WAIT-1" : NULL;
	case TCP_FIN_WAIT_2:
		return !fin_sent || c->snd_una != c->snd_max ? "FIN-WAIT-2" : NULL;
	case TCP_CLOSE_WAIT:
		return fin_sent || !fin_rcvd ? "CLOSE-WAIT" : NULL;
	case TCP_CLOSING:
	case TCP_LAST_ACK:
		return !fin_sent || !fin_rcvd ? "closing without both FINs" : NULL;
	default:
		return "state";
	}
}

static const char *
check_timers(const struct tcp_conn *c)
{
	const uint32_t due[3] = {c->rto_due, c->ack_due, c->app_due};
	uint32_t i;

	if (c->snd_una != c->snd_max && c->rto_due == 0)
		return "in flight without a retransmission timer";
	if (c->state == TCP_FIN_WAIT_2 && !(c->flags & TCP_CONN_FIN_RCVD) && c->rto_due == 0)
		return "FIN-WAIT-2 without a bound";
	if (c->state >= TCP_ESTABLISHED && c->snd_una == c->snd_max &&
		seq_lt(c->snd_nxt, c->snd_end) && tcp_next_len(c) == 0 && c->rto_due == 0)
		return "blocked by the window without a persist timer";
	for (i = 0; i < ARRAY_LEN(due); i++)
		if (due[i] != 0 && (!wheel_link_armed(&c->link) || seq_lt(due[i], c->wheel_due)))
			return "a timer that the wheel does not know";
	return NULL;
}

static const char *
check_held(const struct tcp *t, const struct tcp_conn *c, const struct tcp_loss *l)
{
	uint32_t at = c->rcv_nxt;
	uint32_t n = 0;
	uint32_t x;

	for (x = l->x_ooo; x != TCP_NONE; x = tcp_ooo_at(t, x)->x_next) {
		const struct tcp_ooo *b = tcp_ooo_at(t, x);

		if (x >= t->n_ooo || n++ > TCP_OOO_MAX)
			return "out-of-order list is broken";
		if (b->len == 0 || (uint32_t)b->off + b->len > TCP_OOO_DATA)
			return "out-of-order block is broken";
		if (seq_lt(b->seq, at) || (n == 1 && b->seq == at))
			return "out-of-order list is not sorted";
		at = b->seq + b->len;
		if (seq_lt(c->rcv_adv, at))
			return "out-of-order bytes beyond the window";
	}
	return n == l->n_ooo ? NULL : "out-of-order count";
}

static const char *
check_parked(const struct tcp *t, const struct tcp_loss *l)
{
	uint32_t tail = TCP_NONE;
	uint32_t bytes = 0;
	uint32_t n = 0;
	uint32_t x;

	for (x = l->x_park; x != TCP_NONE; x = tcp_ooo_at(t, x)->x_next) {
		if (x >= t->n_ooo || n++ > t->n_ooo || tcp_ooo_at(t, x)->len == 0)
			return "parked list is broken";
		bytes += tcp_ooo_at(t, x)->len;
		tail = x;
	}
	return bytes == l->parked && tail == l->x_park_tail ? NULL : "parked count";
}

static const char *
check_sacked(const struct tcp_conn *c, const struct tcp_loss *l)
{
	uint32_t at = c->snd_una;
	uint32_t i;

	if (l->n_sacked > TCP_SACK_RANGES)
		return "scoreboard count";
	for (i = 0; i < l->n_sacked; i++) {
		if (!seq_lt(at, l->sacked[i][0]) || !seq_lt(l->sacked[i][0], l->sacked[i][1]) ||
			seq_lt(c->snd_max, l->sacked[i][1]))
			return "scoreboard is not sorted";
		at = l->sacked[i][1];
	}
	return NULL;
}

const char *
tcp_check(const struct tcp *t, uint32_t x)
{
	const struct tcp_conn *c = &t->conn[x];
	const char *bad;

	if (c->state == TCP_CLOSED)
		return c->rto_due != 0 || c->ack_due != 0 ? "timers of a closed connection" : NULL;
	if (c->state >= TCP_SYN_RCVD && seq_lt(c->rcv_adv, c->rcv_nxt))
		return "RCV.NXT beyond the window";
	if (((c->flags2 & TCP_CONN2_LOSS) != 0) != (c->x_loss != TCP_NONE))
		return "loss flag";
	bad = check_send(c);
	if (bad == NULL)
		bad = check_state(c);
	if (bad == NULL)
		bad = check_timers(c);
	if (bad != NULL || !(c->flags2 & TCP_CONN2_LOSS))
		return bad;
	bad = check_held(t, c, tcp_loss_of(t, c));
	if (bad == NULL)
		bad = check_parked(t, tcp_loss_of(t, c));
	return bad != NULL ? bad : check_sacked(c, tcp_loss_of(t, c));
}
