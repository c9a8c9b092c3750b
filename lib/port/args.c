/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_args.h"
#include "base_bytes.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool
opt_is(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(arg, name, n) == 0 && (arg[n] == 0 || arg[n] == '=' || name[1] != '-');
}

static bool
any_is(char *const *argv, int argc, const char *const *names)
{
	for (int i = 0; i < argc; i++)
		for (const char *const *n = names; *n != NULL; n++)
			if (opt_is(argv[i], *n))
				return true;
	return false;
}

static const char *const vdev_opts[] = {"--vdev", NULL};
static const char *const pci_named[] = {"-a", "--allow", "-b", "--block", NULL};
static const char *const device_opts[] = {"--vdev", "-a", "--allow", "-b", "--block", NULL};

int
port_args_split(int argc, char **argv, struct port_args *a, struct err *e)
{
	int at = -1;

	memset(a, 0, sizeof(*a));
	for (int i = 0; i < argc && at < 0; i++)
		if (strcmp(argv[i], "--") == 0)
			at = i;
	if (at > PORT_ARGS_MAX)
		return err_usage(e, "EAL options", NULL, "at most %d", PORT_ARGS_MAX);
	for (int i = 0; i < at; i++)
		a->eal[a->n_eal++] = argv[i];
	a->cmd = argv + at + 1;
	a->n_cmd = argc - at - 1;
	a->names_port = any_is(a->eal, a->n_eal, device_opts);
	a->names_vdev = any_is(a->eal, a->n_eal, vdev_opts) && !any_is(a->eal, a->n_eal, pci_named);
	return 0;
}

/* Numbers in `1`, `1-3`, `(1,3-5)`: how many. */
static uint32_t
ids_count(const char *s, size_t n)
{
	uint32_t sum = 0;
	size_t i = 0;

	while (i < n) {
		char *end;
		unsigned long lo, hi;

		if (s[i] < '0' || s[i] > '9') {
			i++;
			continue;
		}
		lo = hi = strtoul(s + i, &end, 10);
		i = (size_t)(end - s);
		if (i + 1 < n && s[i] == '-') {
			hi = strtoul(s + i + 1, &end, 10);
			i = (size_t)(end - s);
		}
		sum += (uint32_t)(hi >= lo ? hi - lo + 1 : 0);
	}
	return sum;
}

uint32_t
port_lcores_count(const char *list)
{
	uint32_t sum = 0;
	const char *beg = list;
	int depth = 0;

	for (const char *p = list;; p++) {
		if (*p == '(')
			depth++;
		if (*p == ')')
			depth--;
		if (*p == 0 || (*p == ',' && depth == 0)) {
			const char *at = memchr(beg, '@', (size_t)(p - beg));

			sum += ids_count(beg, (size_t)((at != NULL ? at : p) - beg));
			beg = p + 1;
		}
		if (*p == 0)
			return depth == 0 ? sum : 0;
	}
}

