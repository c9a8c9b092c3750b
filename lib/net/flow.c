/* SPDX-License-Identifier: BSD-3-Clause */
#include "net_flow.h"
#include "base_assert.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define PORTS_LOOKS_MAX 64
#define FLOWS_PER_BUCKET 8

static_assert_(sizeof(struct net_flow_bucket) == 64, "a bucket is one cache line");
static_assert_(offsetof(struct net_flow_bucket, slot) == 16, "tags are one SIMD register");

void
net_ports_init(struct net_ports *p, uint32_t n_locals, uint16_t lo, uint16_t hi, uint16_t x_lane,
	uint16_t n_lanes, struct arena *a)
{
	uint32_t first = lo + (x_lane + (uint32_t)n_lanes - lo % n_lanes) % n_lanes;
	size_t n;

	memset(p, 0, sizeof(*p));
	p->n_locals = n_locals;
	p->lo = lo;
	p->hi = hi;
	p->x_lane = x_lane;
	p->n_lanes = n_lanes;
	p->first = (uint16_t)first;
	if (first <= hi) {
		p->ports_per_addr = (hi - first) / n_lanes + 1;
	} else { /* no port is this lane's: net_ports_entry() must find none */
		p->first = UINT16_MAX;
		p->hi = 0;
	}
	n = (size_t)n_locals * p->ports_per_addr * sizeof(*p->slot);
	p->slot = arena_take(a, n);
	p->cursor = arena_take(a, n_locals * sizeof(*p->cursor));
	if (p->slot != NULL)
		memset(p->slot, 0xff, n); /* NET_FLOW_NONE */
	if (p->cursor != NULL)
		memset(p->cursor, 0, n_locals * sizeof(*p->cursor));
}

uint16_t
net_ports_take(struct net_ports *p, uint32_t x_local, uint32_t slot, int reuse, uint32_t *tw)
{
	uint32_t *row = &p->slot[(size_t)x_local * p->ports_per_addr];
	uint32_t at = p->cursor[x_local];
	uint32_t looks = p->ports_per_addr;
	uint32_t old = NET_FLOW_NONE;
	uint16_t port = 0;

	if (looks > PORTS_LOOKS_MAX)
		looks = PORTS_LOOKS_MAX;
	for (; looks > 0 && port == 0; looks--) {
		old = row[at];
		if (old == NET_FLOW_NONE || (reuse && (old & NET_FLOW_TIMEWAIT) != 0)) {
			row[at] = slot;
			port = (uint16_t)(p->first + at * p->n_lanes);
		}
		at = at + 1 < p->ports_per_addr ? at + 1 : 0;
	}
	p->cursor[x_local] = at;
	*tw = port == 0 || old == NET_FLOW_NONE ? NET_FLOW_NONE : old & ~NET_FLOW_TIMEWAIT;
	return port;
}

void
net_flows_init(struct net_flows *f, uint32_t n_flows_max, struct arena *a)
{
	uint32_t n = 2; /* two choices differ */

	/* At most half of the entries in use: 100 M arrivals and departures in 32768 buckets found
	 * both full 0 times at that load, 4 of 100,000 at 5 of 8, 1 of 100 at 6 of 8. */
	while ((uint64_t)n * 4 < n_flows_max && n < 1u << 24)
		n *= 2;
	memset(f, 0, sizeof(*f));
	f->mask = n - 1;
	f->bucket = arena_take(a, (size_t)n * sizeof(*f->bucket));
	if (f->bucket != NULL)
		memset(f->bucket, 0, (size_t)n * sizeof(*f->bucket));
}

static inline struct net_flow_bucket *
flows_first(const struct net_flows *f, uint64_t hash)
{
	return &f->bucket[hash & f->mask];
}

/* Never the first one: bit 0 differs. */
static inline struct net_flow_bucket *
flows_second(const struct net_flows *f, uint64_t hash)
{
	return &f->bucket[(hash ^ (hash >> 24 | 1)) & f->mask];
}

