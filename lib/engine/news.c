/* SPDX-License-Identifier: BSD-3-Clause */
/* News: what one worker must tell another, 16 bytes each: a mis-steered frame for its owner, or a
 * neighbour's MAC address. One SPSC ring per ordered pair of workers. */
#include "engine_priv.h"
#include <rte_errno.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>

#define NEWS_RING 1024
#define NEWS_BURST 32

enum news_kind {
	NEWS_FRAME = 1,
	NEWS_NEIGHBOUR
};

struct news_item {
	uint64_t a; /* frame: mbuf; neighbour: address << 32 | MAC bytes 0..3 */
	uint8_t kind;
	uint8_t role;
	uint8_t x_lane;
	uint8_t mac[2]; /* bytes 4..5 */
	uint8_t spare[3];
};
static_assert_(sizeof(struct news_item) == 16, "rte_ring takes multiples of 4 bytes");

int
engine_news_new(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_workers; i++)
		for (uint32_t j = 0; j < e->n_workers; j++) {
			char name[RTE_RING_NAMESIZE];
			struct rte_ring *r;

			if (i == j)
				continue;
			snprintf(name, sizeof(name), "news_%u_%u", i, j);
			r = rte_ring_create_elem(name, sizeof(struct news_item), NEWS_RING,
				SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
			if (r == NULL)
				return err_setup(&e->err, rte_errno, "news ring", name, "%s",
					rte_strerror(rte_errno));
			e->worker[i].news_out[j] = r;
			e->worker[j].news_in[i] = r;
		}
	return 0;
}

static bool
news_put(struct worker *w, uint32_t to, struct news_item *it)
{
	return rte_ring_sp_enqueue_elem(w->news_out[to], it, sizeof(*it)) == 0;
}

void
engine_news_redirect(struct worker *w, struct engine_lane *l, struct rte_mbuf *m, uint32_t owner)
{
	struct engine_role *r = &w->eng->role[l->role];
	struct news_item it = {.a = (uint64_t)(uintptr_t)m,
		.kind = NEWS_FRAME,
		.role = l->role,
		.x_lane = (uint8_t)owner};

	if (owner < r->n_lanes) {
		struct engine_lane *to = &r->lane[owner];

		if (to->worker == w) {
			engine_io_take(w, to, m, 1);
			return;
		}
		if (news_put(w, to->worker->x, &it))
			return;
	}
	l->count->port.redirect_full++;
	engine_io_recycle(w, m);
}

static void
neighbour_put(struct worker *w, uint32_t to, uint8_t role, const struct lane_news *n)
{
	struct news_item it = {.kind = NEWS_NEIGHBOUR, .role = role};

	it.a = (uint64_t)n->addr << 32 | load_be32(n->mac);
	memcpy(it.mac, n->mac + 4, 2);
	/* A full ring is no loss: the other lane learns at the next refresh. */
	news_put(w, to, &it);
}

void
engine_news_spread(struct worker *w, struct engine_lane *l)
{
	struct engine_role *r = &w->eng->role[l->role];
	struct lane_news news[8];
	uint32_t n = lane_news_take(l->lane, news, ARRAY_LEN(news));

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t x = 0; x < r->n_lanes; x++) {
			struct engine_lane *to = &r->lane[x];

			if (to == l)
				continue;
			if (to->worker == w)
				lane_news_give(to->lane, &news[i], w->now);
			else
				neighbour_put(w, to->worker->x, l->role, &news[i]);
		}
}

static void
item_take(struct worker *w, const struct news_item *it)
{
	for (uint32_t i = 0; i < w->n_lanes; i++) {
		struct engine_lane *l = w->lane[i];

		if (l->role != it->role)
			continue;
		if (it->kind == NEWS_NEIGHBOUR) {
			struct lane_news n = {.addr = (uint32_t)(it->a >> 32)};

			store_be32(n.mac, (uint32_t)it->a);
			memcpy(n.mac + 4, it->mac, 2);
			lane_news_give(l->lane, &n, w->now);
		} else if (l->x_lane == it->x_lane) {
			engine_io_take(w, l, (struct rte_mbuf *)(uintptr_t)it->a, 1);
			return;
		}
	}
}

uint32_t
engine_news_read(struct worker *w)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < w->eng->n_workers; i++) {
		struct news_item it[NEWS_BURST];
		uint32_t n;

		if (w->news_in[i] == NULL || rte_ring_empty(w->news_in[i]))
			continue;
		n = rte_ring_sc_dequeue_burst_elem(
			w->news_in[i], it, sizeof(it[0]), NEWS_BURST, NULL);
		for (uint32_t k = 0; k < n; k++)
			item_take(w, &it[k]);
		engine_io_free_now(w);
		sum += n;
	}
	return sum;
}

/* INIT, workers stopped: frames that nobody took go home. */
void
engine_news_fini(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_workers; i++)
		for (uint32_t j = 0; j < e->n_workers; j++) {
			struct rte_ring *r = e->worker[i].news_out[j];
			struct news_item it;

			if (r == NULL)
				continue;
			while (rte_ring_sc_dequeue_elem(r, &it, sizeof(it)) == 0)
				if (it.kind == NEWS_FRAME)
					rte_pktmbuf_free((struct rte_mbuf *)(uintptr_t)it.a);
			rte_ring_free(r);
			e->worker[i].news_out[j] = NULL;
			e->worker[j].news_in[i] = NULL;
		}
}
