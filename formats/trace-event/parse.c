/* SPDX-License-Identifier: BSD-3-Clause */
/* The document: events as a list, or below "traceEvents"; stacks of samples beside it. */
#include <math.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "trace-event.h"

/* An event as far as it was read. */
struct event {
	struct trace_span span;
	double thread_duration;
	uint64_t process, thread, id;
	bool has_id, has_average;
	perun_id thread_name; /* args.name of metadata */
};

/* A number, or any text: ids, processes and threads are both. */
static uint64_t read_key(struct stream *stream)
{
	uint64_t key = 0;

	perun_json_next(stream->json);
	if (!stream_token_id(stream, &key) && stream->token->event == PERUN_JSON_STRING)
		key = perun_fnv1a(stream->token->text, stream->token->length, PERUN_FNV1A);
	else if (stream->token->event == PERUN_JSON_OBJECT_START)
		key = stream->items; /* {"local": …}: apart from all others */
	stream_skip(stream);
	return key;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* "data": {"cpuProfile": {"nodes": …, "samples": …}, "timeDeltas": …} of V8's sampler. */
static void read_data(struct trace *trace, struct stream *stream)
{
	while (stream_member(stream)) {
		if (stream_is(stream, "cpuProfile")) {
			trace->has_chunk = true;
			if (!stream_object(stream))
				continue;
			while (stream_member(stream))
				if (!v8_read_member(&trace->chunk, stream))
					stream_skip(stream);
		} else if (stream_is(stream, "timeDeltas") || stream_is(stream, "startTime") ||
			   stream_is(stream, "endTime")) {
			v8_read_member(&trace->chunk, stream);
		} else {
			stream_skip(stream);
		}
	}
}

static void read_arguments(struct trace *trace, struct stream *stream, struct event *event)
{
	uint64_t hash = PERUN_FNV1A;

	while (stream_member(stream)) {
		event->has_average |= stream_is(stream, "avg ms");
		hash = perun_fnv1a(stream->token->text, stream->token->length, hash);
		if (stream_is(stream, "data")) {
			if (stream_object(stream))
				read_data(trace, stream);
		} else if (stream_is(stream, "detail")) {
			event->span.detail = stream_string(stream, trace->builder);
			hash = hash * 31 + event->span.detail;
		} else if (stream_is(stream, "name")) {
			event->thread_name = stream_string(stream, trace->builder);
			hash = hash * 31 + event->thread_name;
		} else if (stream_is(stream, "url")) {
			event->span.file = stream_string(stream, trace->builder);
			hash = hash * 31 + event->span.file;
		} else if (stream_is(stream, "line")) {
			double line = stream_number(stream);

			event->span.line = line > 0 && line < INT32_MAX ? (uint32_t)line : 0;
			hash = hash * 31 + event->span.line;
		} else {
			perun_buffer_clear(&trace->text);
			perun_json_capture(stream->json, &trace->text);
			hash = perun_fnv1a(trace->text.data ? trace->text.data : "",
					   trace->text.length, hash);
		}
	}
	event->span.arguments = hash | 1;
}

/* ---- events ---------------------------------------------------------------------------------- */

static uint32_t thread_of(struct trace *trace, uint64_t process, uint64_t thread)
{
	uint64_t key = (process * 0x9e3779b97f4a7c15) ^ thread;
	uint32_t index = stacks_numbers_find(&trace->thread_ids, key);

	if (index != UINT32_MAX)
		return index;
	index = (uint32_t)trace->thread_count;
	stacks_numbers_add(&trace->thread_ids, key, index);
	PERUN_GROW(trace->threads, trace->thread_count, trace->thread_room);
	trace->threads[trace->thread_count++] =
		(struct trace_thread){.process = process, .thread = thread};
	return index;
}

static bool is_named(const struct trace *trace, perun_id name, const char *word)
{
	const char *text = perun_builder_string_at(trace->builder, name, NULL);

	return strcmp(text, word) == 0;
}

/* A part of a profile belongs to the process and the id of the one that began it. */
static void add_chunk(struct trace *trace, const struct event *event)
{
	uint64_t key = (event->process * 0x9e3779b97f4a7c15) ^
		       (event->has_id ? event->id : ~event->thread);
	uint32_t index = stacks_numbers_find(&trace->profile_ids, key);

	if (index == UINT32_MAX) {
		index = (uint32_t)trace->profile_count;
		stacks_numbers_add(&trace->profile_ids, key, index);
		PERUN_GROW(trace->profiles, trace->profile_count, trace->profile_room);
		v8_begin(&trace->profiles[index].profile, trace->stacks);
		/* The thread that began it is the one that is sampled. */
		trace->profiles[index].thread = event->span.thread;
		trace->profile_count++;
	}
	v8_append(&trace->profiles[index].profile, &trace->chunk);
}

static void add_metadata(struct trace *trace, const struct event *event)
{
	if (is_named(trace, event->span.name, "thread_name"))
		trace->threads[event->span.thread].name = event->thread_name;
	else if (is_named(trace, event->span.name, "process_name"))
		stacks_numbers_add(&trace->process_names, event->process, event->thread_name);
}

/* clang sums all events of a name once more, in a thread of its own: "Total Source" with "count" and "avg ms". */
static bool is_total(const struct trace *trace, const struct event *event)
{
	const char *name = perun_builder_string_at(trace->builder, event->span.name, NULL);

	return event->has_average && strncmp(name, "Total ", 6) == 0;
}

static void add_event(struct trace *trace, struct event *event)
{
	struct trace_span *span = &event->span;

	span->thread = thread_of(trace, event->process, event->thread);
	if (trace->has_chunk || (span->phase == 'P' && is_named(trace, span->name, "Profile"))) {
		add_chunk(trace, event);
		return;
	}
	v8_clear(&trace->chunk); /* times of other events do not concern it */
	if (span->phase == 'M') {
		add_metadata(trace, event);
		return;
	}
	if (span->phase == 'X' && is_total(trace, event)) {
		trace->totals++;
		return;
	}
	if (!strchr("BEX", span->phase) || !span->phase || isnan(span->at)) {
		trace->others++;
		return;
	}
	if (span->phase == 'X' && isnan(span->duration))
		span->duration = isnan(event->thread_duration) ? 0 : event->thread_duration;
	if (span->phase != 'X' || span->duration < 0)
		span->duration = 0;
	if (!span->name || is_named(trace, span->name, "")) {
		span->unnamed = span->phase == 'E';
		span->name = perun_builder_text(trace->builder, "(unnamed)");
	}
	PERUN_GROW(trace->spans, trace->span_count, trace->span_room);
	trace->spans[trace->span_count++] = *span;
}

static void read_event_member(struct trace *trace, struct stream *stream, struct event *event)
{
	if (stream_is(stream, "ph")) {
		if (perun_json_next(stream->json) == PERUN_JSON_STRING &&
		    stream->token->length == 1)
			event->span.phase = stream->token->text[0];
		else
			stream_skip(stream);
	} else if (stream_is(stream, "name")) {
		event->span.name = stream_string(stream, trace->builder);
	} else if (stream_is(stream, "ts")) {
		event->span.at = stream_number(stream);
	} else if (stream_is(stream, "dur")) {
		event->span.duration = stream_number(stream);
	} else if (stream_is(stream, "tdur")) {
		event->thread_duration = stream_number(stream);
	} else if (stream_is(stream, "pid")) {
		event->process = read_key(stream);
	} else if (stream_is(stream, "tid")) {
		event->thread = read_key(stream);
	} else if (stream_is(stream, "id")) {
		event->id = read_key(stream);
		event->has_id = true;
	} else if (stream_is(stream, "args")) {
		if (stream_object(stream))
			read_arguments(trace, stream, event);
	} else {
		stream_skip(stream);
	}
}

static void read_event(struct trace *trace, struct stream *stream)
{
	struct event event = {.span = {.at = NAN, .duration = NAN}, .thread_duration = NAN};

	if (stream->token->event != PERUN_JSON_OBJECT_START) {
		perun_json_fail(stream->json, "expected an object for an event");
		return;
	}
	trace->has_chunk = false;
	while (stream_member(stream))
		read_event_member(trace, stream, &event);
	trace->amid |= stream_status(stream) != PERUN_OK;
	if (trace->amid)
		return;
	trace->events++;
	add_event(trace, &event);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void read_sample(struct trace *trace, struct stream *stream)
{
	struct trace_sample sample = {.at = NAN};
	uint64_t process = 0, thread = 0;
	bool found = false;

	while (stream_member(stream)) {
		if (stream_is(stream, "ts"))
			sample.at = stream_number(stream);
		else if (stream_is(stream, "pid"))
			process = read_key(stream);
		else if (stream_is(stream, "tid"))
			thread = read_key(stream);
		else if (stream_is(stream, "sf"))
			found = stream_id(stream, &sample.frame);
		else
			stream_skip(stream);
	}
	if (!found || isnan(sample.at))
		return;
	sample.thread = thread_of(trace, process, thread);
	PERUN_GROW(trace->samples, trace->sample_count, trace->sample_room);
	trace->samples[trace->sample_count++] = sample;
}

static void read_samples(struct trace *trace, struct stream *stream)
{
	while (stream_item(stream)) {
		if (stream->token->event == PERUN_JSON_OBJECT_START)
			read_sample(trace, stream);
		else
			perun_json_fail(stream->json, "expected an object for a sample");
	}
}

static void read_stack_frame(struct trace *trace, struct stream *stream, uint64_t id)
{
	struct trace_stack_frame frame = {.id = id, .stack = PERUN_NO_ID, .above = UINT32_MAX};
	struct stacks_frame place = {0};
	char *name = NULL;
	double line;

	while (stream_member(stream)) {
		if (stream_is(stream, "name")) {
			perun_free(name);
			name = stream_text(stream);
		} else if (stream_is(stream, "parent")) {
			frame.has_parent = stream_id(stream, &frame.parent);
		} else if (stream_is(stream, "line")) {
			line = stream_number(stream);
			place.line = line > 0 && line < INT32_MAX ? (int64_t)line : 0;
		} else {
			stream_skip(stream);
		}
	}
	place.name = name && *name ? name : "(anonymous)";
	frame.location = stacks_frame(trace->stacks, &place);
	perun_free(name);
	PERUN_GROW(trace->frames, trace->frame_count, trace->frame_room);
	stacks_numbers_add(&trace->frame_ids, id, (uint32_t)trace->frame_count);
	trace->frames[trace->frame_count++] = frame;
}

static void read_stack_frames(struct trace *trace, struct stream *stream)
{
	uint64_t id;

	while (stream_member(stream)) {
		if (!stream_token_id(stream, &id))
			id = perun_fnv1a(stream->token->text, stream->token->length, PERUN_FNV1A);
		if (stream_object(stream))
			read_stack_frame(trace, stream, id);
	}
}

/* ---- the document ---------------------------------------------------------------------------- */

static void read_events(struct trace *trace, struct stream *stream)
{
	while (stream_item(stream))
		read_event(trace, stream);
}

static void read_object(struct trace *trace, struct stream *stream)
{
	while (stream_member(stream)) {
		if (stream_is(stream, "traceEvents")) {
			if (stream_array(stream))
				read_events(trace, stream);
		} else if (stream_is(stream, "samples")) {
			if (stream_array(stream))
				read_samples(trace, stream);
		} else if (stream_is(stream, "stackFrames")) {
			if (stream_object(stream))
				read_stack_frames(trace, stream);
		} else {
			stream_skip(stream);
		}
	}
	trace->amid |= stream_status(stream) != PERUN_OK;
}

/* Whether reading failed at the end of the file: a list without its end is allowed, a program may have been killed. */
static bool is_cut_off(const struct trace *trace, const struct stream *stream)
{
	const struct perun_json_error *error = perun_json_error(stream->json);

	return error->status == PERUN_INPUT && stream->ended && error->offset >= stream->size &&
	       trace->span_count + trace->sample_count + trace->profile_count > 0;
}

int trace_parse(struct trace *trace, struct perun_input *input)
{
	struct stream stream;
	int status;

	stream_open(&stream, trace->ctx, input);
	switch (perun_json_next(stream.json)) {
	case PERUN_JSON_ARRAY_START:
		read_events(trace, &stream);
		break;
	case PERUN_JSON_OBJECT_START:
		read_object(trace, &stream);
		break;
	default:
		if (!stream_status(&stream))
			perun_json_fail(stream.json, "expected a list of events");
	}
	status = stream_end(&stream);
	if (status && is_cut_off(trace, &stream)) {
		perun_ctx_clear(trace->ctx);
		status = PERUN_OK;
	}
	stream_close(&stream);
	return status;
}
