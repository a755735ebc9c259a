/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting curves to the difference of two models. */
#include <config.h>

#include <math.h>

#include <perun/lib/regression.h>

#include "checks/common/fit.h"

#define EXACT 1e-12 /* how far the R squared of an exact fit may be from 1 */

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

const char *checks_best_kind(const double *x, const double *y, size_t count)
{
	/* The first of equals is taken. */
	static const enum perun_curve curves[] = {PERUN_CURVE_EXPONENTIAL, PERUN_CURVE_LINEAR,
						  PERUN_CURVE_LOGARITHMIC, PERUN_CURVE_POWER,
						  PERUN_CURVE_QUADRATIC,   PERUN_CURVE_CONSTANT};
	enum { COUNT = sizeof curves / sizeof *curves };
	enum perun_curve best = PERUN_CURVE_CONSTANT;
	double r_square[COUNT], highest = -INFINITY, plain, best_plain = -INFINITY;

	for (size_t i = 0; i < COUNT; i++) {
		struct perun_fit fit;

		r_square[i] = perun_fit_curve(curves[i], x, y, count, &fit) ? fit.r_square : NAN;
		highest = fmax(highest, r_square[i]);
	}
	for (size_t i = 0; i < COUNT; i++) {
		if (!(r_square[i] >= perun_fit_tie(highest)))
			continue;
		plain = perun_fit_plain_r_square(curves[i], x, y, count);
		if (plain > best_plain) {
			best = curves[i];
			best_plain = plain;
		}
	}
	return perun_curve_name(best);
}

bool checks_kind_is_exact(const char *kind, const double *x, const double *y, size_t count)
{
	enum perun_curve curve = perun_curve_from_name(kind);
	struct perun_fit fit;

	return curve != PERUN_CURVES && perun_fit_curve(curve, x, y, count, &fit) &&
	       fit.r_square >= 1 - EXACT;
}
