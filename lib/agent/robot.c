/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include "agent_priv.h"

static void
robot_bytes_count(struct agent *a, const struct agent_slot *s)
{
	a->c->rep_header_bytes += s->reply.header_bytes;
	a->c->rep_body_bytes += s->reply.body_bytes;
	a->hc->header_bytes += s->reply.header_bytes;
	a->hc->body_bytes += s->reply.body_bytes;
	a->hc->trailer_bytes += s->reply.trailer_bytes;
	a->hc->interim += s->reply.n_interim;
	a->c->status_1xx += s->reply.n_interim;
}

static void
robot_flags_count(struct agent *a, uint16_t f)
{
	if (likely_(!(f & (HTTP_F_CONFLICT | HTTP_F_BARE_LF | HTTP_F_FOLDED | HTTP_F_LENIENT |
				  HTTP_F_CHUNKED | HTTP_F_TO_EOF))))
		return;
	a->hc->conflicts += !!(f & HTTP_F_CONFLICT);
	a->hc->bare_lf += !!(f & HTTP_F_BARE_LF);
	a->hc->folded += !!(f & HTTP_F_FOLDED);
	a->hc->lenient += !!(f & HTTP_F_LENIENT);
	a->hc->chunked += !!(f & HTTP_F_CHUNKED);
	a->hc->to_eof += !!(f & HTTP_F_TO_EOF);
}

static void
robot_record(struct agent *a, const struct agent_slot *s, uint32_t cell, uint64_t now)
{
	struct cell_set *set = a->cells;
	struct hist *h = set->cell[cell];
	uint64_t wait = tick_to_ns(&a->rate, s->sent_tsc - s->due_tsc);
	uint64_t wire = tick_to_ns(&a->rate, now - s->sent_tsc);

	hist_record(&h[CELL_WAIT], &set->pool, wait);
	hist_record(&h[CELL_WIRE], &set->pool, wire);
	hist_record(&h[CELL_SUM], &set->pool, wait + wire);
	if (s->first_tsc != 0)
		hist_record(&h[CELL_TTFB], &set->pool,
			tick_to_ns(&a->rate, s->first_tsc - s->sent_tsc));
}

void
robot_end(struct agent *a, uint32_t x_slot, struct agent_outcome o, uint64_t now)
{
	struct agent_slot *s = &a->slot[x_slot];
	struct agent_counters *c = a->c;
	int failed = o.fail != NULL;

	if (unlikely_(!(s->flags & AGENT_SLOT_SENT))) {
		/* nothing of it ever left: dropped, whatever became of its connection */
		c->dropped++;
		if (a->draining)
			c->drop_stop++;
		else
			c->drop_queue++;
		failed = 1;
	} else {
		if (failed) {
			c->failed++;
			(*o.fail)++;
			o.cell = CELL_FAILED;
		} else {
			c->completed++;
		}
		robot_record(a, s, o.cell, now);
	}
	s->flags |= AGENT_SLOT_ANSWERED;
	if (a->plan->robots.arrival == PLAN_BEST_EFFORT)
		robot_again(a, s->x_owner, failed, now);
}

static uint8_t
robot_cell_of(const struct agent_slot *s, uint32_t hit)
{
	if (s->reply.status == 200)
		return hit ? CELL_HIT : CELL_MISS;
	switch (s->reply.status / 100) {
	case 2:
		return CELL_OTHER_2XX;
	case 3:
		return CELL_3XX;
	case 4:
		return CELL_4XX;
	default:
		return CELL_5XX;
	}
}

static int
robot_status_good(struct agent *a, const struct agent_slot *s)
{
	uint32_t status = s->reply.status;

	if (a->plan->robots.expect_given)
		return plan_status_has(&a->plan->robots.expect_status, status);
	if (s->flags & AGENT_SLOT_OWN)
		return status == 200;
	return status >= 200 && status < 400;
}

