/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations of memory: rows of Perun's memory profiles, or samples of heap profilers. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/advice.h>
#include <perun/json.h>

#include "views/common/allocations.h"
#include "views/common/data.h"

struct reading {
	struct views_allocations *to;
	const struct perun_metric *metric; /* NULL: all that is in `amounts` */
	const struct perun_column *amounts, *counts;
	const struct perun_column *snapshot, *order, *time, *address, *kind, *until, *function,
		*source, *line, *uid;
	const struct perun_column *stack;
};

/* ---- what is measured ------------------------------------------------------------------------ */

static bool is_in_bytes(const struct perun_metric *metric)
{
	return perun_unit_of(metric->unit).kind == PERUN_UNIT_BYTES;
}

static int no_memory(const struct views_allocations *allocations, const char *name)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(allocations->profile, &count);
	const char *type = perun_profile_text(allocations->profile, "/header/type");

	if (!count)
		return perun_fail(allocations->ctx, PERUN_INPUT,
				  "%s measures nothing: it has no metric", name);
	return perun_fail(
		allocations->ctx, PERUN_INPUT,
		"%s is not a profile of memory: it measures %s in %s, and nothing in bytes%s%s",
		name, metrics[0]->name, *metrics[0]->unit ? metrics[0]->unit : "plain numbers",
		*type ? "; its type is " : "", type);
}

/* How many allocations a row represents: "allocations", or "alloc_objects" beside "alloc_space". */
static const struct perun_column *find_counts(const struct views_allocations *allocations,
					      const struct perun_metric *space)
{
	const char *end = strrchr(space->name, '_');
	const struct perun_metric *objects;
	char *name;

	objects = perun_metric(allocations->profile, "allocations");
	if (objects && !objects->selector[0])
		return objects->values;
	if (!end)
		return NULL;
	name = perun_format("%.*s_objects", (int)(end - space->name), space->name);
	objects = perun_metric(allocations->profile, name);
	perun_free(name);
	return objects && !objects->selector[0] ? objects->values : NULL;
}

static int choose_metric(struct reading *reading, const char *name, const char *wanted)
{
	struct views_allocations *to = reading->to;
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(to->profile, &count);
	const struct perun_metric *metric = NULL;
	const struct perun_column *amount =
		perun_table_column(perun_resources(to->profile), "amount");

	for (size_t i = 0; i < count && !metric; i++) {
		if (wanted ? strcmp(metrics[i]->name, wanted) == 0 : is_in_bytes(metrics[i]))
			metric = metrics[i];
	}
	if (!metric && wanted)
		return perun_fail(to->ctx, PERUN_USAGE, "%s has no metric %s", name, wanted);
	if (!metric || !is_in_bytes(metric))
		return no_memory(to, name);
	to->unit = perun_unit_of(metric->unit);
	to->metric = metric->name;
	reading->amounts = metric->values;
	if (wanted || metric->values != amount)
		reading->metric = metric;
	else
		to->metric = "memory";
	reading->counts = find_counts(to, metric);
	return PERUN_OK;
}

