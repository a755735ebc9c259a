/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging profiles of which only one is in memory at a time. */
#include <perun/format.h>

#include "core/merge/merge.h"

struct merging {
	struct perun_ctx *ctx;
	size_t count;
	int (*read)(struct perun_ctx *ctx, size_t i, void *data, struct perun_profile **profile);
	const char *(*name)(void *data, size_t i);
	void *data;
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

static int read_all(struct merging *merging, bool plan)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < merging->count; i++) {
		struct perun_profile *profile = NULL;

		status = merging->read(merging->ctx, i, merging->data, &profile);
		if (!status) {
			status = plan ? plan_and_add(merging, profile, i == 0)
				      : add(merging, profile);
			if (status && status != PERUN_CANCELLED)
				perun_fail(merging->ctx, PERUN_OK, "%s",
					   merging->name(merging->data, i));
		}
		perun_profile_unref(profile);
		perun_progress(merging->ctx, "files", i + 1, merging->count);
		if (!status && perun_cancelled(merging->ctx))
			status = perun_fail(merging->ctx, PERUN_CANCELLED, "interrupted");
	}
	return status;
}

int perun_merge_each(struct perun_ctx *ctx, size_t count,
		     int (*read)(struct perun_ctx *ctx, size_t i, void *data,
				 struct perun_profile **profile),
		     const char *(*name)(void *data, size_t i), void *data, unsigned flags,
		     struct perun_profile **profile)
{
	struct merging merging = {ctx, count, read, name, data, perun_merge_plan_new(flags), NULL};
	int status = count ? read_all(&merging, true)
			   : perun_fail(ctx, PERUN_USAGE, "there is nothing to merge");

	*profile = NULL;
	if (!status && !merging.merger) {
		merging.merger = perun_merger_new(merging.plan);
		status = read_all(&merging, false);
	}
	perun_merge_plan_free(merging.plan);
	if (!status)
		return perun_merger_finish(ctx, merging.merger, profile);
	perun_merger_free(merging.merger);
	return status;
}

static const char *path_at(void *data, size_t i)
{
	return ((const char *const *)data)[i];
}

static int read_file(struct perun_ctx *ctx, size_t i, void *data, struct perun_profile **profile)
{
	return perun_read_profile_file(ctx, path_at(data, i), profile);
}

int perun_merge_files(struct perun_ctx *ctx, const char *const *paths, size_t count, unsigned flags,
		      struct perun_profile **profile)
{
	*profile = NULL;
	if (!count)
		return perun_fail(ctx, PERUN_USAGE, "there are no files to merge");
	return perun_merge_each(ctx, count, read_file, path_at, (void *)paths, flags, profile);
}
