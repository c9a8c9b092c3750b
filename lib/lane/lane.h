/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A lane: one role on one queue. Frames in, frames out: pacing, launch, TCP, HTTP, timers, chores.
 * Pure: a whole run works in virtual time; packet buffers, ports and clocks belong to the engine.
 * OWNER: one worker. Memory from one arena, taken before the start. Cross-lcore fields say who
 * writes them. doc/design/lane.rst.
 */
#ifndef LANE_H
#define LANE_H

#include "agent.h"
#include "lane_counters.h"
#include "load_body.h"
#include "load_plan.h"
#include "net_host.h"
#include "stats_cell.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LANE_BURST 64
#define LANE_HEAD_ROOM 2048 /* bytes that a frame buffer must hold: MTU 1500 and its headers */

/** One received frame. The engine keeps its buffer until lane_rx() returns. */
struct lane_in {
	const uint8_t *frame; /* Ethernet header first */
	struct span frag; /* continuation in a second buffer, n = 0: none */
	uint16_t len; /* bytes at frame */
	uint8_t csum_good; /* the port verified IP and TCP checksums */
	uint8_t redirected; /* came through the news ring */
	uint8_t owner; /* set by lane_rx(): lane to hand it to, or the lane's own number */
};

/** One frame to send. buf is the engine's, given before lane_tx(). */
struct lane_frame {
	uint8_t *buf;
	const uint8_t
		*body; /* body_len bytes that follow buf's len (zero copy), constant for the run */
	uint16_t len;
	uint16_t body_len;
	uint32_t x_slot; /* private: transaction whose first packet this is */
	uint32_t gen; /* private */
};

/** What a lane learned and others must hear, drained by the engine after each turn. */
struct lane_news {
	uint32_t addr;
	uint8_t mac[6];
};

enum lane_state {
	LANE_WAIT, /* resolve neighbours, answer; no launches */
	LANE_RUN,
	LANE_DRAIN, /* no launches; finish what is in flight */
	LANE_CLOSE, /* fail what is left (cut), close or reset all connections */
};

/** The dial: what control tells a lane. Immutable once published; adopted at the next chore. */
struct lane_dial {
	uint64_t t0_tsc; /* of the line */
	double per_sec; /* this lane's share of the offered rate at t0 */
	double per_sec2; /* its slope */
	uint64_t stop_tsc; /* nothing is due at or after; UINT64_MAX */
	uint64_t quota; /* launches of this lane, ever; UINT64_MAX */
	uint32_t n_robots; /* best effort: robots of this lane that run */
	uint8_t state; /* enum lane_state */
	uint8_t measured;
	uint16_t x_phase;
};

/** Published by the lane each ms, read by control: goals, neighbour state, end of drain. */
struct lane_probe {
	uint64_t scheduled; /* writer: lane, reader: control; monotonic, may tear against each other
			     */
	uint64_t sent;
	uint64_t completed;
	uint64_t failed;
	uint64_t dropped;
	uint64_t activity; /* frames with TCP seen */
	uint32_t unresolved_addr; /* a next hop without MAC, 0: none */
	uint32_t n_conns; /* blocks in use */
} CACHE_ALIGNED;

/** Snapshot of a lane: control raises req; the lane copies, flips its cells and sets done = req.
 * The copy and the retired cells belong to control until it raises req again (cells cleared by
 * then). */
struct lane_snap {
	uint64_t req CACHE_ALIGNED; /* writer: control */
	uint64_t done CACHE_ALIGNED; /* writer: lane */
	uint64_t beg_tsc;
	uint64_t end_tsc;
	struct lane_counters counters;
	struct cell_set *retired;
};

/** Cycle counts per stage of lane_turn, when asked for. */
enum lane_stage {
	LANE_ST_RX,
	LANE_ST_TIMERS,
	LANE_ST_LAUNCH,
	LANE_ST_TX,
	LANE_ST_CHORES,
	LANE_ST_N
};

struct lane_config {
	const struct plan *plan;
	enum plan_role role;
	uint16_t x_lane; /* 0..n_lanes-1 within the role */
	uint16_t n_lanes;
	struct tick_rate rate;
	const struct net_iface *iface; /* of the role's port */
	uint32_t n_ifaces;
	const struct body_pattern *body;
	uint8_t zero_copy; /* the port takes a second segment: bodies are not copied */
	uint8_t stage_cycles;
	uint8_t resolver; /* this lane asks for neighbours (one lane per port and role) */
};

struct lane;

/** Bytes a lane needs, then build it in an arena of at least that (zeroed) size. */
size_t lane_memory(const struct lane_config *cfg);
/** INIT. @return the lane, in the arena; NULL with *e filled. */
struct lane *lane_new(
	const struct lane_config *cfg, struct arena *a, uint64_t now_tsc, struct err *e);

/** INIT. Give back what is not in the arena (message templates). */
void lane_fini(struct lane *l);

/** Received burst, n <= LANE_BURST. @param now clock read after the burst was taken. */
void lane_rx(struct lane *l, struct lane_in *in, uint32_t n, uint64_t now);
/** Timers due, then launches due. @param tx_ready 0 while the port refuses: no launches. */
/** */
void lane_timers(struct lane *l, uint64_t now);
void lane_launch(struct lane *l, uint64_t now, int tx_ready);
/** Write frames into f[0..n).buf. @return how many. Each must later be reported by lane_sent(). */
uint32_t lane_tx(struct lane *l, struct lane_frame *f, uint32_t n, uint64_t now);
/** The port took f[0..n) at `now`: stamps "sent". */
void lane_sent(struct lane *l, const struct lane_frame *f, uint32_t n, uint64_t now);
/** Once per turn; does its work once per ms. */
void lane_chores(struct lane *l, uint64_t now);

/** News for other lanes of the same port. @return count taken (<= n). */
uint32_t lane_news_take(struct lane *l, struct lane_news *news, uint32_t n);
void lane_news_give(struct lane *l, const struct lane_news *news, uint64_t now);

/** Earliest time at which the lane has something to do without input (for idling). */
uint64_t lane_next_due(const struct lane *l);

/** Control side. A dial must stay valid until lane_dial_adopted() says that a later one is in use.
 */
void lane_dial_publish(struct lane *l, const struct lane_dial *d);
const struct lane_dial *lane_dial_adopted(const struct lane *l);
const struct lane_probe *lane_probe_get(const struct lane *l);
struct lane_snap *lane_snap_get(struct lane *l);
/** Port-side counters that the engine keeps for this lane, in the lane's own struct: OWNER writes.
 */
struct lane_counters *lane_counters_get(struct lane *l);
const uint64_t *lane_stage_tsc(const struct lane *l); /* [LANE_ST_N] */

/** True when everything is back: no connection, slot or parked block. TIME-WAIT was dropped. */
int lane_is_baseline(const struct lane *l, char *why, uint32_t size);

/** Failed transactions by unexpected status code, [500] for 100..599; OWNER counts, CTL reads after
 * the end or as a level of its own. */
const uint64_t *lane_failed_status(const struct lane *l);

#ifdef __cplusplus
}
#endif
#endif
