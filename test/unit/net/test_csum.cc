/* SPDX-License-Identifier: BSD-3-Clause */
#include "net_fixture.h"

TEST(csum, equals_the_reference_for_every_length_and_alignment)
{
	guard g;
	bytes b = pattern(600);

	for (uint32_t n = 0; n <= 600; n++) {
		uint8_t *p = g.put(b.data(), n); /* n bytes up to the fault: alignment varies */

		ASSERT_EQ(ref_csum(b.data(), n),
			be16_host((uint16_t)~net_csum_fold(net_csum_add(0, p, n))))
			<< n;
	}
}

TEST(csum, full_bytes_lose_no_carry)
{
	bytes b(65535, 0xff);

	for (uint32_t n : {0u, 1u, 2u, 63u, 64u, 65u, 1460u, 65534u, 65535u})
		EXPECT_EQ(ref_csum(b.data(), n),
			be16_host((uint16_t)~net_csum_fold(net_csum_add(0, b.data(), n))))
			<< n;
}

TEST(csum, accumulators_of_even_parts_add_and_subtract)
{
	bytes b = pattern(3000);
	uint64_t head = net_csum_add(0, b.data(), 1000);
	uint64_t all = net_csum_add(head, b.data() + 1000, 2000);

	EXPECT_EQ(ref_csum(b.data(), 3000), be16_host((uint16_t)~net_csum_fold(all)));
	EXPECT_EQ(ref_csum(b.data() + 1000, 2000), be16_host((uint16_t)~net_csum_fold(all - head)));
}

TEST(csum, result_grows_sum_by_little)
{
	bytes b(65535, 0xff);

	EXPECT_LT(net_csum_add(0, b.data(), 65535), 1ULL << 38);
	EXPECT_LT(net_csum_add(0, b.data(), 63), 1ULL << 38);
}

TEST(csum, odd_offset_is_a_swap)
{
	bytes b = pattern(101);
	uint64_t sum = net_csum_add(0, b.data(), 33);
	uint16_t rest = net_csum_fold(net_csum_add(0, b.data() + 33, 68));

	EXPECT_EQ(ref_csum(b.data(), 101),
		be16_host((uint16_t)~net_csum_fold(sum + net_csum_swap(rest))));
}
