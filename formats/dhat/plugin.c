/* SPDX-License-Identifier: BSD-3-Clause */
/* dhat: what valgrind's DHAT and Rust's dhat write (https://valgrind.org/docs/manual/dh-manual.html). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/numbers.h"
#include "formats/common/stacks.h"
#include "formats/common/stream.h"

/* Members of a program point. */
static const struct {
	const char *key, *metric, *unit;
} values[] = {
	{"tb", "total", "bytes"},   {"tbk", "total_blocks", ""}, {"gb", "peak", "bytes"},
	{"gbk", "peak_blocks", ""}, {"eb", "leaked", "bytes"},   {"ebk", "leaked_blocks", ""},
	{"mb", "max", "bytes"},     {"mbk", "max_blocks", ""},   {"rb", "read", "bytes"},
	{"wb", "written", "bytes"},
};
enum { VALUES = sizeof values / sizeof *values };

/* Points come before the table that their frames are in. */
struct reading {
	struct stacks *stacks;
	struct numbers values[VALUES]; /* of each point; NaN: not in the file */
	struct ids frames, counts;     /* of all points, the leaf first; of each point */
	perun_id *table;               /* locations of the frame table */
	size_t table_count, table_room;
	perun_id *stack;
	size_t stack_room;
	bool ad_hoc; /* units, not bytes */
};

/* "0x1091FA: grow (leak.c:8)", "0x48416C4: malloc (in /usr/libexec/x.so)", "[root]" */
static perun_id location_of(struct reading *reading, const char *text, size_t length)
{
	const char *end = text + length, *name = text, *open = NULL, *colon;
	struct stacks_frame frame = {0};

	if (length > 2 && text[0] == '0' && text[1] == 'x') {
		char *after;

		frame.address = strtoull(text, &after, 16);
		if (end - after > 2 && after[0] == ':' && after[1] == ' ')
			name = after + 2;
	}
	for (const char *at = end; at > name + 1 && length && end[-1] == ')' && !open; at--)
		if (at[-1] == '(' && at[-2] == ' ')
			open = at;
	frame.name = name;
	frame.length = (size_t)((open ? open - 2 : end) - name);
	if (open && end - open > 4 && memcmp(open, "in ", 3) == 0) {
		frame.module = open + 3;
		frame.module_length = (size_t)(end - 1 - frame.module);
	} else if (open && (colon = memrchr(open, ':', (size_t)(end - open)))) {
		frame.file = open;
		frame.file_length = (size_t)(colon - open);
		/* "lib.rs:12:5" of Rust has a column, too. */
		frame.line = strtoll(colon + 1, NULL, 10);
		for (const char *at = colon; at > open && frame.line; at--) {
			if (at[-1] == ':') {
				frame.column = frame.line;
				frame.line = strtoll(at, NULL, 10);
				frame.file_length = (size_t)(at - 1 - open);
				break;
			}
			if (at[-1] < '0' || at[-1] > '9')
				break;
		}
		if (frame.file_length == 0)
			frame.file = NULL;
	}
	if (frame.length == 0)
		frame.name = "(unknown)";
	return stacks_frame(reading->stacks, &frame);
}

static void read_table(struct reading *reading, struct stream *stream)
{
	struct perun_buffer text = {0};

	while (stream_item(stream)) {
		if (stream->token->event != PERUN_JSON_STRING) {
			perun_json_fail(stream->json, "expected a string in \"ftbl\"");
			break;
		}
		perun_buffer_clear(&text);
		perun_buffer_add(&text, stream->token->text, stream->token->length);
		perun_buffer_add_char(&text, '\0');
		PERUN_GROW(reading->table, reading->table_count, reading->table_room);
		reading->table[reading->table_count++] =
			location_of(reading, text.data, strlen(text.data));
	}
	perun_buffer_free(&text);
}

static void read_frames(struct reading *reading, struct stream *stream)
{
	uint64_t id;

	while (stream_item(stream)) {
		if (!stream_token_id(stream, &id) || id >= UINT32_MAX) {
			perun_json_fail(stream->json, "expected the number of a frame");
			return;
		}
		ids_add(&reading->frames, (uint32_t)id);
	}
}

/* Which of the values a key is; VALUES: none. Their keys are short: letters are compared before a function is called. */
static size_t find_value(const struct perun_json_token *key)
{
	size_t i = 0;

	if (key->length < 2)
		return VALUES;
	while (i < VALUES &&
	       (values[i].key[0] != key->text[0] || values[i].key[1] != key->text[1] ||
		!perun_json_token_is(key, values[i].key)))
		i++;
	return i;
}

