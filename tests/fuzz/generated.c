/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: what programs write down of the code that they generated. */
#include <stdio.h>

#include "collectors/common/generated.h"
#include "tests/fuzz/fuzz.h"

void fuzz_generated(const uint8_t *data, size_t size)
{
	static const uint64_t addresses[] = {0, 1, 0x1000, 0x1008, 0x100f, 0x1010, UINT64_MAX};
	struct generated *generated;
	FILE *file;

	if (size == 0)
		return;
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	MUST(file != NULL);
	generated = collectors_generated_parse(file);
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		const char *name = collectors_generated_name(generated, addresses[i]);
		int64_t line;
		const char *source = collectors_generated_line(generated, addresses[i], &line);

		MUST(!name || *name);
		MUST(name || (!*source && !line));
	}
	collectors_generated_free(generated);
}
