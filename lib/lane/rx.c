/* SPDX-License-Identifier: BSD-3-Clause */
#include "lane_priv.h"

#define AHEAD 4 /* frames before its own that a transaction's memory is asked for */

void
lane_after(struct lane *l, uint32_t x, const struct tcp_result *res, uint64_t now)
{
	struct tcp_result more;

	while (unlikely_(agent_hungry(&l->agent, x)) && !(res->events & TCP_EV_GONE)) {
		agent_feed(&l->agent, x, &more, now);
		res = &more;
	}
	if (unlikely_(res->events & TCP_EV_GONE))
		lane_conn_over(l, x, res->x_tw, now);
	else if (tcp_wants_output(&l->tcp, x))
		agent_ready(&l->agent, x);
}

static uint64_t
conn_hash(const struct lane *l, uint32_t x_local, uint32_t x_peer, uint16_t lport, uint16_t pport)
{
	return net_flow_hash(l->local[x_local], l->peer[x_peer].addr, lport, pport);
}

/** Point the tuple's entry at slot (NET_FLOW_NONE: remove). */
static void
demux_set(struct lane *l, uint32_t x_local, uint32_t x_peer, uint16_t lport, uint16_t pport,
	uint32_t old_slot, uint32_t slot)
{
	if (l->cfg.role == PLAN_CLIENT) {
		uint32_t *entry = net_ports_entry(&l->agent.ports, x_local, lport);

		if (entry != NULL && *entry == old_slot)
			*entry = slot;
		return;
	}
	if (slot == NET_FLOW_NONE)
		net_flows_del(&l->flows, conn_hash(l, x_local, x_peer, lport, pport), old_slot);
	else
		net_flows_set(
			&l->flows, conn_hash(l, x_local, x_peer, lport, pport), old_slot, slot);
}

static void
last_words(struct lane *l, uint32_t x, uint64_t now)
{
	const struct tcp_conn *c = &l->tcp.conn[x];
	struct tcp_seg seg[4];
	uint32_t n = tcp_output(&l->tcp, x, now, 0, seg, ARRAY_LEN(seg));

	for (uint32_t i = 0; i < n; i++)
		lane_ctl_push(
			l, &seg[i].tx, l->local[c->x_local], l->peer[c->x_peer].addr, c->route);
}

void
lane_conn_over(struct lane *l, uint32_t x, uint32_t x_tw, uint64_t now)
{
	struct tcp_conn *c = &l->tcp.conn[x];
	uint32_t slot = x_tw == TCP_NONE ? NET_FLOW_NONE : NET_FLOW_TIMEWAIT | x_tw;

	last_words(l, x, now);
	demux_set(l, c->x_local, c->x_peer, c->lport, c->pport, x, slot);
	tcp_app_due(&l->tcp, x, 0);
	agent_gone(&l->agent, x, now);
	tcp_give(&l->tcp, x);
}

static void
tw_clear(struct lane *l, const struct tcp_tw *tw, uint32_t x_tw)
{
	demux_set(l, tw->x_local, tw->x_peer, tw->lport, tw->pport, NET_FLOW_TIMEWAIT | x_tw,
		NET_FLOW_NONE);
}

void
lane_tw_expire(struct lane *l, uint64_t now)
{
	struct tcp_tw tw[32];
	uint32_t x_tw[32];
	uint32_t n;

	do {
		n = tcp_tw_expire(&l->tcp, now, tw, x_tw, ARRAY_LEN(tw));
		for (uint32_t i = 0; i < n; i++)
			tw_clear(l, &tw[i], x_tw[i]);
	} while (n == ARRAY_LEN(tw));
}

void
lane_tw_drop_all(struct lane *l)
{
	struct tcp_tw tw;
	uint32_t x_tw;

	for (uint32_t i = l->tcp.tw_tail; i != l->tcp.tw_head; i++) {
		const struct tcp_tw *e = tcp_tw_at(&l->tcp, i);

		if (!(e->flags & TCP_TW_LIVE))
			continue;
		tw_clear(l, e, i & (l->tcp.cap_tw - 1));
		tcp_tw_drop(&l->tcp, i & (l->tcp.cap_tw - 1));
	}
	tcp_tw_expire(&l->tcp, l->chore_tsc, &tw, &x_tw, 1); /* takes out what was dropped */
}

