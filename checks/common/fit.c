/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting curves to the difference of two models. */
#include <config.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <perun/context.h>

#include "checks/common/curves.h"
#include "checks/common/fit.h"

static double mean_of(const double *values, size_t count)
{
	long double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? (double)(sum / (long double)count) : 0;
}

struct checks_line checks_fit_line(const double *x, const double *y, size_t count)
{
	double mx = mean_of(x, count), my = mean_of(y, count);
	double xx = 0, xy = 0, yy = 0;
	struct checks_line line = {0};

	for (size_t i = 0; i < count; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		xy += (x[i] - mx) * (y[i] - my);
		yy += (y[i] - my) * (y[i] - my);
	}
	line.slope = xx == 0 ? 0 : xy / xx;
	line.intercept = my - line.slope * mx;
	line.r_square = xx == 0 || yy == 0 ? 0 : xy * xy / (xx * yy);
	return line;
}

double checks_polynomial_residual(const double *x, const double *y, size_t count, unsigned degree)
{
	double *rest = perun_alloc_zero(count + 1, sizeof *rest);
	double *last = perun_alloc_zero(count + 1, sizeof *last); /* polynomial n - 1 */
	double *next = perun_alloc_zero(count + 1, sizeof *next);
	double center = mean_of(x, count), reach = 0, last_square = 1, sum = 0;

	for (size_t i = 0; i < count; i++)
		reach = fmax(reach, fabs(x[i] - center));
	for (size_t i = 0; i < count; i++) {
		rest[i] = y[i];
		next[i] = 1;
	}
	for (unsigned n = 0; n <= degree; n++) {
		double square = 0, share = 0, shift = 0;

		for (size_t i = 0; i < count; i++) {
			square += next[i] * next[i];
			share += next[i] * rest[i];
			shift += next[i] * next[i] * (x[i] - center) / (reach == 0 ? 1 : reach);
		}
		if (square <= 1e-24 * (double)count) /* no such degree in so few points */
			break;
		for (size_t i = 0; i < count; i++) {
			double t = (x[i] - center) / (reach == 0 ? 1 : reach);
			double following = (t - shift / square) * next[i];

			if (n > 0)
				following -= square / last_square * last[i];
			rest[i] -= share / square * next[i];
			last[i] = next[i];
			next[i] = following;
		}
		last_square = square;
	}
	for (size_t i = 0; i < count; i++)
		sum += rest[i] * rest[i];
	perun_free(rest);
	perun_free(last);
	perun_free(next);
	return sum;
}

double checks_polynomial_r_square(const double *x, const double *y, size_t count, unsigned degree)
{
	double total = checks_polynomial_residual(x, y, count, 0);

	return total == 0 ? 0 : 1 - checks_polynomial_residual(x, y, count, degree) / total;
}

/* ---- the kinds of regression-analysis -------------------------------------------------------- */

enum axis { AS_IS, NATURAL, DECIMAL };

static double on_axis(double value, enum axis axis)
{
	if (axis == AS_IS)
		return value;
	if (!(value > 0))
		return NAN;
	return axis == NATURAL ? log(value) : log10(value);
}

/* Of a line through points on the axes of a kind; points that have no logarithm are left out. */
static double line_r_square(const double *x, const double *y, size_t count, enum axis x_axis,
			    enum axis y_axis, double *slope)
{
	double *fx = perun_alloc_zero(count + 1, sizeof *fx);
	double *fy = perun_alloc_zero(count + 1, sizeof *fy);
	double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, mx, my;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		fx[n] = on_axis(x[i], x_axis);
		fy[n] = on_axis(y[i], y_axis);
		n += !isnan(fx[n]) && !isnan(fy[n]);
	}
	mx = mean_of(fx, n);
	my = mean_of(fy, n);
	for (size_t i = 0; i < n; i++) {
		sx = fx[i] - mx;
		sy = fy[i] - my;
		sxx += sx * sx;
		sxy += sx * sy;
		syy += sy * sy;
	}
	perun_free(fx);
	perun_free(fy);
	*slope = checks_divide(sxy, sxx);
	return n < 2 ? 0 : checks_divide(checks_divide(sxy * sxy, sxx), syy);
}

/* The constant model's r_square, from the angle of the linear one. */
static double constant_r_square(const double *x, size_t count, double slope, double linear)
{
	double from = INFINITY, to = -INFINITY, steepness, r_square;

	for (size_t i = 0; i < count; i++) {
		from = fmin(from, x[i]);
		to = fmax(to, x[i]);
	}
	steepness = atan2(fabs(slope * to), fabs(to - from)) / 90;
	r_square = steepness > 0.01 ? linear * (1 - steepness) : 1 - linear;
	return fmin(fmax(r_square, 0), 1);
}

const char *checks_best_kind(const double *x, const double *y, size_t count)
{
	/* Rounding makes an r_square that is 1 differ from kind to kind by less than this. */
	const double noise = 1e-12;
	double slope, unused;
	double linear = line_r_square(x, y, count, AS_IS, AS_IS, &slope);
	const struct {
		const char *kind;
		double r_square;
	} kinds[] = {
		{"quadratic", checks_polynomial_r_square(x, y, count, 2)},
		{"linear", linear},
		{"exponential", line_r_square(x, y, count, AS_IS, DECIMAL, &unused)},
		{"logarithmic", line_r_square(x, y, count, NATURAL, AS_IS, &unused)},
		{"power", line_r_square(x, y, count, DECIMAL, DECIMAL, &unused)},
		{"constant", constant_r_square(x, count, slope, linear)},
	};
	size_t best = 0;

	for (size_t i = 1; i < sizeof kinds / sizeof *kinds; i++) {
		if (kinds[i].r_square > kinds[best].r_square + noise)
			best = i;
	}
	return kinds[best].kind;
}