static void read_point(struct reading *reading, struct stream *stream)
{
	const size_t first = reading->frames.count, at = reading->counts.count;
	double point[VALUES];

	for (size_t i = 0; i < VALUES; i++)
		point[i] = NAN;
	while (stream_member(stream)) {
		size_t i = find_value(stream->token);

		if (i < VALUES)
			point[i] = stream_number(stream);
		else if (!stream_is(stream, "fs"))
			stream_skip(stream);
		else if (stream_array(stream))
			read_frames(reading, stream);
	}
	for (size_t i = 0; i < VALUES; i++)
		if (!isnan(point[i]))
			numbers_add_at(&reading->values[i], at, point[i]);
	ids_add(&reading->counts, (uint32_t)(reading->frames.count - first));
}

static void read_points(struct reading *reading, struct stream *stream)
{
	while (stream_item(stream)) {
		if (stream->token->event == PERUN_JSON_OBJECT_START)
			read_point(reading, stream);
		else
			perun_json_fail(stream->json, "expected an object for a program point");
	}
}

static void read_document(struct reading *reading, struct stream *stream)
{
	char *text;

	if (!stream_expect_object(stream, "a profile of DHAT"))
		return;
	while (stream_member(stream)) {
		if (stream_is(stream, "pps")) {
			if (stream_array(stream))
				read_points(reading, stream);
		} else if (stream_is(stream, "ftbl")) {
			if (stream_array(stream))
				read_table(reading, stream);
		} else if (stream_is(stream, "cmd")) {
			text = stream_text(stream);
			if (text)
				stacks_command(reading->stacks, text);
			perun_free(text);
		} else if (stream_is(stream, "mode")) {
			text = stream_text(stream);
			reading->ad_hoc = text && strcmp(text, "rust-ad-hoc") == 0;
			if (text)
				stacks_fact(reading->stacks, "mode", perun_json_text(text));
			perun_free(text);
		} else {
			stream_skip(stream);
		}
	}
}

/* Frame 0 is "[root]", which no point names. `*first`: the first frame of the point's, and then of the next one's. */
static int stack_of(struct reading *reading, struct perun_ctx *ctx, size_t point, size_t *first,
		    perun_id *stack)
{
	size_t count = ids_at(&reading->counts, point);

	for (size_t k = 0; k < count; k++) {
		uint32_t frame = ids_at(&reading->frames, *first + k);

		if (frame >= reading->table_count)
			return perun_fail(ctx, PERUN_INPUT,
					  "pps[%zu]: frame %u is named, but there are only %zu",
					  point, frame, reading->table_count);
		PERUN_GROW(reading->stack, k, reading->stack_room);
		reading->stack[k] = reading->table[frame];
	}
	*first += count;
	return stacks_make(reading->stacks, reading->stack, count, true, stack);
}

static int add_points(struct reading *reading, struct perun_ctx *ctx)
{
	unsigned metrics[VALUES];
	bool known[VALUES] = {false};
	int status = PERUN_OK;
	size_t first = 0;
	perun_id stack;

	for (size_t i = 0; !status && i < reading->counts.count; i++) {
		status = stack_of(reading, ctx, i, &first, &stack);
		for (size_t k = 0; !status && k < VALUES; k++) {
			double value = numbers_at(&reading->values[k], i);

			if (isnan(value))
				continue;
			if (!known[k])
				metrics[k] = stacks_exact(reading->stacks, values[k].metric,
							  reading->ad_hoc ? "" : values[k].unit);
			known[k] = true;
			stacks_value(reading->stacks, metrics[k], value);
		}
		if (!status)
			stacks_add(reading->stacks, stack);
	}
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.stacks = stacks_begin(ctx, builder, "dhat", NULL)};
	struct stream stream;
	int status;

	(void)instance;
	stream_open(&stream, ctx, input);
	read_document(&reading, &stream);
	status = stream_end(&stream);
	stream_close(&stream);
	if (!status)
		status = add_points(&reading, ctx);
	for (size_t i = 0; i < VALUES; i++)
		numbers_free(&reading.values[i]);
	ids_free(&reading.frames);
	ids_free(&reading.counts);
	perun_free(reading.table);
	perun_free(reading.stack);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && probe_has(probe, "\"dhatFileVersion\"") ? 100 : 0;
}

static const char *const marks[] = {"\"dhatFileVersion\"", NULL};

FORMAT_PLUGIN(dhat, "dhat", "heap profiles of DHAT", NULL,
	      .patterns = "dhat.out.* dhat-heap.json dhat-ad-hoc.json", .contains = marks,
	      .probe = probe_format, .read = read_format);