/* The bits that choose no bucket. */
static inline uint16_t
flows_tag(uint64_t hash)
{
	return (uint16_t)(hash >> 48);
}

/* Bit i: entry i is taken and has the tag. */
static inline uint32_t
flows_match(const struct net_flow_bucket *b, uint16_t tag)
{
	uint32_t m = 0;

#if defined(__SSE2__)
	__m128i eq = _mm_cmpeq_epi16(
		_mm_load_si128((const __m128i *)b->tag), _mm_set1_epi16((short)tag));

	m = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(eq, _mm_setzero_si128()));
#else
	int i;

	for (i = 0; i < FLOWS_PER_BUCKET; i++)
		m |= (uint32_t)(b->tag[i] == tag) << i;
#endif
	return m & b->used;
}

void
net_flows_prefetch(const struct net_flows *f, uint64_t hash)
{
	__builtin_prefetch(flows_first(f, hash));
	__builtin_prefetch(flows_second(f, hash));
}

uint32_t
net_flows_next(const struct net_flows *f, uint64_t hash, uint32_t *it)
{
	/* *it: entries passed so far, 8 of the first bucket, then 8 of the second */
	const struct net_flow_bucket *b;
	uint16_t tag = flows_tag(hash);
	uint32_t m;

	if (*it < FLOWS_PER_BUCKET) {
		b = flows_first(f, hash);
		m = flows_match(b, tag) >> *it;
		if (m != 0) {
			*it += (uint32_t)__builtin_ctz(m) + 1;
			return b->slot[*it - 1];
		}
		*it = FLOWS_PER_BUCKET;
	}
	b = flows_second(f, hash);
	m = flows_match(b, tag) >> (*it - FLOWS_PER_BUCKET);
	if (m == 0)
		return NET_FLOW_NONE;
	*it += (uint32_t)__builtin_ctz(m) + 1;
	return b->slot[*it - 1 - FLOWS_PER_BUCKET];
}

int
net_flows_add(struct net_flows *f, uint64_t hash, uint32_t slot)
{
	struct net_flow_bucket *b = flows_first(f, hash);
	struct net_flow_bucket *b2 = flows_second(f, hash);
	uint32_t i;

	if (__builtin_popcount(b2->used) < __builtin_popcount(b->used))
		b = b2;
	if (unlikely_(b->used == 0xff)) {
		f->n_full++;
		return -1;
	}
	i = (uint32_t)__builtin_ctz(~(uint32_t)b->used);
	b->tag[i] = flows_tag(hash);
	b->slot[i] = slot;
	b->used |= (uint8_t)(1u << i);
	f->n++;
	return 0;
}

/* Entry that holds exactly this slot. */
static struct net_flow_bucket *
flows_find(const struct net_flows *f, uint64_t hash, uint32_t slot, uint32_t *i)
{
	struct net_flow_bucket *b[2] = {flows_first(f, hash), flows_second(f, hash)};
	uint32_t k;
	uint32_t m;

	for (k = 0; k < 2; k++) {
		for (m = flows_match(b[k], flows_tag(hash)); m != 0; m &= m - 1) {
			*i = (uint32_t)__builtin_ctz(m);
			if (b[k]->slot[*i] == slot)
				return b[k];
		}
	}
	return NULL;
}

int
net_flows_set(struct net_flows *f, uint64_t hash, uint32_t old_slot, uint32_t new_slot)
{
	uint32_t i;
	struct net_flow_bucket *b = flows_find(f, hash, old_slot, &i);

	if (b == NULL)
		return -1;
	b->slot[i] = new_slot;
	return 0;
}

int
net_flows_del(struct net_flows *f, uint64_t hash, uint32_t slot)
{
	uint32_t i;
	struct net_flow_bucket *b = flows_find(f, hash, slot, &i);

	if (b == NULL)
		return -1;
	b->used &= (uint8_t) ~(1u << i);
	f->n--;
	return 0;
}
