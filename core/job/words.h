/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting a command line into words without running a shell. */
#ifndef PERUN_CORE_WORDS_H
#define PERUN_CORE_WORDS_H

#include <perun/context.h>

/* A list of texts that it owns; `items` ends with NULL once a word was added. {0} is empty. */
struct perun_words {
	char **items;
	size_t count, capacity;
};

/*
 * Split at blanks and append. Single quotes, double quotes and backslashes work as in a shell;
 * nothing is expanded. Fails (PERUN_USAGE) when a quote is not closed.
 */
PERUN_EXPORT int perun_split_words(struct perun_ctx *ctx, const char *text,
				   struct perun_words *words);
PERUN_EXPORT void perun_words_add(struct perun_words *words, const char *text, size_t length);
PERUN_EXPORT void perun_words_free(struct perun_words *words);

#endif
