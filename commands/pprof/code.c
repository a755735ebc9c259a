/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples by address, brought together with the symbols and instructions of the files that they are of. */
#include "code.h"

#include <stdlib.h>
#include <string.h>

#include "commands/common/code/short-name.h"
#include "commands/common/code/symbols.h"
#include "commands/common/symbolize.h"
#include "graph.h"

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
	struct pprof_report *report;
	const struct pprof_code_choice *choice;
	struct pprof_code *code;
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
	const struct perun_profile *profile = reading->report->profile;
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
	const struct perun_profile *profile = reading->report->profile;
	size_t count = perun_profile_locations(profile);

	reading->points = perun_alloc_zero(count + 1, sizeof *reading->points);
	for (size_t i = 0; i < count; i++) {
		const struct perun_location *location =
			perun_profile_location(profile, (perun_id)i);
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

static int weigh(struct reading *reading, struct perun_callgraph **graph)
{
	struct pprof_report *report = reading->report;
	struct perun_weight weight = {.values = report->values};
	struct perun_graph_options options;
	int status;

	pprof_graph_options(report, &options);
	options.granularity = PERUN_BY_ADDRESS;
	options.no_inlines = true;
	options.columns = false;
	options.objects = true;
	options.no_edges = true;
	status = perun_stacks_weigh(report->ctx, report->stacks, &weight, 1, PERUN_WEIGH_WRAP);
	if (!status)
		status = perun_callgraph_new(report->ctx, report->stacks, &options, graph);
	return status;
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
			 const struct code_symbol *symbol, bool all, struct pprof_routine *routine)
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
	const struct perun_profile *profile = reading->report->profile;

	if (!*code->file)
		code->file = perun_profile_string(profile, frame->file, NULL);
	if (!code->line)
		code->line = frame->line;
	if (!*code->function)
		code->function = perun_profile_string(profile, frame->name, NULL);
}

/* Samples in the middle of an instruction, as those of calls are, count for it. */
static void annotate(const struct reading *reading, const struct node *nodes, size_t count,
		     struct pprof_routine *routine)
{
	const struct code_instructions *listing = &routine->listing;
	size_t at = 0;

	routine->instructions = perun_alloc_zero(listing->count + 1, sizeof *routine->instructions);
	routine->count = listing->count;
	for (size_t i = 0; i < listing->count; i++) {
		struct pprof_instruction *instruction = &routine->instructions[i];
		uint64_t next = i + 1 < listing->count ? listing->items[i + 1].address : UINT64_MAX;

		instruction->code = listing->items[i];
		for (; at < count && nodes[at].frame->address < next; at++) {
			instruction->flat += nodes[at].flat;
			instruction->cumulative += nodes[at].cumulative;
			complete_place(reading, nodes[at].frame, &instruction->code);
		}
	}
}

static int add_routine(struct reading *reading, const char *file,
		       const struct code_symbols *symbols, const struct code_symbol *symbol,
		       const struct node *nodes, size_t count)
{
	const struct pprof_settings *settings = &reading->report->settings;
	struct pprof_routine routine = {.file = file, .start = symbol->start};
	struct code_range range = {file, symbol->start, symbol->end, settings->intel_syntax};
	struct pprof_code *code = reading->code;
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
	status = code_instructions_read(reading->report->ctx, settings->tools, &range,
					&routine.listing);
	annotate(reading, nodes, count, &routine);
	PERUN_GROW(code->routines, code->count, code->capacity);
	code->routines[code->count++] = routine;
	return status;
}

/* The samples of one file. */
static int read_file(struct reading *reading, const struct node *nodes, size_t count)
{
	const char *file =
		perun_profile_string(reading->report->profile, nodes->frame->object, NULL);
	struct code_symbols symbols = {0};
	int status = PERUN_INPUT;

	if (*file == '/')
		status = code_symbols_read(reading->report->ctx, reading->report->settings.tools,
					   file, &symbols);
	if (status == PERUN_INPUT) {
		perun_ctx_clear(reading->report->ctx);
		reading->code->unread++;
		reading->code->unread_file = file;
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
	const struct pprof_routine *a = left, *b = right;
	int order = strcmp(a->names[0], b->names[0]);

	return order ? order : a->start < b->start ? -1 : a->start > b->start;
}

int pprof_code_read(struct pprof_report *report, const struct pprof_code_choice *choice,
		    struct pprof_code *code)
{
	struct reading reading = {.report = report, .choice = choice, .code = code};
	struct perun_callgraph *graph = NULL;
	int status = commands_can_symbolize() ? weigh(&reading, &graph) : PERUN_MISSING;

	*code = (struct pprof_code){0};
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
	if (code->count)
		qsort(code->routines, code->count, sizeof *code->routines, compare_routines);
	perun_free(reading.nodes);
	perun_free(reading.points);
	perun_callgraph_free(graph);
	return status;
}

void pprof_code_free(struct pprof_code *code)
{
	for (size_t i = 0; i < code->count; i++) {
		struct pprof_routine *routine = &code->routines[i];

		for (size_t k = 0; k < routine->name_count; k++)
			perun_free(routine->names[k]);
		perun_free(routine->names);
		perun_free(routine->instructions);
		code_instructions_free(&routine->listing);
	}
	perun_free(code->routines);
	*code = (struct pprof_code){0};
}
