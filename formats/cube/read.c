/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a directory of measurements: a directory for each point, one or more files in each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/hash.h>

#include "cube.h"
#include "formats/common/points.h"

/* Statistics of one call path and metric at a point. */
struct summary {
	double mean, median, minimum, maximum, std;
	uint32_t repetitions; /* files; 0 = not measured */
};

/* A call path and metric, at all points. */
struct entry {
	perun_id path, metric;
	struct summary *at;
	bool dropped, overlaps;
	/* Of the point that is read. */
	double *pool;
	size_t count, room;
	uint32_t files, last_file;
};

struct reading {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	const struct cube_options *options;
	struct perun_point_files files;
	struct entry *entries;
	size_t entry_count, entry_room;
	uint32_t *slots; /* hash table of entries + 1 */
	size_t slot_count;
	uint32_t file;      /* the one that is read, from 1 */
	uint64_t read;      /* bytes of archives so far */
	uint64_t expanded;  /* bytes of names and summaries */
	perun_id last_name; /* the newest string that names a call path */
	struct touched {
		uint32_t *entries; /* those that the current point has */
		size_t count, room;
	} touched;
};

static int expand(struct reading *reading, uint64_t size)
{
	reading->expanded += size;
	if (reading->expanded <= reading->options->expansion_limit + 16 * reading->read)
		return PERUN_OK;
	return perun_fail(reading->ctx, PERUN_INPUT,
			  "call paths and their values at all points take more memory than the "
			  "option expansion-limit allows");
}

/* ---- entries --------------------------------------------------------------------------------- */

static size_t slot_of(const struct reading *reading, perun_id path, perun_id metric)
{
	size_t slot = (size_t)perun_hash_number((uint64_t)path << 32 | metric) &
		      (reading->slot_count - 1);

	while (reading->slots[slot] &&
	       (reading->entries[reading->slots[slot] - 1].path != path ||
		reading->entries[reading->slots[slot] - 1].metric != metric))
		slot = (slot + 1) & (reading->slot_count - 1);
	return slot;
}

static struct entry *find_entry(struct reading *reading, perun_id path, perun_id metric, bool make)
{
	size_t slot;

	if (make && reading->entry_count * 2 >= reading->slot_count) {
		reading->slot_count = reading->slot_count ? reading->slot_count * 2 : 1024;
		perun_free(reading->slots);
		reading->slots = perun_alloc_zero(reading->slot_count, sizeof *reading->slots);
		for (size_t i = 0; i < reading->entry_count; i++)
			reading->slots[slot_of(reading, reading->entries[i].path,
					       reading->entries[i].metric)] = (uint32_t)i + 1;
	}
	slot = slot_of(reading, path, metric);
	if (reading->slots[slot])
		return &reading->entries[reading->slots[slot] - 1];
	if (!make)
		return NULL;
	PERUN_GROW(reading->entries, reading->entry_count, reading->entry_room);
	reading->entries[reading->entry_count] = (struct entry){
		.path = path,
		.metric = metric,
		.at = perun_alloc_zero(reading->files.points, sizeof(struct summary))};
	reading->slots[slot] = (uint32_t)++reading->entry_count;
	return &reading->entries[reading->entry_count - 1];
}

static void put(struct entry *entry, double value)
{
	PERUN_GROW(entry->pool, entry->count, entry->room);
	entry->pool[entry->count++] = value;
}

/* The values of one file: of all locations, of those that worked, or their sum. */
static void add_values(struct reading *reading, struct entry *entry, const double *values,
		       size_t count)
{
	double sum = 0;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		any |= values[i] != 0;
	}
	if (entry->files == 0) {
		struct touched *touched = &reading->touched;

		PERUN_GROW(touched->entries, touched->count, touched->room);
		touched->entries[touched->count++] = (uint32_t)(entry - reading->entries);
	}
	/* Nodes of the same path are one more measurement. */
	entry->files++;
	entry->last_file = reading->file;
	if (reading->options->scaling == CUBE_STRONG) {
		put(entry, sum);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (reading->options->scaling == CUBE_WEAK || values[i] != 0 || !any)
			put(entry, values[i]);
}

