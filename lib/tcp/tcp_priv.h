/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What the files of tcp/ share: sequence arithmetic, timers, a parsed segment, the loss block.
 * OWNER.
 */
#ifndef TCP_PRIV_H
#define TCP_PRIV_H

#include "base_assert.h"
#include "base_bytes.h"
#include "tcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tcp_conn.flags2 */
#define TCP_CONN2_LOSS 0x01 /* x_loss is a block: line 0 need not look at line 1 */
#define TCP_CONN2_RTT 0x02 /* a sample runs up to rtt_seq */
#define TCP_CONN2_RECOVER 0x04 /* SND.UNA has not passed `recover` yet */
#define TCP_CONN2_FAST 0x08 /* retransmit one segment, snd_nxt stays */
#define TCP_CONN2_PROBE 0x10 /* send a window probe */
#define TCP_CONN2_RST 0x20 /* SYN states: answer <SEQ=snd_wl1><CTL=RST> */
#define TCP_CONN2_FIN_HELD 0x40 /* the peer's FIN waits behind parked bytes */
#define TCP_CONN2_SLOW 0x80 /* n_rexmit, n_dupacks or n_probes is not 0 */

#define TCP_FREE 0xff /* flags and flags2 of a block in the free list */

#define TCP_MSS_DEFAULT 536
#define TCP_MSS_MIN 48 /* floor for what a peer announces, as Linux has it */
#define TCP_TS_LEN 12 /* NOP NOP TS, as everybody writes it */
#define TCP_TS_HEAD 0x0101080au
#define TCP_CWND_MAX (1u << 30)
#define TCP_BACKOFF_MAX 16
#define TCP_CHALLENGE_BURST 100 /* and 1,000 per second and lane (RFC 5961 section 7) */
#define TCP_STRAY_BURST 1000 /* RSTs to strangers, and 10,000 per second */
#define TCP_PATH_MTU_MIN 552
#define TCP_IP_TCP_LEN 40

/* Per connection; with the segment's own two spans they fill a result. */
#define TCP_OOO_MAX (TCP_SPANS_MAX - 2)
#define TCP_OOO_BYTES 2048
#define TCP_OOO_DATA (TCP_OOO_BYTES - 16)
#define TCP_SACK_RANGES 5
#define TCP_RECENT 4

struct tcp_ooo {
	uint32_t x_next;
	uint32_t seq; /* of the first byte of data[off] */
	uint16_t off;
	uint16_t len;
	uint32_t pad;
	uint8_t data[TCP_OOO_DATA];
};
static_assert_(sizeof(struct tcp_ooo) == TCP_OOO_BYTES, "2 KB");

#define TCP_LOSS_FIN 0x01 /* fin_seq is known */

struct tcp_loss {
	uint32_t x_next; /* free list */
	/* received beyond a hole: sorted, disjoint */
	uint32_t x_ooo;
	uint32_t n_ooo;
	uint32_t fin_seq;
	uint32_t flags;
	uint32_t n_recent;
	uint32_t recent[TCP_RECENT]; /* sequence numbers in the newest blocks, newest first (RFC
					2018) */
	/* in order, but the agent does not want it yet */
	uint32_t x_park;
	uint32_t x_park_tail;
	uint32_t x_park_at; /* tcp_park() inserts behind this one, TCP_NONE: at the front */
	uint32_t parked; /* bytes */
	/* what the peer has beyond SND.UNA: sorted, disjoint */
	uint32_t n_sacked;
	uint32_t rtx_nxt; /* holes before this have been sent again in this recovery */
	uint32_t sacked[TCP_SACK_RANGES][2];
	uint32_t pad[6];
};
static_assert_(sizeof(struct tcp_loss) == 128, "two cache lines");

/* A segment with its options read. */
struct seg_in {
	uint32_t seq;
	uint32_t ack;
	uint32_t len;
	uint32_t wnd; /* as on the wire */
	uint32_t ts_val;
	uint32_t ts_ecr;
	uint16_t mss; /* 0: absent */
	uint8_t wscale; /* valid with NET_OPT_WSCALE */
	uint8_t opts; /* NET_OPT_* that it has */
	uint8_t flags;
	uint8_t n_sack;
	uint8_t bad; /* option list is broken: what was read before stays */
	const uint8_t *sack;
	struct span part[2];
};

static inline int
seq_lt(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static inline int
seq_leq(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) <= 0;
}

static inline uint32_t
min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t
max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static inline uint32_t
tcp_tick(uint64_t now_tsc)
{
	return (uint32_t)(now_tsc >> WHEEL_SHIFT);
}

/* Timestamp clock. The TSC never goes back while the machine is up, so the clock is monotonic for
 * each tuple, over restarts of the program too. */
static inline uint32_t
tcp_ts(const struct tcp *t, uint64_t now_tsc)
{
	return (uint32_t)(((unsigned __int128)now_tsc * t->ms_per_tsc_q64) >> 64);
}

