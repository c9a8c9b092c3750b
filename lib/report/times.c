/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_priv.h"

static const enum cell_value times_value[REPORT_HIST_TTFB + 1] = {
	[REPORT_HIST_RESPONSE] = CELL_SUM,
	[REPORT_HIST_WIRE] = CELL_WIRE,
	[REPORT_HIST_WAIT] = CELL_WAIT,
	[REPORT_HIST_TTFB] = CELL_TTFB,
};

void
report_times_init(struct report_times *t)
{
	for (int i = 0; i <= REPORT_HIST_TTFB; i++)
		hist_sum_init(&t->sum[i]);
	report_times_load(t, NULL);
}

void
report_times_fini(struct report_times *t)
{
	for (int i = 0; i <= REPORT_HIST_TTFB; i++)
		hist_sum_fini(&t->sum[i]);
}

void
report_times_load(struct report_times *t, const struct cell_sum *cells)
{
	for (int i = 0; i < REPORT_HIST_N; i++)
		t->hist[i] = NULL;
	if (cells == NULL)
		return;
	for (int i = 0; i <= REPORT_HIST_TTFB; i++) {
		cell_sum_marginal(cells, times_value[i], CELL_SUCCESS_MASK, &t->sum[i]);
		t->hist[i] = &t->sum[i];
	}
	t->hist[REPORT_HIST_CONNECT] = &cells->connect;
	t->hist[REPORT_HIST_LATE] = &cells->late;
}

double
report_response_mean(const struct cell_sum *cells)
{
	uint64_t n = 0;
	double sum_ns = 0;

	for (uint32_t content = 0; cells != NULL && content < cells->n_contents; content++)
		for (uint32_t class = 0; class < CELL_FAILED; class ++) {
			const struct hist_sum *h = &cells->cell[content * CELL_N + class][CELL_SUM];

			n += h->n;
			sum_ns += (double)h->sum_ns;
		}
	return n == 0 ? -1 : sum_ns / (double)n;
}
