/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of slices: a time for each stack of open ones of a track. */
#include <stdlib.h>

#include "perfetto.h"

/* The slices of a track that are open. */
struct replay {
	struct perfetto *trace;
	unsigned metric;
	struct stacks_path path;
	uint64_t *begins; /* of each open slice */
	size_t depth, room;
	uint64_t now, start; /* start: of the trace */
	perun_id stack;      /* of the open slices; PERUN_NO_ID: not made yet */
	perun_id labels;
};

/* By track and time; of one time as they are in the file. */
static int compare_events(const void *one, const void *other, void *events)
{
	const uint32_t x = *(const uint32_t *)one, y = *(const uint32_t *)other;
	const struct perfetto_event *a = (struct perfetto_event *)events + x,
				    *b = (struct perfetto_event *)events + y;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The numbers of the events in their order, which mostly is that of the file where there is one track. */
static uint32_t *order_events(struct perfetto *trace)
{
	uint32_t *order = perun_alloc((trace->event_count + 1) * sizeof *order);
	bool sorted = true;

	for (size_t i = 0; i < trace->event_count; i++) {
		order[i] = (uint32_t)i;
		sorted = sorted &&
			 (!i || compare_events(&order[i - 1], &order[i], trace->events) < 0);
	}
	if (!sorted)
		qsort_r(order, trace->event_count, sizeof *order, compare_events, trace->events);
	return order;
}

/* The time up to `at` belongs to the open slices. */
static int move_to(struct replay *replay, uint64_t at)
{
	struct stacks *stacks = replay->trace->stacks;
	int status = PERUN_OK;

	if (replay->depth && at > replay->now) {
		if (replay->stack == PERUN_NO_ID)
			status = stacks_path_stack(stacks, &replay->path, replay->depth,
						   &replay->stack);
		if (status)
			return status;
		stacks_value(stacks, replay->metric, (double)(at - replay->now));
		stacks_times(stacks, (double)(replay->now - replay->start),
			     (double)(at - replay->start), "ns");
		stacks_label_set(stacks, replay->labels);
		stacks_add(stacks, replay->stack);
	}
	replay->now = at;
	return status;
}

static int replay_event(struct replay *replay, const struct perfetto_event *event)
{
	struct perfetto *trace = replay->trace;
	int status = move_to(replay, event->at);

	if (event->name != PERUN_NO_ID) {
		const struct stacks_frame frame = {.name_id = event->name};

		stacks_path_set(&replay->path, replay->depth, stacks_frame(trace->stacks, &frame));
		PERUN_GROW(replay->begins, replay->depth, replay->room);
		replay->begins[replay->depth++] = event->at;
	} else if (replay->depth) {
		trace->empty += replay->begins[--replay->depth] == event->at;
	} else {
		trace->unbegun++;
	}
	replay->stack = PERUN_NO_ID;
	return status;
}

/* What is open at the last event of a track ends there. */
int perfetto_add_slices(struct perfetto *trace, unsigned metric)
{
	struct replay replay = {.trace = trace, .metric = metric, .start = UINT64_MAX};
	uint32_t track = UINT32_MAX, *order = order_events(trace);
	int status = PERUN_OK;

	for (size_t i = 0; i < trace->event_count; i++)
		if (trace->events[i].at < replay.start)
			replay.start = trace->events[i].at;
	for (size_t i = 0; !status && i < trace->event_count; i++) {
		const struct perfetto_event *event = &trace->events[order[i]];

		if (event->track != track) {
			track = event->track;
			replay.depth = 0;
			replay.labels = trace->tracks[track].labels;
		}
		status = replay_event(&replay, event);
		if (!status && i % 65536 == 65535 && perun_cancelled(trace->ctx))
			status = PERUN_CANCELLED;
	}
	perun_free(order);
	perun_free(replay.begins);
	stacks_path_free(&replay.path);
	return status;
}
