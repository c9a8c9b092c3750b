// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include "port_args.h"

namespace fs = std::filesystem;

namespace
{

class Rundir : public ::testing::Test
{
      protected:
	void
	SetUp() override
	{
		char name[] = "/tmp/freshet-test-XXXXXX";

		ASSERT_NE(mkdtemp(name), nullptr);
		base = name;
	}
	void
	TearDown() override
	{
		fs::remove_all(base);
	}
	void
	make(const std::string &dir)
	{
		fs::create_directory(base / dir);
		std::ofstream(base / dir / "config") << "x";
	}
	fs::path base;
};

pid_t
dead_pid()
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, nullptr, 0);
	return pid;
}

} // namespace

TEST_F(Rundir, SweepTakesDirectoriesOfDeadProcessesOnly)
{
	std::string dead = "freshet-" + std::to_string(dead_pid());
	std::string alive = "freshet-" + std::to_string(getpid());

	make(dead);
	make(alive);
	make("freshet-1x");
	make("other");
	EXPECT_EQ(port_rundir_sweep(base.c_str()), 1u);
	EXPECT_FALSE(fs::exists(base / dead));
	EXPECT_TRUE(fs::exists(base / alive));
	EXPECT_TRUE(fs::exists(base / "freshet-1x"));
	EXPECT_TRUE(fs::exists(base / "other"));
}

TEST_F(Rundir, SweepOfNothingIsNothing)
{
	EXPECT_EQ(port_rundir_sweep((base / "absent").c_str()), 0u);
}

TEST_F(Rundir, RemoveLeavesNoDirectory)
{
	make("freshet-9");
	port_rundir_remove((base / "freshet-9").c_str());
	EXPECT_FALSE(fs::exists(base / "freshet-9"));
}
