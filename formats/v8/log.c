/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `node --prof-process --preprocess` makes of a log: "code", a list of all that was compiled or loaded, and "ticks",
 * each with the places of its stack in that list.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/v8/log.h"

/* A function of JavaScript, or another name; the location once a tick has it. */
struct code {
	char *name;
	bool script;
	perun_id location;
};

struct tick {
	double at;
	size_t first, count; /* of the frames */
};

struct log {
	struct stacks *stacks;
	struct code *codes;
	size_t code_count, code_room;
	uint32_t *frames; /* numbers of codes, the innermost first */
	size_t frame_count, frame_room;
	struct tick *ticks;
	size_t tick_count, tick_room;
	size_t unknown; /* frames that are no code */
};

/* ---- reading --------------------------------------------------------------------------------- */

static void read_code(struct log *log, struct stream *stream)
{
	struct code code = {.location = PERUN_NO_ID};
	char *type;

	while (stream_member(stream)) {
		if (stream_is(stream, "name")) {
			perun_free(code.name);
			code.name = stream_text(stream);
		} else if (stream_is(stream, "type")) {
			type = stream_text(stream);
			code.script = type && strcmp(type, "JS") == 0;
			perun_free(type);
		} else {
			stream_skip(stream);
		}
	}
	PERUN_GROW(log->codes, log->code_count, log->code_room);
	log->codes[log->code_count++] = code;
}

/* Pairs of a code and the offset in it; -1 and the address where there is none. */
static void read_frames(struct log *log, struct stream *stream)
{
	bool is_code = true;

	for (; stream_item(stream); is_code = !is_code) {
		double number = stream_token_number(stream);

		if (isnan(number)) {
			perun_json_fail(stream->json, "expected a number for a frame");
			return;
		}
		if (!is_code)
			continue;
		if (number < 0 || number >= UINT32_MAX) {
			log->unknown++;
			continue;
		}
		PERUN_GROW(log->frames, log->frame_count, log->frame_room);
		log->frames[log->frame_count++] = (uint32_t)number;
	}
}

static void read_tick(struct log *log, struct stream *stream)
{
	struct tick tick = {.at = NAN, .first = log->frame_count};

	while (stream_member(stream)) {
		if (stream_is(stream, "tm"))
			tick.at = stream_number(stream);
		else if (!stream_is(stream, "s"))
			stream_skip(stream);
		else if (stream_array(stream))
			read_frames(log, stream);
	}
	if (isnan(tick.at))
		perun_json_fail(stream->json, "expected a tick with its time (tm)");
	tick.count = log->frame_count - tick.first;
	PERUN_GROW(log->ticks, log->tick_count, log->tick_room);
	log->ticks[log->tick_count++] = tick;
}

struct log *log_new(struct stacks *stacks)
{
	struct log *log = perun_alloc_zero(1, sizeof *log);

	log->stacks = stacks;
	return log;
}

bool log_read_member(struct log *log, struct stream *stream)
{
	bool codes = stream_is(stream, "code");

	if (!codes && !stream_is(stream, "ticks"))
		return false;
	if (!stream_array(stream))
		return true;
	while (stream_object_item(stream, codes ? "a code" : "a tick")) {
		if (codes)
			read_code(log, stream);
		else
			read_tick(log, stream);
	}
	return true;
}

bool log_is_there(const struct log *log)
{
	return log->tick_count > 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The number before the end of a text that a colon separates from the rest, which it cuts off; 0 = there is none. */
static int64_t cut_number(const char *text, size_t *length)
{
	size_t at = *length;
	int64_t number = 0, unit = 1;

	while (at && text[at - 1] >= '0' && text[at - 1] <= '9' && unit < 1000000000) {
		number += unit * (text[--at] - '0');
		unit *= 10;
	}
	if (at == *length || !at || text[at - 1] != ':')
		return 0;
	*length = at - 1;
	return number;
}

/* "fib /tmp/w.js:1:13", "get x /tmp/w.js:2:15": a function without a name begins with a blank. */
static perun_id make_location(const struct log *log, const struct code *code)
{
	const char *name = code->name ? code->name : "";
	bool accessor = strncmp(name, "get ", 4) == 0 || strncmp(name, "set ", 4) == 0;
	const char *file = strchr(accessor ? name + 4 : name, ' ');
	struct stacks_frame frame = {0};

	if (code->script && file) {
		frame.name = file > name ? name : "(anonymous)";
		frame.length = file > name ? (size_t)(file - name) : 0;
		frame.file = file + 1;
		frame.file_length = strlen(file + 1);
		frame.column = cut_number(frame.file, &frame.file_length);
		frame.line = cut_number(frame.file, &frame.file_length);
		frame.start_line = frame.line;
		if (!frame.file_length)
			frame.file = NULL;
	} else {
		/* "T start": the letter of nm. */
		frame.name = (*name == 't' || *name == 'T') && name[1] == ' ' ? name + 2 : name;
		if (!*frame.name)
			frame.name = "(anonymous)";
	}
	return stacks_frame(log->stacks, &frame);
}

static int compare_ticks(const void *one, const void *other)
{
	const struct tick *a = one, *b = other;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static int make_stack(struct log *log, const struct tick *tick, perun_id *locations,
		      perun_id *stack)
{
	size_t count = 0;

	for (size_t i = 0; i < tick->count; i++) {
		uint32_t number = log->frames[tick->first + i];
		struct code *code;

		if (number >= log->code_count) {
			log->unknown++;
			continue;
		}
		code = &log->codes[number];
		if (code->location == PERUN_NO_ID)
			code->location = make_location(log, code);
		locations[count++] = code->location;
	}
	return stacks_make(log->stacks, locations, count, true, stack);
}

int log_add_rows(struct log *log, struct perun_ctx *ctx)
{
	unsigned time = stacks_metric(log->stacks, "time", "us");
	unsigned samples = stacks_metric(log->stacks, "samples", "");
	perun_id *locations = perun_alloc((log->frame_count + 1) * sizeof *locations), stack;
	int status = PERUN_OK;

	qsort(log->ticks, log->tick_count, sizeof *log->ticks, compare_ticks);
	if (log->tick_count > 1)
		stacks_sample(log->stacks, time,
			      (log->ticks[log->tick_count - 1].at - log->ticks[0].at) /
				      (double)(log->tick_count - 1));
	for (size_t i = 0; !status && i < log->tick_count; i++) {
		const struct tick *tick = &log->ticks[i];
		/* When the last one ended the log does not say. */
		double end = i + 1 < log->tick_count ? tick[1].at : tick->at;

		status = make_stack(log, tick, locations, &stack);
		if (status)
			break;
		stacks_value(log->stacks, time, end - tick->at);
		stacks_value(log->stacks, samples, 1);
		stacks_times(log->stacks, tick->at, end, "us");
		stacks_add(log->stacks, stack);
	}
	if (!status && log->unknown)
		perun_note(ctx, "skipped %zu frame%s at addresses outside of any code",
			   log->unknown, log->unknown == 1 ? "" : "s");
	perun_free(locations);
	return status;
}

void log_free(struct log *log)
{
	for (size_t i = 0; i < log->code_count; i++)
		perun_free(log->codes[i].name);
	perun_free(log->codes);
	perun_free(log->frames);
	perun_free(log->ticks);
	perun_free(log);
}
