/* SPDX-License-Identifier: BSD-3-Clause */
/* The check integral-comparison: the areas below the models of two versions. */
#include <config.h>

#include "checks/common/curves.h"
#include "checks/common/plugin.h"
#include "checks/common/relative.h"

/* The integrals of both models of a pair. */
static int integrate(struct perun_ctx *ctx, const struct checks_pair *pair, double *before,
		     double *after)
{
	struct checks_points points = {0};
	double integrals[2];
	int status = PERUN_OK;

	if (!pair->baseline->parametric || !pair->target->parametric)
		status = checks_points_of(ctx, pair, &points);
	checks_simpson(points.x, points.before, points.after, points.count, integrals);
	*before =
		pair->baseline->parametric ? checks_integral(&pair->baseline->model) : integrals[0];
	*after = pair->target->parametric ? checks_integral(&pair->target->model) : integrals[1];
	checks_points_free(&points);
	return status;
}

static int measure(struct perun_ctx *ctx, const struct checks_pair *pair, void *data,
		   struct checks_relative_change *change)
{
	double before, after;
	int status = integrate(ctx, pair, &before, &after);

	(void)data;
	if (status)
		return status;
	change->relative = checks_relative(before, after);
	change->explanation = perun_format("the integral is %.6g before and %.6g after, %+.1f %%",
					   before, after, change->relative * 100);
	return PERUN_OK;
}

static int integral_compare(void *instance, struct perun_ctx *ctx,
			    const struct perun_comparison *comparison, struct perun_report *report)
{
	(void)instance;
	return checks_compare_relative(ctx, comparison, measure, NULL, report);
}

CHECK_PLUGIN(integral_comparison, "integral-comparison",
	     "the integrals of the models of two versions", NULL, .aliases = "int",
	     .compare = integral_compare);
