/* SPDX-License-Identifier: BSD-3-Clause */
/* Curves of models: points of two that can be compared, integrals, and what a difference is called. */
#ifndef CHECKS_CURVES_H
#define CHECKS_CURVES_H

#include "checks/common/models.h"

/* Values of two models at the same number of places; `x` are those of the baseline. */
struct checks_points {
	size_t count;
	double *x, *before, *after;
};

/*
 * Parametric models: 1000 points of each over its own interval. Others: their values, as many as the
 * shorter one has; but where two regressograms have different numbers of buckets, that of the target
 * is made again from its resources with as many as the baseline has. One of each: the parametric one
 * at the places of the other. Fails (PERUN_INPUT) when a model has neither coefficients nor values.
 * Free with checks_points_free().
 */
int checks_points_of(struct perun_ctx *ctx, const struct checks_pair *pair,
		     struct checks_points *points);
void checks_points_free(struct checks_points *points);

/*
 * `count` points of a parametric model over its own interval. An x closer to 0 than 1e-6 is taken for
 * 1e-6, where logarithms and powers are defined. The caller frees the arrays.
 */
int checks_curve(struct perun_ctx *ctx, const struct checks_model *model, size_t count, double **x,
		 double **y);

/*
 * The integral of a parametric model over its own interval, in closed form; NaN without one. As in the
 * Python program, that of a logarithmic model is of b0 + b1 x, not of b0 + b1 ln x.
 */
double checks_integral(const struct perun_model *model);
/* The parabola through three points: its integral is share * (y0 * left + y1 * middle + y2 * right). */
struct checks_parabola {
	double share, left, middle, right; /* all 0 where points lie at the same place */
};
/* Those through the points i, i + 1, i + 2 for each i < count - 2; `parabolas` has room for `count`. */
void checks_parabolas(const double *x, size_t count, struct checks_parabola *parabolas);
/*
 * Simpson's rule over points that need not be evenly spaced; with an even number of points the mean
 * of leaving the last and leaving the first interval to the trapezoid rule. 0 for fewer than two. Of two
 * curves over the same points. The second one for whoever knows the parabolas already.
 */
void checks_simpson(const double *x, const double *one, const double *other, size_t count,
		    double integrals[2]);
void checks_simpson_by(const struct checks_parabola *parabolas, const double *x, const double *one,
		       const double *other, size_t count, double integrals[2]);

/* (after - before) / before, by checks_divide(). */
double checks_relative(double before, double after);
/*
 * No change up to `small`, a possible change up to `large` (of the absolute value), else a change; up
 * is a degradation. NaN is unknown.
 */
enum perun_result checks_classify(double relative, double small, double large);

#endif
