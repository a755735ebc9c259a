/* SPDX-License-Identifier: BSD-3-Clause */
/* Stops without ids find their starts by time: the latest start of the run that is still open. */
#include <stdlib.h>

#include "file.h"

/*
 * Starts and stops of one owner (a run, or a section) by time. At the same time, stops of what is open
 * come before starts, and stops of what begins and ends there after them.
 */
struct event {
	uint32_t owner;
	bool stop;
	int64_t time;
	uint32_t index; /* a region or an interval; a stop */
};

struct events {
	struct event *items;
	size_t count, capacity;
};

static void add_event(struct events *events, uint32_t owner, bool stop, int64_t time,
		      uint32_t index)
{
	PERUN_GROW(events->items, events->count, events->capacity);
	events->items[events->count++] = (struct event){owner, stop, time, index};
}

static int compare_events(const void *one, const void *other)
{
	const struct event *a = one, *b = other;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->stop != b->stop)
		return a->stop ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* What is done with a pair; `start` is AFPERF_NONE for a stop that finds none. */
typedef void found_pair(struct afperf_file *file, uint32_t start, uint32_t stop);

static void match_owner(struct afperf_file *file, const struct event *events, size_t count,
			uint32_t *open, found_pair *found)
{
	size_t depth = 0;

	for (size_t i = 0; i < count;) {
		size_t stops = i, starts, end;

		while (stops < count && events[stops].time == events[i].time && events[stops].stop)
			stops++;
		for (end = stops; end < count && events[end].time == events[i].time;)
			end++;
		/* Stops of what was open before, then starts, then what stops are left. */
		for (; i < stops && depth > 0; i++)
			found(file, open[--depth], events[i].index);
		for (starts = stops; starts < end; starts++)
			open[depth++] = events[starts].index;
		for (; i < stops; i++)
			found(file, depth > 0 ? open[--depth] : AFPERF_NONE, events[i].index);
		i = end;
	}
}

static void match_all(struct afperf_file *file, struct events *events, found_pair *found)
{
	uint32_t *open;
	size_t first = 0;

	if (!events->count)
		return;
	qsort(events->items, events->count, sizeof *events->items, compare_events);
	open = perun_alloc_zero(events->count, sizeof *open);
	while (first < events->count) {
		size_t end = first;

		while (end < events->count &&
		       events->items[end].owner == events->items[first].owner)
			end++;
		match_owner(file, events->items + first, end - first, open, found);
		first = end;
	}
	perun_free(open);
	perun_free(events->items);
}

static void unmatched(struct afperf_file *file, const struct afperf_stop *stop, const char *name)
{
	struct afperf_problem problem;

	afperf_report(&problem, stop->key.first, name, NULL, name,
		      "a stop without a start: nothing is open at its time");
	afperf_violation(file, &problem);
}

static void found_region(struct afperf_file *file, uint32_t start, uint32_t stop)
{
	file->region_stops[stop].match = start;
	if (start == AFPERF_NONE) {
		unmatched(file, &file->region_stops[stop], "RegionStop");
		return;
	}
	file->regions[start].end = file->region_stops[stop].time;
}

static void found_interval(struct afperf_file *file, uint32_t start, uint32_t stop)
{
	const struct afperf_section *section;

	file->interval_stops[stop].match = start;
	if (start == AFPERF_NONE) {
		unmatched(file, &file->interval_stops[stop], "SectionStop");
		return;
	}
	file->intervals[start].end = file->interval_stops[stop].time;
	section = &file->sections[file->intervals[start].key.second / 2];
	if (section->group != AFPERF_NONE)
		file->runs[afperf_group_run(&file->groups[section->group])].intervals++;
}

void afperf_match_stops(struct afperf_file *file)
{
	struct events regions = {0}, intervals = {0};

	for (uint32_t i = 0; i < file->region_stop_count; i++)
		if (file->region_stops[i].owner != AFPERF_NONE)
			add_event(&regions, file->region_stops[i].owner, true,
				  file->region_stops[i].time, i);
	for (uint32_t i = 0; regions.count && i < file->region_count; i++)
		if (file->regions[i].key.second)
			add_event(&regions, afperf_group_run(&file->groups[file->regions[i].group]),
				  false, file->regions[i].start, i);
	match_all(file, &regions, found_region);
	for (uint32_t i = 0; i < file->interval_stop_count; i++)
		add_event(&intervals, file->interval_stops[i].owner, true,
			  file->interval_stops[i].time, i);
	for (uint32_t i = 0; intervals.count && i < file->interval_count; i++)
		if (file->intervals[i].key.second & 1)
			add_event(&intervals, file->intervals[i].key.second / 2, false,
				  file->intervals[i].start, i);
	match_all(file, &intervals, found_interval);
}
