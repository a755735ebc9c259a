/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions of lines of source. */
#ifndef PERUN_COMMANDS_CODE_LINES_H
#define PERUN_COMMANDS_CODE_LINES_H

#include "commands/common/code/routines.h"

/* An instruction that a line was compiled to, or that a call on the line was inlined to. */
struct code_line {
	const char *file; /* by the text that files have */
	int64_t line;
	const struct code_routine *routine;
	const struct code_cost *cost;
};

struct code_lines {
	struct code_routines routines;
	struct code_line *items; /* sorted by file, line, routine and address */
	size_t count, capacity;
	char **files; /* owns their names */
	size_t file_count, file_capacity;
};

/*
 * The wanted code by lines. `file_text` (NULL: it is as it is) says by which text a file is known; its result is borrowed
 * until the next call. Failures are those of code_routines_read(). Free with code_lines_free(), also after one.
 */
int code_lines_read(struct perun_ctx *ctx, const struct code_choice *choice,
		    const char *(*file_text)(void *data, const char *file), void *data,
		    struct code_lines *lines);
void code_lines_free(struct code_lines *lines);
/* Those of a line; `*count` = 0: none. */
const struct code_line *code_lines_of(const struct code_lines *lines, const char *file,
				      int64_t line, size_t *count);

#endif
