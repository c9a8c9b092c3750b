/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Oracle of both HTTP fuzz targets: whatever the bytes are, any way to cut them gives the same, and
 * what http_drive.h calls impossible stays so. Pieces lie in memory of their exact size, so that
 * the sanitizer sees a byte read behind them. Private to test/fuzz.
 */
#ifndef FUZZ_HTTP_H
#define FUZZ_HTTP_H

#include "../unit/http/http_drive.h"

/* Two bytes of control before the message: method and end of the stream, seed of the cuts. */
#define FUZZ_HTTP_CONTROL 2

static inline void
fuzz_http_run(int is_request, const uint8_t *data, size_t size)
{
	static const enum http_method methods[4] = {
		HTTP_GET, HTTP_HEAD_METHOD, HTTP_CONNECT, HTTP_POST};
	static struct drive whole;
	static struct drive cut;
	const uint32_t n = (uint32_t)(size - FUZZ_HTTP_CONTROL);
	uint8_t *room = (uint8_t *)malloc(n + 1);

	whole.is_request = cut.is_request = is_request;
	whole.method = cut.method = methods[data[0] & 3];
	whole.fin = cut.fin = data[0] >> 2 & 1;
	/* each piece is moved to end where the heap block does */
	whole.guard = cut.guard = room + n + 1;
	drive_run(&whole, data + FUZZ_HTTP_CONTROL, n,
		(struct drive_cut){.first = 0, .step = n + 1, .seed = 0});
	drive_run(&cut, data + FUZZ_HTTP_CONTROL, n,
		(struct drive_cut){.first = 0, .step = 1u + (data[0] >> 3), .seed = data[1]});
	drive_must(drive_same(&whole, &cut), "a cut changed the outcome");
	free(room);
}

#endif
