/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples by address, brought together with the symbols and instructions of the files that they are of. */
#include <stdlib.h>
#include <string.h>

#include "commands/common/code/routines.h"
#include "commands/common/code/short-name.h"
#include "commands/common/code/symbols.h"

/* What an address costs. Frames are those of the caller that all that is inlined there belongs to. */
struct node {
	const struct perun_frame *frame;
	int64_t flat, cumulative;
};

/* A place of a file. */
struct point {
	perun_id object;
	uint64_t address;
};

struct reading {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	const struct code_choice *choice;
	struct code_routines *routines;
	struct node *nodes; /* sorted by file and address */
	size_t count;
	struct point *points; /* of the functions that are wanted; sorted */
	size_t point_count;
};

/* ---- samples ---------------------------------------------------------------------------------- */

static int compare_nodes(const void *left, const void *right)
{
	const struct perun_frame *a = ((const struct node *)left)->frame;
	const struct perun_frame *b = ((const struct node *)right)->frame;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void take_nodes(struct reading *reading, const struct perun_callgraph *graph)
{
	const int64_t *flat = perun_callgraph_flat(graph, 0);
	const int64_t *cumulative = perun_callgraph_cumulative(graph, 0);
	size_t count;
	const struct perun_frame *frames = perun_callgraph_nodes(graph, &count);

	reading->nodes = perun_alloc_zero(count + 1, sizeof *reading->nodes);
	for (size_t i = 0; i < count; i++) {
		if (frames[i].address && (flat[i] || cumulative[i]))
			reading->nodes[reading->count++] =
				(struct node){&frames[i], flat[i], cumulative[i]};
	}
	qsort(reading->nodes, reading->count, sizeof *reading->nodes, compare_nodes);
}

static int compare_points(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static bool is_in(const struct reading *reading, const struct perun_line *line)
{
	const struct perun_profile *profile = reading->profile;
	const char *name;

	if (line->function == PERUN_NO_ID)
		return false;
	name = perun_profile_string(profile, perun_profile_function(profile, line->function)->name,
				    NULL);
	return perun_regex_matches(reading->choice->functions, name, strlen(name));
}

/* Where functions are, inlined ones as well, that are wanted. */
static void find_points(struct reading *reading)
{
	const struct perun_profile *profile = reading->profile;
	size_t count = perun_profile_locations(profile);

	reading->points = perun_alloc_zero(count + 1, sizeof *reading->points);
	for (size_t i = 0; i < count; i++) {
		struct perun_location_room room;
		const struct perun_location *location =
			perun_profile_location_in(profile, (perun_id)i, &room);
		bool wanted = false;

		for (uint32_t k = 0; k < location->line_count && !wanted; k++)
			wanted = is_in(reading, &location->lines[k]);
		if (wanted && location->mapping != PERUN_NO_ID)
			reading->points[reading->point_count++] = (struct point){
				perun_profile_mapping(profile, location->mapping)->file,
				location->address};
	}
	qsort(reading->points, reading->point_count, sizeof *reading->points, compare_points);
}

/* ---- routines --------------------------------------------------------------------------------- */

static bool matches(const struct reading *reading, const char *name)
{
	return perun_regex_matches(reading->choice->names, name, strlen(name));
}

/* The form of a symbol's name that matches: as the file has it, as the source has it, or without parameters. */
static char *matching_form(const struct reading *reading, const char *name, const char *plain)
{
	char *form;

	if (matches(reading, name))
		return perun_strdup(name);
	if (strcmp(name, plain) == 0)
		return NULL;
	if (matches(reading, plain))
		return perun_strdup(plain);
	for (int templates = 1; templates >= 0; templates--) {
		form = shorten_name(plain, templates);
		if (form && matches(reading, form))
			return form;
		perun_free(form);
	}
	return NULL;
}

/* Whether it is wanted for what it contains. */
static bool has_wanted(const struct reading *reading, const struct code_symbol *symbol,
		       const struct node *nodes, size_t count)
{
	uint64_t address = reading->choice->address;

	if (address && address >= symbol->start && address < symbol->end)
		return true;
	for (size_t i = 0; i < count; i++) {
		struct point point = {nodes[i].frame->object, nodes[i].frame->address};

		if (reading->point_count && bsearch(&point, reading->points, reading->point_count,
						    sizeof point, compare_points))
			return true;
	}
	return false;
}

/* The names to show it by: all, or else the first that matches; none: it is not wanted. */
static void choose_names(const struct reading *reading, const struct code_symbols *symbols,
			 const struct code_symbol *symbol, bool all, struct code_routine *routine)
{
	routine->names = perun_alloc_zero(symbol->count, sizeof *routine->names);
	for (size_t i = symbol->first; i < symbol->first + symbol->count; i++) {
		char *form = all ? perun_strdup(symbols->names[i])
			     : reading->choice->names
				     ? matching_form(reading, symbols->names[i], symbols->plain[i])
				     : NULL;

		if (form)
			routine->names[routine->name_count++] = form;
		if (form && !all)
			return;
	}
}

/* Where objdump has no place for an instruction, that of a sample. */
static void complete_place(const struct reading *reading, const struct perun_frame *frame,
			   struct code_instruction *code)
{
	const struct perun_profile *profile = reading->profile;

	if (!*code->file)
		code->file = perun_profile_string(profile, frame->file, NULL);
	if (!code->line)
		code->line = frame->line;
	if (!*code->function)
		code->function = perun_profile_string(profile, frame->name, NULL);
}

/* Samples in the middle of an instruction, as those of calls are, count for it. */
static void annotate(const struct reading *reading, const struct node *nodes, size_t count,
		     struct code_routine *routine)
{
	const struct code_instructions *listing = &routine->listing;
	size_t at = 0;

	routine->costs = perun_alloc_zero(listing->count + 1, sizeof *routine->costs);
	routine->count = listing->count;
	for (size_t i = 0; i < listing->count; i++) {
		struct code_cost *cost = &routine->costs[i];
		uint64_t next = i + 1 < listing->count ? listing->items[i + 1].address : UINT64_MAX;

		cost->code = listing->items[i];
		for (; at < count && nodes[at].frame->address < next; at++) {
			cost->flat += nodes[at].flat;
			cost->cumulative += nodes[at].cumulative;
			complete_place(reading, nodes[at].frame, &cost->code);
		}
	}
}

static int add_routine(struct reading *reading, const char *file,
		       const struct code_symbols *symbols, const struct code_symbol *symbol,
		       const struct node *nodes, size_t count)
{
	const struct code_choice *choice = reading->choice;
	struct code_routine routine = {.file = file, .start = symbol->start};
	struct code_range range = {file, symbol->start, symbol->end, choice->intel};
	struct code_routines *routines = reading->routines;
	int status = PERUN_OK;

	choose_names(reading, symbols, symbol, has_wanted(reading, symbol, nodes, count), &routine);
	if (!routine.name_count) {
		perun_free(routine.names);
		return PERUN_OK;
	}
	for (size_t i = 0; i < count; i++) {
		routine.flat += nodes[i].flat;
		routine.cumulative += nodes[i].cumulative;
	}
	/* The last symbol of a file has no end. */
	if (range.end == UINT64_MAX)
		range.end = nodes[count - 1].frame->address + 1;
	status = code_instructions_read(reading->ctx, choice->tools, &range, &routine.listing);
	annotate(reading, nodes, count, &routine);
	PERUN_GROW(routines->items, routines->count, routines->capacity);
	routines->items[routines->count++] = routine;
	return status;
}

/* The samples of one file. */
static int read_file(struct reading *reading, const struct node *nodes, size_t count)
{
	const char *file = perun_profile_string(reading->profile, nodes->frame->object, NULL);
	struct code_symbols symbols = {0};
	int status = PERUN_INPUT;

	if (*file == '/' &&
	    (!reading->choice->may_read || reading->choice->may_read(reading->choice->data, file)))
		status = code_symbols_read(reading->ctx, reading->choice->tools, file, &symbols);
	if (status == PERUN_INPUT) {
		perun_ctx_clear(reading->ctx);
		reading->routines->unread++;
		reading->routines->unread_file = file;
		status = PERUN_OK;
	}
	for (size_t i = 0, same; i < count && !status; i += same) {
		const struct code_symbol *symbol =
			code_symbols_find(&symbols, nodes[i].frame->address);

		same = 1;
		while (symbol && i + same < count && nodes[i + same].frame->address < symbol->end)
			same++;
		if (symbol)
			status = add_routine(reading, file, &symbols, symbol, nodes + i, same);
	}
	code_symbols_free(&symbols);
	return status;
}

static int compare_routines(const void *left, const void *right)
{
	const struct code_routine *a = left, *b = right;
	int order = strcmp(a->names[0], b->names[0]);

	return order ? order : a->start < b->start ? -1 : a->start > b->start;
}

static int make_graph(const struct reading *reading, struct perun_callgraph **graph)
{
	const struct perun_graph_options options = {.struct_size = sizeof options,
						    .granularity = PERUN_BY_ADDRESS,
						    .no_inlines = true,
						    .objects = true,
						    .start_lines = true,
						    .no_edges = true};

	return perun_callgraph_new(reading->ctx, reading->choice->stacks, &options, graph);
}

int code_routines_read(struct perun_ctx *ctx, const struct code_choice *choice,
		       struct code_routines *routines)
{
	struct reading reading = {.ctx = ctx,
				  .profile = perun_stacks_profile(choice->stacks),
				  .choice = choice,
				  .routines = routines};
	struct perun_callgraph *graph = NULL;
	int status = make_graph(&reading, &graph);

	*routines = (struct code_routines){0};
	if (!status)
		take_nodes(&reading, graph);
	if (!status && choice->functions)
		find_points(&reading);
	for (size_t i = 0, same; i < reading.count && !status; i += same) {
		perun_id object = reading.nodes[i].frame->object;

		same = 1;
		while (i + same < reading.count && reading.nodes[i + same].frame->object == object)
			same++;
		status = read_file(&reading, reading.nodes + i, same);
	}
	if (routines->count)
		qsort(routines->items, routines->count, sizeof *routines->items, compare_routines);
	perun_free(reading.nodes);
	perun_free(reading.points);
	perun_callgraph_free(graph);
	return status;
}

void code_routines_free(struct code_routines *routines)
{
	for (size_t i = 0; i < routines->count; i++) {
		struct code_routine *routine = &routines->items[i];

		for (size_t k = 0; k < routine->name_count; k++)
			perun_free(routine->names[k]);
		perun_free(routine->names);
		perun_free(routine->costs);
		code_instructions_free(&routine->listing);
	}
	perun_free(routines->items);
	*routines = (struct code_routines){0};
}
