/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format junit. */
#include "tests/fuzz/benchmark.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_benchmark("junit", data, size);
}
