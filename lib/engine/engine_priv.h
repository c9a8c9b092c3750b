/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Structs of one run: workers (OWNER: their lcore) and control (CTL: the main lcore). What crosses
 * is marked; it goes through __atomic builtins, SPSC rings, or the lane's own hand-overs.
 */
#ifndef ENGINE_PRIV_H
#define ENGINE_PRIV_H

#include <rte_mbuf.h>
#include "engine.h"
#include "engine_phase.h"
#include "lane.h"
#include "port_eth.h"
#include "port_mem.h"
#include "report.h"

#define ENGINE_WORKERS_MAX PLAN_LANES_MAX
#define ENGINE_ROLES 2 /* index: SNAP_CLIENT, SNAP_SERVER */
#define ENGINE_STASH 512
#define ENGINE_TX_POOL 8191
#define ENGINE_BODY_POOL 4095
#define ENGINE_RX_POOL 8191
#define ENGINE_DIALS 4
#define ENGINE_WIRE 1024 /* frames in a ring of loop */

struct worker;
struct capture;

/** A lane with its port, queue and packet buffers. */
struct engine_lane {
	/* INIT, then read-only. */
	struct lane *lane;
	struct worker *worker;
	struct port *port;
	struct lane_counters *count;
	struct lane_snap *snap;
	struct port_mem mem;
	size_t memory;
	uint16_t port_id;
	uint16_t queue;
	uint16_t x_lane;
	uint8_t role; /* SNAP_CLIENT, SNAP_SERVER */
	uint8_t zero_copy;
	uint8_t csum_rx;
	double weight; /* client: share of the load, by robots */
	uint8_t reads_totals; /* queue 0: reports for the whole port */
	struct lane_config cfg;

	/* OWNER. */
	uint32_t x_hole CACHE_ALIGNED; /* tx[x_hole..n_hole) have no buffer */
	uint32_t n_hole;
	uint32_t x_pend; /* tx[x_pend..n_pend) wait for the port */
	uint32_t n_pend;
	uint64_t turn_tsc; /* start of the last turn */
	uint64_t chore_tsc;
	uint64_t chore_cpu_ns; /* of the thread, then */
	uint64_t chore_idle_tsc;
	uint64_t own_rx_errors; /* added to the port's */
	uint64_t busy_turns;
	uint64_t stage_tsc[LANE_ST_N];
	struct rte_mbuf *tx[LANE_BURST];
	struct lane_frame f[LANE_BURST];
	struct rte_mbuf *rx[LANE_BURST];
	struct lane_in in[LANE_BURST];

	/* CTL. */
	struct lane_dial dial[ENGINE_DIALS] CACHE_ALIGNED;
	struct lane_dial next; /* what is published next, edited in place */
	uint32_t x_dial;
	uint64_t quota_base;
	uint64_t last_end_tsc; /* end of the last snapshot */
	uint64_t *value; /* [LANE_N_VALUES] at the last snapshot */
	uint64_t *total; /* the same, MAX over the whole run */
};

enum worker_state {
	WORKER_NEW,
	WORKER_READY,
	WORKER_FAILED,
	WORKER_DONE
};

struct worker {
	/* INIT. */
	struct engine *eng;
	uint32_t x;
	unsigned int lcore;
	int cpu; /* -1: several */
	uint8_t idle; /* enum front_idle, never AUTO */
	uint32_t n_lanes;
	struct engine_lane *lane[ENGINE_ROLES];
	struct rte_mempool *tx_pool;
	struct rte_mempool *body_pool;
	struct rte_ring *news_in[ENGINE_WORKERS_MAX]; /* from worker i, NULL: itself */
	struct rte_ring *news_out[ENGINE_WORKERS_MAX]; /* to worker i */

	/* OWNER. */
	uint32_t n_stash CACHE_ALIGNED;
	uint32_t n_bodies;
	uint32_t n_empty; /* turns without work in a row */
	uint32_t n_free;
	uint64_t now; /* latest clock reading */
	uint64_t idle_tsc; /* given up for want of work */
	struct rte_mbuf *stash[ENGINE_STASH];
	struct rte_mbuf *bodies[ENGINE_STASH];
	struct rte_mbuf *to_free[2 * LANE_BURST];
	struct err err;

