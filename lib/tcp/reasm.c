/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "tcp_priv.h"

/* @return the connection's loss block, made if need be; NULL when there is none (counted). */
struct tcp_loss *
tcp_loss_take(struct tcp *t, struct tcp_conn *c)
{
	struct tcp_loss *l;

	if (c->flags2 & TCP_CONN2_LOSS)
		return tcp_loss_of(t, c);
	if (t->x_free_loss == TCP_NONE) {
		t->counters->loss_exhausted++;
		return NULL;
	}
	c->x_loss = t->x_free_loss;
	c->flags2 |= TCP_CONN2_LOSS;
	l = tcp_loss_of(t, c);
	t->x_free_loss = l->x_next;
	memset(l, 0, sizeof(*l));
	l->x_next = TCP_NONE;
	l->x_ooo = TCP_NONE;
	l->x_park = TCP_NONE;
	l->x_park_tail = TCP_NONE;
	l->x_park_at = TCP_NONE;
	return l;
}

/* Give the loss block back when nothing needs it any more. */
void
tcp_loss_settle(struct tcp *t, struct tcp_conn *c)
{
	const struct tcp_loss *l = tcp_loss_of(t, c);

	if (l->x_ooo == TCP_NONE && l->x_park == TCP_NONE && l->n_sacked == 0 &&
		!(l->flags & TCP_LOSS_FIN))
		tcp_loss_free(t, c);
}

/* Blocks that were delivered stay readable until the caller has had its turn. */
static void
ooo_reclaim(struct tcp *t)
{
	while (t->x_spent_ooo != TCP_NONE) {
		uint32_t x = t->x_spent_ooo;

		t->x_spent_ooo = tcp_ooo_at(t, x)->x_next;
		tcp_ooo_at(t, x)->x_next = t->x_free_ooo;
		t->x_free_ooo = x;
	}
	t->n_spent_ooo = 0;
}

static uint32_t
ooo_take(struct tcp *t, uint32_t seq)
{
	uint32_t x = t->x_free_ooo;
	struct tcp_ooo *b;

	if (x == TCP_NONE)
		return x;
	b = tcp_ooo_at(t, x);
	t->x_free_ooo = b->x_next;
	t->n_ooo_used++;
	b->x_next = TCP_NONE;
	b->seq = seq;
	b->off = 0;
	b->len = 0;
	return x;
}

static void
ooo_spend(struct tcp *t, uint32_t x)
{
	tcp_ooo_at(t, x)->x_next = t->x_spent_ooo;
	t->x_spent_ooo = x;
	t->n_ooo_used--;
	t->n_spent_ooo++;
}

static uint32_t
ooo_room(const struct tcp_ooo *b)
{
	return TCP_OOO_DATA - b->off - b->len;
}

void
tcp_loss_free(struct tcp *t, struct tcp_conn *c)
{
	struct tcp_loss *l;
	uint32_t x;

	if (!(c->flags2 & TCP_CONN2_LOSS))
		return;
	l = tcp_loss_of(t, c);
	while ((x = l->x_ooo) != TCP_NONE) {
		l->x_ooo = tcp_ooo_at(t, x)->x_next;
		ooo_spend(t, x);
	}
	while ((x = l->x_park) != TCP_NONE) {
		l->x_park = tcp_ooo_at(t, x)->x_next;
		ooo_spend(t, x);
	}
	l->x_next = t->x_free_loss;
	t->x_free_loss = c->x_loss;
	c->x_loss = TCP_NONE;
	c->flags2 &= (uint8_t)~TCP_CONN2_LOSS;
}

/* k payload bytes from offset off of a segment in two parts. */
static void
seg_copy(const struct seg_in *s, uint32_t off, uint8_t *to, uint32_t k)
{
	uint32_t first = off < s->part[0].n ? min_u32(s->part[0].n - off, k) : 0;

	if (first != 0)
		memcpy(to, s->part[0].p + off, first);
	if (first != k)
		memcpy(to + first, s->part[1].p + (off + first - s->part[0].n), k - first);
}

/* Fill the gap [from, to) behind block *x_prev (TCP_NONE: at the head) and leave the last block
 * written in *x_prev. Small segments share a block. @return -1 when blocks ran out. */
