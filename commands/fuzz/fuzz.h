/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of perun fuzz share. */
#ifndef PERUN_COMMANDS_FUZZ_FUZZ_H
#define PERUN_COMMANDS_FUZZ_FUZZ_H

#include <perun/command.h>
#include <perun/lib/fuzz.h>

/* A function of the program: how often its edges were met, in a find and in the seed repeated to its length. */
struct fuzz_function {
	char *name;
	uint64_t count, usual;
};
struct fuzz_functions {
	struct fuzz_function *items; /* what costs more than usual first */
	size_t count, capacity;
	uint64_t count_sum, usual_sum;
};
struct symbols;
void fuzz_functions_find(struct symbols *symbols, const struct perun_fuzz_find *find,
			 struct fuzz_functions *functions);
void fuzz_functions_free(struct fuzz_functions *functions);

const struct perun_fuzz_find *fuzz_find_at(const struct perun_fuzz_result *result, size_t i);

/* Sentences, appended: nothing where there is nothing to say. */
void fuzz_add_summary(struct perun_buffer *line, const struct perun_fuzz_result *result);
void fuzz_add_ratio(struct perun_buffer *line, const struct perun_fuzz_find *find, bool unicode);
void fuzz_add_growth(struct perun_buffer *line, const struct perun_fuzz_find *find);
void fuzz_add_cost(struct perun_buffer *line, const struct perun_fuzz_find *find,
		   enum perun_fuzz_counting counting);
void fuzz_add_functions(struct perun_buffer *line, const struct fuzz_functions *functions);
void fuzz_add_times(struct perun_buffer *line, const struct perun_verdict *verdict);
/* The input itself, or `most` bytes of its beginning: what is no letter is escaped as in C. */
void fuzz_add_input(struct perun_buffer *line, const struct perun_fuzz_find *find, size_t most);
void fuzz_add_origin(struct perun_buffer *line, const struct perun_fuzz_find *find,
		     const char *directory, bool unicode);

/* What was found, for people, as JSON, and as a page. */
void fuzz_print(const struct perun_command_call *call, const struct perun_fuzz_result *result,
		const char *directory);
void fuzz_print_json(const struct perun_command_call *call, const struct perun_fuzz_result *result,
		     const char *directory);
/* `command` ends with NULL. */
int fuzz_write_page(struct perun_ctx *ctx, const struct perun_fuzz_result *result,
		    char *const *command, const char *directory, const char *path);

#endif
