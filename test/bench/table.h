/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Slices -> lines for people and for programs: smallest, median and largest of the slices' values,
 * cycles per transaction, and the share of the floor. INIT: after the run.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdio.h>
#include "slices.h"

#ifdef __cplusplus
extern "C" {
#endif

enum table_unit {
	TABLE_XACTS, /* M transactions/s */
	TABLE_CONNS, /* M connections/s */
	TABLE_GBIT, /* Gbit/s of TCP payload */
};

/** @param n_tuples local ones of all robots. @param csv lines
 * `figure,what,unit,slices,min,median,max,cycles,cpu_cycles`, NULL: none.
 * @return 0; -1 when nothing could be measured, work had failures, or tuples came back within 1 s.
 */
int table_print(const struct slices *s, const struct tick_rate *rate, const char *figure,
	enum table_unit unit, double n_tuples, FILE *csv);

#ifdef __cplusplus
}
#endif
#endif
