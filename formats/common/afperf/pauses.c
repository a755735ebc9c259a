/* SPDX-License-Identifier: BSD-3-Clause */
/* Pauses of a run, overlapping ones made one; and how much of an interval they take. */
#include <stdlib.h>

#include "file.h"

static int compare_pauses(const void *one, const void *other)
{
	const struct afperf_pause *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void merge_run(struct afperf_run *run)
{
	struct afperf_pause *sorted =
		perun_memdup(run->pauses, run->pause_count * sizeof *run->pauses);
	struct afperf_merged_pause *last = NULL;

	qsort(sorted, run->pause_count, sizeof *sorted, compare_pauses);
	run->merged = perun_alloc_zero(run->pause_count, sizeof *run->merged);
	for (size_t i = 0; i < run->pause_count; i++) {
		int64_t before = last ? last->before + (last->end - last->start) : 0;

		if (last && sorted[i].start <= last->end) {
			if (sorted[i].end > last->end)
				last->end = sorted[i].end;
			continue;
		}
		last = &run->merged[run->merged_count++];
		*last = (struct afperf_merged_pause){sorted[i].start, sorted[i].end, before};
	}
	perun_free(sorted);
}

void afperf_merge_pauses(struct afperf_file *file)
{
	for (uint32_t i = 0; i < file->run_count; i++) {
		struct afperf_run *run = &file->runs[i];

		perun_free(run->merged);
		run->merged = NULL;
		run->merged_count = 0;
		if (run->pause_count)
			merge_run(run);
	}
}

/* How long the run was paused before a time. */
static int64_t paused_before(const struct afperf_run *run, int64_t time)
{
	size_t low = 0, high = run->merged_count;
	const struct afperf_merged_pause *pause;

	/* The first pause that ends after it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (run->merged[middle].end > time)
			high = middle;
		else
			low = middle + 1;
	}
	if (low < run->merged_count) {
		pause = &run->merged[low];
		return pause->before + (time > pause->start ? time - pause->start : 0);
	}
	if (!run->merged_count)
		return 0;
	pause = &run->merged[run->merged_count - 1];
	return pause->before + (pause->end - pause->start);
}

int64_t afperf_paused(const struct afperf_run *run, int64_t start, int64_t end)
{
	return paused_before(run, end) - paused_before(run, start);
}

bool afperf_next_tag(const char **text, const char *end, struct afperf_slice *name,
		     struct afperf_slice *value)
{
	while (*text < end && **text == ';')
		++*text;
	if (*text >= end)
		return false;
	name->data = (char *)(uintptr_t)*text;
	while (*text < end && **text != ';' && **text != '=')
		++*text;
	name->length = (size_t)(*text - name->data);
	if (*text < end && **text == '=')
		++*text;
	value->data = (char *)(uintptr_t)*text;
	while (*text < end && **text != ';')
		++*text;
	value->length = (size_t)(*text - value->data);
	return true;
}
