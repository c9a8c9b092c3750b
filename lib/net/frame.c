/* SPDX-License-Identifier: BSD-3-Clause */
#include "base_assert.h"
#include "net_priv.h"

/* A TCP header is a row of 32-bit words, options padded with NOP included: each is written and
 * added to the checksum from a register. */
struct frame_out {
	uint8_t *p;
	uint64_t sum;
};

static inline void
frame_put(struct frame_out *o, uint32_t word)
{
	be32 w = host_be32(word);

	memcpy(o->p, &w, sizeof(w));
	o->p += sizeof(w);
	o->sum += w;
}

static inline uint32_t
frame_opts_len_but_sack(uint8_t opts)
{
	uint32_t n = 0;

	if (opts & NET_OPT_MSS)
		n += 4;
	if (opts & NET_OPT_TS)
		n += 12;
	else if (opts & NET_OPT_SACK_OK)
		n += 4;
	if (opts & NET_OPT_WSCALE)
		n += 4;
	return n;
}

/* SACK blocks that are asked for and fit: 3 beside timestamps (RFC 2018, 3). */
static inline uint32_t
frame_n_sack(const struct net_tx *t, uint32_t used)
{
	uint32_t fit = (TCP_OPTS_MAX - 4 - used) / 8;
	uint32_t n = t->n_sack < NET_SACK_MAX ? t->n_sack : NET_SACK_MAX;

	return n < fit ? n : fit;
}

static inline uint32_t
frame_opts_len(const struct net_tx *t)
{
	uint32_t n = frame_opts_len_but_sack(t->opts);
	uint32_t n_sack = frame_n_sack(t, n);

	return n_sack == 0 ? n : n + 4 + 8 * n_sack;
}

uint32_t
net_frame_head_len(const struct net_tx *t)
{
	return NET_ETH_LEN + IP4_LEN + TCP_LEN + frame_opts_len(t);
}

static inline void
frame_put_opts(struct frame_out *o, const struct net_tx *t)
{
	uint32_t n_sack = frame_n_sack(t, frame_opts_len_but_sack(t->opts));
	uint32_t i;

	if (t->opts & NET_OPT_MSS)
		frame_put(o, 0x02040000u | t->mss);
	if (t->opts & NET_OPT_TS) {
		frame_put(o, t->opts & NET_OPT_SACK_OK ? 0x0402080a : 0x0101080a);
		frame_put(o, t->ts_val);
		frame_put(o, t->ts_ecr);
	} else if (t->opts & NET_OPT_SACK_OK) {
		frame_put(o, 0x01010402);
	}
	if (t->opts & NET_OPT_WSCALE)
		frame_put(o, 0x01030300u | t->wscale);
	if (n_sack != 0)
		frame_put(o, 0x01010500u | (2 + 8 * n_sack));
	for (i = 0; i < n_sack; i++) {
		frame_put(o, t->sack[i][0]);
		frame_put(o, t->sack[i][1]);
	}
}

uint32_t
net_frame_write(uint8_t *buf, const struct net_tx *t, uint16_t payload_len, uint64_t payload_sum)
{
	uint32_t tcp_head = TCP_LEN + frame_opts_len(t);
	uint32_t tcp_len = tcp_head + payload_len;
	uint8_t *l4 = buf + NET_ETH_LEN + IP4_LEN;
	struct frame_out o = {l4, payload_sum};
	uint16_t csum;

	assert_(IP4_LEN + tcp_len <= UINT16_MAX);
	net_eth_write(buf, t->dmac, t->smac, ETH_TYPE_IP4);
	net_ip4_write(buf + NET_ETH_LEN, 0, (uint16_t)(IP4_LEN + tcp_len), t->ttl, IP_PROTO_TCP,
		t->saddr, t->daddr);
	frame_put(&o, (uint32_t)t->sport << 16 | t->dport);
	frame_put(&o, t->seq);
	frame_put(&o, t->ack);
	frame_put(&o, tcp_head << 26 | (uint32_t)t->flags << 16 | t->wnd);
	frame_put(&o, 0);
	frame_put_opts(&o, t);
	o.sum += net_csum_pseudo(host_be32(t->saddr), host_be32(t->daddr), (uint16_t)tcp_len);
	csum = (uint16_t)~net_csum_fold(o.sum);
	memcpy(l4 + 16, &csum, sizeof(csum));
	return NET_ETH_LEN + IP4_LEN + tcp_head;
}
