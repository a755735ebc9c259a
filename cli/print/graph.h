/* SPDX-License-Identifier: BSD-3-Clause */
/* A history as a graph of characters, a version at a time. */
#ifndef PERUN_CLI_PRINT_GRAPH_H
#define PERUN_CLI_PRINT_GRAPH_H

#include <stddef.h>

#include <perun/context.h>

/* The columns: each names the version that it leads to. */
struct cli_graph {
	char **columns;
	size_t count, capacity;
};

void cli_graph_free(struct cli_graph *graph);
/*
 * Begin a version: print the lines that join the columns which lead to it, then "* | " for it. The
 * caller prints the rest of that line.
 */
void cli_graph_begin(struct cli_graph *graph, const char *minor);
/* Go on to its parents, printing the lines where the way forks. */
void cli_graph_fork(struct cli_graph *graph, const char *minor, const char *const *parents,
		    size_t parent_count);
/* Print a text beside the columns, line by line. */
void cli_graph_text(const struct cli_graph *graph, const char *text);

#endif
