/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Frames that we write: Ethernet, IPv4 and TCP headers with options from a `struct net_tx`.
 * PURE: writes into the caller's buffer.
 */
#ifndef NET_FRAME_H
#define NET_FRAME_H

#include "base_bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NET_OPT_MSS 0x01
#define NET_OPT_WSCALE 0x02
#define NET_OPT_SACK_OK 0x04
#define NET_OPT_TS 0x08
#define NET_SACK_MAX 4

#define NET_ETH_LEN 14
#define NET_HEAD_MAX (NET_ETH_LEN + 20 + 60)

/** One TCP segment to send, but its payload. Addresses and ports in host order. */
struct net_tx {
	uint32_t saddr;
	uint32_t daddr;
	uint16_t sport;
	uint16_t dport;
	uint32_t seq;
	uint32_t ack;
	uint16_t wnd; /* as on the wire, already scaled */
	uint8_t flags;
	uint8_t opts; /* NET_OPT_* */
	uint16_t mss;
	uint8_t wscale;
	uint8_t n_sack;
	uint32_t ts_val;
	uint32_t ts_ecr;
	uint32_t sack[NET_SACK_MAX][2]; /* left, right edge */
	uint8_t smac[6];
	uint8_t dmac[6];
	uint8_t ttl;
};

/**
 * Write all headers: IPv4 with DF and ident 0; options in the order MSS, SACK_OK, TS, WSCALE, SACK,
 * padded with NOPs in front to whole words, as many SACK blocks as fit. Padding a short frame to
 * NET_FRAME_MIN is the caller's. @param payload_len TCP payload bytes that follow; @param
 * payload_sum their checksum accumulator (net_csum_add) or 0 with none. Checksums are complete.
 * @param buf at least NET_HEAD_MAX bytes. @return bytes written: payload starts there.
 */
uint32_t net_frame_write(
	uint8_t *buf, const struct net_tx *t, uint16_t payload_len, uint64_t payload_sum);

/** Bytes that net_frame_write() would return: a payload can be put there first. */
uint32_t net_frame_head_len(const struct net_tx *t);

#ifdef __cplusplus
}
#endif
#endif
