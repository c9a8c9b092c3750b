/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>
#include "base_num.h"
#include "front_priv.h"

/* RFC 2544's block for benchmarks, halved between the ends. */
#define NET_ROBOTS "198.18.0.1-64"
#define NET_ORIGINS "198.18.128.1:80"
#define NET_WORD_MAX 128
#define NET_SERVER_CONNS 262144u

/* Copy the next word between any of `cut`; an empty one is an error of the caller's form.
 * @return where the rest begins, NULL when the word does not fit. */
static const char *
net_word(const char *s, const char *cut, char word[NET_WORD_MAX])
{
	size_t n = strcspn(s, cut);

	if (n >= NET_WORD_MAX)
		return NULL;
	memcpy(word, s, n);
	word[n] = '\0';
	return s + n + (s[n] != '\0');
}

/* Why an address was not understood: a name is the usual reason. */
static int
net_addr_error(const char *what, const char *value, const char *form, struct err *e)
{
	const char *p;

	if (value[0] == '[' || strchr(value, ':') != strrchr(value, ':'))
		return err_usage(e, what, value, "%s; IPv6 is not supported", form);
	for (p = value; *p != '\0'; p++) {
		if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'))
			return err_usage(e, what, value, "%s; host names are not looked up", form);
	}
	return err_usage(e, what, value[0] == '\0' ? "(empty)" : value, "%s", form);
}

static int
net_range_add(const char *word, const char *what, const char *form, uint16_t port, bool simulated,
	struct net_range *r, uint32_t *n, struct err *e)
{
	struct net_range one;
	int rc;

	if (net_range_parse(word, &one) != 0)
		return net_addr_error(what, word, form, e);
	rc = plan_range_check(&one, what, word, e);
	if (rc != 0)
		return rc;
	if (!simulated && one.lo[0] <= 127 && one.hi[0] >= 127)
		return err_usage(e, what, word, "127.0.0.0/8 exists in the simulated net only");
	if (port == 0 && one.port != 0)
		return err_usage(e, what, word, "no port here: robots' ports are --sport");
	if (*n == PLAN_RANGES_MAX)
		return err_usage(e, what, word, "at most %d ranges", PLAN_RANGES_MAX);
	if (one.port == 0)
		one.port = port;
	r[(*n)++] = one;
	return 0;
}

/* All ranges of a list option. @param port for ranges without one; 0: none may have one. */
static int
net_ranges(const struct opt_list *l, const char *what, const char *form, uint16_t port,
	bool simulated, struct net_range *r, uint32_t *n, struct err *e)
{
	char word[NET_WORD_MAX];
	uint32_t i;

	*n = 0;
	for (i = 0; i < l->n; i++) {
		const char *s = l->v[i];

		do {
			bool more = s[strcspn(s, ",")] == ',';
			int rc;

			s = net_word(s, ",", word);
			if (s == NULL)
				return err_usage(e, what, l->v[i], "%s", form);
			rc = net_range_add(word, what, form, port, simulated, r, n, e);
			if (rc != 0)
				return rc;
			if (!more)
				break;
		} while (true);
	}
	return 0;
}

#define ORIGIN_FORM "numeric IPv4 ADDR:PORT or a range such as 10.1.0.1-4:80"
#define ADDRESS_FORM "numeric IPv4 address or a range such as 10.1.0.2-65"
#define PROXY_FORM "numeric IPv4 ADDR:PORT such as 10.1.0.9:3128"
#define IFACE_FORM "'port=0 addr=10.1.0.2/24 gw=10.1.0.1 mac= gw_mac= mtu='"

static int
iface_addr(const char *value, struct plan_iface *f)
{
	struct net_range r;

	if (net_range_parse(value, &r) != 0 || net_range_count(&r) != 1 || r.port != 0 ||
		r.prefix == 0)
		return -EINVAL;
	f->addr = net_range_at(&r, 0);
	f->prefix = r.prefix;
	return 0;
}

/* A station's address: the group bit must be off. */
static int
iface_mac(const char *value, uint8_t mac[6])
{
	return net_mac_parse(value, mac) != 0 || (mac[0] & 1) != 0 ? -EINVAL : 0;
}

static int
iface_number(const char *value, uint64_t min, uint64_t max, uint16_t *to)
{
	uint64_t n;

	if (num_count_parse(value, &n) != 0 || n < min || n > max)
		return -EINVAL;
	*to = (uint16_t)n;
	return 0;
}

static int
iface_key(const char *key, const char *value, struct plan_iface *f)
{
	if (strcmp(key, "port") == 0)
		return iface_number(value, 0, 1023, &f->port);
	if (strcmp(key, "addr") == 0)
		return iface_addr(value, f);
	if (strcmp(key, "gw") == 0)
		return value[0] == '\0' ? 0 : net_addr_parse(value, &f->gw);
	if (strcmp(key, "mac") == 0)
		return value[0] == '\0' ? 0 : iface_mac(value, f->mac);
	if (strcmp(key, "gw_mac") == 0)
		return value[0] == '\0' ? 0 : iface_mac(value, f->gw_mac);
	if (strcmp(key, "mtu") == 0)
		return value[0] == '\0' ? 0 : iface_number(value, 576, 9216, &f->mtu);
	return -ENOENT;
}

