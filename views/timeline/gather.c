/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a profile: its intervals in lanes, its pauses, its values at points of time. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "timeline.h"

enum { DEFAULT_VALUES = 4, MAX_DEPTH = 4096 };
/* More intervals of one name at a time share the last lane. */
enum { MAX_PARTS = 1000 };

/* Columns that intervals are read from; some may be NULL. */
struct source {
	const struct perun_column *start, *end, *at, *uid, *stack, *run;
	struct views_categories runs;
	uint32_t run_number; /* the run that is shown */
	/* Lanes + 1: by depth, and the first one by name; 0: there is none yet. */
	uint32_t *depth_lanes, *name_lanes;
	size_t depth_room, name_room;
	bool whole;            /* a row is a whole interval, not what its leaf took of one */
	perun_id *names;       /* of the profile's strings: our names */
	long double low, high; /* times shown, as the profile has them: all 64 bits */
};

static long double time_at(const struct perun_column *column, size_t row)
{
	return perun_column_info(column)->type == PERUN_TYPE_INT64
		       ? (long double)perun_column_int64(column, row)
		       : (long double)perun_column_double(column, row);
}

/* ---- names ----------------------------------------------------------------------------------- */

static uint32_t add_name(struct timeline *timeline, const char *text)
{
	PERUN_GROW(timeline->names, timeline->name_count, timeline->name_capacity);
	timeline->names[timeline->name_count] = perun_strdup(text);
	return (uint32_t)timeline->name_count++;
}

static uint32_t name_of_string(struct timeline *timeline, struct source *source, perun_id id)
{
	if (source->names[id] == PERUN_NO_ID)
		source->names[id] =
			add_name(timeline, perun_profile_string(timeline->table.flat, id, NULL));
	return source->names[id];
}

static uint32_t name_of_location(struct timeline *timeline, struct source *source, perun_id id)
{
	const struct perun_location *location = perun_profile_location(timeline->table.flat, id);

	if (!location || !location->line_count || location->lines[0].function == PERUN_NO_ID)
		return name_of_string(timeline, source, 0);
	return name_of_string(
		timeline, source,
		perun_profile_function(timeline->table.flat, location->lines[0].function)->name);
}

/* The name of a row: its uid, else the leaf of its stack. */
static uint32_t name_of_row(struct timeline *timeline, struct source *source, size_t row)
{
	const perun_id *stack = NULL;
	size_t count = 0;

	if (source->uid && perun_column_info(source->uid)->type == PERUN_TYPE_STRING &&
	    !perun_column_absent(source->uid, row))
		return name_of_string(timeline, source, perun_column_id(source->uid, row));
	if (source->stack && !perun_column_absent(source->stack, row))
		stack = perun_profile_stack(timeline->table.flat,
					    perun_column_id(source->stack, row), &count);
	return count ? name_of_location(timeline, source, stack[0])
		     : name_of_string(timeline, source, 0);
}

/* ---- intervals ------------------------------------------------------------------------------- */

static bool has_run(const struct source *source, size_t row)
{
	return !source->run || source->runs.of_row[row] == source->run_number;
}

static uint32_t add_lane(struct timeline *timeline, uint32_t name, uint32_t depth)
{
	PERUN_GROW(timeline->lanes, timeline->lane_count, timeline->lane_capacity);
	timeline->lanes[timeline->lane_count] = (struct timeline_lane){name, depth};
	return (uint32_t)timeline->lane_count++;
}

/* The lane of a depth, or the first one of a name. */
static uint32_t find_lane(struct timeline *timeline, struct source *source, uint32_t name,
			  uint32_t depth)
{
	bool nested = name == TIMELINE_NO_NAME;
	uint32_t **lanes = nested ? &source->depth_lanes : &source->name_lanes;
	size_t *room = nested ? &source->depth_room : &source->name_room;
	size_t at = nested ? depth : name, old = *room;

	if (at >= old) {
		*room = at * 2 + 16;
		*lanes = perun_realloc_array(*lanes, *room, sizeof **lanes);
		memset(*lanes + old, 0, (*room - old) * sizeof **lanes);
	}
	if (!(*lanes)[at])
		(*lanes)[at] = add_lane(timeline, name, depth) + 1;
	return (*lanes)[at] - 1;
}

