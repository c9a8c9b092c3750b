/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_eth.h"
#include <errno.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ring.h>
#include <stdio.h>
#include <string.h>

static int
rings_make(const char *prefix, uint16_t n, uint32_t size, struct rte_ring **ring, struct err *e)
{
	for (uint16_t i = 0; i < n; i++) {
		char name[RTE_RING_NAMESIZE];

		snprintf(name, sizeof(name), "%s%u", prefix, i);
		ring[i] = rte_ring_create(name, size, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
		if (ring[i] == NULL)
			return err_setup(e, rte_errno, "ring", name, "%s", rte_strerror(rte_errno));
	}
	return 0;
}

static int
ring_port(const char *name, struct rte_ring **rx, struct rte_ring **tx, uint16_t n, struct port *p,
	struct err *e)
{
	int id = rte_eth_from_rings(name, rx, n, tx, n, 0);
	int rc;

	if (id < 0)
		return err_setup(e, rte_errno != 0 ? rte_errno : EIO, "ring port", name, "%s",
			rte_strerror(rte_errno));
	rc = port_open(p, (uint16_t)id, e);
	if (rc != 0)
		return rc;
	p->ring = 1;
	p->max_queues = n;
	/* Locally administered, one per end. */
	memcpy(p->mac, "\x02\x00\x00\x00\x00", 5);
	p->mac[5] = (uint8_t)(id + 1);
	return 0;
}

int
port_rings_new(
	uint16_t n, uint32_t size, bool missteer, struct port *a, struct port *b, struct err *e)
{
	struct rte_ring *there[PORT_QUEUES_MAX], *back[PORT_QUEUES_MAX];
	struct rte_ring *seen[PORT_QUEUES_MAX];
	int rc;

	rc = rings_make("wire_ab_", n, size, there, e);
	if (rc == 0)
		rc = rings_make("wire_ba_", n, size, back, e);
	for (uint16_t i = 0; i < n && rc == 0; i++)
		seen[i] = back[(i + (missteer ? 1 : 0)) % n];
	if (rc == 0)
		rc = ring_port("end_a", seen, there, n, a, e);
	if (rc == 0)
		rc = ring_port("end_b", there, back, n, b, e);
	return rc;
}
