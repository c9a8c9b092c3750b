/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp_priv.h"

#define TCP_IW_BYTES_PER_SEG 1460 /* RFC 6928: ten segments, but not ten jumbo frames */

uint32_t
tcp_ticks_to_us(const struct tcp *t, uint32_t ticks)
{
	return (uint32_t)(((uint64_t)ticks * t->us_per_tick_q20) >> 20);
}

/* RFC 6298 section 2, in units of 1/8 and 1/4 us as Jacobson has it. */
void
tcp_rtt_sample(struct tcp *t, struct tcp_conn *c, uint32_t us)
{
	uint64_t rto;
	int32_t err;

	us = max_u32(min_u32(us, 60000000), 1);
	if (c->srtt == 0) {
		c->srtt = us << 3;
		c->rttvar = us << 1;
	} else {
		err = (int32_t)us - (int32_t)(c->srtt >> 3);
		c->srtt += (uint32_t)err;
		err = (err < 0 ? -err : err) - (int32_t)(c->rttvar >> 2);
		c->rttvar += (uint32_t)err;
	}
	rto = (((uint64_t)(c->srtt >> 3) + c->rttvar) * t->tick_per_us_q32) >> 32;
	if (rto < t->rto_min)
		rto = t->rto_min;
	c->rto = rto > t->rto_max ? t->rto_max : (uint32_t)rto;
}

uint32_t
tcp_cwnd_initial(const struct tcp *t, const struct tcp_conn *c)
{
	uint32_t n = t->cfg.initial_window_segs;
	uint64_t most = max_u32(2u * c->mss, n * TCP_IW_BYTES_PER_SEG);
	uint64_t iw = (uint64_t)n * c->mss;

	if (t->cfg.cc == TCP_CC_NONE)
		return TCP_CWND_MAX;
	if (iw > most)
		iw = most;
	return iw > TCP_CWND_MAX ? TCP_CWND_MAX : (uint32_t)iw;
}

/* RFC 5681 equation 3. */
void
tcp_cwnd_avoid(struct tcp_conn *c)
{
	uint32_t step = (uint32_t)c->mss * c->mss / c->cwnd;

	if (c->cwnd < TCP_CWND_MAX)
		c->cwnd += max_u32(step, 1);
}

/* Half of what was in flight; data sent by limited transmit does not count, and cwnd did not grow
 * for it. */
static void
tcp_ssthresh_halve(struct tcp_conn *c)
{
	uint32_t flight = min_u32(c->snd_max - c->snd_una, c->cwnd);

	c->ssthresh = max_u32(flight / 2, 2u * c->mss);
}

void
tcp_cwnd_rto(struct tcp *t, struct tcp_conn *c)
{
	c->recover = c->snd_max;
	c->flags2 |= TCP_CONN2_RECOVER;
	c->flags &= (uint8_t)~TCP_CONN_RECOVERY;
	if (t->cfg.cc == TCP_CC_NONE)
		return;
	if (c->n_rexmit == 0) /* RFC 5681: once, not for each timeout of the same segment */
		tcp_ssthresh_halve(c);
	c->cwnd = c->mss;
}

void
tcp_cwnd_fast(struct tcp *t, struct tcp_conn *c)
{
	c->recover = c->snd_max;
	c->flags2 |= TCP_CONN2_RECOVER | TCP_CONN2_FAST;
	c->flags |= TCP_CONN_RECOVERY;
	if (t->cfg.cc == TCP_CC_NONE)
		return;
	tcp_ssthresh_halve(c);
	c->cwnd = c->ssthresh + 3u * c->mss;
}

/* Restart window (RFC 5681 section 4.1). rtt_tick is the last sending that was timed; nothing has
 * been in flight since it was acknowledged. */
void
tcp_cwnd_idle(struct tcp *t, struct tcp_conn *c, uint32_t tick)
{
	if (unlikely_(tick - c->rtt_tick > c->rto))
		c->cwnd = min_u32(c->cwnd, tcp_cwnd_initial(t, c));
}
