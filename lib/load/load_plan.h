/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The plan: one immutable description of a run, made by a front end before EAL starts. Every field
 * has a row in PLAN_FIELDS (name, unit, PGL spelling), from which it is printed and checked.
 * INIT writes; then read-only for everybody. Texts belong to the plan (plan_fini()).
 */
#ifndef LOAD_PLAN_H
#define LOAD_PLAN_H

#include <stdbool.h>
#include "base_err.h"
#include "http_parse.h"
#include "load_dist.h"
#include "net_addr.h"
#include "tcp.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLAN_RANGES_MAX 16
#define PLAN_PHASES_MAX 32
#define PLAN_HEADERS_MAX 32
#define PLAN_IFACES_MAX 8
#define PLAN_LANES_MAX 64
#define PLAN_NEVER UINT64_MAX

enum plan_role {
	PLAN_CLIENT = 1,
	PLAN_SERVER = 2
};

enum plan_arrival {
	PLAN_BEST_EFFORT, /* next request when the previous one ends: one at a time per robot */
	PLAN_POISSON,
	PLAN_CONSTANT,
};

enum plan_verify {
	PLAN_VERIFY_FULL,
	PLAN_VERIFY_SAMPLE,
	PLAN_VERIFY_LENGTH
};

enum plan_close {
	PLAN_CLOSE_FIN,
	PLAN_CLOSE_RST
};

/** Set of HTTP status codes 100..599. */
struct plan_status_set {
	uint64_t bits[8];
};

static inline bool
plan_status_has(const struct plan_status_set *s, uint32_t status)
{
	return status >= 100 && status < 600 &&
	       (s->bits[(status - 100) >> 6] >> ((status - 100) & 63) & 1);
}
/** `200`, `200,404`, `2xx`, `200-299`, joined by commas. */
int plan_status_parse(const char *s, struct plan_status_set *set);
/** Shortest list of codes, classes and ranges that reads back. @return length as snprintf. */
int plan_status_text(const struct plan_status_set *set, char *buf, unsigned int size);

struct plan_robots {
	uint32_t n_robots;
	struct net_range addrs[PLAN_RANGES_MAX]; /* robots use them in turn */
	uint32_t n_addrs;
	struct net_range origins[PLAN_RANGES_MAX]; /* each with a port; visited in turn */
	uint32_t n_origins;
	uint32_t proxy_addr; /* 0: none. Then requests are in absolute-form */
	uint16_t proxy_port;
	uint8_t arrival; /* enum plan_arrival */
	uint8_t method; /* enum http_method */
	uint8_t http_minor; /* HTTP/1.minor that robots speak */
	uint8_t close; /* enum plan_close */
	double rate_per_sec; /* of all robots together; 0 with best effort */
	bool rate_is_total; /* as given: --rate, else --req_rate */
	struct dist pconn_use_lmt; /* requests per connection, drawn per connection */
	uint32_t open_conn_lmt; /* connections per robot; 0: none */
	uint32_t max_conns; /* of all robots: size of the pools */
	uint64_t timeout_ns; /* a transaction that takes longer is failed: timeout; 0: none */
	uint64_t connect_timeout_ns; /* 0: as TCP gives up */
	uint64_t idle_pconn_tout_ns; /* we close an idle connection after that; 0: never */
	uint64_t launch_win_ns; /* robots start over this time */
	const char *uri; /* fixed target, NULL: objects of our own world */
	const char *header[PLAN_HEADERS_MAX];
	uint32_t n_headers;
	struct dist body_size; /* request content for POST and PUT */
	bool expect_given; /* expect_status is the user's; else 200 from our origins, 2xx and 3xx
			      from foreign servers */
	struct plan_status_set expect_status;
	uint16_t port_lo; /* local ports */
	uint16_t port_hi;
	bool retry_stale; /* one more attempt when a kept-alive connection closed silently */
};

struct plan_origin {
	struct net_range addrs[PLAN_RANGES_MAX]; /* each with a port */
	uint32_t n_addrs;
	struct dist rep_size;
	struct dist xact_think; /* delay before the reply starts */
	struct dist pconn_use_lmt; /* replies per connection; DIST_NONE: no limit of our own */
	uint64_t idle_pconn_tout_ns; /* 0: never */
	uint32_t max_conns;
};

