/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format extrap3. */
#include "tests/fuzz/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_experiment_as("extrap3", "extrap-json", data, size);
}
