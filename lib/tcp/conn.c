/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "base_rng.h"
#include "tcp_priv.h"

#define TCP_TW_MIN 64

const struct counter_desc tcp_counter_descs[] = {TCP_COUNTERS(COUNTER_DESC)};
const uint32_t tcp_n_counter_descs = ARRAY_LEN(tcp_counter_descs);

static uint32_t
ticks_of_ns(const struct tick_rate *rate, uint64_t ns)
{
	uint64_t ticks = tick_from_ns(rate, ns) >> WHEEL_SHIFT;

	return ticks > INT32_MAX / 2 ? INT32_MAX / 2 : (uint32_t)ticks;
}

static void
tcp_config_clamp(struct tcp_config *cfg)
{
	cfg->mss = (uint16_t)max_u32(min_u32(cfg->mss, 9216), TCP_MSS_MIN);
	cfg->wscale = (uint8_t)min_u32(cfg->wscale, 14);
	/* a multiple of the scale's unit, so that the edge that we mean is the edge on the wire */
	cfg->rcv_wnd = min_u32(cfg->rcv_wnd, 0xffffu << cfg->wscale) >> cfg->wscale << cfg->wscale;
	if (cfg->rcv_wnd == 0)
		cfg->rcv_wnd = 1u << cfg->wscale;
	if (cfg->delayed_ack_ns == 0 || cfg->delayed_ack_segs == 0)
		cfg->delayed_ack_segs = 1;
	if (cfg->initial_window_segs == 0)
		cfg->initial_window_segs = 1;
	cfg->syn_retries = min_u32(cfg->syn_retries, UINT8_MAX - 1);
	cfg->data_retries = min_u32(cfg->data_retries, UINT8_MAX - 1);
}

static void
tcp_clock_init(struct tcp *t, const struct tick_rate *rate)
{
	const unsigned __int128 one = (unsigned __int128)1 << 64;
	const struct tcp_config *cfg = &t->cfg;

	t->rate = *rate;
	t->ms_per_tsc_q64 = (uint64_t)(one * 1000 / rate->hz);
	t->isn_per_tsc_q64 = (uint64_t)(one * 250000 / rate->hz);
	t->us_per_tick_q20 = (uint32_t)((1000000ULL << (WHEEL_SHIFT + 20)) / rate->hz);
	t->tick_per_us_q32 =
		(uint64_t)(((unsigned __int128)rate->hz << (32 - WHEEL_SHIFT)) / 1000000);
	t->ticks_per_ms = max_u32(ticks_of_ns(rate, 1000000), 1);
	t->delayed_ack_ticks = ticks_of_ns(rate, cfg->delayed_ack_ns);
	t->rto_initial = ticks_of_ns(rate, cfg->rto_initial_ns);
	t->rto_min = ticks_of_ns(rate, cfg->rto_min_ns);
	t->rto_max = max_u32(ticks_of_ns(rate, cfg->rto_max_ns), t->rto_min);
	t->rto_syn_lost = ticks_of_ns(rate, 3000000000ULL);
	t->fin_wait2_ticks = ticks_of_ns(rate, cfg->fin_wait2_ns);
	t->time_wait_ticks = ticks_of_ns(rate, cfg->time_wait_ns);
}

static void
tcp_pools_init(struct tcp *t)
{
	uint32_t i;

	for (i = 0; i < t->n_conns; i++) {
		t->conn[i].flags = TCP_FREE;
		t->conn[i].flags2 = TCP_FREE;
		t->conn[i].link.next = i + 1 < t->n_conns ? i + 1 : TCP_NONE;
		t->conn[i].link.prev = WHEEL_NONE;
	}
	for (i = 0; i < t->n_loss; i++)
		t->loss[i].x_next = i + 1 < t->n_loss ? i + 1 : TCP_NONE;
	for (i = 0; i < t->n_ooo; i++)
		tcp_ooo_at(t, i)->x_next = i + 1 < t->n_ooo ? i + 1 : TCP_NONE;
}