static void add_bar(struct timeline *timeline, const struct source *source, long double start,
		    long double end, uint32_t lane, uint32_t name)
{
	start = start < source->low ? source->low : start;
	end = end > source->high ? source->high : end;
	PERUN_GROW(timeline->bars, timeline->bar_count, timeline->bar_capacity);
	timeline->bars[timeline->bar_count++] = (struct timeline_bar){
		(double)(start - source->low), (double)(end - source->low), lane, name};
}

/* Whether a row is an interval that is shown. */
static bool is_shown(const struct timeline *timeline, const struct source *source, size_t row)
{
	return views_table_has(&timeline->table, row) && !perun_column_absent(source->start, row) &&
	       !perun_column_absent(source->end, row) &&
	       time_at(source->end, row) >= time_at(source->start, row) && has_run(source, row);
}

/* Depth of nested intervals, or NO when they may overlap. */
static uint32_t depth_of_row(const struct timeline *timeline, const struct source *source,
			     size_t row)
{
	size_t count;

	if (!source->stack || perun_column_absent(source->stack, row))
		return TIMELINE_NO_NAME;
	count = perun_profile_stack_length(timeline->table.flat,
					   perun_column_id(source->stack, row));
	return count ? (uint32_t)count - 1 : TIMELINE_NO_NAME;
}

static int by_lane(const void *left, const void *right)
{
	const struct timeline_bar *a = left, *b = right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* Lanes by depth first, in order; then those of names, as they were met. */
static int compare_lanes(const void *left, const void *right, void *data)
{
	const struct timeline_lane *lanes = data;
	const struct timeline_lane *a = &lanes[*(const uint32_t *)left];
	const struct timeline_lane *b = &lanes[*(const uint32_t *)right];

	if (a->name != b->name)
		return a->name == TIMELINE_NO_NAME   ? -1
		       : b->name == TIMELINE_NO_NAME ? 1
		       : a->name < b->name           ? -1
						     : 1;
	return a->depth < b->depth ? -1 : a->depth > b->depth;
}

static void sort_lanes(struct timeline *timeline)
{
	size_t count = timeline->lane_count;
	uint32_t *order = perun_alloc((count + 1) * sizeof *order);
	uint32_t *place = perun_alloc((count + 1) * sizeof *place);
	struct timeline_lane *lanes = perun_alloc((count + 1) * sizeof *lanes);

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof *order, compare_lanes, timeline->lanes);
	for (uint32_t i = 0; i < count; i++) {
		lanes[i] = timeline->lanes[order[i]];
		place[order[i]] = i;
	}
	for (size_t i = 0; i < timeline->bar_count; i++)
		timeline->bars[i].lane = place[timeline->bars[i].lane];
	perun_free(timeline->lanes);
	timeline->lanes = lanes;
	timeline->lane_capacity = count;
	perun_free(order);
	perun_free(place);
}

/* A lane of those of one name, and from when on it is free. */
struct part_lane {
	uint32_t lane;
	double free_from;
};

/* Bars of a lane that overlap go to further lanes of the same name: each to the first that is free. */
static void spread_lane(struct timeline *timeline, size_t first, size_t end)
{
	const uint32_t lane = timeline->bars[first].lane, name = timeline->lanes[lane].name;
	struct part_lane *parts = NULL;
	size_t count = 0, room = 0;

	for (size_t i = first; i < end; i++) {
		struct timeline_bar *bar = &timeline->bars[i];
		size_t at = 0;

		while (at < count && parts[at].free_from > bar->start)
			at++;
		if (at == MAX_PARTS) {
			at--;
		} else if (at == count) {
			PERUN_GROW(parts, count, room);
			parts[count].lane =
				count ? add_lane(timeline, name, (uint32_t)count) : lane;
			count++;
		}
		parts[at].free_from = bar->end;
		bar->lane = parts[at].lane;
	}
	perun_free(parts);
}