static int
gap_fill(struct tcp *t, struct tcp_loss *l, const struct seg_in *s, uint32_t from, uint32_t to,
	uint32_t *x_prev)
{
	while (from != to) {
		struct tcp_ooo *b = *x_prev != TCP_NONE ? tcp_ooo_at(t, *x_prev) : NULL;
		uint32_t k;

		if (b == NULL || b->seq + b->len != from || ooo_room(b) == 0) {
			uint32_t x = l->n_ooo < TCP_OOO_MAX ? ooo_take(t, from) : TCP_NONE;

			if (x == TCP_NONE)
				return -1;
			tcp_ooo_at(t, x)->x_next = b != NULL ? b->x_next : l->x_ooo;
			if (b != NULL)
				b->x_next = x;
			else
				l->x_ooo = x;
			l->n_ooo++;
			*x_prev = x;
			b = tcp_ooo_at(t, x);
		}
		k = min_u32(to - from, ooo_room(b));
		seg_copy(s, from - s->seq, b->data + b->off + b->len, k);
		b->len = (uint16_t)(b->len + k);
		from += k;
	}
	return 0;
}

/* Keep what is new of the segment: bytes that we have stay as they came first. */
static int
hold_bytes(struct tcp *t, struct tcp_loss *l, const struct seg_in *s)
{
	uint32_t from = s->seq;
	uint32_t end = s->seq + s->len;
	uint32_t x_prev = TCP_NONE;
	uint32_t x = l->x_ooo;

	while (from != end) {
		uint32_t to;

		while (x != TCP_NONE &&
			seq_leq(tcp_ooo_at(t, x)->seq + tcp_ooo_at(t, x)->len, from)) {
			x_prev = x;
			x = tcp_ooo_at(t, x)->x_next;
		}
		if (x == TCP_NONE || seq_leq(end, tcp_ooo_at(t, x)->seq))
			return gap_fill(t, l, s, from, end, &x_prev);
		to = tcp_ooo_at(t, x)->seq;
		if (seq_lt(from, to) && gap_fill(t, l, s, from, to, &x_prev) < 0)
			return -1;
		from = to + tcp_ooo_at(t, x)->len;
		if (seq_lt(end, from))
			from = end;
	}
	return 0;
}

/* A FIN beyond a hole. One that contradicts bytes which we have is ignored. */
static void
hold_fin(struct tcp *t, struct tcp_loss *l, uint32_t fin_seq)
{
	uint32_t x;

	if (l->flags & TCP_LOSS_FIN)
		return;
	for (x = l->x_ooo; x != TCP_NONE; x = tcp_ooo_at(t, x)->x_next)
		if (seq_lt(fin_seq, tcp_ooo_at(t, x)->seq + tcp_ooo_at(t, x)->len))
			return;
	l->flags |= TCP_LOSS_FIN;
	l->fin_seq = fin_seq;
}

/* A segment beyond a hole, within the window. */
void
tcp_reasm_hold(struct tcp *t, struct tcp_conn *c, struct seg_in *s)
{
	struct tcp_loss *l = tcp_loss_take(t, c);

	if (l == NULL) {
		t->counters->ooo_dropped++;
		return;
	}
	ooo_reclaim(t);
	if (hold_bytes(t, l, s) < 0) {
		t->counters->ooo_dropped++;
	} else {
		t->counters->ooo_segs++;
		if (s->flags & NET_TCP_FIN)
			hold_fin(t, l, s->seq + s->len);
	}
	if (s->len != 0) {
		memmove(l->recent + 1, l->recent, sizeof(l->recent) - sizeof(l->recent[0]));
		l->recent[0] = s->seq;
		l->n_recent = min_u32(l->n_recent + 1, TCP_RECENT);
	}
	tcp_loss_settle(t, c);
}

/* The stream has ended: nothing that is held can belong to it. */
void
tcp_reasm_end(struct tcp *t, struct tcp_conn *c)
{
	struct tcp_loss *l = tcp_loss_of(t, c);
	uint32_t x;

	while ((x = l->x_ooo) != TCP_NONE) {
		l->x_ooo = tcp_ooo_at(t, x)->x_next;
		ooo_spend(t, x);
	}
	l->n_ooo = 0;
	l->flags &= ~(uint32_t)TCP_LOSS_FIN;
}

