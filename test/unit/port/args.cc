// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include "port_args.h"

namespace
{

struct Args {
	std::vector<std::string> words;
	std::vector<char *> argv;
	struct port_args a;
	struct err e;
	int rc;

	explicit Args(std::vector<std::string> w) : words(std::move(w))
	{
		for (std::string &s : words)
			argv.push_back(s.data());
		err_clear(&e);
		rc = port_args_split((int)argv.size(), argv.data(), &a, &e);
	}
};

struct port_host
host_of(std::vector<uint16_t> cpus, uint64_t huge_mb = 0)
{
	struct port_host h = {};

	for (uint16_t c : cpus)
		h.cpu[h.n_cpus++] = c;
	h.huge_free_mb = huge_mb;
	return h;
}

struct port_want
want_of(uint32_t n_default, enum port_place place, uint32_t n = 0)
{
	struct port_want w = {};

	w.n_workers = n;
	w.default_workers = n_default;
	w.place = place;
	w.pid = 77;
	return w;
}

std::string
line_of(const struct port_eal &o)
{
	std::string s;

	for (int i = 0; i < o.argc; i++)
		s += (i == 0 ? "" : " ") + std::string(o.argv[i]);
	return s;
}

std::string
lcores(std::vector<std::string> words, const struct port_host &h, const struct port_want &w)
{
	Args args(std::move(words));
	struct port_eal o;

	EXPECT_EQ(args.rc, 0);
	if (port_eal_lcores(&args.a, &h, &w, &o, &args.e) != 0)
		return "error " + std::string(args.e.what);
	return line_of(o);
}

std::string
all(std::vector<std::string> words, const struct port_host &h, const struct port_want &w)
{
	Args args(std::move(words));
	struct port_eal o;

	if (port_eal_lcores(&args.a, &h, &w, &o, &args.e) != 0 ||
		port_eal_finish(&args.a, &h, &w, 80, &o, &args.e) != 0)
		return "error";
	return line_of(o);
}

} // namespace

TEST(PortArgs, WithoutSeparatorAllOptionsAreTheCommands)
{
	Args x({"--rate", "100", "-l", "2"});

	EXPECT_EQ(x.a.n_eal, 0);
	ASSERT_EQ(x.a.n_cmd, 4);
	EXPECT_STREQ(x.a.cmd[0], "--rate");
	EXPECT_FALSE(x.a.names_port);
}

TEST(PortArgs, SeparatorSplits)
{
	Args x({"-l", "2", "--vdev=net_tap0", "--", "--rate", "9"});

	EXPECT_EQ(x.a.n_eal, 3);
	ASSERT_EQ(x.a.n_cmd, 2);
	EXPECT_STREQ(x.a.cmd[1], "9");
	EXPECT_TRUE(x.a.names_port);
}

TEST(PortArgs, NothingBehindSeparatorIsFine)
{
	Args x({"-l", "2", "--"});

	EXPECT_EQ(x.a.n_eal, 2);
	EXPECT_EQ(x.a.n_cmd, 0);
	EXPECT_FALSE(x.a.names_port) << "cores name no device";
}

TEST(PortArgs, ControlFloatsAndWorkersArePinned)
{
	EXPECT_EQ(lcores({}, host_of({0, 1}), want_of(2, PORT_PLACE_LOW)),
		"freshet --lcores=0@(0,1),1@0,2@1");
	EXPECT_EQ(lcores({}, host_of({3, 5, 8, 9}), want_of(2, PORT_PLACE_LOW)),
		"freshet --lcores=0@(3,5,8,9),1@3,2@5");
}

TEST(PortArgs, ServerTakesTheLowestCpuClientTheHighest)
{
	EXPECT_EQ(lcores({}, host_of({2, 3, 7}), want_of(1, PORT_PLACE_LOW)),
		"freshet --lcores=0@(2,3,7),1@2");
	EXPECT_EQ(lcores({}, host_of({2, 3, 7}), want_of(1, PORT_PLACE_HIGH)),
		"freshet --lcores=0@(2,3,7),1@7");
	EXPECT_EQ(lcores({}, host_of({2, 3, 7}), want_of(1, PORT_PLACE_HIGH, 2)),
		"freshet --lcores=0@(2,3,7),1@3,2@7");
}

TEST(PortArgs, OneCpuIsOneWorker)
{
	EXPECT_EQ(
		lcores({}, host_of({4}), want_of(2, PORT_PLACE_LOW)), "freshet --lcores=0@(4),1@4");
}

