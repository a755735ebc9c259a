/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks from the traces of resources. */
#include <stdlib.h>
#include <string.h>

#include "reading.h"

/*
 * A trace is a list of frames, {"function": "f", "source": "f.c", "line": 3} or {"func": "f"}. The
 * collector memory writes the innermost first, with the uid; kperf the outermost first, and the uid is the
 * leaf, which the trace does not hold: an equal frame there is a recursion. Of other collectors the uid,
 * which is where the resource was taken, says which end is the inner one; a uid that the trace lacks is a
 * frame of its own.
 */
enum order { ORDER_BY_UID, ORDER_INNERMOST_FIRST, ORDER_CALLERS_OF_UID };

struct frame {
	perun_id function, file; /* texts; PERUN_NO_ID = not said */
	int64_t line;
};

struct stacks {
	struct reading *reading;
	struct perun_json_reader *json;
	const struct perun_json_token *token;
	enum order order;
	struct map known; /* uid and trace -> stack */
	struct frame *frames;
	size_t count, capacity;
	perun_id *locations;
	size_t location_capacity;
};

static perun_id token_text(struct stacks *stacks)
{
	return perun_builder_string(stacks->reading->builder, stacks->token->text,
				    stacks->token->length);
}

static bool token_is_one_of(const struct perun_json_token *token, const char *const *words)
{
	for (; *words; words++) {
		if (perun_json_token_is(token, *words))
			return true;
	}
	return false;
}

/* A frame from the object that begins. */
static struct frame read_frame(struct stacks *stacks)
{
	static const char *const functions[] = {"function", "func", "method", NULL};
	static const char *const files[] = {"source", "file", NULL};
	struct frame frame = {PERUN_NO_ID, PERUN_NO_ID, 0};
	enum perun_json_event event;

	while (perun_json_next(stacks->json) == PERUN_JSON_KEY) {
		bool function = token_is_one_of(stacks->token, functions);
		bool file = token_is_one_of(stacks->token, files);
		bool line = perun_json_token_is(stacks->token, "line");

		event = perun_json_next(stacks->json);
		if (event == PERUN_JSON_STRING && function)
			frame.function = token_text(stacks);
		else if (event == PERUN_JSON_STRING && file)
			frame.file = token_text(stacks);
		else if (event == PERUN_JSON_NUMBER && line &&
			 stacks->token->kind == PERUN_JSON_INT64)
			frame.line = stacks->token->number.int64;
		else
			perun_json_skip(stacks->json);
	}
	return frame;
}

static void add_frame(struct stacks *stacks, struct frame frame)
{
	if (frame.function == PERUN_NO_ID && frame.file == PERUN_NO_ID)
		return;
	PERUN_GROW(stacks->frames, stacks->count, stacks->capacity);
	stacks->frames[stacks->count++] = frame;
}

/* Texts are added while this one is read, but it stays where it is. */
static void set_json(struct stacks *stacks, perun_id text)
{
	size_t length;
	const char *json = perun_builder_string_at(stacks->reading->builder, text, &length);

	perun_json_reader_set_text(stacks->json, json, length);
}

static void read_trace(struct stacks *stacks, perun_id text)
{
	enum perun_json_event event;

	stacks->count = 0;
	set_json(stacks, text);
	event = perun_json_next(stacks->json);
	while (event == PERUN_JSON_ARRAY_START &&
	       (event = perun_json_next(stacks->json)) != PERUN_JSON_ARRAY_END) {
		if (event == PERUN_JSON_ERROR)
			break;
		if (event == PERUN_JSON_OBJECT_START)
			add_frame(stacks, read_frame(stacks));
		else if (event == PERUN_JSON_STRING)
			add_frame(stacks, (struct frame){token_text(stacks), PERUN_NO_ID, 0});
		else
			perun_json_skip(stacks->json);
		event = PERUN_JSON_ARRAY_START;
	}
}

static struct frame read_uid(struct stacks *stacks, const struct value *uid)
{
	struct frame frame = {PERUN_NO_ID, PERUN_NO_ID, 0};

	if (uid->tag == TAG_STRING) {
		frame.function = (perun_id)uid->bits;
	} else if (uid->tag == TAG_JSON) {
		set_json(stacks, (perun_id)uid->bits);
		if (perun_json_next(stacks->json) == PERUN_JSON_OBJECT_START)
			frame = read_frame(stacks);
	}
	return frame;
}

/*
 * The word for a file that is not known. In traces of the memory collector it is that of allocators, and these begin with
 * the innermost frame.
 */
static bool is_unreachable(const struct stacks *stacks, const struct frame *frame)
{
	return frame->file != PERUN_NO_ID &&
	       strcmp(perun_builder_string_at(stacks->reading->builder, frame->file, NULL),
		      "unreachable") == 0;
}

static void turn_round(struct stacks *stacks)
{
	struct frame *frames = stacks->frames, swap;
	size_t count = stacks->count;

	for (size_t i = 0; i < count / 2; i++) {
		swap = frames[i];
		frames[i] = frames[count - 1 - i];
		frames[count - 1 - i] = swap;
	}
}

