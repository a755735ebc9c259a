/* SPDX-License-Identifier: BSD-3-Clause */
/* Evented profiles: frames that open and close become intervals with the stack that was open. */
#include <string.h>

#include <perun/lib/hash.h>

#include "speedscope.h"

struct event {
	bool opens, typed, timed, framed;
	uint32_t frame;
	double at;
};

struct events {
	struct perun_json_reader *json;
	struct speedscope_profile *profile;
	uint32_t open;   /* the stack that is open */
	uint32_t *slots; /* hash table of stacks, by their caller and frame */
	size_t slot_count;
	size_t *limit;  /* frames that stacks may still have */
	double last;    /* when the last event was */
	double *opened; /* when each open frame was opened */
	size_t opened_room;
	bool begun;
};

/* Frames that each event may have, whatever the limit: that much is linear. */
enum { SHALLOW = 128 };

/* ---- stacks ---------------------------------------------------------------------------------- */

static size_t slot_of(const struct events *events, uint32_t caller, uint32_t frame)
{
	const struct speedscope_stack *stacks = events->profile->stacks;
	size_t slot = (size_t)perun_hash_number((uint64_t)caller << 32 | frame) &
		      (events->slot_count - 1);

	while (events->slots[slot] && (stacks[events->slots[slot]].caller != caller ||
				       stacks[events->slots[slot]].frame != frame))
		slot = (slot + 1) & (events->slot_count - 1);
	return slot;
}

static void grow_slots(struct events *events)
{
	const struct speedscope_profile *profile = events->profile;

	events->slot_count = events->slot_count ? events->slot_count * 2 : 256;
	perun_free(events->slots);
	events->slots = perun_alloc_zero(events->slot_count, sizeof *events->slots);
	for (size_t i = 1; i < profile->stack_count; i++)
		events->slots[slot_of(events, profile->stacks[i].caller,
				      profile->stacks[i].frame)] = (uint32_t)i;
}

/* The stack of a frame that is called from the one that is open. */
static uint32_t stack_with(struct events *events, uint32_t frame)
{
	struct speedscope_profile *profile = events->profile;
	size_t slot;

	if (profile->stack_count * 2 >= events->slot_count)
		grow_slots(events);
	slot = slot_of(events, events->open, frame);
	if (!events->slots[slot]) {
		PERUN_GROW(profile->stacks, profile->stack_count, profile->stack_room);
		profile->stacks[profile->stack_count] =
			(struct speedscope_stack){.caller = events->open,
						  .frame = frame,
						  .depth = profile->stacks[events->open].depth + 1};
		events->slots[slot] = (uint32_t)profile->stack_count++;
	}
	return events->slots[slot];
}

/* ---- events ---------------------------------------------------------------------------------- */

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
		return perun_json_fail(events->json, "an event earlier than the one before it");
	if (events->open && at > events->last) {
		struct speedscope_profile *profile = events->profile;
		const struct speedscope_stack *stack = &profile->stacks[events->open];

		if (stack->depth > *events->limit)
			return perun_json_fail(events->json,
					       "the stacks between events have more frames than "
					       "the option frame-limit allows");
		*events->limit -= stack->depth;
		ids_add(&profile->frames, events->open);
		ids_add(&profile->counts, 1);
		numbers_add(&profile->weights, at - events->last);
		numbers_add(&profile->times, events->last);
	}
	events->begun = true;
	events->last = at;
	return PERUN_OK;
}

static int apply(struct events *events, const struct event *event)
{
	const struct speedscope_stack *open = &events->profile->stacks[events->open];
	size_t depth;
	int status;

	*events->limit += SHALLOW;
	status = add_interval(events, event->at);
	if (status)
		return status;
	if (event->opens) {
		if (events->profile->stack_count == UINT32_MAX)
			return perun_json_fail(events->json, "too many stacks");
		events->open = stack_with(events, event->frame);
		depth = events->profile->stacks[events->open].depth;
		PERUN_GROW(events->opened, depth, events->opened_room);
		events->opened[depth] = event->at;
		return PERUN_OK;
	}
	if (!events->open)
		return perun_json_fail(events->json, "frame %u is closed, but none is open",
				       event->frame);
	if (open->frame != event->frame)
		return perun_json_fail(events->json,
				       "frame %u is closed, but frame %u was opened after it",
				       event->frame, open->frame);
	events->profile->empty += events->opened[open->depth] >= event->at;
	events->open = open->caller;
	return PERUN_OK;
}

int speedscope_read_events(struct perun_json_reader *json, struct speedscope_profile *profile,
			   size_t *limit)
{
	const struct perun_json_token *token = perun_json_token(json);
	struct events events = {.json = json, .profile = profile, .limit = limit};
	int status = perun_json_expect(json, PERUN_JSON_ARRAY_START, "events");

	profile->evented = true;
	PERUN_GROW(profile->stacks, profile->stack_count, profile->stack_room);
	profile->stacks[profile->stack_count++] = (struct speedscope_stack){0};
	while (!status && perun_json_next(json) > 0 && token->event != PERUN_JSON_ARRAY_END) {
		struct event event = {0};

		status = read_event(json, &event);
		if (!status)
			status = apply(&events, &event);
	}
	if (!status)
		status = perun_json_error(json)->status;
	if (!status && events.open)
		status = perun_json_fail(json, "%u frame%s never closed",
					 profile->stacks[events.open].depth,
					 profile->stacks[events.open].depth == 1 ? " is" : "s are");
	perun_free(events.slots);
	perun_free(events.opened);
	return status;
}
