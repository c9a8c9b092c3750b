/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include "agent_priv.h"

/* A reply is put into the stream in pieces of this size, so that unacknowledged bytes stay far from
 * the sequence space's half, whatever its length. */
#define EXTEND_MAX (256u << 20)

static const uint16_t reply_status[AGENT_STATUSES] = {200, 400, 413, 414, 431, 501, 505, 100};
#define REPLY_200 0
#define REPLY_400 1

static uint32_t
reply_index(uint16_t status)
{
	for (uint32_t i = 0; i < AGENT_REPLY_100; i++)
		if (reply_status[i] == status)
			return i;
	return REPLY_400;
}

const char *
origin_date(struct agent *a, uint64_t second)
{
	if (second != a->date_s) {
		http_date_text(second, a->date);
		a->date_s = second;
	}
	return a->date;
}

uint64_t
origin_second(const struct agent *a, uint64_t now)
{
	return (a->utc0_ns + tick_to_ns(&a->rate, now - a->tsc0)) / 1000000000;
}

static void
partial_give(struct agent *a, struct agent_conn *ac)
{
	if (ac->x_request == AGENT_NONE)
		return;
	a->partial[ac->x_request].x_next = a->x_free_partial;
	a->x_free_partial = ac->x_request;
	ac->x_request = AGENT_NONE;
}

/** The parser of the request being read: kept from the last segment, or fresh in *local. */
static struct http_request *
request_of(struct agent *a, struct agent_conn *ac, struct http_request *local)
{
	if (unlikely_(ac->x_request != AGENT_NONE))
		return &a->partial[ac->x_request].req;
	http_request_init(local);
	return local;
}

/** Keep a request that is not complete. @return -1 when there is no room. */
static int
request_keep(struct agent *a, struct agent_conn *ac, const struct http_request *req)
{
	uint32_t x = a->x_free_partial;

	if (ac->x_request != AGENT_NONE || http_request_idle(req))
		return 0;
	if (x == AGENT_NONE) {
		a->c->partial_exhausted++;
		return -1;
	}
	a->x_free_partial = a->partial[x].x_next;
	a->partial[x].req = *req;
	ac->x_request = x;
	return 0;
}

static void
origin_abort(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];

	if (ac->state == AGENT_CONN_IDLE)
		a->c->conn_idle_now--;
	ac->state = AGENT_CONN_CLOSING;
	ac->flags |= AGENT_CONN_F_DEAF | AGENT_CONN_F_ABORT;
	agent_ready(a, x);
}

static void
origin_end(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];

	if (ac->flags & AGENT_CONN_F_ENDED)
		return;
	if (ac->state == AGENT_CONN_IDLE)
		a->c->conn_idle_now--;
	ac->state = AGENT_CONN_CLOSING;
	/* a request that crosses our FIN can't be answered any more: its robot will see the FIN */
	ac->flags |= AGENT_CONN_F_ENDED | AGENT_CONN_F_DEAF;
	tcp_stream_end(a->tcp, x);
	agent_ready(a, x);
}

/** Put more of a started reply into the stream; all of it in it: ANSWERED. */
static void
reply_extend(struct agent *a, uint32_t x, struct agent_slot *s)
{
	uint64_t size = agent_head_len(a, x, s) + agent_slot_body(s);
	uint64_t n = size - s->extended;
	struct tcp_conn *c = &a->tcp->conn[x];

	if (n > EXTEND_MAX)
		n = EXTEND_MAX;
	if (n > 0 && agent_end_off(c) - agent_una_off(c) <= 2 * EXTEND_MAX) {
		tcp_stream_extend(a->tcp, x, (uint32_t)n);
		s->extended += n;
		agent_ready(a, x);
	}
	if (s->extended == size)
		s->flags |= AGENT_SLOT_ANSWERED;
}

/** Start replies whose think time is over, in order. */
static void
replies_start(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	while (ac->x_current != AGENT_NONE) {
		struct agent_slot *s = &a->slot[ac->x_current];

		if (!(s->flags & AGENT_SLOT_STREAM)) {
			if (s->due_tsc > now) {
				tcp_app_due(a->tcp, x, s->due_tsc);
				return;
			}
			s->off = agent_end_off(&a->tcp->conn[x]);
			s->pos = 0;
			s->extended = 0;
			s->x_owner = (uint32_t)origin_second(a, now);
			s->flags |= AGENT_SLOT_STREAM;
		}
		reply_extend(a, x, s);
		if (!(s->flags & AGENT_SLOT_ANSWERED))
			return;
		if (s->flags & AGENT_SLOT_LAST)
			origin_end(a, x);
		ac->x_current = s->x_next;
	}
}

