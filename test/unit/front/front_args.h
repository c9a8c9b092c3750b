/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * A command line as text -> front_build(). Words may be quoted by '. Words before a lone -- are
 * EAL's and mean that the net is real. For tests; owns its words and the plan.
 */
#ifndef FRONT_ARGS_H
#define FRONT_ARGS_H

#include <algorithm>
#include <string>
#include <vector>
#include "front.h"

struct FrontArgs {
	plan p = {};
	front_run run = {};
	err e = {};
	int rc;
	std::vector<std::string> words;

	static std::vector<std::string>
	split(const std::string &line)
	{
		std::vector<std::string> v;
		bool in_word = false, quoted = false;

		for (char c : line) {
			if (c == '\'') {
				quoted = !quoted;
				if (!in_word)
					v.emplace_back();
				in_word = true;
			} else if (c == ' ' && !quoted) {
				in_word = false;
			} else {
				if (!in_word)
					v.emplace_back();
				in_word = true;
				v.back() += c;
			}
		}
		return v;
	}
	FrontArgs(const std::string &command, const std::string &line)
	    : FrontArgs(command, split(line))
	{
	}
	FrontArgs(const std::string &command, const std::vector<std::string> &args) : words(args)
	{
		auto dashes = std::find(words.begin(), words.end(), "--");
		bool simulated = dashes == words.end();
		std::vector<char *> argv;

		if (!simulated)
			words.erase(words.begin(), dashes + 1);
		for (std::string &w : words)
			argv.push_back(w.data());
		rc = front_build(
			command.c_str(), (int)argv.size(), argv.data(), simulated, &p, &run, &e);
	}
	~FrontArgs()
	{
		plan_fini(&p);
	}
	FrontArgs(const FrontArgs &) = delete;

	std::string
	message() const
	{
		char buf[sizeof(err) + 16];

		err_text(&e, buf, sizeof(buf));
		return buf;
	}
};

#endif
