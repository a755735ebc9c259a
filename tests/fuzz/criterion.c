/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format criterion. */
#include "tests/fuzz/benchmark.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_benchmark("criterion", data, size);
}
