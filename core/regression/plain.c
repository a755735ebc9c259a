/* SPDX-License-Identifier: BSD-3-Clause */
/* R squared by plain sums, as the Python program computes it. */
#include <math.h>

#include "perun/lib/regression.h"

static double divide(double dividend, double divisor)
{
	return dividend / (divisor != 0 ? divisor : 1e-6);
}

/* Of a straight line, with logarithms to the base of `log_x` and `log_y` (NULL = none). */
static double line(double (*log_x)(double), double (*log_y)(double), const double *x,
		   const double *y, size_t count, double *slope)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, root, of_x, of_xy, of_y, explained;
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		double u = log_x ? log_x(x[i]) : x[i], v = log_y ? log_y(y[i]) : y[i];

		if (!isfinite(u) || !isfinite(v))
			continue;
		sx += u;
		sy += v;
		sxx += u * u;
		sxy += u * v;
		syy += v * v;
		used++;
	}
	if (used == 0)
		return NAN;
	root = sqrt((double)used);
	of_xy = sxy - (sx / root) * (sy / root);
	of_x = sxx - (sx / root) * (sx / root);
	of_y = syy - (sy / root) * (sy / root);
	*slope = divide(of_xy, of_x);
	explained = divide(of_xy, sqrt(of_x)); /* NaN: there is no line */
	return divide(explained * explained, of_y);
}

static double quadratic(const double *x, const double *y, size_t count)
{
	double n = (double)count, sx = 0, sy = 0, sxx = 0, sxxx = 0, sxxxx = 0, sxy = 0, sxxy = 0;
	double syy = 0, of_x, of_xy, of_xx, of_xxy, of_xxxx, determinant, b0, b1, b2;

	for (size_t i = 0; i < count; i++) {
		double square = x[i] * x[i];

		sx += x[i];
		sy += y[i];
		sxx += square;
		sxxx += square * x[i];
		sxxxx += square * square;
		sxy += x[i] * y[i];
		sxxy += square * y[i];
		syy += y[i] * y[i];
	}
	of_x = sxx - sx * sx / n;
	of_xy = sxy - sx * sy / n;
	of_xx = sxxx - sxx * sx / n;
	of_xxy = sxxy - sxx * sy / n;
	of_xxxx = sxxxx - sxx * sxx / n;
	determinant = of_x * of_xxxx - of_xx * of_xx;
	b2 = (of_xxy * of_x - of_xy * of_xx) / determinant;
	b1 = (of_xy * of_xxxx - of_xxy * of_xx) / determinant;
	b0 = (sy - b1 * sx - b2 * sxx) / n;
	return 1 - divide(syy - b0 * sy - b1 * sxy - b2 * sxxy, syy - sy * sy / n);
}

double perun_fit_plain_r_square(enum perun_curve curve, const double *x, const double *y,
				size_t count)
{
	struct perun_fit fit = {0}, constant;
	struct perun_fit_sums sums;
	double slope;

	switch (curve) {
	case PERUN_CURVE_LOGARITHMIC:
		return line(log, NULL, x, y, count, &slope);
	case PERUN_CURVE_LINEAR:
		return line(NULL, NULL, x, y, count, &slope);
	case PERUN_CURVE_QUADRATIC:
		return quadratic(x, y, count);
	case PERUN_CURVE_POWER:
		return line(log10, log10, x, y, count, &slope);
	case PERUN_CURVE_EXPONENTIAL:
		return line(NULL, log10, x, y, count, &slope);
	default:
		break;
	}
	/* A constant, from the line. */
	perun_fit_start(&sums, PERUN_CURVE_LINEAR);
	perun_fit_add(&sums, x, y, count);
	if (!perun_fit_finish(&sums, &fit))
		return NAN;
	fit.r_square = line(NULL, NULL, x, y, count, &fit.b[1]);
	perun_fit_constant(&fit, &sums, &constant);
	return constant.r_square;
}

double perun_fit_tie(double best)
{
	return best >= 1 - 1e-6 ? best - 1e-6 : best;
}