static inline struct tcp_loss *
tcp_loss_of(const struct tcp *t, const struct tcp_conn *c)
{
	return &t->loss[c->x_loss];
}

static inline struct tcp_ooo *
tcp_ooo_at(const struct tcp *t, uint32_t x)
{
	return (struct tcp_ooo *)(void *)(t->ooo + (size_t)x * TCP_OOO_BYTES);
}

/* Due time `ticks` from now; the started tick is added, so that nothing is early; 0 means none. */
static inline uint32_t
tcp_due(uint32_t tick, uint32_t ticks)
{
	uint32_t due = tick + 1 + ticks;

	return due == 0 ? 1 : due;
}

void tcp_wheel_set(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t due);

/* The entry stays where it is when it is early enough: tcp_timer() looks again. */
static inline void
tcp_wheel_need(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t due)
{
	if (unlikely_(!wheel_link_armed(&c->link) || seq_lt(due, c->wheel_due)))
		tcp_wheel_set(t, x, c, due);
}

static inline void
tcp_rto_set(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick, uint32_t ticks)
{
	c->rto_due = tcp_due(tick, ticks);
	tcp_wheel_need(t, x, c, c->rto_due);
}

/* RTO doubled n times, within the limit. */
static inline uint32_t
tcp_backoff(const struct tcp *t, uint32_t rto, uint32_t n)
{
	uint64_t ticks = (uint64_t)rto << min_u32(n, TCP_BACKOFF_MAX);

	return ticks > t->rto_max ? t->rto_max : (uint32_t)ticks;
}

static inline uint32_t
tcp_peer_shift(const struct tcp_conn *c)
{
	return c->scales & 0xf;
}

static inline uint32_t
tcp_our_shift(const struct tcp_conn *c)
{
	return c->scales >> 4;
}

/* Receive buffer that we promise. Without scaling the field ends at 65535. */
static inline uint32_t
tcp_rcv_space(const struct tcp *t, const struct tcp_conn *c)
{
	return min_u32(t->cfg.rcv_wnd, 0xffffu << tcp_our_shift(c));
}

/* Everything we shall ever send so far, FIN included. */
static inline uint32_t
tcp_snd_all(const struct tcp_conn *c)
{
	return c->snd_end + !!(c->flags & TCP_CONN_END);
}

/* Bytes that the next segment from snd_nxt may carry now, 0 when nothing may go. A segment cut
 * short by the window (not by the end of the stream) waits while anything is in flight, or for at
 * least half a segment of room (sender's silly window avoidance, RFC 9293 section 3.8.6.2.1); the
 * persist timer overrides that, and a retransmission takes what room there is. */
static inline uint32_t
tcp_next_len(const struct tcp_conn *c)
{
	uint32_t flight = c->snd_nxt - c->snd_una;
	uint32_t edge = c->cwnd;
	uint32_t room;
	uint32_t n;

	if (!seq_lt(c->snd_nxt, c->snd_end))
		return 0;
	/* limited transmit (RFC 3042): one new segment for each of the first two duplicates */
	if (unlikely_(c->flags2 & TCP_CONN2_SLOW) && c->n_dupacks <= 2 &&
		c->snd_nxt == c->snd_max && !(c->flags & TCP_CONN_RECOVERY))
		edge += (uint32_t)c->n_dupacks * c->mss;
	if (edge > c->snd_wnd)
		edge = c->snd_wnd;
	room = edge > flight ? edge - flight : 0;
	n = min_u32(c->snd_end - c->snd_nxt, c->mss);
	if (likely_(room >= n))
		return n;
	if (flight == 0 && (room >= c->mss / 2u || c->snd_nxt != c->snd_max))
		return room;
	return 0;
}

static inline int
tcp_fin_next(const struct tcp_conn *c)
{
	return (c->flags & TCP_CONN_END) && c->snd_nxt == c->snd_end;
}

static inline int
tcp_wants(const struct tcp_conn *c)
{
	if ((c->flags & TCP_CONN_ACK_NOW) ||
		(c->flags2 & (TCP_CONN2_FAST | TCP_CONN2_PROBE | TCP_CONN2_RST)))
		return 1;
	if (unlikely_(c->state <= TCP_SYN_RCVD))
		return c->state != TCP_CLOSED && c->snd_nxt == c->iss;
	if (c->snd_nxt == tcp_snd_all(c))
		return 0;
	return tcp_next_len(c) != 0 || tcp_fin_next(c);
}

static inline void
tcp_result_clear(struct tcp_result *res)
{
	res->events = 0;
	res->acked = 0;
	res->n_spans = 0;
	res->x_tw = TCP_NONE;
	res->state = TCP_CLOSED;
}

static inline void
tcp_span_add(struct tcp_result *res, const uint8_t *p, uint32_t n)
{
	assert_(res->n_spans < TCP_SPANS_MAX);
	res->span[res->n_spans].p = p;
	res->span[res->n_spans].n = n;
	res->n_spans++;
}

