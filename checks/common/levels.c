/* SPDX-License-Identifier: BSD-3-Clause */
/* What checks report of two levels of a metric. */
#include <config.h>

#include <math.h>

#include "checks/common/levels.h"

static double quotient(double before, double after)
{
	if (before != 0)
		return after / before;
	return after != 0 ? INFINITY : 1;
}

const char *checks_unit(const char *unit)
{
	return unit[0] == '1' && unit[1] == '/' ? unit + 1 : unit;
}

void checks_report_levels(struct perun_report *report, const struct checks_levels *levels)
{
	const struct perun_metric *metric = levels->metric;
	const char *unit = checks_unit(metric->unit);
	char *from = perun_format("%.4g%s", levels->before, unit);
	char *to = perun_format("%.4g%s", levels->after, unit);
	struct perun_change change = {
		.struct_size = sizeof change,
		.result = levels->result,
		.location = levels->location,
		.type = metric->name,
		.metric = metric->name,
		.from_baseline = from,
		.to_target = to,
		.rate = quotient(levels->before, levels->after),
		.confidence_type = "p_value",
		.confidence_rate = levels->p,
		.explanation = levels->explanation,
	};

	perun_report_add(report, &change);
	perun_free(from);
	perun_free(to);
}
