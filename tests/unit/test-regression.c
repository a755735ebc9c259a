/* SPDX-License-Identifier: BSD-3-Clause */
/* Curves through points: exact ones, numbers worked out by hand, and large ones. */
#include <math.h>

#include "perun/lib/regression.h"
#include "tests/unit/check.h"

static void check_near(double got, double want, double relative)
{
	CHECK(fabs(got - want) <= relative * fmax(1e-300, fabs(want)));
}

TEST(test_exact_curves)
{
	static const double b[PERUN_CURVES][3] = {[PERUN_CURVE_LOGARITHMIC] = {2, 3},
						  [PERUN_CURVE_LINEAR] = {-4, 1.5},
						  [PERUN_CURVE_QUADRATIC] = {7, -2, 0.25},
						  [PERUN_CURVE_POWER] = {3, 1.75},
						  [PERUN_CURVE_EXPONENTIAL] = {5, 1.1}};
	double x[20], y[20];

	for (int curve = PERUN_CURVE_LOGARITHMIC; curve < PERUN_CURVES; curve++) {
		struct perun_fit fit;

		for (int i = 0; i < 20; i++) {
			x[i] = i + 1;
			y[i] = perun_curve_value((enum perun_curve)curve, b[curve], x[i]);
		}
		CHECK(perun_fit_curve((enum perun_curve)curve, x, y, 20, &fit));
		for (unsigned k = 0; k < fit.coefficients; k++)
			check_near(fit.b[k], b[curve][k], 1e-10);
		check_near(fit.r_square, 1, 1e-12);
		CHECK(fit.x_start == 1 && fit.x_end == 20 && fit.used == 20);
	}
}

/* x = 1 2 3 4, y = 2 3 5 4: Sxy = 4, Sxx = 5, Syy = 5, so b1 = 0.8, b0 = 1.5, R squared = 0.64. */
TEST(test_by_hand)
{
	const double x[] = {1, 2, 3, 4}, y[] = {2, 3, 5, 4};
	struct perun_fit fit;

	CHECK(perun_fit_curve(PERUN_CURVE_LINEAR, x, y, 4, &fit));
	check_near(fit.b[0], 1.5, 1e-14);
	check_near(fit.b[1], 0.8, 1e-14);
	check_near(fit.r_square, 0.64, 1e-14);
	/* The constant: atan2(0.8 * 4, 3) / 90 = 0.009084 is not above 0.01. */
	CHECK(perun_fit_curve(PERUN_CURVE_CONSTANT, x, y, 4, &fit));
	check_near(fit.b[0], 3.5, 1e-14);
	check_near(fit.r_square, 0.36, 1e-12);
}

/* Far from 0, naive sums of squares have no digit left. */
TEST(test_large_numbers)
{
	double x[100], y[100];
	struct perun_fit fit;

	for (int i = 0; i < 100; i++) {
		x[i] = 1e9 + i;
		y[i] = 1e12 + 3.0 * i;
	}
	CHECK(perun_fit_curve(PERUN_CURVE_LINEAR, x, y, 100, &fit));
	check_near(fit.b[1], 3, 1e-12);
	check_near(perun_curve_value(PERUN_CURVE_LINEAR, fit.b, 1e9 + 50), 1e12 + 150, 1e-12);
	CHECK(perun_fit_curve(PERUN_CURVE_QUADRATIC, x, y, 100, &fit));
	check_near(fit.b[1], 3, 1e-3);
}

