/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories whose entries are named as Extra-P names points: "main.p8.r1". */
#ifndef FORMATS_COMMON_POINTS_H
#define FORMATS_COMMON_POINTS_H

#include <perun/format.h>
#include <perun/lib/experiment.h>

/* Whether a directory is one: at least half of its entries, and two of them, are named so. What is in them is not known here. */
static inline bool formats_is_of_points(const struct perun_probe *probe)
{
	size_t points = 0;

	for (size_t i = 0; probe->directory && i < probe->entry_count; i++) {
		struct perun_point_name point;

		if (perun_point_name_parse(NULL, probe->entries[i], &point) == PERUN_OK)
			points++;
		perun_point_name_clear(&point);
	}
	return points >= 2 && points * 2 >= probe->entry_count;
}

/* Give the file of a point in the directory `input` to `read`; an error of it names the file. */
static inline int formats_read_point(struct perun_ctx *ctx, struct perun_input *input,
				     const struct perun_point_file *file,
				     int (*read)(void *data, struct perun_input *child), void *data)
{
	struct perun_input *folder, *child;
	int status = perun_input_open_child(ctx, input, file->folder, &folder);

	if (status)
		return status;
	status = perun_input_open_child(ctx, folder, file->name, &child);
	if (!status) {
		status = read(data, child);
		perun_input_close(child);
	}
	perun_input_close(folder);
	if (status)
		perun_fail(ctx, PERUN_OK, "%s/%s", file->folder, file->name);
	return status;
}

#endif
