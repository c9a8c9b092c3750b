/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Robots' lane and origins' lane joined in memory, as a worker of `freshet loop` joins them, but in
 * virtual time and without EAL: what a transaction costs apart from rings and buffers. One thread;
 * memory is malloc's, freed by pair_free().
 */
#ifndef BENCH_PAIR_H
#define BENCH_PAIR_H

#include "lane.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pair_want {
	const char *use; /* requests per connection */
	const char *size; /* of replies */
	enum plan_verify verify;
	uint32_t n_robots;
	uint64_t n_xacts;
};

struct pair;

/** @return NULL with *e filled. */
struct pair *pair_new(const struct pair_want *want, struct err *e);
/** Until all transactions ended. @return 0; -1 when one failed or it takes too long. */
int pair_run(struct pair *p);
const struct lane_counters *pair_client(const struct pair *p);
const struct lane_counters *pair_server(const struct pair *p);
void pair_free(struct pair *p);

#ifdef __cplusplus
}
#endif
#endif
