/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaving functions out before a program is traced: by their source, their place in the call graph, and what their code does. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "collectors/common/images.h"
#include "changed.h"
#include "kept.h"
#include "narrow.h"

/* A direct call, by the numbers of the targets. */
struct edge {
	size_t caller, callee;
};

/* What the code of a function does. */
struct behaviour {
	bool calls, loops;
};

struct graph {
	const struct targets *targets;
	size_t functions; /* in the order of files and addresses; places follow them */
	struct images *images;
	struct symbols *symbols; /* NULL: lines are not wanted */
	struct behaviour *behaviours;
	struct edge *edges;
	size_t count, capacity;
};

bool narrowing_is_wanted(const struct narrowing *how)
{
	return how->since || how->depth || how->skip_constant;
}

/* ---- code --------------------------------------------------------------------------------------- */

/* SIZE_MAX = no function begins there. */
static size_t find_target(const struct graph *graph, uint32_t file, uint64_t address)
{
	const struct targets *targets = graph->targets;
	size_t low = 0, high = graph->functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct target *target = &targets->items[middle];

		if (target->file < file || (target->file == file && target->address < address))
			low = middle + 1;
		else
			high = middle;
	}
	return low < graph->functions && targets->items[low].file == file &&
			       targets->items[low].address == address
		       ? low
		       : SIZE_MAX;
}

static void add_edge(struct graph *graph, size_t caller, uint64_t address)
{
	size_t callee = find_target(graph, graph->targets->items[caller].file, address);

	if (callee == SIZE_MAX || callee == caller)
		return;
	PERUN_GROW(graph->edges, graph->count, graph->capacity);
	graph->edges[graph->count++] = (struct edge){caller, callee};
}

/* The code of a function, from what was kept of it before if there is any. */
static void take_code(struct graph *graph, size_t at, struct code *code)
{
	const struct target *target = &graph->targets->items[at];
	struct kept *kept = graph->targets->kept[target->file];

	if (!kept_find(kept, target->address, graph->symbols != NULL, code)) {
		code_read(code, target->address, target->length, graph->images,
			  graph->targets->files[target->file], graph->symbols);
		kept_add(kept, target->address, code);
	}
	graph->behaviours[at] = (struct behaviour){code->calls, code->loops};
	for (size_t i = 0; i < code->callee_count; i++)
		add_edge(graph, at, code->callees[i]);
}

/* ---- what stays --------------------------------------------------------------------------------- */

/* Functions that call those that stay, `levels` calls up. */
static void keep_callers(const struct graph *graph, size_t levels, bool *keep)
{
	size_t count = graph->targets->count;
	bool *next = perun_alloc_zero(count + 1, sizeof *next);

	for (size_t level = 0; level < levels; level++) {
		memcpy(next, keep, count * sizeof *next);
		for (size_t i = 0; i < graph->count; i++)
			if (keep[graph->edges[i].callee])
				next[graph->edges[i].caller] = true;
		memcpy(keep, next, count * sizeof *next);
	}
	perun_free(next);
}

/* Roots are what nothing calls by its address in the code: main, and what is called by pointers. */
static void drop_deep(const struct graph *graph, size_t depth, bool *keep,
		      struct narrowed *narrowed)
{
	size_t count = graph->targets->count;
	size_t *level = perun_alloc_zero(count + 1, sizeof *level);
	bool *called = perun_alloc_zero(count + 1, sizeof *called), changed = true;

	for (size_t i = 0; i < graph->count; i++)
		called[graph->edges[i].callee] = true;
	for (size_t i = 0; i < count; i++)
		level[i] = called[i] ? SIZE_MAX : 0;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < graph->count; i++) {
			size_t from = level[graph->edges[i].caller];
			size_t *to = &level[graph->edges[i].callee];

			if (from != SIZE_MAX && from + 1 < *to)
				*to = from + 1, changed = true;
		}
	}
	/* A circle that nothing enters is entered by pointers. */
	for (size_t i = 0; i < graph->functions; i++)
		if (keep[i] && level[i] != SIZE_MAX && level[i] >= depth)
			keep[i] = false, narrowed->deep++;
	perun_free(level);
	perun_free(called);
}