/** Queue a reply on the connection. @return its slot, or NULL (connection aborted). */
static struct agent_slot *
reply_new(struct agent *a, uint32_t x, uint32_t x_template, uint64_t due)
{
	struct agent_conn *ac = &a->conn[x];
	uint32_t x_slot = agent_slot_take(a);
	struct agent_slot *s;

	if (x_slot == AGENT_NONE) {
		origin_abort(a, x);
		return NULL;
	}
	s = &a->slot[x_slot];
	s->due_tsc = due;
	s->x_template = (uint8_t)x_template;
	s->told_size = 0;
	s->pos = 0;
	s->oid = 0;
	s->xact = 0;
	agent_slot_push(a, ac, x_slot);
	ac->n_queued++;
	if (ac->x_current == AGENT_NONE)
		ac->x_current = x_slot;
	return s;
}

/** True when the connection ends with this reply. */
static int
reply_is_last(const struct agent *a, const struct agent_conn *ac, const struct http_request *req)
{
	return (req->flags & HTTP_F_CLOSE) || ac->n_uses >= ac->use_lmt || a->draining;
}

static void
request_done(struct agent *a, uint32_t x, const struct http_request *req, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	const struct plan_origin *po = &a->plan->origin;
	uint64_t size = plan_object_size(a->plan, req->oid);
	uint32_t var = 0;
	struct agent_slot *s;
	uint64_t due = now;
	int last;

	ac->n_uses++;
	a->c->requests_in++;
	a->c->req_bytes += req->header_bytes + req->body_bytes;
	a->hc->requests++;
	a->hc->header_bytes += req->header_bytes;
	a->hc->body_bytes += req->body_bytes;
	if (ac->state == AGENT_CONN_IDLE)
		a->c->conn_idle_now--;
	ac->state = AGENT_CONN_BUSY;
	last = reply_is_last(a, ac, req);
	var |= last ? AGENT_VAR_CLOSE : 0;
	var |= (req->flags & HTTP_F_XACT) ? AGENT_VAR_XACT : 0;
	var |= !last && req->minor == 0 ? AGENT_VAR_KEEP10 : 0;
	if (po->xact_think.kind != DIST_NONE)
		due = now + tick_from_ns(&a->rate,
				    (uint64_t)dist_at(&po->xact_think, a->key_think, a->n_replies));
	a->n_replies++;
	s = reply_new(a, x, REPLY_200 * AGENT_VARS + var, due);
	if (s == NULL)
		return;
	s->oid = req->oid;
	s->xact = req->x_xact;
	s->told_size = size;
	if (req->method != HTTP_HEAD_METHOD) {
		s->body_len_lo = (uint32_t)size;
		s->body_len_hi = (uint8_t)(size >> 32);
	}
	if (last) {
		s->flags |= AGENT_SLOT_LAST;
		ac->flags |= AGENT_CONN_F_DEAF;
	}
}

static void
request_refused(struct agent *a, uint32_t x, const struct http_request *req, uint64_t now)
{
	struct agent_slot *s;

	a->c->bad_requests++;
	a->hc->bad_requests++;
	s = reply_new(a, x, reply_index(req->reply_status) * AGENT_VARS + AGENT_VAR_CLOSE, now);
	if (s != NULL)
		s->flags |= AGENT_SLOT_LAST;
	a->conn[x].flags |= AGENT_CONN_F_DEAF;
}

/** Header section complete: a body that waits for our word gets it. */
static void
request_head(struct agent *a, uint32_t x, const struct http_request *req, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	if (!(req->flags & HTTP_F_EXPECT) || (ac->flags & AGENT_CONN_F_CONTINUE))
		return;
	ac->flags |= AGENT_CONN_F_CONTINUE;
	reply_new(a, x, AGENT_REPLY_100 * AGENT_VARS, now);
}

static void
request_body(struct agent *a, const struct http_request *req, const struct span *body)
{
	uint64_t at = req->body_bytes - body->n;

	if ((req->flags & (HTTP_F_XACT | HTTP_F_OBJECT)) != (HTTP_F_XACT | HTTP_F_OBJECT))
		return;
	if (!body_equal(a->body, req->oid, at, body->p, body->n))
		a->c->bad_content_in++;
}

