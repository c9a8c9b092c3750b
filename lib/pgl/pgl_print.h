/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Plan -> PGL text that reproduces the run, seed included. What Web Polygraph has no object for is
 * an object of ours (Freshet{...}). CTL or INIT.
 */
#ifndef PGL_PRINT_H
#define PGL_PRINT_H

#include <stdio.h>
#include "load_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @return 0, or -EIO when the stream failed. */
int pgl_print(const struct plan *p, FILE *f);

#ifdef __cplusplus
}
#endif
#endif
