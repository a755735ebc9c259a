/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format cube. Both files of an experiment of two points are the input. */
#include "tests/fuzz/two-points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return read_two_points("cube", "x.cubex", data, size);
}
