/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports that are not written yet. */
#include "report.h"

static int unwritten(struct pprof_report *report)
{
	return perun_fail(report->ctx, PERUN_USAGE, "-%s is not written yet",
			  report->settings.command->name);
}

int pprof_report_list(struct pprof_report *report)
{
	return unwritten(report);
}
int pprof_report_weblist(struct pprof_report *report)
{
	return unwritten(report);
}
int pprof_report_image(struct pprof_report *report)
{
	return unwritten(report);
}

/* ---- until merging is there ---- */

#include <perun/merge.h>

#define WEAK __attribute__((weak))

WEAK struct perun_merge_plan *perun_merge_plan_new(unsigned flags)
{
	(void)flags;
	return NULL;
}
WEAK void perun_merge_plan_free(struct perun_merge_plan *plan)
{
	(void)plan;
}
WEAK int perun_merge_plan_add(struct perun_ctx *ctx, struct perun_merge_plan *plan,
			      const struct perun_profile *profile)
{
	(void)ctx;
	(void)plan;
	(void)profile;
	return PERUN_OK;
}
WEAK bool perun_merge_plan_changed(const struct perun_merge_plan *plan)
{
	(void)plan;
	return false;
}
WEAK struct perun_merger *perun_merger_new(const struct perun_merge_plan *plan)
{
	return (struct perun_merger *)plan;
}
WEAK void perun_merger_free(struct perun_merger *merger)
{
	(void)merger;
}
WEAK int perun_merger_add(struct perun_ctx *ctx, struct perun_merger *merger,
			  const struct perun_merge_input *input)
{
	(void)merger;
	(void)input;
	return perun_fail(ctx, PERUN_USAGE, "merging is not written yet");
}
WEAK int perun_merger_finish(struct perun_ctx *ctx, struct perun_merger *merger,
			     struct perun_profile **profile)
{
	*profile = NULL;
	return perun_merger_add(ctx, merger, NULL);
}
WEAK size_t perun_merge_totals(const struct perun_profile *profile, int64_t *totals, size_t room)
{
	(void)profile;
	(void)totals;
	(void)room;
	return 0;
}
WEAK int perun_merge(struct perun_ctx *ctx, const struct perun_merge_input *inputs, size_t count,
		     unsigned flags, struct perun_profile **profile)
{
	(void)inputs;
	(void)count;
	(void)flags;
	return perun_merger_finish(ctx, NULL, profile);
}