void
tcp_init(struct tcp *t, const struct tcp_config *cfg, const struct tcp_sizes *sizes,
	const struct tick_rate *rate, struct tcp_counters *c, uint64_t now_tsc, struct arena *a)
{
	memset(t, 0, sizeof(*t));
	t->cfg = *cfg;
	tcp_config_clamp(&t->cfg);
	tcp_clock_init(t, rate);
	t->counters = c;
	t->n_conns = sizes->n_conns;
	t->n_loss = sizes->n_loss;
	t->n_ooo = sizes->n_ooo;
	for (t->cap_tw = TCP_TW_MIN; t->cap_tw < sizes->n_tw; t->cap_tw *= 2)
		;
	t->tw_high = t->cap_tw - t->cap_tw / 16;
	t->x_free = t->n_conns != 0 ? 0 : TCP_NONE;
	t->x_free_loss = t->n_loss != 0 ? 0 : TCP_NONE;
	t->x_free_ooo = t->n_ooo != 0 ? 0 : TCP_NONE;
	t->x_spent_ooo = TCP_NONE;
	t->challenge.tokens = TCP_CHALLENGE_BURST;
	t->challenge.tick = tcp_tick(now_tsc);
	t->stray.tokens = TCP_STRAY_BURST;
	t->stray.tick = tcp_tick(now_tsc);
	t->conn = arena_take(a, sizeof(*t->conn) * t->n_conns);
	t->tw = arena_take(a, sizeof(*t->tw) * t->cap_tw);
	t->loss = arena_take(a, sizeof(*t->loss) * t->n_loss);
	t->ooo = arena_take(a, (size_t)TCP_OOO_BYTES * t->n_ooo);
	wheel_init(&t->wheel, t->conn, sizeof(*t->conn), offsetof(struct tcp_conn, link),
		WHEEL_SHIFT, now_tsc);
	if (arena_ok(a))
		tcp_pools_init(t);
}

int
tcp_limiter_take(struct tcp_limiter *l, uint32_t tick, uint32_t ticks_per_token, uint32_t burst)
{
	uint32_t n = (tick - l->tick) / max_u32(ticks_per_token, 1);

	if (n != 0) {
		l->tokens = min_u32(burst, l->tokens + min_u32(n, burst));
		l->tick = tick;
	}
	if (l->tokens == 0)
		return 0;
	l->tokens--;
	return 1;
}

/* RFC 6528: a clock of 4 us plus a keyed hash of the tuple, so that the ISN of a tuple grows. */
uint32_t
tcp_isn(const struct tcp *t, const struct tcp_tuple *tuple, uint64_t now_tsc)
{
	uint64_t addrs = (uint64_t)tuple->laddr << 32 | tuple->paddr;
	uint64_t ports = (uint64_t)tuple->lport << 16 | tuple->pport;
	uint64_t hash = rng_mix(rng_mix(t->cfg.isn_key ^ addrs) + ports);

	return (uint32_t)hash + (uint32_t)(((unsigned __int128)now_tsc * t->isn_per_tsc_q64) >> 64);
}

static uint32_t
tcp_conn_new(struct tcp *t, const struct tcp_tuple *tuple, uint32_t iss)
{
	uint32_t x = t->x_free;
	struct tcp_conn *c;

	if (x == TCP_NONE) {
		t->counters->conn_exhausted++;
		return TCP_NONE;
	}
	c = &t->conn[x];
	t->x_free = c->link.next;
	t->n_used++;
	t->counters->conn_now++;
	memset(c, 0, sizeof(*c));
	wheel_link_init(&c->link);
	c->lport = tuple->lport;
	c->pport = tuple->pport;
	c->iss = iss;
	c->snd_una = iss;
	c->snd_nxt = iss;
	c->snd_max = iss;
	c->snd_end = iss + 1;
	c->mss = TCP_MSS_DEFAULT;
	c->cwnd = c->mss;
	c->ssthresh = TCP_CWND_MAX;
	c->rto = t->rto_initial;
	c->x_loss = TCP_NONE;
	return x;
}

uint32_t
tcp_open(struct tcp *t, const struct tcp_tuple *tuple, uint32_t x_local, uint32_t x_peer,
	uint16_t route, uint64_t now_tsc)
{
	uint32_t x = tcp_conn_new(t, tuple, tcp_isn(t, tuple, now_tsc));
	struct tcp_conn *c;

	if (x == TCP_NONE)
		return x;
	c = &t->conn[x];
	c->x_local = x_local;
	c->x_peer = x_peer;
	c->route = route;
	c->state = TCP_SYN_SENT;
	c->flags = TCP_CONN_ACTIVE;
	t->counters->opens_active++;
	return x;
}

