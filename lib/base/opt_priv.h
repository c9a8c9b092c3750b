/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Between opt.c (parsing) and opt_print.c (texts): nobody else's business. PURE.
 */
#ifndef OPT_PRIV_H
#define OPT_PRIV_H

#include <stdbool.h>
#include "base_opt.h"

/** Whether a row belongs to `command`; every row does when command is NULL. */
bool opt_row_has(const struct opt_row *r, const char *command);

/** What a row's value may be, as a person reads it: `1..100`, `on, off`, a form with an example.
 * @return length as snprintf. */
int opt_allowed_text(const struct opt_row *r, char *buf, unsigned int size);

#endif
