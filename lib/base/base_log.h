/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Where messages of set-up and control go: a function pointer. Nothing on the data path logs.
 * CTL or INIT only.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

/** level: 0 error, 1 command and phases, 2 interval lines and configuration, ... 10. */
struct log_sink {
	void (*write)(void *ctx, int level, const char *line);
	void *ctx;
};

void log_line(const struct log_sink *s, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
