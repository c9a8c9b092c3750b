/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Internet checksum (RFC 1071). Sums are 64-bit accumulators of native 16-bit words, folded last.
 * PURE.
 */
#ifndef NET_CSUM_H
#define NET_CSUM_H

#include "base_bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Sum of n bytes as native-order 16-bit words (odd last byte padded by zero). Any alignment. Adds
 * less than 2^38 to sum, so that accumulators add and subtract as plain integers. */
uint64_t net_csum_add(uint64_t sum, const void *p, uint32_t n);

static inline uint16_t
net_csum_fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/** The sum of the same bytes when they start at an odd offset (RFC 1071, 2 (B)). */
static inline uint16_t
net_csum_swap(uint16_t folded)
{
	return (uint16_t)(folded << 8 | folded >> 8);
}

/** Pseudo header of TCP over IPv4; addresses in network order as in the header. */
static inline uint64_t
net_csum_pseudo(be32 saddr, be32 daddr, uint16_t tcp_len)
{
	uint64_t sum = saddr;

	sum += daddr;
	sum += host_be16(6);
	sum += host_be16(tcp_len);
	return sum;
}

#ifdef __cplusplus
}
#endif
#endif