/* ---- one file -------------------------------------------------------------------------------- */

/* The call path of each node, as a string of the builder. */
static int name_nodes(struct reading *reading, const struct cube_anchor *anchor, perun_id *paths)
{
	struct perun_buffer path = {0};
	uint64_t spelled = 0;
	int status = PERUN_OK;

	for (size_t i = 0; i < anchor->node_count && !status; i++) {
		const struct cube_node *node = &anchor->nodes[i];
		const char *name;
		size_t length;

		status = cube_callee(reading->ctx, anchor, node, &name);
		if (status)
			break;
		perun_buffer_clear(&path);
		if (node->parent != UINT32_MAX) {
			const char *parent = perun_builder_string_at(reading->builder,
								     paths[node->parent], &length);

			perun_buffer_add(&path, parent, length);
			perun_buffer_add_text(&path, "->");
		}
		perun_buffer_add_text(&path, name);
		spelled += path.length;
		if (spelled > reading->options->expansion_limit + 16 * reading->read)
			status = perun_fail(reading->ctx, PERUN_INPUT,
					    "anchor.xml: the names of call paths take more than "
					    "the option expansion-limit allows");
		paths[i] = perun_builder_string(reading->builder, path.data ? path.data : "",
						path.length);
		/* New strings have larger numbers than all before. */
		if (!status && paths[i] > reading->last_name) {
			reading->last_name = paths[i];
			status = expand(reading, path.length);
		}
	}
	perun_buffer_free(&path);
	return status;
}

static void keep_unit(struct reading *reading, const struct cube_metric *metric)
{
	const char *name = metric->name;

	if (metric->unit && *metric->unit)
		perun_builder_describe(reading->builder,
				       perun_builder_metric(reading->builder, name, strlen(name)),
				       "unit", metric->unit);
}

static int add_metric(struct reading *reading, struct cube_archive *archive,
		      struct cube_anchor *anchor, const struct cube_metric *metric,
		      const perun_id *paths)
{
	perun_id name = perun_builder_text(reading->builder, metric->name);
	struct cube_values values;
	int status = cube_read_values(reading->ctx, archive, anchor, metric,
				      reading->options->inclusive, &values);

	if (!status && values.count)
		keep_unit(reading, metric);
	for (size_t i = 0; i < values.count && !status; i++) {
		size_t before = reading->entry_count;
		struct entry *entry = find_entry(reading, paths[values.nodes[i]], name, true);

		if (reading->entry_count != before)
			status = expand(reading, reading->files.points * sizeof(struct summary));
		entry->overlaps |= anchor->nodes[values.nodes[i]].overlaps;
		add_values(reading, entry, values.numbers + i * anchor->locations,
			   anchor->locations);
	}
	perun_free(values.nodes);
	perun_free(values.numbers);
	return status;
}

static int read_archive(void *data, struct perun_input *input)
{
	struct reading *reading = data;
	struct cube_archive archive = {.left = reading->options->archive_limit};
	struct cube_anchor anchor = {0};
	perun_id *paths = NULL;
	int status = cube_open_archive(reading->ctx, input, &archive);

	reading->read += reading->options->archive_limit - archive.left;
	if (!status)
		status = cube_read_archived_anchor(reading->ctx, &archive, &anchor);
	if (!status) {
		paths = perun_alloc_zero(anchor.node_count, sizeof *paths);
		status = name_nodes(reading, &anchor, paths);
	}
	for (size_t i = 0; !status && i < anchor.metric_count; i++) {
		const struct cube_metric *metric = &anchor.metrics[i];

		if (cube_is_chosen(metric, reading->options))
			status = add_metric(reading, &archive, &anchor, metric, paths);
	}
	perun_free(paths);
	cube_clear_anchor(&anchor);
	cube_close_archive(&archive);
	return status;
}

