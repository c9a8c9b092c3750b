/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The impossible. assert_() aborts in debug and fuzz builds and is nothing in release; user input
 * and packets never reach one.
 */
#ifndef BASE_ASSERT_H
#define BASE_ASSERT_H

#include <assert.h>

#define assert_(x) assert(x)

#ifdef __cplusplus
#define static_assert_(x, m) static_assert(x, m)
#else
#define static_assert_(x, m) _Static_assert(x, m)
#endif

#endif
