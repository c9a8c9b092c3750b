// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include "port_mem.h"

TEST(PortMem, IsAlignedZeroedAndWhole)
{
	struct port_mem m;
	struct err e;

	err_clear(&e);
	ASSERT_EQ(port_mem_take(&m, (3u << 20) + 1, &e), 0);
	EXPECT_EQ((uintptr_t)m.p % (2u << 20), 0u);
	EXPECT_EQ(m.size, (size_t)(4u << 20));
	port_mem_touch(&m);
	EXPECT_EQ(m.p[0], 0);
	EXPECT_EQ(m.p[m.size - 1], 0);
	m.p[m.size - 1] = 1;
	port_mem_give(&m);
	EXPECT_EQ(m.p, nullptr);
}

TEST(PortMem, TouchKeepsWhatIsThere)
{
	struct port_mem m;
	struct err e;

	err_clear(&e);
	ASSERT_EQ(port_mem_take(&m, 4096, &e), 0);
	m.p[1] = 7;
	port_mem_touch(&m);
	EXPECT_EQ(m.p[1], 7);
	port_mem_give(&m);
}

TEST(PortMem, WhatTheKernelRefusesIsASetUpError)
{
	struct port_mem m;
	struct err e;

	err_clear(&e);
	EXPECT_LT(port_mem_take(&m, (size_t)1 << 50, &e), 0);
	EXPECT_EQ(e.exit_code, EXIT_CODE_SETUP);
}

TEST(PortMem, PoolsTakeWhatTheySay)
{
	const size_t room = PORT_DATA_ROOM;

	EXPECT_GT(port_pool_packets_bytes(1000, PORT_LAYOUT_COMPACT), 1000 * room);
	EXPECT_LT(port_pool_packets_bytes(1000, PORT_LAYOUT_COMPACT), 1000 * (room + 512));
	EXPECT_GE(port_pool_packets_bytes(1000, PORT_LAYOUT_DMA), 1000 * (size_t)4096)
		<< "one buffer per page";
	EXPECT_LT(port_pool_bodies_bytes(1000, PORT_LAYOUT_COMPACT), (size_t)1000 * 384)
		<< "no data room";
}
