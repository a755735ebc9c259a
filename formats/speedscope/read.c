/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading: what was parsed as rows of a profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "formats/common/stacks.h"
#include "speedscope.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	const struct speedscope_file *file;
	const struct speedscope_options *options;
	struct speedscope_metrics metrics;
	size_t rows; /* that the table will have */
	struct perun_table_builder *table;
	struct perun_column_builder *stack, *labels, *start, *end;
	perun_id *locations; /* of each frame */
	perun_id *stack_room;
	size_t deepest;
	perun_id profile_key;
};

static void make_locations(struct reading *reading)
{
	const struct speedscope_file *file = reading->file;

	reading->locations = perun_alloc_zero(file->frame_count, sizeof *reading->locations);
	for (size_t i = 0; i < file->frame_count; i++) {
		const struct speedscope_frame *frame = &file->frames[i];
		struct perun_function function = {
			.name = frame->name, .system_name = frame->name, .file = frame->file};
		struct perun_line line = {.line = frame->line, .column = frame->column};
		struct perun_location location = {
			.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};

		line.function = perun_builder_function(reading->builder, &function);
		reading->locations[i] = perun_builder_location(reading->builder, &location);
	}
}

static perun_id *room_for(struct reading *reading, size_t count)
{
	if (count > reading->deepest) {
		reading->deepest = count * 2;
		reading->stack_room = perun_realloc_array(reading->stack_room, reading->deepest,
							  sizeof *reading->stack_room);
	}
	return reading->stack_room;
}

/* `*first`: its first frame, then that of the next sample. */
static perun_id stack_of(struct reading *reading, const struct speedscope_profile *profile,
			 size_t sample, size_t *first)
{
	size_t count = ids_at(&profile->counts, sample);
	perun_id *locations = room_for(reading, count);

	for (size_t i = 0; i < count; i++)
		locations[count - 1 - i] = reading->locations[ids_at(&profile->frames, *first + i)];
	*first += count;
	return perun_builder_stack(reading->builder, locations, count);
}

/* The profile whose stacks of events become paths. */
struct intervals {
	const struct reading *reading;
	const struct speedscope_profile *profile;
	struct stacks_nodes paths;
};

static int caller_of(void *data, size_t stack, size_t *caller)
{
	const struct intervals *intervals = data;

	*caller = intervals->profile->stacks[stack].caller;
	if (*caller == 0) /* the empty one */
		*caller = STACKS_NO_NODE;
	return PERUN_OK;
}

static perun_id location_of(void *data, size_t stack)
{
	const struct intervals *intervals = data;

	return intervals->reading->locations[intervals->profile->stacks[stack].frame];
}

static void begin_intervals(struct intervals *intervals, const struct reading *reading,
			    const struct speedscope_profile *profile)
{
	*intervals = (struct intervals){.reading = reading, .profile = profile};
	intervals->paths.ctx = reading->ctx;
	intervals->paths.builder = reading->builder;
	intervals->paths.data = intervals;
	intervals->paths.caller = caller_of;
	intervals->paths.location = location_of;
	if (profile->evented)
		stacks_nodes_begin(&intervals->paths, profile->stack_count);
}

/* Of an interval between events. Callers come before what they call, so that there is no circle. */
static perun_id stack_of_interval(struct intervals *intervals, size_t interval)
{
	uint32_t last = ids_at(&intervals->profile->frames, interval);
	perun_id path = PERUN_NO_ID;

	if (last)
		stacks_nodes_path(&intervals->paths, last, &path);
	return perun_builder_path_stack(intervals->reading->builder, path);
}

static void set_number(struct perun_column_builder *column, double number)
{
	if (number == floor(number) && fabs(number) < 0x1p62)
		perun_column_set_int64(column, (int64_t)number);
	else
		perun_column_set_double(column, number);
}

/* Columns keep whole numbers as long as all are. */
static struct perun_column_builder *add_column(struct reading *reading, const char *name,
					       const char *unit, enum perun_role role)
{
	struct perun_column_info info = {.name = name,
					 .unit = unit,
					 .type = PERUN_TYPE_INT64,
					 .role = role,
					 .growing = true};
	struct perun_column_builder *column = perun_table_find_column(reading->table, name);

	if (!column) {
		column = perun_table_add_column(reading->table, &info);
		perun_column_save_memory(column);
	}
	return column;
}

