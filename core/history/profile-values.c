/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of one profile, one after the other. */
#include "core/history/values.h"

struct perun_profile_values {
	struct perun_buffer body;
	struct perun_value_walk walk;
};

int perun_profile_values_new(struct perun_ctx *ctx, struct perun_profile *profile,
			     const struct perun_reader_options *options,
			     struct perun_profile_values **values)
{
	struct perun_profile_values *made = perun_alloc_zero(1, sizeof *made);
	int status;

	perun_value_walk_init(&made->walk, options);
	status = perun_values_of_profile(ctx, profile,
					 made->walk.options.functions ? PERUN_VALUES_FUNCTIONS : 0,
					 &made->body);
	if (status) {
		perun_profile_values_free(made);
		made = NULL;
	} else {
		perun_value_walk_workload(&made->walk,
					  perun_profile_text(profile, "/header/workload"));
		perun_value_walk_start(&made->walk, &made->body,
				       perun_profile_text(profile, "/header/cmd"));
	}
	*values = made;
	return status;
}

void perun_profile_values_free(struct perun_profile_values *values)
{
	if (!values)
		return;
	perun_value_walk_free(&values->walk);
	perun_buffer_free(&values->body);
	perun_free(values);
}

const struct perun_value *perun_profile_value(struct perun_profile_values *values)
{
	return perun_value_walk_next(&values->walk);
}
