/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep over the starts and ends of activities. */
#include <stdlib.h>
#include <string.h>

#include "nsight.h"

struct event {
	int64_t time, correlation, threads;
	int ends; /* 1: it is an end */
	size_t order;
};

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->ends != y->ends)
		return x->ends - y->ends;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_times(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static int64_t times(int64_t a, int64_t b)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX / 4 : product;
}

/* Activities that hold a time, both ends counted. */
struct open {
	struct event *starts, *ends; /* by time */
	size_t count, started, ended;
	int64_t concurrency, threads;
};

static void open_until(struct open *open, int64_t time)
{
	for (; open->started < open->count && open->starts[open->started].time <= time;
	     open->started++) {
		open->concurrency++;
		open->threads = nsight_add(open->threads, open->starts[open->started].threads);
	}
	for (; open->ended < open->count && open->ends[open->ended].time < time; open->ended++) {
		open->concurrency--;
		open->threads = nsight_add(open->threads, -open->ends[open->ended].threads);
	}
}

/* The state at one time: what goes on until the next. */
struct state {
	int64_t time, concurrency, threads, ending, event_threads;
};

/*
 * As Extra-P counts: activities of one correlation that start or end together are one event, but count
 * as often as they are; of several correlations the least one gives the number.
 */
static size_t next_state(const struct event *events, size_t count, struct open *open,
			 struct state *state)
{
	size_t i = 0;

	*state = (struct state){.time = events[0].time};
	open_until(open, state->time);
	while (i < count && events[i].time == state->time) {
		size_t first = i;

		while (i < count && events[i].time == state->time &&
		       events[i].correlation == events[first].correlation)
			i++;
		if (first == 0) {
			state->concurrency = times((int64_t)i, open->concurrency);
			state->threads = times((int64_t)i, open->threads);
		}
		state->ending += events[first].ends;
		state->event_threads = nsight_add(state->event_threads, events[first].threads);
	}
	return i;
}

static void add_span(struct nsight_spans *spans, const struct state *from, int64_t until)
{
	struct nsight_span own = {.start = from->time,
				  .end = until,
				  .concurrency = from->concurrency - from->ending,
				  .threads = from->threads};

	if (own.concurrency <= 0)
		return;
	if (from->ending > 0)
		own.threads = nsight_add(own.threads, -from->event_threads);
	PERUN_GROW(spans->list, spans->count, spans->room);
	spans->list[spans->count++] = own;
}

void nsight_find_spans(const struct nsight_list *activities, struct nsight_spans *spans)
{
	size_t count = activities->count, used;
	struct event *events = perun_alloc_zero(2 * count + 1, sizeof *events);
	struct open open = {.starts = perun_alloc_zero(count + 1, sizeof *events),
			    .ends = perun_alloc_zero(count + 1, sizeof *events)};
	struct state state, next;

	for (size_t i = 0; i < count; i++) {
		const struct nsight_activity *own = &activities->list[i];

		for (int end = 0; end < 2; end++)
			events[i + (end ? count : 0)] = (struct event){
				.time = end ? own->end : own->start,
				.correlation = own->correlation,
				.threads = own->threads,
				.ends = end,
				.order = i,
			};
		if (own->start > own->end)
			continue;
		open.starts[open.count] = events[i];
		open.ends[open.count++] = events[i + count];
	}
	qsort(events, 2 * count, sizeof *events, compare_events);
	qsort(open.starts, open.count, sizeof *events, compare_times);
	qsort(open.ends, open.count, sizeof *events, compare_times);
	for (used = 0; used < 2 * count; state = next) {
		size_t first = used;

		used += next_state(events + used, 2 * count - used, &open, &next);
		if (first)
			add_span(spans, &state, next.time);
	}
	perun_free(events);
	perun_free(open.starts);
	perun_free(open.ends);
}
