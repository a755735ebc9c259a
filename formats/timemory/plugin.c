/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timemory: {"timemory": {"WALL_CLOCK": {"type", "unit_repr", "mpi": [[node, ...], ...]}}} with a list of trees for each
 * rank ("tree.json"), or "ranks": [{"rank", "graph": [...]}] with rows and their depths.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/numbers.h"
#include "formats/common/plugin.h"
#include "formats/common/stacks.h"
#include "formats/common/stream.h"

enum { MAX_VALUES = 64, DEPTH = 4096 };

/*
 * The places of a rank, as long as it is not known whether there is another one, which rows of both say: how deep each is, its
 * location, the text of its thread (NaN: none), and what it cost itself.
 */
struct places {
	struct numbers depths, locations, threads, values[MAX_VALUES];
};

struct reading {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	struct perun_json *component; /* without what is streamed */
	/* What a component measures: a value, or several (counters of PAPI). */
	unsigned metrics[MAX_VALUES];
	size_t metric_count;
	struct stacks_path path;
	struct places places;
	struct perun_buffer prefix; /* of the node that is read */
	perun_id rank_key, thread_key;
	int64_t last_number;
	perun_id last_text; /* of that number; 0: of none */
};

/* What is read of a node. */
struct node {
	const char *prefix; /* NULL: there is none */
	int64_t hash, thread;
	bool has_thread;
	const struct perun_json *exclusive;
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

/* The metric of value i, made with those before it. */
static unsigned metric_of(struct reading *reading, size_t i)
{
	while (reading->metric_count <= i) {
		char *name = metric_name(reading, reading->metric_count);

		reading->metrics[reading->metric_count] = stacks_measured(
			reading->stacks, name, metric_unit(reading, reading->metric_count));
		reading->metric_count++;
		perun_free(name);
	}
	return reading->metrics[i];
}

static void note_value(struct reading *reading, size_t place, size_t i, double value)
{
	if (i < MAX_VALUES && isfinite(value))
		numbers_add_at(&reading->places.values[i], place, value);
}

/* "stats": {"sum": 1.5}, or several sums; else "entry": {"repr_data": 1.5}. */
static void note_values(struct reading *reading, size_t place, const struct perun_json *exclusive)
{
	const struct perun_json *sum = perun_json_get(perun_json_get(exclusive, "stats"), "sum");
	double value;

	if (!sum)
		sum = perun_json_get(perun_json_get(exclusive, "entry"), "repr_data");
	if (perun_json_as_double(sum, &value))
		note_value(reading, place, 0, value);
	for (size_t i = 0; i < perun_json_count(sum); i++)
		if (perun_json_as_double(perun_json_pass(sum, i, NULL), &value))
			note_value(reading, place, i, value);
}

/* Most are the same as the one before. */
static perun_id text_of(struct reading *reading, int64_t number)
{
	char text[24];

	if (reading->last_text && reading->last_number == number)
		return reading->last_text;
	perun_snprintf(text, sizeof text, "%lld", (long long)number);
	reading->last_number = number;
	reading->last_text = perun_builder_text(stacks_builder(reading->stacks), text);
	return reading->last_text;
}

/* ---- the places of a rank -------------------------------------------------------------------- */

static void note_place(struct reading *reading, const struct node *node, size_t depth)
{
	struct places *places = &reading->places;
	const size_t place = places->depths.count;

	numbers_add(&places->depths, (double)depth);
	numbers_add(&places->locations, location_of(reading, node->prefix));
	note_values(reading, place, node->exclusive);
	if (node->has_thread)
		numbers_add_at(&places->threads, place, text_of(reading, node->thread));
}

static void forget_places(struct reading *reading)
{
	struct places *places = &reading->places;

	numbers_free(&places->depths);
	numbers_free(&places->locations);
	numbers_free(&places->threads);
	for (size_t i = 0; i < MAX_VALUES; i++)
		numbers_free(&places->values[i]);
	*places = (struct places){0};
}

/* A row of a place that has a value; `rank`: PERUN_NO_ID where there is one alone. */
static int add_row(struct reading *reading, size_t place, perun_id rank)
{
	const struct places *places = &reading->places;
	const size_t depth = (size_t)numbers_at(&places->depths, place);
	bool any = false;
	perun_id stack;
	int status;

	stacks_path_set(&reading->path, depth, (perun_id)numbers_at(&places->locations, place));
	for (size_t i = 0; i < MAX_VALUES && places->values[i].count; i++) {
		double value = numbers_at(&places->values[i], place);

		if (isnan(value))
			continue;
		stacks_value(reading->stacks, metric_of(reading, i), value);
		any = true;
	}
	if (!any)
		return PERUN_OK;
	status = stacks_path_stack(reading->stacks, &reading->path, depth + 1, &stack);
	if (status)
		return status;
	if (rank != PERUN_NO_ID)
		stacks_label_ids(reading->stacks, reading->rank_key, rank);
	if (!isnan(numbers_at(&places->threads, place)))
		stacks_label_ids(reading->stacks, reading->thread_key,
				 (perun_id)numbers_at(&places->threads, place));
	stacks_add(reading->stacks, stack);
	return PERUN_OK;
}

static int add_rows(struct reading *reading, size_t rank, bool alone)
{
	const perun_id text = alone ? PERUN_NO_ID : text_of(reading, (int64_t)rank);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < reading->places.depths.count; i++)
		status = add_row(reading, i, text);
	forget_places(reading);
	return status;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* A node without a hash joins trees and is not a place itself. `*depth`: that of its children. */
static int take_node(struct reading *reading, const struct node *node, size_t *depth)
{
	if (!node->prefix)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected a node with the string prefix");
	if (*depth == DEPTH)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected at most 4096 nodes within each other");
	if (node->hash)
		note_place(reading, node, (*depth)++);
	return PERUN_OK;
}

/* The thread of a node that several ran is not known. */
static bool find_thread(const struct perun_json *ids, int64_t *thread)
{
	size_t count = perun_json_count(ids);

	return count <= 1 && perun_json_as_int64(count ? perun_json_at(ids, 0) : ids, thread);
}

static int read_node(struct reading *reading, const struct perun_json *document, size_t *depth)
{
	struct node node = {.prefix =
				    perun_json_as_string(perun_json_get(document, "prefix"), NULL),
			    .hash = 1,
			    .exclusive = perun_json_get(document, "exclusive")};

	perun_json_as_int64(perun_json_get(document, "hash"), &node.hash);
	node.has_thread = find_thread(perun_json_get(document, "tid"), &node.thread);
	return take_node(reading, &node, depth);
}

static void read_prefix(struct reading *reading, struct stream *stream, struct node *node)
{
	node->prefix = NULL;
	if (perun_json_next(stream->json) == PERUN_JSON_STRING) {
		perun_buffer_clear(&reading->prefix);
		perun_buffer_add(&reading->prefix, stream->token->text, stream->token->length);
		perun_buffer_add_char(&reading->prefix, '\0');
		node->prefix = reading->prefix.data;
	}
	stream_skip(stream);
}

static bool is_whole(const struct perun_json_token *token)
{
	return token->event == PERUN_JSON_NUMBER && token->kind == PERUN_JSON_INT64;
}

static void read_hash(struct stream *stream, struct node *node)
{
	node->hash = 1;
	perun_json_next(stream->json);
	if (is_whole(stream->token))
		node->hash = stream->token->number.int64;
	stream_skip(stream);
}

/* As find_thread(): a number, or a list of one. */
static void read_thread(struct stream *stream, struct node *node)
{
	size_t count = 0;

	node->has_thread = false;
	if (perun_json_next(stream->json) != PERUN_JSON_ARRAY_START) {
		node->has_thread = is_whole(stream->token);
		node->thread = stream->token->number.int64;
		stream_skip(stream);
		return;
	}
	while (stream_item(stream)) {
		node->has_thread = count++ == 0 && is_whole(stream->token);
		node->thread = stream->token->number.int64;
		stream_skip(stream);
	}
}

/* The node whose start was read. */
static int stream_node(struct reading *reading, struct stream *stream, size_t *depth)
{
	struct perun_json *exclusive = NULL;
	struct node node = {.hash = 1};
	int status = PERUN_OK;

	while (!status && stream_member(stream)) {
		if (stream_is(stream, "prefix")) {
			read_prefix(reading, stream, &node);
		} else if (stream_is(stream, "hash")) {
			read_hash(stream, &node);
		} else if (stream_is(stream, "tid")) {
			read_thread(stream, &node);
		} else if (stream_is(stream, "exclusive")) {
			perun_json_free(exclusive);
			status = perun_json_read_value(stream->json, &exclusive);
		} else {
			stream_skip(stream);
		}
	}
	if (!status)
		status = stream_status(stream);
	node.exclusive = exclusive;
	if (!status)
		status = take_node(reading, &node, depth);
	perun_json_free(exclusive);
	return status;
}

/* A tree as a document: its node may follow its children. */
static int read_tree(struct reading *reading, const struct perun_json *tree, size_t depth)
{
	const struct perun_json *children = perun_json_get(tree, "children");
	int status = read_node(reading, perun_json_get(tree, "node"), &depth);

	for (size_t i = 0; !status && i < perun_json_count(children); i++)
		status = read_tree(reading, perun_json_pass(children, i, NULL), depth);
	return !status && perun_cancelled(reading->ctx) ? PERUN_CANCELLED : status;
}

static int stream_tree(struct reading *reading, struct stream *stream, size_t depth, bool optional);

/* The trees of an array. */
static int stream_trees(struct reading *reading, struct stream *stream, size_t depth)
{
	int status = PERUN_OK;

	while (!status && stream_item(stream))
		status = stream_tree(reading, stream, depth, false);
	return status ? status : stream_status(stream);
}

/* The tree that the token begins; `optional`: what has no node is none. */
static int stream_tree(struct reading *reading, struct stream *stream, size_t depth, bool optional)
{
	struct perun_json *early = NULL; /* children before their node */
	const bool is_object = stream->token->event == PERUN_JSON_OBJECT_START;
	bool known = false;
	int status = PERUN_OK;

	if (!is_object)
		stream_skip(stream);
	while (!status && is_object && stream_member(stream)) {
		if (stream_is(stream, "node") && !known) {
			known = stream_object(stream);
			if (known)
				status = stream_node(reading, stream, &depth);
		} else if (!stream_is(stream, "children")) {
			stream_skip(stream);
		} else if (!known) {
			perun_json_free(early);
			status = perun_json_read_value(stream->json, &early);
		} else if (stream_array(stream)) {
			status = stream_trees(reading, stream, depth);
		}
	}
	if (!status)
		status = stream_status(stream);
	if (!status && !known && !optional)
		status = read_node(reading, NULL, &depth);
	for (size_t i = 0; !status && known && i < perun_json_count(early); i++)
		status = read_tree(reading, perun_json_pass(early, i, NULL), depth);
	perun_json_free(early);
	return status;
}

/* Lists within lists: ranks, then their trees. */
static int stream_ranks(struct reading *reading, struct stream *stream, bool *any)
{
	size_t count = 0;
	int status = PERUN_OK;

	while (!status && stream_item(stream)) {
		if (count)
			status = add_rows(reading, count - 1, false);
		count++;
		if (status)
			break;
		if (stream->token->event == PERUN_JSON_ARRAY_START)
			status = stream_trees(reading, stream, 0);
		else
			status = stream_tree(reading, stream, 0, true);
	}
	if (!status)
		status = stream_status(stream);
	*any = count > 0;
	return status || !count ? status : add_rows(reading, count - 1, count == 1);
}

/* The same of a document. */
static int read_ranks(struct reading *reading, const struct perun_json *ranks)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < perun_json_count(ranks); i++) {
		const struct perun_json *rank = perun_json_pass(ranks, i, NULL);

		if (perun_json_get(rank, "node"))
			status = read_tree(reading, rank, 0);
		for (size_t k = 0; !status && perun_json_type(rank) == PERUN_JSON_TYPE_ARRAY &&
				   k < perun_json_count(rank);
		     k++)
			status = read_tree(reading, perun_json_pass(rank, k, NULL), 0);
		if (!status)
			status = add_rows(reading, i, perun_json_count(ranks) == 1);
	}
	return status;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Row `i` of a graph, with inclusive values: what a row costs itself is what the rows below it leave. */
