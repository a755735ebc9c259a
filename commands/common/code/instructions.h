/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine code as objdump prints it. */
#ifndef PERUN_COMMANDS_CODE_INSTRUCTIONS_H
#define PERUN_COMMANDS_CODE_INSTRUCTIONS_H

#include <stdint.h>

#include <perun/context.h>

/* Texts belong to the list. */
struct code_instruction {
	uint64_t address;
	const char *text;     /* "movq\t8(%rdi), %rdi" */
	const char *function; /* of the source, inlined or not; "" = not known */
	const char *file;     /* the path that the compiler had; "" */
	int64_t line;         /* 0 = not known */
};

struct code_instructions {
	struct code_instruction *items; /* sorted by address */
	size_t count, capacity;
	struct perun_buffer text; /* what objdump printed */
};

struct code_range {
	const char *file;
	uint64_t start, end; /* [start, end), addresses as the file has them */
	bool intel;          /* Intel's syntax */
};

/*
 * The instructions of a range. `tools` is as in tool_find(). PERUN_MISSING: there is no objdump; PERUN_INPUT: it cannot
 * read the file. Free with code_instructions_free(), also after a failure.
 */
int code_instructions_read(struct perun_ctx *ctx, const char *tools, const struct code_range *range,
			   struct code_instructions *instructions);
void code_instructions_free(struct code_instructions *instructions);

#endif
