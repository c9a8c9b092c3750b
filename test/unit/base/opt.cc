// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "base_bytes.h"
#include "base_opt.h"

struct result {
	double rate;
	bool verify;
	bool rate_set;
	uint64_t robots;
	int64_t offset;
	double factor;
	uint64_t cycle;
	uint64_t size;
	double dhr;
	const char *label;
	int topology;
	struct opt_list headers;
	bool size_set;
};

#define AT(f) offsetof(struct result, f)
static const struct opt_row rows[] = {
	{"req_rate", OPT_RATE, AT(rate), AT(rate_set), 0, 1e9, nullptr, nullptr, nullptr,
		"loop client", "Load", "requests per second of each robot"},
	{"robots", OPT_COUNT, AT(robots), 0, 1, 1000000, "100", nullptr, nullptr, "loop client",
		"Load", "number of robots"},
	{"robots", OPT_COUNT, AT(robots), 0, 1, 10, "2", nullptr, nullptr, "bench", "Load",
		"number of robots of a test"},
	{"offset", OPT_INT, AT(offset), 0, -5, 5, "-1", nullptr, nullptr, "loop", "Load", "shift"},
	{"factor", OPT_FLOAT, AT(factor), 0, 0, 0, "1.5", nullptr, nullptr, "loop", "Load",
		"factor"},
	{"stats_cycle", OPT_TIME, AT(cycle), 0, 1e6, 3600e9, "5sec", nullptr, nullptr,
		"loop client server", "Output", "time between console lines"},
	{"rep_sz", OPT_SIZE, AT(size), AT(size_set), 0, 1e19, nullptr, nullptr, nullptr,
		"loop server", "Content", "size of a reply's body"},
	{"dhr", OPT_SHARE, AT(dhr), 0, 0, 1, "55%", nullptr, nullptr, "loop", "Content",
		"offered hit ratio"},
	{"label", OPT_TEXT, AT(label), 0, 0, 0, nullptr, nullptr, nullptr, "loop", "Output",
		"name of the run"},
	{"topology", OPT_CHOICE, AT(topology), 0, 0, 0, "lanes", "HOW", "lanes|split", "loop",
		"Load", "where lanes run"},
	{"add_header", OPT_LIST, AT(headers), 0, 0, 0, nullptr, "LINE", nullptr, "loop client",
		"Content", "header line of each request"},
	{"verify", OPT_FLAG, AT(verify), 0, 0, 0, "on", nullptr, nullptr, "loop", "Content",
		"compare each byte"},
	{"listen", OPT_TEXT, AT(label), 0, 0, 0, nullptr, "ADDR", nullptr, "server", "Addresses",
		"address of the origin"},
};
static const struct opt_table table = {rows, ARRAY_LEN(rows)};

struct parsed {
	struct result r = {};
	struct err e = {};
	int rc;
	std::string error;
};

static parsed
parse(std::vector<const char *> words, const char *command = "loop")
{
	parsed p;
	char buf[700];

	EXPECT_EQ(opt_defaults(&table, command, &p.r, &p.e), 0);
	p.rc = opt_parse(&table, command, (int)words.size(),
		const_cast<char *const *>(words.data()), &p.r, &p.e);
	err_text(&p.e, buf, sizeof(buf));
	p.error = buf;
	EXPECT_EQ(p.rc != 0, p.e.exit_code == EXIT_CODE_USAGE);
	return p;
}

TEST(Opt, DefaultsGoThroughTheParsersOfTheCommand)
{
	parsed p = parse({});

	EXPECT_EQ(p.r.robots, 100u);
	EXPECT_EQ(p.r.offset, -1);
	EXPECT_EQ(p.r.factor, 1.5);
	EXPECT_EQ(p.r.cycle, 5000000000u);
	EXPECT_EQ(p.r.dhr, .55);
	EXPECT_EQ(p.r.label, nullptr);
	EXPECT_EQ(p.r.topology, 0);
	EXPECT_EQ(p.r.headers.n, 0u);
	EXPECT_TRUE(p.r.verify);
	EXPECT_FALSE(p.r.rate_set);
	EXPECT_EQ(parse({}, "bench").r.robots, 2u);
}

TEST(Opt, WrongDefaultIsAnErrorOfTheTable)
{
	struct opt_row bad = rows[1];
	struct opt_table t = {&bad, 1};
	struct result r;
	struct err e = {};

	bad.value = "0";
	EXPECT_EQ(opt_defaults(&t, "loop", &r, &e), -EINVAL);
	EXPECT_STREQ(e.what, "--robots");
}

