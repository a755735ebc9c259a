/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing: a profile for each metric, and for each profile that rows were read from (the label "profile"): of events
 * where rows are intervals after each other, else of samples.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "formats/common/losses.h"
#include "speedscope.h"

/* What the frame of a function says of its place; known: as one of its places does. */
struct frame_line {
	int64_t line, column;
	bool known;
};

struct writing {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	struct perun_json_writer *json;
	const struct perun_column *stacks;
	struct frame_line *lines; /* of each function */
	uint64_t lines_lost;
	size_t functions;  /* frames: functions first, then places without one */
	uint32_t *unnamed; /* of each location: its frame after the functions */
	uint32_t unnamed_count;
	/* profiles of the file: rows in the order of their groups, and where each group begins */
	uint32_t *order;
	struct group {
		const char *name; /* NULL: rows without one */
		size_t first, count;
	} * groups;
	size_t group_count, group_room;
	uint32_t *group_of_row;
	/* of the metric that is being written: its rows, and the groups that have some */
	const uint32_t *rows;
	const struct group *parts;
	size_t part_count;
	uint32_t *own_rows;
	struct group *own_parts;
	size_t own_part_room;
	int64_t *path, *open; /* frames of a row, the outermost first; those of open events */
	size_t path_room, open_room;
	const struct perun_column *start, *end;
	uint64_t times_lost; /* rows with times in profiles of samples */
	uint64_t
		lengths_lost; /* rows of no length in profiles of events: what begins and ends at once is no row */
	uint64_t copied, copy_limit; /* frames of samples that are written for further metrics */
};

static int sink(void *data, const char *text, size_t length)
{
	return perun_output_write(data, text, length);
}

static void write_string(struct perun_json_writer *json, const char *key, const char *text)
{
	perun_json_write_key_text(json, key);
	perun_json_write_text(json, text);
}

/* Whole numbers stay whole. */
static void write_number(struct perun_json_writer *json, double number)
{
	if (number == floor(number) && fabs(number) < 0x1p53)
		perun_json_write_int64(json, (int64_t)number);
	else
		perun_json_write_double(json, number);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* What a place says of the line of its function: the first one counts, unless there are others. */
static void learn_line(struct writing *writing, const struct perun_line *line)
{
	struct frame_line *frame = &writing->lines[line->function];
	int64_t first = perun_profile_function(writing->profile, line->function)->start_line;

	if (first && line->line != first)
		return;
	if (!frame->known)
		*frame = (struct frame_line){line->line, line->column, true};
	else if (!first && (frame->line != line->line || frame->column != line->column))
		frame->line = frame->column = 0;
}

static bool says_other_line(const struct writing *writing, const struct perun_location *place)
{
	for (uint32_t i = 0; i < place->line_count; i++) {
		const struct perun_line *line = &place->lines[i];

		if (line->function != PERUN_NO_ID &&
		    (writing->lines[line->function].line != line->line ||
		     writing->lines[line->function].column != line->column))
			return true;
	}
	return false;
}

/*
 * The line and column of each function: its first line, else that of its places, where they have one. Frames of the format are
 * functions; what else places say is lost.
 */
static void find_lines(struct writing *writing)
{
	const struct perun_profile *profile = writing->profile;
	size_t places = perun_profile_locations(profile);

	writing->lines = perun_alloc_zero(writing->functions + 1, sizeof *writing->lines);
	for (size_t i = 0; i < writing->functions; i++)
		writing->lines[i].line = perun_profile_function(profile, (perun_id)i)->start_line;
	for (size_t i = 0; i < places; i++) {
		const struct perun_location *place = perun_profile_location(profile, (perun_id)i);

		for (uint32_t k = 0; k < place->line_count; k++)
			if (place->lines[k].function != PERUN_NO_ID)
				learn_line(writing, &place->lines[k]);
	}
	for (size_t i = 0; i < places; i++)
		writing->lines_lost +=
			says_other_line(writing, perun_profile_location(profile, (perun_id)i));
}

static void write_function(struct writing *writing, size_t which)
{
	const struct perun_function *function =
		perun_profile_function(writing->profile, (perun_id)which);
	struct perun_json_writer *json = writing->json;
	perun_id name = function->name ? function->name : function->file;
	const struct frame_line *line = &writing->lines[which];

	perun_json_write_object_start(json);
	write_string(json, "name", perun_profile_string(writing->profile, name, NULL));
	if (function->file)
		write_string(json, "file",
			     perun_profile_string(writing->profile, function->file, NULL));
	if (line->line > 0) {
		perun_json_write_key_text(json, "line");
		perun_json_write_int64(json, line->line);
	}
	if (line->column > 0) {
		perun_json_write_key_text(json, "col");
		perun_json_write_int64(json, line->column);
	}
	perun_json_write_object_end(json);
}

static bool is_unnamed(const struct perun_location *location)
{
	for (uint32_t i = 0; i < location->line_count; i++)
		if (location->lines[i].function != PERUN_NO_ID)
			return false;
	return true;
}

static void write_frames(struct writing *writing)
{
	struct perun_json_writer *json = writing->json;
	const struct perun_profile *profile = writing->profile;
	size_t locations = perun_profile_locations(profile);

	writing->functions = perun_profile_functions(profile);
	find_lines(writing);
	writing->unnamed = perun_alloc_zero(locations, sizeof *writing->unnamed);
	perun_json_write_key_text(json, "shared");
	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "frames");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < writing->functions; i++)
		write_function(writing, i);
	for (size_t i = 0; i < locations; i++) {
		const struct perun_location *location =
			perun_profile_location(profile, (perun_id)i);
		char name[32];

		if (!is_unnamed(location))
			continue;
		writing->unnamed[i] = writing->unnamed_count++;
		snprintf(name, sizeof name, "0x%" PRIx64, location->address);
		perun_json_write_object_start(json);
		write_string(json, "name", name);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
	perun_json_write_object_end(json);
}

