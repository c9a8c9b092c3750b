/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp_priv.h"

/* Due times are 32 bits; the wheel wants the whole time. The wheel's own time is near enough to
 * now. */
void
tcp_wheel_set(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t due)
{
	uint64_t base = t->wheel.tick;
	int32_t ahead = (int32_t)(due - (uint32_t)base);

	if (ahead > 0)
		base += (uint32_t)ahead;
	c->wheel_due = due;
	wheel_arm(&t->wheel, x, base << WHEEL_SHIFT);
}

/* Something waits to be sent, nothing is in flight and the window does not let it out: only a timer
 * can tell when a window update is lost. */
void
tcp_persist_need(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick)
{
	if (c->state < TCP_ESTABLISHED || c->rto_due != 0 || c->snd_una != c->snd_max ||
		!seq_lt(c->snd_nxt, c->snd_end) || tcp_next_len(c) != 0)
		return;
	tcp_rto_set(t, x, c, tick, tcp_backoff(t, c->rto, c->n_probes));
}

static void
timer_give_up(struct tcp *t, struct tcp_conn *c, struct tcp_result *res)
{
	t->counters->give_up++;
	tcp_gone(c, res, TCP_EV_TIMEOUT);
}

static void
timer_syn(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick, struct tcp_result *res)
{
	if (c->n_rexmit >= t->cfg.syn_retries) {
		timer_give_up(t, c, res);
		return;
	}
	c->n_rexmit++;
	c->snd_nxt = c->iss;
	c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
	tcp_rto_set(t, x, c, tick, tcp_backoff(t, c->rto, c->n_rexmit));
}

/* Persist: the exponent is n_probes; n_rexmit counts the probes since the peer last answered. */
static void
timer_probe(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick, struct tcp_result *res)
{
	if (c->n_rexmit >= t->cfg.data_retries) {
		timer_give_up(t, c, res);
		return;
	}
	c->n_rexmit++;
	if (c->n_probes < UINT8_MAX)
		c->n_probes++;
	c->flags2 |= TCP_CONN2_PROBE | TCP_CONN2_SLOW;
	tcp_rto_set(t, x, c, tick, tcp_backoff(t, c->rto, c->n_probes));
}

/* RFC 6298 section 5: back to SND.UNA, one segment, twice the time. */
static void
timer_rexmit(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick, struct tcp_result *res)
{
	if (c->n_rexmit >= t->cfg.data_retries) {
		timer_give_up(t, c, res);
		return;
	}
	t->counters->rto_expired++;
	tcp_cwnd_rto(t, c);
	tcp_sack_forget(t, c);
	c->n_rexmit++;
	c->n_dupacks = 0;
	c->flags2 &= (uint8_t) ~(TCP_CONN2_RTT | TCP_CONN2_FAST);
	c->flags2 |= TCP_CONN2_SLOW;
	c->snd_nxt = c->snd_una;
	tcp_rto_set(t, x, c, tick, tcp_backoff(t, c->rto, c->n_rexmit));
}

static void
timer_rto(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick, struct tcp_result *res)
{
	c->rto_due = 0;
	if (c->state < TCP_ESTABLISHED) {
		timer_syn(t, x, c, tick, res);
	} else if (c->state == TCP_FIN_WAIT_2) {
		t->counters->fin_wait2_expired++;
		tcp_gone(c, res, 0);
	} else if (c->snd_una == c->snd_max || c->snd_wnd == 0) {
		if (c->snd_una != c->snd_max ||
			(seq_lt(c->snd_nxt, c->snd_end) && tcp_next_len(c) == 0))
			timer_probe(t, x, c, tick, res);
	} else {
		timer_rexmit(t, x, c, tick, res);
	}
}

static inline int
timer_is_due(uint32_t due, uint32_t tick)
{
	return due != 0 && !seq_lt(tick, due);
}

static inline uint32_t
timer_earlier(uint32_t a, uint32_t b)
{
	if (a == 0 || b == 0)
		return a | b;
	return seq_lt(b, a) ? b : a;
}

static void
timer_rearm(struct tcp *t, uint32_t x, struct tcp_conn *c)
{
	uint32_t due = timer_earlier(timer_earlier(c->rto_due, c->ack_due), c->app_due);

	if (due != 0)
		tcp_wheel_need(t, x, c, due);
}

void
tcp_timer(struct tcp *t, uint32_t x, uint64_t now_tsc, struct tcp_result *res)
{
	struct tcp_conn *c = &t->conn[x];
	uint32_t tick = tcp_tick(now_tsc);

	tcp_result_clear(res);
	if (timer_is_due(c->app_due, tick)) {
		c->app_due = 0;
		res->events |= TCP_EV_APP;
	}
	if (c->state == TCP_CLOSED) {
		timer_rearm(t, x, c);
		return;
	}
	if (timer_is_due(c->ack_due, tick)) {
		c->ack_due = 0;
		c->flags |= TCP_CONN_ACK_NOW;
		t->counters->delayed_acks++;
	}
	if (timer_is_due(c->rto_due, tick))
		timer_rto(t, x, c, tick, res);
	timer_rearm(t, x, c);
	if (tcp_wants(c))
		res->events |= TCP_EV_OUTPUT;
	tcp_persist_need(t, x, c, tick);
}

void
tcp_app_due(struct tcp *t, uint32_t x, uint64_t due_tsc)
{
	struct tcp_conn *c = &t->conn[x];
	uint64_t due = (due_tsc + (1 << WHEEL_SHIFT) - 1) >> WHEEL_SHIFT;

	c->app_due = 0;
	if (due_tsc == 0)
		return;
	if (due < t->wheel.tick)
		due = t->wheel.tick;
	if (due - t->wheel.tick > 1u << 30)
		due = t->wheel.tick + (1u << 30);
	c->app_due = (uint32_t)due == 0 ? 1 : (uint32_t)due;
	tcp_wheel_need(t, x, c, c->app_due);
}
