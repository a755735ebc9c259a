/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a path was in its ranges without a kernel that ran. */
#include <stdlib.h>
#include <string.h>

#include "nsight.h"

/* A time at which a kernel is cut, since a range begins or ends there; or its own start or end. */
struct step {
	int64_t time, correlation;
	size_t order;
};
struct steps {
	struct step *list;
	size_t count, room;
};

static void add_step(struct steps *steps, int64_t time, int64_t correlation)
{
	PERUN_GROW(steps->list, steps->count, steps->room);
	steps->list[steps->count] = (struct step){time, correlation, steps->count};
	steps->count++;
}

/* Each kernel is cut wherever a range begins or ends, which may be all of them for all kernels. */
static int allow(struct nsight_file *file, size_t pieces)
{
	if (pieces > file->pieces_left)
		return perun_fail(file->ctx, PERUN_INPUT,
				  "ranges cut kernels into more pieces than the option piece-limit "
				  "allows");
	file->pieces_left -= pieces;
	return PERUN_OK;
}

static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

struct times {
	int64_t *list;
	size_t count;
};

/* Starts or ends of the ranges, in order. */
static struct times times_of(const struct nsight_file *file, bool ends)
{
	struct times times = {.list = perun_alloc_zero(file->extent_count + 1, sizeof *times.list)};

	for (size_t i = 0; i < file->extent_count; i++) {
		int64_t time = ends ? file->extents[i].end : file->extents[i].start;

		if (time != NSIGHT_ABSENT)
			times.list[times.count++] = time;
	}
	qsort(times.list, times.count, sizeof *times.list, compare_numbers);
	return times;
}

static size_t first_time(const struct times *times, int64_t from)
{
	size_t low = 0, high = times->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (times->list[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int cut(struct nsight_file *file, struct steps *steps, const struct times *times,
	       const struct nsight_activity *own, bool *is_cut)
{
	size_t first = first_time(times, own->start), end = first;

	while (end < times->count && times->list[end] <= own->end &&
	       end - first <= file->pieces_left)
		end++;
	if (allow(file, end - first))
		return perun_ctx_status(file->ctx);
	for (size_t i = first; i < end; i++)
		add_step(steps, times->list[i], own->correlation);
	*is_cut |= end > first;
	return PERUN_OK;
}

static int find_steps(struct nsight_file *file, struct steps *steps)
{
	int status = PERUN_OK;

	const struct nsight_list *kernels = &file->kernels;
	bool *is_cut = perun_alloc_zero(kernels->count + 1, sizeof *is_cut);

	for (int ends = 0; ends < 2; ends++) {
		struct times times = times_of(file, ends);

		for (size_t i = 0; i < kernels->count && !status; i++)
			status = cut(file, steps, &times, &kernels->list[i], &is_cut[i]);
		perun_free(times.list);
	}
	for (int ends = 0; ends < 2; ends++)
		for (size_t i = 0; i < kernels->count; i++)
			if (is_cut[i])
				add_step(steps,
					 ends ? kernels->list[i].end : kernels->list[i].start,
					 kernels->list[i].correlation);
	if (steps->count)
		qsort(steps->list, steps->count, sizeof *steps->list, compare_steps);
	perun_free(is_cut);
	return status;
}

/* ---- busy time of paths ----------------------------------------------------------------------- */

struct adding {
	struct nsight_file *file;
	struct nsight_nesting nesting;
	struct nsight_busy *list;
	size_t count, room;
};

/* All ranges that begin where the innermost one around [start, end] begins. */
static int add_busy(struct adding *adding, int64_t start, int64_t end)
{
	const struct nsight_activity within = {.start = start + 1, .end = end - 1};
	const struct nsight_nesting *nesting = &adding->nesting;
	uint32_t at = nsight_find_range(adding->file, nesting, &within);
	int64_t from;

	if (adding->file->status || at == UINT32_MAX)
		return adding->file->status;
	from = nesting->list[nesting->order[at]].start;
	while (at && nesting->list[nesting->order[at - 1]].start == from &&
	       nsight_spend(adding->file, NSIGHT_PAIR))
		at--;
	for (; at < nesting->count && nesting->list[nesting->order[at]].start == from; at++) {
		if (adding->file->status || allow(adding->file, 1))
			return perun_ctx_status(adding->file->ctx);
		PERUN_GROW(adding->list, adding->count, adding->room);
		adding->list[adding->count++] =
			(struct nsight_busy){nesting->list[nesting->order[at]].name, end - start};
	}
	return PERUN_OK;
}

static int compare_busy(const void *a, const void *b)
{
	const struct nsight_busy *x = a, *y = b;

	return x->path < y->path ? -1 : x->path > y->path;
}

/* Kernels that are not cut as a whole, others piece by piece. */
static int add_kernels(struct adding *adding)
{
	const struct nsight_list *kernels = &adding->file->kernels;
	struct steps steps = {0};
	int64_t *pieces;
	size_t count = 0;
	int status = find_steps(adding->file, &steps);

	pieces = perun_alloc_zero(steps.count + 1, sizeof *pieces);
	for (size_t i = 0; i + 1 < steps.count && !status; i++) {
		if (steps.list[i].correlation != steps.list[i + 1].correlation ||
		    steps.list[i].correlation == NSIGHT_ABSENT)
			continue;
		pieces[count++] = steps.list[i].correlation;
		status = add_busy(adding, steps.list[i].time, steps.list[i + 1].time);
	}
	qsort(pieces, count, sizeof *pieces, compare_numbers);
	for (size_t i = 0; i < kernels->count && !status; i++)
		if (!bsearch(&kernels->list[i].correlation, pieces, count, sizeof *pieces,
			     compare_numbers))
			status = add_busy(adding, kernels->list[i].start, kernels->list[i].end);
	perun_free(pieces);
	perun_free(steps.list);
	return status;
}

/* The busy time of each path once. */
static void take_busy(struct nsight_file *file, struct adding *adding)
{
	struct nsight_busy *list = adding->list;

	if (adding->count)
		qsort(list, adding->count, sizeof *list, compare_busy);
	file->busy = list;
	for (size_t i = 0; i < adding->count; i++) {
		struct nsight_busy *last = file->busy_count ? &list[file->busy_count - 1] : NULL;

		if (last && last->path == list[i].path)
			last->time = nsight_add(last->time, list[i].time);
		else
			list[file->busy_count++] = list[i];
	}
}

int nsight_find_busy(struct nsight_file *file)
{
	struct adding adding = {.file = file};
	int status;

	if (!file->kernels.count)
		return PERUN_OK;
	/* Those of all threads; nobody asks for these any more. */
	for (size_t i = 0; i < file->ranges.count; i++)
		file->ranges.list[i].thread = 0;
	nsight_nest(&file->ranges, &adding.nesting);
	status = add_kernels(&adding);
	take_busy(file, &adding);
	nsight_forget_nesting(&adding.nesting);
	return status;
}

void nsight_find_idle(struct nsight_file *file)
{
	for (size_t i = 0; file->busy_count && i < file->path_count; i++) {
		const struct nsight_path *own = &file->paths[i];
		struct nsight_busy key = {.path = own->path}, *busy;

		busy = bsearch(&key, file->busy, file->busy_count, sizeof key, compare_busy);
		if (own->correlation != NSIGHT_ABSENT || !busy || own->duration == NSIGHT_ABSENT ||
		    busy->time >= own->duration)
			continue;
		PERUN_GROW(file->idle, file->idle_count, file->idle_room);
		file->idle[file->idle_count++] = (struct nsight_path){
			.path = own->path, .duration = own->duration - busy->time};
	}
}
