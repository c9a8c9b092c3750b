/* SPDX-License-Identifier: BSD-3-Clause */
#include <memory>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "load_body.h"
#include "net_csum.h"

namespace
{

std::unique_ptr<body_pattern>
pattern(uint64_t seed)
{
	auto b = std::make_unique<body_pattern>();

	body_pattern_init(b.get(), seed);
	return b;
}

/* Bytes of a body, taken span by span. */
std::vector<uint8_t>
body(const body_pattern &b, uint64_t oid, uint64_t offset, uint32_t n)
{
	std::vector<uint8_t> v;

	while (n > 0) {
		uint32_t m = std::min(n, BODY_TAIL);
		const uint8_t *p = body_at(&b, oid, offset);

		v.insert(v.end(), p, p + m);
		offset += m;
		n -= m;
	}
	return v;
}

} // namespace

TEST(body, pattern_is_printable_text_of_the_seed)
{
	auto a = pattern(1), again = pattern(1), other = pattern(2);

	for (uint8_t c : a->text)
		ASSERT_TRUE(c == '\n' || (c > ' ' && c < 0x7f));
	EXPECT_EQ(memcmp(a->text, again->text, sizeof(a->text)), 0);
	EXPECT_NE(memcmp(a->text, other->text, sizeof(a->text)), 0);
	EXPECT_EQ(memcmp(a->text, a->text + BODY_PERIOD, BODY_TAIL), 0);
}

TEST(body, starts_are_even_and_spread)
{
	std::vector<int> used(BODY_PERIOD);
	int distinct = 0;

	for (uint64_t oid = 0; oid < 1000; oid++) {
		uint32_t s = body_start(oid);

		ASSERT_EQ(s & 1, 0u);
		ASSERT_LT(s, BODY_PERIOD);
		distinct += used[s]++ == 0;
	}
	EXPECT_GT(distinct, 900);
}

TEST(body, sum_equals_the_sum_of_the_bytes_for_all_small_pieces)
{
	auto b = pattern(3);

	for (uint32_t o = 0; o < 70; o++) {
		for (uint32_t n = 0; n < 70; n++) {
			const uint8_t *p = b->text + o;

			ASSERT_EQ(net_csum_fold(body_sum(b.get(), p, n)),
				net_csum_fold(net_csum_add(0, p, n)))
				<< o << " " << n;
		}
	}
}

TEST(body, sum_equals_the_sum_of_the_bytes_for_segments_everywhere)
{
	auto b = pattern(4);

	for (uint32_t o = 0; o < BODY_PERIOD; o += 331) {
		for (uint32_t n : {1u, 2u, 535u, 536u, 1447u, 1448u, 1460u, 8948u, BODY_TAIL - 1,
			     BODY_TAIL}) {
			const uint8_t *p = b->text + o;

			ASSERT_EQ(net_csum_fold(body_sum(b.get(), p, n)),
				net_csum_fold(net_csum_add(0, p, n)))
				<< o << " " << n;
		}
	}
	const uint8_t *last = b->text + BODY_PERIOD - 1;
	EXPECT_EQ(net_csum_fold(body_sum(b.get(), last, BODY_TAIL)),
		net_csum_fold(net_csum_add(0, last, BODY_TAIL)));
}

TEST(body, sum_adds_to_the_sum_of_a_header_before_it)
{
	auto b = pattern(4);
	uint8_t all[40 + 101];

	memset(all, 0x5a, 40);
	memcpy(all + 40, b->text + 7, 101);
	EXPECT_EQ(net_csum_fold(net_csum_add(0, all, 40) + body_sum(b.get(), b->text + 7, 101)),
		net_csum_fold(net_csum_add(0, all, sizeof(all))));
}

TEST(body, any_split_of_a_body_is_equal_to_it)
{
	auto b = pattern(5);
	std::vector<uint8_t> whole = body(*b, 99, 0, 200000);

	for (uint32_t at : {0u, 1u, 1460u, 32767u, 32768u, 49151u, 49152u, 131071u})
		for (uint32_t n : {0u, 1u, 1460u, 16385u, 49153u, 68000u})
			ASSERT_TRUE(body_equal(b.get(), 99, at, whole.data() + at, n))
				<< at << " " << n;
}

TEST(body, one_wrong_byte_is_found_anywhere)
{
	auto b = pattern(5);
	std::vector<uint8_t> whole = body(*b, 7, 0, 100000);

	for (uint32_t at = 0; at < whole.size(); at += 997) {
		whole[at] ^= 1;
		ASSERT_FALSE(body_equal(b.get(), 7, 0, whole.data(), (uint32_t)whole.size())) << at;
		ASSERT_TRUE(body_equal(b.get(), 7, 0, whole.data(), at)) << at;
		whole[at] ^= 1;
	}
}

TEST(body, another_object_or_offset_is_not_equal)
{
	auto b = pattern(6);
	std::vector<uint8_t> v = body(*b, 1, 0, 1000);

	EXPECT_FALSE(body_equal(b.get(), 2, 0, v.data(), 1000));
	EXPECT_FALSE(body_equal(b.get(), 1, 1, v.data(), 1000));
	EXPECT_FALSE(body_equal(b.get(), 1, 1448, v.data(), 1000));
}

TEST(body, a_far_offset_needs_no_more_than_arithmetic)
{
	auto b = pattern(6);

	for (uint64_t k = 0; k < 3; k++)
		EXPECT_EQ(body_at(b.get(), 5, (1ULL << 39) + k * BODY_PERIOD + 11),
			body_at(b.get(), 5, 11));
}
