// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <numa.h>
#include <numaif.h>
#include "port_mem.h"

TEST(PortMem, IsAlignedZeroedAndWhole)
{
	struct port_mem m;
	struct err e;

	err_clear(&e);
	ASSERT_EQ(port_mem_take(&m, (3u << 20) + 1, -1, &e), 0);
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
	ASSERT_EQ(port_mem_take(&m, 4096, -1, &e), 0);
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
	EXPECT_LT(port_mem_take(&m, (size_t)1 << 50, -1, &e), 0);
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

TEST(Mem, PagesPreferThePortsNode)
{
	struct port_mem m;
	struct err e;
	int mode = -1;

	err_clear(&e);
	if (numa_available() < 0)
		GTEST_SKIP() << "kernel without NUMA";
	ASSERT_EQ(port_mem_take(&m, 4096, 0, &e), 0);
	ASSERT_EQ(get_mempolicy(&mode, nullptr, 0, m.p, MPOL_F_ADDR), 0);
	EXPECT_TRUE(mode == MPOL_BIND || mode == MPOL_PREFERRED) << mode;
	port_mem_give(&m);
	ASSERT_EQ(port_mem_take(&m, 4096, -1, &e), 0);
	ASSERT_EQ(get_mempolicy(&mode, nullptr, 0, m.p, MPOL_F_ADDR), 0);
	EXPECT_EQ(mode, MPOL_DEFAULT);
	port_mem_give(&m);
}
