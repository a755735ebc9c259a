/* SPDX-License-Identifier: BSD-3-Clause */
/* What was handed to executors: batches.json of a run. */
#include <config.h>

#include <string.h>

#include "core/cells/cells.h"

#define MAX_BATCHES ((size_t)256 << 20)

struct cells_batch *cells_batch_add(struct cells_batches *batches, bool builds, uint64_t *tasks,
				    size_t count)
{
	struct cells_batch *batch;

	PERUN_GROW(batches->items, batches->count, batches->capacity);
	batch = &batches->items[batches->count++];
	*batch = (struct cells_batch){.number = (unsigned)batches->count,
				      .builds = builds,
				      .tasks = tasks,
				      .count = count,
				      .factor = 1};
	batch->states = perun_alloc_zero(count ? count : 1, sizeof *batch->states);
	batch->ends = perun_alloc_zero(count ? count : 1, sizeof *batch->ends);
	return batch;
}

void cells_batches_drop_last(struct cells_batches *batches)
{
	struct cells_batch *batch = &batches->items[--batches->count];

	perun_free(batch->tasks);
	perun_free(batch->handle);
	perun_free(batch->states);
	perun_free(batch->ends);
}

void cells_batches_free(struct cells_batches *batches)
{
	while (batches->count)
		cells_batches_drop_last(batches);
	perun_free(batches->items);
	*batches = (struct cells_batches){0};
}

/* ---- ranges --------------------------------------------------------------------------------------- */

static struct perun_json *ranges_of(const uint64_t *tasks, size_t count)
{
	struct perun_json *ranges = perun_json_array();

	for (size_t i = 0, end; i < count; i = end) {
		struct perun_json *range = perun_json_array();

		for (end = i + 1; end < count && tasks[end] == tasks[end - 1] + 1; end++)
			;
		perun_json_append(range, perun_json_uint64(tasks[i]));
		perun_json_append(range, perun_json_uint64(tasks[end - 1]));
		perun_json_append(ranges, range);
	}
	return ranges;
}

static bool read_range(const struct perun_json *range, uint64_t limit, int64_t *first,
		       int64_t *last)
{
	return perun_json_type(range) == PERUN_JSON_TYPE_ARRAY && perun_json_count(range) == 2 &&
	       perun_json_as_int64(perun_json_at(range, 0), first) &&
	       perun_json_as_int64(perun_json_at(range, 1), last) && *first >= 0 &&
	       *first <= *last && (uint64_t)*last < limit;
}

/* ---- how tasks ended -------------------------------------------------------------------------------- */

/* Engines forget that sooner than people ask. */
static const struct {
	const char *word;
	enum perun_executor_state state;
} ends[] = {{"node failed", PERUN_EXECUTOR_NODE_FAILED},
	    {"timed out", PERUN_EXECUTOR_TIMED_OUT},
	    {"out of memory", PERUN_EXECUTOR_OUT_OF_MEMORY},
	    {"killed", PERUN_EXECUTOR_KILLED},
	    {"not started", PERUN_EXECUTOR_NOT_STARTED}};
#define ENDS (sizeof ends / sizeof *ends)

bool cells_batches_note_ends(struct cells_batches *batches)
{
	bool changed = false;

	for (size_t i = 0; i < batches->count; i++) {
		struct cells_batch *batch = &batches->items[i];

		/* What ended after it was cancelled ended by that. */
		for (size_t task = 0; !batch->cancelled && task < batch->count; task++) {
			for (size_t end = 0; end < ENDS; end++) {
				if (batch->states[task] != ends[end].state ||
				    batch->ends[task] == ends[end].state)
					continue;
				batch->ends[task] = ends[end].state;
				changed = true;
			}
		}
	}
	return changed;
}

/* {"killed": [[17, 17]]}: tasks by how they ended. */
static struct perun_json *describe_ends(const struct cells_batch *batch)
{
	struct perun_json *all = perun_json_object();
	uint64_t *tasks = perun_alloc(batch->count * sizeof *tasks);

	for (size_t end = 0; end < ENDS; end++) {
		size_t count = 0;

		for (size_t task = 0; task < batch->count; task++)
			if (batch->ends[task] == ends[end].state)
				tasks[count++] = batch->tasks[task];
		if (count)
			perun_json_set(all, ends[end].word, ranges_of(tasks, count));
	}
	perun_free(tasks);
	return all;
}

