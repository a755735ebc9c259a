/* SPDX-License-Identifier: BSD-3-Clause */
/* The check linear-regression: the difference of models, named by what a line through it says. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "checks/common/difference.h"
#include "checks/common/fit.h"

#define FLAT_WITHIN      0.05 /* of the largest difference */
#define INTERCEPT_WITHIN 0.05
#define SLOPE_WITHIN     0.3
#define GOOD_LINE        0.95 /* r_square */
#define GOOD_QUADRATIC   0.90
#define QUADRATIC_GAIN   0.01
#define SAME_INTERCEPT   1e-12

static bool is_constant(const struct checks_difference *difference, const struct checks_line *line)
{
	const char *kind = difference->baseline->model.kind;
	double expected = difference->target->model.coefficients[0] -
			  difference->baseline->model.coefficients[0];
	double largest = -INFINITY;

	for (size_t i = 0; i < difference->count; i++)
		largest = fmax(largest, difference->y[i]);
	if (fabs(line->slope) > fabs(FLAT_WITHIN * largest) ||
	    fabs(expected - line->intercept) > fabs(INTERCEPT_WITHIN * expected))
		return false;
	if (strcmp(kind, "linear") != 0 && strcmp(kind, "constant") != 0)
		return true;
	return fabs(expected - line->intercept) < SAME_INTERCEPT;
}

static bool is_linear(const struct checks_difference *difference, const struct checks_line *line)
{
	double expected = difference->linear_target->model.coefficients[1] -
			  difference->linear_baseline->model.coefficients[1];

	return fabs(line->slope - expected) <= fabs(SLOPE_WITHIN * expected) &&
	       line->r_square > GOOD_LINE;
}

static char *name_change(const struct checks_difference *difference)
{
	size_t count = difference->count;
	struct checks_line line =
		checks_fit_line(difference->linear_x, difference->linear_y, count);
	double quadratic;

	if (is_constant(difference, &line))
		return perun_strdup("constant");
	if (is_linear(difference, &line))
		return perun_strdup("linear");
	line = checks_fit_line(difference->x, difference->y, count);
	quadratic = checks_polynomial_r_square(difference->x, difference->y, count, 2);
	if (quadratic > GOOD_QUADRATIC && quadratic - line.r_square > QUADRATIC_GAIN)
		return perun_strdup("quadratic");
	return perun_strdup(checks_best_kind(difference->x, difference->y, count));
}

static int linear_compare(void *instance, struct perun_ctx *ctx,
			  const struct perun_comparison *comparison, struct perun_report *report)
{
	(void)instance;
	return checks_compare_differences(ctx, comparison, name_change, report);
}

static const struct perun_check_ops linear_ops = {
	.aliases = "lreg",
	.compare = linear_compare,
};

PERUN_PLUGIN(check, linear_regression) = {
	PERUN_PLUGIN_HEAD(
		PERUN_KIND_CHECK, "linear-regression",
		"the difference of the best models, named by what a line through it says"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(linear_ops),
};
