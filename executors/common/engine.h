/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking the programs of an engine. */
#ifndef EXECUTORS_COMMON_ENGINE_H
#define EXECUTORS_COMMON_ENGINE_H

#include <perun/executor.h>

/* Words of a command; ends with NULL once a word was added. {0} is empty. */
struct engine_words {
	char **items;
	size_t count, capacity;
};
void engine_add(struct engine_words *words, const char *format, ...) PERUN_PRINTF(2, 3);
void engine_words_free(struct engine_words *words);

/*
 * Run a program, found in PATH, without a shell, and wait for it; what it prints is appended to `output`, which may be
 * NULL. PERUN_INPUT with the end of its error output when it fails or cannot be run; PERUN_CANCELLED when the user stops.
 */
int engine_run(struct perun_ctx *ctx, const struct engine_words *words,
	       struct perun_buffer *output);
/* 'text' for a shell, appended. */
void engine_quote(struct perun_buffer *line, const char *text);
/* Write a file of the executor as a whole. */
int engine_write(struct perun_ctx *ctx, const char *path, const struct perun_buffer *text);
/* Job `i` of those of poll() and cancel(). */
struct perun_executor_job *engine_job(struct perun_executor_job *jobs, size_t i, size_t stride);

#endif
