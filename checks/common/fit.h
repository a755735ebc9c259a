/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting curves to the difference of two models. */
#ifndef CHECKS_FIT_H
#define CHECKS_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct checks_line {
	double slope, intercept, r_square;
};
/* The least squares line. A constant y has an r_square of 0. */
struct checks_line checks_fit_line(const double *x, const double *y, size_t count);

/*
 * The sum of squared residuals of the least squares polynomial of a degree (at most 3), by
 * orthogonal polynomials: G. E. Forsythe, "Generation and use of orthogonal polynomials for
 * data-fitting with a digital computer", J. SIAM 5 (1957).
 */
double checks_polynomial_residual(const double *x, const double *y, size_t count, unsigned degree);
/* 1 - that / the sum of squares around the mean; 0 for a constant y. */
double checks_polynomial_r_square(const double *x, const double *y, size_t count, unsigned degree);

/*
 * The kind of model that the postprocessor regression-analysis, method full, would find best: of
 * exponential, linear, logarithmic, power, quadratic and constant the one of the highest r_square; of
 * those that are equal but for rounding, as the Python program's sums are rounded.
 */
const char *checks_best_kind(const double *x, const double *y, size_t count);
/* Is the R squared of a model of this kind 1, but for rounding? */
bool checks_kind_is_exact(const char *kind, const double *x, const double *y, size_t count);

#endif
