/* SPDX-License-Identifier: BSD-3-Clause */
/* The check that linear-regression, polynomial-regression and fast-check have in common. */
#include <config.h>

#include <float.h>
#include <math.h>

#include "checks/common/curves.h"
#include "checks/common/difference.h"

#define POINTS          1000
#define SAME_WITHIN     0.05 /* of the coefficients of the best models */
#define CERTAIN_PERCENT 25

struct comparing {
	checks_name_change *name;
	struct checks_models linear_baseline, linear_target;
	const struct checks_model **linear_before, **linear_after; /* by uid */
};

/* Two curves, and the second minus the first. */
struct curves {
	double *x, *before, *difference;
};

static int make_curves(struct perun_ctx *ctx, const struct checks_model *baseline,
		       const struct checks_model *target, struct curves *curves)
{
	double *x = NULL;
	int status = checks_curve(ctx, baseline, POINTS, &curves->x, &curves->before);

	if (!status)
		status = checks_curve(ctx, target, POINTS, &x, &curves->difference);
	for (size_t i = 0; !status && i < POINTS; i++)
		curves->difference[i] -= curves->before[i];
	perun_free(x);
	return status;
}

static void free_curves(struct curves *curves)
{
	perun_free(curves->x);
	perun_free(curves->before);
	perun_free(curves->difference);
}

/* The mean of the relative differences in percent; where one is undefined it counts as 0. */
static double relative_percent(const struct curves *curves)
{
	long double sum = 0;

	for (size_t i = 0; i < POINTS; i++) {
		double relative = curves->difference[i] / curves->before[i];

		if (isinf(relative))
			relative = copysign(DBL_MAX, relative);
		sum += isnan(relative) ? 0 : (long double)relative;
	}
	sum = sum * 100 / POINTS;
	if (fabsl(sum) > DBL_MAX)
		return copysign(DBL_MAX, (double)sum);
	return (double)sum;
}

static double coefficient(const struct checks_model *model, size_t i)
{
	return i < model->model.coefficient_count ? model->model.coefficients[i] : 0;
}

static bool is_same(const struct checks_difference *difference, size_t i)
{
	double before = coefficient(difference->baseline, i);

	return fabs(coefficient(difference->target, i) - before) <= fabs(SAME_WITHIN * before);
}

/*
 * Two kinds of curves may share b0 and b1, and the base of an exponential is close to 1 whatever it does: how far
 * the curves are apart, as a share of the first one's values, must not contradict the coefficients.
 */
static bool is_close(const struct curves *curves)
{
	long double apart = 0, size = 0;

	for (size_t i = 0; i < POINTS; i++) {
		apart += fabs(curves->difference[i]);
		size += fabs(curves->before[i]);
	}
	return !(apart * 100 > size * CERTAIN_PERCENT);
}

static enum perun_result judge(const struct checks_difference *difference,
			       const struct curves *curves, double percent)
{
	long double sum = 0;

	if (is_same(difference, 0) && is_same(difference, 1) && is_close(curves))
		return PERUN_RESULT_NO_CHANGE;
	for (size_t i = 0; i < difference->count; i++)
		sum += isnan(difference->y[i]) ? 0 : (long double)difference->y[i];
	if (sum > 0)
		return percent > CERTAIN_PERCENT ? PERUN_RESULT_DEGRADATION
						 : PERUN_RESULT_MAYBE_DEGRADATION;
	return percent < -CERTAIN_PERCENT ? PERUN_RESULT_OPTIMIZATION
					  : PERUN_RESULT_MAYBE_OPTIMIZATION;
}

static void report_difference(const struct comparing *comparing,
			      const struct checks_difference *difference, double percent,
			      enum perun_result result, struct perun_report *report)
{
	char *type = result == PERUN_RESULT_NO_CHANGE ? NULL : comparing->name(difference);
	const struct checks_model *before = difference->baseline, *after = difference->target;
	char *explanation = perun_format(
		"the best models, %s (b0 %.6g, b1 %.6g) before and %s (b0 %.6g, b1 %.6g) after, "
		"differ by %+.1f %% on average",
		before->model.kind, coefficient(before, 0), coefficient(before, 1),
		after->model.kind, coefficient(after, 0), coefficient(after, 1), percent);
	struct perun_change change = {
		.struct_size = sizeof change,
		.result = result,
		.location = difference->baseline->model.uid,
		.type = type ? type : "",
		.from_baseline = difference->baseline->model.kind,
		.to_target = difference->target->model.kind,
		.rate = percent,
		.confidence_type = "r_square",
		.confidence_rate = fmin(difference->baseline->model.r_square,
					difference->linear_target->model.r_square),
		.explanation = explanation,
	};

	perun_report_add(report, &change);
	perun_free(type);
	perun_free(explanation);
}

static bool is_line(const struct checks_model *model)
{
	return model && model->model.coefficient_count >= 2 &&
	       !isnan(model->model.coefficients[0]) && !isnan(model->model.coefficients[1]);
}

static int compare_pair(void *data, struct perun_ctx *ctx, const struct checks_pair *pair,
			struct perun_report *report)
{
	struct comparing *comparing = data;
	const char *uid = pair->baseline->model.uid;
	struct checks_difference difference = {
		.baseline = pair->baseline,
		.target = pair->target,
		.linear_baseline = checks_models_find(comparing->linear_before,
						      comparing->linear_baseline.count, uid),
		.linear_target = checks_models_find(comparing->linear_after,
						    comparing->linear_target.count, uid),
		.count = POINTS,
	};
	struct curves best = {0}, linear = {0};
	enum perun_result result = PERUN_RESULT_NO_CHANGE;
	double percent = 0;
	int status;

	if (!is_line(difference.linear_baseline) || !is_line(difference.linear_target))
		return PERUN_OK;
	status = make_curves(ctx, pair->baseline, pair->target, &best);
	if (!status) {
		difference.x = best.x;
		difference.y = best.difference;
		percent = relative_percent(&best);
		result = judge(&difference, &best, percent);
	}
	/* Only the name of a change needs these. */
	if (!status && result != PERUN_RESULT_NO_CHANGE)
		status = make_curves(ctx, difference.linear_baseline, difference.linear_target,
				     &linear);
	if (!status) {
		difference.linear_x = linear.x;
		difference.linear_y = linear.difference;
		report_difference(comparing, &difference, percent, result, report);
	}
	free_curves(&best);
	free_curves(&linear);
	return status;
}

int checks_compare_differences(struct perun_ctx *ctx, const struct perun_comparison *comparison,
			       checks_name_change *name, struct perun_report *report)
{
	struct comparing comparing = {.name = name};
	int status;

	checks_models_load_all_of_kind(comparison->baselines, comparison->baseline_count, "linear",
				       &comparing.linear_baseline);
	checks_models_load_all_of_kind(comparison->targets, comparison->target_count, "linear",
				       &comparing.linear_target);
	comparing.linear_before = checks_models_index(&comparing.linear_baseline);
	comparing.linear_after = checks_models_index(&comparing.linear_target);
	status = checks_each_pair(ctx, comparison, PERUN_MODELS_BEST_PARAM, compare_pair,
				  &comparing, report);
	perun_free(comparing.linear_before);
	perun_free(comparing.linear_after);
	checks_models_free(&comparing.linear_baseline);
	checks_models_free(&comparing.linear_target);
	return status;
}
