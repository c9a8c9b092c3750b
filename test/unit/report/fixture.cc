// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <unistd.h>
#include "fixture.h"

std::string
file_text(const std::string &path)
{
	std::ifstream in(path, std::ios::binary);
	std::stringstream s;

	s << in.rdbuf();
	return s.str();
}

std::string
source_path(const std::string &below_top)
{
	return std::string(TEST_DATA) + "/../../" + below_top;
}

void
Tables::add(
	const char *module, const char *header, const std::string &begin, const std::string &end)
{
	static const std::regex line(
		R"re(X\(\s*(\w+),\s*COUNTER_(\w+),\s*COUNTER_(\w+),\s*"([^"]*)",)re");
	std::string text = file_text(source_path(std::string("lib/") + header));
	size_t from = text.find(begin);

	ASSERT_NE(from, std::string::npos) << header;
	text = text.substr(from, text.find(end, from) - from);
	descs.emplace_back();
	for (std::sregex_iterator i(text.begin(), text.end(), line), none; i != none; ++i) {
		const std::smatch &m = *i;
		uint8_t kind = m[2] == "SUM"	 ? COUNTER_SUM
			       : m[2] == "LEVEL" ? COUNTER_LEVEL
						 : COUNTER_MAX;
		uint8_t severity = m[3] == "INFO"   ? COUNTER_INFO
				   : m[3] == "WARN" ? COUNTER_WARN
						    : COUNTER_ERROR;
		const char *name = texts.emplace_back(m[1]).c_str();
		const char *unit = texts.emplace_back(m[4]).c_str();
		const char *help = texts.emplace_back("help of " + m[1].str()).c_str();

		descs.back().push_back({name, unit, help, kind, severity});
	}
	uint32_t n = (uint32_t)descs.back().size();
	sets.push_back({module, descs.back().data(), n, n_values});
	n_values += n;
}

Tables::Tables()
{
	add("agent", "agent/agent_counters.h", "#define AGENT_FAIL_COUNTERS", "struct ");
	add("http", "http/http_parse.h", "#define HTTP_COUNTERS", "struct ");
	add("tcp", "tcp/tcp_counters.h", "#define TCP_COUNTERS", "struct ");
	add("net", "net/net_view.h", "#define NET_COUNTERS", "struct ");
	add("lane", "lane/lane_counters.h", "#define LANE_COUNTERS", "#define PORT_COUNTERS");
	add("port", "lane/lane_counters.h", "#define PORT_COUNTERS", "struct ");
}

int
Tables::at(const std::string &counter) const
{
	size_t dot = counter.find('.');

	return snapshot_find(sets.data(), sets.size(), counter.substr(0, dot).c_str(),
		counter.substr(dot + 1).c_str());
}

const Tables &
tables()
{
	static const Tables t;

	return t;
}

Cells::Cells()
{
	struct arena measure = {};

	cell_set_init(&set, 2, 200, &measure);
	memory.resize(measure.used + 64);
	size_t skip = -(uintptr_t)memory.data() & 63;
	struct arena a = {memory.data() + skip, measure.used, 0};
	cell_set_init(&set, 2, 200, &a);
	EXPECT_EQ(cell_sum_init(&cells, 2), 0);
}

Cells::~Cells()
{
	cell_sum_fini(&cells);
}

void
Cells::transaction(uint64_t wait_ns, uint64_t wire_ns, enum cell_class c)
{
	struct hist *h = set.cell[CELL_N + c];

	hist_record(&h[CELL_WAIT], &set.pool, wait_ns);
	hist_record(&h[CELL_WIRE], &set.pool, wire_ns);
	hist_record(&h[CELL_SUM], &set.pool, wait_ns + wire_ns);
	hist_record(&h[CELL_TTFB], &set.pool, wire_ns / 2);
	hist_record(&set.late, &set.pool, wait_ns / 2);
}

void
Cells::ladder(uint32_t n)
{
	for (uint32_t i = 1; i <= n; i++) {
		transaction(500, i * 1000);
		hist_record(&set.connect, &set.pool, 20000);
	}
}

const struct cell_sum *
Cells::sum()
{
	cell_sum_clear(&cells);
	cell_sum_add(&cells, &set);
	return &cells;
}

Values::Values() : delta(tables().n_values), total(tables().n_values)
{
}

void
Values::set(const std::string &counter, uint64_t v)
{
	int i = tables().at(counter);

	ASSERT_GE(i, 0) << counter;
	delta[i] = v;
	total[i] = v;
}

void
Values::add(const std::string &counter, uint64_t v)
{
	int i = tables().at(counter);

	ASSERT_GE(i, 0) << counter;
	delta[i] += v;
	total[i] += v;
}

Window::Window(enum snap_row row, enum snap_role role)
{
	s.row = row;
	s.role = role;
	s.sets = tables().sets.data();
	s.n_sets = (uint32_t)tables().sets.size();
	s.n_values = tables().n_values;
	s.t_end_s = 10;
	s.interval_s = 10;
	s.utc_end_ns = 936379592403624789;
	s.phase = "dflt";
	s.measured = true;
	scopes.reserve(8);
	scope("all", *this);
	s.all.cpu = -1;
}

struct snap_scope &
Window::scope(const std::string &name, Values &v)
{
	struct snap_scope sc = {};

	snprintf(sc.name, sizeof(sc.name), "%s", name.c_str());
	sc.cpu = 3;
	sc.interval_s = s.interval_s;
	sc.delta = v.delta.data();
	sc.total = v.total.data();
	sc.target_per_s = -1;
	if (name == "all") {
		s.all = sc;
		return s.all;
	}
	scopes.push_back(sc);
	s.scope = scopes.data();
	s.n_scopes = (uint32_t)scopes.size();
	return scopes.back();
}

const struct snapshot *
Window::get()
{
	s.all.scheduled_per_s = delta[tables().at("agent.scheduled")] / s.all.interval_s;
	s.all.sent_per_s = delta[tables().at("agent.sent")] / s.all.interval_s;
	s.all.completed_per_s = delta[tables().at("agent.completed")] / s.all.interval_s;
	return &s;
}

void
fill_good_run(Window &w)
{
	w.set("agent.scheduled", 500000);
	w.set("agent.sent", 499998);
	w.set("agent.completed", 499988);
	w.set("agent.failed", 10);
	w.set("agent.fail_reset", 6);
	w.set("agent.fail_timeout", 4);
	w.set("agent.dropped", 2);
	w.set("agent.drop_stop", 2);
	w.set("agent.late_1ms", 3);
	w.set("agent.late_max_us", 1234);
	w.set("agent.status_2xx", 499988);
	w.set("agent.misses", 499988);
	w.set("agent.conn_opened", 5000);
	w.set("agent.conn_closed", 5000);
	w.set("agent.conn_closed_by_peer", 4998);
	w.set("agent.req_bytes", 64000000);
	w.set("agent.rep_header_bytes", 100000000);
	w.set("agent.rep_body_bytes", 6500000000);
	w.set("tcp.tw_now", 500);
	w.set("lane.tx_frames", 1000000);
	w.set("lane.tx_bytes", 130000000);
	w.set("net.rx_frames", 5000000);
	w.set("net.rx_bytes", 6900000000);
	w.set("lane.busy_tsc", 300);
	w.set("lane.total_tsc", 1200);
	w.set("lane.turn_max_us", 87);
}

void
expect_golden(const std::string &name, const std::string &text)
{
	std::string path = std::string(TEST_DATA) + "/report/" + name;

	if (getenv("FRESHET_GOLDEN_UPDATE") != nullptr)
		std::ofstream(path, std::ios::binary) << text;
	EXPECT_EQ(file_text(path), text) << path;
}

std::string
Report::path(const std::string &name)
{
	if (dir.empty()) {
		char t[] = "/tmp/freshet-report-XXXXXX";

		dir = mkdtemp(t);
	}
	made.push_back(dir + "/" + name);
	return made.back();
}

Report::~Report()
{
	for (const std::string &p : made)
		unlink(p.c_str());
	if (!dir.empty())
		rmdir(dir.c_str());
}

std::vector<std::vector<std::string>>
csv_parse(const std::string &text)
{
	std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
	bool quoted = false;

	for (size_t i = 0; i < text.size(); i++) {
		std::string &field = rows.back().back();

		if (quoted && text[i] == '"' && text[i + 1] == '"')
			field += text[++i];
		else if (text[i] == '"')
			quoted = !quoted;
		else if (quoted)
			field += text[i];
		else if (text[i] == ',')
			rows.back().emplace_back();
		else if (text.compare(i++, 2, "\r\n") == 0)
			rows.emplace_back(1);
		else
			field += text[--i];
	}
	EXPECT_EQ(rows.back(), std::vector<std::string>(1)) << "last line without its end";
	rows.pop_back();
	return rows;
}
