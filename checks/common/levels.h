/* SPDX-License-Identifier: BSD-3-Clause */
/* What checks report of two levels of a metric. */
#ifndef CHECKS_LEVELS_H
#define CHECKS_LEVELS_H

#include <perun/check.h>

struct checks_levels {
	enum perun_result result;
	const char *location;
	const struct perun_metric *metric;
	double before, after, p;
	const char *explanation; /* NULL = none */
};
/* A unit to be after a number: "/s" for "1/s". */
const char *checks_unit(const char *unit);
/* The rate is the quotient of the levels; infinite where the first one alone is 0, 1 where both are. */
void checks_report_levels(struct perun_report *report, const struct checks_levels *levels);

#endif