static void
stray(struct lane *l, const struct net_view *v)
{
	struct tcp_seg seg;
	int route;

	if (!tcp_stray_reply(&l->tcp, v, &seg))
		return;
	route = net_host_route(&l->host, v->saddr);
	if (route < 0)
		return;
	seg.tx.sport = net_view_dport(v);
	seg.tx.dport = net_view_sport(v);
	lane_ctl_push(l, &seg.tx, v->daddr, v->saddr, (uint16_t)route);
}

static int64_t
local_of(const struct lane *l, uint32_t addr)
{
	const struct plan *p = l->cfg.plan;

	if (l->cfg.role == PLAN_CLIENT)
		return plan_ranges_index(p->robots.addrs, p->robots.n_addrs, addr);
	return plan_ranges_index(p->origin.addrs, p->origin.n_addrs, addr);
}

/** The same for a client's frames. */
static int64_t
local_seen(struct lane *l, uint32_t addr)
{
	struct lane_seen *seen = &l->seen[addr & (LANE_SEEN - 1)];
	int64_t x_local;

	if (likely_(seen->addr == addr))
		return seen->x_local;
	x_local = local_of(l, addr);
	if (x_local >= 0) {
		seen->addr = addr;
		seen->x_local = (uint32_t)x_local;
	}
	return x_local;
}

/** A host on the link that sends to us has a MAC address: its frame's. */
static void
neighbour_from_frame(
	struct lane *l, uint16_t route, uint32_t saddr, const struct net_view *v, uint64_t now)
{
	struct net_neigh *n = &l->host.neigh[route];

	if (net_neigh_ready(n) || n->addr != saddr)
		return;
	net_host_learn(&l->host, saddr, v->l3 - NET_ETH_LEN + 6, now);
}

static void
accept_syn(struct lane *l, const struct net_view *v, uint32_t x_local, uint32_t iss_above,
	uint64_t now)
{
	struct tcp_tuple t = {.laddr = v->daddr,
		.paddr = v->saddr,
		.lport = net_view_dport(v),
		.pport = net_view_sport(v)};
	uint32_t x_peer = lane_peer_of(l, v->saddr);
	uint64_t hash = net_flow_hash(t.laddr, t.paddr, t.lport, t.pport);
	uint32_t x;

	if (x_peer == AGENT_NONE) {
		l->c.lane.peer_full++;
		return;
	}
	neighbour_from_frame(l, l->peer[x_peer].route, v->saddr, v, now);
	x = tcp_accept(&l->tcp, &t, x_local, x_peer, l->peer[x_peer].route, v, iss_above, now);
	if (x == TCP_NONE)
		return;
	if (net_flows_add(&l->flows, hash, x) != 0) {
		struct tcp_seg seg;

		l->c.lane.flow_full++;
		tcp_abort(&l->tcp, x, &seg);
		tcp_give(&l->tcp, x);
		return;
	}
	agent_accepted(&l->agent, x, now);
	agent_ready(&l->agent, x);
}

static void
no_connection(struct lane *l, const struct net_view *v, uint64_t now)
{
	int64_t x_local;

	if (l->cfg.role == PLAN_CLIENT ||
		(v->flags & (NET_TCP_SYN | NET_TCP_ACK | NET_TCP_RST)) != NET_TCP_SYN) {
		stray(l, v);
		return;
	}
	x_local = local_of(l, v->daddr);
	if (x_local < 0 || l->local_port[x_local] != net_view_dport(v)) {
		l->c.lane.no_listener++;
		stray(l, v);
		return;
	}
	if (l->state >= LANE_CLOSE || l->agent.draining)
		return; /* going away: no new connections, and no storm of resets */
	accept_syn(l, v, (uint32_t)x_local, 0, now);
}

static void
time_wait(struct lane *l, const struct net_view *v, uint32_t slot, uint64_t now)
{
	uint32_t x_tw = slot & ~NET_FLOW_TIMEWAIT;
	struct tcp_tw tw = *tcp_tw_at(&l->tcp, x_tw);
	struct tcp_result res;
	struct tcp_seg seg;

	res.events = 0;
	if (tcp_tw_segment(&l->tcp, x_tw, v, now, &res, &seg))
		lane_ctl_push(l, &seg.tx, v->daddr, v->saddr, tw.route);
	if (!(res.events & TCP_EV_NEW) || l->cfg.role == PLAN_CLIENT || l->agent.draining)
		return;
	tw_clear(l, &tw, x_tw);
	tcp_tw_drop(&l->tcp, x_tw);
	accept_syn(l, v, tw.x_local, tw.snd_nxt, now);
}

static int
tuple_is(const struct lane *l, uint32_t x_local, uint32_t x_peer, uint16_t lport, uint16_t pport,
	const struct net_view *v)
{
	return l->peer[x_peer].addr == v->saddr && pport == net_view_sport(v) &&
	       lport == net_view_dport(v) && l->local[x_local] == v->daddr;
}

