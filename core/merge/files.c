/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging files of which only one is in memory at a time. */
#include <perun/format.h>

#include "core/merge/merge.h"

struct merging {
	struct perun_ctx *ctx;
	struct perun_merge_plan *plan;
	struct perun_merger *merger; /* NULL: the plan changed, so all are read once more */
};

static int add(struct merging *merging, struct perun_profile *profile)
{
	const struct perun_merge_input input = {.struct_size = sizeof input, .profile = profile};

	return perun_merger_add(merging->ctx, merging->merger, &input);
}

/* As long as the plan stays as it is, what is read is merged at once. */
static int plan_and_add(struct merging *merging, struct perun_profile *profile, bool first)
{
	int status = perun_merge_plan_add(merging->ctx, merging->plan, profile);

	if (status)
		return status;
	if (first) {
		merging->merger = perun_merger_new(merging->plan);
	} else if (perun_merge_plan_changed(merging->plan)) {
		perun_merger_free(merging->merger);
		merging->merger = NULL;
	}
	return merging->merger ? add(merging, profile) : PERUN_OK;
}

static int read_all(struct merging *merging, const char *const *paths, size_t count, bool plan)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++) {
		struct perun_profile *profile = NULL;

		status = perun_read_profile_file(merging->ctx, paths[i], &profile);
		if (!status) {
			status = plan ? plan_and_add(merging, profile, i == 0)
				      : add(merging, profile);
			if (status && status != PERUN_CANCELLED)
				perun_fail(merging->ctx, PERUN_OK, "%s", paths[i]);
		}
		perun_profile_unref(profile);
		perun_progress(merging->ctx, "files", i + 1, count);
		if (!status && perun_cancelled(merging->ctx))
			status = perun_fail(merging->ctx, PERUN_CANCELLED, "interrupted");
	}
	return status;
}

int perun_merge_files(struct perun_ctx *ctx, const char *const *paths, size_t count, unsigned flags,
		      struct perun_profile **profile)
{
	struct merging merging = {.ctx = ctx, .plan = perun_merge_plan_new(flags)};
	int status = count ? read_all(&merging, paths, count, true)
			   : perun_fail(ctx, PERUN_USAGE, "there are no files to merge");

	*profile = NULL;
	if (!status && !merging.merger) {
		merging.merger = perun_merger_new(merging.plan);
		status = read_all(&merging, paths, count, false);
	}
	perun_merge_plan_free(merging.plan);
	if (!status)
		return perun_merger_finish(ctx, merging.merger, profile);
	perun_merger_free(merging.merger);
	return status;
}
