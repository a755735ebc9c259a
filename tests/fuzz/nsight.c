/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format nsight. Both databases of an experiment of two points are the input. */
#include "tests/fuzz/two-points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return read_two_points("nsight", "x.sqlite", data, size);
}
