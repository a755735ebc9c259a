/* SPDX-License-Identifier: BSD-3-Clause */
/* What the host alone does with a report. */
#ifndef PERUN_CORE_REPORT_H
#define PERUN_CORE_REPORT_H

#include <perun/check.h>

/* The method that the following findings are of; borrowed until the next call. NULL = as given. */
void perun_report_set_method(struct perun_report *report, const char *method);

#endif
