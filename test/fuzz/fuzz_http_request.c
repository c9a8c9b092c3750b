/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: HTTP requests. */
#include "fuzz_http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= FUZZ_HTTP_CONTROL && size < 1 << 20)
		fuzz_http_run(1, data, size);
	return 0;
}
