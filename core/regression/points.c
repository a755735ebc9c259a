/* SPDX-License-Identifier: BSD-3-Clause */
/* The resources of a profile as points, by uid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perun/json.h"
#include "perun/query.h"
#include "perun/lib/regression.h"

/* Which columns could be meant: those of numbers. */
static int fail_no_column(struct perun_ctx *ctx, const struct perun_table *table, const char *name)
{
	struct perun_buffer known = {0};
	int status;

	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column_info *info =
			perun_column_info(perun_table_column_at(table, i));

		if (info->type == PERUN_TYPE_INT64 || info->type == PERUN_TYPE_UINT64 ||
		    info->type == PERUN_TYPE_DOUBLE)
			perun_buffer_printf(&known, "%s%s", known.length ? ", " : "", info->name);
	}
	status = perun_fail(ctx, PERUN_USAGE,
			    "the resources have no column %s; their columns of numbers are: %s",
			    name, known.length ? known.data : "none");
	perun_buffer_free(&known);
	return status;
}

static const struct perun_column *find(struct perun_ctx *ctx, const struct perun_profile *profile,
				       const char *name)
{
	const struct perun_column *column = perun_table_column(perun_resources(profile), name);

	if (!column)
		fail_no_column(ctx, perun_resources(profile), name);
	return column;
}

static bool is_whole(const struct perun_column *column)
{
	enum perun_type type = perun_column_info(column)->type;

	return type == PERUN_TYPE_INT64 || type == PERUN_TYPE_UINT64;
}

static int compare_groups(const void *one, const void *other)
{
	const struct perun_point_group *a = one, *b = other;

	return strcmp(a->uid, b->uid);
}

static void fill(struct perun_points *points, const struct perun_groups *groups,
		 const struct perun_column *x, const struct perun_column *y)
{
	uint32_t *rows;
	size_t *starts;

	perun_groups_rows(groups, &rows, &starts);
	for (size_t g = 0; g < groups->count; g++) {
		size_t size = starts[g + 1] - starts[g];
		struct perun_point_group group = {.x = perun_alloc((size + 1) * sizeof(double)),
						  .y = perun_alloc((size + 1) * sizeof(double))};

		for (size_t i = starts[g]; i < starts[g + 1]; i++) {
			double a = perun_column_double(x, rows[i]);
			double b = perun_column_double(y, rows[i]);

			if (!isfinite(a) || !isfinite(b))
				continue;
			group.x[group.count] = a;
			group.y[group.count++] = b;
		}
		if (group.count == 0) {
			perun_free(group.x);
			perun_free(group.y);
			continue;
		}
		group.uid = perun_strdup(groups->texts[g]);
		points->groups[points->count++] = group;
	}
	perun_free(rows);
	perun_free(starts);
}

int perun_points_new(struct perun_ctx *ctx, const struct perun_profile *profile, const char *per,
		     const char *of, struct perun_points *points)
{
	const struct perun_column *x = find(ctx, profile, per);
	const struct perun_column *y = x ? find(ctx, profile, of) : NULL;
	struct perun_groups *groups;
	int status;

	*points = (struct perun_points){0};
	if (!x || !y)
		return PERUN_USAGE;
	status = perun_group_by_uid(ctx, perun_resources(profile), NULL, &groups);
	if (status)
		return status;
	points->whole_x = is_whole(x);
	points->groups = perun_alloc_zero(groups->count + 1, sizeof *points->groups);
	fill(points, groups, x, y);
	perun_groups_free(groups);
	if (points->count == 0)
		status = perun_fail(ctx, PERUN_INPUT, "no resource has both numbers %s and %s", per,
				    of);
	else
		qsort(points->groups, points->count, sizeof *points->groups, compare_groups);
	if (status)
		perun_points_clear(points);
	return status;
}

void perun_points_clear(struct perun_points *points)
{
	for (size_t i = 0; i < points->count; i++) {
		perun_free(points->groups[i].uid);
		perun_free(points->groups[i].x);
		perun_free(points->groups[i].y);
	}
	perun_free(points->groups);
	*points = (struct perun_points){0};
}

struct perun_json *perun_points_place(const struct perun_points *points, double x)
{
	if (points->whole_x && fabs(x) < 9e15)
		return perun_json_int64((int64_t)x);
	return perun_json_double(x);
}

struct point {
	double x, y;
	size_t rank;
};

static int compare_points(const void *one, const void *other, void *data)
{
	const struct point *a = one, *b = other;
	const bool *by_y = data;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	if (*by_y && a->y != b->y)
		return a->y < b->y ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

void perun_points_sort(struct perun_point_group *group, bool by_y)
{
	struct point *points = perun_alloc((group->count + 1) * sizeof *points);

	for (size_t i = 0; i < group->count; i++)
		points[i] = (struct point){group->x[i], group->y[i], i};
	qsort_r(points, group->count, sizeof *points, compare_points, &by_y);
	for (size_t i = 0; i < group->count; i++) {
		group->x[i] = points[i].x;
		group->y[i] = points[i].y;
	}
	perun_free(points);
}