TEST(Opt, BothSpellingsOfNameAndValue)
{
	parsed p = parse({"--req-rate", "400/sec", "--rep_sz=13KB", "--offset", "-3", "--verify=no",
		"--stats-cycle=1min", "--dhr", "5p", "--topology=split", "--label=--x=y"});

	ASSERT_EQ(p.rc, 0) << p.error;
	EXPECT_EQ(p.r.rate, 400);
	EXPECT_TRUE(p.r.rate_set);
	EXPECT_EQ(p.r.size, 13312u);
	EXPECT_TRUE(p.r.size_set);
	EXPECT_EQ(p.r.offset, -3);
	EXPECT_FALSE(p.r.verify);
	EXPECT_EQ(p.r.cycle, 60000000000u);
	EXPECT_EQ(p.r.dhr, .05);
	EXPECT_EQ(p.r.topology, 1);
	EXPECT_STREQ(p.r.label, "--x=y");
}

TEST(Opt, FlagTakesAWordOnlyAfterEquals)
{
	for (const char *yes :
		{"--verify", "--verify=on", "--verify=yes", "--verify=true", "--verify=1"})
		EXPECT_TRUE(parse({"--verify=off", yes}).r.verify) << yes;
	for (const char *no : {"--verify=off", "--verify=no", "--verify=false", "--verify=0"})
		EXPECT_FALSE(parse({no}).r.verify) << no;
	EXPECT_EQ(parse({"--verify", "off"}).error,
		"stray word: 'off': options have the form --name value");
	EXPECT_EQ(parse({"--verify=maybe"}).error,
		"--verify: 'maybe': on, off, yes, no, true, false, 1 or 0");
}

TEST(Opt, LastOccurrenceWinsAndListsKeepAll)
{
	parsed p = parse(
		{"--robots=5", "--robots", "6", "--add_header", "A: 1", "--add_header", "B: 2"});

	EXPECT_EQ(p.r.robots, 6u);
	ASSERT_EQ(p.r.headers.n, 2u);
	EXPECT_STREQ(p.r.headers.v[0], "A: 1");
	EXPECT_STREQ(p.r.headers.v[1], "B: 2");
}

TEST(Opt, ListHasAnEnd)
{
	std::vector<const char *> words(OPT_LIST_MAX, "--add_header=A: 1");

	EXPECT_EQ(parse(words).rc, 0);
	words.push_back("--add_header=B: 2");
	EXPECT_EQ(parse(words).error, "--add_header: 'B: 2': at most 64 of them");
}

TEST(Opt, ErrorsNameOptionValueAndWhatIsAllowed)
{
	const struct {
		std::vector<const char *> words;
		const char *error;
	} cases[] = {
		{{"--robots", "0"}, "--robots: '0': a count such as 5, 10k or 2M, 1..1000000"},
		{{"--robots=1000001"},
			"--robots: '1000001': a count such as 5, 10k or 2M, 1..1000000"},
		{{"--robots=99999999999999999999"}, "--robots: '99999999999999999999': a count "
						    "such as 5, 10k or 2M, 1..1000000"},
		{{"--robots="}, "--robots: '(empty)': a count such as 5, 10k or 2M, 1..1000000"},
		{{"--robots=1.5"}, "--robots: '1.5': a count such as 5, 10k or 2M, 1..1000000"},
		{{"--offset=6"}, "--offset: '6': a whole number, -5..5"},
		{{"--factor=x"}, "--factor: 'x': a decimal number such as 1.5"},
		{{"--stats_cycle=10"}, "--stats_cycle: '10': a time with unit such as 10sec, "
				       "250ms or 5min, 1msec..1hour"},
		{{"--rep_sz=1kb"}, "--rep_sz: '1kb': a size such as 13KB, 1MB or 500, "
				   "at least 0Byte"},
		{{"--dhr=101%"}, "--dhr: '101%': a share such as 55%, 55p or 0.55, 0%..100%"},
		{{"--topology=star"}, "--topology: 'star': lanes or split"},
		{{"--topology="}, "--topology: '(empty)': lanes or split"},
		{{"--topology=lanes|split"}, "--topology: 'lanes|split': lanes or split"},
		{{"--topology=lane"}, "--topology: 'lane': lanes or split"},
		{{"--label=a\nb"}, "--label: 'a?b': a text without line ends"},
		{{"--add_header=A: 1\r\nB: 2"},
			"--add_header: 'A: 1??B: 2': a text without line ends"},
		{{"--robots"}, "--robots: value is missing: a count such as 5, 10k or 2M, "
			       "1..1000000"},
		{{"--robots", "--verify"}, "--robots: value is missing: a count such as 5, 10k or "
					   "2M, 1..1000000"},
		{{"--robts", "5"}, "unknown option: '--robts': did you mean --robots?"},
		{{"--req-rat=5"}, "unknown option: '--req-rat': did you mean --req_rate?"},
		{{"--xyzzy_plugh"}, "unknown option: '--xyzzy_plugh': see 'freshet loop --help'"},
		{{"--x"}, "unknown option: '--x': see 'freshet loop --help'"},
		{{"--=5"}, "unknown option: '--': see 'freshet loop --help'"},
		{{"--listen", "1.2.3.4"},
			"--listen: not an option of 'loop'; commands that have it: server"},
		{{"-l", "0"}, "unknown option: '-l': options begin with '--'; EAL options stand "
			      "before ' -- '"},
		{{"--"}, "'--' given twice: EAL options -- options"},
		{{"robots"}, "stray word: 'robots': options have the form --name value"},
		{{""}, "stray word: options have the form --name value"},
		{{"-"}, "stray word: '-': options have the form --name value"},
	};

	for (auto &c : cases)
		EXPECT_EQ(parse(c.words).error, c.error);
}

