/* SPDX-License-Identifier: BSD-3-Clause */
/* The curves of parametric models. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "perun/query.h"

#define DEFAULT_POINTS 1000
#define MOST_POINTS    ((size_t)1 << 24)

enum curve { CONSTANT, LINEAR, LOGARITHMIC, QUADRATIC, POWER, EXPONENTIAL, PMNF, CURVES };

/* With the number of coefficients that each needs. */
static const struct {
	const char *name;
	size_t coefficients;
} curves[CURVES] = {
	[CONSTANT] = {"constant", 1},
	[LINEAR] = {"linear", 2},
	[LOGARITHMIC] = {"logarithmic", 2},
	[QUADRATIC] = {"quadratic", 3},
	[POWER] = {"power", 2},
	[EXPONENTIAL] = {"exponential", 2},
	[PMNF] = {"pmnf", 4},
};

static enum curve curve_of(const struct perun_model *model)
{
	enum curve curve = CONSTANT;

	while (curve < CURVES && strcmp(model->kind, curves[curve].name) != 0)
		curve++;
	return curve;
}

static bool is_complete(const struct perun_model *model, enum curve curve)
{
	if (model->coefficient_count < curves[curve].coefficients)
		return false;
	for (size_t i = 0; i < curves[curve].coefficients; i++) {
		if (isnan(model->coefficients[i]))
			return false;
	}
	return true;
}

static double evaluate(enum curve curve, const double *b, double x)
{
	switch (curve) {
	case CONSTANT:
		return b[0];
	case LINEAR:
		return b[0] + b[1] * x;
	case LOGARITHMIC:
		return b[0] + b[1] * log(x);
	case QUADRATIC:
		return b[0] + b[1] * x + b[2] * x * x;
	case POWER:
		return b[0] * pow(x, b[1]);
	case EXPONENTIAL:
		return b[0] * pow(b[1], x);
	case PMNF:
		return b[0] + b[1] * pow(x, b[2]) * pow(log2(x), b[3]);
	default:
		return NAN;
	}
}

double perun_model_value(const struct perun_model *model, double x)
{
	enum curve curve = curve_of(model);

	if (curve == CURVES || !is_complete(model, curve))
		return NAN;
	return evaluate(curve, model->coefficients, x);
}

int perun_plot_data_from_coefficients_of(struct perun_ctx *ctx, const struct perun_model *model,
					 size_t count, double **x, double **y)
{
	enum curve curve = curve_of(model);
	double step;

	*x = *y = NULL;
	if (curve == CURVES)
		return perun_fail(ctx, PERUN_INPUT,
				  "a model of kind \"%s\" has no formula to draw a curve by",
				  model->kind);
	if (!is_complete(model, curve))
		return perun_fail(ctx, PERUN_INPUT,
				  "the %s model of %s lacks coefficients: b0 to b%zu are needed",
				  model->kind, model->uid, curves[curve].coefficients - 1);
	if (!isfinite(model->x_start) || !isfinite(model->x_end))
		return perun_fail(
			ctx, PERUN_INPUT,
			"the %s model of %s lacks its interval: x_start and x_end are needed",
			model->kind, model->uid);
	count = count ? count : DEFAULT_POINTS;
	if (count > MOST_POINTS)
		return perun_fail(ctx, PERUN_USAGE, "%zu points are more than the limit of %zu",
				  count, MOST_POINTS);
	*x = perun_alloc(count * sizeof **x);
	*y = perun_alloc(count * sizeof **y);
	step = count > 1 ? (model->x_end - model->x_start) / (double)(count - 1) : 0;
	for (size_t i = 0; i < count; i++) {
		(*x)[i] =
			i > 0 && i == count - 1 ? model->x_end : model->x_start + (double)i * step;
		(*y)[i] = evaluate(curve, model->coefficients, (*x)[i]);
	}
	return PERUN_OK;
}
