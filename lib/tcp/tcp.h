/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * TCP (RFC 9293) without messages, packet buffers or clocks: a connection block, segments in,
 * segments out. It never calls up: what happened is in `struct tcp_result`. It has no send buffer:
 * the agent extends or ends the stream, TCP names the bytes by stream offset, and a retransmission
 * takes the same path. OWNER: one lcore owns a `struct tcp` and all its blocks; memory comes from
 * the lane's arena. doc/design/tcp.rst.
 */
#ifndef TCP_H
#define TCP_H

#include "base_arena.h"
#include "base_tick.h"
#include "base_wheel.h"
#include "net_frame.h"
#include "net_view.h"
#include "tcp_counters.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TCP_NONE UINT32_MAX

/** RFC 9293 section 3.3.2. TIME-WAIT has no block: see tcp_tw. */
enum tcp_state {
	TCP_CLOSED,
	TCP_SYN_SENT,
	TCP_SYN_RCVD,
	TCP_ESTABLISHED,
	TCP_FIN_WAIT_1,
	TCP_FIN_WAIT_2,
	TCP_CLOSE_WAIT,
	TCP_CLOSING,
	TCP_LAST_ACK,
};

/** Congestion control of the sender. */
enum tcp_cc {
	TCP_CC_RENO, /* slow start, congestion avoidance, fast retransmit (RFC 5681) */
	TCP_CC_NONE, /* the peer's window only: a lab option, printed with the result */
};

struct tcp_config {
	uint16_t mss; /* we announce it, and never send more; 48..9216 */
	uint8_t wscale; /* 0..14: our receive shift */
	uint8_t cc; /* enum tcp_cc */
	uint32_t rcv_wnd; /* receive window, bytes, <= 1 GiB */
	uint32_t initial_window_segs; /* 10 */
	uint32_t syn_retries; /* SYNs after the first: 1, 2, 4 s ... */
	uint32_t data_retries; /* retransmissions of one segment before giving up (R2) */
	uint64_t rto_initial_ns; /* 1 s, RFC 6298 */
	uint64_t rto_min_ns; /* 200 ms */
	uint64_t rto_max_ns; /* 60 s */
	uint64_t delayed_ack_ns; /* 40 ms; 0: acknowledge at once */
	uint32_t delayed_ack_segs; /* 2 */
	uint64_t fin_wait2_ns; /* 60 s */
	uint64_t time_wait_ns; /* 2 MSL as we keep it */
	uint8_t timestamps; /* RFC 7323: offer and accept */
	uint8_t sack; /* RFC 2018: offer and accept */
	uint8_t tw_reuse; /* a SYN with larger ISN or timestamp reopens (RFC 6191) */
	uint64_t isn_key; /* RFC 6528 */
};

/** What segment_in and timer report; several bits at once, in this order of meaning. */
#define TCP_EV_ESTABLISHED 0x0001 /* handshake complete (either side) */
#define TCP_EV_DATA 0x0002 /* in-order payload in spans, consumed before the next call */
#define TCP_EV_ACKED 0x0004 /* res.acked stream bytes are acknowledged */
#define TCP_EV_FIN 0x0008 /* peer ended its stream; comes once, after all its data */
#define TCP_EV_RESET 0x0010 /* peer reset; state CLOSED */
#define TCP_EV_REFUSED 0x0020 /* reset in answer to our SYN; state CLOSED */
#define TCP_EV_TIMEOUT 0x0040 /* retries used up; state CLOSED; res.state tells where */
#define TCP_EV_APP 0x0080 /* the agent's own timer (app_due) is due */
#define TCP_EV_OUTPUT 0x0100 /* tcp_output() has something to say */
/* Connection is over: send tcp_output()'s last words, then tcp_give(); res.x_tw names its TIME-WAIT
 * entry, or TCP_NONE. Comes with RESET, REFUSED and TIMEOUT too. */
#define TCP_EV_GONE 0x0200
#define TCP_EV_NEW 0x0400 /* tcp_tw_segment(): SYN may open a new connection here */

/** Spans of one result: the segment's two and one for each block that may be held out of order. */
#define TCP_SPANS_MAX 32

struct tcp_result {
	uint32_t events;
	uint32_t acked;
	uint32_t n_spans;
	uint32_t x_tw;
	uint8_t state; /* state in which TIMEOUT, RESET or REFUSED struck */
	struct span span[TCP_SPANS_MAX];
};

