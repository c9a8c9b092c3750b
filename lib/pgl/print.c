/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base_num.h"
#include "pgl_print.h"

/* One object being printed: the row's prefix that makes a field its own, and how far its memory is
 * from that of the first of its kind. */
struct pgl_object {
	const char *type;
	size_t shift;
};

static const void *
pgl_at(const struct plan *p, const struct plan_field *f, size_t shift)
{
	return (const uint8_t *)p + f->offset + shift;
}

static uint64_t
pgl_u64(const void *v, uint32_t size)
{
	uint64_t u = 0;

	/* each width by its own type: right on either byte order */
	switch (size) {
	case 1:
		return *(const uint8_t *)v;
	case 2:
		return *(const uint16_t *)v;
	case 4:
		return *(const uint32_t *)v;
	default:
		memcpy(&u, v, sizeof(u));
		return u;
	}
}

static double
pgl_double(const void *v)
{
	double d;

	memcpy(&d, v, sizeof(d));
	return d;
}

static void
pgl_string(const char *s, FILE *f)
{
	fputc('"', f);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

/* Shortest fixed-point text that reads back. */
static void
pgl_number(double v, FILE *f)
{
	char t[400];
	double back;
	int digits;

	for (digits = 0; digits < 340; digits++) {
		(void)snprintf(t, sizeof(t), "%.*f", digits, v);
		if (num_float_parse(t, &back) == 0 && back == v)
			break;
	}
	fputs(t, f);
}

static void
pgl_time(uint64_t ns, FILE *f)
{
	char t[64];

	(void)num_time_text(ns, t, sizeof(t));
	fputs(t, f);
}

static void
pgl_size(uint64_t bytes, FILE *f)
{
	char t[64];

	(void)num_size_text(bytes, t, sizeof(t));
	fputs(t, f);
}

static void
pgl_share(double share, FILE *f)
{
	char t[800];

	(void)num_share_text(share, t, sizeof(t));
	fputs(t, f);
}

static void
pgl_rate(double per_sec, FILE *f)
{
	char t[800];

	(void)num_rate_text(per_sec, t, sizeof(t));
	fputs(t, f);
}

/* A rate of one robot that, times the number of robots, is the total bit for bit. total / n is at
 * most a few units in the last place away from the one that the front end multiplied. */
static double
pgl_rate_each(double total, uint32_t n)
{
	double near = total / n;
	double up = near;
	double down = near;
	int i;

	for (i = 0; i < 4; i++) {
		if (up * n == total)
			return up;
		if (down * n == total)
			return down;
		up = nextafter(up, 1e300);
		down = nextafter(down, 0);
	}
	return near;
}

static void
pgl_robot_rate(const struct plan *p, FILE *f)
{
	const struct plan_robots *r = &p->robots;

	if (r->rate_is_total || r->rate_per_sec == 0)
		fputs("undef()", f);
	else
		pgl_rate(pgl_rate_each(r->rate_per_sec, r->n_robots), f);
}

static void
pgl_total_rate(const struct plan *p, FILE *f)
{
	if (!p->robots.rate_is_total)
		fputs("undef()", f);
	else
		pgl_rate(p->robots.rate_per_sec, f);
}

/* The count of an array is its row's next row. */
static uint32_t
pgl_count(const struct plan *p, const struct plan_field *field)
{
	return *(const uint32_t *)pgl_at(p, field + 1, 0);
}

static void
pgl_ranges(const struct plan *p, const struct plan_field *field, FILE *f)
{
	const struct net_range *r = pgl_at(p, field, 0);
	uint32_t n = pgl_count(p, field);
	char t[96];
	uint32_t i;

	fputs("[ ", f);
	for (i = 0; i < n; i++) {
		(void)net_range_text(&r[i], t, sizeof(t));
		fprintf(f, "%s'%s'", i == 0 ? "" : ", ", t);
	}
	fputs(" ]", f);
}

static void
pgl_texts(const struct plan *p, const struct plan_field *field, FILE *f)
{
	const char *const *v = pgl_at(p, field, 0);
	uint32_t n = pgl_count(p, field);
	uint32_t i;

	fputs("[ ", f);
	for (i = 0; i < n; i++) {
		fputs(i == 0 ? "" : ", ", f);
		pgl_string(v[i], f);
	}
	fputs(" ]", f);
}

static void
pgl_choice(const struct plan_field *field, uint64_t i, FILE *f)
{
	const char *s = field->choices;

	for (; i > 0 && *s != '\0'; i--) {
		s += strcspn(s, "|");
		s += *s == '|';
	}
	fprintf(f, "\"%.*s\"", (int)strcspn(s, "|"), s);
}

static void
pgl_addr(uint32_t addr, FILE *f)
{
	char t[32];

	(void)net_addr_text(addr, t, sizeof(t));
	fprintf(f, "'%s'", t);
}

static void
pgl_proxy(const struct plan_robots *r, FILE *f)
{
	char t[32];

	(void)net_addr_text(r->proxy_addr, t, sizeof(t));
	fprintf(f, "[ '%s:%u' ]", t, r->proxy_port);
}

static void
pgl_mac(const uint8_t mac[6], FILE *f)
{
	char t[32];

	(void)net_mac_text(mac, t, sizeof(t));
	fprintf(f, "'%s'", t);
}

static void
pgl_status(const struct plan_status_set *set, FILE *f)
{
	char t[2400]; /* 250 lone codes and their commas are 1000 */

	(void)plan_status_text(set, t, sizeof(t));
	fprintf(f, "\"%s\"", t);
}

static void
pgl_dist(const struct dist *d, FILE *f)
{
	char t[900];

	(void)dist_text(d, t, sizeof(t));
	fputs(t, f);
}

/* True when the field says that there is no such thing. */
static bool
pgl_is_none(const struct plan *p, const struct plan_field *field, const void *v)
{
	static const uint8_t no_mac[6];
	const char *text;
	double errors;

	switch (field->kind) {
	case PLAN_K_LIMIT:
	case PLAN_K_TOUT:
	case PLAN_K_ADDR:
	case PLAN_K_HOST:
		return pgl_u64(v, field->size) == 0;
	case PLAN_K_NEVER:
	case PLAN_K_NUMBER:
		return pgl_u64(v, field->size) == PLAN_NEVER;
	case PLAN_K_ERRORS:
		errors = pgl_double(v);
		return errors < 0 || errors > 1;
	case PLAN_K_CHARS:
		return *(const char *)v == '\0';
	case PLAN_K_TEXT:
		memcpy(&text, v, sizeof(text));
		return text == NULL;
	case PLAN_K_MAC:
		return memcmp(v, no_mac, sizeof(no_mac)) == 0;
	case PLAN_K_STATUS:
		return !p->robots.expect_given;
	default:
		return false;
	}
}

/* Values that are arrays, texts or addresses. */
static void
pgl_value_more(const struct plan *p, const struct plan_field *field, const void *v, FILE *f)
{
	const char *text;

	switch (field->kind) {
	case PLAN_K_CHARS:
		pgl_string(v, f);
		break;
	case PLAN_K_TEXT:
		memcpy(&text, v, sizeof(text));
		pgl_string(text, f);
		break;
	case PLAN_K_TEXTS:
		pgl_texts(p, field, f);
		break;
	case PLAN_K_RANGES:
		pgl_ranges(p, field, f);
		break;
	case PLAN_K_STATUS:
		pgl_status(v, f);
		break;
	case PLAN_K_ADDR:
		pgl_addr((uint32_t)pgl_u64(v, field->size), f);
		break;
	case PLAN_K_HOST:
		pgl_proxy(&p->robots, f);
		break;
	case PLAN_K_MAC:
		pgl_mac(v, f);
		break;
	case PLAN_K_LIST:
		fputs("[ ", f);
		pgl_choice(field, pgl_u64(v, field->size), f);
		fputs(" ]", f);
		break;
	default:
		break;
	}
}

static void
pgl_value(const struct plan *p, const struct plan_field *field, const void *v, FILE *f)
{
	switch (field->kind) {
	case PLAN_K_BOOL:
		fputs(pgl_u64(v, field->size) != 0 ? "yes" : "no", f);
		break;
	case PLAN_K_COUNT:
	case PLAN_K_LIMIT:
	case PLAN_K_NUMBER:
		fprintf(f, "%" PRIu64, pgl_u64(v, field->size));
		break;
	case PLAN_K_TIME:
	case PLAN_K_TOUT:
	case PLAN_K_NEVER:
		pgl_time(pgl_u64(v, field->size), f);
		break;
	case PLAN_K_SIZE:
		pgl_size(pgl_u64(v, field->size), f);
		break;
	case PLAN_K_SHARE:
	case PLAN_K_ERRORS:
		pgl_share(pgl_double(v), f);
		break;
	case PLAN_K_FACTOR:
		pgl_number(pgl_double(v), f);
		break;
	case PLAN_K_RATE:
		pgl_robot_rate(p, f);
		break;
	case PLAN_K_TOTAL:
		pgl_total_rate(p, f);
		break;
	case PLAN_K_DIST:
		pgl_dist(v, f);
		break;
	case PLAN_K_CHOICE:
		pgl_choice(field, pgl_u64(v, field->size), f);
		break;
	default:
		pgl_value_more(p, field, v, f);
		break;
	}
}

/* Field's spelling within objects of this type; NULL when it belongs to another. */
static const char *
pgl_spelling(const struct plan_field *field, const char *type)
{
	size_t n = strlen(type);

	if (strncmp(field->pgl, type, n) != 0 || field->pgl[n] != '.')
		return NULL;
	return field->pgl + n + 1;
}

static void
pgl_fields(const struct plan *p, const struct pgl_object *o, FILE *f)
{
	uint32_t i;

	for (i = 0; i < plan_n_fields; i++) {
		const struct plan_field *field = &plan_fields[i];
		const char *name = pgl_spelling(field, o->type);
		const void *v = pgl_at(p, field, o->shift);

		if (name == NULL || (field->owner & p->roles) == 0 || field->kind == PLAN_K_PART)
			continue;
		fprintf(f, "\t%s = ", name);
		if (pgl_is_none(p, field, v))
			fputs("undef()", f);
		else
			pgl_value(p, field, v, f);
		fputs(";\n", f);
	}
}

/* `Type name = {`, what the object must say and the plan has no field for, and its fields. */
static void
pgl_object(const struct plan *p, const char *type, const char *name, const char *fixed, FILE *f)
{
	struct pgl_object o = {.type = type, .shift = 0};

	fprintf(f, "%s %s = {\n%s", type, name, fixed);
	pgl_fields(p, &o, f);
	fputs("};\n\n", f);
}

static void
pgl_array(const struct plan *p, const struct plan_array *a, FILE *f)
{
	uint32_t n = *(const uint32_t *)(const void *)((const uint8_t *)p + a->n_offset);
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct pgl_object o = {.type = a->pgl, .shift = (size_t)i * a->stride};

		fprintf(f, "%s %s%u = {\n", a->pgl, a->pgl, i + 1);
		pgl_fields(p, &o, f);
		fputs("};\n\n", f);
	}
}

