/* SPDX-License-Identifier: BSD-3-Clause */
/* Smoothing with kernels of several kinds, and with the weights of a ridge. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-regression.h"

/* ---- kernels of variance 1, and of higher order ----------------------------------------------- */

static double epanechnikov(double z)
{
	return z * z < 5 ? 0.75 / sqrt(5) * (1 - z * z / 5) : 0;
}

static double tricube(double z)
{
	double scale = sqrt(35.0 / 243), at = fabs(scale * z);

	return at < 1 ? 70.0 / 81 * scale * pow(1 - at * at * at, 3) : 0;
}

static double normal(double z)
{
	return exp(-0.5 * z * z) / sqrt(2 * M_PI);
}

static double epanechnikov4(double z)
{
	return fabs(z) <= 1 ? 9.0 / 8 - 15.0 / 8 * z * z : 0;
}

static double normal4(double z)
{
	return normal(z) * (3 - z * z) / 2;
}

const struct kernelregression_kernel *kernelregression_find_kernel(const char *name)
{
	/* The normal one is less than 1e-80 at 20. */
	static const struct kernelregression_kernel kernels[] = {
		{"epanechnikov", epanechnikov, 2.23606797749979, true, false},
		{"tricube", tricube, 2.635231383473649, true, false},
		{"normal", normal, 20, false, false},
		{"epanechnikov4", epanechnikov4, 1, true, true},
		{"normal4", normal4, 20, false, true}};

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		if (strcmp(kernels[i].name, name) == 0)
			return &kernels[i];
	}
	return NULL;
}

/* ---- averages and lines ----------------------------------------------------------------------- */

static double average_at(struct kernelregression_clusters *clusters,
			 const struct kernelregression_kernel *kernel, double bandwidth, double x)
{
	double sum = 0, weights = 0;
	size_t count;
	const struct kernelregression_node *nodes = kernelregression_gather(
		clusters, x, kernel->reach * bandwidth, kernel->has_edges, &count);

	for (size_t i = 0; i < count; i++) {
		double weight = kernel->weight((nodes[i].x - x) / bandwidth) * nodes[i].root;

		weights += weight * nodes[i].root;
		sum += weight * nodes[i].value;
	}
	return weights != 0 ? sum / weights : 0;
}

void kernelregression_spatial_average(const struct kernelregression_points *points,
				      const struct kernelregression_kernel *kernel,
				      double bandwidth, double *out)
{
	struct kernelregression_clusters *clusters =
		kernelregression_clusters_new(points, bandwidth);

	for (size_t at = 0; at < points->count && !perun_cancelled(points->ctx); at++) {
		if (at && points->x[at] == points->x[at - 1])
			out[at] = out[at - 1];
		else
			out[at] = average_at(clusters, kernel, bandwidth, points->x[at]);
	}
	kernelregression_clusters_free(clusters);
}

void kernelregression_local_linear(const struct kernelregression_points *points, double bandwidth,
				   double *out)
{
	struct kernelregression_sums *all = perun_alloc((points->count + 1) * sizeof *all);

	kernelregression_add_up(points, bandwidth, false, all);
	for (size_t at = 0; at < points->count; at++) {
		const struct kernelregression_sums sums = all[at];
		double determinant = sums.w * sums.xx - sums.x * sums.x;

		out[at] = determinant != 0 ? (sums.xx * sums.y - sums.x * sums.xy) / determinant
					   : sums.y / sums.w;
	}
	perun_free(all);
}

/* ---- polynomials ------------------------------------------------------------------------------ */

enum { TERMS = KERNELREGRESSION_DEGREE + 1 };

/*
 * Weighted rows go one after the other into a triangle by the rotations of W. Givens (1958), of which
 * the polynomial's level is read: no normal equations, which lose half of the digits.
 */
static void rotate(long double triangle[TERMS][TERMS + 1], size_t terms, long double *row)
{
	for (size_t k = 0; k < terms; k++) {
		long double above = triangle[k][k], length = sqrtl(above * above + row[k] * row[k]),
			    c, s;

		if (row[k] == 0)
			continue;
		c = triangle[k][k] / length;
		s = row[k] / length;
		for (size_t i = k; i <= terms; i++) {
			above = triangle[k][i];
			triangle[k][i] = c * above + s * row[i];
			row[i] = c * row[i] - s * above;
		}
	}
}

/* A diagonal below `least` times its largest is taken for 0. */
static bool solve(long double triangle[TERMS][TERMS + 1], size_t terms, long double least,
		  double *level)
{
	long double answer[TERMS], largest = 0;

	for (size_t k = 0; k < terms; k++)
		largest = fmaxl(largest, fabsl(triangle[k][k]));
	for (size_t k = terms; k-- > 0;) {
		if (!(fabsl(triangle[k][k]) > largest * least))
			return false;
		answer[k] = triangle[k][terms];
		for (size_t i = k + 1; i < terms; i++)
			answer[k] -= triangle[k][i] * answer[i];
		answer[k] /= triangle[k][k];
	}
	*level = (double)answer[0];
	return true;
}

static bool fit_by_rotations(const struct kernelregression_kernel *kernel,
			     const struct kernelregression_node *nodes, size_t count, size_t terms,
			     double bandwidth, double x, double *level)
{
	long double triangle[TERMS][TERMS + 1] = {{0}}, row[TERMS + 1];

	for (size_t i = 0; i < count; i++) {
		double z = (nodes[i].x - x) / bandwidth, weight = kernel->weight(z);
		long double power = sqrtl(weight);

		if (!(weight > 0))
			continue;
		row[terms] = power * nodes[i].value;
		power *= nodes[i].root;
		for (size_t k = 0; k < terms; k++, power *= z)
			row[k] = power;
		rotate(triangle, terms, row);
	}
	return solve(triangle, terms, 1e-13L, level);
}

