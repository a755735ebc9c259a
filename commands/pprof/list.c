/* SPDX-License-Identifier: BSD-3-Clause */
/* -list: the source of functions, and what its lines cost. */
#include "list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph.h"
#include "sources.h"

/* Lines before the first and after the last that cost something. */
enum { MARGIN = 5 };

/* A node of the graph; several for a line that was compiled several times. */
struct place {
	const char *function;
	char *file;
	int64_t line, start_line;
	int64_t flat, cumulative;
	size_t order; /* of appearance in the graph */
};

struct list {
	struct pprof_report *report;
	const struct pprof_lister *lister;
	void *data;
	struct place *places; /* sorted by function, file, order */
	size_t count, capacity;
	struct pprof_source source;
	char *search;
};

/* ---- what matches ---------------------------------------------------------------------------- */

static bool is_shown(const struct list *list, int64_t flat, int64_t cumulative)
{
	if (flat == 0 && cumulative == 0)
		return false;
	return !list->report->settings.drop_negative ||
	       !(flat < 0 || (flat == 0 && cumulative < 0));
}

static void add_places(struct list *list, const struct perun_callgraph *graph,
		       struct perun_regex *regex, struct pprof_paths *paths)
{
	const struct perun_profile *profile = list->report->profile;
	const int64_t *flat = perun_callgraph_flat(graph, 0);
	const int64_t *cumulative = perun_callgraph_cumulative(graph, 0);
	size_t count;
	const struct perun_frame *frames = perun_callgraph_nodes(graph, &count);

	for (size_t i = 0; i < count; i++) {
		const struct perun_frame *frame = &frames[i];
		const char *name = perun_profile_string(profile, frame->name, NULL);
		const char *file = perun_profile_string(profile, frame->file, NULL);

		if (!is_shown(list, flat[i], cumulative[i]) ||
		    !perun_regex_matches(regex, name, strlen(name)))
			continue;
		PERUN_GROW(list->places, list->count, list->capacity);
		list->places[list->count++] =
			(struct place){name,
				       perun_strdup(pprof_clean_path(paths, file)),
				       frame->line,
				       frame->start_line,
				       flat[i],
				       cumulative[i],
				       i};
	}
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = strcmp(a->function, b->function);

	if (!order)
		order = strcmp(a->file, b->file);
	return order ? order : a->order < b->order ? -1 : a->order > b->order;
}

static int find_places(struct list *list)
{
	struct pprof_report *report = list->report;
	const struct pprof_settings *settings = &report->settings;
	struct perun_weight weight = {.values = report->values};
	struct pprof_paths paths = {.trim = settings->trim_path, .source = settings->source_path};
	struct perun_graph_options options;
	struct perun_callgraph *graph = NULL;
	struct perun_regex *regex;
	int status = pprof_compile(report->ctx, settings->command->name, settings->pattern, &regex);

	if (status)
		return status;
	pprof_graph_options(report, &options);
	options.objects = true;
	options.no_edges = true;
	options.file_text = pprof_clean_path;
	options.data = &paths;
	status = perun_stacks_weigh(report->ctx, report->stacks, &weight, 1, PERUN_WEIGH_WRAP);
	if (!status)
		status = perun_callgraph_new(report->ctx, report->stacks, &options, &graph);
	if (!status)
		add_places(list, graph, regex, &paths);
	if (!status && !list->count)
		status = perun_fail(report->ctx, PERUN_INPUT, "no function matches -%s=%s",
				    settings->command->name, settings->pattern);
	if (list->count)
		qsort(list->places, list->count, sizeof *list->places, compare_places);
	perun_callgraph_free(graph);
	perun_regex_free(regex);
	perun_buffer_free(&paths.text);
	return status;
}

/* ---- functions and files --------------------------------------------------------------------- */

/* The lines of source that belong to the places of a file. */
static void find_range(const struct place *places, size_t count, int64_t *first, int64_t *last)
{
	*first = places[0].start_line ? places[0].start_line : places[0].line - MARGIN;
	*last = places[0].line + MARGIN;
	for (size_t i = 0; i < count; i++) {
		int64_t start =
			places[i].start_line ? places[i].start_line : places[i].line - MARGIN;
		int64_t end = places[i].line + MARGIN;

		if (start < *first)
			*first = start;
		else if (end > *last)
			*last = end;
	}
	if (*first < 1)
		*first = 1;
}

static void list_lines(struct list *list, const struct place *places, size_t count)
{
	int64_t first, last;
	const char *text;
	size_t length;

	find_range(places, count, &first, &last);
	for (int64_t n = first; n <= last && pprof_source_line(&list->source, n, &text, &length);
	     n++) {
		uint64_t flat = 0, cumulative = 0;

		for (size_t i = 0; i < count; i++) {
			if (places[i].line != n)
				continue;
			flat += (uint64_t)places[i].flat;
			cumulative += (uint64_t)places[i].cumulative;
		}
		list->lister->line(list->data, n, text, length, (int64_t)flat, (int64_t)cumulative);
	}
}