static void spread_overlapping(struct timeline *timeline)
{
	size_t count = timeline->bar_count;

	if (count)
		qsort(timeline->bars, count, sizeof *timeline->bars, by_lane);
	for (size_t first = 0, end; first < count; first = end) {
		uint32_t lane = timeline->bars[first].lane;

		for (end = first; end < count && timeline->bars[end].lane == lane; end++)
			;
		if (timeline->lanes[lane].name != TIMELINE_NO_NAME)
			spread_lane(timeline, first, end);
	}
	sort_lanes(timeline);
	if (count)
		qsort(timeline->bars, count, sizeof *timeline->bars, by_lane);
}

static void gather_row(struct timeline *timeline, struct source *source, size_t row)
{
	long double start = time_at(source->start, row), end = time_at(source->end, row);
	uint32_t depth = depth_of_row(timeline, source, row);
	uint32_t name = name_of_row(timeline, source, row);
	uint32_t lane = depth == TIMELINE_NO_NAME
				? find_lane(timeline, source, name, 0)
				: find_lane(timeline, source, TIMELINE_NO_NAME, depth);

	add_bar(timeline, source, start, end, lane, name);
}

/*
 * Rows are what leaves took: frames that go on from one row to the next are one bar, which ends with the last of these rows.
 * Of each depth the frame, its path where stacks are paths, and the number of its bar.
 */
struct open_frame {
	perun_id location, path;
	size_t bar;
};

struct open_bars {
	struct open_frame *frames;
	size_t count;
	struct open_frame *next; /* of the row that comes, from `first_next` on; without bars */
	size_t first_next;
	long double end;                      /* of the last row */
	const struct perun_stack_path *paths; /* NULL: stacks are arrays */
};

static void close_bars(struct timeline *timeline, const struct source *source,
		       struct open_bars *open, size_t depth)
{
	const long double end = open->end > source->high ? source->high : open->end;

	while (open->count > depth)
		timeline->bars[open->frames[--open->count].bar].end = (double)(end - source->low);
}

/* The frames of a row's stack: those that do not follow a path which is open. Returns how many there are in all. */
static size_t list_next(const struct timeline *timeline, struct open_bars *open, perun_id stack)
{
	const struct perun_profile *profile = timeline->table.flat;
	size_t all = perun_profile_stack_length(profile, stack), depth = all;
	size_t count = all < MAX_DEPTH ? all : MAX_DEPTH;

	if (open->paths) {
		perun_id path = perun_profile_stack_path(profile, stack);

		for (; depth > count; depth--)
			path = open->paths[path].caller;
		for (; depth > 0; depth--, path = open->paths[path].caller) {
			if (depth <= open->count && open->frames[depth - 1].path == path)
				break;
			open->next[depth - 1] =
				(struct open_frame){open->paths[path].location, path, 0};
		}
	} else {
		const perun_id *locations = perun_profile_stack(profile, stack, &all);

		for (depth = 0; depth < count; depth++)
			open->next[depth] =
				(struct open_frame){locations[all - 1 - depth], PERUN_NO_ID, 0};
		depth = 0;
	}
	open->first_next = depth;
	return count;
}

static void gather_leaf(struct timeline *timeline, struct source *source, size_t row,
			struct open_bars *open)
{
	long double start = time_at(source->start, row), end = time_at(source->end, row);
	size_t count, depth;

	if (start != open->end)
		close_bars(timeline, source, open, 0);
	count = list_next(timeline, open, perun_column_id(source->stack, row));
	/* A path may be there twice. */
	for (depth = open->first_next; depth < count && depth < open->count; depth++) {
		if (open->frames[depth].location != open->next[depth].location)
			break;
	}
	close_bars(timeline, source, open, depth);
	for (; depth < count; depth++) {
		struct open_frame *frame = &open->frames[depth];
		uint32_t name;

		*frame = open->next[depth];
		frame->bar = timeline->bar_count;
		name = name_of_location(timeline, source, frame->location);
		add_bar(timeline, source, start, end,
			find_lane(timeline, source, TIMELINE_NO_NAME, (uint32_t)depth), name);
	}
	open->count = count;
	open->end = end;
}