uint32_t
tcp_accept(struct tcp *t, const struct tcp_tuple *tuple, uint32_t x_local, uint32_t x_peer,
	uint16_t route, const struct net_view *syn, uint32_t iss_above, uint64_t now_tsc)
{
	uint32_t iss = tcp_isn(t, tuple, now_tsc);
	struct seg_in s;
	struct tcp_conn *c;
	uint32_t x;

	if (iss_above != 0 && seq_leq(iss, iss_above))
		iss = iss_above + 1 + (iss & 0xffff);
	x = tcp_conn_new(t, tuple, iss);
	if (x == TCP_NONE)
		return x;
	c = &t->conn[x];
	c->x_local = x_local;
	c->x_peer = x_peer;
	c->route = route;
	c->state = TCP_SYN_RCVD;
	tcp_seg_read(&s, syn, NULL);
	if (s.bad)
		t->counters->bad_options++;
	tcp_options_take(t, c, &s);
	t->counters->opens_passive++;
	return x;
}

void
tcp_give(struct tcp *t, uint32_t x)
{
	struct tcp_conn *c = &t->conn[x];

	if (c->flags == TCP_FREE && c->flags2 == TCP_FREE)
		return;
	wheel_disarm(&t->wheel, x);
	tcp_loss_free(t, c);
	c->state = TCP_CLOSED;
	c->flags = TCP_FREE;
	c->flags2 = TCP_FREE;
	c->link.next = t->x_free;
	t->x_free = x;
	t->n_used--;
	t->counters->conn_now--;
	t->counters->closed++;
}

/* The connection is over; what the caller may still send is one ACK, if ACK_NOW is set. */
void
tcp_gone(struct tcp_conn *c, struct tcp_result *res, uint32_t event)
{
	res->events |= event | TCP_EV_GONE;
	res->state = c->state;
	c->state = TCP_CLOSED;
	if (event != 0)
		c->flags &= (uint8_t)~TCP_CONN_ACK_NOW;
	c->flags2 &= (uint8_t) ~(TCP_CONN2_FAST | TCP_CONN2_PROBE | TCP_CONN2_RST);
	c->rto_due = 0;
	c->ack_due = 0;
	c->app_due = 0;
}

/* Bounded stay in FIN-WAIT-2; rto_due is free there. */
void
tcp_fin_wait2(struct tcp *t, uint32_t x, struct tcp_conn *c, uint32_t tick)
{
	c->state = TCP_FIN_WAIT_2;
	tcp_rto_set(t, x, c, tick, t->fin_wait2_ticks);
}

void
tcp_stream_extend(struct tcp *t, uint32_t x, uint32_t n_bytes)
{
	struct tcp_conn *c = &t->conn[x];

	assert_(!(c->flags & TCP_CONN_END));
	assert_(c->snd_end - c->snd_una + n_bytes <= (1u << 30) + 1);
	c->snd_end += n_bytes;
	if (unlikely_(c->snd_wnd < c->mss))
		tcp_persist_need(t, x, c, (uint32_t)t->wheel.tick);
}

void
tcp_stream_end(struct tcp *t, uint32_t x)
{
	t->conn[x].flags |= TCP_CONN_END;
}

int
tcp_wants_output(const struct tcp *t, uint32_t x)
{
	return tcp_wants(&t->conn[x]);
}

int
tcp_path_mtu(struct tcp *t, uint32_t x, uint32_t seq, uint16_t mtu)
{
	struct tcp_conn *c = &t->conn[x];
	uint32_t n_opts = c->flags & TCP_CONN_TS ? TCP_TS_LEN : 0;

	if (c->state < TCP_ESTABLISHED || seq_lt(seq, c->snd_una) || !seq_lt(seq, c->snd_max) ||
		mtu < TCP_PATH_MTU_MIN || mtu - TCP_IP_TCP_LEN - n_opts >= c->mss)
		return 0;
	c->mss = (uint16_t)(mtu - TCP_IP_TCP_LEN - n_opts);
	c->snd_nxt = c->snd_una;
	c->flags2 &= (uint8_t)~TCP_CONN2_RTT;
	return tcp_wants(c);
}

const char *
tcp_state_name(enum tcp_state s)
{
	static const char *const names[] = {"CLOSED", "SYN-SENT", "SYN-RECEIVED", "ESTABLISHED",
		"FIN-WAIT-1", "FIN-WAIT-2", "CLOSE-WAIT", "CLOSING", "LAST-ACK"};

	return (unsigned int)s < ARRAY_LEN(names) ? names[s] : "?";
}
