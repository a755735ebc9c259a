/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks as the paths that they are, for reports on profiles whose calls are nested deeply: their locations one by one are the
 * square of the depth. Profile has a message for each path then, field 16: its caller (the number of an earlier path, counted
 * from 1; none of the outermost) and its location; a sample has the number of its path in field 4 and no location_id. pprof
 * knows neither, so they are written and read where the option asks for them.
 */
#include "writing.h"

/* Of paths that stacks have. */
static void mark(struct pprof_writing *writing, perun_id path)
{
	while (path != PERUN_NO_ID && !writing->path_numbers[path]) {
		writing->path_numbers[path] = 1;
		path = writing->paths[path].caller;
	}
}

void pprof_plan_paths(struct pprof_writing *writing)
{
	const struct perun_profile *profile = writing->profile;
	uint32_t number = 0;

	writing->paths = perun_profile_paths(profile, &writing->path_count);
	if (!writing->paths)
		return;
	writing->path_numbers =
		perun_alloc_zero(writing->path_count + 1, sizeof *writing->path_numbers);
	for (size_t i = 0; i < perun_profile_stacks(profile); i++)
		mark(writing, perun_profile_stack_path(profile, (perun_id)i));
	for (size_t i = 0; i < writing->path_count; i++) {
		if (writing->path_numbers[i])
			writing->path_numbers[i] = ++number;
	}
}

uint32_t pprof_path_number(const struct pprof_writing *writing, perun_id stack)
{
	perun_id path = perun_profile_stack_path(writing->profile, stack);

	return path == PERUN_NO_ID ? 0 : writing->path_numbers[path];
}

void pprof_write_paths(struct pprof_writing *writing)
{
	struct perun_buffer message = {0};

	for (size_t i = 0; i < writing->path_count; i++) {
		const struct perun_stack_path *path = &writing->paths[i];

		if (!writing->path_numbers[i])
			continue;
		perun_buffer_clear(&message);
		if (path->caller != PERUN_NO_ID)
			pprof_add_number(&message, 1, writing->path_numbers[path->caller]);
		pprof_add_number(&message, 2, pprof_location_id(writing, path->location));
		pprof_put_message(writing, 16, &message);
	}
	perun_buffer_free(&message);
}