static void
pgl_use(const struct plan *p, FILE *f)
{
	uint32_t i;

	fputs("schedule(", f);
	for (i = 0; i < p->n_phases; i++)
		fprintf(f, "%sPhase%u", i == 0 ? "" : ", ", i + 1);
	fputs(");\nuse(F", f);
	if ((p->roles & PLAN_SERVER) != 0)
		fputs(", S", f);
	if ((p->roles & PLAN_CLIENT) != 0)
		fputs(", R", f);
	for (i = 0; i < p->n_ifaces; i++)
		fprintf(f, ", Iface%u", i + 1);
	fputs(");\n", f);
}

int
pgl_print(const struct plan *p, FILE *f)
{
	uint32_t i;

	fputs("// Reproduces the run. Freshet and Iface hold what Web Polygraph has no object "
	      "for.\n\n",
		f);
	pgl_object(p, "Content", "C", "\tkind = \"object\";\n", f);
	if ((p->roles & PLAN_SERVER) != 0)
		pgl_object(p, "Server", "S",
			"\tkind = \"origin\";\n\tcontents = [ C ];\n\tdirect_access = contents;\n",
			f);
	if ((p->roles & PLAN_CLIENT) != 0)
		pgl_object(p, "Robot", "R", "\tkind = \"robot\";\n", f);
	for (i = 0; i < plan_n_arrays; i++)
		pgl_array(p, &plan_arrays[i], f);
	pgl_object(p, "Freshet", "F", "", f);
	pgl_use(p, f);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