static int read_row(struct reading *reading, struct stacks_tree *tree, const struct perun_json *row,
		    size_t i)
{
	const char *prefix = perun_json_as_string(perun_json_get(row, "prefix"), NULL);
	double value = 0;
	int64_t depth = 0;

	perun_json_as_int64(perun_json_get(row, "depth"), &depth);
	if (!prefix || depth < 0)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected graph[%zu] to have prefix and depth", i);
	if (!perun_json_as_double(perun_json_get(perun_json_get(row, "entry"), "repr_data"),
				  &value))
		return PERUN_OK;
	if ((uint64_t)depth > tree->path.count)
		depth = (int64_t)tree->path.count;
	return stacks_tree_open(tree, (size_t)depth, location_of(reading, prefix), value);
}

static int end_graph(struct stacks_tree *tree, int status)
{
	if (!status)
		status = stacks_tree_close(tree, 0);
	stacks_tree_free(tree);
	return status;
}

static int read_graph(struct reading *reading, const struct perun_json *graph)
{
	struct stacks_tree tree = {.stacks = reading->stacks, .metric = metric_of(reading, 0)};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < perun_json_count(graph); i++)
		status = read_row(reading, &tree, perun_json_pass(graph, i, NULL), i);
	return end_graph(&tree, status);
}

