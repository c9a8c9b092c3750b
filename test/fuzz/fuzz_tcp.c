/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * libFuzzer target: a sequence of segments, times and application calls against one connection,
 * with a virtual clock. Sequence and ACK numbers are relative to what the connection expects, so
 * that few bits reach far. After each step the invariants hold; at the end the pools are full
 * again.
 */
#include <stdlib.h>
#include "tcp.h"

#define N_OUT 16
#define N_OOO 40
#define PAYLOAD_MAX 3000
#define MS 1000000ULL

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *p;
	size_t n;
};

struct fuzz {
	struct tcp t;
	struct tcp_counters counters;
	uint64_t now;
	uint32_t x;
	uint32_t x_tw;
	uint64_t taken;
	uint64_t acked;
	uint64_t written;
	int paused;
	struct input in;
};

static void
fuzz_check(int good)
{
	if (!good)
		abort();
}

static uint32_t
fuzz_u8(struct input *in)
{
	if (in->n == 0)
		return 0;
	in->n--;
	return *in->p++;
}

static uint32_t
fuzz_u16(struct input *in)
{
	uint32_t high = fuzz_u8(in);

	return high << 8 | fuzz_u8(in);
}

static void
fuzz_flush(struct fuzz *f)
{
	struct tcp_seg seg[N_OUT];
	uint32_t n;
	uint32_t rounds = 0;

	if (f->x == TCP_NONE)
		return;
	do {
		n = tcp_output(&f->t, f->x, f->now, 1, seg, N_OUT);
		fuzz_check(n <= N_OUT);
		for (uint32_t i = 0; i < n; i++) {
			fuzz_check(seg[i].len <= 9216 && seg[i].tx.n_sack <= NET_SACK_MAX);
			fuzz_check(seg[i].len == 0 || seg[i].off + seg[i].len <= f->written);
		}
		fuzz_check(rounds++ < 100000);
	} while (n == N_OUT);
	fuzz_check(tcp_check(&f->t, f->x) == NULL);
	fuzz_check(!tcp_wants_output(&f->t, f->x));
}

/* Read every byte of the spans, so that a sanitizer sees a wrong one. */
static void
fuzz_take(struct fuzz *f, const struct tcp_result *res)
{
	volatile uint8_t sink = 0;

	for (uint32_t i = 0; i < res->n_spans; i++)
		for (uint32_t j = 0; j < res->span[i].n; j++) {
			sink = res->span[i].p[j];
			f->taken++;
		}
	(void)sink;
}

static void
fuzz_result(struct fuzz *f, struct tcp_result *res)
{
	fuzz_check(res->n_spans <= TCP_SPANS_MAX);
	fuzz_check((res->n_spans != 0) == ((res->events & TCP_EV_DATA) != 0));
	f->acked += res->acked;
	fuzz_check(f->acked <= f->written);
	if ((res->events & TCP_EV_DATA) && f->paused && !(res->events & TCP_EV_GONE) &&
		tcp_park(&f->t, f->x, res->span, res->n_spans) == 0)
		res->n_spans = 0;
	fuzz_take(f, res);
	if (res->events & TCP_EV_GONE) {
		fuzz_flush(f);
		f->x_tw = res->x_tw;
		tcp_give(&f->t, f->x);
		f->x = TCP_NONE;
		return;
	}
	fuzz_check(tcp_check(&f->t, f->x) == NULL);
}

/* The number itself for half of the inputs, else one near it. */
static uint32_t
fuzz_near(struct fuzz *f, uint32_t n)
{
	uint32_t bits = fuzz_u16(&f->in);

	return bits & 0x8000 ? n : n + bits - 0x4000;
}

/* Options: those of a SYN, timestamps or SACK blocks that may be right, else any bytes. @return how
 * many bytes. */
