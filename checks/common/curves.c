/* SPDX-License-Identifier: BSD-3-Clause */
/* Curves of models: integrals, and what a difference is called. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "checks/common/curves.h"

#define MIN_X 1e-6 /* represents 0 */

static double place(double x)
{
	return fabs(x) < MIN_X ? MIN_X : x;
}

int checks_curve(struct perun_ctx *ctx, const struct checks_model *model, size_t count, double **x,
		 double **y)
{
	int status = perun_plot_data_from_coefficients_of(ctx, &model->model, count, x, y);

	/* Between ends on one side of 0 nothing is close to it. */
	if (!status && (fmin(model->model.x_start, model->model.x_end) >= 2 * MIN_X ||
			fmax(model->model.x_start, model->model.x_end) <= -2 * MIN_X))
		return PERUN_OK;
	for (size_t i = 0; !status && i < count; i++) {
		if (fabs((*x)[i]) >= MIN_X)
			continue;
		(*x)[i] = MIN_X;
		(*y)[i] = perun_model_value(&model->model, MIN_X);
	}
	return status;
}

/* ---- integrals ------------------------------------------------------------------------------- */

/* Of x^exponent over [a, b], without loss of digits where the exponent is close to -1. */
static double power_integral(double exponent, double a, double b)
{
	double logarithm = log(b / a);

	exponent++;
	if (exponent == 0)
		return logarithm;
	return pow(a, exponent) * expm1(exponent * logarithm) / exponent;
}

/* Of base^x over [a, b]. */
static double exponential_integral(double base, double a, double b)
{
	double logarithm = log(base);

	if (logarithm == 0)
		return b - a;
	return pow(base, a) * expm1((b - a) * logarithm) / logarithm;
}

double checks_integral(const struct perun_model *model)
{
	const double *b = model->coefficients;
	double from = model->x_start, to = model->x_end;

	if (!isfinite(perun_model_value(model, place(to))) || !isfinite(from) || !isfinite(to))
		return NAN;
	if (strcmp(model->kind, "constant") == 0)
		return b[0] * (to - from);
	if (strcmp(model->kind, "linear") == 0)
		return (to - from) * (b[0] + b[1] * (from + to) / 2);
	if (strcmp(model->kind, "quadratic") == 0)
		return (to - from) * (b[0] + b[1] * (from + to) / 2 +
				      b[2] * (from * from + from * to + to * to) / 3);
	if (strcmp(model->kind, "exponential") == 0)
		return b[0] * exponential_integral(b[1], from, to);
	if (strcmp(model->kind, "power") == 0)
		return b[0] * power_integral(b[1], place(from), place(to));
	/* Logarithmic: the Python program integrates along the axis of logarithms. */
	return (to - from) * (b[0] + b[1] * (from + to) / 2);
}

void checks_parabolas(const double *x, size_t count, struct checks_parabola *parabolas)
{
	for (size_t i = 0; i + 2 < count; i++) {
		double first = x[i + 1] - x[i], second = x[i + 2] - x[i + 1];
		double whole = first + second;

		parabolas[i] = (struct checks_parabola){0};
		if (first == 0 || second == 0)
			continue;
		parabolas[i] = (struct checks_parabola){.share = whole / 6,
							.left = 2 - second / first,
							.middle = whole * whole / (first * second),
							.right = 2 - first / second};
	}
}

/* Simpson's rule over an odd number of points: a parabola through each three of them. Of two curves. */
static void odd_simpson(const struct checks_parabola *parabolas, const double *one,
			const double *other, size_t count, double sums[2])
{
	double sum = sums[0], other_sum = sums[1];

	for (size_t i = 0; i + 2 < count; i += 2) {
		const struct checks_parabola *p = &parabolas[i];

		if (p->share == 0 && p->left == 0) /* points at the same place */
			continue;
		sum += p->share *
		       (one[i] * p->left + one[i + 1] * p->middle + one[i + 2] * p->right);
		other_sum += p->share * (other[i] * p->left + other[i + 1] * p->middle +
					 other[i + 2] * p->right);
	}
	sums[0] = sum;
	sums[1] = other_sum;
}

static double ends_of(const double *x, const double *y, size_t count)
{
	return (x[1] - x[0]) * (y[0] + y[1]) / 2 +
	       (x[count - 1] - x[count - 2]) * (y[count - 2] + y[count - 1]) / 2;
}

void checks_simpson_by(const struct checks_parabola *parabolas, const double *x, const double *one,
		       const double *other, size_t count, double integrals[2])
{
	integrals[0] = integrals[1] = 0;
	if (count < 2)
		return;
	odd_simpson(parabolas, one, other, count % 2 ? count : count - 1, integrals);
	if (count % 2)
		return;
	odd_simpson(parabolas + 1, one + 1, other + 1, count - 1, integrals);
	integrals[0] = (integrals[0] + ends_of(x, one, count)) / 2;
	integrals[1] = (integrals[1] + ends_of(x, other, count)) / 2;
}

void checks_simpson(const double *x, const double *one, const double *other, size_t count,
		    double integrals[2])
{
	struct checks_parabola *parabolas = perun_alloc_zero(count + 1, sizeof *parabolas);

	checks_parabolas(x, count, parabolas);
	checks_simpson_by(parabolas, x, one, other, count, integrals);
	perun_free(parabolas);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* The quotient; where the divisor is 0 the dividend is divided by 1e-6, as the Python program does. */
static double checks_divide(double dividend, double divisor)
{
	return dividend / (divisor == 0 ? 1e-6 : divisor);
}

double checks_relative(double before, double after)
{
	return checks_divide(after - before, before);
}

enum perun_result checks_classify(double relative, double small, double large)
{
	if (isnan(relative))
		return PERUN_RESULT_UNKNOWN;
	if (fabs(relative) <= small)
		return PERUN_RESULT_NO_CHANGE;
	if (fabs(relative) <= large)
		return relative > 0 ? PERUN_RESULT_MAYBE_DEGRADATION
				    : PERUN_RESULT_MAYBE_OPTIMIZATION;
	return relative > 0 ? PERUN_RESULT_DEGRADATION : PERUN_RESULT_OPTIMIZATION;
}
