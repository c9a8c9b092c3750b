/* SPDX-License-Identifier: BSD-3-Clause */
#include <fstream>
#include <sstream>
#include "http_case.h"

namespace
{

const char *const error_names[HTTP_E_N] = {"NONE", "STATUS_LINE", "VERSION", "FIELD_NAME",
	"FIELD_SPACE", "FIELD_BYTE", "OBS_FOLD", "LENGTH", "CODING", "CHUNK_SIZE", "CHUNK_END",
	"TOO_LARGE", "TOO_MANY", "EXTRA", "SWITCH", "METHOD", "TARGET", "HOST", "BARE_LF"};

const std::map<std::string, uint16_t> flag_names = {
	{"KEEP", HTTP_F_KEEP},
	{"CHUNKED", HTTP_F_CHUNKED},
	{"LENGTH", HTTP_F_LENGTH},
	{"TO_EOF", HTTP_F_TO_EOF},
	{"NO_BODY", HTTP_F_NO_BODY},
	{"XACT", HTTP_F_XACT},
	{"CONFLICT", HTTP_F_CONFLICT},
	{"BARE_LF", HTTP_F_BARE_LF},
	{"FOLDED", HTTP_F_FOLDED},
	{"LENIENT", HTTP_F_LENIENT},
	{"EXPECT", HTTP_F_EXPECT},
	{"OBJECT", HTTP_F_OBJECT},
	{"HOST", HTTP_F_HOST},
	{"ABSOLUTE", HTTP_F_ABSOLUTE},
	{"DATE", HTTP_F_DATE},
};

const std::map<std::string, drive_end> end_names = {
	{"done", DRIVE_DONE},
	{"error", DRIVE_ERROR},
	{"more", DRIVE_MORE},
	{"short", DRIVE_SHORT},
	{"noreply", DRIVE_NOREPLY},
};

/* A C string at s[*at], quotes included. */
bool
quoted_read(const std::string &s, size_t *at, std::string *out)
{
	static const std::string from = "rnt0\\\"";
	static const std::string to("\r\n\t\0\\\"", 6);
	size_t i = *at + 1;

	for (; i < s.size() && s[i] != '"'; i++) {
		if (s[i] != '\\') {
			out->push_back(s[i]);
			continue;
		}
		if (++i == s.size())
			return false;
		size_t k = from.find(s[i]);

		if (s[i] == 'x' && i + 2 < s.size()) {
			out->push_back((char)std::stoi(s.substr(i + 1, 2), nullptr, 16));
			i += 2;
		} else if (k != std::string::npos) {
			out->push_back(to[k]);
		} else {
			return false;
		}
	}
	*at = i + 1;
	return i < s.size();
}

/* "text" or "text"*count, any number of them. */
bool
wire_read(const std::string &s, std::string *out)
{
	for (size_t i = 0; i < s.size();) {
		std::string part;
		size_t count = 1;

		if (s[i] == ' ') {
			i++;
			continue;
		}
		if (s[i] != '"' || !quoted_read(s, &i, &part))
			return false;
		if (i < s.size() && s[i] == '*') {
			size_t n;

			count = std::stoul(s.substr(i + 1), &n);
			i += 1 + n;
		}
		while (count-- > 0)
			*out += part;
	}
	return true;
}

bool
flags_read(const std::string &s, uint16_t *flags)
{
	std::istringstream in(s);
	std::string name;

	while (std::getline(in, name, ',')) {
		auto it = flag_names.find(name);

		if (it == flag_names.end())
			return false;
		*flags |= it->second;
	}
	return true;
}

bool
error_read(const std::string &s, int *error)
{
	for (int i = 0; i < HTTP_E_N; i++) {
		if (s == error_names[i]) {
			*error = i;
			return true;
		}
	}
	return false;
}

bool
word_read(const std::string &w, CaseExpect *e)
{
	static const std::string known = " status body interim header trailer fields length minor "
					 "at xact oid world type ";
	size_t eq = w.find('=');

	if (w == "keep" || w == "close") {
		e->close = w == "close";
		return true;
	}
	if (eq == std::string::npos)
		return e->end == DRIVE_ERROR && error_read(w, &e->error);
	std::string key = w.substr(0, eq);
	std::string value = w.substr(eq + 1);

	if (key == "flags") {
		e->has_flags = true;
		return flags_read(value, &e->flags);
	}
	if (key == "method") {
		e->method = value;
		return true;
	}
	if (known.find(" " + key + " ") == std::string::npos)
		return false;
	e->numbers[key] = std::stoull(value, nullptr, 0);
	return true;
}

/* done status=200 keep text="..." */
bool
expect_read(std::string s, Case *c)
{
	CaseExpect e;
	std::string word;
	size_t at = s.find(" text=");

	if (at != std::string::npos) {
		e.has_text = true;
		if (!wire_read(s.substr(at + 6), &e.text))
			return false;
		s = s.substr(0, at);
	}
	std::istringstream in(s);

	in >> word;
	auto it = end_names.find(word);

	if (it == end_names.end())
		return false;
	e.end = it->second;
	while (in >> word) {
		if (!word_read(word, &e))
			return false;
	}
	if (e.end == DRIVE_ERROR && e.error == 0)
		return false;
	if (e.end == DRIVE_DONE && (e.close < 0 || !e.has_flags))
		return false;
	c->expect.push_back(e);
	return true;
}

bool
line_read(const std::string &key, const std::string &value, Case *c)
{
	if (key == "name")
		c->name = value;
	else if (key == "role")
		c->is_request = value == "request";
	else if (key == "method")
		return http_method_parse(value.c_str(), &c->method) == 0;
	else if (key == "send")
		return wire_read(value, &c->wire);
	else if (key == "end")
		c->fin = value == "fin";
	else if (key == "expect")
		return expect_read(value, c);
	else
		return false;
	return true;
}

void
repeat(Case *c, unsigned long n)
{
	const std::string wire = c->wire;
	const std::vector<CaseExpect> expect = c->expect;

	while (--n > 0) {
		c->wire += wire;
		c->expect.insert(c->expect.end(), expect.begin(), expect.end());
	}
}

std::string
hex(uint64_t v)
{
	std::ostringstream s;

	s << v << " (0x" << std::hex << v << ")";
	return s.str();
}

std::string
compare_numbers(const CaseExpect &e, const drive_message &m)
{
	const std::map<std::string, uint64_t> seen = {
		{"status", m.status},
		{"body", m.body_bytes},
		{"interim", m.n_interim},
		{"header", m.header_bytes},
		{"trailer", m.trailer_bytes},
		{"fields", m.n_fields},
		{"length", m.content_length},
		{"minor", m.minor},
		{"at", m.offset},
		{"xact", m.x_xact},
		{"oid", m.oid},
		{"world", m.world},
		{"type", m.type},
	};

	for (const auto &want : e.numbers) {
		uint64_t got = seen.at(want.first);

		if (got != want.second)
			return want.first + " is " + hex(got) + ", not " + hex(want.second);
	}
	return "";
}

std::string
compare_message(const CaseExpect &e, const drive_message &m)
{
	const uint16_t flags = m.flags & (uint16_t)~HTTP_F_CLOSE;
	std::string diff;

	if (m.end != e.end || m.error != e.error)
		return std::string("ended with ") + std::to_string(m.end) + " " +
		       case_error_name(m.error) + " at " + std::to_string(m.offset);
	if (e.close >= 0 && e.close != ((m.flags & HTTP_F_CLOSE) != 0))
		return e.close ? "not marked to close" : "marked to close";
	if (e.has_flags && flags != e.flags)
		return "flags are " + hex(flags) + ", not " + hex(e.flags);
	if (!e.method.empty() && e.method != http_method_text((http_method)m.method))
		return "method is " + std::string(http_method_text((http_method)m.method));
	if (e.has_text && drive_hash(DRIVE_HASH0, (const uint8_t *)e.text.data(), e.text.size()) !=
				  m.body_hash)
		return "content differs";
	return compare_numbers(e, m);
}

} // namespace

