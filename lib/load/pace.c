/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include "base_assert.h"
#include "load_pace.h"

/* A launch this close behind the end of a line belongs to it: a ramp's total is then exact although
 * its integral is rounded. */
#define PACE_EPSILON 1e-6
/* Two lines closer than this are one. */
#define PACE_SAME 1e-9
/* Gap of late launches where neither now nor the due time has a rate. */
#define PACE_BLIND_PER_SEC 1000.0

static struct pace_line *
pace_line_at(const struct pace *p, uint32_t x)
{
	return (struct pace_line *)&p->line[x & (PACE_LINES - 1)];
}

static double
pace_sec(const struct pace *p, uint64_t from, uint64_t to)
{
	return (double)(to - from) / (double)p->rate.hz;
}

/* Rate at t, which is in the line. */
static double
pace_line_rate(const struct pace *p, const struct pace_line *l, uint64_t t_tsc)
{
	double r = l->per_sec + l->per_sec2 * pace_sec(p, l->t0_tsc, t_tsc);

	return r > 0 ? r : 0;
}

/* Launches offered in t seconds from a rate r on, with slope k. */
static double
pace_integral(double r, double k, double t)
{
	if (k < 0 && r + k * t < 0)
		return r * r / (-2 * k);
	return (r + k * t / 2) * t;
}

/* Seconds until s launches are offered; INFINITY when the rate dies before. The form with the root
 * in the divisor stays exact for slopes near 0. */
static double
pace_invert(double r, double k, double s)
{
	double d = r * r + 2 * k * s;
	double sum;

	if (s <= 0)
		return 0;
	if (d < 0) {
		if (s > r * r / (-2 * k) + PACE_EPSILON)
			return INFINITY;
		d = 0;
	}
	sum = r + sqrt(d);
	return sum > 0 ? 2 * s / sum : INFINITY;
}

/* base + t, at most end. */
static uint64_t
pace_due(const struct pace *p, uint64_t base, double t, uint64_t end)
{
	double ticks = t * (double)p->rate.hz;

	if (!(ticks < 9e18))
		return UINT64_MAX;
	base += (uint64_t)(ticks + 0.5);
	return base < end ? base : end;
}

static bool
pace_is_last(const struct pace *p, uint32_t x)
{
	return x + 1 == p->n_lines;
}

/* The cursor goes over to the next line; what it has to go there is s. */
static void
pace_cursor_cross(struct pace *p, struct pace_cursor *c, double s)
{
	struct pace_line *l = pace_line_at(p, ++c->x_line);

	c->s = s > 0 ? s : 0;
	c->base_tsc = l->t0_tsc;
	l->n0 = c->n;
	l->s0 = c->s;
}

/* Find when launch n is due, through as many lines as it takes. */
static void
pace_cursor_settle(struct pace *p, struct pace_cursor *c)
{
	c->due_tsc = UINT64_MAX;
	if (p->n_lines == 0)
		return;
	for (;;) {
		const struct pace_line *l = pace_line_at(p, c->x_line);
		double r = pace_line_rate(p, l, c->base_tsc);
		uint64_t end = UINT64_MAX;
		double whole;

		if (pace_is_last(p, c->x_line)) {
			c->due_tsc =
				pace_due(p, c->base_tsc, pace_invert(r, l->per_sec2, c->s), end);
			return;
		}
		end = pace_line_at(p, c->x_line + 1)->t0_tsc;
		whole = pace_integral(r, l->per_sec2, pace_sec(p, c->base_tsc, end));
		if (c->s <= whole + PACE_EPSILON) {
			c->due_tsc =
				pace_due(p, c->base_tsc, pace_invert(r, l->per_sec2, c->s), end);
			if (c->due_tsc == UINT64_MAX)
				c->due_tsc = end;
			return;
		}
		pace_cursor_cross(p, c, c->s - whole);
	}
}

/* Unit gap before launch n. */
static double
pace_gap(const struct pace *p, uint64_t n)
{
	if (p->kind == PACE_POISSON)
		return -log(rng_unit(rng_at(p->key, n)));
	return n == 0 ? p->first : 1;
}

/* From launch n, which is due, to n + 1. The base moves along: what rounding to a tick took from
 * launch n is given back to the next, so that no error adds up. */
