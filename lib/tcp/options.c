/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "tcp_priv.h"

#define OPT_EOL 0
#define OPT_NOP 1
#define OPT_MSS 2
#define OPT_WSCALE 3
#define OPT_SACK_OK 4
#define OPT_SACK 5
#define OPT_TS 8

/* One option of n >= 2 bytes. A known kind of the wrong length is skipped as an unknown one. */
static void
option_read(struct seg_in *s, const uint8_t *p, uint32_t n)
{
	if (p[0] == OPT_MSS && n == 4) {
		s->opts |= NET_OPT_MSS;
		s->mss = load_be16(p + 2);
	} else if (p[0] == OPT_WSCALE && n == 3) {
		s->opts |= NET_OPT_WSCALE;
		s->wscale = p[2];
	} else if (p[0] == OPT_SACK_OK && n == 2) {
		s->opts |= NET_OPT_SACK_OK;
	} else if (p[0] == OPT_TS && n == 10) {
		s->opts |= NET_OPT_TS;
		s->ts_val = load_be32(p + 2);
		s->ts_ecr = load_be32(p + 6);
	} else if (p[0] == OPT_SACK && n >= 10 && n % 8 == 2) {
		s->sack = p + 2;
		s->n_sack = (uint8_t)((n - 2) / 8);
	}
}

static void
options_read(struct seg_in *s, const uint8_t *p, uint32_t n)
{
	if (likely_(n == TCP_TS_LEN && load_be32(p) == TCP_TS_HEAD)) {
		s->opts = NET_OPT_TS;
		s->ts_val = load_be32(p + 4);
		s->ts_ecr = load_be32(p + 8);
		return;
	}
	while (n != 0 && *p != OPT_EOL) {
		uint32_t len = 1;

		if (*p != OPT_NOP) {
			if (n < 2 || p[1] < 2 || p[1] > n) {
				s->bad = 1;
				return;
			}
			len = p[1];
			option_read(s, p, len);
		}
		p += len;
		n -= len;
	}
}

void
tcp_seg_read(struct seg_in *s, const struct net_view *v, const struct span *frag)
{
	const uint8_t *opt;
	uint32_t n_opt = net_view_options(v, &opt);

	memset(s, 0, offsetof(struct seg_in, part));
	s->seq = v->seq;
	s->ack = v->ack;
	s->len = v->len;
	s->wnd = net_view_wnd(v);
	s->flags = v->flags;
	s->part[0].p = v->l3 + v->hdr_len;
	s->part[0].n = v->len_first;
	s->part[1].p = frag != NULL ? frag->p : NULL;
	s->part[1].n = (uint32_t)v->len - v->len_first;
	if (n_opt != 0)
		options_read(s, opt, n_opt);
}

/* Forget the first n payload bytes. */
void
tcp_seg_trim_left(struct seg_in *s, uint32_t n)
{
	uint32_t k = min_u32(n, s->part[0].n);

	s->seq += n;
	s->len -= n;
	s->part[0].p += k;
	s->part[0].n -= k;
	if (n != k) {
		s->part[1].p += n - k;
		s->part[1].n -= n - k;
	}
}

/* Keep the first len payload bytes. What follows them, FIN too, is outside the window. */
void
tcp_seg_trim_right(struct seg_in *s, uint32_t len)
{
	s->len = len;
	s->part[0].n = min_u32(s->part[0].n, len);
	s->part[1].n = len - s->part[0].n;
	s->flags &= (uint8_t)~NET_TCP_FIN;
}

/* The peer's SYN: what it offers and what we agree to (RFC 9293 section 3.7.1, RFC 7323, 2018). */
void
tcp_options_take(struct tcp *t, struct tcp_conn *c, const struct seg_in *s)
{
	uint32_t mss = s->opts & NET_OPT_MSS ? s->mss : TCP_MSS_DEFAULT;

	mss = min_u32(max_u32(mss, TCP_MSS_MIN), t->cfg.mss);
	c->scales = 0;
	if (s->opts & NET_OPT_WSCALE)
		c->scales = (uint8_t)(t->cfg.wscale << 4 | min_u32(s->wscale, 14));
	if ((s->opts & NET_OPT_TS) && t->cfg.timestamps) {
		c->flags |= TCP_CONN_TS;
		c->ts_recent = s->ts_val;
		mss -= TCP_TS_LEN;
	}
	if ((s->opts & NET_OPT_SACK_OK) && t->cfg.sack)
		c->flags |= TCP_CONN_SACK;
	c->mss = (uint16_t)mss;
	c->cwnd = tcp_cwnd_initial(t, c);
	c->rcv_nxt = s->seq + 1;
	c->last_ack_sent = c->rcv_nxt;
	/* the window of a SYN is never scaled, ours as little as the peer's */
	c->rcv_adv = c->rcv_nxt + min_u32(t->cfg.rcv_wnd, 0xffff);
	c->snd_wnd = s->wnd;
	c->snd_wl1 = s->seq;
}
