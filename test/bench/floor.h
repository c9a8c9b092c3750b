/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The floor below freshet's figures: the bare exchange of one request and one reply buffer over
 * ring ports like those of `freshet loop`, and the time that a cache line takes from core to core.
 * No TCP, no HTTP, no clock per packet. INIT: floor_new(), floor_free(). OWNER: the rest, each
 * worker with its own number; buffers belong to the worker's own pool.
 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <stdint.h>
#include "base_err.h"

#ifdef __cplusplus
extern "C" {
#endif

struct floor;

/** Ring ports and pools of n workers; EAL runs. @return NULL with *e filled. */
struct floor *floor_new(uint32_t n_workers, struct err *e);
void floor_free(struct floor *f);

/** Both ends on worker x: a burst of requests over its ring pair and back as replies. @return
 * transactions done. */
uint32_t floor_lanes(struct floor *f, uint32_t x);
/** Worker x of the first half asks, its partner of the second half answers; each calls this again
 * and again at the same time. @return transactions done, 0 for the one that answers. */
uint32_t floor_split(struct floor *f, uint32_t x);
/** Partners throw one cache line back and forth until end_tsc. @return cycles one way, of the
 * fastest 64 throws; 0 for the one that answers, and when nobody did. */
uint64_t floor_ping(struct floor *f, uint32_t x, uint64_t end_tsc);

#ifdef __cplusplus
}
#endif
#endif