/* conn.c */
void tcp_gone(struct tcp_conn *c, struct tcp_result *res, uint32_t event);
void tcp_time_wait(struct tcp *t, struct tcp_conn *c, uint64_t now_tsc, struct tcp_result *res);
void tcp_fin_wait2(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick);
int tcp_limiter_take(
	struct tcp_limiter *l, uint32_t tick, uint32_t ticks_per_token, uint32_t burst);
uint32_t tcp_isn(const struct tcp *t, const struct tcp_tuple *tuple, uint64_t now_tsc);

/* timer.c */
void tcp_persist_need(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick);

/* options.c */
void tcp_seg_read(struct seg_in *s, const struct net_view *v, const struct span *frag);
void tcp_seg_trim_left(struct seg_in *s, uint32_t n);
void tcp_seg_trim_right(struct seg_in *s, uint32_t len);
void tcp_options_take(struct tcp *t, struct tcp_conn *c, const struct seg_in *s);

/* syn.c */
void tcp_syn_sent_in(struct tcp *t, uint32_t x, struct tcp_conn *c, struct seg_in *s,
	uint64_t now_tsc, struct tcp_result *res);
int tcp_syn_rcvd_in(struct tcp *t, uint32_t x, struct tcp_conn *c, struct seg_in *s,
	uint64_t now_tsc, struct tcp_result *res);
int tcp_ack_limited(struct tcp *t, struct tcp_conn *c, uint64_t now_tsc);
void tcp_challenge(struct tcp *t, struct tcp_conn *c, uint64_t now_tsc);

/* ack.c */
int tcp_ack_in(struct tcp *t, uint32_t x, struct tcp_conn *c, const struct seg_in *s,
	uint64_t now_tsc, struct tcp_result *res);

/* rtt.c */
void tcp_rtt_sample(struct tcp *t, struct tcp_conn *c, uint32_t us);
uint32_t tcp_ticks_to_us(const struct tcp *t, uint32_t ticks);
uint32_t tcp_cwnd_initial(const struct tcp *t, const struct tcp_conn *c);
void tcp_cwnd_avoid(struct tcp_conn *c);
void tcp_cwnd_rto(struct tcp *t, struct tcp_conn *c);
void tcp_cwnd_fast(struct tcp *t, struct tcp_conn *c);
void tcp_cwnd_idle(struct tcp *t, struct tcp_conn *c, uint32_t tick);

/* reasm.c */
struct tcp_loss *tcp_loss_take(struct tcp *t, struct tcp_conn *c);
void tcp_loss_settle(struct tcp *t, struct tcp_conn *c);
void tcp_loss_free(struct tcp *t, struct tcp_conn *c);
void tcp_reasm_hold(struct tcp *t, struct tcp_conn *c, struct seg_in *s);
int tcp_reasm_deliver(struct tcp *t, struct tcp_conn *c, struct seg_in *s, struct tcp_result *res);
void tcp_reasm_end(struct tcp *t, struct tcp_conn *c);
uint32_t tcp_rcv_edge(const struct tcp *t, const struct tcp_conn *c);

/* sack.c */
uint8_t tcp_sack_blocks(
	const struct tcp *t, const struct tcp_conn *c, uint32_t (*sack)[2], uint32_t n);
void tcp_sack_in(struct tcp *t, struct tcp_conn *c, const struct seg_in *s);
void tcp_sack_forget(struct tcp *t, struct tcp_conn *c);
void tcp_sack_acked(struct tcp *t, struct tcp_conn *c);
int tcp_sack_hole(const struct tcp *t, const struct tcp_conn *c, uint32_t *seq, uint32_t *len);
uint32_t tcp_sack_skip(const struct tcp *t, struct tcp_conn *c, uint32_t len);

/* Slow start by bytes (RFC 3465, L = 2; 1 after a timeout) while the window is what limits us, that
 * is, more than half of it was in flight; then congestion avoidance. */
static inline void
tcp_cwnd_grow(struct tcp_conn *c, uint32_t acked, uint32_t flight)
{
	uint32_t most;

	if (flight < c->cwnd / 2)
		return;
	if (likely_(c->cwnd < c->ssthresh)) {
		most = c->flags2 & TCP_CONN2_RECOVER ? c->mss : 2u * c->mss;
		c->cwnd += min_u32(acked, most);
	} else {
		tcp_cwnd_avoid(c);
	}
}

/* Delayed ACK: at once with the n-th segment, else by timer (RFC 9293 section 3.8.6.3). */
static inline void
tcp_ack_later(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick)
{
	if (++c->n_unacked >= t->cfg.delayed_ack_segs) {
		c->flags |= TCP_CONN_ACK_NOW;
	} else if (c->ack_due == 0) {
		c->ack_due = tcp_due(tick, t->delayed_ack_ticks);
		tcp_wheel_need(t, x, c, c->ack_due);
	}
}

#ifdef __cplusplus
}
#endif
#endif
