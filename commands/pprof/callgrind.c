/* SPDX-License-Identifier: BSD-3-Clause */
/* The report -callgrind: a graph for KCachegrind. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* Names that were written have a number; one list for each kind of name. */
struct name_list {
	struct perun_builder *strings; /* an id for each text */
	uint32_t *numbers;             /* of ids; 0 = not written yet */
	size_t capacity;
	uint32_t count;
};

struct callgrind {
	struct pprof_graph graph;
	struct name_list objects, files, names;
	struct perun_buffer out;
	char **unique; /* of nodes: their name with "[1/2]" where it is not enough */
};

static void add_name(struct name_list *list, const char *name, struct perun_buffer *out)
{
	perun_id id;

	if (!*name)
		return;
	if (!list->strings)
		list->strings = perun_builder_new();
	id = perun_builder_text(list->strings, name);
	if (id >= list->capacity) {
		size_t old = list->capacity;

		list->capacity = (size_t)id * 2 + 64;
		list->numbers =
			perun_realloc_array(list->numbers, list->capacity, sizeof *list->numbers);
		memset(list->numbers + old, 0, (list->capacity - old) * sizeof *list->numbers);
	}
	if (list->numbers[id]) {
		perun_buffer_printf(out, "(%u)", list->numbers[id]);
		return;
	}
	list->numbers[id] = ++list->count;
	perun_buffer_printf(out, "(%u) %s", list->count, name);
}

static void free_names(struct name_list *list)
{
	perun_builder_free(list->strings);
	perun_free(list->numbers);
}

/* ---- names that distinguish nodes -------------------------------------------------------------- */

/*
 * KCachegrind takes functions of the same file and name for one. Those that are not (of other objects,
 * or on other paths with -call_tree) are numbered, in the order of the nodes.
 */
struct named_node {
	uint32_t node, place;
	perun_id text;         /* of file and name */
	struct perun_frame of; /* the function as a whole: without address and line */
	uint32_t parent;
};

static int compare_functions(const struct named_node *l, const struct named_node *r)
{
	int order = memcmp(&l->of, &r->of, sizeof l->of);

	return order ? order : (l->parent > r->parent) - (l->parent < r->parent);
}

static int compare_named(const void *a, const void *b)
{
	const struct named_node *l = a, *r = b;

	if (l->text != r->text)
		return l->text < r->text ? -1 : 1;
	return (l->place > r->place) - (l->place < r->place);
}

/* Number the functions of one name: `list` holds all its nodes in their order. */
static void number_functions(struct callgrind *c, const struct named_node *list, size_t count)
{
	const struct perun_profile *profile = c->graph.report->profile;
	size_t *number = perun_alloc(count * sizeof *number), *first, functions = 0;

	first = perun_alloc(count * sizeof *first); /* of function i: a node of it */
	for (size_t i = 0; i < count; i++) {
		for (number[i] = 0; number[i] < functions; number[i]++) {
			if (compare_functions(&list[first[number[i]]], &list[i]) == 0)
				break;
		}
		if (number[i] == functions)
			first[functions++] = i;
	}
	for (size_t i = 0; i < count; i++) {
		const char *name =
			perun_profile_string(profile, c->graph.frames[list[i].node].name, NULL);

		c->unique[list[i].node] =
			functions > 1 ? perun_format("%s [%zu/%zu]", name, number[i] + 1, functions)
				      : perun_strdup(name);
	}
	perun_free(number);
	perun_free(first);
}

/* The caller of a node by path; 0 for graphs that are not trees. */
static uint32_t parent_of(const struct pprof_graph *graph, uint32_t node)
{
	size_t count;
	const uint32_t *edges = perun_callgraph_callers(graph->graph, node, &count);

	if (!graph->report->settings.call_tree || count == 0)
		return 0;
	return graph->edges[edges[0]].caller + 1;
}

