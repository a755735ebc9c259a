/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep over the starts and ends of activities. */
#include <stdlib.h>
#include <string.h>

#include "nsight.h"

/* Starts and ends, two for each activity of all sources in turn; the odd ones are ends. */
struct sweep {
	const struct nsight_source *sources;
	uint32_t *events; /* by time */
	size_t count;
	/* Activities that hold a time, both ends counted. */
	size_t started, ended;
	int64_t concurrency, threads;
};

struct event {
	int64_t time, correlation, threads;
	bool ends, forward; /* forward: the activity does not end before it starts */
};

static inline const struct nsight_activity *activity_of(const struct sweep *sweep, uint32_t number,
							const struct nsight_source **source)
{
	size_t i = number / 2;

	for (*source = sweep->sources; i >= (*source)->list->count; ++*source)
		i -= (*source)->list->count;
	return &(*source)->list->list[i];
}

static struct event event_at(const struct sweep *sweep, uint32_t number)
{
	const struct nsight_source *source;
	const struct nsight_activity *own = activity_of(sweep, number, &source);

	return (struct event){
		.time = number % 2 ? own->end : own->start,
		.correlation = own->correlation,
		.threads = own->threads < source->max_threads ? own->threads : source->max_threads,
		.ends = number % 2,
		.forward = own->start <= own->end,
	};
}

static int compare_events(const void *a, const void *b, void *sweep)
{
	const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	const struct nsight_source *source;
	const struct nsight_activity *x = activity_of(sweep, first, &source),
				     *y = activity_of(sweep, second, &source);
	int64_t x_time = first % 2 ? x->end : x->start, y_time = second % 2 ? y->end : y->start;

	if (x_time != y_time)
		return x_time < y_time ? -1 : 1;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (first % 2 != second % 2)
		return first % 2 ? 1 : -1;
	return first < second ? -1 : first > second;
}

static int64_t times(int64_t a, int64_t b)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX / 4 : product;
}

static void open_until(struct sweep *sweep, int64_t time)
{
	struct event own;

	for (; sweep->started < sweep->count; sweep->started++) {
		own = event_at(sweep, sweep->events[sweep->started]);
		if (own.time > time)
			break;
		if (own.ends || !own.forward)
			continue;
		sweep->concurrency++;
		sweep->threads = nsight_add(sweep->threads, own.threads);
	}
	for (; sweep->ended < sweep->count; sweep->ended++) {
		own = event_at(sweep, sweep->events[sweep->ended]);
		if (own.time >= time)
			break;
		if (!own.ends || !own.forward)
			continue;
		sweep->concurrency--;
		sweep->threads = nsight_add(sweep->threads, -own.threads);
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
static size_t next_state(struct sweep *sweep, size_t first, struct state *state)
{
	size_t i = first;
	struct event own = event_at(sweep, sweep->events[i]);

	*state = (struct state){.time = own.time};
	open_until(sweep, state->time);
	while (i < sweep->count && own.time == state->time) {
		const struct event group = own;
		size_t begin = i;

		while (i < sweep->count && own.time == state->time &&
		       own.correlation == group.correlation)
			if (++i < sweep->count)
				own = event_at(sweep, sweep->events[i]);
		if (begin == first) {
			state->concurrency = times((int64_t)(i - begin), sweep->concurrency);
			state->threads = times((int64_t)(i - begin), sweep->threads);
		}
		state->ending += group.ends;
		state->event_threads = nsight_add(state->event_threads, group.threads);
	}
	return i;
}

static void add_span(struct nsight_spans *spans, const struct state *from, int64_t until)
{
	int64_t concurrency = from->concurrency - from->ending, threads = from->threads;

	if (concurrency <= 0)
		return;
	if (from->ending > 0)
		threads = nsight_add(threads, -from->event_threads);
	PERUN_GROW(spans->list, spans->count, spans->room);
	spans->list[spans->count++] = (struct nsight_span){
		.start = from->time, .end = until, .threads = threads, .alone = concurrency == 1};
}

void nsight_find_spans(const struct nsight_source *sources, size_t count,
		       struct nsight_spans *spans)
{
	struct sweep sweep = {.sources = sources};
	struct state state = {0}, next; /* nothing goes on at first */

	for (size_t i = 0; i < count; i++)
		sweep.count += 2 * sources[i].list->count;
	sweep.events = perun_alloc((sweep.count + 1) * sizeof *sweep.events);
	for (size_t i = 0; i < sweep.count; i++)
		sweep.events[i] = (uint32_t)i;
	qsort_r(sweep.events, sweep.count, sizeof *sweep.events, compare_events, &sweep);
	for (size_t used = 0; used < sweep.count; state = next) {
		used = next_state(&sweep, used, &next);
		add_span(spans, &state, next.time);
	}
	perun_free(sweep.events);
}
