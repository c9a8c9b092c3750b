/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_profile.h"
#include "base_bytes.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include "port_profiles_made.h"

enum key_kind {
	KEY_TEXT,
	KEY_NUMBER,
	KEY_ANSWER
};

static const struct key {
	const char *name;
	enum key_kind kind;
	uint32_t offset;
} keys[] = {
	{"driver", KEY_TEXT, offsetof(struct port_profile, driver)},
	{"max_queues", KEY_NUMBER, offsetof(struct port_profile, max_queues)},
	{"rx_ring", KEY_NUMBER, offsetof(struct port_profile, rx_ring)},
	{"tx_ring", KEY_NUMBER, offsetof(struct port_profile, tx_ring)},
	{"multi_seg", KEY_ANSWER, offsetof(struct port_profile, multi_seg)},
	{"imissed", KEY_ANSWER, offsetof(struct port_profile, imissed)},
	{"csum_rx", KEY_ANSWER, offsetof(struct port_profile, csum_rx)},
	{"same_queue", KEY_ANSWER, offsetof(struct port_profile, same_queue)},
};

static int
answer_parse(const char *value, uint8_t *out)
{
	static const char *const names[] = {"no", "yes", "capa"};

	for (uint32_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(value, names[i]) == 0) {
			*out = (uint8_t)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int
value_set(struct port_profile *p, const struct key *k, const char *value)
{
	char *at = (char *)p + k->offset;
	char *end;
	unsigned long v;

	switch (k->kind) {
	case KEY_TEXT:
		if (strlen(value) >= sizeof(p->driver))
			return -EINVAL;
		strcpy(at, value);
		return 0;
	case KEY_NUMBER:
		v = strtoul(value, &end, 10);
		if (*value == 0 || *end != 0 || v > 65535)
			return -EINVAL;
		*(uint32_t *)(void *)at = (uint32_t)v;
		return 0;
	case KEY_ANSWER:
		return answer_parse(value, (uint8_t *)at);
	}
	return -EINVAL;
}

static int
line_parse(const char *line, struct port_profile *p)
{
	char copy[128];
	char *eq;

	if (snprintf(copy, sizeof(copy), "%s", line) >= (int)sizeof(copy))
		return -EINVAL;
	eq = strchr(copy, '=');
	if (eq == NULL)
		return -EINVAL;
	*eq = 0;
	for (uint32_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(copy, keys[i].name) == 0)
			return value_set(p, &keys[i], eq + 1);
	return -EINVAL;
}

int
port_profile_parse(const char *text, struct port_profile *p, struct err *e)
{
	memset(p, 0, sizeof(*p));
	while (*text != 0) {
		char line[128];
		const char *end = strchr(text, '\n');
		size_t n = end == NULL ? strlen(text) : (size_t)(end - text);

		if (n >= sizeof(line))
			n = sizeof(line) - 1;
		memcpy(line, text, n);
		line[n] = 0;
		if (n != 0 && line[0] != '#' && line_parse(line, p) != 0)
			return err_usage(e, "driver profile", line, "key=value of a known key");
		if (end == NULL)
			break;
		text = end + 1;
	}
	return 0;
}

void
port_profile_find(const char *driver, struct port_profile *p)
{
	struct port_profile other;
	struct err e;

	memset(p, 0, sizeof(*p));
	err_clear(&e);
	for (uint32_t i = 0; i < ARRAY_LEN(port_profile_texts); i++) {
		if (port_profile_parse(port_profile_texts[i], &other, &e) != 0)
			continue;
		if (strcmp(other.driver, driver) == 0) {
			*p = other;
			return;
		}
		if (strcmp(other.driver, "default") == 0)
			*p = other;
	}
}

uint32_t
port_profile_count(void)
{
	return ARRAY_LEN(port_profile_texts);
}

const char *
port_profile_text(uint32_t i)
{
	return port_profile_texts[i];
}
