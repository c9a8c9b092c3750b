/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Cases as data: test/data/http/<id>.case. The format is described in test/data/http/README.
 */
#ifndef HTTP_CASE_H
#define HTTP_CASE_H

#include <map>
#include <string>
#include <vector>
#include "http_drive.h"

/** What one message must look like; only what the case mentions is compared. */
struct CaseExpect {
	drive_end end;
	int error = 0;
	int close = -1;
	bool has_flags = false;
	uint16_t flags = 0;
	bool has_text = false;
	std::string text;
	std::string method;
	std::map<std::string, uint64_t> numbers;
};

struct Case {
	std::string name;
	bool is_request = false;
	http_method method = HTTP_GET;
	bool fin = false;
	std::string wire;
	std::vector<CaseExpect> expect;
};

/** @return empty string, or what is wrong with the text. */
std::string case_parse(const std::string &text, Case *c);
std::string case_load(const std::string &path, Case *c);

/** @return empty string, or the first difference between the case and what was seen. */
std::string case_compare(const Case &c, const drive &seen);

const char *case_error_name(int error);

#endif
