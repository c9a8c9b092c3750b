/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_mem.h"
#include <errno.h>
#include <numa.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_SIZE ((size_t)2 << 20)

static uint8_t *
map(size_t size, int flags)
{
	void *p = mmap(
		NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* An address that is a multiple of 2 MB: map 2 MB more and cut both ends. */
static uint8_t *
map_aligned(size_t size)
{
	uint8_t *p = map(size + HUGE_SIZE, MAP_NORESERVE);
	size_t cut;

	if (p == NULL)
		return NULL;
	cut = (HUGE_SIZE - ((uintptr_t)p & (HUGE_SIZE - 1))) & (HUGE_SIZE - 1);
	if (cut != 0)
		munmap(p, cut);
	if (cut != HUGE_SIZE)
		munmap(p + cut + size, HUGE_SIZE - cut);
	return p + cut;
}

/* A preference: a node without room is no reason to fail. */
static void
bind_to(const struct port_mem *m, int node)
{
	if (node < 0 || numa_available() < 0 || node > numa_max_node())
		return;
	numa_tonode_memory(m->p, m->size, node);
}

int
port_mem_take(struct port_mem *m, size_t size, int node, struct err *e)
{
	m->size = (size + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1);
	m->huge = 1;
	/* Without MAP_NORESERVE the pages are ours or the call fails: a later touch cannot. */
	m->p = map(m->size, MAP_HUGETLB);
	if (m->p != NULL) {
		bind_to(m, node);
		return 0;
	}
	m->huge = 0;
	m->p = map_aligned(m->size);
	if (m->p == NULL)
		return err_setup(
			e, ENOMEM, "memory of a lane", NULL, "%zu MB not granted", m->size >> 20);
	bind_to(m, node);
	madvise(m->p, m->size, MADV_HUGEPAGE);
	return 0;
}

void
port_mem_give(struct port_mem *m)
{
	if (m->p != NULL)
		munmap(m->p, m->size);
	m->p = NULL;
}

void
port_mem_touch(const struct port_mem *m)
{
	for (size_t i = 0; i < m->size; i += 4096)
		*(volatile uint8_t *)(m->p + i) = 0;
}
