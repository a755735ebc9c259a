/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a directory of measurements: a directory for each point, a database or more in each. */
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/hash.h>

#include "nsight.h"
#include "formats/common/points.h"

/* A value measured at a point. */
struct value {
	size_t point;
	double value;
};

/* A call path and metric. One value is in it, more are elsewhere. */
struct entry {
	perun_id path;
	bool bytes, partial, overlaps;
	uint32_t count, room, points;
	union {
		struct value value;
		struct value *values;
	};
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	struct perun_point_files files;
	size_t point; /* that is read */
	uint64_t bytes_left, pieces_left;
	struct entry *entries;
	size_t entry_count, entry_room;
	uint32_t *slots; /* hash table of entries + 1 */
	size_t slot_count;
};

/* ---- values ---------------------------------------------------------------------------------- */

static size_t slot_of(const struct reading *reading, perun_id path, bool bytes)
{
	size_t slot =
		(size_t)perun_hash_number((uint64_t)path << 1 | bytes) & (reading->slot_count - 1);

	while (reading->slots[slot] && (reading->entries[reading->slots[slot] - 1].path != path ||
					reading->entries[reading->slots[slot] - 1].bytes != bytes))
		slot = (slot + 1) & (reading->slot_count - 1);
	return slot;
}

static struct entry *find_entry(struct reading *reading, perun_id path, bool bytes)
{
	size_t slot;

	if (reading->entry_count * 2 >= reading->slot_count) {
		reading->slot_count = reading->slot_count ? reading->slot_count * 2 : 256;
		perun_free(reading->slots);
		reading->slots = perun_alloc_zero(reading->slot_count, sizeof *reading->slots);
		for (size_t i = 0; i < reading->entry_count; i++)
			reading->slots[slot_of(reading, reading->entries[i].path,
					       reading->entries[i].bytes)] = (uint32_t)i + 1;
	}
	slot = slot_of(reading, path, bytes);
	if (!reading->slots[slot]) {
		PERUN_GROW(reading->entries, reading->entry_count, reading->entry_room);
		reading->entries[reading->entry_count++] =
			(struct entry){.path = path, .bytes = bytes};
		reading->slots[slot] = (uint32_t)reading->entry_count;
	}
	return &reading->entries[reading->slots[slot] - 1];
}

static struct value *values_of(struct entry *entry)
{
	return entry->room ? entry->values : &entry->value;
}

/* One for each point, or a few. */
static void add_value(struct entry *entry, struct value value)
{
	struct value *values = values_of(entry);

	if (entry->count && entry->count >= entry->room) {
		entry->room = entry->count * 2;
		values = perun_realloc_array(entry->count > 1 ? values : NULL, entry->room,
					     sizeof *values);
		if (entry->count == 1)
			values[0] = entry->value;
		entry->values = values;
	}
	values[entry->count++] = value;
}

static void take_value(void *data, const char *path, size_t length, unsigned flags, double value)
{
	struct reading *reading = data;
	struct entry *entry =
		find_entry(reading, perun_builder_string(reading->builder, path, length),
			   (flags & NSIGHT_BYTES) != 0);

	entry->partial |= (flags & NSIGHT_PARTIAL) != 0;
	entry->overlaps |= (flags & NSIGHT_OVERLAPS) != 0;
	entry->points +=
		entry->count == 0 || values_of(entry)[entry->count - 1].point != reading->point;
	add_value(entry, (struct value){reading->point, value});
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

	if (!status)
		status = nsight_load(&file, path, size < 0 ? 0 : (uint64_t)size);
	file.bytes_left += size > 0 ? 16 * (uint64_t)size : 0;
	file.pieces_left += size > 0 ? (uint64_t)size / 2 : 0;
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
		const struct value *values = values_of(entry);
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
		for (size_t k = 0; k < entry->count; k++)
			perun_experiment_add(&rows, stack, entry->bytes ? transferred : time,
					     points[values[k].point], &values[k].value, 1);
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
	for (size_t i = 0; i < reading.entry_count; i++)
		perun_free(reading.entries[i].room ? reading.entries[i].values : NULL);
	perun_point_files_clear(&reading.files);
	perun_free(reading.entries);
	perun_free(reading.slots);
	return status;
}
