/* SPDX-License-Identifier: BSD-3-Clause */
/* Exclusive times of functions, before and after. */
#include <config.h>

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks/exclusive-time-outliers/times.h"

#define NANOSECONDS 1e6 /* in a millisecond */
#define ALIKE       0.6

/* The sums of one side. */
struct side {
	struct exclusive_row *rows; /* the time is in `after` */
	size_t count, capacity;
	const char **locations; /* the different ones, in order of their first rows */
	size_t location_count, location_capacity;
};

static const char *keep(struct exclusive_times *times, char *text)
{
	PERUN_GROW(times->texts, times->text_count, times->text_capacity);
	return times->texts[times->text_count++] = text;
}

static int compare_rows(const void *one, const void *other)
{
	const struct exclusive_row *a = one, *b = other;
	int order = strcmp(a->uid, b->uid);

	return order ? order : strcmp(a->location, b->location);
}

/* Sort by uid and location and add up equal ones. */
static void add_up(struct side *side)
{
	size_t kept = 0;

	if (side->count)
		qsort(side->rows, side->count, sizeof *side->rows, compare_rows);
	for (size_t i = 0; i < side->count; i++) {
		if (kept && compare_rows(&side->rows[kept - 1], &side->rows[i]) == 0)
			side->rows[kept - 1].after += side->rows[i].after;
		else
			side->rows[kept++] = side->rows[i];
	}
	side->count = kept;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_noted(const struct side *side, const char *location)
{
	for (size_t i = side->location_count; i-- > 0;) {
		if (strcmp(side->locations[i], location) == 0)
			return true;
	}
	return false;
}

/* The flat text of a cell, "" without a column. */
static const char *text_at(struct exclusive_times *times, const struct perun_column *column,
			   size_t row)
{
	struct perun_buffer text = {0};

	if (column)
		perun_column_flat(column, row, &text);
	return keep(times, perun_buffer_take(&text));
}

static void take_groups(const struct perun_groups *groups, const double *sums,
			const struct perun_column *uid, const struct perun_column *location,
			struct exclusive_times *times, struct side *side)
{
	for (size_t i = 0; i < groups->count; i++) {
		struct exclusive_row row = {
			.uid = text_at(times, uid, groups->first_row[i]),
			.location = text_at(times, location, groups->first_row[i]),
			.after = sums[i] / NANOSECONDS,
		};

		PERUN_GROW(side->rows, side->count, side->capacity);
		side->rows[side->count++] = row;
		if (is_noted(side, row.location))
			continue;
		PERUN_GROW(side->locations, side->location_count, side->location_capacity);
		side->locations[side->location_count++] = row.location;
	}
}

static int read_profile(struct perun_ctx *ctx, const struct perun_profile *profile,
			struct exclusive_times *times, struct side *side)
{
	const struct perun_table *resources = perun_resources(profile);
	const struct perun_column *exclusive = perun_table_column(resources, "exclusive");
	const struct perun_column *location = perun_table_column(resources, "location");
	const struct perun_column *uid = perun_table_column(resources, "uid");
	const struct perun_column *keys[2];
	struct perun_groups *groups = NULL;
	double *sums = NULL;
	size_t count = 0;
	int status;

	if (!exclusive)
		return perun_fail(ctx, PERUN_NOT_COMPARED,
				  "the resources of the profile have no exclusive times (column "
				  "exclusive), as the collector trace measures them");
	uid = uid ? uid : perun_table_column(resources, "stack");
	if (uid)
		keys[count++] = uid;
	if (location)
		keys[count++] = location;
	status = perun_group_by(ctx, resources, keys, count, NULL, &groups);
	if (!status) {
		sums = perun_alloc_zero(groups->count + 1, sizeof *sums);
		status = perun_aggregate(ctx, groups, exclusive, PERUN_AGGREGATE_SUM, 0, sums);
	}
	if (!status)
		take_groups(groups, sums, uid, location, times, side);
	perun_free(sums);
	perun_groups_free(groups);
	return status;
}

static int read_side(struct perun_ctx *ctx, struct perun_profile *const *profiles, size_t count,
		     struct exclusive_times *times, struct side *side)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = read_profile(ctx, profiles[i], times, side);
	return status;
}

/* ---- locations that were renamed ------------------------------------------------------------- */

static void rename_location(struct side *side, const char *from, const char *to)
{
	for (size_t i = 0; i < side->count; i++) {
		if (strcmp(side->rows[i].location, from) == 0)
			side->rows[i].location = to;
	}
}

/* The location of `side` that is most like `name` and that `other` lacks; NULL when none is. */
static const char *find_alike(const struct side *side, const struct side *other, const char *name)
{
	const char *found = NULL;
	double best = 0;

	for (size_t i = 0; i < side->location_count; i++) {
		double likeness;

		if (is_noted(other, side->locations[i]))
			continue;
		likeness = exclusive_likeness(side->locations[i], name);
		if (likeness >= ALIKE && likeness > best) {
			best = likeness;
			found = side->locations[i];
		}
	}
	return found;
}

static void unite_locations(struct exclusive_times *times, struct side *before, struct side *after)
{
	for (size_t i = 0; i < after->location_count; i++) {
		const char *name = after->locations[i], *other, *common;
		size_t length = 0;

		if (is_noted(before, name))
			continue;
		other = find_alike(before, after, name);
		if (!other)
			continue;
		while (name[length] && name[length] == other[length])
			length++;
		if (length == 0)
			continue;
		common = keep(times, perun_strndup(name, length));
		rename_location(before, other, common);
		rename_location(after, name, common);
	}
}

/* ---- joining --------------------------------------------------------------------------------- */

static void join(const struct side *before, const struct side *after, const char *filter,
		 struct exclusive_times *times)
{
	times->rows = perun_alloc_zero(after->count + 1, sizeof *times->rows);
	for (size_t i = 0; i < after->count; i++) {
		struct exclusive_row row = after->rows[i];
		const struct exclusive_row *other =
			before->count ? bsearch(&row, before->rows, before->count, sizeof row,
						compare_rows)
				      : NULL;

		times->total += row.after;
		if (fnmatch(filter, row.location, 0) != 0)
			continue;
		row.before = other ? other->after : 0;
		row.fresh = !other;
		times->rows[times->count++] = row;
	}
}

int exclusive_times_join(struct perun_ctx *ctx, const struct perun_comparison *comparison,
			 const char *filter, struct exclusive_times *times)
{
	struct side before = {0}, after = {0};
	int status;

	*times = (struct exclusive_times){0};
	status = read_side(ctx, comparison->baselines, comparison->baseline_count, times, &before);
	if (!status)
		status = read_side(ctx, comparison->targets, comparison->target_count, times,
				   &after);
	if (!status) {
		unite_locations(times, &before, &after);
		add_up(&before);
		add_up(&after);
		join(&before, &after, filter, times);
	}
	perun_free(before.rows);
	perun_free(before.locations);
	perun_free(after.rows);
	perun_free(after.locations);
	return status;
}

void exclusive_times_free(struct exclusive_times *times)
{
	for (size_t i = 0; i < times->text_count; i++)
		perun_free(times->texts[i]);
	perun_free(times->texts);
	perun_free(times->rows);
	*times = (struct exclusive_times){0};
}
