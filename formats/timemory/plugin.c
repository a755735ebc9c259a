/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timemory: {"timemory": {"WALL_CLOCK": {"type", "unit_repr", "mpi": [[node, ...], ...]}}} with a list of trees for each
 * rank ("tree.json"), or "ranks": [{"rank", "graph": [...]}] with rows and their depths.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/plugin.h"
#include "formats/common/stacks.h"

enum { MAX_VALUES = 64, DEPTH = 4096 };

/* What a component measures: a value, or several (counters of PAPI). */
struct reading {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	const struct perun_json *component;
	unsigned metrics[MAX_VALUES];
	size_t metric_count;
	struct stacks_path path;
	char rank[24];
	bool ranked;
};

/* ---- places ---------------------------------------------------------------------------------- */

/*
 * "main@x.cpp:12/loop" is main/loop in a file at a line, "[f][x.cpp]" f in a file; rows of a graph have ">>> |_" before
 * their name. Anything else is a name.
 */
static perun_id location_of(struct reading *reading, const char *prefix)
{
	const char *mark = strstr(prefix, "|_"), *at, *colon, *middle;
	struct stacks_frame frame = {0};
	struct perun_buffer name = {0};
	perun_id location;

	if (strncmp(prefix, ">>>", 3) == 0 || (*prefix == '|' && mark))
		prefix = mark ? mark + 2 : prefix + 3 + strspn(prefix + 3, " ");
	at = strchr(prefix, '@');
	colon = at ? strchr(at, ':') : NULL;
	middle = *prefix == '[' ? strstr(prefix, "][") : NULL;
	if (colon && strchr("0123456789", colon[1]) && colon[1]) {
		char *rest;

		frame.line = (int64_t)(strtoul(colon + 1, &rest, 10) & INT32_MAX);
		frame.file = at + 1;
		frame.file_length = (size_t)(colon - at - 1);
		perun_buffer_add(&name, prefix, (size_t)(at - prefix));
		perun_buffer_add_text(&name, rest);
	} else if (middle && prefix[strlen(prefix) - 1] == ']') {
		perun_buffer_add(&name, prefix + 1, (size_t)(middle - prefix - 1));
		frame.file = middle + 2;
		frame.file_length = strlen(middle + 2) - 1;
	} else {
		perun_buffer_add_text(&name, prefix);
	}
	if (!frame.file_length)
		frame.file = NULL;
	frame.name = name.length ? name.data : "(unknown)";
	location = stacks_frame(reading->stacks, &frame);
	perun_buffer_free(&name);
	return location;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The name of value i: the component's type, or one of its labels. */
static char *metric_name(const struct reading *reading, size_t i)
{
	const struct perun_json *type = perun_json_get(reading->component, "type");
	const char *text = perun_json_as_string(type, NULL);

	if (!text)
		text = perun_json_as_string(perun_json_at(type, i), NULL);
	return text && *text ? perun_strdup(text) : perun_format("value %zu", i + 1);
}

static const char *metric_unit(const struct reading *reading, size_t i)
{
	const struct perun_json *units = perun_json_get(reading->component, "unit_repr");
	const char *text = perun_json_as_string(units, NULL);

	if (!text)
		text = perun_json_as_string(perun_json_at(units, i), NULL);
	if (!text)
		return "";
	return strcmp(text, "sec") == 0    ? "s"
	       : strcmp(text, "msec") == 0 ? "ms"
	       : strcmp(text, "usec") == 0 ? "us"
	       : strcmp(text, "nsec") == 0 ? "ns"
					   : text;
}

static bool add_value(struct reading *reading, size_t i, double value)
{
	if (i >= MAX_VALUES || !isfinite(value))
		return false;
	while (reading->metric_count <= i) {
		char *name = metric_name(reading, reading->metric_count);

		reading->metrics[reading->metric_count] = stacks_measured(
			reading->stacks, name, metric_unit(reading, reading->metric_count));
		reading->metric_count++;
		perun_free(name);
	}
	stacks_value(reading->stacks, reading->metrics[i], value);
	return true;
}

/* "stats": {"sum": 1.5}, or several sums; else "entry": {"repr_data": 1.5}. */
static bool add_values(struct reading *reading, const struct perun_json *exclusive)
{
	const struct perun_json *sum = perun_json_get(perun_json_get(exclusive, "stats"), "sum");
	bool any = false;
	double value;

	if (!sum)
		sum = perun_json_get(perun_json_get(exclusive, "entry"), "repr_data");
	if (perun_json_as_double(sum, &value))
		return add_value(reading, 0, value);
	for (size_t i = 0; i < perun_json_count(sum); i++)
		if (perun_json_as_double(perun_json_at(sum, i), &value))
			any |= add_value(reading, i, value);
	return any;
}

static void add_label(struct reading *reading, const struct perun_json *node, const char *key,
		      const char *label)
{
	const struct perun_json *ids = perun_json_get(node, key);
	char text[24];
	int64_t id;

	if (perun_json_count(ids) > 1 ||
	    !perun_json_as_int64(perun_json_count(ids) ? perun_json_at(ids, 0) : ids, &id))
		return;
	perun_snprintf(text, sizeof text, "%lld", (long long)id);
	stacks_label(reading->stacks, label, text, strlen(text));
}

static int add_row(struct reading *reading, const struct perun_json *node, size_t depth)
{
	perun_id stack;
	int status;

	if (!add_values(reading, perun_json_get(node, "exclusive")))
		return PERUN_OK;
	status = stacks_make(reading->stacks, reading->path.frames, depth + 1, false, &stack);
	if (status)
		return status;
	if (reading->ranked)
		stacks_label(reading->stacks, "rank", reading->rank, strlen(reading->rank));
	add_label(reading, node, "tid", "thread");
	stacks_add(reading->stacks, stack);
	return PERUN_OK;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* A node without a hash joins trees and is not a place itself. */
static int read_node(struct reading *reading, const struct perun_json *tree, size_t depth)
{
	const struct perun_json *node = perun_json_get(tree, "node");
	const struct perun_json *children = perun_json_get(tree, "children");
	const char *prefix = perun_json_as_string(perun_json_get(node, "prefix"), NULL);
	int64_t hash = 1;
	int status = PERUN_OK;

	if (!prefix)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected a node with the string prefix");
	if (depth == DEPTH)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected at most 4096 nodes within each other");
	perun_json_as_int64(perun_json_get(node, "hash"), &hash);
	if (hash) {
		stacks_path_set(&reading->path, depth, location_of(reading, prefix));
		status = add_row(reading, node, depth++);
	}
	for (size_t i = 0; !status && i < perun_json_count(children); i++)
		status = read_node(reading, perun_json_at(children, i), depth);
	return !status && perun_cancelled(reading->ctx) ? PERUN_CANCELLED : status;
}

/* Lists within lists: ranks, then their trees. */
static int read_ranks(struct reading *reading, const struct perun_json *ranks)
{
	int status = PERUN_OK;

	reading->ranked = perun_json_count(ranks) > 1;
	for (size_t i = 0; !status && i < perun_json_count(ranks); i++) {
		const struct perun_json *rank = perun_json_at(ranks, i);

		perun_snprintf(reading->rank, sizeof reading->rank, "%zu", i);
		if (perun_json_get(rank, "node"))
			status = read_node(reading, rank, 0);
		for (size_t k = 0; !status && perun_json_type(rank) == PERUN_JSON_TYPE_ARRAY &&
				   k < perun_json_count(rank);
		     k++)
			status = read_node(reading, perun_json_at(rank, k), 0);
	}
	return status;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Rows with inclusive values: what a row costs itself is what the rows below it leave. */
static int read_graph(struct reading *reading, const struct perun_json *graph)
{
	struct stacks_tree tree = {.stacks = reading->stacks};
	char *name = metric_name(reading, 0);
	int status = PERUN_OK;

	tree.metric = stacks_measured(reading->stacks, name, metric_unit(reading, 0));
	perun_free(name);
	for (size_t i = 0; !status && i < perun_json_count(graph); i++) {
		const struct perun_json *row = perun_json_at(graph, i);
		const char *prefix = perun_json_as_string(perun_json_get(row, "prefix"), NULL);
		double value = 0;
		int64_t depth = 0;

		perun_json_as_int64(perun_json_get(row, "depth"), &depth);
		if (!prefix || depth < 0) {
			status = perun_fail(reading->ctx, PERUN_INPUT,
					    "expected graph[%zu] to have prefix and depth", i);
			break;
		}
		if (!perun_json_as_double(perun_json_get(perun_json_get(row, "entry"), "repr_data"),
					  &value))
			continue;
		if ((uint64_t)depth > tree.path.count)
			depth = (int64_t)tree.path.count;
		status =
			stacks_tree_open(&tree, (size_t)depth, location_of(reading, prefix), value);
	}
	if (!status)
		status = stacks_tree_close(&tree, 0);
	stacks_tree_free(&tree);
	return status;
}

static int read_component(struct reading *reading)
{
	static const char *const forests[] = {"mpi", "upcxx", "process", "threads"};
	const struct perun_json *ranks = perun_json_get(reading->component, "ranks");
	int status = PERUN_OK;

	reading->metric_count = 0;
	for (size_t i = 0; i < sizeof forests / sizeof *forests; i++) {
		const struct perun_json *forest = perun_json_get(reading->component, forests[i]);

		if (perun_json_type(forest) == PERUN_JSON_TYPE_ARRAY && perun_json_count(forest))
			return read_ranks(reading, forest);
	}
	for (size_t i = 0; !status && i < perun_json_count(ranks); i++)
		status = read_graph(reading, perun_json_get(perun_json_at(ranks, i), "graph"));
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx};
	const struct perun_json *components;
	struct perun_json *document;
	int status = benchmark_document(ctx, input, &document);

	if (status)
		return status;
	reading.stacks = stacks_begin(ctx, builder, "timemory", instance);
	status = benchmark_member(ctx, document, "", "timemory", PERUN_JSON_TYPE_OBJECT,
				  &components);
	for (size_t i = 0; !status && i < perun_json_count(components); i++) {
		reading.component = perun_json_at(components, i);
		if (perun_json_type(reading.component) == PERUN_JSON_TYPE_OBJECT)
			status = read_component(&reading);
	}
	stacks_path_free(&reading.path);
	perun_json_free(document);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && stacks_begins(probe, "{") && probe_has(probe, "\"timemory\"") &&
			       (probe_has(probe, "\"unit_repr\"") || probe_has(probe, "\"graph\""))
		       ? 95
		       : 0;
}

static const char *const marks[] = {"\"timemory\"", NULL};

FORMAT_PLUGIN(timemory, "timemory", "profiles of timemory", stacks_option_table,
	      .open = stacks_open, .close = stacks_close, .contains = marks, .probe = probe_format,
	      .read = read_format);
