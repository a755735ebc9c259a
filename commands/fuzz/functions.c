/* SPDX-License-Identifier: BSD-3-Clause */
/* Edges of a program by the functions that they are in. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "collectors/common/symbols.h"
#include "commands/fuzz/fuzz.h"

static struct fuzz_function *function_of(struct fuzz_functions *functions, const char *name)
{
	struct fuzz_function *function;

	for (size_t i = 0; i < functions->count; i++)
		if (strcmp(functions->items[i].name, name) == 0)
			return &functions->items[i];
	PERUN_GROW(functions->items, functions->count, functions->capacity);
	function = &functions->items[functions->count++];
	*function = (struct fuzz_function){.name = perun_strdup(name)};
	return function;
}

static void add_edge(struct symbols *symbols, const struct perun_fuzz_edge *edge,
		     struct fuzz_functions *functions)
{
	struct symbol symbol = {0};
	struct fuzz_function *function;
	const char *name = "unknown";

	if (edge->path) {
		symbol = collectors_symbols_find(symbols, edge->path, edge->address);
		if (symbol.count && *symbol.lines[0].function)
			name = symbol.lines[0].function;
	}
	function = function_of(functions, name);
	function->count += edge->count;
	function->usual += edge->usual;
	functions->count_sum += edge->count;
	functions->usual_sum += edge->usual;
	if (edge->path)
		collectors_symbol_clear(&symbol);
}

static int compare_functions(const void *one, const void *other)
{
	const struct fuzz_function *a = one, *b = other;
	double more = (double)a->count - (double)a->usual,
	       others = (double)b->count - (double)b->usual;

	return more != others ? (more < others) - (more > others) : strcmp(a->name, b->name);
}

void fuzz_functions_find(struct symbols *symbols, const struct perun_fuzz_find *find,
			 struct fuzz_functions *functions)
{
	*functions = (struct fuzz_functions){0};
	for (size_t i = 0; i < find->edge_count; i++)
		add_edge(symbols, &find->edges[i], functions);
	if (functions->count)
		qsort(functions->items, functions->count, sizeof *functions->items,
		      compare_functions);
}

void fuzz_functions_free(struct fuzz_functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		perun_free(functions->items[i].name);
	perun_free(functions->items);
}