static int stream_graph(struct reading *reading, struct stream *stream)
{
	struct stacks_tree tree = {.stacks = reading->stacks, .metric = metric_of(reading, 0)};
	struct perun_json *row;
	int status = PERUN_OK;

	for (size_t i = 0; !status && stream_item(stream); i++) {
		status = perun_json_read_value(stream->json, &row);
		if (!status)
			status = read_row(reading, &tree, row, i);
		perun_json_free(row);
	}
	return end_graph(&tree, status ? status : stream_status(stream));
}

static int stream_graphs(struct reading *reading, struct stream *stream, bool *any)
{
	int status = PERUN_OK;

	while (!status && stream_item(stream)) {
		*any = true;
		if (stream->token->event != PERUN_JSON_OBJECT_START) {
			stream_skip(stream);
			continue;
		}
		while (!status && stream_member(stream)) {
			if (!stream_is(stream, "graph"))
				stream_skip(stream);
			else if (stream_array(stream))
				status = stream_graph(reading, stream);
		}
	}
	return status ? status : stream_status(stream);
}

/* ---- components ------------------------------------------------------------------------------ */

/* What holds the places of a component: the first that is not empty. */
static const char *const holders[] = {"mpi", "upcxx", "process", "threads", "ranks"};
enum { HOLDERS = sizeof holders / sizeof *holders, RANKS = HOLDERS - 1 };

