/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_mem.h"
#include <errno.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <string.h>

#define PAGE 4096
#define SHINFO_ROOM RTE_ALIGN_CEIL(sizeof(struct rte_mbuf_ext_shared_info), 64)
#define PACKET_ROOM (RTE_PKTMBUF_HEADROOM + PORT_DATA_ROOM)

/* rte_pktmbuf_pool_create() has no flags: the same steps with ours. */
static struct rte_mempool *
pool_make(const char *name, uint32_t n, uint16_t priv, uint16_t room, enum port_layout layout,
	int socket)
{
	struct rte_pktmbuf_pool_private own = {.mbuf_data_room_size = room, .mbuf_priv_size = priv};
	unsigned int flags = layout == PORT_LAYOUT_COMPACT ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0;
	struct rte_mempool *mp;
	int rc;

	mp = rte_mempool_create_empty(name, n, sizeof(struct rte_mbuf) + priv + room,
		PORT_POOL_CACHE, sizeof(own), socket, flags);
	if (mp == NULL)
		return NULL;
	rc = rte_mempool_set_ops_byname(mp, rte_mbuf_best_mempool_ops(), NULL);
	if (rc == 0) {
		rte_pktmbuf_pool_init(mp, &own);
		rc = rte_mempool_populate_default(mp);
	}
	if (rc < 0) {
		rte_mempool_free(mp);
		rte_errno = -rc;
		return NULL;
	}
	rte_mempool_obj_iter(mp, rte_pktmbuf_init, NULL);
	return mp;
}

static struct rte_mempool *
pool_new(const char *name, uint32_t n, uint16_t priv, uint16_t room, enum port_layout layout,
	int socket, struct err *e)
{
	struct rte_mempool *mp = pool_make(name, n, priv, room, layout, socket);

	if (mp == NULL)
		err_setup(e, rte_errno != 0 ? rte_errno : ENOMEM, "packet pool", name,
			"%u buffers: %s (more memory: -m MB before `--`)", n,
			rte_strerror(rte_errno));
	return mp;
}

struct rte_mempool *
port_pool_packets(const char *name, uint32_t n, enum port_layout layout, int socket, struct err *e)
{
	return pool_new(name, n, 0, PACKET_ROOM, layout, socket, e);
}

struct rte_mempool *
port_pool_bodies(const char *name, uint32_t n, enum port_layout layout, int socket, struct err *e)
{
	return pool_new(name, n, SHINFO_ROOM, 0, layout, socket, e);
}

static size_t
pool_bytes(uint32_t n, uint32_t elt, enum port_layout layout)
{
	size_t obj = rte_mempool_calc_obj_size(elt, 0, NULL);

	if (layout == PORT_LAYOUT_COMPACT)
		return n * obj;
	return (n / (PAGE / obj) + 1) * (size_t)PAGE;
}

size_t
port_pool_packets_bytes(uint32_t n, enum port_layout layout)
{
	return pool_bytes(n, sizeof(struct rte_mbuf) + PACKET_ROOM, layout);
}

size_t
port_pool_bodies_bytes(uint32_t n, enum port_layout layout)
{
	return pool_bytes(n, sizeof(struct rte_mbuf) + SHINFO_ROOM, layout);
}