/* ---- a file of Perun: each profile is a metric of the same samples ---------------------------- */

static bool same_samples(const struct speedscope_profile *a, const struct speedscope_profile *b)
{
	return ids_equal(&a->counts, &b->counts) && ids_equal(&a->frames, &b->frames);
}

static bool are_metrics(const struct reading *reading)
{
	const struct speedscope_file *file = reading->file;

	if (!file->exporter || strncmp(file->exporter, "perun", 5) != 0 ||
	    strcmp(file->exporter, SPEEDSCOPE_THREADS) == 0 || file->profile_count == 0)
		return false;
	for (size_t i = 0; i < file->profile_count; i++) {
		const struct speedscope_profile *profile = &file->profiles[i];

		if (profile->evented || !speedscope_has_own_name(&reading->metrics, profile) ||
		    !same_samples(profile, file->profiles))
			return false;
	}
	return true;
}

static void add_metrics(struct reading *reading)
{
	const struct speedscope_file *file = reading->file;
	struct perun_column_builder **columns =
		perun_alloc_zero(file->profile_count, sizeof *columns);
	size_t first = 0;

	for (size_t i = 0; i < file->profile_count; i++)
		columns[i] = add_column(reading, file->profiles[i].name,
					speedscope_unit(&file->profiles[i]), PERUN_ROLE_METRIC);
	for (size_t row = 0; row < file->profiles->counts.count; row++) {
		perun_column_set_id(reading->stack, PERUN_TYPE_STACK,
				    stack_of(reading, file->profiles, row, &first));
		for (size_t i = 0; i < file->profile_count; i++)
			set_number(columns[i], numbers_at(&file->profiles[i].weights, row));
		perun_table_end_row(reading->table);
	}
	perun_free(columns);
}

/* ---- other files: a metric for each unit, profiles distinguished by a label ----------------------- */

static const char *unit_of_column(const struct perun_column_builder *column)
{
	const char *unit = perun_column_builder_info(column)->unit;

	return unit ? unit : "";
}

/*
 * A cell is kept for each row up to the last one that has the metric, though full pieces without any value take nothing.
 */
static bool is_room(struct reading *reading)
{
	size_t columns = perun_table_builder_columns(reading->table);
	size_t rows = reading->rows < PERUN_SPAN_ROWS ? reading->rows : PERUN_SPAN_ROWS;

	return rows == 0 || columns < reading->options->zero_limit / rows;
}

/*
 * "time", in the unit of the first profile that has it; "time#2" when a profile has it in one that does not convert.
 * `*factor` makes values of the profile those of the column. NULL: there are too many; it was said.
 */
static struct perun_column_builder *
column_of(struct reading *reading, const struct speedscope_profile *profile, double *factor)
{
	const char *unit = speedscope_unit(profile);
	char *name = speedscope_column_name(&reading->metrics, profile, reading->table);
	struct perun_column_builder *column = perun_table_find_column(reading->table, name);

	if (!column && is_room(reading))
		column = add_column(reading, name, unit, PERUN_ROLE_METRIC);
	else if (!column)
		perun_fail(reading->ctx, PERUN_INPUT,
			   "its metrics times its samples are more than the option zero-limit "
			   "allows");
	if (column)
		*factor = (double)perun_unit_factor(unit, unit_of_column(column));
	perun_free(name);
	return column;
}

static void label_row(struct reading *reading, const struct speedscope_profile *profile)
{
	struct perun_label label = {.key = reading->profile_key};
	const char *name = profile->name && *profile->name ? profile->name : "unnamed";

	label.text = perun_builder_text(reading->builder, name);
	perun_column_set_id(reading->labels, PERUN_TYPE_LABELS,
			    perun_builder_labels(reading->builder, &label, 1));
}

/* Columns of when intervals start and end; the factor from the profile's times to theirs. */
static double begin_times(struct reading *reading, const struct speedscope_profile *profile)
{
	const char *unit = speedscope_unit(profile);
	double factor;

	if (!reading->start) {
		reading->start = add_column(reading, "start", unit, PERUN_ROLE_TIME);
		reading->end = add_column(reading, "end", unit, PERUN_ROLE_TIME);
	}
	factor = (double)perun_unit_factor(unit, unit_of_column(reading->start));
	return factor > 0 ? factor : 1;
}

