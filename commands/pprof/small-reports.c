/* SPDX-License-Identifier: BSD-3-Clause */
/* -comments and -proto. */
#include <perun/json.h>

#include "report.h"

int pprof_report_comments(struct pprof_report *report)
{
	for (size_t i = 0; i < report->facts.comment_count; i++)
		perun_output_printf(report->output, "%s\n", report->facts.comments[i]);
	return PERUN_OK;
}

/* Whether the samples are not those of the profile any more. */
static bool is_changed(const struct pprof_report *report)
{
	const struct pprof_settings *settings = &report->settings;

	return (report->ratio > 0 && report->ratio != 1) || *report->facts.drop_frames ||
	       *settings->focus || *settings->ignore || *settings->hide || *settings->show ||
	       *settings->show_from || *settings->prune_from || *settings->tag_focus ||
	       *settings->tag_ignore || *settings->tag_show || *settings->tag_hide;
}

int pprof_report_proto(struct pprof_report *report)
{
	struct perun_profile *profile;
	int status;

	if (!is_changed(report))
		return perun_write_profile(report->ctx, report->profile, "pprof", NULL,
					   report->output);
	status = pprof_flatten(report, true, &profile);
	if (status)
		return status;
	status = perun_write_profile(report->ctx, profile, "pprof", NULL, report->output);
	perun_profile_unref(profile);
	return status;
}