static size_t find_holder(const struct perun_json_token *key)
{
	size_t i = 0;

	while (i < HOLDERS && !perun_json_token_is(key, holders[i]))
		i++;
	return i;
}

/* As a document, where the names of the metrics follow. */
static int read_component(struct reading *reading)
{
	const struct perun_json *ranks = perun_json_get(reading->component, holders[RANKS]);
	int status = PERUN_OK;

	for (size_t i = 0; i < RANKS; i++) {
		const struct perun_json *forest = perun_json_get(reading->component, holders[i]);

		if (perun_json_type(forest) == PERUN_JSON_TYPE_ARRAY && perun_json_count(forest))
			return read_ranks(reading, forest);
	}
	for (size_t i = 0; !status && i < perun_json_count(ranks); i++)
		status = read_graph(reading,
				    perun_json_get(perun_json_pass(ranks, i, NULL), "graph"));
	return status;
}

/* The member whose key was read. `*done`: the places were. */
static int read_member(struct reading *reading, struct stream *stream, bool *done)
{
	const size_t holder = find_holder(stream->token);
	const bool named = perun_json_get(reading->component, "type") &&
			   perun_json_get(reading->component, "unit_repr");
	struct perun_json *value = NULL;
	char *key;
	int status;

	if (holder < HOLDERS && (named || *done)) {
		if (*done)
			stream_skip(stream);
		else if (stream_array(stream))
			return holder == RANKS ? stream_graphs(reading, stream, done)
					       : stream_ranks(reading, stream, done);
		return stream_status(stream);
	}
	if (holder == HOLDERS && !stream_is(stream, "type") && !stream_is(stream, "unit_repr")) {
		stream_skip(stream);
		return stream_status(stream);
	}
	key = perun_strndup(stream->token->text, stream->token->length);
	status = perun_json_read_value(stream->json, &value);
	perun_json_set(reading->component, key, value);
	perun_free(key);
	return status;
}

static int stream_component(struct reading *reading, struct stream *stream)
{
	bool done = false;
	int status = PERUN_OK;

	reading->metric_count = 0;
	reading->component = perun_json_object();
	while (!status && stream_member(stream))
		status = read_member(reading, stream, &done);
	if (!status)
		status = stream_status(stream);
	if (!status && !done)
		status = read_component(reading);
	perun_json_free(reading->component);
	return status;
}

static int stream_components(struct reading *reading, struct stream *stream)
{
	int status = PERUN_OK;

	while (!status && stream_member(stream))
		if (stream_object(stream))
			status = stream_component(reading, stream);
	return status ? status : stream_status(stream);
}

static int read_document(struct reading *reading, struct stream *stream)
{
	const char *found = "nothing";
	bool any = false;
	int status = PERUN_OK;

	if (!stream_expect_object(stream, NULL))
		return stream_status(stream);
	while (!status && stream_member(stream)) {
		if (!stream_is(stream, "timemory") || any) {
			stream_skip(stream);
			continue;
		}
		any = perun_json_next(stream->json) == PERUN_JSON_OBJECT_START;
		found = perun_json_event_name(stream->token->event);
		if (any)
			status = stream_components(reading, stream);
		else
			stream_skip(stream);
	}
	if (!status)
		status = stream_end(stream);
	if (!status && !any)
		status = perun_fail(reading->ctx, PERUN_INPUT,
				    "expected timemory to be an object, found %s", found);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx};
	struct stream stream;
	int status;

	if (perun_input_is_directory(input))
		return perun_fail(ctx, PERUN_INPUT, "expected a file, found a directory");
	reading.stacks = stacks_begin(ctx, builder, "timemory", instance);
	reading.rank_key = perun_builder_text(builder, "rank");
	reading.thread_key = perun_builder_text(builder, "thread");
	stream_open(&stream, ctx, input);
	status = read_document(&reading, &stream);
	stream_close(&stream);
	forget_places(&reading);
	perun_buffer_free(&reading.prefix);
	stacks_path_free(&reading.path);
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