/* Gauss' elimination, with the largest of a column as its pivot. */
static void eliminate(long double a[TERMS][TERMS + 1], size_t terms)
{
	for (size_t k = 0; k < terms; k++) {
		size_t pivot = k;

		for (size_t row = k + 1; row < terms; row++) {
			if (fabsl(a[row][k]) > fabsl(a[pivot][k]))
				pivot = row;
		}
		if (a[pivot][k] == 0)
			continue;
		for (size_t i = k; pivot != k && i <= terms; i++) {
			long double swap = a[k][i];

			a[k][i] = a[pivot][i];
			a[pivot][i] = swap;
		}
		for (size_t row = k + 1; row < terms; row++) {
			long double share = a[row][k] / a[k][k];

			for (size_t i = k; i <= terms; i++)
				a[row][i] -= share * a[k][i];
		}
	}
}

/* Negative weights have no roots that could be rotated: these are the normal equations. */
static bool fit_by_sums(const struct kernelregression_kernel *kernel,
			const struct kernelregression_node *nodes, size_t count, size_t terms,
			double bandwidth, double x, double *level)
{
	long double a[TERMS][TERMS + 1] = {{0}}, sums[2 * TERMS] = {0};

	for (size_t i = 0; i < count; i++) {
		double z = (nodes[i].x - x) / bandwidth;
		long double power = (long double)kernel->weight(z) * nodes[i].root;

		for (size_t k = 0; k < 2 * terms - 1; k++, power *= z) {
			sums[k] += power * nodes[i].root;
			if (k < terms)
				a[k][terms] += power * nodes[i].value;
		}
	}
	for (size_t row = 0; row < terms; row++) {
		for (size_t k = 0; k < terms; k++)
			a[row][k] = sums[row + k];
	}
	eliminate(a, terms);
	return solve(a, terms, 1e-16L, level);
}

static bool polynomial_at(struct kernelregression_clusters *clusters,
			  const struct kernelregression_kernel *kernel, unsigned degree,
			  double bandwidth, double x, double *level)
{
	/* Of a normal weight, the higher powers see more before solve() takes it for nothing. */
	double reach = fmin(kernel->reach, degree <= 3 ? 13 : 20) * bandwidth;
	size_t count;
	const struct kernelregression_node *nodes =
		kernelregression_gather(clusters, x, reach, kernel->has_edges, &count);

	return kernel->has_negative
		       ? fit_by_sums(kernel, nodes, count, degree + 1, bandwidth, x, level)
		       : fit_by_rotations(kernel, nodes, count, degree + 1, bandwidth, x, level);
}

static bool has_different(const struct kernelregression_points *points, size_t wanted)
{
	size_t found = points->count > 0;

	for (size_t i = 1; i < points->count && found < wanted; i++)
		found += points->x[i] != points->x[i - 1];
	return found >= wanted;
}

void kernelregression_local_polynomial(const struct kernelregression_points *points,
				       const struct kernelregression_kernel *kernel,
				       unsigned degree, double bandwidth, double *out)
{
	/* The higher powers change more within a cluster. */
	double accurate = degree > 5 ? bandwidth / 2 : bandwidth;
	bool found = has_different(points, degree + 1);
	double range = found ? points->x[points->count - 1] - points->x[0] : -1;
	struct kernelregression_clusters *clusters =
		kernelregression_clusters_new(points, accurate);

	for (size_t at = 0; at < points->count && !perun_cancelled(points->ctx); at++) {
		const double x = points->x[at];
		/* Once all points are well within, a wider one is no better. */
		const double widest = bandwidth + 4 * (range + 1);
		double own = bandwidth;

		if (at && found && x == points->x[at - 1]) {
			out[at] = out[at - 1];
			continue;
		}
		found = false;
		for (; !found && own <= widest && range >= 0; own += fmax(1, range / 1000))
			found = polynomial_at(clusters, kernel, degree, own, x, &out[at]);
		if (!found) /* too few different points */
			out[at] = points->y[at];
	}
	kernelregression_clusters_free(clusters);
}

/* ---- ridge ------------------------------------------------------------------------------------ */

static void ridge_values(const struct kernelregression_points *points, double gamma, bool with_self,
			 struct kernelregression_sums *sums, double *out)
{
	/* exp(-gamma d^2) is the Gaussian kernel of this bandwidth. */
	kernelregression_add_up(points, sqrt(0.5 / gamma), !with_self, sums);
	for (size_t at = 0; at < points->count; at++)
		out[at] = sums[at].y / sums[at].w;
}

double kernelregression_ridge(const struct kernelregression_points *points, double low, double high,
			      double step, double *out)
{
	double best = low, least = INFINITY;
	double count = ceil((high - low) / step);
	struct kernelregression_sums *sums = perun_alloc((points->count + 1) * sizeof *sums);

	for (double i = 0; i < count; i++) {
		double gamma = low + i * step, error = 0;

		ridge_values(points, gamma, false, sums, out);
		for (size_t k = 0; k < points->count; k++)
			error += pow(points->y[k] - out[k], 2);
		if (error < least) {
			least = error;
			best = gamma;
		}
	}
	ridge_values(points, best, true, sums, out);
	perun_free(sums);
	return best;
}
