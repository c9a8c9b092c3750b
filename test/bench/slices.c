/* SPDX-License-Identifier: BSD-3-Clause */
#include "slices.h"
#include "base_bytes.h"
#include "floor.h"
#include "load_plan.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SETTLE_NS \
	20000000ULL /* at the start of a slice, not measured: overdue timers, cold caches */
#define PING_NS 20000000ULL

/* One per worker, written by it alone. */
struct slice_worker {
	uint64_t settle_tsc; /* measured from here */
	uint64_t end_tsc;
	uint64_t n_floor;
	uint32_t x; /* the slice that runs */
	uint8_t kind; /* enum slice_kind */
	uint8_t measuring;
	uint8_t began;
	struct slice slice[SLICES_MAX];
} CACHE_ALIGNED;

struct slices {
	struct tick_rate rate;
	struct floor *floor;
	uint32_t n;
	uint32_t n_workers;
	uint64_t slice_tsc;
	uint64_t settle_tsc;
	uint64_t ping_tsc;
	struct slice_worker worker[PLAN_LANES_MAX];
	/* writer: worker 0; readers: all */
	uint64_t t0_tsc CACHE_ALIGNED;
};

enum slice_kind
slices_kind(const struct slices *s, uint32_t x_slice)
{
	if (x_slice >= s->n)
		return SLICE_AFTER;
	if (x_slice & 1)
		return SLICE_WORK;
	return (x_slice & 2) && s->n_workers > 1 ? SLICE_SPLIT : SLICE_LANES;
}

static uint64_t
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

static void
mark_set(const struct slice_worker *w, const struct lane_counters *client,
	const struct lane_counters *server, struct slice_mark *m)
{
	memset(m, 0, sizeof(*m));
	if (w->kind != SLICE_WORK) {
		m->xacts = w->n_floor;
	} else {
		if (client != NULL) {
			m->xacts = client->agent.completed;
			m->conns = client->agent.conn_opened;
			m->bytes = client->tcp.bytes_in;
			m->frames = client->lane.tx_frames;
			m->bad = client->agent.failed + client->agent.dropped +
				 client->tcp.rtx_segs + client->tcp.syn_rtx;
		}
		if (server != NULL) {
			m->frames += server->lane.tx_frames;
			m->bad += server->tcp.rtx_segs + server->tcp.syn_rtx +
				  server->tcp.tw_recycled + server->tcp.conn_exhausted;
		}
	}
	m->cpu_ns = cpu_ns();
	m->tsc = tick_now();
}

static void
slice_begin(struct slices *s, struct slice_worker *w, uint32_t x, uint64_t t0)
{
	uint64_t beg = t0 + x * s->slice_tsc;

	w->x = x;
	w->kind = (uint8_t)slices_kind(s, x);
	w->measuring = 0;
	w->end_tsc = beg + s->slice_tsc;
	w->settle_tsc = beg + s->settle_tsc;
	if (w->kind == SLICE_SPLIT)
		w->settle_tsc += s->ping_tsc;
	if (w->kind == SLICE_AFTER)
		w->end_tsc = w->settle_tsc = UINT64_MAX;
}

static void
slice_end(struct slice_worker *w, const struct lane_counters *client,
	const struct lane_counters *server)
{
	struct slice *sl = &w->slice[w->x];

	if (!w->measuring)
		return; /* this worker slept through the beginning: not measured */
	mark_set(w, client, server, &sl->end);
	if (w->kind == SLICE_WORK && client != NULL)
		sl->open = client->agent.conn_opened - client->agent.conn_closed;
}

/* Worker 0 says when slices begin: some time after its robots had their first reply. */
static bool
started(struct slices *s, struct slice_worker *w, const struct lane_counters *client, uint64_t now)
{
	uint64_t t0 = __atomic_load_n(&s->t0_tsc, __ATOMIC_ACQUIRE);

	if (t0 == 0 && w == &s->worker[0] && client != NULL && client->agent.completed != 0) {
		t0 = now + tick_from_ns(&s->rate, WARM_UP_NS);
		__atomic_store_n(&s->t0_tsc, t0, __ATOMIC_RELEASE);
	}
	if (t0 == 0 || now < t0)
		return false;
	slice_begin(s, w, 0, t0);
	w->began = 1;
	return true;
}

static void
floor_turn(struct slices *s, struct slice_worker *w, uint32_t x)
{
	if (w->kind == SLICE_LANES) {
		w->n_floor += floor_lanes(s->floor, x);
		return;
	}
	if (!w->measuring && w->slice[w->x].ping == 0)
		w->slice[w->x].ping = floor_ping(s->floor, x, w->settle_tsc - s->settle_tsc);
	w->n_floor += floor_split(s->floor, x);
}

bool
slices_turn(void *arg, uint32_t x, const struct lane_counters *client,
	const struct lane_counters *server)
{
	struct slices *s = arg;
	struct slice_worker *w = &s->worker[x];
	uint64_t now = tick_now();

	if (unlikely_(!w->began) && !started(s, w, client, now))
		return false;
	if (unlikely_(now >= w->end_tsc)) {
		uint64_t t0 = __atomic_load_n(&s->t0_tsc, __ATOMIC_RELAXED);

		slice_end(w, client, server);
		slice_begin(s, w, (uint32_t)((now - t0) / s->slice_tsc), t0);
	}
	if (unlikely_(!w->measuring) && now >= w->settle_tsc) {
		mark_set(w, client, server, &w->slice[w->x].beg);
		w->measuring = 1;
	}
	if (w->kind >= SLICE_WORK)
		return false;
	floor_turn(s, w, x);
	return true;
}

int
slices_start(void *arg, uint32_t n_workers, struct err *e)
{
	struct slices *s = arg;

	s->n_workers = n_workers;
	s->floor = floor_new(n_workers, e);
	return s->floor != NULL ? 0 : -1;
}

void
slices_stop(void *arg)
{
	struct slices *s = arg;

	floor_free(s->floor);
	s->floor = NULL;
}

struct slices *
slices_new(const struct tick_rate *rate, uint32_t n_work, struct err *e)
{
	struct slices *s;

	if (n_work == 0 || 2 * n_work > SLICES_MAX) {
		err_usage(e, "slices", NULL, "1 to %d", SLICES_MAX / 2);
		return NULL;
	}
	s = aligned_alloc(CACHE_LINE, sizeof(*s));
	if (s == NULL) {
		err_setup(e, ENOMEM, "memory", NULL, "not granted");
		return NULL;
	}
	memset(s, 0, sizeof(*s));
	s->rate = *rate;
	s->n = 2 * n_work;
	s->slice_tsc = tick_from_ns(rate, SLICE_NS);
	s->settle_tsc = tick_from_ns(rate, SETTLE_NS);
	s->ping_tsc = tick_from_ns(rate, PING_NS);
	return s;
}

void
slices_free(struct slices *s)
{
	free(s);
}

uint32_t
slices_count(const struct slices *s)
{
	return s->n;
}

uint32_t
slices_workers(const struct slices *s)
{
	return s->n_workers;
}

const struct slice *
slices_at(const struct slices *s, uint32_t x_worker, uint32_t x_slice)
{
	return &s->worker[x_worker].slice[x_slice];
}
