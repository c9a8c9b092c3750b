/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Addresses and ranges of them: `10.1.0.2`, `10.1.0.2-65`, `10.1.0-3.1-250`, each with an optional
 * :port and /len. As in PGL, /len names the subnet that the addresses live on; it adds none:
 * `10.0.1-2.1-250:80/22` is 500 addresses. Strict: no octal, no leading zeros, nothing after.
 * IPv4; host order.
 * PURE.
 */
#ifndef NET_ADDR_H
#define NET_ADDR_H

#include "base_bytes.h"
#include "base_err.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NET_RANGE_OCTETS 4

/** The product of four octet ranges; address i is found without a table. */
struct net_range {
	uint8_t lo[NET_RANGE_OCTETS];
	uint8_t hi[NET_RANGE_OCTETS];
	uint16_t port; /* 0: none given */
	uint8_t prefix; /* /len, 0: none given */
};

/** Dotted quad, four decimal octets without leading zeros. @return 0 or -EINVAL. */
int net_addr_parse(const char *s, uint32_t *addr);
int net_addr_text(uint32_t addr, char *buf, unsigned int size);

/** ADDR[:PORT], port 1..65535; it stays as it was when none is given. @return 0 or -EINVAL with
 * nothing written. */
int net_addr_port_parse(const char *s, uint32_t *addr, uint16_t *port);

/** Octets as N or LO-HI (LO <= HI), then :port and /len (1..32) in either order. @return 0 or
 * -EINVAL with *r untouched. */
int net_range_parse(const char *s, struct net_range *r);
/** Canonical text, parses back to the same range. @return length as snprintf. */
int net_range_text(const struct net_range *r, char *buf, unsigned int size);
uint64_t net_range_count(const struct net_range *r);
/** Address number i (0 <= i < count), last octet fastest. */
uint32_t net_range_at(const struct net_range *r, uint64_t i);
/** Number of addr in the range, or -1. O(1): the client's demultiplexing uses it. */
int64_t net_range_index(const struct net_range *r, uint32_t addr);

/** Six pairs of hexadecimal digits with colons between. @return 0 or -EINVAL. */
int net_mac_parse(const char *s, uint8_t mac[6]);
int net_mac_text(const uint8_t mac[6], char *buf, unsigned int size);

#ifdef __cplusplus
}
#endif
#endif