/* ---- points ---------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void summarize(struct entry *entry, struct summary *summary)
{
	double n = (double)entry->count, sum = 0, squares = 0;

	for (size_t i = 0; i < entry->count; i++)
		sum += entry->pool[i];
	summary->mean = sum / n;
	for (size_t i = 0; i < entry->count; i++)
		squares += (entry->pool[i] - summary->mean) * (entry->pool[i] - summary->mean);
	summary->std = sqrt(squares / n);
	qsort(entry->pool, entry->count, sizeof *entry->pool, compare_doubles);
	summary->minimum = entry->pool[0];
	summary->maximum = entry->pool[entry->count - 1];
	summary->median = (entry->pool[(entry->count - 1) / 2] + entry->pool[entry->count / 2]) / 2;
	summary->repetitions = entry->files;
	entry->count = 0;
	entry->files = 0;
}

static int read_files(struct reading *reading, struct perun_input *input)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < reading->files.count && !status; i++) {
		size_t point = reading->files.items[i].point;
		bool last =
			i + 1 == reading->files.count || reading->files.items[i + 1].point != point;

		perun_progress(reading->ctx, "reading", i, reading->files.count);
		if (perun_cancelled(reading->ctx))
			return PERUN_CANCELLED;
		reading->file++;
		status = formats_read_point(reading->ctx, input, &reading->files.items[i],
					    read_archive, reading);
		if (!last || status)
			continue;
		for (size_t k = 0; k < reading->touched.count; k++) {
			struct entry *entry = &reading->entries[reading->touched.entries[k]];

			if (entry->count)
				summarize(entry, &entry->at[point]);
		}
		reading->touched.count = 0;
	}
	return status;
}

/* ---- one tree -------------------------------------------------------------------------------- */

static bool is_everywhere(const struct reading *reading, const struct entry *entry)
{
	for (size_t i = 0; i < reading->files.points; i++)
		if (entry->at[i].repetitions == 0)
			return false;
	return true;
}

static void merge(struct summary *into, const struct summary *from)
{
	if (from->repetitions == 0)
		return;
	if (into->repetitions == 0) {
		*into = *from;
		return;
	}
	into->mean += from->mean;
	into->median += from->median;
	into->minimum += from->minimum;
	into->maximum += from->maximum;
	into->std = hypot(into->std, from->std);
}

/* The nearest caller that was measured. */
static struct entry *find_caller(struct reading *reading, const struct entry *entry, int *status)
{
	size_t length;
	const char *text = perun_builder_string_at(reading->builder, entry->path, &length);
	char *path = perun_memdup(text, length + 1);
	struct entry *caller = NULL;

	while (!caller && !*status) {
		perun_id id;

		while (length >= 2 && !(path[length - 2] == '-' && path[length - 1] == '>'))
			length--;
		if (length < 2)
			break;
		length -= 2;
		id = perun_builder_string(reading->builder, path, length);
		/* Names of regions may hold arrows: then it is a new string. A known one costs its comparison. */
		*status = expand(reading, id > reading->last_name ? length : length / 16);
		if (id > reading->last_name)
			reading->last_name = id;
		caller = find_entry(reading, id, entry->metric, false);
		if (caller && caller->dropped)
			caller = NULL;
	}
	perun_free(path);
	return caller;
}

/*
 * Call paths that are not there at every point, because the program behaves differently, are counted to
 * their callers.
 */