static int
iface_error(int rc, const char *word, struct err *e)
{
	if (rc == -ENOENT)
		return err_usage(e, "--iface", word, "port, addr, gw, mac, gw_mac or mtu, as in %s",
			IFACE_FORM);
	if (strncmp(word, "addr=", 5) == 0)
		return err_usage(e, "--iface", word,
			"one address and its prefix length, such as "
			"addr=10.1.0.2/24");
	if (strncmp(word, "mtu=", 4) == 0)
		return err_usage(e, "--iface", word, "mtu=576..9216");
	return err_usage(e, "--iface", word, "as in %s", IFACE_FORM);
}

static int
iface_parse(const char *text, uint16_t port, struct plan_iface *f, struct err *e)
{
	char word[NET_WORD_MAX];
	const char *s = text;
	struct net_range r = {0};
	int i;

	memset(f, 0, sizeof(*f));
	f->port = port;
	while (*s != '\0') {
		char copy[NET_WORD_MAX];
		char *eq;
		int rc;

		s = net_word(s, " ,", word);
		if (s == NULL)
			return err_usage(e, "--iface", text, "as in %s", IFACE_FORM);
		if (word[0] == '\0')
			continue;
		strcpy(copy, word);
		eq = strchr(copy, '=');
		if (eq == NULL)
			return err_usage(e, "--iface", word, "KEY=VALUE, as in %s", IFACE_FORM);
		*eq = '\0';
		rc = iface_key(copy, eq + 1, f);
		if (rc != 0)
			return iface_error(rc, word, e);
	}
	if (f->addr == 0)
		return err_usage(e, "--iface", text[0] == '\0' ? "(empty)" : text,
			"addr= is needed, as in %s", IFACE_FORM);
	for (i = 0; i < NET_RANGE_OCTETS; i++)
		r.lo[i] = r.hi[i] = (uint8_t)(f->addr >> (24 - 8 * i));
	r.prefix = f->prefix;
	return plan_range_check(&r, "--iface", text, e);
}

static int
net_ifaces(const struct front_values *v, struct plan *p, struct err *e)
{
	uint32_t i;

	if (v->ifaces.n > PLAN_IFACES_MAX)
		return err_usage(e, "--iface", v->ifaces.v[PLAN_IFACES_MAX],
			"at most %d interfaces", PLAN_IFACES_MAX);
	for (i = 0; i < v->ifaces.n; i++) {
		int rc = iface_parse(v->ifaces.v[i], (uint16_t)v->port_id, &p->iface[i], e);

		if (rc != 0)
			return rc;
	}
	p->n_ifaces = v->ifaces.n;
	return 0;
}

/* Our own addresses: of the robots, or of a server alone. */
static void
net_own(struct plan *p, struct net_range **r, uint32_t **n)
{
	bool client = (p->roles & PLAN_CLIENT) != 0;

	*r = client ? p->robots.addrs : p->origin.addrs;
	*n = client ? &p->robots.n_addrs : &p->origin.n_addrs;
}

/* An address with a prefix length says all that an interface needs, and an interface has an address
 * that can serve. */
static int
net_own_default(const struct front_values *v, struct plan *p, struct err *e)
{
	struct net_range *r;
	uint32_t *n;
	uint32_t i;

	net_own(p, &r, &n);
	if (p->n_ifaces == 0 && *n != 0 && r[0].prefix != 0) {
		p->iface[0] = (struct plan_iface){.port = (uint16_t)v->port_id,
			.addr = net_range_at(&r[0], 0),
			.prefix = r[0].prefix};
		p->n_ifaces = 1;
	}
	if (p->n_ifaces == 0)
		return err_usage(
			e, "--iface", NULL, "needed on a DPDK port, such as %s", IFACE_FORM);
	if (*n != 0)
		return 0;
	for (i = 0; i < NET_RANGE_OCTETS; i++)
		r[0].lo[i] = r[0].hi[i] = (uint8_t)(p->iface[0].addr >> (24 - 8 * i));
	r[0].port = (p->roles & PLAN_CLIENT) != 0 ? 0 : (uint16_t)v->port;
	*n = 1;
	return 0;
}

static void
net_default(const char *text, struct net_range *r, uint32_t *n)
{
	if (*n == 0) {
		(void)net_range_parse(text, &r[0]);
		*n = 1;
	}
}

