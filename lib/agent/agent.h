/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Robots and origins: transactions on TCP events, HTTP and the plan. One `struct agent` per lane.
 * A transaction slot holds everything needed to make any byte of its message again, frozen when its
 * first byte is scheduled; it lives until the last byte is acknowledged and the answer is judged.
 * OWNER: the lane's lcore. Memory from the lane's arena. doc/design/agent.rst.
 */
#ifndef AGENT_H
#define AGENT_H

#include "agent_counters.h"
#include "base_arena.h"
#include "http_message.h"
#include "load_body.h"
#include "load_pace.h"
#include "load_plan.h"
#include "net_flow.h"
#include "stats_cell.h"
#include "tcp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AGENT_NONE UINT32_MAX

/* Slot flags. */
#define AGENT_SLOT_SENT 0x01 /* its first packet was taken by the port */
#define AGENT_SLOT_RETRIED 0x02 /* second attempt after a stale connection */
#define AGENT_SLOT_ANSWERED 0x04 /* judged; waits for the acknowledgement of its last byte */
#define AGENT_SLOT_OWN 0x08 /* the reply is from an origin of ours */
#define AGENT_SLOT_BAD_BODY 0x10 /* content differed */
#define AGENT_SLOT_QUEUED 0x20 /* robot: waits for a connection */
#define AGENT_SLOT_STREAM 0x40 /* part of the stream: off is valid */
#define AGENT_SLOT_LAST 0x80 /* last message of its connection */

/** One transaction. Line 0 is the message and its times, line 1 the robot's reply parser. */
struct agent_slot {
	union {
		uint64_t due_tsc; /* robot: due; origin: when the reply may start */
		uint64_t extended; /* origin, once started: bytes of the message in the stream */
	};
	union {
		uint64_t sent_tsc; /* robot: first packet taken by the port */
		uint64_t pos; /* origin: message byte that stream offset `off` is */
	};
	union {
		uint64_t first_tsc; /* robot: first byte of the final reply */
		uint64_t told_size; /* origin: Content-Length that it states */
	};
	uint64_t oid;
	uint64_t xact; /* as sent in X-Xact */
	uint32_t body_len_lo; /* content bytes of our message, 40 bits */
	uint8_t body_len_hi;
	uint8_t flags;
	uint8_t x_template;
	uint8_t in_use;
	uint32_t off; /* stream offset of the message's first byte (origin: of byte `pos`) */
	uint32_t x_next; /* FIFO of the connection, queue of the robot, or free list */
	uint32_t x_owner; /* robot: robot number; origin: second of the Date field */
	uint32_t gen; /* grows on each free: stale references show */
	/* line 1 */
	struct http_response reply;
} CACHE_ALIGNED;
static_assert_(sizeof(struct agent_slot) == 128, "two cache lines");

static inline uint64_t
agent_slot_body(const struct agent_slot *s)
{
	return (uint64_t)s->body_len_hi << 32 | s->body_len_lo;
}

enum agent_conn_state {
	AGENT_CONN_FREE,
	AGENT_CONN_OPENING,
	AGENT_CONN_BUSY,
	AGENT_CONN_IDLE,
	AGENT_CONN_CLOSING, /* no further transactions; waiting for TCP to end it */
};

/** Beside each tcp_conn, same index. */
struct agent_conn {
	uint32_t x_head; /* FIFO of slots whose bytes are not all acknowledged or not answered */
	uint32_t x_tail;
	uint32_t x_current; /* robot: slot being answered; origin: first slot not in the stream yet
			     */
	uint32_t x_robot;
	uint32_t idle_next; /* robot's idle connections */
	uint32_t idle_prev;
	uint32_t x_target;
	uint32_t n_uses;
	uint32_t use_lmt;
	uint32_t x_request; /* origin: kept parser of a request that is not complete */
	uint64_t opened_tsc; /* robot: SYN taken by the port */
	uint8_t state; /* enum agent_conn_state */
	uint8_t flags; /* AGENT_CONN_F_* */
	uint16_t n_queued; /* origin: replies that are not acknowledged whole */
	uint8_t pad[12];
} CACHE_ALIGNED;
static_assert_(sizeof(struct agent_conn) == 64, "one cache line");
#define AGENT_CONN_F_ESTABLISHED 0x01
#define AGENT_CONN_F_PEER_CLOSED 0x02 /* FIN or RST came before ours */
#define AGENT_CONN_F_DEAF 0x04 /* what comes in is ignored: we are done with this stream */
#define AGENT_CONN_F_ENDED 0x08 /* tcp_stream_end() was called */
#define AGENT_CONN_F_ABORT 0x20 /* the lane resets it instead of asking for output */
#define AGENT_CONN_F_PARKED 0x40 /* origin: TCP keeps bytes that were not taken yet */
#define AGENT_CONN_F_CONTINUE 0x10 /* origin: 100 was sent for the request being read */