const char *
case_error_name(int error)
{
	return error < HTTP_E_N ? error_names[error] : "?";
}

std::string
case_parse(const std::string &text, Case *c)
{
	std::istringstream in(text);
	std::string line;
	unsigned long times = 1;

	for (int n = 1; std::getline(in, line); n++) {
		size_t colon = line.find(": ");

		if (line.empty() || line[0] == '#')
			continue;
		if (colon == std::string::npos)
			return "line " + std::to_string(n) + ": no key";
		if (line.compare(0, colon, "repeat") == 0)
			times = std::stoul(line.substr(colon + 2));
		else if (!line_read(line.substr(0, colon), line.substr(colon + 2), c))
			return "line " + std::to_string(n) + ": bad " + line;
	}
	if (c->name.empty() || c->expect.empty())
		return "no name, or nothing expected";
	repeat(c, times);
	return "";
}

std::string
case_load(const std::string &path, Case *c)
{
	std::ifstream in(path);
	std::ostringstream text;

	if (!in)
		return "cannot open " + path;
	text << in.rdbuf();
	return case_parse(text.str(), c);
}

std::string
case_compare(const Case &c, const drive &seen)
{
	for (uint32_t i = 0; i < c.expect.size() && i < seen.n; i++) {
		std::string diff = compare_message(c.expect[i], seen.m[i]);

		if (!diff.empty())
			return "message " + std::to_string(i + 1) + " " + diff;
	}
	if (seen.n != c.expect.size())
		return std::to_string(seen.n) + " messages, not " + std::to_string(c.expect.size());
	return "";
}