static void
pace_cursor_advance(struct pace *p, struct pace_cursor *c)
{
	const struct pace_line *l = pace_line_at(p, c->x_line);
	double done;

	c->n++;
	if (c->n < l->n0) /* its own line is lost */
		return;
	if (c->n == l->n0) {
		c->s = l->s0;
		c->base_tsc = l->t0_tsc;
	} else {
		done = pace_integral(pace_line_rate(p, l, c->base_tsc), l->per_sec2,
			pace_sec(p, c->base_tsc, c->due_tsc));
		c->s += pace_gap(p, c->n) - done;
		c->base_tsc = c->due_tsc;
	}
	pace_cursor_settle(p, c);
}

static bool
pace_cursor_due(const struct pace *p, const struct pace_cursor *c, uint64_t now_tsc)
{
	return c->due_tsc <= now_tsc && c->due_tsc < p->stop_tsc;
}

/* All that is due at t is scheduled. */
static void
pace_sched_run(struct pace *p, uint64_t t_tsc)
{
	while (pace_cursor_due(p, &p->sched, t_tsc)) {
		p->sched_tsc = p->sched.due_tsc;
		pace_cursor_advance(p, &p->sched);
	}
}

void
pace_init(struct pace *p, enum pace_kind kind, uint64_t key, const struct tick_rate *rate)
{
	memset(p, 0, sizeof(*p));
	p->kind = (uint8_t)kind;
	p->key = key;
	p->rate = *rate;
	p->slack_tsc = tick_from_ns(rate, PACE_SLACK_NS);
	p->stop_tsc = UINT64_MAX;
	pace_first_set(p, 1);
}

void
pace_first_set(struct pace *p, double first)
{
	assert_(p->n_lines == 0 && first > 0 && first <= 1);
	p->first = first;
	p->sched.s = pace_gap(p, 0);
	p->sched.due_tsc = UINT64_MAX;
	p->next = p->sched;
}

/* The ring is about to lose its oldest line. The scheduled cursor leaves it first, in order that
 * every launch is numbered; launches that are not made yet become due where the next line starts.
 */
static void
pace_line_lose(struct pace *p)
{
	uint32_t x = p->n_lines - PACE_LINES;
	const struct pace_line *after = pace_line_at(p, x + 1);

	while (p->sched.x_line == x && p->sched.due_tsc != UINT64_MAX) {
		p->sched_tsc = p->sched.due_tsc;
		pace_cursor_advance(p, &p->sched);
	}
	if (p->next.x_line != x)
		return;
	p->n_lines_lost++;
	p->next.x_line = x + 1;
	p->next.base_tsc = after->t0_tsc;
	p->next.due_tsc = after->t0_tsc;
	if (p->next.n == after->n0) {
		p->next.s = after->s0;
		pace_cursor_settle(p, &p->next);
	}
}

/* A cursor that waits for a launch beyond what it knew looks again. */
static void
pace_cursor_renew(struct pace *p, struct pace_cursor *c)
{
	if (c->n >= pace_line_at(p, c->x_line)->n0)
		pace_cursor_settle(p, c);
}

static bool
pace_close(double a, double b)
{
	return fabs(a - b) <= PACE_SAME * fmax(fabs(a), fabs(b));
}

static bool
pace_line_continues(const struct pace *p, const struct pace_line *last, uint64_t t0_tsc,
	double per_sec, double per_sec2)
{
	double r = last->per_sec + last->per_sec2 * pace_sec(p, last->t0_tsc, t0_tsc);

	return pace_close(r, per_sec) && pace_close(last->per_sec2, per_sec2);
}

/* Put a line behind the others, or in the place of the last one when it starts no later. */
static void
pace_line_append(struct pace *p, uint64_t t0_tsc, double per_sec, double per_sec2)
{
	struct pace_line *last = p->n_lines > 0 ? pace_line_at(p, p->n_lines - 1) : NULL;
	struct pace_line *l = last;

	if (last == NULL || t0_tsc > last->t0_tsc) {
		if (p->n_lines >= PACE_LINES)
			pace_line_lose(p);
		l = pace_line_at(p, p->n_lines++);
		l->t0_tsc = t0_tsc;
		l->n0 = 0;
		l->s0 = 0;
	}
	l->per_sec = per_sec;
	l->per_sec2 = per_sec2;
	if (p->n_lines == 1) {
		p->sched.base_tsc = l->t0_tsc;
		p->next.base_tsc = l->t0_tsc;
	}
}