/* ---- profiles -------------------------------------------------------------------------------- */

static void add_frame(struct writing *writing, size_t *count, int64_t frame)
{
	PERUN_GROW(writing->path, *count, writing->path_room);
	writing->path[(*count)++] = frame;
}

/* The frames of a stack in writing->path, the outermost first; how many. */
static size_t find_path(struct writing *writing, perun_id stack)
{
	const struct perun_profile *profile = writing->profile;
	size_t count = 0, frames = 0;
	const perun_id *locations =
		stack == PERUN_NO_ID ? NULL : perun_profile_stack(profile, stack, &count);

	for (size_t i = count; i-- > 0;) {
		const struct perun_location *location =
			perun_profile_location(profile, locations[i]);

		if (is_unnamed(location)) {
			add_frame(writing, &frames,
				  (int64_t)(writing->functions + writing->unnamed[locations[i]]));
			continue;
		}
		for (uint32_t line = location->line_count; line-- > 0;)
			if (location->lines[line].function != PERUN_NO_ID)
				add_frame(writing, &frames, location->lines[line].function);
	}
	return frames;
}

static void write_sample(struct writing *writing, perun_id stack)
{
	size_t count = find_path(writing, stack);

	perun_json_write_array_start(writing->json);
	for (size_t i = 0; i < count; i++)
		perun_json_write_int64(writing->json, writing->path[i]);
	perun_json_write_array_end(writing->json);
}

/* Units of the format, and those that are one of them under another name. */
static const char *unit_of(const struct perun_metric *metric)
{
	static const char *const units[][2] = {
		{"nanoseconds", "nanoseconds"},
		{"ns", "nanoseconds"},
		{"microseconds", "microseconds"},
		{"us", "microseconds"},
		{"milliseconds", "milliseconds"},
		{"ms", "milliseconds"},
		{"seconds", "seconds"},
		{"s", "seconds"},
		{"bytes", "bytes"},
		{"B", "bytes"},
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(metric->unit, units[i][0]) == 0)
			return units[i][1];
	return "none";
}

static double value_of(const struct perun_metric *metric, size_t row)
{
	double value =
		perun_metric_has_row(metric, row) ? perun_column_double(metric->values, row) : 0;

	return isfinite(value) ? value : 0;
}

/* Whether the samples may be written for one metric more. */
static bool may_copy(struct writing *writing, uint64_t frames)
{
	writing->copied += frames;
	if (writing->copied <= writing->copy_limit)
		return true;
	perun_fail(writing->ctx, PERUN_INPUT,
		   "the samples, written for each metric, have more frames than the option "
		   "copy-limit allows");
	return false;
}

