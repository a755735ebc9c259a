/* SPDX-License-Identifier: BSD-3-Clause */
/* What must hold whatever a fuzz target is given. */
#ifndef PERUN_TESTS_FUZZ_MUST_H
#define PERUN_TESTS_FUZZ_MUST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                 \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

#endif
