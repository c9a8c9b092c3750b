/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_mem.h"
#include <errno.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <string.h>

static struct rte_mempool *
pool_new(const char *name, uint32_t n, uint16_t priv, uint16_t room, int socket, struct err *e)
{
	struct rte_mempool *mp =
		rte_pktmbuf_pool_create(name, n, PORT_POOL_CACHE, priv, room, socket);

	if (mp == NULL)
		err_setup(e, rte_errno != 0 ? rte_errno : ENOMEM, "packet pool", name,
			"%u buffers: %s", n, rte_strerror(rte_errno));
	return mp;
}

struct rte_mempool *
port_pool_packets(const char *name, uint32_t n, int socket, struct err *e)
{
	return pool_new(name, n, 0, RTE_PKTMBUF_HEADROOM + PORT_DATA_ROOM, socket, e);
}

#define SHINFO_ROOM RTE_ALIGN_CEIL(sizeof(struct rte_mbuf_ext_shared_info), 64)

struct rte_mempool *
port_pool_bodies(const char *name, uint32_t n, int socket, struct err *e)
{
	return pool_new(name, n, SHINFO_ROOM, 0, socket, e);
}

size_t
port_pool_packets_bytes(uint32_t n)
{
	return (size_t)n *
	       rte_mempool_calc_obj_size(
		       sizeof(struct rte_mbuf) + RTE_PKTMBUF_HEADROOM + PORT_DATA_ROOM, 0, NULL);
}

size_t
port_pool_bodies_bytes(uint32_t n)
{
	return (size_t)n *
	       rte_mempool_calc_obj_size(sizeof(struct rte_mbuf) + SHINFO_ROOM, 0, NULL);
}