/** The pipeline is full: leave the rest of a result to TCP. */
static void
origin_park(struct agent *a, uint32_t x, const struct span *rest, uint32_t n_rest)
{
	if (tcp_park(a->tcp, x, rest, n_rest) != 0) {
		a->c->partial_exhausted++;
		origin_abort(a, x);
		return;
	}
	a->conn[x].flags |= AGENT_CONN_F_PARKED;
}

/** One span of in-order bytes of requests. @return bytes left over because the pipeline is full. */
static uint32_t
origin_data(struct agent *a, uint32_t x, const uint8_t *p, uint32_t n, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	struct http_request local;
	struct http_request *req = request_of(a, ac, &local);

	while (!(ac->flags & AGENT_CONN_F_DEAF)) {
		struct span body;
		uint32_t used;
		enum http_rc rc;

		if (unlikely_(ac->n_queued >= AGENT_PIPELINE_MAX) && http_request_idle(req))
			return n;
		rc = http_request_parse(req, p, n, &used, &body);
		p += used;
		n -= used;
		if (rc == HTTP_HEAD) {
			request_head(a, x, req, now);
		} else if (rc == HTTP_BODY) {
			request_body(a, req, &body);
		} else if (rc == HTTP_DONE) {
			request_done(a, x, req, now);
			ac->flags &= (uint8_t)~AGENT_CONN_F_CONTINUE;
			partial_give(a, ac);
			req = &local;
			http_request_init(req);
			if (n == 0)
				break;
		} else if (rc == HTTP_ERROR) {
			request_refused(a, x, req, now);
		} else {
			if (request_keep(a, ac, req) != 0)
				origin_abort(a, x);
			break;
		}
	}
	return 0;
}

/** All spans of a result, until the pipeline is full. */
static void
origin_spans(struct agent *a, uint32_t x, struct tcp_result *res, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	for (uint32_t i = 0; i < res->n_spans && !(ac->flags & AGENT_CONN_F_DEAF); i++) {
		struct span *s = &res->span[i];
		uint32_t left = origin_data(a, x, s->p, s->n, now);

		if (left == 0)
			continue;
		s->p += s->n - left;
		s->n = left;
		if (!(res->events & TCP_EV_GONE))
			origin_park(a, x, s, res->n_spans - i);
		return;
	}
}

static void
origin_established(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];

	ac->flags |= AGENT_CONN_F_ESTABLISHED;
	ac->state = AGENT_CONN_IDLE;
	a->c->conn_opened++;
	a->c->conn_open_now++;
	a->c->conn_idle_now++;
}

void
agent_accepted(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	const struct dist *lmt = &a->plan->origin.pconn_use_lmt;
	double use = lmt->kind == DIST_NONE ? 0 : dist_at(lmt, a->key_use, a->n_conns_opened);

	a->n_conns_opened++;
	ac->x_head = ac->x_tail = ac->x_current = AGENT_NONE;
	ac->x_request = AGENT_NONE;
	ac->state = AGENT_CONN_OPENING;
	ac->flags = 0;
	ac->n_uses = 0;
	ac->n_queued = 0;
	ac->use_lmt = lmt->kind == DIST_NONE || use > UINT32_MAX ? UINT32_MAX : (uint32_t)use;
	ac->opened_tsc = now;
}

/** Move the head slot's base up to what is acknowledged, so that offsets stay small numbers. */
static void
reply_rebase(struct agent *a, uint32_t x)
{
	struct agent_conn *ac = &a->conn[x];
	uint32_t una = agent_una_off(&a->tcp->conn[x]);
	struct agent_slot *s;

	if (ac->x_head == AGENT_NONE)
		return;
	s = &a->slot[ac->x_head];
	if (!(s->flags & AGENT_SLOT_STREAM) || una - s->off > INT32_MAX ||
		una - s->off < EXTEND_MAX)
		return;
	s->pos += una - s->off;
	s->off = una;
}

static void
origin_idle(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	uint64_t tout = a->plan->origin.idle_pconn_tout_ns;

	if (ac->state == AGENT_CONN_BUSY && ac->x_head == AGENT_NONE) {
		ac->state = AGENT_CONN_IDLE;
		a->c->conn_idle_now++;
		if (a->draining)
			origin_end(a, x);
	}
	if (tout != 0 && ac->state == AGENT_CONN_IDLE)
		tcp_app_due(a->tcp, x, now + tick_from_ns(&a->rate, tout));
}

