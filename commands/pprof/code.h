/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine code with what its instructions cost, for -disasm and -weblist. */
#ifndef PERUN_COMMAND_PPROF_CODE_H
#define PERUN_COMMAND_PPROF_CODE_H

#include "commands/common/code/instructions.h"
#include "report.h"

/* An instruction with the samples from its address to the next. */
struct pprof_instruction {
	struct code_instruction
		code; /* what objdump says; the rest is from the profile where it says nothing */
	int64_t flat, cumulative;
};

/* The code of a symbol of a file. */
struct pprof_routine {
	char **names; /* all that matched, or the symbol's */
	size_t name_count;
	const char *file;
	uint64_t start;
	int64_t flat, cumulative;
	struct pprof_instruction *instructions; /* sorted by address */
	size_t count;
	struct code_instructions listing; /* owns their texts */
};

struct pprof_code {
	struct pprof_routine *routines; /* sorted by name */
	size_t count, capacity;
	size_t unread;           /* files of samples that nm cannot read */
	const char *unread_file; /* one of them */
};

/* What is wanted of it. */
struct pprof_code_choice {
	struct perun_regex *names; /* symbols of such a name; or NULL */
	struct perun_regex
		*functions; /* symbols with a sample in such a function, inlined or not; or NULL */
	uint64_t address;   /* the symbol that contains it; 0 = none */
};

/*
 * The routines with samples that are wanted. PERUN_MISSING: objdump, nm or what finds files is not installed. Free with
 * pprof_code_free(), also after a failure.
 */
int pprof_code_read(struct pprof_report *report, const struct pprof_code_choice *choice,
		    struct pprof_code *code);
void pprof_code_free(struct pprof_code *code);

#endif
