/* SPDX-License-Identifier: BSD-3-Clause */
/* safari: timelines of Safari's Web Inspector, of which the sampled stacks of JavaScript are read. */
#include <math.h>
#include <string.h>

#include "formats/common/stacks.h"
#include "formats/common/stream.h"

struct sample {
	perun_id stack;
	double timestamp;
};

struct reading {
	struct stacks *stacks;
	struct sample *samples;
	size_t sample_count, sample_room;
	double *durations;
	size_t duration_count, duration_room;
	perun_id *frames; /* of one sample, leaf first */
	size_t frame_count, frame_room;
	int status; /* of the stacks */
};

/* {"sourceID": "7", "name": "f", "line": 2, "column": 10, "url": …, "expressionLocation": {…}} */
static void read_frame(struct reading *reading, struct stream *stream)
{
	struct stacks_frame frame = {0};
	struct perun_builder *builder = stacks_builder(reading->stacks);
	double start = NAN, column = NAN, line = NAN;

	while (stream_member(stream)) {
		if (stream_is(stream, "name")) {
			frame.name_id = stream_string(stream, builder);
		} else if (stream_is(stream, "url")) {
			frame.file_id = stream_string(stream, builder);
		} else if (stream_is(stream, "line")) {
			start = stream_number(stream);
		} else if (stream_is(stream, "column")) {
			column = stream_number(stream);
		} else if (stream_is(stream, "expressionLocation")) {
			if (stream_object(stream))
				while (stream_member(stream)) {
					if (stream_is(stream, "line"))
						line = stream_number(stream);
					else
						stream_skip(stream);
				}
		} else {
			stream_skip(stream);
		}
	}
	if (!frame.name_id)
		frame.name = "(anonymous)";
	frame.start_line = start > 0 && start < 1e15 ? (int64_t)start : 0;
	frame.line = line > 0 && line < 1e15 ? (int64_t)line : frame.start_line;
	frame.column = column > 0 && column < 1e15 ? (int64_t)column : 0;
	PERUN_GROW(reading->frames, reading->frame_count, reading->frame_room);
	reading->frames[reading->frame_count++] = stacks_frame(reading->stacks, &frame);
}

/* {"timestamp": 4.47, "stackFrames": [leaf, …, root]}, taken at the end of its duration. */
static void read_sample(struct reading *reading, struct stream *stream)
{
	struct sample sample = {.timestamp = NAN, .stack = PERUN_NO_ID};

	reading->frame_count = 0;
	while (stream_member(stream)) {
		if (stream_is(stream, "timestamp")) {
			sample.timestamp = stream_number(stream);
		} else if (stream_is(stream, "stackFrames")) {
			if (stream_array(stream))
				while (stream_object_item(stream, "a frame"))
					read_frame(reading, stream);
		} else {
			stream_skip(stream);
		}
	}
	if (!reading->status && reading->frame_count)
		reading->status = stacks_make(reading->stacks, reading->frames,
					      reading->frame_count, true, &sample.stack);
	PERUN_GROW(reading->samples, reading->sample_count, reading->sample_room);
	reading->samples[reading->sample_count++] = sample;
}

static void read_durations(struct reading *reading, struct stream *stream)
{
	while (stream_item(stream)) {
		PERUN_GROW(reading->durations, reading->duration_count, reading->duration_room);
		reading->durations[reading->duration_count] = stream_token_number(stream);
		if (!(reading->durations[reading->duration_count++] >= 0))
			perun_json_fail(stream->json, "expected the duration of a sample");
	}
}

static void read_recording(struct reading *reading, struct stream *stream)
{
	while (stream_member(stream)) {
		if (stream_is(stream, "sampleStackTraces")) {
			if (stream_array(stream))
				while (!reading->status && stream_object_item(stream, "a sample"))
					read_sample(reading, stream);
		} else if (stream_is(stream, "sampleDurations")) {
			if (stream_array(stream))
				read_durations(reading, stream);
		} else {
			stream_skip(stream);
		}
		if (reading->status)
			return;
	}
}

static void read_document(struct reading *reading, struct stream *stream)
{
	if (!stream_expect_object(stream, "a timeline of Safari"))
		return;
	while (!reading->status && stream_member(stream)) {
		if (stream_is(stream, "recording")) {
			if (stream_object(stream))
				read_recording(reading, stream);
		} else {
			stream_skip(stream);
		}
	}
}

/* Samples without frames are those in which nothing ran. */
static int add_rows(struct reading *reading, struct perun_ctx *ctx)
{
	unsigned metric = stacks_metric(reading->stacks, "time", "s");
	double sum = 0;

	if (reading->sample_count != reading->duration_count)
		return perun_fail(ctx, PERUN_INPUT, "%zu sampled stack%s, but %zu duration%s",
				  reading->sample_count, reading->sample_count == 1 ? "" : "s",
				  reading->duration_count, reading->duration_count == 1 ? "" : "s");
	for (size_t i = 0; i < reading->sample_count; i++) {
		const struct sample *sample = &reading->samples[i];

		sum += reading->durations[i];
		if (sample->stack == PERUN_NO_ID)
			continue;
		stacks_value(reading->stacks, metric, reading->durations[i]);
		if (!isnan(sample->timestamp))
			stacks_times(reading->stacks, sample->timestamp - reading->durations[i],
				     sample->timestamp, "s");
		stacks_add(reading->stacks, sample->stack);
	}
	/* Files that were put together may have what many samples took in one. */
	stacks_sample(reading->stacks, metric, fmin(sum / (double)reading->sample_count, 0.01));
	return PERUN_OK;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.stacks = stacks_begin(ctx, builder, "safari", NULL)};
	struct stream stream;
	int status;

	(void)instance;
	stream_open(&stream, ctx, input);
	read_document(&reading, &stream);
	status = reading.status ? reading.status : stream_end(&stream);
	stream_close(&stream);
	if (!status)
		status = add_rows(&reading, ctx);
	perun_free(reading.samples);
	perun_free(reading.durations);
	perun_free(reading.frames);
	return stacks_end(reading.stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	return !probe->directory && stacks_begins(probe, "{") &&
			       probe_has(probe, "\"recording\"") &&
			       probe_has(probe, "\"displayName\"")
		       ? 90
		       : 0;
}

static const char *const marks[] = {"\"recording\"", NULL};

FORMAT_PLUGIN(safari, "safari", "timelines of Safari's Web Inspector", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