/** Line 0 is touched for each segment, line 1 on timers, RTT samples and loss. */
struct tcp_conn {
	/* line 0 */
	uint32_t x_peer; /* the lane's number of the peer's address */
	uint32_t x_local; /* number of our address in the role's range */
	uint16_t lport; /* host order */
	uint16_t pport;
	uint8_t state; /* enum tcp_state */
	uint8_t flags; /* TCP_CONN_* */
	uint8_t scales; /* low nibble: peer's shift (SND.WND), high: ours */
	uint8_t flags2; /* TCP_CONN2_* */
	uint32_t snd_una; /* RFC 9293 section 3.3.1 */
	uint32_t snd_nxt;
	uint32_t snd_end; /* sequence number behind the last byte of the stream so far, no FIN */
	uint32_t snd_wnd; /* scaled */
	uint32_t snd_wl1;
	uint32_t snd_max; /* highest SND.NXT so far: a timeout pulls snd_nxt back to snd_una.
			     SND.WL2 is not kept: it never exceeds snd_una, and older ACKs do not
			     get that far */
	uint32_t rcv_nxt;
	uint32_t rcv_adv; /* right edge that we advertised */
	uint32_t cwnd; /* bytes */
	uint32_t ts_recent;
	uint32_t last_ack_sent;
	uint16_t mss; /* payload bytes of a full segment, options subtracted */
	uint16_t route; /* the lane's next hop number */
	/* line 1 */
	struct wheel_link link; /* one entry, at the earliest due time below */
	uint32_t rto_due; /* wheel ticks (tsc >> WHEEL_SHIFT), 0 = none; compare wrap-safe */
	uint32_t ack_due;
	uint32_t app_due;
	uint32_t srtt; /* us << 3 */
	uint32_t rttvar; /* us << 2 */
	uint32_t rto; /* wheel ticks, backoff excluded */
	uint32_t rtt_seq; /* Karn: sequence that ends the sample, when one runs */
	uint32_t rtt_tick; /* wheel ticks at its sending */
	uint32_t ssthresh;
	uint32_t recover; /* RFC 6582 */
	uint32_t iss;
	uint32_t wheel_due; /* tick of the wheel entry, while there is one */
	uint32_t x_loss; /* loss block, TCP_NONE while nothing is missing */
	uint8_t n_rexmit; /* retransmissions of SND.UNA, or unanswered probes, so far */
	uint8_t n_dupacks;
	uint8_t n_unacked; /* segments received since our last ACK */
	uint8_t n_probes; /* window probes so far: the exponent of their back-off */
} CACHE_ALIGNED;
static_assert_(sizeof(struct tcp_conn) == 128, "two cache lines");
static_assert_(offsetof(struct tcp_conn, link) == 64, "line 1 starts with the wheel link");

#define TCP_CONN_TS 0x01 /* timestamps negotiated */
#define TCP_CONN_SACK 0x02 /* SACK negotiated */
#define TCP_CONN_END 0x04 /* agent ended the stream: FIN follows snd_end */
#define TCP_CONN_ACK_NOW 0x08 /* an ACK must go at once */
#define TCP_CONN_FIN_RCVD 0x10 /* peer's FIN is in rcv_nxt */
#define TCP_CONN_ACTIVE 0x20 /* we opened it */
#define TCP_CONN_RECOVERY 0x40 /* fast recovery until `recover` */
#define TCP_CONN_READY 0x80 /* belongs to the lane: it is in the output queue */

/** One segment to send. TCP fills tx but addresses, MACs and ttl; payload = [off, off + len) of the
 * stream (first byte of the stream = 0, modulo 2^32). */
struct tcp_seg {
	struct net_tx tx;
	uint32_t off;
	uint16_t len;
};

/** 32 bytes per connection in TIME-WAIT. */
struct tcp_tw {
	uint32_t x_peer;
	uint32_t x_local;
	uint16_t lport;
	uint16_t pport;
	uint32_t snd_nxt;
	uint32_t rcv_nxt;
	uint32_t ts_recent; /* 0 with no timestamps */
	uint32_t due; /* wheel ticks */
	uint16_t route;
	uint8_t flags; /* TCP_TW_* */
	uint8_t scale;
};
static_assert_(sizeof(struct tcp_tw) == 32, "two entries per cache line");
#define TCP_TW_LIVE 0x01
#define TCP_TW_ACTIVE 0x02
#define TCP_TW_TS 0x04

struct tcp_ooo; /* private: pool of 2 KB blocks for out-of-order payload */
struct tcp_loss; /* private: 128 B, exists while a hole or recovery does */