static uint64_t count_frames(const struct writing *writing)
{
	size_t rows = perun_table_rows(perun_resources(writing->profile));
	uint64_t frames = rows;

	for (size_t row = 0; row < rows; row++) {
		perun_id stack = perun_column_id(writing->stacks, row);

		if (stack != PERUN_NO_ID)
			frames += perun_profile_stack_length(writing->profile, stack);
	}
	return frames;
}

static void write_samples(struct writing *writing, const struct perun_metric *metric,
			  const struct group *group)
{
	struct perun_json_writer *json = writing->json;
	const uint32_t *rows = writing->rows + group->first;

	perun_json_write_key_text(json, "samples");
	perun_json_write_array_start(json);
	/* Rows of other metrics are other threads' samples, perhaps. */
	for (size_t i = 0; i < group->count; i++)
		if (perun_metric_has_row(metric, rows[i]))
			write_sample(writing, perun_column_id(writing->stacks, rows[i]));
	perun_json_write_array_end(json);
	perun_json_write_key_text(json, "weights");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < group->count; i++)
		if (perun_metric_has_row(metric, rows[i])) {
			write_number(json, value_of(metric, rows[i]));
			writing->times_lost +=
				writing->start &&
				isfinite(perun_column_double(writing->start, rows[i]));
		}
	perun_json_write_array_end(json);
}

static void write_event(struct writing *writing, const char *type, int64_t frame, double at)
{
	perun_json_write_object_start(writing->json);
	write_string(writing->json, "type", type);
	perun_json_write_key_text(writing->json, "frame");
	perun_json_write_int64(writing->json, frame);
	perun_json_write_key_text(writing->json, "at");
	write_number(writing->json, at);
	perun_json_write_object_end(writing->json);
}

/* Whether the rows are intervals after each other, whose values are their durations. */
static bool is_timeline(const struct writing *writing, const struct perun_metric *metric,
			const struct group *group)
{
	double now = -INFINITY;

	if (!writing->start || !writing->end ||
	    strcmp(perun_column_info(writing->start)->unit ? perun_column_info(writing->start)->unit
							   : "",
		   metric->unit) != 0)
		return false;
	for (size_t i = 0; i < group->count; i++) {
		size_t row = writing->rows[group->first + i];
		double start = perun_column_double(writing->start, row);
		double end = perun_column_double(writing->end, row), value;

		if (!perun_metric_has_row(metric, row))
			continue;
		value = value_of(metric, row);
		if (!(start >= now) || !(end >= start) ||
		    fabs(end - start - value) > 1e-9 * (fabs(value) + fabs(end)))
			return false;
		now = end;
	}
	return now > -INFINITY;
}

/* What intervals that touch have in common stays open. */
static void write_events(struct writing *writing, const struct perun_metric *metric,
			 const struct group *group)
{
	size_t depth = 0;
	double now = 0;

	perun_json_write_key_text(writing->json, "events");
	perun_json_write_array_start(writing->json);
	for (size_t i = 0; i < group->count; i++) {
		size_t row = writing->rows[group->first + i], count, same = 0;
		double start = perun_column_double(writing->start, row);

		if (!perun_metric_has_row(metric, row))
			continue;
		writing->lengths_lost += perun_column_double(writing->end, row) == start;
		count = find_path(writing, perun_column_id(writing->stacks, row));
		while (start == now && same < depth && same < count &&
		       writing->open[same] == writing->path[same])
			same++;
		/* The same stack twice is two intervals: something has to end between them. */
		if (same == count && same == depth && same)
			same--;
		while (depth > same)
			write_event(writing, "C", writing->open[--depth], now);
		for (; depth < count; depth++) {
			PERUN_GROW(writing->open, depth, writing->open_room);
			writing->open[depth] = writing->path[depth];
			write_event(writing, "O", writing->open[depth], start);
		}
		now = perun_column_double(writing->end, row);
	}
	while (depth)
		write_event(writing, "C", writing->open[--depth], now);
	perun_json_write_array_end(writing->json);
}

/* The times that a profile of events begins and ends at, else 0 and the sum of the weights. */
static void find_bounds(const struct writing *writing, const struct perun_metric *metric,
			const struct group *group, bool timeline, double bounds[2])
{
	bool begun = false;

	bounds[0] = bounds[1] = 0;
	for (size_t i = 0; i < group->count; i++) {
		size_t row = writing->rows[group->first + i];

		if (!perun_metric_has_row(metric, row))
			continue;
		if (!timeline) {
			bounds[1] += value_of(metric, row);
			continue;
		}
		if (!begun)
			bounds[0] = perun_column_double(writing->start, row);
		begun = true;
		bounds[1] = perun_column_double(writing->end, row);
	}
}