static void drop_others(struct targets *targets, const bool *keep)
{
	size_t used = 0;

	for (size_t i = 0; i < targets->count; i++) {
		if (keep[i]) {
			targets->items[used++] = targets->items[i];
			continue;
		}
		perun_free(targets->items[i].name);
		perun_free(targets->items[i].exits);
	}
	targets->count = used;
}

static void look_at(struct graph *graph, struct changed *changed, bool *keep,
		    struct narrowed *narrowed)
{
	const struct targets *targets = graph->targets;

	for (size_t i = 0; i < targets->count; i++) {
		enum changed_state state = CHANGED_YES;
		struct code code;

		keep[i] = true;
		if (i >= graph->functions)
			continue;
		take_code(graph, i, &code);
		if (changed)
			state = changed_function(changed, &code);
		narrowed->unknown += state == CHANGED_UNKNOWN;
		keep[i] = state == CHANGED_YES;
		code_clear(&code);
	}
}

/* "3 did not change, 2 are deep in the call graph"; the caller frees it. */
static char *describe_rest(const struct narrowed *narrowed)
{
	const struct {
		size_t count;
		const char *words;
	} parts[] = {{narrowed->unchanged, "did not change"},
		     {narrowed->deep, "are deeper in the call graph"},
		     {narrowed->constant, "neither loop nor call"}};
	struct perun_buffer text = {0};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].count)
			perun_buffer_printf(&text, "%s%zu %s", text.length ? ", " : "",
					    parts[i].count, parts[i].words);
	return text.length ? perun_buffer_take(&text) : perun_strdup("none is left out");
}

static int check_rest(struct perun_ctx *ctx, const struct narrowing *how,
		      const struct targets *targets, const struct narrowed *narrowed)
{
	char *rest;
	int status = PERUN_OK;

	if (how->since && narrowed->all && narrowed->unknown == narrowed->all)
		return perun_fail(ctx, PERUN_INPUT,
				  "--changed-since needs the lines of functions: compile the "
				  "program with -g");
	rest = describe_rest(narrowed);
	if (targets->count == 0)
		status = perun_fail(ctx, PERUN_INPUT, "no function is left to trace: of %zu, %s",
				    narrowed->all, rest);
	else
		perun_note(ctx, "%zu of %zu function%s %s traced: %s", targets->count,
			   narrowed->all, narrowed->all == 1 ? "" : "s",
			   targets->count == 1 ? "is" : "are", rest);
	perun_free(rest);
	return status;
}

int narrow_targets(struct perun_ctx *ctx, const struct narrowing *how, const char *folder,
		   struct targets *targets, struct narrowed *narrowed)
{
	struct graph graph = {.targets = targets};
	struct changed *changed = NULL;
	bool *keep;
	int status = how->since ? changed_open(ctx, how->since, folder, &changed) : PERUN_OK;

	*narrowed = (struct narrowed){0};
	if (status)
		return status;
	while (graph.functions < targets->count &&
	       targets->items[graph.functions].kind == TARGET_FUNCTION)
		graph.functions++;
	narrowed->all = graph.functions;
	graph.images = images_new();
	graph.symbols = changed ? collectors_symbols_new(NULL) : NULL;
	graph.behaviours = perun_alloc_zero(targets->count + 1, sizeof *graph.behaviours);
	keep = perun_alloc_zero(targets->count + 1, sizeof *keep);
	look_at(&graph, changed, keep, narrowed);
	if (how->since)
		keep_callers(&graph, how->callers, keep);
	for (size_t i = 0; i < graph.functions; i++)
		narrowed->unchanged += !keep[i];
	if (how->depth)
		drop_deep(&graph, how->depth, keep, narrowed);
	for (size_t i = 0; how->skip_constant && i < graph.functions; i++)
		if (keep[i] && !graph.behaviours[i].calls && !graph.behaviours[i].loops)
			keep[i] = false, narrowed->constant++;
	drop_others(targets, keep);
	changed_free(changed);
	images_free(graph.images);
	collectors_symbols_free(graph.symbols);
	perun_free(graph.behaviours);
	perun_free(graph.edges);
	perun_free(keep);
	return check_rest(ctx, how, targets, narrowed);
}