static uint32_t
fuzz_options(struct fuzz *f, uint8_t *p)
{
	const struct tcp_conn *c = f->x != TCP_NONE ? &f->t.conn[f->x] : NULL;
	uint32_t kind = fuzz_u8(&f->in);
	uint32_t n = kind % 11 * 4;

	if (kind >= 0x80 && (c == NULL || c->state < TCP_ESTABLISHED)) {
		/* as a SYN has them: MSS, SACK permitted, timestamps, window scale */
		store_be32(p, 0x02040000 | kind * 10);
		store_be32(p + 4, 0x0402080a);
		store_be32(p + 8, kind << 24);
		store_be32(p + 12, 0);
		store_be32(p + 16, 0x01030300 | (kind & 15));
		return kind & 1 ? 20 : 4;
	}
	if (kind >= 0xc0) {
		store_be32(p, 0x0101080a);
		store_be32(p + 4, c->ts_recent + (kind & 3) - 1);
		store_be32(p + 8, 1);
		return 12;
	}
	if (kind >= 0x80) {
		n = 1 + kind % 4;
		store_be32(p, 0x01010502 + 8 * n);
		for (uint32_t i = 0; i < 2 * n; i++)
			store_be32(p + 4 + 4 * i, c->snd_una + fuzz_u16(&f->in));
		return 4 + 8 * n;
	}
	for (uint32_t i = 0; i < n; i++)
		p[i] = (uint8_t)fuzz_u8(&f->in);
	return n;
}

/* A segment from the input, in its own allocation: the first byte past it is seen. */
static uint8_t *
fuzz_segment(struct fuzz *f, struct net_view *v)
{
	const struct tcp_conn *c = f->x != TCP_NONE ? &f->t.conn[f->x] : NULL;
	uint8_t options[40];
	uint32_t n_opt = fuzz_options(f, options);
	uint32_t len = fuzz_u16(&f->in) % PAYLOAD_MAX;
	uint8_t *b = calloc(1, 40 + n_opt + len);

	fuzz_check(b != NULL);
	memset(v, 0, sizeof(*v));
	v->flags = (uint8_t)fuzz_u8(&f->in);
	v->seq = fuzz_near(f, c != NULL ? c->rcv_nxt : 0);
	v->ack = fuzz_near(f, c != NULL ? c->snd_max : 0);
	store_be16(b + 34, (uint16_t)fuzz_u16(&f->in));
	memcpy(b + 40, options, n_opt);
	v->l3 = b;
	v->l4_off = 20;
	v->hdr_len = (uint8_t)(40 + n_opt);
	v->len = (uint16_t)len;
	v->len_first = v->len;
	return b;
}

static void
fuzz_segment_in(struct fuzz *f)
{
	struct tcp_tuple tuple = {1, 2, 3, 4};
	struct tcp_result res;
	struct tcp_seg seg;
	struct net_view v;
	uint8_t *b = fuzz_segment(f, &v);

	if (f->x != TCP_NONE) {
		tcp_segment_in(&f->t, f->x, &v, NULL, f->now, &res);
		fuzz_result(f, &res);
	} else if (f->x_tw != TCP_NONE) {
		tcp_tw_segment(&f->t, f->x_tw, &v, f->now, &res, &seg);
		if (res.events & TCP_EV_NEW) {
			tcp_tw_drop(&f->t, f->x_tw);
			f->x_tw = TCP_NONE;
		}
	} else if ((v.flags & (NET_TCP_SYN | NET_TCP_ACK | NET_TCP_RST)) == NET_TCP_SYN) {
		f->x = tcp_accept(&f->t, &tuple, 0, 0, 0, &v, 0, f->now);
		f->acked = 0;
		f->written = 0;
	} else {
		tcp_stray_reply(&f->t, &v, &seg);
	}
	free(b);
	fuzz_flush(f);
}

static void
fuzz_time(struct fuzz *f)
{
	struct tcp_result res;
	struct tcp_tw tw;
	uint32_t x;

	f->now += (uint64_t)fuzz_u16(&f->in) * MS / 4;
	while (wheel_expire(&f->t.wheel, f->now, &x, 1) != 0) {
		fuzz_check(x == f->x);
		tcp_timer(&f->t, x, f->now, &res);
		fuzz_result(f, &res);
		fuzz_flush(f);
	}
	while (tcp_tw_expire(&f->t, f->now, &tw, &x, 1) != 0)
		f->x_tw = TCP_NONE;
}

static void
fuzz_resume(struct fuzz *f)
{
	struct tcp_result res;

	f->paused = 0;
	do {
		tcp_unpark(&f->t, f->x, &res);
		fuzz_result(f, &res);
	} while (f->x != TCP_NONE && (res.events & TCP_EV_DATA));
	fuzz_flush(f);
}