static bool has_rows(const struct writing *writing, const struct perun_metric *metric,
		     const struct group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (perun_metric_has_row(metric, writing->rows[group->first + i]))
			return true;
	return false;
}

/* A profile of the file; none where the group has no row of the metric, unless it is the `only` one. */
static void write_profile(struct writing *writing, const struct perun_metric *metric,
			  const struct group *group, bool only)
{
	struct perun_json_writer *json = writing->json;
	bool timeline = is_timeline(writing, metric, group);
	double bounds[2];

	if (!only && !has_rows(writing, metric, group))
		return;
	find_bounds(writing, metric, group, timeline, bounds);
	perun_json_write_object_start(json);
	write_string(json, "type", timeline ? "evented" : "sampled");
	write_string(json, "name", group->name ? group->name : metric->name);
	write_string(json, "unit", unit_of(metric));
	perun_json_write_key_text(json, "startValue");
	write_number(json, bounds[0]);
	perun_json_write_key_text(json, "endValue");
	write_number(json, bounds[1]);
	if (timeline)
		write_events(writing, metric, group);
	else
		write_samples(writing, metric, group);
	perun_json_write_object_end(json);
}

/* The name of the profile that a row was read from: the label "profile". */
static const char *profile_of(const struct writing *writing, perun_id labels)
{
	const struct perun_label *label;
	size_t count = 0;

	if (labels == PERUN_NO_ID)
		return NULL;
	label = perun_profile_labels(writing->profile, labels, &count);
	for (size_t i = 0; i < count; i++)
		if (label[i].text != PERUN_NO_ID &&
		    strcmp(perun_profile_string(writing->profile, label[i].key, NULL), "profile") ==
			    0)
			return perun_profile_string(writing->profile, label[i].text, NULL);
	return NULL;
}

static uint32_t group_of(struct writing *writing, const char *name)
{
	for (size_t i = writing->group_count; i-- > 0;) {
		const char *known = writing->groups[i].name;

		if (known == name || (known && name && strcmp(known, name) == 0))
			return (uint32_t)i;
	}
	PERUN_GROW(writing->groups, writing->group_count, writing->group_room);
	writing->groups[writing->group_count] = (struct group){.name = name};
	return (uint32_t)writing->group_count++;
}

/* Groups of rows by their label sets, each set looked at once; a group for all where there are too many. */
static void find_groups(struct writing *writing)
{
	enum { MAX_GROUPS = 4096 };
	const struct perun_table *table = perun_resources(writing->profile);
	const struct perun_column *labels = perun_table_column(table, "labels");
	size_t sets = perun_profile_label_sets(writing->profile), rows = perun_table_rows(table);
	uint32_t *of_set = perun_alloc_zero(sets + 1, sizeof *of_set); /* plus 1 */
	uint32_t *of_row = perun_alloc_zero(rows + 1, sizeof *of_row);
	size_t first = 0;

	writing->group_of_row = of_row;
	if (labels && perun_column_info(labels)->type != PERUN_TYPE_LABELS)
		labels = NULL;
	for (size_t row = 0; row < rows; row++) {
		perun_id set = labels ? perun_column_id(labels, row) : PERUN_NO_ID;
		uint32_t *place = &of_set[set == PERUN_NO_ID ? sets : set];

		if (!*place && writing->group_count < MAX_GROUPS)
			*place = group_of(writing, profile_of(writing, set)) + 1;
		of_row[row] = *place ? *place - 1 : 0;
		writing->groups[of_row[row]].count++;
	}
	writing->order = perun_alloc_zero(rows + 1, sizeof *writing->order);
	writing->own_rows = perun_alloc_zero(rows + 1, sizeof *writing->own_rows);
	for (size_t i = 0; i < writing->group_count; i++) {
		writing->groups[i].first = first;
		first += writing->groups[i].count;
		writing->groups[i].count = 0;
	}
	for (size_t row = 0; row < rows; row++) {
		struct group *group = &writing->groups[of_row[row]];

		writing->order[group->first + group->count++] = (uint32_t)row;
	}
	if (!writing->group_count)
		group_of(writing, NULL);
	perun_free(of_set);
}

