/* SPDX-License-Identifier: BSD-3-Clause */
/* pyinstrument: its report in JSON, a tree of calls of Python with the time that each took in all. */
#include <math.h>
#include <string.h>

#include "formats/common/stacks.h"
#include "formats/common/stream.h"

enum { NONE = UINT32_MAX };

/* A function as called by the one above it. */
struct node {
	uint32_t above; /* the index; NONE: the root */
	perun_id function, class_name, file, location;
	double line, time, below; /* below: what the calls below it took */
};

struct reading {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	struct node *nodes;
	size_t count, room;
	struct stacks_nodes paths;
	double duration, samples;
};

/* {"function": "f", "file_path": "/a.py", "line_no": 3, "time": 0.5, "children": […]} */
static void read_frame(struct reading *reading, struct stream *stream, uint32_t above)
{
	struct perun_builder *builder = stacks_builder(reading->stacks);
	struct node node = {.above = above, .location = PERUN_NO_ID, .line = NAN, .time = NAN};
	uint32_t index = (uint32_t)reading->count;
	perun_id shorter = 0;

	PERUN_GROW(reading->nodes, reading->count, reading->room);
	reading->nodes[reading->count++] = node;
	while (stream_member(stream)) {
		if (stream_is(stream, "function")) {
			node.function = stream_string(stream, builder);
		} else if (stream_is(stream, "class_name")) {
			node.class_name = stream_string(stream, builder);
		} else if (stream_is(stream, "file_path")) {
			node.file = stream_string(stream, builder);
		} else if (stream_is(stream, "file_path_short")) {
			shorter = stream_string(stream, builder);
		} else if (stream_is(stream, "line_no")) {
			node.line = stream_number(stream);
		} else if (stream_is(stream, "time")) {
			node.time = stream_number(stream);
		} else if (stream_is(stream, "children")) {
			if (stream_array(stream))
				while (stream_object_item(stream, "a call"))
					read_frame(reading, stream, index);
		} else {
			stream_skip(stream);
		}
	}
	if (!node.file)
		node.file = shorter;
	if (isnan(node.time) && !stream_status(stream))
		perun_json_fail(stream->json, "expected a call with its time");
	reading->nodes[index] = node;
}

static void read_document(struct reading *reading, struct stream *stream)
{
	if (!stream_expect_object(stream, "a report of pyinstrument"))
		return;
	while (stream_member(stream)) {
		if (stream_is(stream, "root_frame")) {
			if (stream_object(stream))
				read_frame(reading, stream, NONE);
		} else if (stream_is(stream, "duration")) {
			reading->duration = stream_number(stream);
		} else if (stream_is(stream, "sample_count")) {
			reading->samples = stream_number(stream);
		} else if (stream_is(stream, "target_description") ||
			   stream_is(stream, "program")) {
			char *command = stream_text(stream);

			if (command && *command)
				stacks_command(reading->stacks, command);
			perun_free(command);
		} else {
			stream_skip(stream);
		}
	}
}

/* "Class.method": pyinstrument names the class where a method has one. */
static perun_id location_of(void *data, size_t index)
{
	struct reading *reading = data;
	struct node *node = &reading->nodes[index];
	struct perun_builder *builder = stacks_builder(reading->stacks);
	struct stacks_frame frame = {.name_id = node->function, .file_id = node->file};
	const char *class_name = perun_builder_string_at(builder, node->class_name, NULL);

	if (node->location != PERUN_NO_ID)
		return node->location;
	if (!node->function)
		frame.name = "(unknown)";
	if (node->function && class_name && *class_name) {
		char *name = perun_format("%s.%s", class_name,
					  perun_builder_string_at(builder, node->function, NULL));

		frame.name_id = perun_builder_text(builder, name);
		perun_free(name);
	}
	frame.line = node->line > 0 && node->line < 1e15 ? (int64_t)node->line : 0;
	return node->location = stacks_frame(reading->stacks, &frame);
}

/* What a function takes itself may be a call "[self]" below it. */
static bool is_self(const struct reading *reading, const struct node *node)
{
	const char *name =
		perun_builder_string_at(stacks_builder(reading->stacks), node->function, NULL);

	return node->above != NONE && name && strcmp(name, "[self]") == 0;
}

static int caller_of(void *data, size_t index, size_t *caller)
{
	const struct reading *reading = data;
	uint32_t above = reading->nodes[index].above;

	*caller = above == NONE ? STACKS_NO_NODE : above;
	return PERUN_OK;
}

static int add_row(struct reading *reading, unsigned metric, uint32_t index)
{
	const struct node *node = &reading->nodes[index];
	double own = node->time - node->below;
	perun_id path, stack;
	int status;

	/* Times are rounded to microseconds. */
	if (own < 1e-6 && own <= 1e-6 * node->time + 1e-12)
		return PERUN_OK;
	status = stacks_nodes_path(&reading->paths, index, &path);
	if (!status)
		status = stacks_of_path(reading->stacks, path, &stack);
	if (status)
		return status;
	stacks_value(reading->stacks, metric, own);
	stacks_add(reading->stacks, stack);
	return PERUN_OK;
}

static int add_rows(struct reading *reading)
{
	unsigned metric = stacks_metric(reading->stacks, "time", "s");
	int status = PERUN_OK;

	reading->paths = (struct stacks_nodes){.ctx = reading->ctx,
					       .builder = stacks_builder(reading->stacks),
					       .data = reading,
					       .caller = caller_of,
					       .location = location_of};
	stacks_nodes_begin(&reading->paths, reading->count);
	if (reading->samples >= 1 && reading->duration > 0)
		stacks_sample(reading->stacks, metric, reading->duration / reading->samples);
	for (size_t i = 0; i < reading->count; i++) {
		const struct node *node = &reading->nodes[i];

		if (node->above != NONE && !is_self(reading, node))
			reading->nodes[node->above].below += node->time;
	}
	for (size_t i = 0; !status && i < reading->count; i++)
		if (!is_self(reading, &reading->nodes[i]))
			status = add_row(reading, metric, (uint32_t)i);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx,
				  .stacks = stacks_begin(ctx, builder, "pyinstrument", instance)};
	struct stream stream;
	int status;

	stream_open(&stream, ctx, input);
	read_document(&reading, &stream);
	status = stream_end(&stream);
	stream_close(&stream);
	if (!status)
		status = add_rows(&reading);
	perun_free(reading.nodes);
	stacks_nodes_free(&reading.paths);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && stacks_begins(probe, "{") &&
			       probe_has(probe, "\"root_frame\"") &&
			       probe_has(probe, "\"sample_count\"")
		       ? 90
		       : 0;
}

static const char *const marks[] = {"\"root_frame\"", NULL};

FORMAT_PLUGIN(pyinstrument, "pyinstrument", "calls of Python that pyinstrument timed",
	      stacks_option_table, .open = stacks_open, .close = stacks_close, .contains = marks,
	      .probe = probe_format, .read = read_format);
