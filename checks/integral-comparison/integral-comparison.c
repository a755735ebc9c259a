/* SPDX-License-Identifier: BSD-3-Clause */
/* The check integral-comparison: the areas below the models of two versions. */
#include <config.h>

#include "checks/common/curves.h"

#define LEAST_CONFIDENCE 0.15
#define SMALL_CHANGE     0.10
#define LARGE_CHANGE     0.25

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

static int compare_pair(void *data, struct perun_ctx *ctx, const struct checks_pair *pair,
			struct perun_report *report)
{
	double confidence = perun_round_python(checks_confidence(pair), 2);
	double before, after, relative;
	struct perun_change change;
	char *explanation;
	int status;

	(void)data;
	if (!(confidence >= LEAST_CONFIDENCE))
		return PERUN_OK;
	status = integrate(ctx, pair, &before, &after);
	if (status)
		return status;
	relative = checks_relative(before, after);
	explanation = perun_format("the integral is %.6g before and %.6g after, %+.1f %%", before,
				   after, relative * 100);
	change = (struct perun_change){
		.struct_size = sizeof change,
		.result = checks_classify(relative, SMALL_CHANGE, LARGE_CHANGE),
		.location = pair->baseline->model.uid,
		.type = "-",
		.from_baseline = pair->baseline->model.kind,
		.to_target = pair->target->model.kind,
		.rate = perun_round_python(relative, 2),
		.confidence_type = "r_square",
		.confidence_rate = confidence,
		.explanation = explanation,
	};
	perun_report_add(report, &change);
	perun_free(explanation);
	return PERUN_OK;
}

static int integral_compare(void *instance, struct perun_ctx *ctx,
			    const struct perun_comparison *comparison, struct perun_report *report)
{
	(void)instance;
	return checks_each_pair(ctx, comparison, comparison->models_type, compare_pair, NULL,
				report);
}

static const struct perun_check_ops integral_ops = {
	.aliases = "int",
	.compare = integral_compare,
};

PERUN_PLUGIN(check, integral_comparison) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "integral-comparison",
			  "the integrals of the models of two versions"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(integral_ops),
};