TEST(PortArgs, SingleCpuByUserHoldsControlAndWorker)
{
	EXPECT_EQ(lcores({"-l", "1", "--"}, host_of({0, 1}), want_of(2, PORT_PLACE_LOW)),
		"freshet --lcores=0@1,1@1");
	EXPECT_EQ(lcores({"-l1", "--"}, host_of({0, 1}), want_of(2, PORT_PLACE_LOW, 2)),
		"freshet --lcores=0@1,1@1,2@1");
}

TEST(PortArgs, CpuThatIsNotOursIsRefused)
{
	struct port_want w = want_of(2, PORT_PLACE_LOW);

	EXPECT_EQ(lcores({"-l", "9", "--"}, host_of({0, 1}), w), "error -l");
	EXPECT_EQ(lcores({"-l", "1x", "--"}, host_of({0, 1}), w), "error -l");
	EXPECT_EQ(lcores({"-l", "x", "--"}, host_of({0, 1}), w), "error -l");
}

TEST(PortArgs, ListByUserFirstIsControl)
{
	Args x({"--lcores=4,5,6", "--"});
	struct port_host h = host_of({4, 5, 6});
	struct port_want w = want_of(2, PORT_PLACE_LOW);
	struct port_eal o;

	ASSERT_EQ(port_eal_lcores(&x.a, &h, &w, &o, &x.e), 0);
	EXPECT_EQ(line_of(o), "freshet --lcores=4,5,6");
	EXPECT_EQ(o.n_workers, 2u);
	EXPECT_FALSE(o.ours);
}

TEST(PortArgs, TooManyWorkersAreRefused)
{
	EXPECT_EQ(lcores({}, host_of({0, 1}), want_of(2, PORT_PLACE_LOW, 3)), "error workers");
	EXPECT_EQ(lcores({"-l", "0,1", "--"}, host_of({0, 1}), want_of(2, PORT_PLACE_LOW, 2)),
		"error workers");
}

TEST(PortArgs, LcoresAreCounted)
{
	EXPECT_EQ(port_lcores_count("3"), 1u);
	EXPECT_EQ(port_lcores_count("0-3"), 4u);
	EXPECT_EQ(port_lcores_count("0,2,5-6"), 4u);
	EXPECT_EQ(port_lcores_count("0@(0,1),1@0,2@1"), 3u);
	EXPECT_EQ(port_lcores_count("(1-3)@0,5"), 4u);
	EXPECT_EQ(port_lcores_count(""), 0u);
	EXPECT_EQ(port_lcores_count("x"), 0u);
	EXPECT_EQ(port_lcores_count("(1"), 0u);
}

TEST(PortArgs, DefaultsNeedNoRootNoHugepagesNoDevices)
{
	EXPECT_EQ(all({}, host_of({0, 1}), want_of(1, PORT_PLACE_LOW)),
		"freshet --lcores=0@(0,1),1@0 --no-huge -m 80 --no-shconf "
		"--file-prefix=freshet-77 --no-pci --log-level=*:error");
}

TEST(PortArgs, FreeHugepagesAreTakenAndUnlinked)
{
	std::string s = all({}, host_of({0, 1}, 128), want_of(1, PORT_PLACE_LOW));

	EXPECT_NE(s.find("--huge-unlink=always -m 80"), std::string::npos) << s;
	s = all({}, host_of({0, 1}, 64), want_of(1, PORT_PLACE_LOW));
	EXPECT_NE(s.find("--no-huge"), std::string::npos) << "64 MB are too few: " << s;
}

TEST(PortArgs, OptionsOfTheUserAreKeptAndNotDoubled)
{
	std::string s = all({"--file-prefix", "mine", "-m", "512", "--log-level=8",
				    "--vdev=net_af_packet0,iface=eth1", "-l", "0,1", "--"},
		host_of({0, 1}), want_of(1, PORT_PLACE_LOW));

	EXPECT_EQ(s, "freshet --lcores=0,1 --no-shconf --no-pci --file-prefix mine -m 512 "
		     "--log-level=8 --vdev=net_af_packet0,iface=eth1");
}

TEST(PortArgs, PciDevicesAreProbedWhenTheNetIsNotOurs)
{
	struct port_want w = want_of(1, PORT_PLACE_LOW);

	w.devices = true;
	EXPECT_EQ(all({"-l", "0,1", "--"}, host_of({0, 1}), w).find("--no-pci"), std::string::npos);
	EXPECT_EQ(all({"-a", "0000:01:00.0", "--"}, host_of({0, 1}), w).find("--no-pci"),
		std::string::npos);
}

TEST(PortArgs, OwnDeviceIsAdded)
{
	struct port_want w = want_of(1, PORT_PLACE_LOW);

	w.vdev = "net_memif0,role=server";
	EXPECT_NE(
		all({}, host_of({0}), w).find("--vdev=net_memif0,role=server"), std::string::npos);
}
