/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting curves of six kinds by least squares. */
#include <math.h>
#include <string.h>

#include "perun/regression.h"

static const char *const names[PERUN_CURVES] = {"constant",  "logarithmic", "linear",
						"quadratic", "power",       "exponential"};

const char *perun_curve_name(enum perun_curve curve)
{
	return names[curve];
}

enum perun_curve perun_curve_from_name(const char *name)
{
	unsigned i = 0;

	while (i < PERUN_CURVES && strcmp(names[i], name) != 0)
		i++;
	return (enum perun_curve)i;
}

double perun_curve_value(enum perun_curve curve, const double *b, double x)
{
	switch (curve) {
	case PERUN_CURVE_CONSTANT:
		return b[0];
	case PERUN_CURVE_LOGARITHMIC:
		return b[0] + b[1] * log(x);
	case PERUN_CURVE_LINEAR:
		return b[0] + b[1] * x;
	case PERUN_CURVE_QUADRATIC:
		return b[0] + b[1] * x + b[2] * x * x;
	case PERUN_CURVE_POWER:
		return b[0] * pow(x, b[1]);
	case PERUN_CURVE_EXPONENTIAL:
		return b[0] * pow(b[1], x);
	default:
		return NAN;
	}
}

/* ---- sums ------------------------------------------------------------------------------------- */

void perun_fit_start(struct perun_fit_sums *sums, enum perun_curve curve)
{
	*sums = (struct perun_fit_sums){.curve = curve};
}

/* The point as the curve is a line, or a parabola, in it; false when it has none. */
static bool transform(enum perun_curve curve, double *x, double *y)
{
	bool log_x = curve == PERUN_CURVE_LOGARITHMIC || curve == PERUN_CURVE_POWER;
	bool log_y = curve == PERUN_CURVE_POWER || curve == PERUN_CURVE_EXPONENTIAL;

	if ((log_x && !(*x > 0)) || (log_y && !(*y > 0)))
		return false;
	if (log_x)
		*x = curve == PERUN_CURVE_POWER ? log10(*x) : log(*x);
	if (log_y)
		*y = log10(*y);
	return isfinite(*x) && isfinite(*y);
}

static void add_point(struct perun_fit_sums *sums, double x, double y)
{
	double from = x;
	long double dx, dy;

	if (!sums->any)
		sums->x_start = sums->x_end = x;
	sums->any = true;
	if (!transform(sums->curve, &x, &y))
		return;
	if (from < sums->x_start)
		sums->x_start = from;
	if (from > sums->x_end)
		sums->x_end = from;
	if (sums->used++ == 0) {
		sums->x0 = x;
		sums->y0 = y;
	}
	dx = x - sums->x0;
	dy = y - sums->y0;
	sums->x += dx;
	sums->y += dy;
	sums->xx += dx * dx;
	sums->xy += dx * dy;
	sums->yy += dy * dy;
	if (sums->curve == PERUN_CURVE_QUADRATIC) {
		sums->xxx += dx * dx * dx;
		sums->xxxx += dx * dx * dx * dx;
		sums->xxy += dx * dx * dy;
	}
}

void perun_fit_add(struct perun_fit_sums *sums, const double *x, const double *y, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_point(sums, x[i], y[i]);
}

/* ---- curves ----------------------------------------------------------------------------------- */

static long double divide(long double dividend, long double divisor)
{
	return dividend / (divisor != 0 ? divisor : 1e-6L);
}

static void finish_line(const struct perun_fit_sums *sums, struct perun_fit *fit)
{
	long double n = sums->used;
	long double sxy = sums->xy - sums->x * sums->y / n;
	long double sxx = sums->xx - sums->x * sums->x / n;
	long double syy = sums->yy - sums->y * sums->y / n;
	long double slope = divide(sxy, sxx);
	long double offset = sums->y0 + sums->y / n - slope * (sums->x0 + sums->x / n);

	fit->coefficients = 2;
	fit->b[0] = (double)offset;
	fit->b[1] = (double)slope;
	fit->r_square = (double)divide(divide(sxy * sxy, sxx), syy);
	if (sums->curve == PERUN_CURVE_POWER || sums->curve == PERUN_CURVE_EXPONENTIAL)
		fit->b[0] = (double)powl(10, offset);
	if (sums->curve == PERUN_CURVE_EXPONENTIAL)
		fit->b[1] = (double)powl(10, slope);
}

/* In u = x - x0 and v = y - y0, and moved back. */
static bool finish_quadratic(const struct perun_fit_sums *sums, struct perun_fit *fit)
{
	long double n = sums->used, c0, c1, c2, residual;
	long double sxx = sums->xx - sums->x * sums->x / n;
	long double sxy = sums->xy - sums->x * sums->y / n;
	long double sxx2 = sums->xxx - sums->xx * sums->x / n;
	long double sx2y = sums->xxy - sums->xx * sums->y / n;
	long double sx2x2 = sums->xxxx - sums->xx * sums->xx / n;
	long double syy = sums->yy - sums->y * sums->y / n;
	long double determinant = sxx * sx2x2 - sxx2 * sxx2;

	/* Fewer than three different x leave nothing but rounding. */
	if (!(determinant > sxx * sx2x2 * 1e-15L))
		return false;
	c2 = (sx2y * sxx - sxy * sxx2) / determinant;
	c1 = (sxy * sx2x2 - sx2y * sxx2) / determinant;
	c0 = (sums->y - c1 * sums->x - c2 * sums->xx) / n;
	residual = syy - c1 * sxy - c2 * sx2y;
	fit->coefficients = 3;
	fit->b[0] = (double)(sums->y0 + c0 - c1 * sums->x0 + c2 * sums->x0 * sums->x0);
	fit->b[1] = (double)(c1 - 2 * c2 * sums->x0);
	fit->b[2] = (double)c2;
	fit->r_square = (double)(1 - divide(residual, syy));
	return true;
}

bool perun_fit_finish(const struct perun_fit_sums *sums, struct perun_fit *fit)
{
	*fit = (struct perun_fit){.curve = sums->curve,
				  .x_start = sums->x_start,
				  .x_end = sums->x_end,
				  .used = sums->used};
	if (sums->used == 0)
		return false;
	if (sums->curve == PERUN_CURVE_QUADRATIC)
		return finish_quadratic(sums, fit);
	finish_line(sums, fit);
	return true;
}

void perun_fit_constant(const struct perun_fit *line, const struct perun_fit_sums *sums,
			struct perun_fit *fit)
{
	double angle = atan2(fabs(line->b[1] * line->x_end), fabs(line->x_end - line->x_start));
	double share = angle / 90;

	*fit = *line;
	fit->curve = PERUN_CURVE_CONSTANT;
	fit->coefficients = 2;
	fit->b[0] = (double)(sums->y0 + sums->y / (long double)sums->used);
	fit->b[1] = 0;
	fit->r_square = share > 0.01 ? line->r_square * (1 - share) : 1 - line->r_square;
	fit->r_square = fmin(1, fmax(0, fit->r_square));
}

bool perun_fit_curve(enum perun_curve curve, const double *x, const double *y, size_t count,
		     struct perun_fit *fit)
{
	struct perun_fit_sums sums;
	struct perun_fit line;

	perun_fit_start(&sums, curve == PERUN_CURVE_CONSTANT ? PERUN_CURVE_LINEAR : curve);
	perun_fit_add(&sums, x, y, count);
	if (!perun_fit_finish(&sums, curve == PERUN_CURVE_CONSTANT ? &line : fit))
		return false;
	if (curve == PERUN_CURVE_CONSTANT)
		perun_fit_constant(&line, &sums, fit);
	return true;
}