static int add_profile(struct reading *reading, const struct speedscope_profile *profile,
		       bool labelled)
{
	double factor, times = 1;
	struct intervals intervals;
	size_t first = 0;
	struct perun_column_builder *column = column_of(reading, profile, &factor);

	if (!column)
		return PERUN_INPUT;
	if (profile->evented)
		times = begin_times(reading, profile);
	begin_intervals(&intervals, reading, profile);
	for (size_t row = 0; row < profile->counts.count; row++) {
		double weight = numbers_at(&profile->weights, row);
		double start = numbers_at(&profile->times, row);

		perun_column_set_id(reading->stack, PERUN_TYPE_STACK,
				    profile->evented ? stack_of_interval(&intervals, row)
						     : stack_of(reading, profile, row, &first));
		set_number(column, weight * factor);
		if (labelled)
			label_row(reading, profile);
		if (profile->evented) {
			set_number(reading->start, start * times);
			set_number(reading->end, (start + weight) * times);
		}
		perun_table_end_row(reading->table);
	}
	stacks_nodes_free(&intervals.paths);
	return perun_cancelled(reading->ctx) ? PERUN_CANCELLED : PERUN_OK;
}

/* The profile that the option names, by its name or its number from 0. */
static int choose(struct reading *reading, const char *name, size_t *chosen)
{
	const struct speedscope_file *file = reading->file;
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	for (size_t i = 0; i < file->profile_count; i++)
		if (file->profiles[i].name && strcmp(file->profiles[i].name, name) == 0) {
			*chosen = i;
			return PERUN_OK;
		}
	if (*name && !*end && number < file->profile_count) {
		*chosen = number;
		return PERUN_OK;
	}
	return perun_fail(reading->ctx, PERUN_USAGE, "no profile '%s' among the %zu", name,
			  file->profile_count);
}

static int add_profiles(struct reading *reading)
{
	const struct speedscope_options *options = reading->options;
	size_t first = 0, end = reading->file->profile_count;
	int status = options->profile ? choose(reading, options->profile, &first) : PERUN_OK;

	if (status)
		return status;
	if (options->profile)
		end = first + 1;
	if (end - first > 1) {
		struct perun_column_info info = {
			.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY};

		reading->labels = perun_table_add_column(reading->table, &info);
		perun_column_save_memory(reading->labels);
		reading->profile_key = perun_builder_text(reading->builder, "profile");
	}
	for (size_t i = first; i < end; i++)
		reading->rows += reading->file->profiles[i].counts.count;
	for (size_t i = first; !status && i < end; i++)
		status = add_profile(reading, &reading->file->profiles[i], end - first > 1);
	return status;
}

/* Frames that no interval has. */
static void note_empty(const struct reading *reading, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < reading->file->profile_count; i++)
		count += reading->file->profiles[i].empty;
	if (count)
		perun_note(reading->ctx, "%s: skipped %zu call%s of no length", name, count,
			   count == 1 ? "" : "s");
}

int speedscope_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder)
{
	struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	const struct speedscope_options *options = instance;
	struct speedscope_file file = {0};
	struct reading reading = {
		.ctx = ctx, .builder = builder, .file = &file, .options = options};
	int status;

	file.frame_limit = (size_t)options->frame_limit;
	status = speedscope_parse(ctx, input, builder, &file);
	if (!status && file.profile_count == 0)
		status = perun_fail(ctx, PERUN_INPUT, "there is no profile in it");
	if (!status) {
		reading.table = perun_builder_table(builder, "resources");
		reading.stack = perun_table_add_column(reading.table, &info);
		perun_column_save_memory(reading.stack);
		make_locations(&reading);
		speedscope_metrics_begin(&reading.metrics, &file);
		if (!options->profile && are_metrics(&reading))
			add_metrics(&reading);
		else
			status = add_profiles(&reading);
		speedscope_metrics_free(&reading.metrics);
		note_empty(&reading, perun_input_name(input));
	}
	perun_free(reading.locations);
	perun_free(reading.stack_room);
	speedscope_free(&file);
	return status;
}
