/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "stats_snapshot.h"

int
snapshot_find(const struct counter_set *sets, uint32_t n_sets, const char *module, const char *name)
{
	uint32_t i;
	uint32_t j;

	for (i = 0; i < n_sets; i++) {
		if (strcmp(sets[i].module, module) != 0)
			continue;
		for (j = 0; j < sets[i].n; j++) {
			if (strcmp(sets[i].desc[j].name, name) == 0)
				return (int)(sets[i].first + j);
		}
	}
	return -1;
}
