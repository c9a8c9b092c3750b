/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Shared by robot.c, origin.c and agent.c only. OWNER.
 */
#ifndef AGENT_PRIV_H
#define AGENT_PRIV_H

#include "agent.h"

/** Outcome of a transaction: a class of failure is the address of its counter. */
struct agent_outcome {
	uint64_t *fail; /* counter of the class, NULL: completed */
	uint8_t cell; /* enum cell_class */
};

uint32_t agent_slot_take(struct agent *a);
void agent_slot_give(struct agent *a, uint32_t x_slot);
void agent_slot_push(struct agent *a, struct agent_conn *ac, uint32_t x_slot);
/** Give back slots at the head of the FIFO that are answered and acknowledged. */
void agent_slots_acked(struct agent *a, uint32_t x);

static inline uint32_t
agent_una_off(const struct tcp_conn *c)
{
	return c->snd_una - c->iss - 1;
}

static inline uint32_t
agent_end_off(const struct tcp_conn *c)
{
	return c->snd_end - c->iss - 1;
}

/** Message byte at stream offset s->off. */
static inline uint64_t
agent_slot_pos(const struct agent *a, const struct agent_slot *s)
{
	return a->role == PLAN_SERVER ? s->pos : 0;
}

/** Robot: origin that a request goes to, a pure function of its transaction. */
static inline uint32_t
agent_target_of(const struct agent *a, const struct agent_slot *s)
{
	if (likely_(a->n_targets == 1))
		return 0;
	return (uint32_t)rng_below(rng_at(a->key_origin, s->xact), a->n_targets);
}

static inline const struct http_template *
agent_template(const struct agent *a, const struct agent_conn *ac, const struct agent_slot *s)
{
	if (a->role == PLAN_CLIENT) {
		const struct agent_target *t = &a->target[agent_target_of(a, s)];

		(void)ac;
		return s->x_template ? &t->close : &t->keep;
	}
	return &a->reply[s->x_template / AGENT_VARS][s->x_template % AGENT_VARS];
}

static inline uint32_t
agent_head_len(const struct agent *a, uint32_t x, const struct agent_slot *s)
{
	return agent_template(a, &a->conn[x], s)->len;
}

#define AGENT_REPLY_100 (AGENT_STATUSES - 1)

/** An origin's `100 Continue`: goes before a reply and is none. */
static inline bool
agent_slot_interim(const struct agent_slot *s)
{
	return s->x_template / AGENT_VARS == AGENT_REPLY_100;
}

/* robot.c */
int robot_init(
	struct agent *a, const struct agent_sizes *s, uint64_t now, struct arena *m, struct err *e);
void robot_event(struct agent *a, uint32_t x, struct tcp_result *res, uint64_t now);
void robot_gone(struct agent *a, uint32_t x, uint64_t now);
void robot_conn_close(struct agent *a, uint32_t x);
/** End a transaction: count it in its one class, record its times, wake its robot. */
void robot_end(struct agent *a, uint32_t x_slot, struct agent_outcome o, uint64_t now);

/* launch.c */
void robot_start(struct agent *a, uint32_t x_slot, uint64_t now);
/** A connection of the robot became idle or went away: start what waits for it. */
void robot_serve_queue(struct agent *a, uint32_t x_robot, uint64_t now);
void robot_idle_remove(struct agent *a, uint32_t x);
void robot_idle_add(struct agent *a, uint32_t x);
void robot_request(struct agent *a, uint32_t x, uint32_t x_slot, uint64_t now);
/** Best effort: the robot may launch again (after a pause when it failed). */
void robot_again(struct agent *a, uint32_t x_robot, int failed, uint64_t now);

/* origin.c */
int origin_init(
	struct agent *a, const struct agent_sizes *s, uint64_t now, struct arena *m, struct err *e);
void origin_event(struct agent *a, uint32_t x, struct tcp_result *res, uint64_t now);
void origin_gone(struct agent *a, uint32_t x, uint64_t now);
const char *origin_date(struct agent *a, uint64_t second);
uint64_t origin_second(const struct agent *a, uint64_t now);

#endif
