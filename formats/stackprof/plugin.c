/* SPDX-License-Identifier: BSD-3-Clause */
/* stackprof: the JSON of Ruby's sampler: raw stacks with times, or the frames alone. */
#include <math.h>
#include <string.h>

#include "formats/common/numbers.h"
#include "formats/common/stacks.h"
#include "formats/common/stream.h"

struct frame {
	uint64_t id;
	perun_id location;
	double self;
};

struct reading {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	struct frame *frames;
	size_t frame_count, frame_room;
	struct stacks_numbers ids;
	/* Depth, frames from the root, number of samples; and so on: halves of them where they are before the frames. */
	struct ids low, high;
	enum { DEPTH, FRAMES, SAMPLES } part; /* what the next number of it is */
	size_t raw_at, begin;                 /* its index, and that of the depth */
	uint64_t depth;
	struct ids sampled;     /* stacks of "raw" */
	struct numbers samples; /* how many in a row have it */
	int status;
	struct numbers deltas;
	perun_id *stack;
	size_t frame_at, stack_room;
	char *mode;
	double interval;
};

static void read_numbers(struct stream *stream, struct numbers *numbers)
{
	while (stream_item(stream)) {
		const double number = stream_token_number(stream);

		numbers_add(numbers, number);
		if (isnan(number))
			perun_json_fail(stream->json, "expected a number");
	}
}

/* From version 1.2 on the top bits of newer releases hold the line. */
static uint32_t find_frame(const struct reading *reading, uint64_t id)
{
	uint32_t frame = stacks_numbers_find(&reading->ids, id);

	return frame == UINT32_MAX ? stacks_numbers_find(&reading->ids, id & 0xffffffffffff)
				   : frame;
}

static int take_frame(struct reading *reading, uint64_t id)
{
	uint32_t frame = find_frame(reading, id);

	if (frame == UINT32_MAX)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "raw[%zu] names the frame %llu, which is not there",
				  reading->raw_at, (unsigned long long)id);
	PERUN_GROW(reading->stack, reading->frame_at, reading->stack_room);
	reading->stack[reading->frame_at++] = reading->frames[frame].location;
	if (reading->frame_at == reading->depth)
		reading->part = SAMPLES;
	return PERUN_OK;
}

static int take_stack(struct reading *reading, uint64_t samples)
{
	perun_id stack = 0;
	const int status =
		stacks_make(reading->stacks, reading->stack, reading->frame_at, false, &stack);

	ids_add(&reading->sampled, stack);
	numbers_add(&reading->samples, (double)samples);
	reading->part = DEPTH;
	return status;
}

/* The next number of "raw", of frames that are known. */
static int take_raw(struct reading *reading, uint64_t number)
{
	int status = PERUN_OK;

	if (reading->part == FRAMES) {
		status = take_frame(reading, number);
	} else if (reading->part == SAMPLES) {
		status = take_stack(reading, number);
	} else {
		reading->begin = reading->raw_at;
		reading->depth = number;
		reading->frame_at = 0;
		reading->part = number ? FRAMES : SAMPLES;
	}
	reading->raw_at++;
	return status;
}

static void read_raw(struct reading *reading, struct stream *stream)
{
	uint64_t number;

	while (!reading->status && stream_item(stream)) {
		if (!stream_token_id(stream, &number)) {
			perun_json_fail(stream->json, "expected a number in \"raw\"");
		} else if (reading->frame_count) {
			reading->status = take_raw(reading, number);
		} else {
			ids_add(&reading->low, (uint32_t)number);
			ids_add(&reading->high, (uint32_t)(number >> 32));
		}
	}
}

/* {"name": "Object#a", "file": …, "line": 4, "samples": 2, …}; the last token is the object's start. */
static void read_frame(struct reading *reading, struct stream *stream, uint64_t id)
{
	char *name = NULL, *file = NULL;
	double line = NAN, self = 0;
	struct stacks_frame frame = {0};

	while (stream_member(stream)) {
		if (stream_is(stream, "name")) {
			perun_free(name);
			name = stream_text(stream);
		} else if (stream_is(stream, "file")) {
			perun_free(file);
			file = stream_text(stream);
		} else if (stream_is(stream, "line")) {
			line = stream_number(stream);
		} else if (stream_is(stream, "samples")) {
			self = stream_number(stream);
		} else {
			stream_skip(stream);
		}
	}
	frame.name = name && *name ? name : "(unknown)";
	frame.file = file && *file ? file : NULL;
	frame.start_line = line > 0 && line < 1e15 ? (int64_t)line : 0;
	frame.line = frame.start_line;
	PERUN_GROW(reading->frames, reading->frame_count, reading->frame_room);
	reading->frames[reading->frame_count] = (struct frame){
		.id = id, .location = stacks_frame(reading->stacks, &frame), .self = self};
	stacks_numbers_add(&reading->ids, id, (uint32_t)reading->frame_count++);
	perun_free(name);
	perun_free(file);
}

