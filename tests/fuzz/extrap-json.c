/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format extrap-json. */
#include "tests/fuzz/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_experiment("extrap-json", data, size);
}