struct agent_robot {
	struct wheel_link link; /* best effort: pause after a failure */
	uint32_t x_idle; /* idle connections, newest first */
	uint32_t n_open; /* connections, in any state but free */
	uint32_t x_wait_head; /* slots that wait for a connection */
	uint32_t x_wait_tail;
	uint32_t x_local; /* its address */
	uint32_t n_failures; /* in a row */
};

/** Where robots connect to: origins, or the proxy with each origin behind it. */
struct agent_target {
	uint32_t addr;
	uint16_t port;
	uint16_t route;
	uint32_t x_peer;
	uint64_t uri_oid; /* what an origin of ours makes of --uri */
	struct http_template keep;
	struct http_template close;
};

/** Kept request parsers of origins (a request that did not come in one segment). */
struct agent_partial {
	struct http_request req;
	uint32_t x_next;
};

/** Reply templates: status x variant. */
#define AGENT_STATUSES 8
#define AGENT_VAR_CLOSE 1
#define AGENT_VAR_XACT 2
#define AGENT_VAR_KEEP10 4
#define AGENT_VARS 8

struct agent_sizes {
	uint32_t n_conns;
	uint32_t n_slots;
	uint32_t n_robots; /* of this lane */
	uint32_t n_partials;
};

struct agent {
	const struct plan *plan;
	enum plan_role role;
	uint16_t x_lane;
	uint16_t n_lanes;
	struct tcp *tcp;
	struct agent_counters *c;
	struct http_counters *hc;
	const struct body_pattern *body;
	struct tick_rate rate;
	struct cell_set *cells; /* active set: the lane flips it */
	struct agent_conn *conn;
	struct agent_slot *slot;
	uint32_t n_slots;
	uint32_t x_free_slot;
	uint32_t n_slots_used;
	/* connections with something to send; the lane drains it */
	uint32_t *ready; /* ring, capacity a power of two > n_conns */
	uint32_t ready_mask;
	uint32_t ready_head;
	uint32_t ready_tail;
	uint64_t timeout_tsc;
	uint64_t grace_tsc; /* wait for a FIN that the peer announced */
	bool draining;
	bool closing;
	/* robots */
	struct agent_robot *robot;
	uint32_t n_robots;
	struct wheel robot_wheel;
	struct agent_target *target;
	uint32_t n_targets;
	struct net_ports ports;
	struct pace pace;
	uint64_t n_launched; /* also the number of the next object that this lane introduces */
	uint64_t quota;
	uint32_t *again; /* best effort: robots that may launch, ring */
	uint32_t again_mask;
	uint32_t again_head;
	uint32_t again_tail;
	uint32_t n_started; /* best effort: robots started so far */
	uint64_t start_tsc;
	uint64_t key_robot;
	uint64_t key_origin;
	uint64_t key_use;
	uint64_t key_xact;
	uint64_t key_size;
	uint64_t key_verify;
	uint64_t n_conns_opened; /* draws of use_lmt */
	uint64_t verify_below; /* sample of bodies: compare when rng < this */
	/* origins */
	struct agent_partial *partial;
	uint32_t x_free_partial;
	uint64_t key_think;
	uint64_t n_replies;
	struct http_template reply[AGENT_STATUSES][AGENT_VARS];
	uint64_t utc0_ns; /* wall clock at tsc0: labels (Date) only */
	uint64_t tsc0;
	uint64_t date_s;
	char date[30];
	uint64_t failed_status[500]; /* unexpected status codes 100..599 */
};

/** INIT. Sizes of a lane's pools from the plan. */
void agent_sizes_of(const struct plan *p, enum plan_role role, uint16_t x_lane, uint16_t n_lanes,
	struct agent_sizes *s);
/** INIT. Measures or builds. Templates are made only when the arena has memory. tcp, counters, body
 * and rate must be set in *a. @return 0 or -errno. */
int agent_init(struct agent *a, const struct agent_sizes *s, uint64_t now_tsc, struct arena *m,
	struct err *e);
void agent_fini(struct agent *a);

/** The lane sets where targets are reached before the start. */
static inline struct agent_target *
agent_target_at(struct agent *a, uint32_t i)
{
	return &a->target[i];
}

/** Entries of blocks that were given back and taken again may fill the ring: keep one of each. */
void agent_ready_compact(struct agent *a);