/** A whole reply: which class is it? */
static struct agent_outcome
robot_judge(struct agent *a, struct agent_slot *s)
{
	struct agent_counters *c = a->c;
	struct agent_outcome o = {NULL, CELL_MISS};
	uint32_t status = s->reply.status;
	int hit = 0;

	a->hc->replies++;
	robot_bytes_count(a, s);
	robot_flags_count(a, s->reply.flags);
	c->status_2xx += status / 100 == 2;
	c->status_3xx += status / 100 == 3;
	c->status_4xx += status / 100 == 4;
	c->status_5xx += status / 100 == 5;
	if (s->flags & AGENT_SLOT_OWN) {
		hit = s->reply.x_xact != ~s->xact;
		c->hits += hit;
		c->misses += !hit;
	} else {
		c->foreign++;
	}
	o.cell = robot_cell_of(s, hit);
	if (!robot_status_good(a, s)) {
		o.fail = &c->fail_status;
		a->failed_status[status < 100 || status > 599 ? 0 : status - 100]++;
	} else if (s->flags & AGENT_SLOT_BAD_BODY) {
		o.fail = &c->fail_content;
	}
	return o;
}

static void
robot_conn_end(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];

	if (ac->flags & AGENT_CONN_F_ENDED)
		return;
	ac->flags |= AGENT_CONN_F_ENDED;
	tcp_stream_end(a->tcp, x);
	agent_ready(a, x);
}

/** We are done with this connection: FIN, or RST by choice. */
void
robot_conn_close(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];

	if (ac->state == AGENT_CONN_IDLE)
		robot_idle_remove(a, x);
	ac->state = AGENT_CONN_CLOSING;
	ac->flags |= AGENT_CONN_F_DEAF;
	tcp_app_due(a->tcp, x, 0);
	if (a->plan->robots.close == PLAN_CLOSE_RST) {
		ac->flags |= AGENT_CONN_F_ABORT;
		agent_ready(a, x);
	} else {
		robot_conn_end(a, x);
	}
}

/** After a whole reply: keep the connection, wait for the announced FIN, or close. */
static void
robot_conn_next(struct agent *a, uint32_t x, const struct agent_slot *s, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	uint16_t f = s->reply.flags;

	ac->x_current = AGENT_NONE;
	if (a->draining || (ac->flags & AGENT_CONN_F_PEER_CLOSED)) {
		robot_conn_close(a, x);
	} else if ((f & HTTP_F_CLOSE) && !(f & (HTTP_F_TO_EOF | HTTP_F_CONFLICT)) &&
		   a->plan->robots.close == PLAN_CLOSE_FIN) {
		/* the peer said that it closes: its FIN comes first, so TIME-WAIT is the peer's */
		ac->state = AGENT_CONN_CLOSING;
		tcp_app_due(a->tcp, x, now + a->grace_tsc);
	} else if ((f & HTTP_F_CLOSE) || ac->n_uses >= ac->use_lmt) {
		robot_conn_close(a, x);
	} else {
		uint64_t idle = a->plan->robots.idle_pconn_tout_ns;

		robot_idle_add(a, x);
		tcp_app_due(a->tcp, x, idle != 0 ? now + tick_from_ns(&a->rate, idle) : 0);
	}
}

/** Bytes that nobody asked for: the two sides disagree on framing, so the connection is reset. */
static void
robot_extra(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];

	a->c->extra_bytes_conns++;
	if (ac->state == AGENT_CONN_IDLE)
		robot_idle_remove(a, x);
	ac->x_current = AGENT_NONE;
	ac->state = AGENT_CONN_CLOSING;
	ac->flags |= AGENT_CONN_F_DEAF | AGENT_CONN_F_ABORT;
	agent_ready(a, x);
}

/** @param extra more bytes follow the reply: not the start of another one, since one is asked for
 * at a time. */
static void
robot_reply_done(struct agent *a, uint32_t x, int extra, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	uint32_t x_slot = ac->x_current;
	uint32_t x_robot = ac->x_robot;
	struct agent_slot *s = &a->slot[x_slot];

	robot_end(a, x_slot, robot_judge(a, s), now);
	if (extra)
		robot_extra(a, x);
	else
		robot_conn_next(a, x, s, now);
	agent_slots_acked(a, x);
	robot_serve_queue(a, x_robot, now);
}

/** The current transaction fails; the connection is of no further use and is reset. */
static void
robot_reply_failed(struct agent *a, uint32_t x, uint64_t *fail, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	uint32_t x_slot = ac->x_current;

	ac->x_current = AGENT_NONE;
	if (x_slot != AGENT_NONE) {
		robot_bytes_count(a, &a->slot[x_slot]);
		robot_end(a, x_slot, (struct agent_outcome){fail, CELL_FAILED}, now);
	}
	ac->state = AGENT_CONN_CLOSING;
	ac->flags |= AGENT_CONN_F_DEAF | AGENT_CONN_F_ABORT;
	agent_ready(a, x);
}

