/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * What we know of a driver: drivers-config/NAME.conf, compiled in. Data, not code: a new driver
 * needs a file only. INIT; read-only, shared. doc/design/engine.rst.
 */
#ifndef PORT_PROFILE_H
#define PORT_PROFILE_H

#include <stdint.h>
#include "base_err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum port_answer {
	PORT_NO,
	PORT_YES,
	PORT_CAPA
};

struct port_profile {
	char driver[32];
	uint32_t max_queues; /* 0: what the device says */
	uint32_t rx_ring;
	uint32_t tx_ring;
	uint8_t multi_seg; /* enum port_answer */
	uint8_t imissed; /* reports what it dropped */
	uint8_t csum_rx;
	uint8_t same_queue; /* an answer comes back on the queue it left by */
};

/** Parse `key=value` lines. @return 0, or -EINVAL with *e naming the line. */
int port_profile_parse(const char *text, struct port_profile *p, struct err *e);

/** Profile of a driver by the name DPDK reports, else `default`. */
void port_profile_find(const char *driver, struct port_profile *p);

/** Number of compiled-in texts and text i (for tests). */
uint32_t port_profile_count(void);
const char *port_profile_text(uint32_t i);

#ifdef __cplusplus
}
#endif
#endif
