/* SPDX-License-Identifier: BSD-3-Clause */
/* Regression without a formula: each point's value from its neighbours, weighted by a kernel. */
#ifndef KERNEL_REGRESSION_H
#define KERNEL_REGRESSION_H

#include <perun/context.h>

/* Points in order of x. What is made of them is incomplete when `ctx` is cancelled. */
struct kernelregression_points {
	struct perun_ctx *ctx;
	const double *x, *y;
	size_t count;
};

/* ---- sums with a Gaussian kernel --------------------------------------------------------------------- */

/* Over all points i, seen from x: of the weights w = exp(-(x_i - x)^2 / 2 h^2), w (x_i - x), w (x_i - x)^2, w y_i, w y_i (x_i - x). */
struct kernelregression_sums {
	double w, x, xx, y, xy;
};

/* The sums at each point, with or without the point itself. */
void kernelregression_add_up(const struct kernelregression_points *points, double bandwidth,
			     bool leave_out, struct kernelregression_sums *out);

/* A line is taken for a point where the determinant is less than this times the squared trace. */
#define KERNELREGRESSION_NO_LINE 1e-14

/* ---- clusters of points --------------------------------------------------------------------- */

/* A point with the weight root^2; `value` is its y times the root. */
struct kernelregression_node {
	double x, root, value;
};

/* Many points as few, for kernels with this bandwidth or a larger one. */
struct kernelregression_clusters;
struct kernelregression_clusters *
kernelregression_clusters_new(const struct kernelregression_points *points, double bandwidth);
void kernelregression_clusters_free(struct kernelregression_clusters *clusters);
/*
 * All within `reach` of x, and some beyond, in order; valid until the next call. A kernel that has edges, at x and at its
 * reach, gets the points themselves there.
 */
const struct kernelregression_node *
kernelregression_gather(struct kernelregression_clusters *clusters, double x, double reach,
			bool has_edges, size_t *count);

/* ---- the estimator: a Gaussian kernel ----------------------------------------------------------- */

enum kernelregression_type {
	KERNELREGRESSION_LOCAL_CONSTANT, /* E. Nadaraya, "On Estimating Regression", 1964 */
	KERNELREGRESSION_LOCAL_LINEAR    /* J. Fan, "Local Linear Regression Smoothers …", 1993 */
};

/* The values at all points. */
void kernelregression_estimate(const struct kernelregression_points *points,
			       enum kernelregression_type type, double bandwidth, double *out);
/*
 * The bandwidth that is best by least squares with each point left out in turn, or by the corrected
 * criterion of Akaike (C. Hurvich, J. Simonoff, C.-L. Tsai, "Smoothing parameter selection in
 * nonparametric regression …", 1998); found by the method of Nelder and Mead from 1.06 times the
 * standard deviation times n^-0.2. Fails when cancelled.
 */
int kernelregression_find_bandwidth(struct perun_ctx *ctx,
				    const struct kernelregression_points *points,
				    enum kernelregression_type type, bool by_aic,
				    double *bandwidth);
/* Rules of thumb of D. Scott and B. Silverman: 1.059 or 0.9 times the spread times n^-0.2. */
double kernelregression_rule_of_thumb(const struct kernelregression_points *points, bool silverman);
/*
 * What a bandwidth is in proportion to, by statsmodels' efficient estimation: the lesser of the standard
 * deviation and the quartiles' distance over 1.349 (quartiles as of A. Cunnane, 1978), times size^-0.2.
 */
double kernelregression_unit(const double *x, size_t count, size_t size);

/* ---- smoothing ----------------------------------------------------------------------------------- */

struct kernelregression_kernel {
	const char *name;
	double (*weight)(double z);
	double reach;      /* the weight beyond changes nothing */
	bool has_edges;    /* no smooth function at 0 and at its reach */
	bool has_negative; /* some weights are negative */
};
/* epanechnikov, tricube, normal, epanechnikov4, normal4; NULL when unknown. */
const struct kernelregression_kernel *kernelregression_find_kernel(const char *name);

void kernelregression_spatial_average(const struct kernelregression_points *points,
				      const struct kernelregression_kernel *kernel,
				      double bandwidth, double *out);
/* With a Gaussian kernel. */
void kernelregression_local_linear(const struct kernelregression_points *points, double bandwidth,
				   double *out);
/* Where the points within the bandwidth are too few for the degree it is widened, by 1 each time. */
enum { KERNELREGRESSION_DEGREE = 20 };
void kernelregression_local_polynomial(const struct kernelregression_points *points,
				       const struct kernelregression_kernel *kernel,
				       unsigned degree, double bandwidth, double *out);
/* From the variance: sqrt(var n^-0.4), or with 3n/4 for n. */
double kernelregression_covariance_bandwidth(const struct kernelregression_points *points,
					     bool silverman);

/* ---- ridge --------------------------------------------------------------------------------------- */

/*
 * Weights exp(-gamma (x_i - x_j)^2): of gammas from `low` to below `high` that whose values without the
 * point itself are nearest. Returns it.
 */
double kernelregression_ridge(const struct kernelregression_points *points, double low, double high,
			      double step, double *out);

#endif
