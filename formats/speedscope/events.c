/* SPDX-License-Identifier: BSD-3-Clause */
/* Evented profiles: frames that open and close become intervals with the stack that was open. */
#include <string.h>

#include "speedscope.h"

struct event {
	bool opens, typed, timed, framed;
	uint32_t frame;
	double at;
};

struct events {
	struct perun_json_reader *json;
	struct speedscope_profile *profile;
	uint32_t *open; /* frames, the root first */
	size_t depth, room;
	size_t *limit; /* frames that stacks may still have */
	double last;   /* when the last event was */
	bool begun;
};

enum { DEEPEST = 1 << 14 };

static int read_event(struct perun_json_reader *json, struct event *event)
{
	const struct perun_json_token *token = perun_json_token(json);
	int status = PERUN_OK;

	if (token->event != PERUN_JSON_OBJECT_START)
		return perun_json_fail(json, "expected an object for an event, found %s",
				       perun_json_event_name(token->event));
	while (!status && perun_json_next(json) == PERUN_JSON_KEY) {
		if (perun_json_token_is(token, "type")) {
			status = perun_json_expect(json, PERUN_JSON_STRING, "type");
			event->opens = perun_json_token_is(token, "O");
			event->typed = true;
			if (!status && !event->opens && !perun_json_token_is(token, "C"))
				status = perun_json_fail(json,
							 "expected \"O\" or \"C\" for an event");
		} else if (perun_json_token_is(token, "frame")) {
			perun_json_next(json);
			status = speedscope_index(json, "an event", &event->frame);
			event->framed = true;
		} else if (perun_json_token_is(token, "at")) {
			status = speedscope_number(json, "at", &event->at);
			event->timed = true;
		} else {
			status = perun_json_skip(json);
		}
	}
	if (!status)
		status = perun_json_error(json)->status;
	if (!status && (!event->typed || !event->timed || !event->framed))
		status = perun_json_fail(json, "an event without \"%s\"",
					 !event->typed   ? "type"
					 : !event->timed ? "at"
							 : "frame");
	return status;
}

/* From the last event to this one the same frames were open. */
static int add_interval(struct events *events, double at)
{
	if (events->begun && at < events->last)
		return perun_json_fail(events->json,
				       "an event before the one that stands before it");
	if (events->depth && at > events->last) {
		if (events->depth > *events->limit)
			return perun_json_fail(events->json,
					       "the stacks between events have more frames than "
					       "the option frame-limit allows");
		*events->limit -= events->depth;
		for (size_t i = 0; i < events->depth; i++)
			speedscope_add_frame(events->profile, events->open[i]);
		speedscope_end_sample(events->profile);
		speedscope_append(&events->profile->weights, at - events->last);
		speedscope_append(&events->profile->times, events->last);
	}
	events->begun = true;
	events->last = at;
	return PERUN_OK;
}

static int apply(struct events *events, const struct event *event)
{
	int status = add_interval(events, event->at);

	if (status)
		return status;
	if (event->opens) {
		if (events->depth == DEEPEST)
			return perun_json_fail(events->json, "more than %d frames are open",
					       DEEPEST);
		PERUN_GROW(events->open, events->depth, events->room);
		events->open[events->depth++] = event->frame;
		return PERUN_OK;
	}
	if (events->depth == 0)
		return perun_json_fail(events->json, "frame %u is closed, but none is open",
				       event->frame);
	if (events->open[events->depth - 1] != event->frame)
		return perun_json_fail(events->json,
				       "frame %u is closed, but frame %u was opened after it",
				       event->frame, events->open[events->depth - 1]);
	events->depth--;
	return PERUN_OK;
}

int speedscope_read_events(struct perun_json_reader *json, struct speedscope_profile *profile,
			   size_t *limit)
{
	const struct perun_json_token *token = perun_json_token(json);
	struct events events = {.json = json, .profile = profile, .limit = limit};
	int status = perun_json_expect(json, PERUN_JSON_ARRAY_START, "events");

	profile->evented = true;
	while (!status && perun_json_next(json) > 0 && token->event != PERUN_JSON_ARRAY_END) {
		struct event event = {0};

		status = read_event(json, &event);
		if (!status)
			status = apply(&events, &event);
	}
	if (!status)
		status = perun_json_error(json)->status;
	if (!status && events.depth)
		status = perun_json_fail(json, "%zu frames are never closed", events.depth);
	perun_free(events.open);
	return status;
}