static int
slot_is(const struct lane *l, uint32_t slot, const struct net_view *v)
{
	if (slot & NET_FLOW_TIMEWAIT) {
		const struct tcp_tw *tw = tcp_tw_at(&l->tcp, slot & ~NET_FLOW_TIMEWAIT);

		return tuple_is(l, tw->x_local, tw->x_peer, tw->lport, tw->pport, v);
	} else {
		const struct tcp_conn *c = &l->tcp.conn[slot];

		return tuple_is(l, c->x_local, c->x_peer, c->lport, c->pport, v);
	}
}

/** Client: where the demultiplexing table says who has the tuple of v; NULL: not ours. */
static uint32_t *
entry_of(struct lane *l, const struct net_view *v)
{
	int64_t x_local = local_seen(l, v->daddr);

	if (x_local < 0)
		return NULL;
	return net_ports_entry(&l->agent.ports, (uint32_t)x_local, net_view_dport(v));
}

static uint64_t
hash_of(const struct net_view *v)
{
	return net_flow_hash(v->daddr, v->saddr, net_view_dport(v), net_view_sport(v));
}

/** Connection slot, TIME-WAIT mark, or NET_FLOW_NONE. */
static uint32_t
lookup(struct lane *l, const struct net_view *v)
{
	if (l->cfg.role == PLAN_CLIENT) {
		const uint32_t *entry = entry_of(l, v);

		if (entry == NULL || *entry == NET_FLOW_NONE || !slot_is(l, *entry, v))
			return NET_FLOW_NONE;
		return *entry;
	} else {
		uint64_t hash = hash_of(v);
		uint32_t it = 0;
		uint32_t slot;

		do {
			slot = net_flows_next(&l->flows, hash, &it);
		} while (slot != NET_FLOW_NONE && !slot_is(l, slot, v));
		return slot;
	}
}

/** What the tables know of a frame of a burst, fetched from memory while others are looked at. */
union key {
	const uint32_t *entry; /* client */
	uint64_t hash; /* server */
};

static union key
key_fetch(struct lane *l, const struct net_view *v)
{
	union key k;

	if (l->cfg.role == PLAN_CLIENT) {
		k.entry = entry_of(l, v);
		__builtin_prefetch(k.entry);
	} else {
		k.hash = hash_of(v);
		net_flows_prefetch(&l->flows, k.hash);
	}
	return k;
}

/** Who may have the tuple: segment() compares it, once the block is here. */
static uint32_t
candidate_fetch(const struct lane *l, union key k)
{
	uint32_t it = 0;
	uint32_t slot;

	if (l->cfg.role == PLAN_CLIENT)
		slot = k.entry != NULL ? *k.entry : NET_FLOW_NONE;
	else
		slot = net_flows_next(&l->flows, k.hash, &it);
	if (!(slot & NET_FLOW_TIMEWAIT)) {
		__builtin_prefetch(&l->tcp.conn[slot]);
		__builtin_prefetch((const uint8_t *)&l->tcp.conn[slot] + CACHE_LINE);
		__builtin_prefetch(&l->agent.conn[slot]);
	}
	return slot;
}

static void
segment(struct lane *l, const struct net_view *v, const struct span *frag, uint32_t slot,
	uint64_t now)
{
	struct tcp_result res;

	/* an earlier frame of this burst may have opened or ended the connection */
	if (slot == NET_FLOW_NONE || (slot & NET_FLOW_TIMEWAIT) ||
		l->tcp.conn[slot].state == TCP_CLOSED || !slot_is(l, slot, v))
		slot = lookup(l, v);
	if (unlikely_(slot == NET_FLOW_NONE)) {
		no_connection(l, v, now);
		return;
	}
	if (unlikely_(slot & NET_FLOW_TIMEWAIT)) {
		time_wait(l, v, slot, now);
		return;
	}
	tcp_segment_in(&l->tcp, slot, v, frag, now, &res);
	if (res.events != 0)
		agent_event(&l->agent, slot, &res, now);
	lane_after(l, slot, &res, now);
}

/** Connection of the segment that an ICMP error quotes, NET_FLOW_NONE when there is none. */
static uint32_t
quoted_conn(struct lane *l, const struct net_icmp_error *e)
{
	uint8_t head[40];
	struct net_view v = {.l3 = head, .l4_off = 20, .saddr = e->daddr, .daddr = e->saddr};
	uint32_t slot;

	/* the tables know segments that come in: turn the quoted one round */
	store_be16(head + 20, e->dport);
	store_be16(head + 22, e->sport);
	slot = lookup(l, &v);
	return slot != NET_FLOW_NONE && (slot & NET_FLOW_TIMEWAIT) ? NET_FLOW_NONE : slot;
}

