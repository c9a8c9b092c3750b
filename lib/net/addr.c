/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include "net_addr.h"

/* Parsers below take a cursor, move it past what they read, and say whether it was right. */

/* Decimal without sign or leading zeros: 010 is 8 to inet_aton() and 10 to a reader. */
static bool
addr_number(const char **s, uint32_t max, uint32_t *v)
{
	const char *p = *s;
	uint32_t n = 0;

	if (*p < '0' || *p > '9' || (p[0] == '0' && p[1] >= '0' && p[1] <= '9'))
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint32_t)(*p - '0');
		if (n > max)
			return false;
	}
	*s = p;
	*v = n;
	return true;
}

static bool
addr_literal(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

/* :PORT if there is one. */
static bool
addr_port(const char **s, uint16_t *port)
{
	uint32_t v;

	if (!addr_literal(s, ':'))
		return true;
	if (!addr_number(s, UINT16_MAX, &v) || v == 0)
		return false;
	*port = (uint16_t)v;
	return true;
}

static bool
addr_quad(const char **s, uint32_t *addr)
{
	uint32_t a = 0;
	uint32_t v;
	int i;

	for (i = 0; i < NET_RANGE_OCTETS; i++) {
		if ((i != 0 && !addr_literal(s, '.')) || !addr_number(s, 255, &v))
			return false;
		a = a << 8 | v;
	}
	*addr = a;
	return true;
}

int
net_addr_port_parse(const char *s, uint32_t *addr, uint16_t *port)
{
	uint16_t p = *port;
	uint32_t a;

	if (!addr_quad(&s, &a) || !addr_port(&s, &p) || *s != '\0')
		return -EINVAL;
	*addr = a;
	*port = p;
	return 0;
}

int
net_addr_parse(const char *s, uint32_t *addr)
{
	uint32_t a;

	if (!addr_quad(&s, &a) || *s != '\0')
		return -EINVAL;
	*addr = a;
	return 0;
}

int
net_addr_text(uint32_t addr, char *buf, unsigned int size)
{
	return snprintf(buf, size, "%u.%u.%u.%u", addr >> 24, addr >> 16 & 255, addr >> 8 & 255,
		addr & 255);
}

static bool
range_octet(const char **s, uint8_t *lo, uint8_t *hi)
{
	uint32_t a;
	uint32_t b;

	if (!addr_number(s, 255, &a))
		return false;
	b = a;
	if (addr_literal(s, '-') && (!addr_number(s, 255, &b) || b < a))
		return false;
	*lo = (uint8_t)a;
	*hi = (uint8_t)b;
	return true;
}

static bool
range_prefix(const char **s, uint8_t *prefix)
{
	uint32_t v;

	if (*prefix != 0 || !addr_literal(s, '/'))
		return true;
	if (!addr_number(s, 32, &v) || v == 0)
		return false;
	*prefix = (uint8_t)v;
	return true;
}

int
net_range_parse(const char *s, struct net_range *r)
{
	struct net_range n = {0};
	int i;

	for (i = 0; i < NET_RANGE_OCTETS; i++) {
		if (i != 0 && !addr_literal(&s, '.'))
			return -EINVAL;
		if (!range_octet(&s, &n.lo[i], &n.hi[i]))
			return -EINVAL;
	}
	/* PGL writes :80/22; /22:80 is what one types who thinks of the subnet first. */
	if (!range_prefix(&s, &n.prefix) || !addr_port(&s, &n.port) ||
		!range_prefix(&s, &n.prefix) || *s != '\0')
		return -EINVAL;
	*r = n;
	return 0;
}

/* Add to a text of which n characters are written; counts on past the end as snprintf does. */
static int
range_put(char *buf, unsigned int size, int n, const char *before, unsigned int v)
{
	unsigned int at = (unsigned int)n < size ? (unsigned int)n : size;

	return n + snprintf(at < size ? buf + at : NULL, size - at, "%s%u", before, v);
}

int
net_range_text(const struct net_range *r, char *buf, unsigned int size)
{
	int n = 0;
	int i;

	for (i = 0; i < NET_RANGE_OCTETS; i++) {
		n = range_put(buf, size, n, i == 0 ? "" : ".", r->lo[i]);
		if (r->hi[i] != r->lo[i])
			n = range_put(buf, size, n, "-", r->hi[i]);
	}
	if (r->port != 0)
		n = range_put(buf, size, n, ":", r->port);
	if (r->prefix != 0)
		n = range_put(buf, size, n, "/", r->prefix);
	return n;
}

static inline uint32_t
range_width(const struct net_range *r, int i)
{
	return (uint32_t)(r->hi[i] - r->lo[i]) + 1;
}

uint64_t
net_range_count(const struct net_range *r)
{
	uint64_t n = 1;
	int i;

	for (i = 0; i < NET_RANGE_OCTETS; i++)
		n *= range_width(r, i);
	return n;
}

uint32_t
net_range_at(const struct net_range *r, uint64_t i)
{
	uint32_t addr = 0;
	int k;

	for (k = NET_RANGE_OCTETS - 1; k >= 0; k--) {
		addr |= (uint32_t)(r->lo[k] + i % range_width(r, k)) << (8 * (3 - k));
		i /= range_width(r, k);
	}
	return addr;
}

int64_t
net_range_index(const struct net_range *r, uint32_t addr)
{
	int64_t n = 0;
	int i;

	for (i = 0; i < NET_RANGE_OCTETS; i++) {
		uint32_t octet = addr >> (8 * (3 - i)) & 255;

		if (octet < r->lo[i] || octet > r->hi[i])
			return -1;
		n = n * range_width(r, i) + (octet - r->lo[i]);
	}
	return n;
}

static int
mac_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int
net_mac_parse(const char *s, uint8_t mac[6])
{
	uint8_t m[6];
	int i;

	for (i = 0; i < 6; i++) {
		int high = mac_digit(s[0]);
		int low = high < 0 ? -1 : mac_digit(s[1]);

		if (low < 0 || s[2] != (i < 5 ? ':' : '\0'))
			return -EINVAL;
		m[i] = (uint8_t)(high << 4 | low);
		s += 3;
	}
	memcpy(mac, m, sizeof(m));
	return 0;
}

int
net_mac_text(const uint8_t mac[6], char *buf, unsigned int size)
{
	return snprintf(buf, size, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
		mac[4], mac[5]);
}