	/* Writer: worker; readers: control, EAL's interrupt thread. */
	int state CACHE_ALIGNED; /* enum worker_state */
	int tid;
	uint64_t n_turns; /* begun */
	uint64_t cpu_ns; /* thread CPU time, at the end */
};

/** Sums of one role over one window. CTL. */
struct window {
	uint64_t *delta; /* [n_lanes][LANE_N_VALUES] */
	uint64_t *sum; /* [LANE_N_VALUES], made when a row is written */
	double *lane_s; /* [n_lanes] length */
	struct cell_sum cells;
	double offered; /* by the plan, all lanes */
	uint64_t beg_tsc;
};
enum window_id {
	WIN_CONSOLE,
	WIN_CSV,
	WIN_PHASE,
	WIN_RUN,
	WIN_N
};

/** One role of the run. */
struct engine_role {
	uint32_t n_lanes;
	struct port port;
	struct net_iface iface[NET_IFACE_MAX];
	uint32_t n_ifaces;
	struct engine_lane *lane; /* [n_lanes] */
	struct rte_mempool *rx_pool[PORT_QUEUES_MAX];
	struct window win[WIN_N];
	uint64_t *all_total; /* [LANE_N_VALUES] */
	struct snap_scope *scope;
	bool role_is_server;
};

/** Walk of the phases. CTL. */
struct phase_walk {
	uint32_t x; /* phase that runs */
	uint64_t beg_ns; /* its start */
	uint32_t x_head; /* phase of the last published piece */
	uint64_t beg_head_ns;
	struct phase_piece piece[256]; /* recent ones, for the offered integral */
	uint32_t n_pieces; /* ever */
	uint64_t done_beg; /* transactions that had ended at the start of the phase */
	uint64_t failed_beg;
	bool quota_set;
};

enum run_end {
	END_NONE,
	END_GOALS,
	END_NEGATIVE,
	END_SIGNAL,
	END_IDLE,
	END_FATAL
};

struct engine {
	const struct engine_want *want;
	struct plan *plan;
	const struct front_run *run;
	struct tick_rate rate;
	struct port_eal eal;
	struct report_index *index;
	const struct body_pattern *body;
	uint64_t body_iova;
	uint32_t mem_mb; /* of packets */
	enum port_layout layout;
	uint32_t n_workers;
	struct worker *worker; /* [n_workers] */
	struct engine_role role[ENGINE_ROLES];
	bool split;
	bool eal_runs;
	char memif_path[108];
	char run_id[40];
	char host[64];

	/* Writer: control; readers: workers. */
	int stop CACHE_ALIGNED;
	bool workers_gone; /* control answers for them */
	int link_down; /* memif: the peer is away, frames are given up */

	/* CTL. */
	uint64_t t0_tsc CACHE_ALIGNED;
	uint64_t t0_mono_ns;
	uint64_t last_collect_tsc;
	uint64_t stop_tsc;
	uint64_t schedule_end_tsc; /* the stop, or later when the host took our time */
	struct tick_stamp start;
	struct tick_stamp last_stamp;
	double drift_ppm; /* worst */
	uint64_t next_console_tsc;
	uint64_t next_csv_tsc;
	uint64_t n_console;
	uint64_t n_csv;
	struct phase_walk walk;
	enum run_end end;
	char end_text[96];
	bool open_loop;
	bool drained; /* the schedule is over: the run's window keeps its length */
	bool incomplete; /* a result file could not be written */
	bool console_lost;
	uint64_t activity;
	uint64_t activity_tsc;
	struct report_csv *csv;
	struct report_counters *counters;
	struct capture *capture;
	struct err err;
};

/* setup.c, setup_lanes.c */
int engine_setup_start(struct engine *e);
int engine_setup_lanes(struct engine *e);
void engine_setup_fini(struct engine *e);

/* worker.c: @param arg struct worker. Returns when engine.stop is set. */
int engine_worker_main(void *arg);
/** Wait until every worker has left the bursts that it is in. @param arg struct engine. */
void engine_worker_quiesce(void *arg);
int engine_worker_lane_build(struct worker *w, struct engine_lane *l);