/* Deep stacks that share nothing with the one before have a bar for each frame. */
static int check_bars(const struct timeline *timeline, size_t row)
{
	uint64_t limit = (uint64_t)perun_option_integer(timeline->options, "bar-limit");

	if (timeline->bar_count > limit && timeline->bar_count - limit > 64 * (uint64_t)row)
		return perun_fail(timeline->ctx, PERUN_INPUT,
				  "its stacks have more bars than the option --bar-limit allows; "
				  "choose a part with --from and --to");
	return row % 1024 == 0 && perun_cancelled(timeline->ctx) ? PERUN_CANCELLED : PERUN_OK;
}

static int gather_bars(struct timeline *timeline, struct source *source)
{
	struct open_bars open = {.end = NAN};
	size_t paths;
	int status = PERUN_OK;

	open.frames = perun_alloc(MAX_DEPTH * sizeof *open.frames);
	open.next = perun_alloc(MAX_DEPTH * sizeof *open.next);
	open.paths = perun_profile_paths(timeline->table.flat, &paths);

	for (size_t row = 0; row < timeline->table.count && !status; row++) {
		status = check_bars(timeline, row);
		if (!is_shown(timeline, source, row) || time_at(source->end, row) < source->low ||
		    time_at(source->start, row) > source->high)
			continue;
		if (!source->whole && source->stack && !perun_column_absent(source->stack, row))
			gather_leaf(timeline, source, row, &open);
		else
			gather_row(timeline, source, row);
	}
	close_bars(timeline, source, &open, 0);
	perun_free(open.frames);
	perun_free(open.next);
	if (!status)
		spread_overlapping(timeline);
	return status;
}

/* ---- pauses ---------------------------------------------------------------------------------- */

/* The row of the table "runs" that is shown, or PERUN_NO_ID. */
static perun_id number_of_run(const struct timeline *timeline)
{
	const struct perun_table *runs = perun_profile_table(timeline->table.profile, "runs");
	const struct perun_column *run = runs ? perun_table_column(runs, "run") : NULL;
	perun_id found = PERUN_NO_ID;

	for (size_t row = 0; run && timeline->run && row < perun_table_rows(runs); row++) {
		struct perun_buffer text = {0};

		perun_column_print(run, row, &text);
		if (strcmp(text.length ? text.data : "", timeline->run) == 0)
			found = (perun_id)row;
		perun_buffer_free(&text);
	}
	return found;
}

