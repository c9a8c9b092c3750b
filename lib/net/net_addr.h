/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Addresses and ranges of them: `10.1.0.2`, `10.1.0.2-65`, `10.1.0-3.1-250`, `10.1.0.0/24` forms,
 * each with an optional :port or :port-port. IPv4 in this issue; host order.
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

/** ADDR[:PORT]; port stays as it was when none is given. */
int net_addr_port_parse(const char *s, uint32_t *addr, uint16_t *port);

int net_range_parse(const char *s, struct net_range *r);
int net_range_text(const struct net_range *r, char *buf, unsigned int size);
uint64_t net_range_count(const struct net_range *r);
/** Address number i (0 <= i < count), last octet fastest. */
uint32_t net_range_at(const struct net_range *r, uint64_t i);
/** Number of addr in the range, or -1. O(1): the client's demultiplexing uses it. */
int64_t net_range_index(const struct net_range *r, uint32_t addr);

int net_mac_parse(const char *s, uint8_t mac[6]);
int net_mac_text(const uint8_t mac[6], char *buf, unsigned int size);

#ifdef __cplusplus
}
#endif
#endif