/** Token bucket in wheel ticks. */
struct tcp_limiter {
	uint32_t tokens;
	uint32_t tick;
};

struct tcp {
	struct tcp_config cfg; /* as given, out-of-range values brought into range */
	struct tick_rate rate;
	struct tcp_conn *conn;
	uint32_t n_conns; /* capacity */
	uint32_t n_used;
	uint32_t x_free; /* list through link.next */
	struct wheel wheel; /* over conn[].link */
	struct tcp_tw *tw; /* ring: [tw_tail, tw_head) */
	uint32_t cap_tw; /* power of two */
	uint32_t tw_head;
	uint32_t tw_tail;
	struct tcp_loss *loss;
	uint32_t n_loss;
	uint32_t x_free_loss;
	uint8_t *ooo; /* blocks */
	uint32_t n_ooo;
	uint32_t x_free_ooo;
	uint32_t n_ooo_used;
	uint32_t x_spent_ooo; /* delivered blocks, readable until the next call that needs blocks */
	uint32_t n_spent_ooo;
	uint32_t delayed_ack_ticks;
	uint32_t ticks_per_ms;
	uint32_t rto_initial; /* wheel ticks, as all below */
	uint32_t rto_min;
	uint32_t rto_max;
	uint32_t rto_syn_lost; /* RFC 6298 (5.7): 3 s */
	uint32_t fin_wait2_ticks;
	uint32_t time_wait_ticks;
	uint32_t tw_high; /* entries above this are handed out early */
	uint32_t us_per_tick_q20;
	uint32_t pad;
	uint64_t tick_per_us_q32;
	uint64_t ms_per_tsc_q64; /* timestamp clock, 1 ms */
	uint64_t isn_per_tsc_q64; /* ISN clock, 4 us */
	struct tcp_limiter challenge;
	struct tcp_limiter stray;
	struct tcp_counters *counters;
};

/** Sizes of the pools, from the plan. */
struct tcp_sizes {
	uint32_t n_conns;
	uint32_t n_tw; /* rounded up to a power of two */
	uint32_t n_loss;
	uint32_t n_ooo;
};

/** INIT. Measures or builds, as the arena does; call arena_ok() after. */
void tcp_init(struct tcp *t, const struct tcp_config *cfg, const struct tcp_sizes *sizes,
	const struct tick_rate *rate, struct tcp_counters *c, uint64_t now_tsc, struct arena *a);

/** The 4-tuple, host order: for the ISN and nothing else. */
struct tcp_tuple {
	uint32_t laddr;
	uint32_t paddr;
	uint16_t lport;
	uint16_t pport;
};

/** Open actively: SYN-SENT, the SYN comes from tcp_output(). @return block, TCP_NONE when the pool
 * is empty (counted conn_exhausted). */
uint32_t tcp_open(struct tcp *t, const struct tcp_tuple *tuple, uint32_t x_local, uint32_t x_peer,
	uint16_t route, uint64_t now_tsc);

/** Open passively for a SYN: SYN-RECEIVED; the SYN-ACK comes from tcp_output(). Data and FIN on the
 * SYN are ignored. @param iss_above 0, or (reopening from TIME-WAIT) the ISN must be larger. */
uint32_t tcp_accept(struct tcp *t, const struct tcp_tuple *tuple, uint32_t x_local, uint32_t x_peer,
	uint16_t route, const struct net_view *syn, uint32_t iss_above, uint64_t now_tsc);

/** One received segment for block x. @param frag second part of the payload, or NULL. */
void tcp_segment_in(struct tcp *t, uint32_t x, const struct net_view *v, const struct span *frag,
	uint64_t now_tsc, struct tcp_result *res);

/** Block x came out of the wheel (wheel_expire on t->wheel): run what is due, re-arm the rest. */
void tcp_timer(struct tcp *t, uint32_t x, uint64_t now_tsc, struct tcp_result *res);

/** n more bytes belong to the stream; at most 2^30 may be unacknowledged. Not after tcp_stream_end.
 */
void tcp_stream_extend(struct tcp *t, uint32_t x, uint32_t n_bytes);

/** No more bytes: FIN after the last one (rides on it when it fits). */
void tcp_stream_end(struct tcp *t, uint32_t x);

/** Bytes of the stream handed to the network at least once: snd_max as a stream offset. */
static inline uint32_t
tcp_stream_sent(const struct tcp_conn *c)
{
	uint32_t sent = c->snd_max - c->iss;
	uint32_t all = c->snd_end - c->iss;

	return sent == 0 ? 0 : (sent < all ? sent : all) - 1; /* neither SYN nor FIN */
}

