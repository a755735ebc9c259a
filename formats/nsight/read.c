/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a directory of measurements: a directory for each point, a database or more in each. */
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>

#include "nsight.h"
#include "formats/common/points.h"

/* A value measured at a point; the values of an entry are a ring. */
struct value {
	double value;
	uint32_t point, next;
};

/* A call path and metric. */
struct entry {
	perun_id path;
	uint32_t last; /* its last value + 1; 0 = none */
	uint32_t points : 29;
	uint32_t bytes : 1, partial : 1, overlaps : 1;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	struct perun_point_files files;
	size_t point; /* that is read */
	uint64_t bytes_left, pieces_left;
	struct entry *entries;
	size_t entry_count, entry_room;
	struct value *values;
	size_t value_count, value_room;
	uint32_t *by_path[2]; /* entries + 1 of times, and of bytes */
	size_t path_room[2];
};

/* ---- values ---------------------------------------------------------------------------------- */

static struct entry *find_entry(struct reading *reading, perun_id path, bool bytes)
{
	uint32_t **by_path = &reading->by_path[bytes];
	size_t room = reading->path_room[bytes];

	if (path >= room) {
		reading->path_room[bytes] = path + path / 2 + 64;
		*by_path =
			perun_realloc_array(*by_path, reading->path_room[bytes], sizeof **by_path);
		memset(*by_path + room, 0, (reading->path_room[bytes] - room) * sizeof **by_path);
	}
	if (!(*by_path)[path]) {
		PERUN_GROW(reading->entries, reading->entry_count, reading->entry_room);
		reading->entries[reading->entry_count++] =
			(struct entry){.path = path, .bytes = bytes};
		(*by_path)[path] = (uint32_t)reading->entry_count;
	}
	return &reading->entries[(*by_path)[path] - 1];
}

static void take_value(void *data, const char *path, size_t length, unsigned flags, double value)
{
	struct reading *reading = data;
	struct entry *entry =
		find_entry(reading, perun_builder_string(reading->builder, path, length),
			   (flags & NSIGHT_BYTES) != 0);
	struct value own = {value, (uint32_t)reading->point, (uint32_t)reading->value_count};
	struct value *last = entry->last ? &reading->values[entry->last - 1] : NULL;

	entry->partial |= (flags & NSIGHT_PARTIAL) != 0;
	entry->overlaps |= (flags & NSIGHT_OVERLAPS) != 0;
	entry->points += !last || last->point != own.point;
	if (last) {
		own.next = last->next;
		last->next = (uint32_t)reading->value_count;
	}
	PERUN_GROW(reading->values, reading->value_count, reading->value_room);
	reading->values[reading->value_count++] = own;
	entry->last = (uint32_t)reading->value_count;
}

static int read_database(void *data, struct perun_input *input)
{
	struct reading *reading = data;
	struct nsight_file file = {.ctx = reading->ctx,
				   .builder = reading->builder,
				   .pieces_left = reading->pieces_left,
				   .bytes_left = reading->bytes_left};
	int64_t size = perun_input_size(input);
	const char *path;
	int status = perun_input_local_path(reading->ctx, input, &path);

	file.bytes_left += size > 0 ? 16 * (uint64_t)size : 0;
	file.pieces_left += size > 0 ? (uint64_t)size / 2 : 0;
	if (!status)
		status = nsight_load(&file, path, size < 0 ? 0 : (uint64_t)size);
	if (!status)
		status = nsight_resolve(&file);
	if (!status)
		status = nsight_measure(&file, take_value, reading);
	reading->bytes_left = file.bytes_left;
	reading->pieces_left = file.pieces_left;
	nsight_clear(&file);
	return status;
}

static int read_files(struct reading *reading, struct perun_input *input)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < reading->files.count && !status; i++) {
		perun_progress(reading->ctx, "reading", i, reading->files.count);
		if (perun_cancelled(reading->ctx))
			return PERUN_CANCELLED;
		reading->point = reading->files.items[i].point;
		status = formats_read_point(reading->ctx, input, &reading->files.items[i],
					    read_database, reading);
	}
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* What overlaps something, and idle time, may be missing at some points; other paths are left out then. */
static bool is_kept(const struct reading *reading, const struct entry *entry)
{
	return entry->points == reading->files.points || (entry->partial && entry->points > 1);
}

static void report_missing(struct reading *reading)
{
	struct perun_json *extra = perun_json_object(), *extrap = perun_json_object();

	perun_json_set(extrap, "missing_points", perun_json_bool(true));
	perun_json_set(extra, "extrap", extrap);
	perun_json_set(perun_builder_document(reading->builder), "extra", extra);
}

static void report_units(struct reading *reading)
{
	struct perun_json *header = perun_json_object(), *units = perun_json_object();

	perun_json_set(units, "time", perun_json_text("s"));
	perun_json_set(units, "bytes_transferred", perun_json_text("B"));
	perun_json_set(header, "units", units);
	perun_json_set(perun_builder_document(reading->builder), "header", header);
}

static int add_rows(struct reading *reading)
{
	struct perun_experiment_rows rows;
	perun_id *points = perun_point_files_points(&reading->files, reading->builder), time,
		 transferred;
	size_t kept = 0, missing = 0;

	report_units(reading);
	perun_experiment_begin(reading->builder, &rows);
	time = perun_builder_metric(reading->builder, "time", 4);
	transferred = perun_builder_text(reading->builder, "bytes_transferred");
	for (size_t i = 0; i < reading->entry_count; i++) {
		struct entry *entry = &reading->entries[i];
		uint32_t next;
		size_t length;
		char *path;
		perun_id stack;

		if (!is_kept(reading, entry))
			continue;
		kept++;
		missing += entry->points < reading->files.points;
		path = perun_strdup(
			perun_builder_string_at(reading->builder, entry->path, &length));
		stack = perun_builder_callpath(reading->builder, path, length);
		perun_free(path);
		perun_experiment_overlap(reading->builder, &rows, entry->overlaps);
		next = entry->last - 1;
		do {
			next = reading->values[next].next;
			perun_experiment_add(&rows, stack, entry->bytes ? transferred : time,
					     points[reading->values[next].point],
					     &reading->values[next].value, 1);
		} while (next != entry->last - 1);
	}
	perun_free(points);
	if (missing)
		report_missing(reading);
	if (kept < reading->entry_count)
		perun_warn(reading->ctx, "%zu call paths are not there at every point: left out",
			   reading->entry_count - kept);
	return kept ? PERUN_OK
		    : perun_fail(reading->ctx, PERUN_INPUT,
				 "no call path was measured at every point");
}

int nsight_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		struct perun_builder *builder)
{
	const struct nsight_options *options = instance;
	struct reading reading = {.ctx = ctx,
				  .builder = builder,
				  .bytes_left = options->expansion_limit,
				  .pieces_left = (uint64_t)options->piece_limit};
	int status = perun_point_files_list(ctx, input, ".sqlite", &reading.files);

	if (!status)
		perun_point_files_parameters(&reading.files, builder);
	if (!status)
		status = read_files(&reading, input);
	if (!status)
		status = add_rows(&reading);
	perun_point_files_clear(&reading.files);
	perun_free(reading.entries);
	perun_free(reading.values);
	perun_free(reading.by_path[0]);
	perun_free(reading.by_path[1]);
	return status;
}