TEST(Opt, OptionOfSeveralOtherCommandsNamesThemAll)
{
	EXPECT_EQ(parse({"--robots=3"}, "server").error,
		"--robots: not an option of 'server'; commands that have it: loop client bench");
}

TEST(Opt, CommandNamesAreWholeWords)
{
	EXPECT_EQ(parse({"--robots=3"}, "oop").rc, -EINVAL);
	EXPECT_EQ(parse({"--robots=3"}, "loo").rc, -EINVAL);
	EXPECT_EQ(parse({"--robots=3"}, "client").rc, 0);
}

TEST(Opt, OverlongNamesAndValuesAreRefusedNotOverrun)
{
	std::string name = "--" + std::string(5000, 'n');
	std::string value = "--robots=" + std::string(5000, '7');

	EXPECT_EQ(parse({name.c_str()}).rc, -EINVAL);
	EXPECT_EQ(parse({value.c_str()}).rc, -EINVAL);
}

TEST(Opt, TextOfEachRowParsesBack)
{
	parsed p = parse({"--req_rate=0.25/sec", "--robots=7", "--offset=-2", "--rep_sz=3KB",
		"--label=a b", "--topology=split", "--verify=off", "--add_header=A: 1"});

	ASSERT_EQ(p.rc, 0) << p.error;
	for (const struct opt_row &r : rows) {
		struct result again = {};
		struct err e = {};
		char text[200];
		char back[200];

		if (std::string(r.commands).find("loop") == std::string::npos)
			continue;
		opt_text(&r, &p.r, text, sizeof(text));
		std::string word = std::string("--") + r.name + "=" + text;
		char *argv[] = {&word[0]};

		EXPECT_EQ(opt_parse(&table, "loop", 1, argv, &again, &e), 0) << word;
		opt_text(&r, &again, back, sizeof(back));
		EXPECT_STREQ(text, back);
	}
}

TEST(Opt, UnsetRowsReadNone)
{
	parsed p = parse({});
	char text[64];

	for (uint32_t i : {0u, 6u, 8u, 10u}) {
		opt_text(&rows[i], &p.r, text, sizeof(text));
		EXPECT_STREQ(text, "<none>") << rows[i].name;
	}
	opt_text(&rows[9], &p.r, text, sizeof(text));
	EXPECT_STREQ(text, "lanes");
}

static std::string
output(void (*print)(FILE *))
{
	char *p = nullptr;
	size_t n = 0;
	FILE *f = open_memstream(&p, &n);

	print(f);
	fclose(f);
	std::string s(p, n);
	free(p);
	return s;
}

TEST(Opt, HelpShowsTheCommandsOwnRowsByGroup)
{
	std::string s = output([](FILE *f) { opt_help(&table, "server", f); });

	EXPECT_EQ(s, "Output:\n"
		     "  --stats_cycle TIME          time between console lines (1msec..1hour; "
		     "default 5sec)\n"
		     "\nContent:\n"
		     "  --rep_sz SIZE               size of a reply's body (at least 0Byte; "
		     "default none)\n"
		     "\nAddresses:\n"
		     "  --listen ADDR               address of the origin (default none)\n");
}

TEST(Opt, DocHasEachRowOnceUnderItsGroup)
{
	std::string s = output([](FILE *f) { opt_doc(&table, f); });

	EXPECT_EQ(s.find(".. SPDX-License-Identifier: BSD-3-Clause\n"), 0u);
	EXPECT_NE(s.find("\nContent\n-------\n\n``--rep_sz SIZE``\n    size of a reply's body.\n"
			 "    At least 0Byte; default none.\n    Commands: loop server.\n"),
		std::string::npos);
	EXPECT_NE(s.find("Lanes or split; default ``lanes``."), std::string::npos);
	EXPECT_NE(s.find("May be repeated; default none."), std::string::npos);
	EXPECT_EQ(s.find("\nLoad\n"), s.rfind("\nLoad\n"));
	EXPECT_EQ(s.find("\n\n\n"), std::string::npos);
}