void
pace_line_add(struct pace *p, uint64_t t0_tsc, double per_sec, double per_sec2)
{
	const struct pace_line *last = p->n_lines > 0 ? pace_line_at(p, p->n_lines - 1) : NULL;
	double wait;

	if (t0_tsc < p->sched_tsc)
		t0_tsc = p->sched_tsc;
	if (t0_tsc >= p->stop_tsc)
		return;
	if (last != NULL && t0_tsc > last->t0_tsc &&
		pace_line_continues(p, last, t0_tsc, per_sec, per_sec2))
		return;
	pace_line_append(p, t0_tsc, per_sec > 0 ? per_sec : 0, per_sec < 0 ? 0 : per_sec2);
	if (per_sec < 0 && per_sec2 > 0) {
		/* nothing until the line comes up through 0 */
		wait = -per_sec / per_sec2 * (double)p->rate.hz;
		if (wait < 9e18)
			pace_line_append(p, t0_tsc + (uint64_t)fmax(wait + 0.5, 1), 0, per_sec2);
	}
	pace_cursor_renew(p, &p->sched);
	pace_cursor_renew(p, &p->next);
}

void
pace_stop(struct pace *p, uint64_t t_tsc)
{
	p->stop_tsc = t_tsc;
}

uint64_t
pace_scheduled(struct pace *p, uint64_t now_tsc)
{
	pace_sched_run(p, now_tsc);
	return p->sched.n;
}

/* Scheduled rate at t. */
static double
pace_rate_at(const struct pace *p, uint64_t t_tsc)
{
	uint32_t oldest = p->n_lines > PACE_LINES ? p->n_lines - PACE_LINES : 0;
	uint32_t x = p->n_lines;

	while (x-- > oldest) {
		const struct pace_line *l = pace_line_at(p, x);

		if (l->t0_tsc <= t_tsc)
			return pace_line_rate(p, l, t_tsc);
	}
	return 0;
}

bool
pace_peek(struct pace *p, uint64_t now_tsc, struct pace_launch *l)
{
	const struct pace_cursor *c = &p->next;

	if (!pace_cursor_due(p, c, now_tsc))
		return false;
	p->blocked = now_tsc - c->due_tsc > p->slack_tsc && now_tsc < p->allowed_tsc;
	if (p->blocked)
		return false;
	l->n = c->n;
	l->due_tsc = c->due_tsc;
	return true;
}

/* Every launch moves the bound, also one in time: what the last slack has started counts when a
 * backlog begins. */
static void
pace_allow(struct pace *p, uint64_t now_tsc)
{
	const struct pace_cursor *c = &p->next;
	double r = pace_line_rate(p, pace_line_at(p, c->x_line), c->due_tsc);
	uint64_t from = now_tsc > p->slack_tsc ? now_tsc - p->slack_tsc : 0;

	if (now_tsc - c->due_tsc > p->slack_tsc)
		r = fmax(r, pace_rate_at(p, now_tsc));
	if (r <= 0)
		r = PACE_BLIND_PER_SEC;
	if (p->allowed_tsc < from)
		p->allowed_tsc = from;
	p->allowed_tsc += (uint64_t)fmin((double)p->rate.hz / (PACE_CATCH_UP * r), 9e18) + 1;
}

void
pace_take(struct pace *p, uint64_t now_tsc)
{
	pace_allow(p, now_tsc);
	if (p->next.n == p->sched.n) {
		/* no backlog: one draw serves both cursors */
		p->sched_tsc = p->sched.due_tsc;
		pace_cursor_advance(p, &p->sched);
		p->next = p->sched;
		return;
	}
	pace_cursor_advance(p, &p->next);
	if (p->next.n == p->sched.n)
		p->next = p->sched;
}

uint64_t
pace_next_due(const struct pace *p)
{
	uint64_t due = p->next.due_tsc;

	if (due >= p->stop_tsc)
		return UINT64_MAX;
	return p->blocked && p->allowed_tsc > due ? p->allowed_tsc : due;
}
