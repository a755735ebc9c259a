/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading: what was parsed as rows of a profile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/units.h>

#include "speedscope.h"

struct reading {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	const struct speedscope_file *file;
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

static perun_id stack_of(struct reading *reading, const struct speedscope_profile *profile,
			 size_t sample)
{
	size_t first = sample ? profile->ends[sample - 1] : 0,
	       count = profile->ends[sample] - first;
	perun_id *locations = room_for(reading, count);

	for (size_t i = 0; i < count; i++)
		locations[i] = reading->locations[profile->frames[first + count - 1 - i]];
	return perun_builder_stack(reading->builder, locations, count);
}

/* Of an interval between events: made once. */
static perun_id stack_of_interval(struct reading *reading, const struct speedscope_profile *profile,
				  size_t interval)
{
	struct speedscope_stack *stack = &profile->stacks[profile->frames[interval]];

	if (stack->made == PERUN_NO_ID) {
		perun_id *locations = room_for(reading, stack->depth);
		size_t count = 0;

		for (const struct speedscope_stack *at = stack; at != profile->stacks;
		     at = &profile->stacks[at->caller])
			locations[count++] = reading->locations[at->frame];
		stack->made = perun_builder_stack(reading->builder, locations, count);
	}
	return stack->made;
}

static void set_number(struct perun_column_builder *column, double number)
{
	if (number == floor(number) && fabs(number) < 0x1p62)
		perun_column_set_int64(column, (int64_t)number);
	else
		perun_column_set_double(column, number);
}

static const char *unit_of(const struct speedscope_profile *profile)
{
	return profile->unit && strcmp(profile->unit, "none") != 0 ? profile->unit : "";
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

	return column ? column : perun_table_add_column(reading->table, &info);
}

/* ---- a file of Perun: each profile is a metric of the same samples ---------------------------- */

/* memcmp() is not to be given NULL, which a list without elements is. */
static bool are_same(const void *a, const void *b, size_t size)
{
	return size == 0 || memcmp(a, b, size) == 0;
}

static bool same_samples(const struct speedscope_profile *a, const struct speedscope_profile *b)
{
	return a->sample_count == b->sample_count && a->frame_count == b->frame_count &&
	       are_same(a->ends, b->ends, a->sample_count * sizeof *a->ends) &&
	       are_same(a->frames, b->frames, a->frame_count * sizeof *a->frames);
}

static bool is_name_taken(const char *name)
{
	static const char *const taken[] = {"",     "stack", "labels",  "amount", "metric",
					    "type", "start", "subtype", "end"};

	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (strcmp(name, taken[i]) == 0)
			return true;
	return false;
}

static bool are_metrics(const struct speedscope_file *file)
{
	if (!file->exporter || strncmp(file->exporter, "perun", 5) != 0 || file->profile_count == 0)
		return false;
	for (size_t i = 0; i < file->profile_count; i++) {
		const struct speedscope_profile *profile = &file->profiles[i];

		if (!profile->name || is_name_taken(profile->name) || profile->evented ||
		    !same_samples(profile, file->profiles))
			return false;
		for (size_t k = 0; k < i; k++)
			if (strcmp(profile->name, file->profiles[k].name) == 0)
				return false;
	}
	return true;
}

static void add_metrics(struct reading *reading)
{
	const struct speedscope_file *file = reading->file;
	struct perun_column_builder **columns =
		perun_alloc_zero(file->profile_count, sizeof *columns);

	for (size_t i = 0; i < file->profile_count; i++)
		columns[i] = add_column(reading, file->profiles[i].name,
					unit_of(&file->profiles[i]), PERUN_ROLE_METRIC);
	for (size_t row = 0; row < file->profiles->sample_count; row++) {
		perun_column_set_id(reading->stack, PERUN_TYPE_STACK,
				    stack_of(reading, file->profiles, row));
		for (size_t i = 0; i < file->profile_count; i++)
			set_number(columns[i], file->profiles[i].weights.items[row]);
		perun_table_end_row(reading->table);
	}
	perun_free(columns);
}

/* ---- other files: a metric for each unit, profiles distinguished by a label ----------------------- */

/*
 * Whether the name of a profile is that of a metric, not of a thread: a usual one, whatever else is in the file; else
 * that of one of several with a unit of its own.
 */
static bool is_metric(const struct speedscope_file *file, const struct speedscope_profile *profile)
{
	static const char *const usual[] = {"cpu",    "wall",  "alloc",       "allocs", "heap",
					    "memory", "lock",  "allocations", "locks",  "block",
					    "mutex",  "inuse", "objects"};

	for (size_t i = 0; profile->name && i < sizeof usual / sizeof *usual; i++) {
		if (strcmp(profile->name, usual[i]) == 0)
			return true;
	}
	if (file->profile_count < 2 || !profile->name || is_name_taken(profile->name) ||
	    strcmp(profile->name, "profile") == 0)
		return false;
	for (size_t i = 0; i < file->profile_count; i++) {
		const struct speedscope_profile *other = &file->profiles[i];

		if (other != profile && (perun_unit_factor(unit_of(other), unit_of(profile)) > 0 ||
					 (other->name && strcmp(other->name, profile->name) == 0)))
			return false;
	}
	return true;
}

static const char *metric_of(const struct speedscope_file *file,
			     const struct speedscope_profile *profile)
{
	const char *unit = unit_of(profile);

	if (is_metric(file, profile))
		return profile->name;
	if (strcmp(unit, "bytes") == 0)
		return "space";
	return strstr(unit, "seconds") ? "time" : "samples";
}

static const char *unit_of_column(const struct perun_column_builder *column)
{
	const char *unit = perun_column_builder_info(column)->unit;

	return unit ? unit : "";
}

/*
 * "time", in the unit of the first profile that has it; "time#2" when a profile has it in one that does not convert.
 * `*factor` makes values of the profile those of the column.
 */
static struct perun_column_builder *
column_of(struct reading *reading, const struct speedscope_profile *profile, double *factor)
{
	const char *name = metric_of(reading->file, profile), *unit = unit_of(profile);
	char *other = NULL;
	struct perun_column_builder *column = perun_table_find_column(reading->table, name);

	for (unsigned i = 2; column && !(perun_unit_factor(unit, unit_of_column(column)) > 0);
	     i++) {
		perun_free(other);
		other = perun_format("%s#%u", name, i);
		column = perun_table_find_column(reading->table, other);
	}
	column = add_column(reading, other ? other : name, unit, PERUN_ROLE_METRIC);
	*factor = (double)perun_unit_factor(unit, unit_of_column(column));
	perun_free(other);
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

static void add_profile(struct reading *reading, const struct speedscope_profile *profile,
			bool labelled)
{
	double factor, times = 1;
	struct perun_column_builder *column = column_of(reading, profile, &factor);

	if (profile->evented && !reading->start) {
		reading->start = add_column(reading, "start", unit_of(profile), PERUN_ROLE_TIME);
		reading->end = add_column(reading, "end", unit_of(profile), PERUN_ROLE_TIME);
	}
	if (profile->evented &&
	    perun_unit_factor(unit_of(profile), unit_of_column(reading->start)) > 0)
		times = (double)perun_unit_factor(unit_of(profile), unit_of_column(reading->start));
	for (size_t row = 0; row < profile->sample_count; row++) {
		double weight = profile->weights.items[row];

		perun_column_set_id(reading->stack, PERUN_TYPE_STACK,
				    profile->evented ? stack_of_interval(reading, profile, row)
						     : stack_of(reading, profile, row));
		set_number(column, weight * factor);
		if (labelled)
			label_row(reading, profile);
		if (profile->evented) {
			set_number(reading->start, profile->times.items[row] * times);
			set_number(reading->end, (profile->times.items[row] + weight) * times);
		}
		perun_table_end_row(reading->table);
	}
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

static int add_profiles(struct reading *reading, const struct speedscope_options *options)
{
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
		reading->profile_key = perun_builder_text(reading->builder, "profile");
	}
	for (size_t i = first; i < end; i++)
		add_profile(reading, &reading->file->profiles[i], end - first > 1);
	return PERUN_OK;
}

int speedscope_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder)
{
	struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	const struct speedscope_options *options = instance;
	struct speedscope_file file = {0};
	struct reading reading = {.ctx = ctx, .builder = builder, .file = &file};
	int status;

	file.frame_limit = (size_t)options->frame_limit;
	status = speedscope_parse(ctx, input, builder, &file);
	if (!status && file.profile_count == 0)
		status = perun_fail(ctx, PERUN_INPUT, "there is no profile in it");
	if (!status) {
		reading.table = perun_builder_table(builder, "resources");
		reading.stack = perun_table_add_column(reading.table, &info);
		make_locations(&reading);
		if (!options->profile && are_metrics(&file))
			add_metrics(&reading);
		else
			status = add_profiles(&reading, options);
	}
	perun_free(reading.locations);
	perun_free(reading.stack_room);
	speedscope_free(&file);
	return status;
}
