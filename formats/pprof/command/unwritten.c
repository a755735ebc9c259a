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
