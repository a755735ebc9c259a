/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine code with what its instructions cost. */
#ifndef PERUN_COMMANDS_CODE_ROUTINES_H
#define PERUN_COMMANDS_CODE_ROUTINES_H

#include <perun/lib/callgraph.h>

#include "commands/common/code/instructions.h"

/* An instruction with the samples from its address to the next. */
struct code_cost {
	struct code_instruction
		code; /* what objdump says; the rest is from the profile where it says nothing */
	int64_t flat, cumulative;
};

/* The code of a symbol of a file. */
struct code_routine {
	char **names; /* all that matched, or the symbol's */
	size_t name_count;
	const char *file;
	uint64_t start;
	int64_t flat, cumulative;
	struct code_cost *costs; /* of its instructions, sorted by address */
	size_t count;
	struct code_instructions listing; /* owns their texts */
};

struct code_routines {
	struct code_routine *items; /* sorted by name */
	size_t count, capacity;
	size_t unread;           /* files of samples that nm cannot read */
	const char *unread_file; /* one of them */
};

/* What is wanted of it. Costs are those of weight 0 of the stacks, whose profile is that of symbolize --locate. */
struct code_choice {
	const struct perun_stacks *stacks;
	const char *tools;         /* as in tool_find() */
	bool intel;                /* Intel's syntax */
	struct perun_regex *names; /* symbols of such a name; or NULL */
	struct perun_regex
		*functions; /* symbols with a sample in such a function, inlined or not; or NULL */
	uint64_t address;   /* the symbol that contains it; 0 = none */
	/* Whether a file may be read; NULL: any may. */
	bool (*may_read)(void *data, const char *file);
	void *data;
};

/*
 * The routines with samples that are wanted. PERUN_MISSING: objdump or nm is not installed. Free with
 * code_routines_free(), also after a failure.
 */
int code_routines_read(struct perun_ctx *ctx, const struct code_choice *choice,
		       struct code_routines *routines);
void code_routines_free(struct code_routines *routines);

#endif