struct plan_goal {
	uint64_t duration_ns; /* PLAN_NEVER: none */
	uint64_t n_xactions; /* PLAN_NEVER: none */
	double err_ratio; /* > 1 or < 0: none; checked after 1000 transactions; negative goal */
};

struct plan_phase {
	char name[16];
	double load_beg; /* factor of rate, 0.. */
	double load_end;
	double populus_beg; /* share of the robots */
	double populus_end;
	struct plan_goal goal;
	bool measured;
};

/** One interface of one port: data for net/ and port/, which never read the plan. */
struct plan_iface {
	uint16_t port;
	uint32_t addr;
	uint8_t prefix;
	uint32_t gw;
	uint8_t mac[6]; /* zero: the port's own */
	uint8_t gw_mac[6]; /* zero: ARP */
	uint16_t mtu; /* 0: 1500 */
};

struct plan {
	uint32_t roles; /* PLAN_CLIENT | PLAN_SERVER */
	char label[64];
	uint64_t seed;
	uint32_t world; /* URL space of this run */
	uint32_t n_lanes; /* per role; W of the object numbers */
	struct plan_robots robots;
	struct plan_origin origin;
	struct plan_phase phase[PLAN_PHASES_MAX];
	uint32_t n_phases;
	struct plan_iface iface[PLAN_IFACES_MAX];
	uint32_t n_ifaces;
	struct tcp_config tcp; /* isn_key is set per lane from the seed */
	uint8_t verify; /* enum plan_verify */
	double verify_share; /* PLAN_VERIFY_SAMPLE */
	uint64_t stats_cycle_ns;
	uint64_t csv_cycle_ns;
	uint64_t idle_tout_ns; /* quit after that long without traffic; 0: never */
	uint64_t drain_ns; /* longest wait for what is in flight at the end */
};

/** Empty plan with every default that does not depend on the command. */
void plan_init(struct plan *p);
/** Free the texts. The plan is as after plan_init(). */
void plan_fini(struct plan *p);

/** Give the plan a copy of a text, in place of the one it has. @return 0 or -ENOMEM. */
int plan_text_set(const char **field, const char *text);
/** Add a request field line `Name: value`. @return 0, -ENOMEM or -ENOSPC. */
int plan_header_add(struct plan *p, const char *line);

#define PLAN_CONNS_MAX 4000000u
#define PLAN_ROBOTS_MAX (1u << 24)
#define PLAN_RATE_MAX 1e9
#define PLAN_SIZE_MAX (1ULL << 40)
#define PLAN_URI_MAX 2048

/** Consistency of the whole: addresses there, targets there, rate > 0, phases sane, pools within
 * limits. The parts that follow are called by it; front ends call them with an option's name. */
int plan_check(const struct plan *p, struct err *e);
/** A range whose hosts can have its addresses: no network, broadcast, multicast or zero address.
 * @param text as the user wrote it. */
int plan_range_check(const struct net_range *r, const char *what, const char *text, struct err *e);
/** origin-form, visible ASCII, no fragment. */
int plan_uri_check(const char *uri, const char *what, struct err *e);
/** `Name: value`, RFC 9110 section 5; not a field that frames the message. */
int plan_header_check(const char *line, const char *what, struct err *e);
/** Sizes up to 1 TB. */
int plan_size_check(const struct dist *d, const char *what, const char *text, struct err *e);

/** Connections that the pools must hold: open_conn_lmt of each robot, else the larger of four per
 * robot, one second of launches and 1024; not above PLAN_CONNS_MAX nor the local tuples. */
uint32_t plan_conns_default(const struct plan *p);
/** Local (address, port) pairs: what bounds connections and TIME-WAIT together. */
uint64_t plan_tuples(const struct plan *p);

/** `offered 50000/s = 1000 robots x 50/s, 100 req/conn -> 500 conn/s, <= 4000 open`; best effort:
 * `best effort: 1000 robots, one request each at a time, 1 req/conn, <= 4000 open`; a server alone:
 * `serving 1 address, replies exp(13KB), <= 262144 open`. @return length as snprintf. */