/* Copy spans into the parked list behind block *x_at (TCP_NONE: at the front). All or nothing.
 * @return -1 when blocks ran out. */
static int
park_put(struct tcp *t, struct tcp_loss *l, uint32_t *x_at, const struct span *sp, uint32_t n_spans)
{
	uint32_t room = *x_at != TCP_NONE ? ooo_room(tcp_ooo_at(t, *x_at)) : 0;
	uint32_t n_free = t->n_ooo - t->n_ooo_used - t->n_spent_ooo;
	uint64_t total = 0;
	uint32_t i;

	for (i = 0; i < n_spans; i++)
		total += sp[i].n;
	if (total > room + (uint64_t)n_free * TCP_OOO_DATA)
		return -1;
	l->parked += (uint32_t)total;
	for (i = 0; i < n_spans; i++) {
		uint32_t done = 0;

		while (done != sp[i].n) {
			struct tcp_ooo *b = *x_at != TCP_NONE ? tcp_ooo_at(t, *x_at) : NULL;
			uint32_t k;

			if (b == NULL || ooo_room(b) == 0) {
				uint32_t x = ooo_take(t, 0);

				tcp_ooo_at(t, x)->x_next = b != NULL ? b->x_next : l->x_park;
				if (b != NULL)
					b->x_next = x;
				else
					l->x_park = x;
				if (tcp_ooo_at(t, x)->x_next == TCP_NONE)
					l->x_park_tail = x;
				*x_at = x;
				b = tcp_ooo_at(t, x);
			}
			k = min_u32(sp[i].n - done, ooo_room(b));
			memcpy(b->data + b->off + b->len, sp[i].p + done, k);
			b->len = (uint16_t)(b->len + k);
			done += k;
		}
	}
	return 0;
}

/* Move the first held block, now in order, to the spans or behind the parked bytes. */
static void
drain_block(struct tcp *t, struct tcp_conn *c, struct tcp_loss *l, struct tcp_result *res)
{
	uint32_t x = l->x_ooo;
	struct tcp_ooo *b = tcp_ooo_at(t, x);
	uint32_t skip = c->rcv_nxt - b->seq;

	l->x_ooo = b->x_next;
	l->n_ooo--;
	if (skip >= b->len) {
		ooo_spend(t, x);
		return;
	}
	b->off = (uint16_t)(b->off + skip);
	b->len = (uint16_t)(b->len - skip);
	c->rcv_nxt += b->len;
	t->counters->bytes_in += b->len;
	if (l->parked != 0) {
		l->parked += b->len;
		b->x_next = TCP_NONE;
		tcp_ooo_at(t, l->x_park_tail)->x_next = x;
		l->x_park_tail = x;
		return;
	}
	tcp_span_add(res, b->data + b->off, b->len);
	res->events |= TCP_EV_DATA;
	ooo_spend(t, x);
}

/* In-order payload while a loss block exists: deliver, or park behind parked bytes, then what it
 * connects to. Where it overlaps held bytes these win, they came first. @return -1: no room, the
 * segment counts as lost. */
int
tcp_reasm_deliver(struct tcp *t, struct tcp_conn *c, struct seg_in *s, struct tcp_result *res)
{
	struct tcp_loss *l = tcp_loss_of(t, c);
	uint32_t head = s->len;
	uint32_t i;

	ooo_reclaim(t);
	l->x_park_at = TCP_NONE;
	if (s->flags & NET_TCP_FIN)
		hold_fin(t, l, s->seq + s->len);
	if (l->x_ooo != TCP_NONE) {
		c->flags |= TCP_CONN_ACK_NOW; /* RFC 5681: a segment that fills a hole */
		head = min_u32(head, tcp_ooo_at(t, l->x_ooo)->seq - s->seq);
	}
	if (head != s->len) {
		struct seg_in rest = *s;

		tcp_seg_trim_left(&rest, head);
		if (hold_bytes(t, l, &rest) < 0)
			t->counters->ooo_dropped++;
		tcp_seg_trim_right(s, head);
	}
	if (l->parked != 0 && head != 0) {
		uint32_t x_at = l->x_park_tail;

		if (park_put(t, l, &x_at, s->part, 2) < 0) {
			t->counters->ooo_dropped++;
			c->flags |= TCP_CONN_ACK_NOW;
			return -1;
		}
	} else if (head != 0) {
		for (i = 0; i < 2; i++)
			if (s->part[i].n != 0)
				tcp_span_add(res, s->part[i].p, s->part[i].n);
		res->events |= TCP_EV_DATA;
	}
	c->rcv_nxt += head;
	t->counters->bytes_in += head;
	while (l->x_ooo != TCP_NONE && seq_leq(tcp_ooo_at(t, l->x_ooo)->seq, c->rcv_nxt))
		drain_block(t, c, l, res);
	return 0;
}

