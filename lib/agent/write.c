/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent_priv.h"
#include "net_csum.h"

/** Where a payload is being put together. */
struct writer {
	uint8_t *buf;
	uint32_t n;
	uint64_t sum;
};

/* A piece at an odd offset adds with its bytes swapped (RFC 1071 section 2, byte order). */
static void
writer_sum(struct writer *w, uint32_t at, uint64_t piece)
{
	if (at & 1)
		w->sum += net_csum_swap(net_csum_fold(piece));
	else
		w->sum += piece;
}

static void
writer_head(struct agent *a, struct writer *w, const struct http_template *t,
	const struct agent_slot *s, uint32_t from, uint32_t n)
{
	uint8_t scratch[HTTP_TEMPLATE_MAX];
	const char *date = t->at_date != HTTP_NO_HOLE ? origin_date(a, s->x_owner) : NULL;
	uint64_t xact = a->role == PLAN_CLIENT ? s->xact : ~s->xact;
	uint64_t length = a->role == PLAN_SERVER ? s->told_size : agent_slot_body(s);

	uint64_t sum;

	if (likely_(from == 0 && n == t->len)) {
		sum = http_template_write(t, w->buf + w->n, s->oid, xact, length, date);
	} else {
		http_template_write(t, scratch, s->oid, xact, length, date);
		memcpy(w->buf + w->n, scratch + from, n);
		sum = net_csum_add(0, scratch + from, n);
	}
	writer_sum(w, w->n, sum);
	w->n += n;
}

static uint32_t
slot_skip(struct agent *a, uint32_t x, uint32_t off)
{
	uint32_t x_slot = a->conn[x].x_head;

	while (x_slot != AGENT_NONE) {
		const struct agent_slot *s = &a->slot[x_slot];
		uint64_t left = agent_head_len(a, x, s) + agent_slot_body(s) - agent_slot_pos(a, s);

		if (left > INT32_MAX || (int32_t)(s->off + (uint32_t)left - off) > 0)
			return x_slot;
		x_slot = s->x_next;
	}
	return AGENT_NONE;
}

uint32_t
agent_write(struct agent *a, uint32_t x, uint32_t off, uint32_t len, uint8_t *buf, uint64_t *sum,
	int zero_copy, const uint8_t **body, uint32_t *body_len, uint32_t *x_first)
{
	struct writer w = {.buf = buf, .n = 0, .sum = 0};
	uint32_t x_slot = slot_skip(a, x, off);

	*body_len = 0;
	*x_first = AGENT_NONE;
	while (len > 0 && x_slot != AGENT_NONE) {
		const struct agent_slot *s = &a->slot[x_slot];
		const struct http_template *t = agent_template(a, &a->conn[x], s);
		/* position in the message: 64 bits, since a body may be larger than the stream's
		 * wrap */
		uint64_t at = agent_slot_pos(a, s) + (uint32_t)(off - s->off);
		uint64_t size = t->len + agent_slot_body(s);

		if (a->role == PLAN_CLIENT && at == 0 && !(s->flags & AGENT_SLOT_SENT))
			*x_first = x_slot;
		if (at < t->len) {
			uint32_t n = t->len - (uint32_t)at;

			n = n < len ? n : len;
			writer_head(a, &w, t, s, (uint32_t)at, n);
			at += n;
			off += n;
			len -= n;
		}
		if (len > 0 && at < size) {
			uint32_t n = size - at < len ? (uint32_t)(size - at) : len;
			const uint8_t *p = body_at(a->body, s->oid, at - t->len);

			writer_sum(&w, w.n, body_sum(a->body, p, n));
			off += n;
			len -= n;
			if (zero_copy && len == 0 && n >= 256) {
				*body = p;
				*body_len = n;
			} else {
				memcpy(w.buf + w.n, p, n);
				w.n += n;
			}
		}
		x_slot = s->x_next;
	}
	assert_(len == 0);
	*sum += w.sum;
	return w.n;
}

uint32_t
agent_syn_slot(const struct agent *a, uint32_t x)
{
	uint32_t x_slot = a->conn[x].x_head;

	if (a->role != PLAN_CLIENT || x_slot == AGENT_NONE ||
		(a->slot[x_slot].flags & AGENT_SLOT_SENT))
		return AGENT_NONE;
	return x_slot;
}
