/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Memory: arenas by mmap for lanes (2 MB aligned: hugetlb when granted, else MADV_HUGEPAGE, no root
 * needed), and packet pools in EAL memory. Each pool is allocated from by one lcore only.
 * INIT takes and gives back; port_mem_touch() is called by the owner before the start.
 */
#ifndef PORT_MEM_H
#define PORT_MEM_H

#include <stddef.h>
#include <stdint.h>
#include "base_err.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rte_mempool;

struct port_mem {
	uint8_t *p;
	size_t size;
	int huge; /* 1: hugetlb pages, 0: transparent if the kernel grants them */
};

/** Reserve `size` bytes (zeroed) on the port's NUMA node, -1: where they are touched first. @return
 * 0, or -errno with *e filled. */
int port_mem_take(struct port_mem *m, size_t size, int node, struct err *e);
void port_mem_give(struct port_mem *m);
/** Touch each page before the start, by the lcore that owns it. */
void port_mem_touch(const struct port_mem *m);

#define PORT_POOL_CACHE 512
#define PORT_DATA_ROOM 2048 /* behind the headroom: MTU 1500 and its headers */

/** Layout of a pool. */
enum port_layout {
	PORT_LAYOUT_DMA, /* each buffer on one page: devices that read memory themselves */
	PORT_LAYOUT_COMPACT, /* without hugepages: buffers across pages. Virtual devices copy by the
				CPU; af_xdp needs it, as it counts on buffers side by side */
};

/** Packet buffers, with room for one frame each. */
struct rte_mempool *port_pool_packets(
	const char *name, uint32_t n, enum port_layout layout, int socket, struct err *e);
/** Body buffers: no data room, each with its own shared info in its private area. */
struct rte_mempool *port_pool_bodies(
	const char *name, uint32_t n, enum port_layout layout, int socket, struct err *e);
/** Bytes of EAL memory that pools of these sizes take, rings and slack not included. */
size_t port_pool_packets_bytes(uint32_t n, enum port_layout layout);
size_t port_pool_bodies_bytes(uint32_t n, enum port_layout layout);

#ifdef __cplusplus
}
#endif
#endif
