/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_eth.h"
#include "base_bytes.h"
#include <errno.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <stdio.h>

int
port_open(struct port *p, uint16_t id, struct err *e)
{
	struct rte_eth_dev_info info;
	char number[16];
	int rc;

	memset(p, 0, sizeof(*p));
	snprintf(number, sizeof(number), "%u", id);
	if (!rte_eth_dev_is_valid_port(id))
		return err_setup(e, ENODEV, "port", number,
			"DPDK found %u ports: name one before `--`, such as "
			"--vdev=net_af_packet0,iface=eth1",
			rte_eth_dev_count_avail());
	rc = rte_eth_dev_info_get(id, &info);
	if (rc != 0)
		return err_setup(e, -rc, "port", number, "%s", strerror(-rc));
	p->id = id;
	snprintf(p->driver, sizeof(p->driver), "%s",
		info.driver_name != NULL ? info.driver_name : "?");
	port_profile_find(p->driver, &p->profile);
	p->max_queues = RTE_MIN(info.max_rx_queues, info.max_tx_queues);
	if (p->profile.max_queues != 0 && p->profile.max_queues < p->max_queues)
		p->max_queues = (uint16_t)p->profile.max_queues;
	p->max_queues = RTE_MIN(p->max_queues, PORT_QUEUES_MAX);
	p->honest = p->profile.imissed == PORT_YES;
	rte_eth_macaddr_get(id, (struct rte_ether_addr *)p->mac);
	if (rte_eth_dev_get_mtu(id, &p->mtu) != 0 || p->mtu == 0)
		p->mtu = 1500;
	return 0;
}

static void
said_add(struct port *p, const char *what)
{
	size_t n = strlen(p->said);

	snprintf(p->said + n, sizeof(p->said) - n, "%s%s", n == 0 ? "" : ", ", what);
}

static void
offloads_choose(struct port *p, const struct rte_eth_dev_info *info, struct rte_eth_conf *conf)
{
	const uint64_t csum = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM;

	if (p->profile.csum_rx == PORT_CAPA && (info->rx_offload_capa & csum) == csum) {
		conf->rxmode.offloads |= csum;
		p->csum_rx = 1;
	}
	if (info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) {
		if (p->profile.multi_seg != PORT_NO) {
			conf->txmode.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
			p->zero_copy = 1;
		}
	} else {
		p->zero_copy = p->profile.multi_seg == PORT_YES;
	}
	if (p->zero_copy == 0)
		said_add(p, "one buffer per frame: bodies are copied");
	if (!p->honest)
		said_add(p, "hides receive loss");
}

static void
rss_choose(uint16_t n_queues, const struct rte_eth_dev_info *info, struct rte_eth_conf *conf)
{
	const uint64_t tcp = RTE_ETH_RSS_NONFRAG_IPV4_TCP;

	if (n_queues < 2 || (info->flow_type_rss_offloads & tcp) == 0)
		return;
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rx_adv_conf.rss_conf.rss_hf = tcp;
}

static int
queues_setup(struct port *p, const struct rte_eth_dev_info *info, const struct rte_eth_conf *conf,
	struct rte_mempool *const *pool)
{
	int socket = rte_eth_dev_socket_id(p->id);
	uint16_t rx = (uint16_t)p->profile.rx_ring, tx = (uint16_t)p->profile.tx_ring;
	struct rte_eth_txconf txconf = info->default_txconf;
	int rc = rte_eth_dev_adjust_nb_rx_tx_desc(p->id, &rx, &tx);

	if (rc != 0 && rc != -ENOTSUP)
		return rc;
	p->rx_ring = rx;
	p->tx_ring = tx;
	txconf.offloads = conf->txmode.offloads;
	for (uint16_t q = 0; q < p->n_queues; q++) {
		rc = rte_eth_rx_queue_setup(p->id, q, rx, (unsigned int)socket, NULL, pool[q]);
		if (rc == 0)
			rc = rte_eth_tx_queue_setup(p->id, q, tx, (unsigned int)socket, &txconf);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static void
flow_control_off(struct port *p)
{
	struct rte_eth_fc_conf fc;
	int rc;

	memset(&fc, 0, sizeof(fc));
	rc = rte_eth_dev_flow_ctrl_get(p->id, &fc);
	if (rc != 0 || fc.mode == RTE_ETH_FC_NONE)
		return;
	fc.mode = RTE_ETH_FC_NONE;
	if (rte_eth_dev_flow_ctrl_set(p->id, &fc) != 0)
		said_add(p, "flow control stays on");
}

int
port_start(struct port *p, uint16_t n_queues, struct rte_mempool *const *pool, uint32_t n_macs,
	struct err *e)
{
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf;
	struct rte_eth_link link;
	int rc;

	memset(&conf, 0, sizeof(conf));
	rc = rte_eth_dev_info_get(p->id, &info);
	if (rc != 0)
		return err_setup(e, -rc, "port", p->driver, "%s", strerror(-rc));
	p->n_queues = n_queues;
	offloads_choose(p, &info, &conf);
	rss_choose(n_queues, &info, &conf);
	rc = rte_eth_dev_configure(p->id, n_queues, n_queues, &conf);
	if (rc == 0)
		rc = queues_setup(p, &info, &conf, pool);
	if (rc == 0)
		rc = rte_eth_dev_start(p->id);
	if (rc != 0)
		return err_setup(e, -rc, "port", p->driver,
			"does not start with %u queues of %u and %u descriptors: %s", n_queues,
			p->rx_ring, p->tx_ring, strerror(-rc));
	p->started = 1;
	flow_control_off(p);
	if (n_macs > 1 && rte_eth_promiscuous_enable(p->id) != 0)
		said_add(p, "not promiscuous: frames to other MAC addresses do not arrive");
	if (rte_eth_link_get_nowait(p->id, &link) == 0 && link.link_speed != UINT32_MAX)
		p->link_mbit = link.link_speed;
	if (!p->ring)
		rte_eth_macaddr_get(p->id, (struct rte_ether_addr *)p->mac);
	return 0;
}

void
port_stop(struct port *p)
{
	if (!p->started)
		return;
	rte_eth_dev_stop(p->id);
	rte_eth_dev_close(p->id);
	p->started = 0;
}

bool
port_link(const struct port *p)
{
	struct rte_eth_link link;

	if (rte_eth_link_get_nowait(p->id, &link) != 0)
		return true;
	return link.link_status == RTE_ETH_LINK_UP;
}

bool
port_connect(const struct port *p, uint32_t ms)
{
	for (uint32_t t = 0; t < ms; t += 10) {
		if (port_link(p))
			return true;
		/* The driver asks once, at start: a server that was not ready is asked again. */
		if (t % 500 == 490) {
			rte_eth_dev_stop(p->id);
			if (rte_eth_dev_start(p->id) != 0)
				return false;
		}
		rte_delay_us_sleep(10000);
	}
	return port_link(p);
}

void
port_totals_read(const struct port *p, struct port_totals *t)
{
	struct rte_eth_stats s;

	memset(t, 0, sizeof(*t));
	if (rte_eth_stats_get(p->id, &s) != 0)
		return;
	t->rx_missed = s.imissed;
	t->rx_no_mbuf = s.rx_nombuf;
	t->rx_errors = s.ierrors;
	t->tx_errors = s.oerrors;
}