static void arg_add(struct port_eal *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void
arg_add(struct port_eal *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (o->argc + 1 >= (int)ARRAY_LEN(o->argv) || o->used + 1 >= sizeof(o->text))
		return;
	o->argv[o->argc++] = o->text + o->used;
	va_start(ap, fmt);
	n = vsnprintf(o->text + o->used, sizeof(o->text) - o->used, fmt, ap);
	va_end(ap);
	o->used += (uint32_t)n + 1;
}

/* The value of `-l V`, `-lV`, `--lcores V`, `--lcores=V`; *x = its index, *n = words it takes. */
static const char *
user_list(const struct port_args *a, int *x, int *n)
{
	for (int i = 0; i < a->n_eal; i++) {
		const char *s = a->eal[i];

		*x = i;
		*n = 1;
		if (strncmp(s, "--lcores=", 9) == 0)
			return s + 9;
		if (s[0] == '-' && s[1] == 'l' && s[2] != 0)
			return s + 2;
		if ((strcmp(s, "-l") == 0 || strcmp(s, "--lcores") == 0) && i + 1 < a->n_eal) {
			*n = 2;
			return a->eal[i + 1];
		}
	}
	*x = -1;
	*n = 0;
	return NULL;
}

static void
default_lcores(const struct port_host *h, const struct port_want *w, struct port_eal *out)
{
	char list[PORT_EAL_TEXT / 2];
	uint32_t used = 0;
	uint32_t n = out->n_workers;

	used += (uint32_t)snprintf(list, sizeof(list), "0@(");
	for (uint32_t i = 0; i < h->n_cpus && used < sizeof(list) - 64; i++)
		used += (uint32_t)snprintf(
			list + used, sizeof(list) - used, "%s%u", i == 0 ? "" : ",", h->cpu[i]);
	used += (uint32_t)snprintf(list + used, sizeof(list) - used, ")");
	for (uint32_t i = 0; i < n && used < sizeof(list) - 64; i++) {
		uint32_t x = w->place == PORT_PLACE_LOW ? i : h->n_cpus - n + i;

		used += (uint32_t)snprintf(
			list + used, sizeof(list) - used, ",%u@%u", i + 1, h->cpu[x]);
	}
	arg_add(out, "--lcores=%s", list);
}

static bool
cpu_allowed(const struct port_host *h, const char *cpu)
{
	char *end;
	unsigned long v = strtoul(cpu, &end, 10);

	for (uint32_t i = 0; i < h->n_cpus && *end == 0; i++)
		if (h->cpu[i] == v)
			return true;
	return false;
}

/* A single CPU: control and every worker on it. */
static void
single_lcores(const char *cpu, struct port_eal *out)
{
	char list[PORT_EAL_TEXT / 2];
	uint32_t used = (uint32_t)snprintf(list, sizeof(list), "0@%s", cpu);

	for (uint32_t i = 0; i < out->n_workers && used < sizeof(list) - 64; i++)
		used += (uint32_t)snprintf(list + used, sizeof(list) - used, ",%u@%s", i + 1, cpu);
	arg_add(out, "--lcores=%s", list);
}

int
port_eal_lcores(const struct port_args *a, const struct port_host *h, const struct port_want *w,
	struct port_eal *out, struct err *e)
{
	static const char *const mask[] = {"-c", NULL};
	uint32_t n_lcores;
	int x, n;
	const char *list = user_list(a, &x, &n);

	memset(out, 0, sizeof(*out));
	arg_add(out, "freshet");
	if (list == NULL && any_is(a->eal, a->n_eal, mask))
		return err_usage(e, "-c", NULL, "use -l or --lcores");
	if (list == NULL) {
		out->ours = true;
		out->n_workers = w->n_workers != 0 ? w->n_workers : w->default_workers;
		if (w->n_workers > h->n_cpus)
			return err_usage(e, "workers", NULL,
				"at most %u: one per allowed CPU (-l N puts several on one)",
				h->n_cpus);
		if (out->n_workers > h->n_cpus)
			out->n_workers = h->n_cpus;
		default_lcores(h, w, out);
		return 0;
	}
	n_lcores = port_lcores_count(list);
	if (n_lcores == 0)
		return err_usage(e, a->eal[x], list, "a list of lcores such as 0,1 or 0@0,1@1");
	if (n_lcores == 1 && strchr(list, '@') == NULL) {
		if (!cpu_allowed(h, list))
			return err_usage(e, "-l", list, "a CPU that this process may use");
		out->n_workers = w->n_workers != 0 ? w->n_workers : 1;
		single_lcores(list, out);
		return 0;
	}
	if (n_lcores < 2 || w->n_workers > n_lcores - 1)
		return err_usage(e, "workers", list,
			"at most %u: the first lcore is control, which never polls", n_lcores - 1);
	out->n_workers = w->n_workers != 0 ? w->n_workers : n_lcores - 1;
	arg_add(out, "--lcores=%s", list);
	return 0;
}

static const char *const mem_opts[] = {"-m", "--no-huge", "--in-memory", "--socket-mem",
	"--huge-dir", "--legacy-mem", "--huge-unlink", NULL};
static const char *const prefix_opts[] = {"--file-prefix", NULL};
static const char *const proc_opts[] = {"--proc-type", "--no-shconf", "--in-memory", NULL};
static const char *const pci_opts[] = {"-a", "--allow", "-b", "--block", "--no-pci", NULL};
static const char *const log_opts[] = {"--log-level", NULL};

static void
memory_args(
	const struct port_args *a, const struct port_host *h, uint32_t mem_mb, struct port_eal *out)
{
	if (any_is(a->eal, a->n_eal, mem_opts)) {
		static const char *const no_huge[] = {"--no-huge", NULL};

		out->huge = !any_is(a->eal, a->n_eal, no_huge);
		return;
	}
	out->huge = h->huge_free_mb >= mem_mb;
	arg_add(out, out->huge ? "--huge-unlink=always" : "--no-huge");
	arg_add(out, "-m");
	arg_add(out, "%u", mem_mb);
}

int
port_eal_finish(const struct port_args *a, const struct port_host *h, const struct port_want *w,
	uint32_t mem_mb, struct port_eal *out, struct err *e)
{
	int x, n;

	memory_args(a, h, mem_mb, out);
	if (!any_is(a->eal, a->n_eal, proc_opts))
		arg_add(out, "--no-shconf");
	if (!any_is(a->eal, a->n_eal, prefix_opts))
		arg_add(out, "--file-prefix=freshet-%d", w->pid);
	if (!any_is(a->eal, a->n_eal, pci_opts) &&
		(w->vdev != NULL || !w->devices || a->names_port))
		arg_add(out, "--no-pci");
	if (!any_is(a->eal, a->n_eal, log_opts))
		arg_add(out, "--log-level=*:error");
	if (w->vdev != NULL)
		arg_add(out, "--vdev=%s", w->vdev);
	user_list(a, &x, &n);
	for (int i = 0; i < a->n_eal; i++) {
		if (n != 0 && i >= x && i < x + n)
			continue;
		arg_add(out, "%s", a->eal[i]);
	}
	if (out->used + 1 >= sizeof(out->text))
		return err_usage(e, "EAL options", NULL, "at most %d bytes", PORT_EAL_TEXT);
	return 0;
}
