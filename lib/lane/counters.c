/* SPDX-License-Identifier: BSD-3-Clause */
#include "lane_counters.h"
#include "base_assert.h"
#include "base_bytes.h"

static const struct counter_desc lane_descs[] = {LANE_COUNTERS(COUNTER_DESC)};
static const struct counter_desc port_descs[] = {PORT_COUNTERS(COUNTER_DESC)};

#define N_OF(s) (sizeof(s) / sizeof(uint64_t))
#define FIRST_OF(member) (offsetof(struct lane_counters, member) / sizeof(uint64_t))

const struct counter_set lane_counter_sets[] = {
	{"agent", agent_counter_descs, N_OF(struct agent_counters), FIRST_OF(agent)},
	{"http", http_counter_descs, N_OF(struct http_counters), FIRST_OF(http)},
	{"tcp", tcp_counter_descs, N_OF(struct tcp_counters), FIRST_OF(tcp)},
	{"net", net_counter_descs, N_OF(struct net_counters), FIRST_OF(net)},
	{"lane", lane_descs, N_OF(struct lane_own_counters), FIRST_OF(lane)},
	{"port", port_descs, N_OF(struct port_counters), FIRST_OF(port)},
};
const uint32_t lane_n_counter_sets = ARRAY_LEN(lane_counter_sets);

static_assert_(ARRAY_LEN(lane_descs) == N_OF(struct lane_own_counters), "one row per field");
static_assert_(ARRAY_LEN(port_descs) == N_OF(struct port_counters), "one row per field");
