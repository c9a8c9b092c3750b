/* SPDX-License-Identifier: BSD-3-Clause */
/* --capture: workers copy frames into slots of their own SPSC queue, control writes pcapng blocks.
 * What finds a full queue is counted, and said at the end. */
#include "engine_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 8192 /* per worker, power of two */
#define SNAP_LEN 2048

struct slot {
	uint64_t tsc;
	uint32_t len; /* on the wire */
	uint32_t captured; /* <= SNAP_LEN */
	uint8_t data[SNAP_LEN];
};

struct queue {
	uint64_t head CACHE_ALIGNED; /* writer: worker; reader: control */
	uint64_t n_lost;
	uint64_t tail CACHE_ALIGNED; /* writer: control; reader: worker */
	struct slot *slot;
};

struct capture {
	FILE *f;
	uint32_t n_queues;
	bool failed;
	uint64_t n_written;
	struct queue *q;
};

void
engine_capture_frame(struct capture *c, uint32_t x_worker, const struct rte_mbuf *m, uint64_t tsc)
{
	struct queue *q = &c->q[x_worker];
	uint32_t n = RTE_MIN(rte_pktmbuf_pkt_len(m), (uint32_t)SNAP_LEN);
	struct slot *s = &q->slot[q->head & (SLOTS - 1)];
	const void *p;

	if (q->head - __atomic_load_n(&q->tail, __ATOMIC_ACQUIRE) == SLOTS) {
		q->n_lost++;
		return;
	}
	p = rte_pktmbuf_read(m, 0, n, s->data);
	if (p == NULL)
		return;
	if (p != s->data)
		memcpy(s->data, p, n);
	s->tsc = tsc;
	s->len = rte_pktmbuf_pkt_len(m);
	s->captured = n;
	__atomic_store_n(&q->head, q->head + 1, __ATOMIC_RELEASE);
}

/* Section header, and one Ethernet interface with times in ns (option if_tsresol = 9). */
static bool
head_write(FILE *f)
{
	static const uint32_t shb[] = {
		0x0a0d0d0a, 28, 0x1a2b3c4d, 0x00000001, 0xffffffff, 0xffffffff, 28};
	static const uint32_t idb[] = {
		1, 32, 1 /* LINKTYPE_ETHERNET */, SNAP_LEN, 0x00010009, 9, 0, 32};

	return fwrite(shb, sizeof(shb), 1, f) == 1 && fwrite(idb, sizeof(idb), 1, f) == 1;
}

struct capture *
engine_capture_open(struct engine *e, struct err *err)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (c == NULL)
		goto no_memory;
	c->n_queues = e->n_workers;
	c->q = aligned_alloc(CACHE_LINE, sizeof(*c->q) * e->n_workers);
	if (c->q == NULL)
		goto no_memory;
	memset(c->q, 0, sizeof(*c->q) * e->n_workers);
	for (uint32_t i = 0; i < e->n_workers; i++) {
		c->q[i].slot = malloc(sizeof(struct slot) * SLOTS);
		if (c->q[i].slot == NULL)
			goto no_memory;
	}
	c->f = fopen(e->run->capture, "wbxe");
	if (c->f == NULL || !head_write(c->f)) {
		err_setup(err, errno, "capture", e->run->capture, "%s", strerror(errno));
		return NULL;
	}
	return c;
no_memory:
	err_setup(err, ENOMEM, "capture", e->run->capture, "no memory");
	return NULL;
}

/* Enhanced packet block. */
static bool
slot_write(struct engine *e, struct capture *c, const struct slot *s)
{
	static const uint8_t zero[4];
	uint32_t padded = (s->captured + 3) & ~3u;
	uint64_t ns = e->start.realtime_ns + tick_to_ns(&e->rate, s->tsc - e->start.tsc);
	uint32_t total = 32 + padded;
	uint32_t head[] = {6, total, 0, (uint32_t)(ns >> 32), (uint32_t)ns, s->captured, s->len};

	return fwrite(head, sizeof(head), 1, c->f) == 1 &&
	       fwrite(s->data, s->captured, 1, c->f) == 1 &&
	       fwrite(zero, padded - s->captured, 1, c->f) == (padded != s->captured) &&
	       fwrite(&total, sizeof(total), 1, c->f) == 1;
}

void
engine_capture_write(struct engine *e)
{
	struct capture *c = e->capture;

	if (c == NULL)
		return;
	for (uint32_t i = 0; i < c->n_queues; i++) {
		struct queue *q = &c->q[i];
		uint64_t head = __atomic_load_n(&q->head, __ATOMIC_ACQUIRE);

		for (; q->tail != head; __atomic_store_n(&q->tail, q->tail + 1, __ATOMIC_RELEASE)) {
			if (!c->failed && !slot_write(e, c, &q->slot[q->tail & (SLOTS - 1)]))
				c->failed = true;
			c->n_written++;
			engine_control_breathe();
		}
	}
}

void
engine_capture_close(struct engine *e)
{
	struct capture *c = e->capture;
	uint64_t lost = 0;

	if (c == NULL)
		return;
	engine_capture_write(e);
	for (uint32_t i = 0; i < c->n_queues; i++) {
		lost += c->q[i].n_lost;
		free(c->q[i].slot);
	}
	if (fclose(c->f) != 0 || c->failed) {
		fprintf(stderr, "freshet: capture: '%s': write failed\n", e->run->capture);
		e->incomplete = true;
	}
	engine_output_line(e, 1, "capture: %s: %llu frames, %llu lost (queue full)",
		e->run->capture, (unsigned long long)c->n_written, (unsigned long long)lost);
	free(c->q);
	free(c);
	e->capture = NULL;
}