int plan_arithmetic_text(const struct plan *p, char *buf, unsigned int size);
/** `400000/s x 1 s = 400,000 of 4,128,768 tuples in TIME-WAIT`; without a rate
 * `TIME-WAIT 1 s: at most 4,128,768 new connections/s of 4,128,768 tuples`. */
int plan_time_wait_text(const struct plan *p, char *buf, unsigned int size);

/** Total of an array of ranges, and its address number i / number of an address (-1: none). */
uint64_t plan_ranges_count(const struct net_range *r, uint32_t n);
uint32_t plan_ranges_at(const struct net_range *r, uint32_t n, uint64_t i, uint16_t *port);
int64_t plan_ranges_index(const struct net_range *r, uint32_t n, uint32_t addr);

/** Size in bytes of object oid's body: pure function of (oid, seed). */
uint64_t plan_object_size(const struct plan *p, uint64_t oid);

/** Streams of rng_key(plan->seed, ...). */
enum plan_stream {
	PLAN_RNG_ARRIVAL = 1, /* + lane << 8 */
	PLAN_RNG_ROBOT,
	PLAN_RNG_ORIGIN,
	PLAN_RNG_USE_LMT,
	PLAN_RNG_SIZE,
	PLAN_RNG_THINK,
	PLAN_RNG_XACT,
	PLAN_RNG_ISN,
	PLAN_RNG_BODY,
	PLAN_RNG_REQ_SIZE,
	PLAN_RNG_VERIFY,
	PLAN_RNG_WORLD,
};

/** How a field prints. */
enum plan_kind {
	PLAN_K_BOOL,
	PLAN_K_COUNT, /* uint8_t..uint64_t by size */
	PLAN_K_LIMIT, /* the same, 0: none */
	PLAN_K_TIME, /* ns */
	PLAN_K_TOUT, /* ns, 0: none */
	PLAN_K_NEVER, /* ns, PLAN_NEVER: none */
	PLAN_K_NUMBER, /* count, PLAN_NEVER: none */
	PLAN_K_SIZE, /* bytes */
	PLAN_K_SHARE, /* double */
	PLAN_K_FACTOR, /* double */
	PLAN_K_ERRORS, /* double, none below 0 and above 1 */
	PLAN_K_RATE, /* double: total of what each robot does; none when rate_is_total */
	PLAN_K_TOTAL, /* rate_is_total: then the same total, as it is */
	PLAN_K_CHARS, /* char[] */
	PLAN_K_TEXT, /* const char *, NULL: none */
	PLAN_K_TEXTS, /* array of them; its count is another row */
	PLAN_K_DIST,
	PLAN_K_RANGES, /* array; its count is another row */
	PLAN_K_STATUS, /* when expect_given */
	PLAN_K_CHOICE, /* position in `choices` */
	PLAN_K_LIST, /* the same, as an array of one */
	PLAN_K_ADDR, /* 0: none */
	PLAN_K_HOST, /* address; its port is another row */
	PLAN_K_MAC, /* zero: none */
	PLAN_K_PART, /* printed with another row, or by the number of objects */
};

/** One row per field of the plan: what pgl/ prints and tests walk. */
struct plan_field {
	const char *pgl; /* object and spelling, e.g. "Robot.req_rate" */
	const char *member; /* C member path, of the first element of phase and iface */
	uint32_t offset;
	uint32_t size;
	uint32_t owner; /* roles that print it */
	uint8_t kind; /* enum plan_kind */
	const char *choices; /* PLAN_K_CHOICE, separated by '|' */
};

/** Objects of which a plan has several: Phase, Iface. */
struct plan_array {
	const char *pgl;
	uint32_t offset; /* of the first element */
	uint32_t stride;
	uint32_t n_offset; /* of a uint32_t, how many there are */
	uint32_t n_max;
};
extern const struct plan_array plan_arrays[];
extern const uint32_t plan_n_arrays;

extern const struct plan_field plan_fields[];
extern const uint32_t plan_n_fields;

#ifdef __cplusplus
}
#endif
#endif
