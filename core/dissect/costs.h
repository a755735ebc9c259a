/* SPDX-License-Identifier: BSD-3-Clause */
/* Where two builds of a program spend their time: functions and lines of both. */
#ifndef PERUN_CORE_DISSECT_COSTS_H
#define PERUN_CORE_DISSECT_COSTS_H

#include <perun/lib/dissect.h>

struct moved_function {
	double by; /* milliseconds, up or down */
	size_t function;
};

struct function_calls {
	size_t caller, callee; /* functions */
};

struct costs {
	struct perun_dissect_function *functions; /* by name, which is ours */
	size_t function_count, function_capacity;
	struct moved_function *moved; /* all of them, the one whose own cost moved by most first */
	struct function_calls *calls; /* of either build */
	size_t call_count, call_capacity;
	struct perun_dissect_line *lines; /* by file and line; files are ours */
	size_t line_count, line_capacity;
	double sample[2]; /* milliseconds that one sample adds to what a run costs, of each build */
};

/*
 * Sample the program in both directories, as often as it takes for a picture of it. Nothing is known where this machine
 * cannot sample: then both lists are empty, which is not a failure.
 */
int costs_read(struct perun_ctx *ctx, struct perun_interleave *interleave,
	       const char *const directories[2], struct costs *costs);
/* A function by the last part of its name; NULL = it has no costs. */
const struct perun_dissect_function *costs_find(const struct costs *costs, const char *name,
						size_t length);
void costs_free(struct costs *costs);

#endif