/* Squares of these are no doubles. Each y is scaled, too, so that 1e-300 can be told from 0. */
TEST(test_extreme_numbers)
{
	static const double scales[][2] = {
		{1, 1e300}, {1e300, 1}, {1e300, 1e300}, {1e-300, 1e-300}};
	double x[14], y[14], values[14];
	struct perun_fit fit;

	for (int s = 0; s < 4; s++) {
		for (int i = 0; i < 14; i++) {
			x[i] = (i + 1) * scales[s][0];
			y[i] = (2 + 3 * (i + 1) + (i % 2)) * scales[s][1];
		}
		CHECK(perun_fit_curve(PERUN_CURVE_LINEAR, x, y, 14, &fit));
		check_near(fit.b[1] / scales[s][1] * scales[s][0], 3.0153846153846153, 1e-12);
		check_near(fit.r_square, 0.9983367983367984, 1e-12);
		perun_curve_values(PERUN_CURVE_LINEAR, fit.b, x, 14, values);
		CHECK(values[13] == perun_curve_value(PERUN_CURVE_LINEAR, fit.b, x[13]));
		check_near(values[13] / scales[s][1], 44.6, 1e-12);
		if (perun_fit_curve(PERUN_CURVE_QUADRATIC, x, y, 14, &fit))
			CHECK(fit.r_square >= 0.998 && fit.r_square <= 1);
	}
	CHECK(perun_fit_curve(PERUN_CURVE_CONSTANT, x, y, 14, &fit));
	check_near(fit.b[0] / 1e-300, 25, 1e-12);
}

TEST(test_points_without_logarithm)
{
	const double x[] = {-1, 0, 1, 10, 100}, y[] = {9, 9, 0, 1, 2};
	struct perun_fit fit;
	double none = -5;

	CHECK(perun_fit_curve(PERUN_CURVE_LOGARITHMIC, x, y, 5, &fit));
	CHECK_INT(fit.used, 3);
	check_near(fit.b[1], 1 / log(10), 1e-12);
	/* The range begins with the first point in any case. */
	CHECK(fit.x_start == -1 && fit.x_end == 100);
	CHECK(!perun_fit_curve(PERUN_CURVE_POWER, &none, &none, 1, &fit));
	CHECK(!perun_fit_curve(PERUN_CURVE_QUADRATIC, x, y, 2, &fit));
}

/* One x only: no slope can be told, and nothing is infinite. */
TEST(test_one_place)
{
	const double x[] = {5, 5, 5}, y[] = {1, 2, 3};
	struct perun_fit fit;

	CHECK(perun_fit_curve(PERUN_CURVE_LINEAR, x, y, 3, &fit));
	CHECK(fit.b[1] == 0 && fit.b[0] == 2 && fit.r_square == 0);
}

TEST(test_steps_are_the_whole)
{
	double x[64], y[64];
	struct perun_fit_sums sums;
	struct perun_fit at_once, in_steps;

	for (int i = 0; i < 64; i++) {
		x[i] = (i * 37) % 64 + 1;
		y[i] = sqrt(x[i]) + (i * 11) % 7;
	}
	for (int curve = PERUN_CURVE_LOGARITHMIC; curve < PERUN_CURVES; curve++) {
		CHECK(perun_fit_curve((enum perun_curve)curve, x, y, 64, &at_once));
		perun_fit_start(&sums, (enum perun_curve)curve);
		for (int i = 0; i < 64; i += 8)
			perun_fit_add(&sums, x + i, y + i, 8);
		CHECK(perun_fit_finish(&sums, &in_steps));
		check_near(in_steps.b[0], at_once.b[0], 1e-12);
		check_near(in_steps.r_square, at_once.r_square, 1e-12);
	}
}

/* Plain sums say the same of points that are near 0. */
TEST(test_plain)
{
	const double x[] = {1, 2, 3, 4, 5}, y[] = {2, 3, 5, 4, 9};

	for (int curve = PERUN_CURVE_CONSTANT; curve < PERUN_CURVES; curve++) {
		struct perun_fit fit;

		CHECK(perun_fit_curve((enum perun_curve)curve, x, y, 5, &fit));
		check_near(perun_fit_plain_r_square((enum perun_curve)curve, x, y, 5), fit.r_square,
			   1e-9);
	}
	CHECK(perun_fit_tie(0.5) == 0.5 && perun_fit_tie(1) < 1);
	CHECK(isnan(perun_fit_plain_r_square(PERUN_CURVE_POWER, x, y, 0)));
}

CHECK_MAIN(, )