/* The uid becomes the innermost frame of those that are in order. */
static void put_uid_first(struct stacks *stacks, const struct frame *uid)
{
	size_t before = stacks->count;

	add_frame(stacks, *uid);
	if (stacks->count == before)
		return;
	memmove(stacks->frames + 1, stacks->frames, before * sizeof *stacks->frames);
	stacks->frames[0] = *uid;
}

static bool begins_outermost(const struct stacks *stacks, const struct frame *uid)
{
	const struct frame *frames = stacks->frames;

	return stacks->order == ORDER_BY_UID && frames[0].function != uid->function &&
	       frames[stacks->count - 1].function == uid->function &&
	       !is_unreachable(stacks, &frames[0]);
}

/* The innermost frame comes first, and the uid is in. */
static void arrange(struct stacks *stacks, const struct frame *uid)
{
	if (stacks->order == ORDER_CALLERS_OF_UID) {
		turn_round(stacks);
		put_uid_first(stacks, uid);
		return;
	}
	if (!stacks->count || uid->function == PERUN_NO_ID)
		return;
	if (begins_outermost(stacks, uid)) {
		turn_round(stacks);
		return;
	}
	for (size_t i = 0; i < stacks->count; i++) {
		if (stacks->frames[i].function == uid->function)
			return;
	}
	put_uid_first(stacks, uid);
}

static perun_id make_location(struct stacks *stacks, const struct frame *frame)
{
	struct perun_builder *builder = stacks->reading->builder;
	bool has_file = frame->file != PERUN_NO_ID && !is_unreachable(stacks, frame);
	struct perun_function function = {.name = frame->function == PERUN_NO_ID ? 0
										 : frame->function,
					  .file = has_file ? frame->file : 0};
	struct perun_line line = {.line = frame->line};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

	line.function = perun_builder_function(builder, &function);
	return perun_builder_location(builder, &location);
}

static perun_id make_stack(struct stacks *stacks, const struct value *uid, perun_id trace)
{
	struct frame frame;
	size_t i;

	read_trace(stacks, trace);
	frame = read_uid(stacks, uid);
	arrange(stacks, &frame);
	if (!stacks->count)
		return PERUN_NO_ID;
	for (i = 0; i < stacks->count; i++) {
		PERUN_GROW(stacks->locations, i, stacks->location_capacity);
		stacks->locations[i] = make_location(stacks, &stacks->frames[i]);
	}
	return perun_builder_stack(stacks->reading->builder, stacks->locations, stacks->count);
}

static perun_id find_stack(struct stacks *stacks, const struct value *uid,
			   const struct value *trace)
{
	bool named = uid->tag == TAG_STRING || uid->tag == TAG_JSON;
	/* Ids of texts use 31 bits. */
	uint64_t key = (uint64_t)(uid->tag == TAG_JSON) << 63 | (named ? uid->bits + 1 : 0) << 31 |
		       trace->bits;
	perun_id stack;

	if (trace->tag != TAG_JSON)
		return PERUN_NO_ID;
	stack = perunjson_map_get(&stacks->known, key);
	if (stack != MAP_NONE)
		return stack == MAP_NONE - 1 ? PERUN_NO_ID : stack;
	stack = make_stack(stacks, uid, (perun_id)trace->bits);
	perunjson_map_set(&stacks->known, key, stack == PERUN_NO_ID ? MAP_NONE - 1 : stack);
	return stack;
}

static enum order order_of(const struct reading *reading)
{
	const struct perun_json *collector =
		perun_json_get(perun_builder_document(reading->builder), "collector_info");
	const char *name = perun_json_as_string(perun_json_get(collector, "name"), NULL);

	if (name && strcmp(name, "kperf") == 0)
		return ORDER_CALLERS_OF_UID;
	return name && strcmp(name, "memory") == 0 ? ORDER_INNERMOST_FIRST : ORDER_BY_UID;
}

static void expand_stacks(struct reading *reading, const struct key *trace)
{
	struct stacks stacks = {.reading = reading, .order = order_of(reading)};
	struct perun_column_info info = {.name = "stack", .type = PERUN_TYPE_STACK};
	struct perun_column_builder *column;
	perun_id *ids = perun_alloc((reading->type_count + 1) * sizeof *ids);
	bool some = false;

	stacks.json = perun_json_reader_new_text(NULL, "", 0, NULL);
	stacks.token = perun_json_token(stacks.json);
	for (size_t i = 0; i < reading->type_count; i++) {
		struct value uid = {TAG_ABSENT, 0}, text = perunjson_staged_value(trace, i);

		if (reading->uid)
			uid = perunjson_staged_value(reading->uid, i);
		ids[i] = find_stack(&stacks, &uid, &text);
		some |= ids[i] != PERUN_NO_ID;
	}
	if (some) {
		column = perun_table_add_column(reading->table, &info);
		perun_column_save_memory(column);
		perunjson_expand_ids(reading, column, PERUN_TYPE_STACK, ids);
	}
	perun_json_reader_free(stacks.json);
	perunjson_map_free(&stacks.known);
	perun_free(stacks.frames);
	perun_free(stacks.locations);
	perun_free(ids);
}

int perunjson_finish_stacks(struct reading *reading)
{
	struct key *trace = perunjson_named_key(reading, "trace");

	reading->uid = perunjson_named_key(reading, "uid");
	if (trace->staged && reading->run_count)
		expand_stacks(reading, trace);
	return PERUN_OK;
}