void
origin_event(struct agent *a, uint32_t x, struct tcp_result *res, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];

	if (res->events & TCP_EV_ESTABLISHED)
		origin_established(a, x);
	if (res->events & TCP_EV_ACKED) {
		reply_rebase(a, x);
		agent_slots_acked(a, x);
	}
	if (res->events & TCP_EV_DATA)
		origin_spans(a, x, res, now);
	if (res->events & (TCP_EV_RESET | TCP_EV_REFUSED | TCP_EV_TIMEOUT)) {
		if ((res->events & TCP_EV_RESET) && !(ac->flags & AGENT_CONN_F_ENDED))
			ac->flags |= AGENT_CONN_F_PEER_CLOSED;
		ac->flags |= AGENT_CONN_F_DEAF;
		ac->flags &= (uint8_t)~AGENT_CONN_F_ABORT;
		return;
	}
	if (res->events & TCP_EV_APP && ac->state == AGENT_CONN_IDLE && ac->x_current == AGENT_NONE)
		origin_end(a, x);
	replies_start(a, x, now);
	if ((res->events & TCP_EV_FIN) && !(ac->flags & AGENT_CONN_F_PARKED)) {
		if (!(ac->flags & AGENT_CONN_F_ENDED))
			ac->flags |= AGENT_CONN_F_PEER_CLOSED;
		ac->flags |= AGENT_CONN_F_DEAF;
		/* half-close: what was asked for is still answered, then our FIN */
		if (ac->x_current == AGENT_NONE)
			origin_end(a, x);
		else
			a->slot[ac->x_tail].flags |= AGENT_SLOT_LAST;
	}
	origin_idle(a, x, now);
}

void
origin_gone(struct agent *a, uint32_t x, uint64_t now)
{
	struct agent_conn *ac = &a->conn[x];
	uint32_t x_slot = ac->x_head;

	(void)now;
	partial_give(a, ac);
	if (ac->state == AGENT_CONN_IDLE)
		a->c->conn_idle_now--;
	/* the last acknowledgement may have come with the end of the connection */
	while (x_slot != AGENT_NONE) {
		uint32_t x_next = a->slot[x_slot].x_next;

		a->c->replies_cut += !agent_slot_interim(&a->slot[x_slot]);
		agent_slot_give(a, x_slot);
		x_slot = x_next;
	}
	ac->x_head = AGENT_NONE;
}

static int
replies_build(struct agent *a, uint32_t i, struct err *e)
{
	for (uint32_t v = 0; v < AGENT_VARS; v++) {
		struct http_response_desc d = {
			.status = reply_status[i],
			.content_type = i == REPLY_200 ? "text/plain" : NULL,
			.close = !!(v & AGENT_VAR_CLOSE),
			.keep = !!(v & AGENT_VAR_KEEP10),
			.has_length = i != AGENT_REPLY_100,
			.xact = !!(v & AGENT_VAR_XACT),
		};
		int rc = http_response_build(&a->reply[i][v], &d, e);

		if (rc != 0)
			return rc;
	}
	return 0;
}

int
origin_init(
	struct agent *a, const struct agent_sizes *s, uint64_t now, struct arena *m, struct err *e)
{
	uint64_t lane = (uint64_t)a->x_lane << 8;
	struct timespec ts;

	a->partial = arena_take(m, sizeof(*a->partial) * s->n_partials);
	if (!arena_ok(m))
		return 0;
	for (uint32_t i = 0; i < s->n_partials; i++)
		a->partial[i].x_next = i + 1 < s->n_partials ? i + 1 : AGENT_NONE;
	a->x_free_partial = 0;
	a->key_think = rng_key(a->plan->seed, PLAN_RNG_THINK | lane);
	a->key_use = rng_key(a->plan->seed, PLAN_RNG_USE_LMT | lane);
	clock_gettime(CLOCK_REALTIME, &ts);
	a->utc0_ns = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	a->tsc0 = now;
	for (uint32_t i = 0; i < AGENT_STATUSES; i++) {
		int rc = replies_build(a, i, e);

		if (rc != 0)
			return rc;
	}
	return 0;
}