int
tcp_park(struct tcp *t, uint32_t x, const struct span *s, uint32_t n_spans)
{
	struct tcp_conn *c = &t->conn[x];
	struct tcp_loss *l = tcp_loss_take(t, c);
	int rc;

	if (l == NULL)
		return -1;
	rc = park_put(t, l, &l->x_park_at, s, n_spans);
	if (rc == 0 && (c->flags & TCP_CONN_FIN_RCVD))
		c->flags2 |= TCP_CONN2_FIN_HELD;
	tcp_loss_settle(t, c);
	return rc;
}

/* The last parked byte is gone: the FIN behind it, if there is one. */
static void
unpark_fin(struct tcp *t, struct tcp_conn *c, struct tcp_result *res)
{
	if (!(c->flags2 & TCP_CONN2_FIN_HELD))
		return;
	c->flags2 &= (uint8_t)~TCP_CONN2_FIN_HELD;
	res->events |= TCP_EV_FIN;
	if (c->state == TCP_FIN_WAIT_2)
		tcp_time_wait(t, c, t->wheel.tick << WHEEL_SHIFT, res);
	else if (c->state == TCP_LAST_ACK && c->snd_una == c->snd_max)
		tcp_gone(c, res, 0);
}

void
tcp_unpark(struct tcp *t, uint32_t x, struct tcp_result *res)
{
	struct tcp_conn *c = &t->conn[x];
	struct tcp_loss *l;
	uint32_t gain;

	tcp_result_clear(res);
	if (!(c->flags2 & TCP_CONN2_LOSS) || tcp_loss_of(t, c)->x_park == TCP_NONE) {
		unpark_fin(t, c, res);
		return;
	}
	ooo_reclaim(t);
	l = tcp_loss_of(t, c);
	l->x_park_at = TCP_NONE;
	while (l->x_park != TCP_NONE && res->n_spans < 4) {
		uint32_t x_block = l->x_park;
		struct tcp_ooo *b = tcp_ooo_at(t, x_block);

		l->x_park = b->x_next;
		l->parked -= b->len;
		tcp_span_add(res, b->data + b->off, b->len);
		res->events |= TCP_EV_DATA;
		ooo_spend(t, x_block);
	}
	if (l->x_park == TCP_NONE)
		l->x_park_tail = TCP_NONE;
	/* tell the peer when the window has grown by enough (RFC 9293 section 3.8.6.2.2) */
	gain = tcp_rcv_edge(t, c) - c->rcv_adv;
	if (gain >= min_u32(t->cfg.mss, tcp_rcv_space(t, c) / 2))
		c->flags |= TCP_CONN_ACK_NOW;
	tcp_loss_settle(t, c);
	if (tcp_wants(c))
		res->events |= TCP_EV_OUTPUT;
}

/* Right edge to advertise while there is a loss block: parked bytes count against the window, and
 * the edge moves by a segment or half of the buffer at least, never back. */
uint32_t
tcp_rcv_edge(const struct tcp *t, const struct tcp_conn *c)
{
	uint32_t space = tcp_rcv_space(t, c);
	uint32_t parked = c->flags2 & TCP_CONN2_LOSS ? tcp_loss_of(t, c)->parked : 0;
	uint32_t edge = c->rcv_nxt + (space > parked ? space - parked : 0);

	if (parked == 0)
		return seq_lt(edge, c->rcv_adv) ? c->rcv_adv : edge;
	edge = c->rcv_nxt + ((edge - c->rcv_nxt) >> tcp_our_shift(c) << tcp_our_shift(c));
	if (seq_lt(edge, c->rcv_adv) || edge - c->rcv_adv < min_u32(t->cfg.mss, space / 2))
		return c->rcv_adv;
	return edge;
}