static void
icmp_error(struct lane *l, const struct net_icmp_error *e, uint64_t now)
{
	uint32_t x = quoted_conn(l, e);
	struct tcp_result res;

	if (x == NET_FLOW_NONE)
		return;
	if (e->code == NET_ICMP_FRAG_NEEDED) {
		if (tcp_path_mtu(&l->tcp, x, e->seq, e->mtu))
			agent_ready(&l->agent, x);
		return;
	}
	/* RFC 5461: only an opening is ended by an ICMP error, never an established connection */
	if (l->tcp.conn[x].state != TCP_SYN_SENT || e->seq != l->tcp.conn[x].iss)
		return;
	memset(&res, 0, sizeof(res));
	res.events = TCP_EV_REFUSED;
	res.state = TCP_SYN_SENT;
	agent_event(&l->agent, x, &res, now);
	lane_conn_abort(l, x, now);
}

/** ARP and ICMP: the reply waits in a small store for lane_tx(). */
static void
link_frame(struct lane *l, const struct lane_in *in, const struct net_view *v, uint64_t now)
{
	struct net_icmp_error icmp = {.valid = 0};
	uint8_t *out = l->arp + (size_t)l->n_arp * LANE_ARP_FRAME;
	int x_learned = -1;
	uint32_t n;

	if (l->n_arp == LANE_BURST) {
		l->c.lane.ctl_full++;
		return;
	}
	n = net_host_input(
		&l->host, v, in->frame, in->len, now, out, LANE_ARP_FRAME, &x_learned, &icmp);
	if (n > 0)
		l->arp_len[l->n_arp++] = (uint16_t)n;
	if (x_learned >= 0) {
		const struct net_neigh *ne = &l->host.neigh[x_learned];

		if (l->n_news == LANE_NEWS) {
			l->c.lane.news_lost++;
		} else {
			l->news[l->n_news].addr = ne->addr;
			memcpy(l->news[l->n_news++].mac, ne->mac, 6);
		}
	}
	if (icmp.valid)
		icmp_error(l, &icmp, now);
}

/** @return 0 when the frame belongs to this lane. */
static int
owner_check(struct lane *l, struct lane_in *in, const struct net_view *v)
{
	uint16_t port = l->cfg.role == PLAN_CLIENT ? net_view_dport(v) : net_view_sport(v);

	in->owner = (uint8_t)l->cfg.x_lane;
	if (likely_(l->cfg.n_lanes == 1))
		return 0;
	in->owner = (uint8_t)(port % l->cfg.n_lanes);
	if (likely_(in->owner == l->cfg.x_lane))
		return 0;
	l->c.lane.wrong_lcore++;
	return 1;
}

void
lane_rx(struct lane *l, struct lane_in *in, uint32_t n, uint64_t now)
{
	struct net_view view[LANE_BURST];
	union key key[LANE_BURST];
	uint32_t slot[LANE_BURST];

	for (uint32_t i = 0; i < n; i++) {
		net_view_parse(
			&view[i], in[i].frame, in[i].len, in[i].frag, in[i].csum_good, &l->c.net);
		in[i].owner = (uint8_t)l->cfg.x_lane;
		l->c.lane.redirected_in += in[i].redirected;
		if (likely_(view[i].kind == NET_KIND_TCP) && owner_check(l, &in[i], &view[i]))
			view[i].kind = NET_KIND_DROP;
		if (likely_(view[i].kind == NET_KIND_TCP))
			key[i] = key_fetch(l, &view[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		slot[i] = view[i].kind == NET_KIND_TCP ? candidate_fetch(l, key[i]) : NET_FLOW_NONE;
	for (uint32_t i = 0; i < n; i++) {
		if (i + AHEAD < n && !(slot[i + AHEAD] & NET_FLOW_TIMEWAIT))
			agent_prefetch(&l->agent, slot[i + AHEAD]);
		if (likely_(view[i].kind == NET_KIND_TCP))
			segment(l, &view[i], in[i].frag.n > 0 ? &in[i].frag : NULL, slot[i], now);
		else if (view[i].kind != NET_KIND_DROP)
			link_frame(l, &in[i], &view[i], now);
	}
	if (n > 0)
		l->probe.activity += n;
}
