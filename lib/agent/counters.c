/* SPDX-License-Identifier: BSD-3-Clause */
#include "base_bytes.h"
#include "agent_counters.h"

const struct counter_desc agent_counter_descs[] = {AGENT_COUNTERS(COUNTER_DESC)};
const uint32_t agent_n_counter_descs = ARRAY_LEN(agent_counter_descs);