/** Abort: state CLOSED at once. @return 1 and an RST in *seg when the peer must be told, else 0.
 * The caller then gives the block back. */
int tcp_abort(struct tcp *t, uint32_t x, struct tcp_seg *seg);

/** Agent's timer: TCP_EV_APP at due_tsc (never early), 0 disarms. One per connection; at most 2^30
 * wheel ticks (2 hours at 2.4 GHz) after the wheel's time: later is brought down to that. */
void tcp_app_due(struct tcp *t, uint32_t x, uint64_t due_tsc);

/** True when tcp_output() would return something. Cheap. */
int tcp_wants_output(const struct tcp *t, uint32_t x);

/** Segments to send now: retransmissions, new data within windows, FIN, ACK. @param data_ok 0: only
 * control segments (no payload). @return how many (0..n); call again later while it returns n. */
uint32_t tcp_output(
	struct tcp *t, uint32_t x, uint64_t now_tsc, int data_ok, struct tcp_seg *seg, uint32_t n);

/** The agent does not take these in-order bytes of the last result now: they are copied and the
 * window closes by them. In-order payload that arrives while bytes are parked is parked behind them
 * without an event; FIN waits for tcp_unpark() too (a FIN that came with the parked bytes is told
 * again). Spans of a result with TCP_EV_GONE cannot be parked.
 * @return 0, or -1 when no block is free (the caller aborts). */
int tcp_park(struct tcp *t, uint32_t x, const struct span *s, uint32_t n_spans);
/** Deliver parked bytes, at most 4 spans a call: call until a result has no TCP_EV_DATA. That last
 * one may have TCP_EV_FIN and TCP_EV_GONE. What is not taken of a result may be parked again. */
void tcp_unpark(struct tcp *t, uint32_t x, struct tcp_result *res);

/** An ICMP "fragmentation needed" for a segment of ours (RFC 1191): segments get smaller and are
 * sent again at once. Ignored unless seq is in flight and mtu is in [552, current size). @return 1
 * when tcp_output() has something to say. */
int tcp_path_mtu(struct tcp *t, uint32_t x, uint32_t seq, uint16_t mtu);

/** Give block x back. Its wheel entry, loss and out-of-order blocks are released too. */
void tcp_give(struct tcp *t, uint32_t x);

/** Segment for a TIME-WAIT entry. May return a segment to send (1) in *seg. res->events has
 * TCP_EV_NEW when the SYN may reopen (the caller drops the entry by tcp_tw_drop() and accepts with
 * iss_above = entry's snd_nxt); RST is ignored (RFC 1337). */
int tcp_tw_segment(struct tcp *t, uint32_t x_tw, const struct net_view *v, uint64_t now_tsc,
	struct tcp_result *res, struct tcp_seg *seg);
void tcp_tw_drop(struct tcp *t, uint32_t x_tw);
static inline const struct tcp_tw *
tcp_tw_at(const struct tcp *t, uint32_t x_tw)
{
	return &t->tw[x_tw & (t->cap_tw - 1)];
}
/** Take out entries that are over, oldest first (dropped ones are skipped silently). The caller
 * clears its demultiplexing, which holds the entries' numbers x_tw. Above 15/16 of the ring the
 * oldest are handed out early (tw_recycled), so that new ones find room; a connection that finds
 * none (a full ring between two calls) ends without an entry, x_tw = TCP_NONE, counted the same.
 * @return how many. */
uint32_t tcp_tw_expire(
	struct tcp *t, uint64_t now_tsc, struct tcp_tw *out, uint32_t *x_tw, uint32_t n);
/** Ring entries now, dropped ones that are not yet skipped included. */
static inline uint32_t
tcp_tw_count(const struct tcp *t)
{
	return t->tw_head - t->tw_tail;
}

/** Reply to a segment that belongs to nobody (RFC 9293 section 3.10.7.1): @return 1 and an RST in
 * *seg, or 0 (it was an RST itself, or the limiter of `*tokens` said no). */
int tcp_stray_reply(struct tcp *t, const struct net_view *v, struct tcp_seg *seg);

const char *tcp_state_name(enum tcp_state s);

/** Invariants of a block (SND.UNA <= SND.NXT, out-of-order list sorted, one timer, ...). For tests
 * and debug builds. @return NULL or what is wrong. */
const char *tcp_check(const struct tcp *t, uint32_t x);

#ifdef __cplusplus
}
#endif
#endif
