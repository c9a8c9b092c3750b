/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"
#include <stdlib.h>
#include <string.h>

/* One line: a value per slice, and what it cost. */
struct row {
	const char *what;
	const char *unit;
	uint32_t n;
	uint32_t n_workers;
	double value[SLICES_MAX];
	double cycles[SLICES_MAX]; /* of all workers, per transaction */
	double on_cpu[SLICES_MAX]; /* of these, while the worker had its CPU */
};

struct sums {
	double per_s; /* of what the row counts */
	double n;
	double cycles;
	double on_cpu;
};

enum count {
	COUNT_XACTS,
	COUNT_CONNS,
	COUNT_BYTES,
	COUNT_FRAMES,
	COUNT_BAD
};

static uint64_t
count_of(const struct slice_mark *m, enum count what)
{
	switch (what) {
	case COUNT_XACTS:
		return m->xacts;
	case COUNT_CONNS:
		return m->conns;
	case COUNT_BYTES:
		return m->bytes;
	case COUNT_FRAMES:
		return m->frames;
	default:
		return m->bad;
	}
}

/* @return false when a worker has no measurement of this slice. */
static bool
slice_sum(const struct slices *s, const struct tick_rate *rate, uint32_t x, enum count what,
	struct sums *out)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t w = 0; w < slices_workers(s); w++) {
		const struct slice *sl = slices_at(s, w, x);
		double tsc = (double)(sl->end.tsc - sl->beg.tsc);
		double n = (double)(count_of(&sl->end, what) - count_of(&sl->beg, what));

		if (sl->end.tsc == 0)
			return false;
		out->n += n;
		out->per_s += n / tsc * (double)rate->hz;
		out->cycles += tsc;
		out->on_cpu += (double)(sl->end.cpu_ns - sl->beg.cpu_ns) * 1e-9 * (double)rate->hz;
	}
	return true;
}

static void
row_make(const struct slices *s, const struct tick_rate *rate, enum slice_kind kind,
	enum count what, double scale, struct row *r)
{
	r->n = 0;
	r->n_workers = slices_workers(s);
	for (uint32_t x = 0; x < slices_count(s); x++) {
		struct sums sum;

		if (slices_kind(s, x) != kind || !slice_sum(s, rate, x, what, &sum) || sum.n == 0)
			continue;
		r->value[r->n] = sum.per_s * scale;
		r->cycles[r->n] = sum.cycles / sum.n;
		r->on_cpu[r->n++] = sum.on_cpu / sum.n;
	}
}

static void
row_ping(const struct slices *s, struct row *r)
{
	r->n = 0;
	for (uint32_t x = 0; x < slices_count(s); x++)
		if (slices_kind(s, x) == SLICE_SPLIT && slices_at(s, 0, x)->ping != 0)
			r->value[r->n++] = (double)slices_at(s, 0, x)->ping;
}

static int
double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v, uint32_t n)
{
	qsort(v, n, sizeof(*v), double_compare);
	return n & 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double
row_print(struct row *r, const char *figure, FILE *csv)
{
	double mid, cycles, on_cpu;

	if (r->n == 0) {
		printf("  %-18s not measured\n", r->what);
		return 0;
	}
	mid = median(r->value, r->n);
	cycles = median(r->cycles, r->n);
	on_cpu = median(r->on_cpu, r->n);
	printf("  %-18s %8.3f %8.3f %8.3f  %-14s", r->what, r->value[0], mid, r->value[r->n - 1],
		r->unit);
	if (cycles > 0)
		printf(" %9.0f %9.0f", cycles, on_cpu);
	putchar('\n');
	if (csv == NULL)
		return mid;
	fprintf(csv, "%s,%s,%s,%u,%.4f,%.4f,%.4f,", figure, r->what, r->unit, r->n, r->value[0],
		mid, r->value[r->n - 1]);
	if (cycles > 0)
		fprintf(csv, "%.1f,%.1f,%.3f\n", cycles, on_cpu, r->n_workers * on_cpu / cycles);
	else
		fprintf(csv, ",,\n");
	return mid;
}

static uint64_t
open_min(const struct slices *s)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t x = 0; x < slices_count(s); x++) {
		uint64_t sum = 0;
		bool whole = slices_kind(s, x) == SLICE_WORK;

		for (uint32_t w = 0; w < slices_workers(s); w++) {
			sum += slices_at(s, w, x)->open;
			whole = whole && slices_at(s, w, x)->end.tsc != 0;
		}
		if (whole && sum < least)
			least = sum;
	}
	return least;
}

static uint64_t
bad_sum(const struct slices *s, const struct tick_rate *rate)
{
	struct sums sum;
	double n = 0;

	for (uint32_t x = 0; x < slices_count(s); x++)
		if (slices_kind(s, x) == SLICE_WORK && slice_sum(s, rate, x, COUNT_BAD, &sum))
			n += sum.n;
	return (uint64_t)n;
}

static enum count
work_row(enum table_unit unit, struct row *r, double *scale)
{
	r->what = "work";
	r->unit = unit == TABLE_GBIT ? "Gbit/s" : unit == TABLE_CONNS ? "M conn/s" : "M xact/s";
	*scale = unit == TABLE_GBIT ? 8e-9 : 1e-6;
	return unit == TABLE_GBIT ? COUNT_BYTES : unit == TABLE_CONNS ? COUNT_CONNS : COUNT_XACTS;
}

int
table_print(const struct slices *s, const struct tick_rate *rate, const char *figure,
	enum table_unit unit, double n_tuples, FILE *csv)
{
	static struct row r;
	uint64_t bad = bad_sum(s, rate);
	double floor, work, scale;
	enum count what;

	printf("  %-18s %8s %8s %8s  %-14s %9s %9s\n", "", "min", "median", "max", "", "cycles",
		"on CPU");
	memset(&r, 0, sizeof(r));
	r.what = "floor in lanes";
	r.unit = "M xact/s";
	row_make(s, rate, SLICE_LANES, COUNT_XACTS, 1e-6, &r);
	floor = row_print(&r, figure, csv);
	r.what = "floor split";
	row_make(s, rate, SLICE_SPLIT, COUNT_XACTS, 1e-6, &r);
	row_print(&r, figure, csv);
	memset(&r, 0, sizeof(r));
	r.what = "core to core";
	r.unit = "cycles one way";
	row_ping(s, &r);
	row_print(&r, figure, csv);
	r.what = "frames of work";
	r.unit = "M/s";
	row_make(s, rate, SLICE_WORK, COUNT_FRAMES, 1e-6, &r);
	row_print(&r, figure, csv);
	what = work_row(unit, &r, &scale);
	row_make(s, rate, SLICE_WORK, what, scale, &r);
	/* bytes have no transactions: what it costs is told per frame */
	if (unit == TABLE_GBIT)
		memset(r.cycles, 0, sizeof(r.cycles));
	work = row_print(&r, figure, csv);
	if (unit != TABLE_GBIT && work > 0)
		printf("  the floor in lanes is %.1f times that\n", floor / work);
	if (unit == TABLE_CONNS && work > 0) {
		double s_back = n_tuples / (r.value[r.n - 1] * 1e6);

		printf("  at the highest rate each of %.0f tuples comes back after %.1f s\n",
			n_tuples, s_back);
		bad += s_back < 1;
	}
	printf("  at least %llu connections open, %llu failures and retransmissions\n",
		(unsigned long long)open_min(s), (unsigned long long)bad);
	return work > 0 && bad == 0 ? 0 : -1;
}
