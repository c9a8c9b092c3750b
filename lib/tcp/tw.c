/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "tcp_priv.h"

/* TIME-WAIT: the caller gives the block back at once; what answers from now on is 32 bytes in a
 * ring, in the order of their due times because all stay equally long. */
void
tcp_time_wait(struct tcp *t, struct tcp_conn *c, uint64_t now_tsc, struct tcp_result *res)
{
	struct tcp_tw *w;
	uint32_t x_tw;

	tcp_gone(c, res, 0);
	if (t->time_wait_ticks == 0)
		return;
	t->counters->tw_entered++;
	if (t->tw_head - t->tw_tail == t->cap_tw) {
		t->counters->tw_recycled++;
		return;
	}
	x_tw = t->tw_head++ & (t->cap_tw - 1);
	w = &t->tw[x_tw];
	w->x_peer = c->x_peer;
	w->x_local = c->x_local;
	w->lport = c->lport;
	w->pport = c->pport;
	w->snd_nxt = c->snd_max;
	w->rcv_nxt = c->rcv_nxt;
	w->ts_recent = c->flags & TCP_CONN_TS ? c->ts_recent : 0;
	w->due = tcp_due(tcp_tick(now_tsc), t->time_wait_ticks);
	w->route = c->route;
	w->flags = TCP_TW_LIVE;
	if (c->flags & TCP_CONN_ACTIVE)
		w->flags |= TCP_TW_ACTIVE;
	if (c->flags & TCP_CONN_TS)
		w->flags |= TCP_TW_TS;
	w->scale = (uint8_t)tcp_our_shift(c);
	t->counters->tw_now++;
	res->x_tw = x_tw;
}

/* May this SYN begin a new incarnation (RFC 6191 section 2)? */
static int
tw_newer(const struct tcp_tw *w, const struct seg_in *s)
{
	int ts = (s->opts & NET_OPT_TS) != 0;

	if ((w->flags & TCP_TW_TS) && ts && s->ts_val != w->ts_recent)
		return seq_lt(w->ts_recent, s->ts_val);
	if (!(w->flags & TCP_TW_TS) && ts)
		return 1;
	return seq_lt(w->rcv_nxt, s->seq);
}

static void
tw_ack(const struct tcp *t, const struct tcp_tw *w, uint64_t now_tsc, struct tcp_seg *seg)
{
	struct net_tx *tx = &seg->tx;

	memset(seg, 0, sizeof(*seg));
	tx->sport = w->lport;
	tx->dport = w->pport;
	tx->seq = w->snd_nxt;
	tx->ack = w->rcv_nxt;
	tx->wnd = (uint16_t)min_u32(t->cfg.rcv_wnd >> w->scale, 0xffff);
	tx->flags = NET_TCP_ACK;
	if (w->flags & TCP_TW_TS) {
		tx->opts = NET_OPT_TS;
		tx->ts_val = tcp_ts(t, now_tsc);
		tx->ts_ecr = w->ts_recent;
	}
}

int
tcp_tw_segment(struct tcp *t, uint32_t x_tw, const struct net_view *v, uint64_t now_tsc,
	struct tcp_result *res, struct tcp_seg *seg)
{
	struct tcp_tw *w = &t->tw[x_tw & (t->cap_tw - 1)];
	struct seg_in s;

	tcp_result_clear(res);
	if ((v->flags & NET_TCP_RST) || !(v->flags & (NET_TCP_SYN | NET_TCP_ACK)))
		return 0;
	tcp_seg_read(&s, v, NULL);
	if ((s.flags & (NET_TCP_SYN | NET_TCP_ACK)) == NET_TCP_SYN && t->cfg.tw_reuse &&
		!(w->flags & TCP_TW_ACTIVE) && tw_newer(w, &s)) {
		t->counters->tw_reopened++;
		res->events |= TCP_EV_NEW;
		return 0;
	}
	if (s.seq == w->rcv_nxt && net_view_seg_len(v) == 0)
		return 0; /* nothing to say; an answer would be answered */
	if (!tcp_limiter_take(
		    &t->challenge, tcp_tick(now_tsc), t->ticks_per_ms, TCP_CHALLENGE_BURST) &&
		net_view_seg_len(v) == 0)
		return 0;
	t->counters->tw_reacked++;
	t->counters->segs_out++;
	tw_ack(t, w, now_tsc, seg);
	return 1;
}

static void
tw_skip_dead(struct tcp *t)
{
	while (t->tw_tail != t->tw_head &&
		!(t->tw[t->tw_tail & (t->cap_tw - 1)].flags & TCP_TW_LIVE))
		t->tw_tail++;
}

void
tcp_tw_drop(struct tcp *t, uint32_t x_tw)
{
	struct tcp_tw *w = &t->tw[x_tw & (t->cap_tw - 1)];

	if (!(w->flags & TCP_TW_LIVE))
		return;
	w->flags = 0;
	t->counters->tw_now--;
	tw_skip_dead(t);
}

uint32_t
tcp_tw_expire(struct tcp *t, uint64_t now_tsc, struct tcp_tw *out, uint32_t *x_tw, uint32_t n)
{
	uint32_t tick = tcp_tick(now_tsc);
	uint32_t k = 0;

	tw_skip_dead(t);
	while (k < n && t->tw_tail != t->tw_head) {
		struct tcp_tw *w = &t->tw[t->tw_tail & (t->cap_tw - 1)];

		if (seq_lt(tick, w->due)) {
			if (tcp_tw_count(t) <= t->tw_high)
				break;
			t->counters->tw_recycled++;
		}
		x_tw[k] = t->tw_tail & (t->cap_tw - 1);
		out[k++] = *w;
		w->flags = 0;
		t->counters->tw_now--;
		t->tw_tail++;
		tw_skip_dead(t);
	}
	return k;
}
