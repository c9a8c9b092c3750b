/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * libFuzzer target: any bytes through net_view_parse() and net_host_input(). The first three bytes
 * choose where the frame is split over two buffers and what the port says of checksums; both
 * buffers are malloc'd to their length, so that the sanitizer sees the first byte too far.
 */
#include <stdlib.h>
#include "net_host.h"

#define CAP_NEIGH 16
#define OUT_CAP 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *
fuzz_copy(const uint8_t *p, size_t n)
{
	uint8_t *b = malloc(n != 0 ? n : 1);

	if (b == NULL)
		abort();
	memcpy(b, p, n);
	return b;
}

static void
fuzz_check(int good)
{
	if (!good)
		abort();
}

/* What a view promises of its buffers. */
static void
fuzz_segment(const struct net_view *v, const uint8_t *frame, uint32_t n, struct span frag)
{
	const uint8_t *options;
	volatile uint8_t sink;
	uint32_t n_second = (uint32_t)(v->len - v->len_first);

	fuzz_check(v->len_first <= v->len && n_second <= frag.n);
	fuzz_check(v->l3 + v->hdr_len + v->len_first <= frame + n);
	fuzz_check(net_view_options(v, &options) <= 40);
	if (v->hdr_len + v->len_first != 0)
		sink = v->l3[v->hdr_len + v->len_first - 1];
	if (n_second != 0)
		sink = frag.p[n_second - 1];
	(void)sink;
}

static void
fuzz_host(const struct net_view *v, const uint8_t *frame, uint32_t n, struct net_counters *c)
{
	struct net_neigh table[CAP_NEIGH];
	struct net_host h;
	struct net_icmp_error icmp;
	uint8_t *out = malloc(OUT_CAP);
	uint32_t cap = n % 3 == 0 ? n % OUT_CAP : OUT_CAP;
	int x_learned;

	if (out == NULL)
		abort();
	net_host_init(&h, CAP_NEIGH, c, table);
	h.n_ifaces = 1;
	h.iface[0].addr = 0x0a0100c8;
	h.iface[0].prefix = 24;
	h.n_own = 1;
	h.own[0] = (struct net_range){{10, 2, 0, 1}, {10, 2, 1, 250}, 0, 0};
	fuzz_check(net_host_input(&h, v, frame, n, 1, out, cap, &x_learned, &icmp) <= cap);
	fuzz_check(x_learned >= -1 && x_learned < CAP_NEIGH);
	fuzz_check(net_host_poll(&h, 2, 1, 1, out, cap) <= cap);
	free(out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct net_counters c = {0};
	struct net_view v = {0};
	struct span frag;
	uint8_t *first;
	uint8_t *second;
	uint32_t n;

	if (size < 3)
		return 0;
	n = load_be16(data);
	if (n > size - 3)
		n = (uint32_t)(size - 3);
	first = fuzz_copy(data + 3, n);
	second = fuzz_copy(data + 3 + n, size - 3 - n);
	frag = (struct span){second, (uint32_t)(size - 3 - n)};
	if (net_view_parse(&v, first, n, frag, data[2] & 1, &c) == NET_KIND_TCP)
		fuzz_segment(&v, first, n, frag);
	fuzz_check(v.kind <= NET_KIND_DROP);
	fuzz_host(&v, first, n, &c);
	free(first);
	free(second);
	return 0;
}