static void read_ends(const struct perun_json *all, uint64_t limit, struct cells_batch *batch)
{
	for (size_t end = 0; end < ENDS; end++) {
		const struct perun_json *ranges = perun_json_get(all, ends[end].word);

		for (size_t i = 0; i < perun_json_count(ranges); i++) {
			int64_t first, last;

			if (!read_range(perun_json_at(ranges, i), limit, &first, &last))
				continue;
			for (size_t task = 0; task < batch->count; task++)
				if (batch->tasks[task] >= (uint64_t)first &&
				    batch->tasks[task] <= (uint64_t)last)
					batch->ends[task] = ends[end].state;
		}
	}
}

/* ---- reading ------------------------------------------------------------------------------------ */

static bool read_batch(const struct perun_run_cells *cells, const struct perun_json *item,
		       struct cells_batches *batches)
{
	const struct perun_json *ranges = perun_json_get(item, "tasks");
	const char *kind = perun_json_get_text(item, "kind"),
		   *handle = perun_json_get_text(item, "handle");
	bool builds = strcmp(kind, "build") == 0;
	uint64_t limit = builds ? cells->versions.count : perun_run_cells_count(cells) + 1;
	int64_t first, last, after = 0, point = 0;
	uint64_t *tasks = NULL;
	size_t count = 0, capacity = 0;
	struct cells_batch *batch;

	for (size_t i = 0; i < perun_json_count(ranges); i++) {
		if (!read_range(perun_json_at(ranges, i), limit, &first, &last) ||
		    (count && tasks[count - 1] >= (uint64_t)first)) {
			perun_free(tasks);
			return false;
		}
		for (; first <= last; first++) {
			PERUN_GROW(tasks, count, capacity);
			tasks[count++] = (uint64_t)first;
		}
	}
	batch = cells_batch_add(batches, builds, tasks, count);
	batch->handle = *handle ? perun_strdup(handle) : NULL;
	perun_json_as_int64(perun_json_get(item, "after"), &after);
	perun_json_as_int64(perun_json_get(item, "point"), &point);
	perun_json_as_double(perun_json_get(item, "time_factor"), &batch->factor);
	perun_json_as_bool(perun_json_get(item, "cancelled"), &batch->cancelled);
	read_ends(perun_json_get(item, "ends"), limit, batch);
	batch->after = after > 0 && after < batch->number ? (unsigned)after : 0;
	batch->point = point > 0 && (size_t)point < cells->points ? (size_t)point : 0;
	return count > 0;
}

int cells_batches_read(struct perun_ctx *ctx, const struct perun_run_cells *cells,
		       struct cells_batches *batches)
{
	char *path = cells_file(cells, "batches.json");
	struct perun_json *document = NULL;
	const struct perun_json *list;
	int status = cells_read(ctx, path, MAX_BATCHES, &document);

	*batches = (struct cells_batches){0};
	if (status == PERUN_MISSING)
		status = PERUN_OK;
	list = perun_json_get(document, "batches");
	for (size_t i = 0; !status && i < perun_json_count(list); i++) {
		if (!read_batch(cells, perun_json_at(list, i), batches))
			status = perun_fail(ctx, PERUN_INPUT, "%s: batch %zu is damaged", path,
					    i + 1);
	}
	perun_json_free(document);
	perun_free(path);
	return status;
}

/* ---- writing ------------------------------------------------------------------------------------ */

int cells_batches_write(struct perun_ctx *ctx, const struct perun_run_cells *cells,
			const struct cells_batches *batches)
{
	struct perun_json *document = perun_json_object(), *list = perun_json_array();
	char *path = cells_file(cells, "batches.json");
	int status;

	for (size_t i = 0; i < batches->count; i++) {
		const struct cells_batch *batch = &batches->items[i];
		struct perun_json *item = perun_json_object();

		perun_json_set(item, "kind", perun_json_text(batch->builds ? "build" : "cell"));
		perun_json_set(item, "tasks", ranges_of(batch->tasks, batch->count));
		if (batch->handle)
			perun_json_set(item, "handle", perun_json_text(batch->handle));
		if (batch->after)
			perun_json_set(item, "after", perun_json_int64(batch->after));
		if (batch->point)
			perun_json_set(item, "point", perun_json_int64((int64_t)batch->point));
		if (batch->factor > 1)
			perun_json_set(item, "time_factor", perun_json_double(batch->factor));
		if (batch->cancelled)
			perun_json_set(item, "cancelled", perun_json_bool(true));
		perun_json_set(item, "ends", describe_ends(batch));
		if (perun_json_count(perun_json_get(item, "ends")) == 0)
			perun_json_remove(item, "ends");
		perun_json_append(list, item);
	}
	perun_json_set(document, "batches", list);
	status = cells_write(ctx, path, document);
	perun_json_free(document);
	perun_free(path);
	return status;
}