struct placed {
	uint32_t group, row;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *one = a, *other = b;

	if (one->group != other->group)
		return one->group < other->group ? -1 : 1;
	return one->row < other->row ? -1 : one->row > other->row;
}

/* Many metrics that are named in rows have few rows each: only these are looked at, and the groups that have some. */
static void choose_rows(struct writing *writing, const struct perun_metric *metric)
{
	size_t count, parts = 0;
	const uint32_t *rows = perun_metric_rows(writing->profile, metric, &count);
	struct placed *placed;

	writing->rows = writing->order;
	writing->parts = writing->groups;
	writing->part_count = writing->group_count;
	if (!rows || !count)
		return;
	placed = perun_alloc_zero(count, sizeof *placed);
	for (size_t i = 0; i < count; i++)
		placed[i] = (struct placed){writing->group_of_row[rows[i]], rows[i]};
	qsort(placed, count, sizeof *placed, compare_placed);
	for (size_t i = 0; i < count; i++) {
		writing->own_rows[i] = placed[i].row;
		if (i == 0 || placed[i].group != placed[i - 1].group) {
			PERUN_GROW(writing->own_parts, parts, writing->own_part_room);
			writing->own_parts[parts++] = (struct group){
				.name = writing->groups[placed[i].group].name, .first = i};
		}
		writing->own_parts[parts - 1].count++;
	}
	perun_free(placed);
	writing->rows = writing->own_rows;
	writing->parts = writing->own_parts;
	writing->part_count = parts;
}

/* The first profile of the default metric. */
static size_t find_active(struct writing *writing, const struct perun_metric *const *metrics,
			  size_t count)
{
	const char *shown = perun_profile_text(writing->profile, "/header/default_metric");
	size_t active = 0;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(metrics[i]->name, shown) == 0)
			return active;
		choose_rows(writing, metrics[i]);
		for (size_t k = 0; k < writing->part_count; k++)
			active += writing->group_count == 1 ||
				  has_rows(writing, metrics[i], &writing->parts[k]);
	}
	return 0;
}

static int write_document(struct writing *writing, const struct perun_metric *const *metrics,
			  size_t count)
{
	const char *name = perun_profile_text(writing->profile, "/header/cmd");
	uint64_t frames = 0;
	int status;

	perun_json_write_object_start(writing->json);
	write_string(writing->json, "$schema",
		     "https://www.speedscope.app/file-format-schema.json");
	write_string(writing->json, "exporter",
		     writing->groups[0].name || writing->group_count > 1 ? SPEEDSCOPE_THREADS
									 : "perun");
	if (*name)
		write_string(writing->json, "name", name);
	perun_json_write_key_text(writing->json, "activeProfileIndex");
	perun_json_write_int64(writing->json, (int64_t)find_active(writing, metrics, count));
	write_frames(writing);
	perun_json_write_key_text(writing->json, "profiles");
	perun_json_write_array_start(writing->json);
	for (size_t i = 0; i < count; i++) {
		if (i == 1)
			frames = count_frames(writing);
		if (i && !may_copy(writing, frames))
			break;
		if (perun_cancelled(writing->ctx)) {
			perun_fail(writing->ctx, PERUN_CANCELLED, "interrupted");
			break;
		}
		choose_rows(writing, metrics[i]);
		for (size_t k = 0; k < writing->part_count; k++)
			write_profile(writing, metrics[i], &writing->parts[k],
				      writing->group_count == 1);
	}
	perun_json_write_array_end(writing->json);
	perun_json_write_object_end(writing->json);
	status = perun_json_writer_finish(writing->json);
	return status ? status : perun_ctx_status(writing->ctx);
}

/* Whether a label set says more than the name of the profile. */
static bool says_more(const struct perun_profile *profile, perun_id labels)
{
	const struct perun_label *label;
	size_t count = 0;

	if (labels == PERUN_NO_ID)
		return false;
	label = perun_profile_labels(profile, labels, &count);
	return count != 1 || label->text == PERUN_NO_ID ||
	       strcmp(perun_profile_string(profile, label->key, NULL), "profile") != 0;
}