static int unify(struct reading *reading)
{
	size_t lost = 0;
	int status = PERUN_OK;

	for (size_t i = 0; i < reading->entry_count && !status; i++) {
		struct entry *caller;

		if (is_everywhere(reading, &reading->entries[i]))
			continue;
		caller = reading->entries[i].overlaps
				 ? NULL
				 : find_caller(reading, &reading->entries[i], &status);
		if (!status && perun_cancelled(reading->ctx))
			status = PERUN_CANCELLED;
		reading->entries[i].dropped = true;
		for (size_t p = 0; caller && p < reading->files.points; p++)
			merge(&caller->at[p], &reading->entries[i].at[p]);
		lost += !caller;
	}
	if (lost)
		perun_warn(
			reading->ctx,
			"%zu call paths are not there at every point and have no caller that is: "
			"left out",
			lost);
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static struct perun_column_builder *add_statistic(struct perun_table_builder *table,
						  const char *name, enum perun_type type)
{
	struct perun_column_info info = {.name = name,
					 .type = type,
					 .role = PERUN_ROLE_STATISTIC,
					 .refers = "value",
					 .statistic = name};

	return perun_table_add_column(table, &info);
}

static void add_rows(struct reading *reading)
{
	struct perun_experiment_rows rows;
	struct perun_column_builder *median, *minimum, *maximum, *std, *repetitions;
	perun_id *points = perun_point_files_points(&reading->files, reading->builder);

	perun_experiment_begin(reading->builder, &rows);
	median = add_statistic(rows.table, "median", PERUN_TYPE_DOUBLE);
	minimum = add_statistic(rows.table, "minimum", PERUN_TYPE_DOUBLE);
	maximum = add_statistic(rows.table, "maximum", PERUN_TYPE_DOUBLE);
	std = add_statistic(rows.table, "std", PERUN_TYPE_DOUBLE);
	repetitions = add_statistic(rows.table, "repetitions", PERUN_TYPE_INT64);
	for (size_t i = 0; i < reading->entry_count; i++) {
		const struct entry *entry = &reading->entries[i];
		size_t length;
		const char *text = perun_builder_string_at(reading->builder, entry->path, &length);
		char *path = perun_memdup(text, length + 1);
		perun_id stack = entry->dropped
					 ? PERUN_NO_ID
					 : perun_builder_callpath(reading->builder, path, length);

		perun_free(path);
		perun_experiment_overlap(reading->builder, &rows, entry->overlaps);
		for (size_t p = 0; p < reading->files.points && !entry->dropped; p++) {
			int64_t count = entry->at[p].repetitions;

			perun_column_append_double(median, &entry->at[p].median, NULL, 1);
			perun_column_append_double(minimum, &entry->at[p].minimum, NULL, 1);
			perun_column_append_double(maximum, &entry->at[p].maximum, NULL, 1);
			perun_column_append_double(std, &entry->at[p].std, NULL, 1);
			perun_column_append_int64(repetitions, &count, 1);
			perun_experiment_add(&rows, stack, entry->metric, points[p],
					     &entry->at[p].mean, 1);
		}
	}
	perun_free(points);
}

static void report_scaling(struct reading *reading)
{
	static const char *const names[] = {"weak", "weak_threaded", "strong"};
	struct perun_json *extra = perun_json_object(), *extrap = perun_json_object();

	perun_json_set(extrap, "scaling", perun_json_text(names[reading->options->scaling]));
	perun_json_set(extra, "extrap", extrap);
	perun_json_set(perun_builder_document(reading->builder), "extra", extra);
}

int cube_read_experiment(const struct cube_options *options, struct perun_ctx *ctx,
			 struct perun_input *input, struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx, .builder = builder, .options = options};
	int status = perun_point_files_list(ctx, input, ".cubex", &reading.files);

	if (!status)
		perun_point_files_parameters(&reading.files, builder);
	if (!status)
		status = read_files(&reading, input);
	if (!status && reading.entry_count == 0)
		status = perun_fail(ctx, PERUN_INPUT, "no metric has values");
	if (!status)
		status = unify(&reading);
	if (!status) {
		add_rows(&reading);
		report_scaling(&reading);
	}
	for (size_t i = 0; i < reading.entry_count; i++) {
		perun_free(reading.entries[i].at);
		perun_free(reading.entries[i].pool);
	}
	perun_point_files_clear(&reading.files);
	perun_free(reading.entries);
	perun_free(reading.touched.entries);
	perun_free(reading.slots);
	return status;
}
