/* SPDX-License-Identifier: BSD-3-Clause */
/* The curves of parametric models. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "perun/query.h"
#include "perun/lib/regression.h"

#define DEFAULT_POINTS 1000
#define MAX_POINTS     ((size_t)1 << 24)

/* Those of perun_curve, and one more. */
enum { PMNF = PERUN_CURVES, CURVES };

/* How many coefficients each needs. */
static const size_t coefficients[CURVES] = {
	[PERUN_CURVE_CONSTANT] = 1,
	[PERUN_CURVE_LOGARITHMIC] = 2,
	[PERUN_CURVE_LINEAR] = 2,
	[PERUN_CURVE_QUADRATIC] = 3,
	[PERUN_CURVE_POWER] = 2,
	[PERUN_CURVE_EXPONENTIAL] = 2,
	[PMNF] = 4,
};

static unsigned curve_of(const struct perun_model *model)
{
	unsigned curve = perun_curve_from_name(model->kind);

	return curve == PERUN_CURVES && strcmp(model->kind, "pmnf") != 0 ? CURVES : curve;
}

static bool is_complete(const struct perun_model *model, unsigned curve)
{
	if (model->coefficient_count < coefficients[curve])
		return false;
	for (size_t i = 0; i < coefficients[curve]; i++) {
		if (isnan(model->coefficients[i]))
			return false;
	}
	return true;
}

static double evaluate(unsigned curve, const double *b, double x)
{
	if (curve == PMNF)
		return b[0] + b[1] * pow(x, b[2]) * pow(log2(x), b[3]);
	return perun_curve_value((enum perun_curve)curve, b, x);
}

double perun_model_value(const struct perun_model *model, double x)
{
	unsigned curve = curve_of(model);

	if (curve == CURVES || !is_complete(model, curve))
		return NAN;
	return evaluate(curve, model->coefficients, x);
}

int perun_plot_data_from_coefficients_of(struct perun_ctx *ctx, const struct perun_model *model,
					 size_t count, double **x, double **y)
{
	unsigned curve = curve_of(model);
	double step;

	*x = *y = NULL;
	if (curve == CURVES)
		return perun_fail(ctx, PERUN_INPUT,
				  "a model of kind \"%s\" has no formula to draw a curve by",
				  model->kind);
	if (!is_complete(model, curve))
		return perun_fail(ctx, PERUN_INPUT,
				  "the %s model of %s lacks coefficients: b0 to b%zu are needed",
				  model->kind, model->uid, coefficients[curve] - 1);
	if (!isfinite(model->x_start) || !isfinite(model->x_end))
		return perun_fail(
			ctx, PERUN_INPUT,
			"the %s model of %s lacks its interval: x_start and x_end are needed",
			model->kind, model->uid);
	count = count ? count : DEFAULT_POINTS;
	if (count > MAX_POINTS)
		return perun_fail(ctx, PERUN_USAGE, "%zu points are more than the limit of %zu",
				  count, MAX_POINTS);
	*x = perun_alloc(count * sizeof **x);
	*y = perun_alloc(count * sizeof **y);
	step = count > 1 ? (model->x_end - model->x_start) / (double)(count - 1) : 0;
	for (size_t i = 0; i < count; i++)
		(*x)[i] = model->x_start + (double)i * step;
	if (count > 1)
		(*x)[count - 1] = model->x_end;
	if (curve != PMNF)
		perun_curve_values((enum perun_curve)curve, model->coefficients, *x, count, *y);
	for (size_t i = 0; curve == PMNF && i < count; i++)
		(*y)[i] = evaluate(curve, model->coefficients, (*x)[i]);
	return PERUN_OK;
}