/* Whether all profiles have the same samples, by which the reader knows that their names are those of metrics. */
static bool has_equal_samples(struct writing *writing, const struct perun_metric *const *metrics,
			      size_t count)
{
	const struct group *group = &writing->groups[0];

	if (writing->group_count > 1 || group->name)
		return false;
	writing->rows = writing->order;
	for (size_t i = 0; i < count; i++)
		if (metrics[i]->selector[0] || metrics[i]->rows != group->count ||
		    is_timeline(writing, metrics[i], group))
			return false;
	return true;
}

/*
 * Whether the metric is read again under its name: one of several profiles if no other one has such a unit, the only one
 * if it is called what its unit is.
 */
static bool keeps_name(const struct writing *writing, const struct perun_metric *const *metrics,
		       size_t count, size_t which)
{
	const char *unit = unit_of(metrics[which]);

	for (size_t i = 0; i < count; i++)
		if (i != which && perun_unit_factor(unit, unit_of(metrics[i])) > 0)
			return false;
	if (count > 1 && writing->group_count == 1)
		return true;
	return strcmp(metrics[which]->name, strcmp(unit, "bytes") == 0  ? "space"
					    : strcmp(unit, "none") == 0 ? "samples"
									: "time") == 0;
}

static void report_losses(struct writing *writing, const struct perun_metric *const *metrics,
			  size_t count)
{
	struct perun_ctx *ctx = writing->ctx;
	const struct perun_profile *profile = writing->profile;
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *labels = perun_table_column(table, "labels");
	const bool equal = has_equal_samples(writing, metrics, count);
	uint64_t labelled = 0, times = 0;

	for (size_t row = 0; labels && row < perun_table_rows(table); row++)
		labelled += says_more(profile, perun_column_id(labels, row));
	if (writing->group_count == 1 && writing->groups[0].name)
		labelled = perun_table_rows(table); /* the only profile is of the whole file */
	if (labelled)
		perun_lost(ctx, "labels of samples", labelled);
	for (size_t i = 0; i < perun_table_columns(table); i++)
		times +=
			perun_column_info(perun_table_column_at(table, i))->role == PERUN_ROLE_TIME;
	if (times && (!writing->start || !writing->end || times > 2))
		perun_lost(ctx, "times of samples", perun_table_rows(table));
	else if (writing->times_lost)
		perun_lost(ctx, "times of samples", writing->times_lost);
	for (size_t i = 0; !equal && i < count; i++)
		if (!keeps_name(writing, metrics, count, i))
			perun_lost(ctx, "names of metrics", 1);
	for (size_t i = 0; i < count; i++)
		if (strcmp(unit_of(metrics[i]), "none") == 0 && *metrics[i]->unit)
			perun_lost(ctx, "units of metrics", 1);
	if (writing->lengths_lost)
		perun_lost(ctx, "samples of no length", writing->lengths_lost);
	if (writing->lines_lost)
		perun_lost(ctx, "lines of places", writing->lines_lost);
	losses_report(ctx, profile, LOSSES_LABELS | LOSSES_TIMES | LOSSES_LINES);
}

int speedscope_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		     struct perun_output *output)
{
	const struct speedscope_options *options = instance;
	struct writing writing = {
		.ctx = ctx, .profile = profile, .copy_limit = (uint64_t)options->copy_limit};
	const struct perun_metric *const *metrics;
	size_t count;
	int status;

	writing.stacks = perun_table_column(perun_resources(profile), "stack");
	if (!writing.stacks || perun_column_info(writing.stacks)->type != PERUN_TYPE_STACK)
		return perun_fail(ctx, PERUN_INPUT,
				  "the profile has no stacks, which is what this format holds");
	metrics = perun_metrics(profile, &count);
	if (count == 0)
		return perun_fail(ctx, PERUN_INPUT, "the profile has no metric to write");
	writing.json = perun_json_writer_new_sink(sink, output, PERUN_JSON_COMPACT, 0);
	writing.start = perun_table_column(perun_resources(profile), "start");
	writing.end = perun_table_column(perun_resources(profile), "end");
	find_groups(&writing);
	status = write_document(&writing, metrics, count);
	perun_output_text(output, "\n");
	report_losses(&writing, metrics, count);
	perun_free(writing.unnamed);
	perun_free(writing.lines);
	perun_free(writing.order);
	perun_free(writing.groups);
	perun_free(writing.group_of_row);
	perun_free(writing.own_rows);
	perun_free(writing.own_parts);
	perun_free(writing.path);
	perun_free(writing.open);
	return status;
}
