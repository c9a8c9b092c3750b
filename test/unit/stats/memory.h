/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Zeroed memory for an arena in tests, sized by a first run that only measures.
 */
#ifndef STATS_TEST_MEMORY_H
#define STATS_TEST_MEMORY_H

#include <cstdlib>
#include <cstring>
#include "base_arena.h"

class Memory
{
      public:
	template <typename F> explicit Memory(F build)
	{
		struct arena measure = {};

		build(&measure);
		size = (measure.used + 63) & ~(size_t)63;
		p = static_cast<uint8_t *>(aligned_alloc(64, size));
		memset(p, 0, size);
		a = {p, size, 0};
		build(&a);
	}
	Memory(const Memory &) = delete;
	~Memory()
	{
		free(p);
	}

	struct arena a;
	uint8_t *p;
	size_t size;
};

#endif