/* io.c: OWNER */
uint32_t engine_io_receive(struct worker *w, struct engine_lane *l);
uint32_t engine_io_send(struct worker *w, struct engine_lane *l);
void engine_io_take(struct worker *w, struct engine_lane *l, struct rte_mbuf *m, int redirected);
void engine_io_recycle(struct worker *w, struct rte_mbuf *m);
void engine_io_flush(struct worker *w, struct engine_lane *l);
void engine_io_flush_stash(struct worker *w);
void engine_io_free_now(struct worker *w);

/* news.c: OWNER */
int engine_news_new(struct engine *e);
uint32_t engine_news_read(struct worker *w);
void engine_news_redirect(
	struct worker *w, struct engine_lane *l, struct rte_mbuf *m, uint32_t owner);
void engine_news_spread(struct worker *w, struct engine_lane *l);
void engine_news_fini(struct engine *e);

/* idle.c */
uint8_t engine_idle_choose(const struct engine *e);
const char *engine_idle_text(uint8_t idle);
void engine_idle_turn(struct worker *w, uint32_t work);

/* clock.c */
uint64_t engine_clock_since_ns(const struct engine *e, uint64_t tsc);
uint64_t engine_clock_tsc_at(const struct engine *e, uint64_t since_ns);
void engine_clock_check(struct engine *e);
void engine_clock_sleep_until(const struct engine *e, uint64_t tsc);
void engine_clock_nap_us(uint32_t us);
uint64_t engine_clock_utc_ns(void);

/* signals.c */
void engine_signals_catch(void);
uint32_t engine_signals_seen(void);
int engine_signals_last(void);

/* dial.c: CTL */
void engine_dial_publish(struct engine *e, struct engine_lane *l);
void engine_dial_state(struct engine *e, uint32_t role, enum lane_state state);
bool engine_dial_adopted_all(const struct engine *e, uint32_t role);
void engine_dial_init(struct engine *e);
void engine_dial_run(struct engine *e);
void engine_dial_pieces(struct engine *e, uint64_t now);
void engine_dial_phase_begin(struct engine *e, uint32_t x, uint64_t beg_ns);
void engine_dial_stop(struct engine *e, uint64_t stop_tsc);
void engine_dial_quota(struct engine *e);
void engine_dial_again(struct engine *e);
double engine_dial_offered(const struct engine *e, uint64_t from_tsc, uint64_t to_tsc);

/* collect.c: CTL */
struct probe_sum {
	uint64_t scheduled;
	uint64_t sent;
	uint64_t completed;
	uint64_t failed;
	uint64_t dropped;
	uint64_t activity;
	uint64_t n_conns;
	uint32_t unresolved_addr;
};
void engine_collect_probe(const struct engine *e, uint32_t role, struct probe_sum *s);
int engine_collect_init(struct engine *e);
void engine_collect_fini(struct engine *e);
/* All lanes' snapshots into every window. @return false when a lane did not answer. */
bool engine_collect_now(struct engine *e);
void engine_collect_snapshot(struct engine *e, uint32_t role, enum window_id win, enum snap_row row,
	struct snapshot *out);
void engine_collect_window_clear(struct engine *e, enum window_id win);

/* output.c: CTL */
void engine_output_line(struct engine *e, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int engine_output_open(struct engine *e);
void engine_output_interval(struct engine *e);
void engine_output_csv(
	struct engine *e, enum window_id win, enum snap_row row, const struct report_verdict *v);
void engine_output_phase(struct engine *e);
void engine_output_close(struct engine *e);

/* banner.c */
void engine_banner_start(struct engine *e);
void engine_banner_budget(struct engine *e);
void engine_banner_load(struct engine *e);

/* control.c */
void engine_control_run(struct engine *e);
bool engine_control_breathe(void);

/* finish.c: drain, close, verdict. @return exit code. */
void engine_finish_drain(struct engine *e);
int engine_finish_report(struct engine *e);

/* capture.c */
struct capture *engine_capture_open(struct engine *e, struct err *err);
void engine_capture_frame(
	struct capture *c, uint32_t x_worker, const struct rte_mbuf *m, uint64_t tsc);
void engine_capture_write(struct engine *e);
void engine_capture_close(struct engine *e);

#endif