static void list_file(struct list *list, const struct place *places, size_t count)
{
	const struct pprof_settings *settings = &list->report->settings;
	struct pprof_paths paths = {.trim = settings->trim_path, .source = list->search};
	uint64_t flat = 0, cumulative = 0;

	for (size_t i = 0; i < count; i++) {
		flat += (uint64_t)places[i].flat;
		cumulative += (uint64_t)places[i].cumulative;
	}
	list->lister->start(list->data, places->function, places->file, (int64_t)flat,
			    (int64_t)cumulative);
	pprof_source_read(&list->source, pprof_trim_path(&paths, places->file), list->search);
	if (list->source.error)
		list->lister->error(list->data, list->source.error);
	else
		list_lines(list, places, count);
	list->lister->end(list->data);
}

/* How many of the places have the same function, and file if `file`, as the first. */
static size_t count_same(const struct place *places, size_t count, bool file)
{
	size_t same = 1;

	while (same < count && strcmp(places[same].function, places->function) == 0 &&
	       (!file || strcmp(places[same].file, places->file) == 0))
		same++;
	return same;
}

static void list_function(struct list *list, const struct place *places, size_t count)
{
	size_t nameless = *places->file ? 0 : count_same(places, count, true), same;

	if (nameless == count)
		list->lister->no_source(list->data, places->function);
	for (size_t i = nameless; i < count; i += same) {
		same = count_same(places + i, count - i, true);
		list_file(list, places + i, same);
	}
}

int pprof_list(struct pprof_report *report, const struct pprof_lister *lister, void *data)
{
	struct list list = {.report = report, .lister = lister, .data = data};
	char *here = getcwd(NULL, 0);
	int status = find_places(&list);
	size_t same;

	list.search = perun_strdup(*report->settings.source_path ? report->settings.source_path
				   : here                        ? here
								 : ".");
	for (size_t i = 0; i < list.count && !status; i += same) {
		same = count_same(list.places + i, list.count - i, false);
		list_function(&list, list.places + i, same);
	}
	for (size_t i = 0; i < list.count; i++)
		perun_free(list.places[i].file);
	perun_free(list.places);
	perun_free(list.search);
	pprof_source_clear(&list.source);
	free(here);
	return status;
}

/* ---- text ------------------------------------------------------------------------------------ */

struct text {
	const struct pprof_report *report;
	struct perun_buffer out;
};

static void text_no_source(void *data, const char *function)
{
	struct text *text = data;

	perun_buffer_printf(&text->out, "No source information for %s\n", function);
}

static void text_start(void *data, const char *function, const char *file, int64_t flat,
		       int64_t cumulative)
{
	struct text *text = data;

	perun_buffer_printf(&text->out, "ROUTINE ======================== %s in %s\n", function,
			    file);
	pprof_add_value_padded(text->report, flat, 10, &text->out);
	perun_buffer_add_char(&text->out, ' ');
	pprof_add_value_padded(text->report, cumulative, 10, &text->out);
	perun_buffer_add_text(&text->out, " (flat, cum) ");
	pprof_add_percentage(cumulative, text->report->total, &text->out);
	perun_buffer_add_text(&text->out, " of Total\n");
}

static void text_error(void *data, const char *error)
{
	struct text *text = data;

	perun_buffer_printf(&text->out, " Error: %s\n", error);
}

static void text_line(void *data, int64_t number, const char *line, size_t length, int64_t flat,
		      int64_t cumulative)
{
	struct text *text = data;

	pprof_add_value_or_dot(text->report, flat, &text->out);
	perun_buffer_add_char(&text->out, ' ');
	pprof_add_value_or_dot(text->report, cumulative, &text->out);
	perun_buffer_printf(&text->out, " %6" PRId64 ":", number);
	perun_buffer_add(&text->out, line, length);
	perun_buffer_add_char(&text->out, '\n');
}

static void text_end(void *data)
{
	(void)data;
}

int pprof_report_list(struct pprof_report *report)
{
	static const struct pprof_lister lister = {text_no_source, text_start, text_error,
						   text_line, text_end};
	struct text text = {.report = report};
	int status;

	perun_buffer_add_text(&text.out, "Total: ");
	pprof_add_value(report, report->total, &text.out);
	perun_buffer_add_char(&text.out, '\n');
	status = pprof_list(report, &lister, &text);
	if (!status)
		perun_output_write(report->output, text.out.data, text.out.length);
	perun_buffer_free(&text.out);
	return status;
}