static void find_columns(struct reading *reading)
{
	const struct perun_table *flat = reading->to->table.rows;

	reading->snapshot = perun_table_column(flat, "snapshot");
	reading->order = perun_table_column(flat, "allocation_order");
	reading->time = perun_table_column(flat, "time");
	reading->address = perun_table_column(flat, "address");
	reading->kind = perun_table_column(flat, "subtype");
	reading->until = perun_table_column(flat, "freed");
	reading->function = perun_table_column(flat, "uid:function");
	reading->source = perun_table_column(flat, "uid:source");
	reading->line = perun_table_column(flat, "uid:line");
	reading->uid = perun_table_column(flat, "uid");
	reading->stack = perun_table_column(perun_resources(reading->to->profile), "stack");
	if (reading->stack && perun_column_info(reading->stack)->type != PERUN_TYPE_STACK)
		reading->stack = NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A cell that is a string of the flat table, or "". */
static const char *text_at(const struct reading *reading, const struct perun_column *column,
			   size_t row)
{
	perun_id id = PERUN_NO_ID;

	if (column && perun_column_info(column)->type == PERUN_TYPE_STRING)
		id = perun_column_id(column, row);
	return id == PERUN_NO_ID ? "" : perun_profile_string(reading->to->table.flat, id, NULL);
}

/* Times are numbers, or texts of numbers: "0.010000". */
static double time_at(const struct reading *reading, size_t row)
{
	const char *text = text_at(reading, reading->time, row);
	char *end;
	double time;

	if (!reading->time)
		return NAN;
	if (!*text)
		return perun_column_double(reading->time, row);
	time = perun_strtod(text, &end);
	return *end ? NAN : time;
}

static struct views_frame frame_of(const struct perun_profile *profile,
				   const struct perun_line *line)
{
	struct views_frame frame = {"", "", line->line};
	const struct perun_function *function;

	if (line->function == PERUN_NO_ID)
		return frame;
	function = perun_profile_function(profile, line->function);
	frame.function = perun_profile_string(profile, function->name, NULL);
	frame.file = perun_profile_string(profile, function->file, NULL);
	return frame;
}

static size_t frames_of(const struct perun_profile *profile, perun_id stack,
			struct views_frame *frames)
{
	size_t count, filled = 0;
	const perun_id *locations = perun_profile_stack(profile, stack, &count);

	for (size_t i = 0; i < count; i++) {
		const struct perun_location *location =
			perun_profile_location(profile, locations[i]);

		for (uint32_t k = 0; k < location->line_count; k++, filled++) {
			if (frames)
				frames[filled] = frame_of(profile, &location->lines[k]);
		}
	}
	return filled;
}

/* The innermost frame; false: there is none. Most leaves have one, and then the rest of the stack is not asked for. */
static bool innermost_frame(const struct perun_profile *profile, perun_id stack,
			    struct views_frame *frame)
{
	perun_id leaf = perun_profile_stack_leaf(profile, stack);
	const struct perun_location *location =
		leaf == PERUN_NO_ID ? NULL : perun_profile_location(profile, leaf);
	const perun_id *locations;
	size_t count;

	if (location && !location->line_count) {
		locations = perun_profile_stack(profile, stack, &count);
		for (size_t i = 0; i < count && !location->line_count; i++)
			location = perun_profile_location(profile, locations[i]);
	}
	if (!location || !location->line_count)
		return false;
	*frame = frame_of(profile, &location->lines[0]);
	return true;
}

struct views_frame *views_allocation_frames(const struct views_allocations *allocations,
					    const struct views_allocation *allocation,
					    size_t *count)
{
	struct views_frame *frames;

	*count = allocation->stack == PERUN_NO_ID
			 ? 0
			 : frames_of(allocations->profile, allocation->stack, NULL);
	frames = perun_alloc_zero(*count + 1, sizeof *frames);
	if (*count)
		frames_of(allocations->profile, allocation->stack, frames);
	else
		frames[(*count)++] = allocation->place;
	return frames;
}

/* Whose allocation it is: what the profile says, else the innermost frame. */
static struct views_frame place_of(const struct reading *reading,
				   const struct views_allocation *allocation, size_t row)
{
	struct views_frame place = {text_at(reading, reading->function, row),
				    text_at(reading, reading->source, row), 0};

	if (reading->line)
		place.line = perun_column_int64(reading->line, row);
	if (!*place.function)
		place.function = text_at(reading, reading->uid, row);
	if (!*place.function && allocation->stack != PERUN_NO_ID)
		innermost_frame(reading->to->profile, allocation->stack, &place);
	return place;
}

static void read_row(const struct reading *reading, size_t row)
{
	struct views_allocations *to = reading->to;
	struct views_allocation *one = &to->items[to->count++];
	const double amount = perun_column_double(reading->amounts, row);

	*one = (struct views_allocation){.row = (uint32_t)row,
					 .time = time_at(reading, row),
					 .amount = isfinite(amount) ? amount : 0,
					 .count = 1,
					 .until = -2,
					 .stack = PERUN_NO_ID,
					 .kind = text_at(reading, reading->kind, row)};
	if (reading->snapshot)
		one->snapshot = perun_column_int64(reading->snapshot, row);
	if (reading->order && !perun_column_absent(reading->order, row))
		one->order = perun_column_double(reading->order, row);
	if (reading->address && !perun_column_absent(reading->address, row)) {
		one->address = perun_column_uint64(reading->address, row);
		one->has_address = one->address != 0;
	}
	if (reading->counts)
		one->count = perun_column_double(reading->counts, row);
	if (reading->until && !perun_column_absent(reading->until, row))
		one->until = perun_column_int64(reading->until, row);
	one->freed = strcmp(one->kind, "free") == 0;
	if (reading->stack)
		one->stack = perun_column_id(reading->stack, row);
	one->place = place_of(reading, one, row);
	to->timed |= !isnan(one->time);
}

static void read_rows(const struct reading *reading)
{
	struct views_allocations *to = reading->to;

	to->items = perun_alloc_zero(to->table.count + 1, sizeof *to->items);
	for (size_t row = 0; row < to->table.count; row++) {
		if (!views_table_has(&to->table, row) ||
		    perun_column_absent(reading->amounts, row) ||
		    (reading->metric && !perun_metric_has_row(reading->metric, row)))
			continue;
		/* Heap profilers sample what was allocated: nothing is left of what was freed. */
		if (reading->counts && perun_column_double(reading->amounts, row) == 0)
			continue;
		read_row(reading, row);
	}
}

static int check_addresses(const struct views_allocations *allocations, const char *name)
{
	for (size_t i = 0; i < allocations->count; i++) {
		if (allocations->items[i].has_address)
			return PERUN_OK;
	}
	return perun_fail(allocations->ctx, PERUN_INPUT,
			  "%s does not say at which addresses memory was allocated "
			  "(no resource has a number called address)%s",
			  name, perun_advice(PERUN_ADVICE_MORE_RESOURCES));
}

int views_allocations_open(struct perun_ctx *ctx, struct perun_profile *profile, const char *name,
			   const struct perun_options *options, const char *metric, bool addressed,
			   struct views_allocations *allocations)
{
	struct reading reading = {.to = allocations};
	int status;

	*allocations = (struct views_allocations){.ctx = ctx};
	status = views_table_open(ctx, profile, options, &allocations->table);
	if (!status)
		status = views_traces_to_stacks(ctx, profile, &allocations->profile);
	if (!status)
		status = choose_metric(&reading, name, metric);
	if (status)
		return status;
	find_columns(&reading);
	read_rows(&reading);
	return addressed ? check_addresses(allocations, name) : PERUN_OK;
}

void views_allocations_close(struct views_allocations *allocations)
{
	views_table_close(&allocations->table);
	perun_profile_unref(allocations->profile);
	perun_free(allocations->items);
}
