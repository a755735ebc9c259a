/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON: a list of cost centres, and a tree of their calls. */
#include <math.h>
#include <string.h>

#include "formats/common/stream.h"
#include "ghc-prof.h"

struct node {
	uint64_t centre;
	uint32_t caller; /* UINT32_MAX = none */
	double ticks, alloc, entries;
	perun_id path; /* STACKS_NEW_PATH: its centre is not there, or that of a caller */
};

struct reading {
	struct stacks *stacks;
	struct stacks_numbers centres; /* id -> location */
	struct node *nodes;
	size_t node_count, node_room;
	struct perun_buffer name;
	double tick; /* in us */
};

static void read_centre(struct reading *reading, struct stream *stream)
{
	char *texts[3] = {NULL, NULL, NULL};
	static const char *const keys[] = {"module", "label", "src_loc"};
	uint64_t id = 0;

	while (stream_member(stream)) {
		size_t i = 0;

		while (i < 3 && !stream_is(stream, keys[i]))
			i++;
		if (i < 3) {
			perun_free(texts[i]);
			texts[i] = stream_text(stream);
		} else if (!stream_is(stream, "id")) {
			stream_skip(stream);
		} else if (!stream_id(stream, &id)) {
			perun_json_fail(stream->json, "expected a number for \"id\"");
		}
	}
	stacks_numbers_add(&reading->centres, id,
			   ghc_location(reading->stacks, &reading->name, texts[0] ? texts[0] : "",
					texts[1] ? texts[1] : "(unknown)", texts[2]));
	for (size_t i = 0; i < 3; i++)
		perun_free(texts[i]);
}

static void read_centres(struct reading *reading, struct stream *stream)
{
	while (stream_item(stream)) {
		if (stream->token->event == PERUN_JSON_OBJECT_START)
			read_centre(reading, stream);
		else
			perun_json_fail(stream->json, "expected an object for a cost centre");
	}
}

/* The last token is the node's start; the depth is bounded by that of the JSON. */
static void read_node(struct reading *reading, struct stream *stream, uint32_t caller)
{
	uint32_t index = (uint32_t)reading->node_count;
	struct node node = {.caller = caller};

	PERUN_GROW(reading->nodes, reading->node_count, reading->node_room);
	reading->nodes[reading->node_count++] = node;
	while (stream_member(stream)) {
		struct node *now = &reading->nodes[index];

		if (stream_is(stream, "id")) {
			if (!stream_id(stream, &now->centre))
				perun_json_fail(stream->json, "expected a number for \"id\"");
		} else if (stream_is(stream, "ticks")) {
			now->ticks = stream_number(stream);
		} else if (stream_is(stream, "alloc")) {
			now->alloc = stream_number(stream);
		} else if (stream_is(stream, "entries")) {
			now->entries = stream_number(stream);
		} else if (!stream_is(stream, "children")) {
			stream_skip(stream);
		} else if (stream_array(stream)) {
			while (stream_item(stream)) {
				if (stream->token->event == PERUN_JSON_OBJECT_START)
					read_node(reading, stream, index);
				else
					perun_json_fail(stream->json, "expected an object");
			}
		}
	}
}

static void read_document(struct reading *reading, struct stream *stream)
{
	char *text;
	double number;

	if (!stream_expect_object(stream, "a profile of GHC"))
		return;
	while (stream_member(stream)) {
		if (stream_is(stream, "cost_centres")) {
			if (stream_array(stream))
				read_centres(reading, stream);
		} else if (stream_is(stream, "profile")) {
			if (stream_object(stream))
				read_node(reading, stream, UINT32_MAX);
		} else if (stream_is(stream, "tick_interval")) {
			number = stream_number(stream);
			if (number > 0)
				reading->tick = number;
		} else if (stream_is(stream, "program")) {
			text = stream_text(stream);
			if (text)
				stacks_command(reading->stacks, text);
			perun_free(text);
		} else {
			stream_skip(stream);
		}
	}
}

/* Callers come before what they call. */
static void find_paths(struct reading *reading)
{
	for (size_t i = 0; i < reading->node_count; i++) {
		struct node *node = &reading->nodes[i];
		uint32_t location = stacks_numbers_find(&reading->centres, node->centre);
		perun_id caller = node->caller == UINT32_MAX ? PERUN_NO_ID
							     : reading->nodes[node->caller].path;

		node->path = location == UINT32_MAX || caller == STACKS_NEW_PATH
				     ? STACKS_NEW_PATH
				     : perun_builder_path(stacks_builder(reading->stacks), caller,
							  location);
	}
}

/* The innermost one counts. */
static int missing_centre(const struct reading *reading, const struct node *node,
			  struct perun_ctx *ctx)
{
	while (stacks_numbers_find(&reading->centres, node->centre) != UINT32_MAX)
		node = &reading->nodes[node->caller];
	return perun_fail(ctx, PERUN_INPUT, "a call names the cost centre %llu, which is not there",
			  (unsigned long long)node->centre);
}

static int add_nodes(struct reading *reading, struct perun_ctx *ctx)
{
	unsigned time = stacks_metric(reading->stacks, "time", "us");
	unsigned alloc = stacks_metric(reading->stacks, "alloc", "bytes");
	unsigned entries = stacks_exact(reading->stacks, "entries", "");
	int status = PERUN_OK;
	perun_id stack;

	stacks_sample(reading->stacks, time, reading->tick);
	find_paths(reading);
	for (size_t i = 0; !status && i < reading->node_count; i++) {
		const struct node *node = &reading->nodes[i];

		if (node->ticks == 0 && node->alloc == 0 && node->entries == 0)
			continue;
		if (node->path == STACKS_NEW_PATH)
			return missing_centre(reading, node, ctx);
		status = stacks_of_path(reading->stacks, node->path, &stack);
		if (status)
			break;
		stacks_value(reading->stacks, time, node->ticks * reading->tick);
		stacks_value(reading->stacks, alloc, node->alloc);
		stacks_value(reading->stacks, entries, node->entries);
		stacks_add(reading->stacks, stack);
	}
	return status;
}

int ghc_read_json(struct perun_ctx *ctx, struct perun_input *input, struct stacks *stacks)
{
	struct reading reading = {.stacks = stacks, .tick = 1000};
	struct stream stream;
	int status;

	stream_open(&stream, ctx, input);
	read_document(&reading, &stream);
	status = stream_end(&stream);
	stream_close(&stream);
	if (!status)
		status = add_nodes(&reading, ctx);
	stacks_numbers_free(&reading.centres);
	perun_free(reading.nodes);
	perun_buffer_free(&reading.name);
	return status;
}
