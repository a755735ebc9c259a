/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories of measurements: a directory for each point, one or more files in each. */
#include <stdlib.h>
#include <string.h>

#include "perun/lib/experiment.h"

struct listing {
	struct perun_ctx *ctx;
	const char *ending;
	struct perun_point_files *files;
	size_t capacity;
};

static int add_file(struct listing *listing, const char *folder, const char *name,
		    const struct perun_point_name *point)
{
	struct perun_point_files *files = listing->files;
	struct perun_point_file *file;

	if (files->count == 0) {
		files->name_count = point->count;
		for (size_t i = 0; i < point->count; i++)
			files->names[i] = perun_strdup(point->names[i]);
	}
	for (size_t i = 0; i < point->count || i < files->name_count; i++)
		if (i >= point->count || i >= files->name_count ||
		    strcmp(point->names[i], files->names[i]) != 0)
			return perun_fail(listing->ctx, PERUN_INPUT,
					  "%s: its parameters are not those of %s, or in another "
					  "order",
					  folder, files->items[0].folder);
	PERUN_GROW(files->items, files->count, listing->capacity);
	file = &files->items[files->count++];
	*file = (struct perun_point_file){.folder = perun_strdup(folder),
					  .name = perun_strdup(name)};
	file->values = perun_memdup(point->values, point->count * sizeof *point->values);
	return PERUN_OK;
}

static bool is_wanted(const struct listing *listing, const char *name)
{
	size_t length = strlen(name), ending = strlen(listing->ending);

	return name[0] != '.' && length > ending &&
	       strcmp(name + length - ending, listing->ending) == 0;
}

static int list_folder(struct listing *listing, struct perun_input *input, const char *folder)
{
	struct perun_point_name point = {0};
	struct perun_input *child;
	const char *const *names;
	size_t count;
	int status = perun_input_open_child(listing->ctx, input, folder, &child);

	if (status)
		return status;
	if (perun_input_is_directory(child)) {
		status = perun_input_list(listing->ctx, child, &names, &count);
		for (size_t i = 0; !status && i < count; i++) {
			if (!is_wanted(listing, names[i]))
				continue;
			if (point.count == 0)
				status = perun_point_name_parse(listing->ctx, folder, &point);
			if (!status)
				status = add_file(listing, folder, names[i], &point);
		}
	}
	perun_point_name_clear(&point);
	perun_input_close(child);
	return status;
}

static int compare_values(const double *a, const double *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int compare_files(const void *a, const void *b, void *data)
{
	const struct perun_point_file *x = a, *y = b;
	const struct perun_point_files *files = data;
	int order = compare_values(x->values, y->values, files->name_count);

	if (order == 0)
		order = strcmp(x->folder, y->folder);
	return order ? order : strcmp(x->name, y->name);
}

/* Parameters that never change are none; the points are in their order. */
static int find_points(struct perun_ctx *ctx, struct perun_point_files *files)
{
	size_t varying = 0;

	qsort_r(files->items, files->count, sizeof *files->items, compare_files, files);
	for (size_t p = 0; p < files->name_count; p++) {
		for (size_t i = 1; i < files->count; i++)
			files->varies[p] |= files->items[i].values[p] != files->items[0].values[p];
		varying += files->varies[p];
	}
	if (varying == 0)
		return perun_fail(ctx, PERUN_INPUT,
				  "no parameter has more than one value in the names of the "
				  "directories");
	for (size_t i = 0; i < files->count; i++) {
		files->points +=
			i == 0 || compare_values(files->items[i - 1].values, files->items[i].values,
						 files->name_count) != 0;
		files->items[i].point = files->points - 1;
	}
	return PERUN_OK;
}

int perun_point_files_list(struct perun_ctx *ctx, struct perun_input *input, const char *ending,
			   struct perun_point_files *files)
{
	struct listing listing = {.ctx = ctx, .ending = ending, .files = files};
	const char *const *names;
	size_t count;
	int status;

	memset(files, 0, sizeof *files);
	status = perun_input_list(ctx, input, &names, &count);
	for (size_t i = 0; !status && i < count; i++)
		if (names[i][0] != '.')
			status = list_folder(&listing, input, names[i]);
	if (!status && files->count == 0)
		status = perun_fail(ctx, PERUN_INPUT, "there are no *%s files in its directories",
				    ending);
	return status ? status : find_points(ctx, files);
}

void perun_point_files_clear(struct perun_point_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		perun_free(files->items[i].folder);
		perun_free(files->items[i].name);
		perun_free(files->items[i].values);
	}
	for (size_t i = 0; i < files->name_count; i++)
		perun_free(files->names[i]);
	perun_free(files->items);
}

void perun_point_files_parameters(const struct perun_point_files *files,
				  struct perun_builder *builder)
{
	for (size_t p = 0; p < files->name_count; p++)
		if (files->varies[p])
			perun_builder_parameter(builder, files->names[p], NULL);
}

perun_id *perun_point_files_points(const struct perun_point_files *files,
				   struct perun_builder *builder)
{
	perun_id *points = perun_alloc_zero(files->points + 1, sizeof *points);
	double values[PERUN_POINT_PARAMETERS];

	for (size_t i = 0; i < files->count; i++) {
		size_t count = 0;

		if (i && files->items[i].point == files->items[i - 1].point)
			continue;
		for (size_t p = 0; p < files->name_count; p++)
			if (files->varies[p])
				values[count++] = files->items[i].values[p];
		points[files->items[i].point] = perun_builder_point(builder, values, count);
	}
	return points;
}
