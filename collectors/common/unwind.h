/* SPDX-License-Identifier: BSD-3-Clause */
/* Callers from a copy of a stack, by unwind tables. Of programs for x86-64. */
#ifndef PERUN_COLLECTORS_UNWIND_H
#define PERUN_COLLECTORS_UNWIND_H

#include <stdbool.h>

#include "collectors/common/cfi.h"

/* A thread in a moment: its registers, and its stack from the stack pointer on. */
struct unwind_copy {
	uint64_t ip, sp, bp;
	const void *stack; /* words in the order of bytes of this machine; not aligned */
	uint64_t stack_size;
};

/* The rule at a return address; CFI_UNKNOWN where nothing is mapped that has one. */
typedef struct cfi_rule unwind_rule(void *data, uint64_t back);

/* Return addresses, the innermost first (the place itself plus 1), at most `most`. Returns how many. */
size_t collectors_unwind(const struct unwind_copy *copy, unwind_rule *rule, void *data,
			 uint64_t *frames, size_t most);

#endif
