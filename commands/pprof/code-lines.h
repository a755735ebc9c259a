/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions of lines of source. */
#ifndef PERUN_COMMAND_PPROF_CODE_LINES_H
#define PERUN_COMMAND_PPROF_CODE_LINES_H

#include "code.h"

/* An instruction that a line was compiled to, or that a call on the line was inlined to. */
struct pprof_line_code {
	const char *file; /* as the report has it */
	int64_t line;
	const struct pprof_routine *routine;
	const struct pprof_instruction *instruction;
};

struct pprof_code_lines {
	struct pprof_code code;
	struct pprof_line_code *items; /* sorted by file, line, routine and address */
	size_t count, capacity;
	char **files; /* owns their names */
	size_t file_count, file_capacity;
};

/* The code of all functions that match the report's pattern: what cannot be read is left out. */
int pprof_code_lines_read(struct pprof_report *report, struct pprof_code_lines *lines);
void pprof_code_lines_free(struct pprof_code_lines *lines);
/* Those of a line; `*count` = 0: none. */
const struct pprof_line_code *pprof_code_lines_of(const struct pprof_code_lines *lines,
						  const char *file, int64_t line, size_t *count);

#endif