static void gather_pauses(struct timeline *timeline, const struct source *source)
{
	const struct perun_table *table = perun_profile_table(timeline->table.profile, "pauses");
	const struct perun_column *start = table ? perun_table_column(table, "start") : NULL;
	const struct perun_column *end = table ? perun_table_column(table, "end") : NULL;
	const struct perun_column *number = table ? perun_table_column(table, "run_number") : NULL;
	perun_id run = number_of_run(timeline);

	for (size_t row = 0; start && end && row < perun_table_rows(table); row++) {
		long double from = time_at(start, row), to = time_at(end, row);

		if (number && run != PERUN_NO_ID && perun_column_id(number, row) != run)
			continue;
		if (to < source->low || from > source->high)
			continue;
		PERUN_GROW(timeline->pauses, timeline->pause_count, timeline->pause_capacity);
		timeline->pauses[timeline->pause_count++] = (struct timeline_pause){
			from < source->low ? 0 : (double)(from - source->low),
			(double)((to > source->high ? source->high : to) - source->low)};
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_wanted(const struct timeline *timeline, const struct perun_column_info *info)
{
	size_t count = perun_option_count(timeline->options, "values");

	for (size_t i = 0; i < count; i++) {
		if (strcmp(perun_option_string_at(timeline->options, "values", i), info->name) == 0)
			return true;
	}
	return count == 0 && timeline->value_count < DEFAULT_VALUES;
}

static int by_time(const void *left, const void *right, void *data)
{
	const double *times = data;
	double a = times[*(const size_t *)left], b = times[*(const size_t *)right];

	return a < b ? -1 : a > b;
}

static void sort_values(struct timeline_values *values)
{
	size_t *order = perun_alloc((values->count + 1) * sizeof *order);
	double *times = perun_alloc((values->count + 1) * sizeof *times);
	double *sorted = perun_alloc((values->count + 1) * sizeof *sorted);

	for (size_t i = 0; i < values->count; i++)
		order[i] = i;
	qsort_r(order, values->count, sizeof *order, by_time, values->times);
	for (size_t i = 0; i < values->count; i++) {
		times[i] = values->times[order[i]];
		sorted[i] = values->values[order[i]];
	}
	perun_free(order);
	perun_free(values->times);
	perun_free(values->values);
	values->times = times;
	values->values = sorted;
}

static void gather_column(struct timeline *timeline, const struct source *source,
			  const struct perun_column *column)
{
	const struct perun_column_info *info = perun_column_info(column);
	struct timeline_values values = {.name = info->name,
					 .unit = info->unit ? info->unit : "",
					 .low = INFINITY,
					 .high = -INFINITY};

	for (size_t row = 0; row < timeline->table.count; row++) {
		double value = perun_column_double(column, row);
		size_t room = values.capacity;
		long double at;

		if (perun_column_absent(source->at, row) || !isfinite(value) ||
		    !views_table_has(&timeline->table, row) || !has_run(source, row))
			continue;
		at = time_at(source->at, row);
		if (at < source->low || at > source->high)
			continue;
		PERUN_GROW(values.times, values.count, values.capacity);
		PERUN_GROW(values.values, values.count, room);
		values.times[values.count] = (double)(at - source->low);
		values.values[values.count++] = value;
		values.low = fmin(values.low, value);
		values.high = fmax(values.high, value);
	}
	if (!values.count)
		return;
	sort_values(&values);
	PERUN_GROW(timeline->values, timeline->value_count, timeline->value_capacity);
	timeline->values[timeline->value_count++] = values;
}

static void gather_values(struct timeline *timeline, const struct source *source)
{
	for (size_t i = 0; source->at && i < perun_table_columns(timeline->table.rows); i++) {
		const struct perun_column *column = perun_table_column_at(timeline->table.rows, i);
		const struct perun_column_info *info = perun_column_info(column);

		if (info->role == PERUN_ROLE_METRIC && is_wanted(timeline, info))
			gather_column(timeline, source, column);
	}
}

/* ---- what is shown --------------------------------------------------------------------------- */

static const struct perun_column *time_column(const struct timeline *timeline, const char *name)
{
	const struct perun_column *column = perun_table_column(timeline->table.rows, name);
	const struct perun_column_info *info = column ? perun_column_info(column) : NULL;

	return info && (info->type == PERUN_TYPE_INT64 || info->type == PERUN_TYPE_UINT64 ||
			info->type == PERUN_TYPE_DOUBLE)
		       ? column
		       : NULL;
}

static int choose_run(struct timeline *timeline, struct source *source)
{
	const char *wanted = perun_option_string(timeline->options, "run");
	const struct views_categories *runs = &source->runs;
	int status;

	if (!source->run)
		return wanted ? perun_fail(timeline->ctx, PERUN_INPUT,
					   "--run: the profile knows of no runs")
			      : PERUN_OK;
	status = views_table_categories(&timeline->table, "run", &source->runs);
	if (status)
		return status;
	timeline->run_count = runs->count;
	for (uint32_t i = 0; i < runs->count && !timeline->run; i++) {
		if (wanted && strcmp(runs->names[i], wanted) != 0)
			continue;
		timeline->run = perun_strdup(runs->names[i]);
		source->run_number = i;
	}
	if (timeline->run)
		return PERUN_OK;
	return perun_fail(timeline->ctx, PERUN_INPUT,
			  "there is no run \"%s\"; the first of %zu is %s", wanted ? wanted : "",
			  runs->count, runs->count ? runs->names[0] : "none");
}

/* The first and the last time; false when nothing is shown. */
static bool find_range(const struct timeline *timeline, struct source *source)
{
	bool any = false;

	for (size_t row = 0; row < timeline->table.count; row++) {
		long double start, end;

		if (!is_shown(timeline, source, row))
			continue;
		start = time_at(source->start, row);
		end = time_at(source->end, row);
		source->low = any && source->low < start ? source->low : start;
		source->high = any && source->high > end ? source->high : end;
		any = true;
	}
	return any;
}

/* A time of the options, in seconds from the first one on, as the profile has it. */
static long double time_of(const struct timeline *timeline, long double origin, const char *option)
{
	long double factor = perun_unit_factor("s", timeline->unit);

	return origin + perun_option_number(timeline->options, option) * (factor ? factor : 1);
}

static int choose_range(struct timeline *timeline, struct source *source)
{
	long double origin = source->low;

	if (perun_option_given(timeline->options, "from"))
		source->low = time_of(timeline, origin, "from");
	if (perun_option_given(timeline->options, "to"))
		source->high = time_of(timeline, origin, "to");
	if (!(source->low <= source->high))
		return perun_fail(timeline->ctx, PERUN_INPUT,
				  "nothing lies between --from and --to");
	timeline->span = (double)(source->high - source->low);
	if (timeline->span <= 0)
		timeline->span = 1;
	return PERUN_OK;
}

static void make_scale(struct timeline *timeline)
{
	struct views_figure *figure = views_figure_new("", "");
	struct views_chart *chart = views_figure_add(figure, "", "");
	struct views_scale up;

	views_axis_set(&chart->x, "time", timeline->unit);
	chart->x.low = 0;
	chart->x.high = timeline->span;
	views_chart_scales(chart, &timeline->scale, &up);
	timeline->scale.unit = perun_unit_of(timeline->unit);
	views_figure_free(figure);
}

int timeline_gather(struct timeline *timeline)
{
	const struct perun_table *rows = timeline->table.rows;
	struct source source = {.start = time_column(timeline, "start"),
				.end = time_column(timeline, "end"),
				.at = time_column(timeline, "at"),
				.uid = perun_table_column(rows, "uid"),
				.stack = perun_table_column(rows, "stack"),
				.run = perun_table_column(rows, "run")};
	size_t strings;
	int status;

	if (!source.start || !source.end)
		return perun_fail(timeline->ctx, PERUN_INPUT,
				  "the view timeline needs resources with the times \"start\" and "
				  "\"end\"; flow shows values through snapshots");
	if (source.stack && perun_column_info(source.stack)->type != PERUN_TYPE_STACK)
		source.stack = NULL;
	source.whole = perun_table_column(rows, "level") != NULL;
	timeline->unit = perun_column_info(source.start)->unit;
	if (!timeline->unit)
		timeline->unit = "";
	status = choose_run(timeline, &source);
	if (!status && !find_range(timeline, &source))
		status = perun_fail(timeline->ctx, PERUN_INPUT, "the profile holds no interval%s%s",
				    timeline->run ? " of run " : "",
				    timeline->run ? timeline->run : "");
	if (!status)
		status = choose_range(timeline, &source);
	if (!status) {
		strings = perun_profile_strings(timeline->table.flat);
		source.names = perun_alloc((strings + 1) * sizeof *source.names);
		memset(source.names, 0xff, (strings + 1) * sizeof *source.names);
		status = gather_bars(timeline, &source);
		gather_pauses(timeline, &source);
		gather_values(timeline, &source);
		make_scale(timeline);
	}
	views_categories_clear(&source.runs);
	perun_free(source.names);
	perun_free(source.depth_lanes);
	perun_free(source.name_lanes);
	return status;
}

void timeline_clear(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->name_count; i++)
		perun_free(timeline->names[i]);
	for (size_t i = 0; i < timeline->value_count; i++) {
		perun_free(timeline->values[i].times);
		perun_free(timeline->values[i].values);
	}
	perun_free(timeline->names);
	perun_free(timeline->values);
	perun_free(timeline->bars);
	perun_free(timeline->lanes);
	perun_free(timeline->pauses);
	perun_free(timeline->run);
}
