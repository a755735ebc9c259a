/* SPDX-License-Identifier: BSD-3-Clause */
/* Pauses of a run, overlapping ones made one; and how much of an interval they take. */
#include <stdlib.h>

#include "file.h"

static int compare_pauses(const void *one, const void *other)
{
	const struct afperf_pause *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

void afperf_merge_pauses(struct afperf_file *file)
{
	for (uint32_t i = 0; i < file->run_count; i++) {
		struct afperf_run *run = &file->runs[i];
		size_t kept = 0;

		perun_free(run->merged);
		run->merged = NULL;
		run->merged_count = 0;
		if (!run->pause_count)
			continue;
		run->merged = perun_memdup(run->pauses, run->pause_count * sizeof *run->pauses);
		qsort(run->merged, run->pause_count, sizeof *run->merged, compare_pauses);
		for (size_t k = 1; k < run->pause_count; k++) {
			if (run->merged[k].start > run->merged[kept].end)
				run->merged[++kept] = run->merged[k];
			else if (run->merged[k].end > run->merged[kept].end)
				run->merged[kept].end = run->merged[k].end;
		}
		run->merged_count = kept + 1;
	}
}

int64_t afperf_paused(const struct afperf_run *run, int64_t start, int64_t end)
{
	size_t low = 0, high = run->merged_count;
	int64_t sum = 0;

	/* The first pause that ends behind the start. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (run->merged[middle].end > start)
			high = middle;
		else
			low = middle + 1;
	}
	for (; low < run->merged_count && run->merged[low].start < end; low++) {
		int64_t from = run->merged[low].start > start ? run->merged[low].start : start;
		int64_t to = run->merged[low].end < end ? run->merged[low].end : end;

		sum += to - from;
	}
	return sum;
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
