/* SPDX-License-Identifier: BSD-3-Clause */
/* What finds the lines that made a version slower: the one line that blame and ci print of perun bisect --lines. */
#ifndef PERUN_COMMANDS_COMMON_LINES_OFFER_H
#define PERUN_COMMANDS_COMMON_LINES_OFFER_H

#include <stdbool.h>

#include <perun/context.h>

/* A change that was found. */
struct commands_lines_offer {
	const char *base; /* NULL = the parent of `version` */
	const char *version;
	const char *command;  /* with its workload; NULL or "" = not known */
	const char *location; /* "" = the whole program */
	const char *metric;
};

/*
 * Append "perun bisect --lines 51ac72e0 -- ./prog finds the lines". False, and nothing is appended, unless the change is of
 * the whole of a known command, in a metric that perun compare measures.
 */
bool commands_add_lines_offer(struct perun_buffer *out, const struct commands_lines_offer *offer);

#endif