static void
robot_head_seen(struct agent *a, struct agent_slot *s)
{
	if (!(s->reply.flags & HTTP_F_XACT))
		return;
	s->flags |= AGENT_SLOT_OWN;
}

static void
robot_body_check(struct agent *a, struct agent_slot *s, const struct span *body)
{
	uint64_t at = s->reply.body_bytes - body->n;

	if (!(s->flags & AGENT_SLOT_OWN) || s->reply.status != 200)
		return;
	if (a->verify_below != UINT64_MAX && rng_at(a->key_verify, s->oid) > a->verify_below)
		return;
	if (!body_equal(a->body, s->oid, at, body->p, body->n))
		s->flags |= AGENT_SLOT_BAD_BODY;
}

static uint64_t *
robot_error_class(struct agent *a, enum http_error e)
{
	if (e == HTTP_E_TOO_LARGE || e == HTTP_E_TOO_MANY)
		return &a->c->fail_limit;
	return &a->c->fail_parse;
}

/** One span of in-order bytes of a reply. @param more another span follows. */
static void
robot_data(struct agent *a, uint32_t x, const uint8_t *p, uint32_t n, int more, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	do {
		struct agent_slot *s;
		struct span body;
		enum http_rc rc;
		uint32_t used;

		if (ac->x_current == AGENT_NONE) {
			robot_extra(a, x);
			return;
		}
		s = &a->slot[ac->x_current];
		if (http_response_idle(&s->reply))
			s->first_tsc = now;
		rc = http_response_parse(&s->reply, p, n, &used, &body);
		p += used;
		n -= used;
		if (rc == HTTP_HEAD)
			robot_head_seen(a, s);
		else if (rc == HTTP_BODY)
			robot_body_check(a, s, &body);
		else if (rc == HTTP_ERROR)
			robot_reply_failed(a, x, robot_error_class(a, s->reply.error), now);
		else if (rc == HTTP_MORE)
			return;
		if (rc == HTTP_DONE) {
			robot_reply_done(a, x, n > 0 || more, now);
			return;
		}
	} while (!(ac->flags & AGENT_CONN_F_DEAF));
}

/** A kept-alive connection went away before one byte of the reply: another attempt, or `stale`. */
static void
robot_stale(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	uint32_t x_slot = ac->x_current;
	struct agent_slot *s = &a->slot[x_slot];
	int idempotent = a->plan->robots.method != HTTP_POST &&
			 a->plan->robots.method != HTTP_PATCH &&
			 a->plan->robots.method != HTTP_CONNECT;

	ac->x_current = AGENT_NONE;
	if (!a->plan->robots.retry_stale || !idempotent || a->draining ||
		(s->flags & AGENT_SLOT_RETRIED)) {
		robot_end(a, x_slot, (struct agent_outcome){&a->c->fail_stale, CELL_FAILED}, now);
		return;
	}
	a->c->retries++;
	s->flags |= AGENT_SLOT_RETRIED;
	s->flags &= (uint8_t)~AGENT_SLOT_STREAM;
	/* the slot leaves this connection's FIFO: it is the only one that is not answered */
	if (ac->x_head == x_slot) {
		ac->x_head = ac->x_tail = AGENT_NONE;
	} else {
		uint32_t i = ac->x_head;

		while (a->slot[i].x_next != x_slot)
			i = a->slot[i].x_next;
		a->slot[i].x_next = AGENT_NONE;
		ac->x_tail = i;
	}
	robot_start(a, x_slot, now);
}

/** FIN or RST while a transaction was open. @param fail class when reply bytes were missing. */
static void
robot_cut(struct agent *a, uint32_t x, int reset, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	struct agent_slot *s = &a->slot[ac->x_current];
	int idle = http_response_idle(&s->reply) && s->reply.n_interim == 0;

	if (idle && ac->n_uses > 1)
		robot_stale(a, x, now);
	else if (reset)
		robot_reply_failed(a, x, &a->c->fail_reset, now);
	else if (idle)
		robot_reply_failed(a, x, &a->c->fail_noreply, now);
	else
		robot_reply_failed(a, x, &a->c->fail_short, now);
}