static int
net_addresses(const struct front_values *v, bool simulated, struct plan *p, struct err *e)
{
	struct net_range origins[PLAN_RANGES_MAX];
	uint32_t n = 0;
	int rc = net_ranges(
		&v->origins, "--origin", ORIGIN_FORM, (uint16_t)v->port, simulated, origins, &n, e);

	if (rc == 0)
		rc = net_ranges(&v->addresses, "--addresses", ADDRESS_FORM, 0, simulated,
			p->robots.addrs, &p->robots.n_addrs, e);
	if (rc != 0)
		return rc;
	if (simulated)
		net_default(NET_ORIGINS, origins, &n);
	if (n == 0 && (p->roles & PLAN_CLIENT) != 0)
		return err_usage(e, "--origin", NULL, "needed: the server's %s", ORIGIN_FORM);
	if (n != 0 && v->origins.n == 0)
		origins[0].port = (uint16_t)v->port;
	if ((p->roles & PLAN_CLIENT) != 0) {
		memcpy(p->robots.origins, origins, n * sizeof(origins[0]));
		p->robots.n_origins = n;
	}
	if ((p->roles & PLAN_SERVER) != 0) {
		memcpy(p->origin.addrs, origins, n * sizeof(origins[0]));
		p->origin.n_addrs = n;
	}
	if (!simulated)
		return net_own_default(v, p, e);
	if ((p->roles & PLAN_CLIENT) != 0)
		net_default(NET_ROBOTS, p->robots.addrs, &p->robots.n_addrs);
	return 0;
}

static int
net_proxy(const char *s, struct plan_robots *r, struct err *e)
{
	uint32_t addr;
	uint16_t port = 0;
	uint32_t i;

	if (s == NULL)
		return 0;
	if (net_addr_port_parse(s, &addr, &port) != 0 || addr == 0)
		return net_addr_error("--proxy", s, PROXY_FORM, e);
	if (port == 0)
		return err_usage(e, "--proxy", s, "a port is needed: %s", PROXY_FORM);
	for (i = 0; i < r->n_origins; i++) {
		if (net_range_index(&r->origins[i], addr) >= 0 && r->origins[i].port == port)
			return err_usage(e, "--proxy", s,
				"is an --origin too: the proxy would be asked "
				"for itself");
	}
	if (plan_ranges_index(r->addrs, r->n_addrs, addr) >= 0)
		return err_usage(e, "--proxy", s, "its address is one of the robots'");
	r->proxy_addr = addr;
	r->proxy_port = port;
	return 0;
}

static int
net_sport(const char *s, struct plan_robots *r, struct err *e)
{
	char word[NET_WORD_MAX];
	const char *hi = net_word(s, "-:", word);

	if (hi == NULL || iface_number(word, 1, 65535, &r->port_lo) != 0 ||
		iface_number(hi, 1, 65535, &r->port_hi) != 0)
		return err_usage(
			e, "--sport", s[0] == '\0' ? "(empty)" : s, "LO-HI with ports of 1..65535");
	if (r->port_lo > r->port_hi)
		return err_usage(e, "--sport", s, "the first port is above the last");
	return 0;
}

/* A segment and its headers must fit the smallest of our links. */
static int
net_mss(const struct front_values *v, struct plan *p, struct err *e)
{
	char text[16];
	uint32_t i;

	for (i = 0; i == 0 || i < p->n_ifaces; i++) {
		uint32_t mtu = i < p->n_ifaces && p->iface[i].mtu != 0 ? p->iface[i].mtu : 1500;

		if (p->tcp.mss <= mtu - 40)
			continue;
		(void)snprintf(text, sizeof(text), "%u", p->tcp.mss);
		if (v->mss_given)
			return err_usage(
				e, "--mss", text, "at most %u with an MTU of %u", mtu - 40, mtu);
		p->tcp.mss = (uint16_t)(mtu - 40);
	}
	return 0;
}

static int
net_pools(const struct front_values *v, struct plan *p, struct err *e)
{
	uint32_t conns = (uint32_t)v->max_conns;
	char text[16];

	if ((p->roles & PLAN_CLIENT) != 0) {
		(void)snprintf(text, sizeof(text), "%u", conns);
		if (conns > plan_tuples(p))
			return err_usage(e, "--max_conns", text,
				"robots' addresses and ports are enough for %llu",
				(unsigned long long)plan_tuples(p));
		conns = conns != 0 ? conns : plan_conns_default(p);
		p->robots.max_conns = conns;
		/* an origin may learn of a close after the robot has opened its next connection */
		conns += conns / 8;
	}
	if ((p->roles & PLAN_SERVER) != 0) {
		conns = conns != 0 ? conns : NET_SERVER_CONNS;
		p->origin.max_conns = conns < PLAN_CONNS_MAX ? conns : PLAN_CONNS_MAX;
	}
	return 0;
}

int
quick_net(const struct front_values *v, bool simulated, struct plan *p, struct err *e)
{
	bool client = (p->roles & PLAN_CLIENT) != 0;
	int rc = net_ifaces(v, p, e);

	if (rc == 0)
		rc = net_addresses(v, simulated, p, e);
	if (rc == 0 && client)
		rc = net_proxy(v->proxy, &p->robots, e);
	if (rc == 0 && client)
		rc = net_sport(v->sport, &p->robots, e);
	if (rc == 0)
		rc = net_mss(v, p, e);
	if (rc == 0)
		rc = net_pools(v, p, e);
	return rc;
}