static void read_frames(struct reading *reading, struct stream *stream)
{
	while (stream_member(stream)) {
		uint64_t id;

		if (!stream_token_id(stream, &id)) {
			perun_json_fail(stream->json, "expected the number of a frame");
			return;
		}
		if (stream_object(stream))
			read_frame(reading, stream, id);
	}
}

static void read_document(struct reading *reading, struct stream *stream)
{
	if (!stream_expect_object(stream, "a profile of stackprof"))
		return;
	while (stream_member(stream)) {
		if (stream_is(stream, "mode")) {
			perun_free(reading->mode);
			reading->mode = stream_text(stream);
		} else if (stream_is(stream, "interval")) {
			reading->interval = stream_number(stream);
		} else if (stream_is(stream, "frames")) {
			if (stream_object(stream))
				read_frames(reading, stream);
		} else if (stream_is(stream, "raw")) {
			if (stream_array(stream))
				read_raw(reading, stream);
		} else if (stream_is(stream, "raw_timestamp_deltas")) {
			if (stream_array(stream))
				read_numbers(stream, &reading->deltas);
		} else {
			stream_skip(stream);
		}
	}
}

static bool is_timed(const struct reading *reading)
{
	return reading->mode &&
	       (strcmp(reading->mode, "wall") == 0 || strcmp(reading->mode, "cpu") == 0);
}

/* Without raw stacks each function costs what was sampled in it. */
static int add_frames(struct reading *reading, unsigned metric)
{
	int status = PERUN_OK;
	perun_id stack;

	for (size_t i = 0; !status && i < reading->frame_count; i++) {
		if (!(reading->frames[i].self > 0))
			continue;
		status =
			stacks_make(reading->stacks, &reading->frames[i].location, 1, true, &stack);
		stacks_value(reading->stacks, metric, reading->frames[i].self);
		stacks_add(reading->stacks, stack);
	}
	return status;
}

/*
 * A sample of the wall clock lasts for its own delta. Of processor time each one is the interval, since deltas, which
 * go on while the program waits, only say when it was. Modes that count objects have none.
 */
static void add_raw(struct reading *reading)
{
	bool timed = is_timed(reading) && reading->deltas.count;
	unsigned metric = timed ? stacks_metric(reading->stacks, "time", "us")
				: stacks_metric(reading->stacks, "samples", "");
	double each = timed && strcmp(reading->mode, "cpu") == 0 ? reading->interval : 0;
	size_t delta = 0;
	double now = 0;

	if (timed)
		stacks_sample(reading->stacks, metric, reading->interval);
	for (size_t i = 0; i < reading->sampled.count; i++) {
		const double samples = numbers_at(&reading->samples, i);
		double value = timed ? 0 : samples;

		for (double k = 0; timed && k < samples && delta < reading->deltas.count; k++)
			value += numbers_at(&reading->deltas, delta++);
		stacks_value(reading->stacks, metric, each > 0 ? each * samples : value);
		if (timed)
			stacks_times(reading->stacks, now, now + value, "us");
		now += value;
		stacks_add(reading->stacks, ids_at(&reading->sampled, i));
	}
}

/* All of "raw" that was kept; the last stack must be whole. */
static int end_raw(struct reading *reading)
{
	int status = reading->status;

	for (size_t i = 0; !status && i < reading->low.count; i++)
		status = take_raw(reading, ids_at(&reading->low, i) |
						   (uint64_t)ids_at(&reading->high, i) << 32);
	if (!status && reading->part != DEPTH)
		status = perun_fail(reading->ctx, PERUN_INPUT,
				    "raw[%zu]: a stack of %llu frames does not fit", reading->begin,
				    (unsigned long long)reading->depth);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx,
				  .stacks = stacks_begin(ctx, builder, "stackprof", NULL)};
	struct stream stream;
	int status;

	(void)instance;
	stream_open(&stream, ctx, input);
	read_document(&reading, &stream);
	status = reading.status ? reading.status : stream_end(&stream);
	stream_close(&stream);
	if (!status)
		status = end_raw(&reading);
	if (!status && reading.mode)
		stacks_fact(reading.stacks, "mode", perun_json_text(reading.mode));
	if (!status && reading.raw_at)
		add_raw(&reading);
	else if (!status)
		status = add_frames(&reading, stacks_metric(reading.stacks, "samples", ""));
	perun_free(reading.frames);
	ids_free(&reading.low);
	ids_free(&reading.high);
	ids_free(&reading.sampled);
	numbers_free(&reading.samples);
	numbers_free(&reading.deltas);
	perun_free(reading.stack);
	perun_free(reading.mode);
	stacks_numbers_free(&reading.ids);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || !stacks_begins(probe, "{"))
		return 0;
	return probe_has(probe, "\"gc_samples\"") && probe_has(probe, "\"frames\"") ? 95 : 0;
}

static const char *const marks[] = {"\"gc_samples\"", NULL};

FORMAT_PLUGIN(stackprof, "stackprof", "profiles of Ruby's stackprof", NULL,
	      .patterns = "*.stackprof.json", .contains = marks, .probe = probe_format,
	      .read = read_format);