static void make_unique(struct callgrind *c)
{
	struct pprof_graph *graph = &c->graph;
	struct named_node *list = perun_alloc_zero(graph->count + 1, sizeof *list);
	struct perun_builder *strings = perun_builder_new();

	c->unique = perun_alloc_zero(graph->all + 1, sizeof *c->unique);
	for (size_t i = 0; i < graph->count; i++) {
		uint32_t node = graph->nodes[i];
		struct perun_buffer text = {0};

		perun_buffer_add_text(&text, pprof_node_file(graph, node));
		perun_buffer_add_char(&text, '\0');
		perun_buffer_add_text(&text, perun_profile_string(graph->report->profile,
								  graph->frames[node].name, NULL));
		list[i].node = node;
		list[i].place = (uint32_t)i;
		list[i].text = perun_builder_string(strings, text.data, text.length);
		memcpy(&list[i].of, &graph->frames[node], sizeof list[i].of);
		list[i].of.address = 0;
		list[i].of.line = list[i].of.column = 0;
		list[i].parent = parent_of(graph, node);
		perun_buffer_free(&text);
	}
	qsort(list, graph->count, sizeof *list, compare_named);
	for (size_t i = 0, end; i < graph->count; i = end) {
		for (end = i + 1; end < graph->count && list[end].text == list[i].text; end++)
			;
		number_functions(c, list + i, end - i);
	}
	perun_builder_free(strings);
	perun_free(list);
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* Relative to the node before, where that is shorter. */
static void add_address(const struct perun_frame *before, uint64_t address,
			struct perun_buffer *out)
{
	char absolute[24], relative[24];

	snprintf(absolute, sizeof absolute, "0x%" PRIx64, address);
	if (before && before->address == address) {
		perun_buffer_add_char(out, '*');
		return;
	}
	if (before)
		snprintf(relative, sizeof relative, "%+" PRId64,
			 (int64_t)(address - before->address));
	perun_buffer_add_text(out,
			      before && strlen(relative) < strlen(absolute) ? relative : absolute);
}

static int64_t scaled(const struct pprof_report *report, int64_t value)
{
	const char *unit;
	double result = pprof_scale(value, report->unit, report->output_unit, &unit);

	return result >= -0x1p63 && result < 0x1p63 ? (int64_t)result : INT64_MIN;
}

static void add_function(struct callgrind *c, uint32_t node, const struct perun_frame *before)
{
	struct pprof_graph *graph = &c->graph;
	const struct perun_profile *profile = graph->report->profile;
	const struct perun_frame *frame = &graph->frames[node];
	struct perun_buffer *out = &c->out;

	if (before && before->object == frame->object && before->file == frame->file &&
	    before->name == frame->name)
		return;
	perun_buffer_add_text(out, "\nob=");
	add_name(&c->objects, perun_profile_string(profile, frame->object, NULL), out);
	perun_buffer_add_text(out, "\nfl=");
	add_name(&c->files, pprof_node_file(graph, node), out);
	perun_buffer_add_text(out, "\nfn=");
	add_name(&c->names, perun_profile_string(profile, frame->name, NULL), out);
	perun_buffer_add_char(out, '\n');
}

static void add_node(struct callgrind *c, uint32_t node, const struct perun_frame *before)
{
	struct pprof_graph *graph = &c->graph;
	struct perun_buffer *out = &c->out;
	size_t count;
	uint32_t *edges = pprof_sorted_edges(graph, node, false, &count);

	add_address(before, graph->frames[node].address, out);
	perun_buffer_printf(out, " %" PRId64 " %" PRId64 "\n", graph->frames[node].line,
			    scaled(graph->report, pprof_flat(graph, node)));
	for (size_t i = 0; i < count; i++) {
		uint32_t callee = graph->edges[edges[i]].callee;

		perun_buffer_add_text(out, "cfl=");
		add_name(&c->files, pprof_node_file(graph, callee), out);
		perun_buffer_add_text(out, "\ncfn=");
		add_name(&c->names, c->unique[callee] ? c->unique[callee] : "", out);
		perun_buffer_add_text(out, "\ncalls=0 ");
		add_address(before, graph->frames[callee].address, out);
		perun_buffer_printf(out, " %" PRId64 "\n* * %" PRId64 "\n",
				    graph->frames[callee].line,
				    scaled(graph->report, graph->weights[edges[i]]));
	}
	perun_free(edges);
}

int pprof_report_callgrind(struct pprof_report *report)
{
	struct callgrind c = {0};
	const struct perun_frame *before = NULL;
	int status;

	report->settings.node_fraction = report->settings.edge_fraction = 0;
	report->settings.node_count = 0;
	status = pprof_graph_make(report, PPROF_CALLGRIND, &c.graph);
	if (status == PERUN_OK) {
		make_unique(&c);
		perun_buffer_printf(&c.out, "positions: instr line\nevents: %s(%s)\n",
				    report->type_name, report->output_unit);
	}
	for (size_t i = 0; status == PERUN_OK && i < c.graph.count; i++) {
		add_function(&c, c.graph.nodes[i], before);
		add_node(&c, c.graph.nodes[i], before);
		before = &c.graph.frames[c.graph.nodes[i]];
	}
	for (size_t i = 0; c.unique && i < c.graph.all; i++)
		perun_free(c.unique[i]);
	perun_free(c.unique);
	free_names(&c.objects);
	free_names(&c.files);
	free_names(&c.names);
	pprof_graph_clear(&c.graph);
	if (status == PERUN_OK)
		status = perun_output_write(report->output, c.out.data, c.out.length);
	perun_buffer_free(&c.out);
	return status;
}
