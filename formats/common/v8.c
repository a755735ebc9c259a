/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes and samples of V8's profiles. */
#include <math.h>
#include <string.h>

#include "v8.h"

void v8_begin(struct v8_profile *profile, struct stacks *stacks)
{
	*profile = (struct v8_profile){.stacks = stacks, .start = NAN, .end = NAN, .first = NAN};
}

void v8_free(struct v8_profile *profile)
{
	perun_free(profile->nodes);
	perun_free(profile->stack_ids);
	stacks_nodes_free(&profile->paths);
	ids_free(&profile->samples);
	numbers_free(&profile->deltas);
	perun_free(profile->callers);
	stacks_numbers_free(&profile->ids);
	stacks_numbers_free(&profile->above);
	stacks_numbers_free(&profile->sampled);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

struct call_frame {
	char *name, *url;
	double line, column;
	bool zero_based;
};

static void read_frame_member(struct call_frame *frame, struct stream *stream)
{
	if (stream_is(stream, "functionName")) {
		perun_free(frame->name);
		frame->name = stream_text(stream);
	} else if (stream_is(stream, "url")) {
		perun_free(frame->url);
		frame->url = stream_text(stream);
	} else if (stream_is(stream, "lineNumber")) {
		frame->line = stream_number(stream);
	} else if (stream_is(stream, "columnNumber")) {
		frame->column = stream_number(stream);
	} else {
		stream_skip(stream);
	}
}

static int64_t whole(double number)
{
	return number >= 0 && number < 1e15 ? (int64_t)number : 0;
}

/*
 * The root represents no function; functions without a name are called so. Scripts that were made of a text (eval, new Function)
 * have no URL, but lines, which tell such functions apart; those of the runtime have the line -1.
 */
static perun_id location_of(struct v8_profile *profile, const struct call_frame *call)
{
	const char *name = call->name && *call->name ? call->name : "(anonymous)";
	double base = call->zero_based ? 1 : 0;
	struct stacks_frame frame = {.name = name};

	if (strcmp(name, "(root)") == 0)
		return PERUN_NO_ID;
	if (call->url && *call->url)
		frame.file = call->url;
	frame.line = whole(call->line + base);
	frame.column = whole(call->column + base);
	frame.start_line = frame.line;
	return stacks_frame(profile->stacks, &frame);
}

static uint32_t new_node(struct v8_profile *profile)
{
	PERUN_GROW(profile->nodes, profile->node_count, profile->node_room);
	profile->nodes[profile->node_count] =
		(struct v8_node){.parent = UINT32_MAX, .location = PERUN_NO_ID};
	return (uint32_t)profile->node_count++;
}

static void read_children(struct v8_profile *profile, struct stream *stream, uint32_t parent);

/* A member of a node; children are objects, or ids of others. */
static void read_node_member(struct v8_profile *profile, struct stream *stream, uint32_t index,
			     struct call_frame *call)
{
	uint64_t id;
	double number;

	if (stream_is(stream, "id")) {
		if (stream_id(stream, &id)) {
			profile->nodes[index].id = id;
			profile->nodes[index].has_id = true;
		}
	} else if (stream_is(stream, "parent")) {
		if (stream_id(stream, &id)) {
			profile->nodes[index].parent_id = id;
			profile->nodes[index].has_parent = true;
		}
	} else if (stream_is(stream, "hitCount") || stream_is(stream, "selfSize")) {
		number = stream_number(stream);
		if (number > 0)
			profile->nodes[index].self = number;
	} else if (stream_is(stream, "callFrame")) {
		call->zero_based = true;
		if (stream_object(stream))
			while (stream_member(stream))
				read_frame_member(call, stream);
	} else if (stream_is(stream, "children")) {
		if (stream_array(stream))
			read_children(profile, stream, index);
	} else {
		read_frame_member(call, stream);
	}
}

/* The last token is the node's start; the depth is bounded by that of the JSON. */
static void read_node(struct v8_profile *profile, struct stream *stream, uint32_t parent)
{
	struct call_frame call = {.line = NAN, .column = NAN};
	uint32_t index = new_node(profile);

	profile->nodes[index].parent = parent;
	while (stream_member(stream))
		read_node_member(profile, stream, index, &call);
	profile->nodes[index].location = location_of(profile, &call);
	perun_free(call.name);
	perun_free(call.url);
}

/* A child that is listed by its number is found at the end. */
static void add_caller(struct v8_profile *profile, uint64_t child, uint32_t parent)
{
	if (!stacks_numbers_add(&profile->above, child, (uint32_t)profile->caller_count))
		return;
	PERUN_GROW(profile->callers, profile->caller_count, profile->caller_room);
	profile->callers[profile->caller_count++] = parent;
}

static void read_children(struct v8_profile *profile, struct stream *stream, uint32_t parent)
{
	uint64_t id;

	while (stream_item(stream)) {
		if (stream->token->event == PERUN_JSON_OBJECT_START)
			read_node(profile, stream, parent);
		else if (stream_token_id(stream, &id))
			add_caller(profile, id, parent);
		else
			perun_json_fail(stream->json, "expected a node or its number");
	}
}

static void read_nodes(struct v8_profile *profile, struct stream *stream)
{
	while (stream_item(stream)) {
		if (stream->token->event == PERUN_JSON_OBJECT_START)
			read_node(profile, stream, UINT32_MAX);
		else
			perun_json_fail(stream->json, "expected an object for a node");
	}
}

/* Samples are many, nodes few: what is kept of a sample is a small number for its node. */
static void add_sample(struct v8_profile *profile, uint64_t id)
{
	uint32_t place = stacks_numbers_find(&profile->sampled, id);

	if (place == UINT32_MAX) {
		place = (uint32_t)profile->sampled.count;
		stacks_numbers_add(&profile->sampled, id, place);
	}
	ids_add(&profile->samples, place);
}

/* Of a heap, whose tree has the sums: how large single samples are, which represent at least the interval each. */
static void read_heap_sample(struct v8_profile *profile, struct stream *stream)
{
	while (stream_member(stream)) {
		double size;

		if (!stream_is(stream, "size")) {
			stream_skip(stream);
			continue;
		}
		size = fmax(stream_number(stream), V8_HEAP_INTERVAL);
		profile->sizes += size;
		profile->squares += size * size;
	}
}

static void read_samples(struct v8_profile *profile, struct stream *stream)
{
	uint64_t id;

	while (stream_item(stream)) {
		if (stream->token->event == PERUN_JSON_OBJECT_START) {
			read_heap_sample(profile, stream);
			continue;
		}
		if (!stream_token_id(stream, &id)) {
			perun_json_fail(stream->json, "expected the number of a node for a sample");
			return;
		}
		add_sample(profile, id);
	}
}

static void read_deltas(struct v8_profile *profile, struct stream *stream)
{
	double delta;

	while (stream_item(stream)) {
		delta = stream_token_number(stream);
		if (isnan(delta)) {
			perun_json_fail(stream->json, "expected a number for a time delta");
			return;
		}
		numbers_add(&profile->deltas, delta);
	}
}

/* Times of samples, as v8-profiler writes them: deltas from the first one. */
static void read_timestamps(struct v8_profile *profile, struct stream *stream)
{
	double before = NAN;

	while (stream_item(stream)) {
		double at = stream_token_number(stream);

		if (isnan(at)) {
			perun_json_fail(stream->json, "expected a number for a time");
			return;
		}
		if (isnan(before))
			profile->first = at;
		numbers_add(&profile->deltas, isnan(before) ? 0 : at - before);
		before = at;
	}
}

bool v8_read_member(struct v8_profile *profile, struct stream *stream)
{
	if (stream_is(stream, "nodes")) {
		if (stream_array(stream))
			read_nodes(profile, stream);
	} else if (stream_is(stream, "head")) {
		if (stream_object(stream))
			read_node(profile, stream, UINT32_MAX);
	} else if (stream_is(stream, "samples")) {
		if (stream_array(stream))
			read_samples(profile, stream);
	} else if (stream_is(stream, "timeDeltas")) {
		if (stream_array(stream))
			read_deltas(profile, stream);
	} else if (stream_is(stream, "timestamps")) {
		if (stream_array(stream))
			read_timestamps(profile, stream);
	} else if (stream_is(stream, "startTime")) {
		profile->start = stream_number(stream);
	} else if (stream_is(stream, "endTime")) {
		profile->end = stream_number(stream);
	} else {
		return false;
	}
	return true;
}

void v8_clear(struct v8_profile *profile)
{
	stacks_numbers_free(&profile->above);
	stacks_numbers_free(&profile->sampled);
	ids_clear(&profile->samples);
	numbers_clear(&profile->deltas);
	profile->node_count = profile->caller_count = 0;
	profile->start = profile->end = NAN;
}

static void append_samples(struct v8_profile *profile, const struct v8_profile *more)
{
	for (size_t i = 0; i < more->samples.count; i++)
		add_sample(profile, stacks_numbers_key(&more->sampled, ids_at(&more->samples, i)));
}

void v8_append(struct v8_profile *profile, struct v8_profile *more)
{
	uint32_t first = (uint32_t)profile->node_count;

	for (size_t i = 0; i < more->node_count; i++) {
		uint32_t index = new_node(profile);

		profile->nodes[index] = more->nodes[i];
		if (profile->nodes[index].parent != UINT32_MAX)
			profile->nodes[index].parent += first;
	}
	for (size_t i = 0; i < more->above.count; i++)
		add_caller(profile, stacks_numbers_key(&more->above, i), more->callers[i] + first);
	append_samples(profile, more);
	for (size_t i = 0; i < more->deltas.count; i++)
		numbers_add(&profile->deltas, numbers_at(&more->deltas, i));
	if (isfinite(more->start))
		profile->start = more->start;
	if (isfinite(more->end))
		profile->end = more->end;
	v8_clear(more);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Walk from each node towards the root, up to one that is known to get there. */
static int check_circles(const struct v8_profile *profile, struct perun_ctx *ctx)
{
	enum { NEW, OPEN, DONE };
	uint8_t *state = perun_alloc_zero(profile->node_count + 1, 1);
	bool circle = false;

	for (size_t i = 0; i < profile->node_count && !circle; i++) {
		uint32_t at = (uint32_t)i;

		while (at != UINT32_MAX && state[at] == NEW) {
			state[at] = OPEN;
			at = profile->nodes[at].parent;
		}
		circle = at != UINT32_MAX && state[at] == OPEN;
		for (at = (uint32_t)i; at != UINT32_MAX && state[at] == OPEN && !circle;
		     at = profile->nodes[at].parent)
			state[at] = DONE;
	}
	perun_free(state);
	return circle ? perun_fail(ctx, PERUN_INPUT, "a node is its own caller") : PERUN_OK;
}

static int caller_of(void *data, size_t node, size_t *caller)
{
	const struct v8_profile *profile = data;
	uint32_t parent = profile->nodes[node].parent;

	*caller = parent == UINT32_MAX ? STACKS_NO_NODE : parent;
	return PERUN_OK;
}

static perun_id location_at(void *data, size_t node)
{
	const struct v8_profile *profile = data;

	return profile->nodes[node].location;
}

/* Nodes name their parents, or these their children, in any order. */
static int link_nodes(struct v8_profile *profile, struct perun_ctx *ctx)
{
	profile->stack_ids = perun_realloc_array(profile->stack_ids, profile->node_count + 1,
						 sizeof *profile->stack_ids);
	for (size_t i = 0; i < profile->node_count; i++)
		profile->stack_ids[i] = PERUN_NO_ID;
	profile->paths.ctx = ctx;
	profile->paths.builder = stacks_builder(profile->stacks);
	profile->paths.data = profile;
	profile->paths.caller = caller_of;
	profile->paths.location = location_at;
	stacks_nodes_begin(&profile->paths, profile->node_count);
	for (size_t i = 0; i < profile->node_count; i++)
		if (profile->nodes[i].has_id)
			stacks_numbers_add(&profile->ids, profile->nodes[i].id, (uint32_t)i);
	for (size_t i = 0; i < profile->node_count; i++) {
		struct v8_node *node = &profile->nodes[i];
		uint32_t caller = stacks_numbers_find(&profile->above, node->id);

		if (node->parent == UINT32_MAX && node->has_parent)
			node->parent = stacks_numbers_find(&profile->ids, node->parent_id);
		else if (node->parent == UINT32_MAX && node->has_id && caller != UINT32_MAX)
			node->parent = profile->callers[caller];
	}
	return check_circles(profile, ctx);
}

static int stack_of(struct v8_profile *profile, uint32_t index, perun_id *stack)
{
	perun_id *made = &profile->stack_ids[index];
	int status = PERUN_OK;
	perun_id path;

	if (*made == PERUN_NO_ID) {
		status = stacks_nodes_path(&profile->paths, index, &path);
		if (!status)
			status = stacks_of_path(profile->stacks, path, made);
	}
	*stack = *made;
	return status;
}

int v8_add_nodes(struct v8_profile *profile, struct perun_ctx *ctx, unsigned metric)
{
	int status = link_nodes(profile, ctx);
	perun_id stack;

	for (size_t i = 0; !status && i < profile->node_count; i++) {
		if (!(profile->nodes[i].self > 0))
			continue;
		status = stack_of(profile, (uint32_t)i, &stack);
		if (status)
			return status;
		stacks_value(profile->stacks, metric, profile->nodes[i].self);
		stacks_add(profile->stacks, stack);
	}
	return status;
}

/* Rows that are added together. */
struct rows {
	struct v8_profile *profile;
	unsigned metric;
	perun_id labels;
	struct stacks_interval intervals[256];
	size_t count;
};

static void flush_rows(struct rows *rows)
{
	stacks_intervals(rows->profile->stacks, rows->metric, "us", rows->labels, rows->intervals,
			 rows->count);
	rows->count = 0;
}

static int add_interval(struct rows *rows, uint32_t node, double start, double end)
{
	struct v8_profile *profile = rows->profile;
	int status = PERUN_OK;
	perun_id stack;

	if (node == UINT32_MAX)
		return PERUN_OK;
	stack = profile->stack_ids[node];
	if (stack == PERUN_NO_ID) {
		flush_rows(rows); /* each row adds to the frames that stacks may have */
		status = stack_of(profile, node, &stack);
	}
	if (status || end <= start)
		return status;
	rows->intervals[rows->count++] = (struct stacks_interval){start, end, stack};
	if (rows->count == sizeof rows->intervals / sizeof *rows->intervals)
		flush_rows(rows);
	return PERUN_OK;
}

/* Indexes of the nodes that samples name; UINT32_MAX: the file does not have the node. */
static uint32_t *find_sampled(struct v8_profile *profile)
{
	uint32_t *nodes = perun_alloc((profile->sampled.count + 1) * sizeof *nodes);

	for (size_t i = 0; i < profile->sampled.count; i++)
		nodes[i] = stacks_numbers_find(&profile->ids,
					       stacks_numbers_key(&profile->sampled, i));
	stacks_numbers_free(&profile->sampled);
	return nodes;
}

/*
 * A trace that lost events, or begins amid a recording, lacks nodes that its samples name. Such a sample says nothing:
 * what ran before it counts as running on, as in Chrome's own panel.
 */
static uint32_t node_of(struct v8_profile *profile, const uint32_t *nodes, size_t sample,
			uint32_t before)
{
	const uint32_t node = nodes[ids_at(&profile->samples, sample)];

	profile->unknown += node == UINT32_MAX;
	return node == UINT32_MAX ? before : node;
}

/*
 * Delta i is the time from sample i - 1 to sample i, so that sample i lasts for delta i + 1; samples of one node after
 * each other are one interval. Times that go back count from the latest one.
 */
int v8_add_rows(struct v8_profile *profile, struct perun_ctx *ctx, unsigned metric, perun_id labels)
{
	const size_t count = profile->samples.count;
	double at = isfinite(profile->start) ? profile->start : 0, latest, begun, first;
	struct rows rows = {.profile = profile, .metric = metric, .labels = labels};
	int status = link_nodes(profile, ctx);
	uint32_t *nodes, node, next;

	if (status || count == 0)
		return status;
	if (profile->deltas.count == 0 && profile->end > profile->start)
		while (profile->deltas.count < count)
			numbers_add(&profile->deltas,
				    (profile->end - profile->start) / (double)count);
	if (profile->deltas.count < count)
		return perun_fail(ctx, PERUN_INPUT, "there %s %zu sample%s, but %zu time delta%s",
				  count == 1 ? "is" : "are", count, count == 1 ? "" : "s",
				  profile->deltas.count, profile->deltas.count == 1 ? "" : "s");
	nodes = find_sampled(profile);
	node = node_of(profile, nodes, 0, UINT32_MAX);
	if (isfinite(profile->first))
		at = profile->first;
	at += numbers_at(&profile->deltas, 0);
	latest = begun = first = at;
	for (size_t i = 0; !status && i < count; i++, node = next) {
		const bool last = i + 1 == count;

		next = last ? node : node_of(profile, nodes, i + 1, node);
		if (!last)
			at += numbers_at(&profile->deltas, i + 1);
		if (at > latest)
			latest = at;
		if (!last && next == node)
			continue;
		status = add_interval(&rows, node, begun, latest);
		begun = latest;
	}
	perun_free(nodes);
	flush_rows(&rows);
	if (count > 1)
		stacks_sample(profile->stacks, metric, (latest - first) / (double)(count - 1));
	if (!status && profile->unknown)
		perun_warn(ctx, "skipped %zu sample%s of nodes that the file does not have",
			   profile->unknown, profile->unknown == 1 ? "" : "s");
	return status;
}