static void
robot_fin(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	if (!(ac->flags & AGENT_CONN_F_ENDED))
		ac->flags |= AGENT_CONN_F_PEER_CLOSED;
	if (ac->state == AGENT_CONN_IDLE) {
		a->c->idle_closed++;
	} else if (ac->x_current != AGENT_NONE && !(ac->flags & AGENT_CONN_F_DEAF)) {
		struct agent_slot *s = &a->slot[ac->x_current];

		if (http_response_eof(&s->reply) == HTTP_DONE)
			robot_reply_done(a, x, 0, now);
		else
			robot_cut(a, x, 0, now);
	}
	if (!(ac->flags & AGENT_CONN_F_ABORT))
		robot_conn_close(a, x);
}

static void
robot_established(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	uint32_t x_slot = ac->x_current;

	ac->flags |= AGENT_CONN_F_ESTABLISHED;
	a->c->conn_opened++;
	a->c->conn_open_now++;
	if (ac->opened_tsc != 0)
		hist_record(&a->cells->connect, &a->cells->pool,
			tick_to_ns(&a->rate, now - ac->opened_tsc));
	if (x_slot == AGENT_NONE) {
		robot_conn_close(a, x);
		return;
	}
	ac->state = AGENT_CONN_BUSY;
	robot_request(a, x, x_slot, now);
}

/** The connection died by itself: reset, refused, or TCP gave up. */
static void
robot_died(struct agent *a, uint32_t x, const struct tcp_result *res, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	uint64_t *fail = &a->c->fail_timeout;

	if (res->events & TCP_EV_REFUSED)
		fail = &a->c->fail_refused;
	else if ((res->events & TCP_EV_TIMEOUT) && ac->state == AGENT_CONN_OPENING)
		fail = &a->c->fail_connect_timeout;
	if ((res->events & TCP_EV_RESET) && !(ac->flags & AGENT_CONN_F_ENDED))
		ac->flags |= AGENT_CONN_F_PEER_CLOSED;
	if (ac->x_current != AGENT_NONE) {
		if (res->events & TCP_EV_RESET)
			robot_cut(a, x, 1, now);
		else
			robot_reply_failed(a, x, fail, now);
	} else if (res->events & TCP_EV_RESET) {
		a->c->idle_reset++;
	}
	ac->flags &= (uint8_t)~AGENT_CONN_F_ABORT;
	ac->flags |= AGENT_CONN_F_DEAF;
}

static void
robot_app_due(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	switch (ac->state) {
	case AGENT_CONN_OPENING:
		robot_reply_failed(a, x, &a->c->fail_connect_timeout, now);
		break;
	case AGENT_CONN_BUSY:
		robot_reply_failed(a, x, &a->c->fail_timeout, now);
		break;
	case AGENT_CONN_IDLE:
	case AGENT_CONN_CLOSING:
		robot_conn_close(a, x);
		break;
	default:
		break;
	}
}

void
robot_event(struct agent *a, uint32_t x, struct tcp_result *res, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	if (res->events & TCP_EV_ESTABLISHED)
		robot_established(a, x, now);
	if (res->events & TCP_EV_ACKED)
		agent_slots_acked(a, x);
	if (res->events & TCP_EV_DATA)
		for (uint32_t i = 0; i < res->n_spans && !(ac->flags & AGENT_CONN_F_DEAF); i++)
			robot_data(a, x, res->span[i].p, res->span[i].n, i + 1 < res->n_spans, now);
	if (res->events & TCP_EV_FIN)
		robot_fin(a, x, now);
	if (res->events & (TCP_EV_RESET | TCP_EV_REFUSED | TCP_EV_TIMEOUT))
		robot_died(a, x, res, now);
	if (res->events & TCP_EV_APP)
		robot_app_due(a, x, now);
}

void
robot_gone(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	uint32_t x_slot = ac->x_head;

	if (ac->state == AGENT_CONN_IDLE)
		robot_idle_remove(a, x);
	while (x_slot != AGENT_NONE) {
		uint32_t x_next = a->slot[x_slot].x_next;

		if (!(a->slot[x_slot].flags & AGENT_SLOT_ANSWERED))
			robot_end(a, x_slot,
				(struct agent_outcome){
					a->closing ? &a->c->fail_cut : &a->c->fail_local,
					CELL_FAILED},
				now);
		agent_slot_give(a, x_slot);
		x_slot = x_next;
	}
	ac->x_head = ac->x_tail = AGENT_NONE;
	a->robot[ac->x_robot].n_open--;
	robot_serve_queue(a, ac->x_robot, now);
}