/** Queue a connection for output (once). */
static inline void
agent_ready(struct agent *a, uint32_t x)
{
	struct tcp_conn *c = &a->tcp->conn[x];

	if (c->flags & TCP_CONN_READY)
		return;
	c->flags |= TCP_CONN_READY;
	if (unlikely_(a->ready_head - a->ready_tail > a->ready_mask))
		agent_ready_compact(a);
	a->ready[a->ready_head++ & a->ready_mask] = x;
}

/** True when the entry that the lane took from the ring stands for something to send: its block may
 * have gone back meanwhile, or be in the ring twice. */
static inline int
agent_ready_take(struct agent *a, uint32_t x)
{
	struct tcp_conn *c = &a->tcp->conn[x];

	if (a->conn[x].state == AGENT_CONN_FREE || !(c->flags & TCP_CONN_READY))
		return 0;
	c->flags &= (uint8_t)~TCP_CONN_READY;
	return 1;
}

/** Ask for the memory of the transaction that the next segment of connection x is about. */
static inline void
agent_prefetch(const struct agent *a, uint32_t x)
{
	uint32_t x_slot = a->conn[x].x_head;

	if (x_slot == AGENT_NONE)
		return;
	__builtin_prefetch(&a->slot[x_slot]);
	if (a->role == PLAN_CLIENT) {
		__builtin_prefetch(&a->slot[x_slot].reply);
		__builtin_prefetch(&a->robot[a->conn[x].x_robot]);
	}
}

/** What happened to connection x; may extend, end or abort its stream. */
void agent_event(struct agent *a, uint32_t x, struct tcp_result *res, uint64_t now);

/** Origin: requests of one connection that are answered at a time; what follows stays with TCP,
 * whose window closes by it. */
#define AGENT_PIPELINE_MAX 64

/** True when parked bytes of connection x may be taken now. */
static inline int
agent_hungry(const struct agent *a, uint32_t x)
{
	const struct agent_conn *ac = &a->conn[x];

	return (ac->flags & AGENT_CONN_F_PARKED) &&
	       ((ac->flags & AGENT_CONN_F_DEAF) || ac->n_queued < AGENT_PIPELINE_MAX / 2);
}

/** Take parked bytes; *res is what TCP had to say with them (FIN and GONE may be in it). */
void agent_feed(struct agent *a, uint32_t x, struct tcp_result *res, uint64_t now);

/** A SYN was accepted: prepare the agent's side of block x. */
void agent_accepted(struct agent *a, uint32_t x, uint64_t now);

/** Connection x is over (after its last words): settle its transactions; the caller frees the
 * block. */
void agent_gone(struct agent *a, uint32_t x, uint64_t now);

/** Launch what is due. @param n_max launches at most. */
void agent_launch(struct agent *a, uint64_t now, uint32_t n_max);
/** Best effort: timers of robots. */
void agent_timers(struct agent *a, uint64_t now);
/** Scheduled so far, brought up to date. */
uint64_t agent_scheduled(struct agent *a, uint64_t now);
/** When agent_launch() or agent_timers() next has work. */
uint64_t agent_next_due(const struct agent *a);

/** No more launches: what waits is dropped (drop_stop), idle connections are closed. */
void agent_drain(struct agent *a, uint64_t now);
/** Fail what is in flight (cut) and abort all connections. The lane sends the RSTs that
 * agent_close_one() makes. @return 1 while block x gave a segment. */
int agent_close_one(struct agent *a, uint32_t x, uint64_t now, struct tcp_seg *seg);

/**
 * Write payload [off, off + len) of connection x's stream to buf and add its checksum to *sum.
 * @param zero_copy when set, a body that ends the payload may stay where it is: *body, *body_len.
 * @return bytes written to buf. *x_slot gets a slot whose first byte is in the payload and that was
 * never sent, else AGENT_NONE.
 */
uint32_t agent_write(struct agent *a, uint32_t x, uint32_t off, uint32_t len, uint8_t *buf,
	uint64_t *sum, int zero_copy, const uint8_t **body, uint32_t *body_len, uint32_t *x_slot);

/** Slot on whose behalf a SYN goes out, AGENT_NONE if it was counted already. */
uint32_t agent_syn_slot(const struct agent *a, uint32_t x);
/** The port took the first packet of a slot. */
void agent_sent(struct agent *a, uint32_t x_slot, uint32_t gen, uint64_t now);

/** Levels that counters show: computed when a snapshot is made. */
void agent_levels(struct agent *a, uint64_t now);

#ifdef __cplusplus
}
#endif
#endif
