/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format catch2. */
#include "tests/fuzz/benchmark.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_benchmark("catch2", data, size);
}