static void
fuzz_call(struct fuzz *f, uint32_t what)
{
	uint32_t n;

	if (f->x == TCP_NONE)
		return;
	if (what == 0 && !(f->t.conn[f->x].flags & TCP_CONN_END)) {
		n = fuzz_u16(&f->in);
		f->written += n;
		tcp_stream_extend(&f->t, f->x, n);
	} else if (what == 1) {
		tcp_stream_end(&f->t, f->x);
	} else if (what == 2) {
		f->paused = 1;
	} else if (what == 3) {
		fuzz_resume(f);
	} else if (what == 4) {
		tcp_path_mtu(&f->t, f->x, f->t.conn[f->x].snd_una + fuzz_u8(&f->in),
			(uint16_t)fuzz_u16(&f->in));
	} else if (what == 5) {
		tcp_app_due(&f->t, f->x, f->now + fuzz_u16(&f->in) * MS);
	}
	fuzz_flush(f);
}

/* Configuration from the first bytes; the ISN is near its end for half of the inputs. */
static void *
fuzz_start(struct fuzz *f)
{
	struct tcp_sizes sizes = {2, 64, 2, N_OOO};
	struct tick_rate rate = {1000000000, 1ULL << 32, 1ULL << 32};
	struct arena a = {NULL, 0, 0};
	struct tcp_config cfg = {0};
	uint32_t bits = fuzz_u8(&f->in);

	cfg.mss = (uint16_t)(48 + fuzz_u8(&f->in) * 8);
	cfg.wscale = (uint8_t)(bits & 15);
	cfg.timestamps = bits >> 4 & 1;
	cfg.sack = bits >> 5 & 1;
	cfg.rcv_wnd = 500 + fuzz_u8(&f->in) * 400;
	cfg.initial_window_segs = 10;
	cfg.syn_retries = 3;
	cfg.data_retries = 5;
	cfg.rto_initial_ns = 1000 * MS;
	cfg.rto_min_ns = 200 * MS;
	cfg.rto_max_ns = 60000 * MS;
	cfg.delayed_ack_ns = 40 * MS;
	cfg.delayed_ack_segs = 2;
	cfg.fin_wait2_ns = 10000 * MS;
	cfg.time_wait_ns = 5000 * MS;
	cfg.tw_reuse = 1;
	cfg.isn_key = fuzz_u8(&f->in);
	f->now = (uint64_t)fuzz_u16(&f->in) * 262144000ULL;
	tcp_init(&f->t, &cfg, &sizes, &rate, &f->counters, f->now, &a);
	a.size = a.used;
	a.p = aligned_alloc(64, (a.size + 63) & ~(size_t)63);
	fuzz_check(a.p != NULL);
	memset(a.p, 0, a.size);
	a.used = 0;
	tcp_init(&f->t, &cfg, &sizes, &rate, &f->counters, f->now, &a);
	fuzz_check(arena_ok(&a));
	return a.p;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tcp_tuple tuple = {1, 2, 3, 4};
	struct fuzz *f = calloc(1, sizeof(*f));
	void *memory;

	fuzz_check(f != NULL);
	f->in = (struct input){data, size};
	f->x = TCP_NONE;
	f->x_tw = TCP_NONE;
	memory = fuzz_start(f);
	if (fuzz_u8(&f->in) & 1)
		f->x = tcp_open(&f->t, &tuple, 0, 0, 0, f->now);
	fuzz_flush(f);
	while (f->in.n != 0) {
		uint32_t op = fuzz_u8(&f->in);

		if (op < 160)
			fuzz_segment_in(f);
		else if (op < 200)
			fuzz_time(f);
		else
			fuzz_call(f, op % 6);
	}
	if (f->x != TCP_NONE)
		tcp_give(&f->t, f->x);
	fuzz_check(f->t.n_used == 0 && f->t.n_ooo_used == 0 && f->t.wheel.n_armed == 0);
	fuzz_check(f->counters.closed == f->counters.opens_active + f->counters.opens_passive);
	free(memory);
	free(f);
	return 0;
}
