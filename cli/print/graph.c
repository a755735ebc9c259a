/* SPDX-License-Identifier: BSD-3-Clause */
/* A history as a graph of characters, a version at a time. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cli/print/graph.h"

void cli_graph_free(struct cli_graph *graph)
{
	for (size_t i = 0; i < graph->count; i++)
		perun_free(graph->columns[i]);
	perun_free(graph->columns);
	*graph = (struct cli_graph){0};
}

/* The first column from `start` that leads to a version; count when there is none. */
static size_t find_column(const struct cli_graph *graph, const char *minor, size_t start)
{
	while (start < graph->count && strcmp(graph->columns[start], minor) != 0)
		start++;
	return start;
}

static void insert_column(struct cli_graph *graph, size_t at, const char *minor)
{
	PERUN_GROW(graph->columns, graph->count, graph->capacity);
	memmove(graph->columns + at + 1, graph->columns + at,
		(graph->count - at) * sizeof *graph->columns);
	graph->columns[at] = perun_strdup(minor);
	graph->count++;
}

static void remove_column(struct cli_graph *graph, size_t at)
{
	perun_free(graph->columns[at]);
	graph->count--;
	memmove(graph->columns + at, graph->columns + at + 1,
		(graph->count - at) * sizeof *graph->columns);
}

/* A line of blanks with a character at each place; two places a column. */
static char *blank_line(size_t columns)
{
	char *line = perun_alloc(2 * columns + 2);

	memset(line, ' ', 2 * columns + 1);
	line[2 * columns + 1] = '\0';
	return line;
}

static void print_line(char *line, const char *end)
{
	size_t length = strlen(line);

	while (length > 0 && line[length - 1] == ' ')
		length--;
	printf("%.*s%s\n", (int)length, line, end);
	perun_free(line);
}

/* "|_|/": column `from` runs into column `to` on its left; what is right of it moves up. */
static void print_join(const struct cli_graph *graph, size_t to, size_t from)
{
	char *line = blank_line(graph->count);

	for (size_t i = 0; i < graph->count; i++) {
		if (i < from)
			line[2 * i] = '|';
		else
			line[2 * i - 1] = '/';
	}
	for (size_t i = 2 * to + 1; i + 2 < 2 * from; i += 2)
		line[i] = '_';
	print_line(line, "  ");
}

void cli_graph_begin(struct cli_graph *graph, const char *minor)
{
	size_t at = find_column(graph, minor, 0), other;

	if (at == graph->count)
		insert_column(graph, at, minor);
	while ((other = find_column(graph, minor, at + 1)) < graph->count) {
		print_join(graph, at, other);
		remove_column(graph, other);
	}
	for (size_t i = 0; i < graph->count; i++)
		fputs(i == at ? "* " : "| ", stdout);
}

/* "| |" */
static void print_columns(const struct cli_graph *graph)
{
	for (size_t i = 0; i < graph->count; i++)
		printf("%s|", i ? " " : "");
}

void cli_graph_fork(struct cli_graph *graph, const char *minor, const char *const *parents,
		    size_t parent_count)
{
	size_t at = find_column(graph, minor, 0);

	if (at == graph->count)
		return;
	if (parent_count == 0) {
		remove_column(graph, at);
		return;
	}
	perun_free(graph->columns[at]);
	graph->columns[at] = perun_strdup(parents[0]);
	print_columns(graph);
	puts(parent_count == 1 ? "  " : "");
	for (size_t i = 1; i < parent_count; i++) {
		char *line = blank_line(graph->count + 1);

		for (size_t j = 0; j < graph->count; j++) {
			if (j <= at)
				line[2 * j] = '|';
			else
				line[2 * j + 1] = '\\';
		}
		line[2 * at + 1] = '\\';
		print_line(line, " ");
		insert_column(graph, at + 1, parents[i]);
		at++;
	}
}

void cli_graph_text(const struct cli_graph *graph, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		print_columns(graph);
		printf("  %.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}
