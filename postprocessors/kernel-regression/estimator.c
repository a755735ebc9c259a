/* SPDX-License-Identifier: BSD-3-Clause */
/* The estimator with a Gaussian kernel, as statsmodels' KernelReg, and its bandwidth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/query.h>

#include "kernel-regression.h"

/* The level of the line through the neighbours; of the shortest solution where there is no line. */
static double level_of_line(const struct kernelregression_sums *sums)
{
	double determinant = sums->w * sums->xx - sums->x * sums->x, trace = sums->w + sums->xx;

	if (fabs(determinant) > KERNELREGRESSION_NO_LINE * trace * trace)
		return (sums->xx * sums->y - sums->x * sums->xy) / determinant;
	return (sums->w * sums->y + sums->x * sums->xy) / (trace * trace);
}

/* The values at all points; returns the trace of the matrix of weights: what each point contributes to itself. */
static double estimate(const struct kernelregression_points *points,
		       enum kernelregression_type type, double bandwidth, bool leave_out,
		       struct kernelregression_sums *sums, double *out)
{
	double trace = 0;

	kernelregression_add_up(points, bandwidth, leave_out, sums);
	for (size_t at = 0; at < points->count; at++) {
		out[at] = type == KERNELREGRESSION_LOCAL_LINEAR ? level_of_line(&sums[at])
								: sums[at].y / sums[at].w;
		trace += 1 / sums[at].w;
	}
	return trace;
}

void kernelregression_estimate(const struct kernelregression_points *points,
			       enum kernelregression_type type, double bandwidth, double *out)
{
	struct kernelregression_sums *sums = perun_alloc((points->count + 1) * sizeof *sums);

	estimate(points, type, bandwidth, false, sums, out);
	perun_free(sums);
}

/* ---- bandwidths ------------------------------------------------------------------------------- */

struct search {
	struct perun_ctx *ctx;
	const struct kernelregression_points *points;
	enum kernelregression_type type;
	bool by_aic;
	struct kernelregression_sums *sums; /* room for those of all points, */
	double *values;                     /* and for what is estimated */
};

static double squared_error(const struct search *search)
{
	double sum = 0;

	for (size_t i = 0; i < search->points->count; i++)
		sum += pow(search->points->y[i] - search->values[i], 2);
	return sum / (double)search->points->count;
}

static double cost(const struct search *search, double bandwidth)
{
	double n = (double)search->points->count, own;

	if (bandwidth == 0)
		return INFINITY;
	own = estimate(search->points, search->type, bandwidth, !search->by_aic, search->sums,
		       search->values);
	if (!search->by_aic)
		return squared_error(search);
	return log(squared_error(search)) + (1 + own / n) / (1 - (own + 2) / n);
}

struct vertex {
	double at, cost;
};

static void order(struct vertex simplex[2])
{
	if (simplex[1].cost < simplex[0].cost) {
		struct vertex better = simplex[1];

		simplex[1] = simplex[0];
		simplex[0] = better;
	}
}

static struct vertex try_at(const struct search *search, double at)
{
	return (struct vertex){at, cost(search, at)};
}

/* One step: the worse vertex is reflected, and that expanded or contracted, or all shrinks. */
static void step(const struct search *search, struct vertex simplex[2])
{
	double best = simplex[0].at, worst = simplex[1].at;
	struct vertex reflected = try_at(search, 2 * best - worst), other;

	if (reflected.cost < simplex[0].cost) {
		other = try_at(search, 3 * best - 2 * worst);
		simplex[1] = other.cost < reflected.cost ? other : reflected;
		return;
	}
	if (reflected.cost < simplex[1].cost)
		other = try_at(search, 1.5 * best - 0.5 * worst);
	else
		other = try_at(search, 0.5 * best + 0.5 * worst);
	if (other.cost <= (reflected.cost < simplex[1].cost ? reflected.cost : simplex[1].cost))
		simplex[1] = other;
	else
		simplex[1] = try_at(search, best + 0.5 * (worst - best));
}

/* J. Nelder, R. Mead, "A Simplex Method for Function Minimization", 1965, in one dimension. */
static int minimize(const struct search *search, double start, double *found)
{
	struct vertex simplex[2] = {try_at(search, start),
				    try_at(search, start != 0 ? start * 1.05 : 0.00025)};

	order(simplex);
	for (int i = 0; i < 200; i++) {
		if (fabs(simplex[0].at - simplex[1].at) <= 1e-4 &&
		    fabs(simplex[0].cost - simplex[1].cost) <= 1e-4)
			break;
		if (perun_cancelled(search->ctx))
			return perun_fail(search->ctx, PERUN_CANCELLED, "interrupted");
		step(search, simplex);
		order(simplex);
	}
	*found = fabs(simplex[0].at); /* the kernel is even: either side of 0 is as good */
	return PERUN_OK;
}

static double deviation(const double *x, size_t count, size_t less)
{
	long double sum = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		sum += x[i];
	sum /= (long double)count;
	for (size_t i = 0; i < count; i++)
		squares += powl(x[i] - sum, 2);
	return count > less ? (double)sqrtl(squares / (long double)(count - less)) : 0;
}

int kernelregression_find_bandwidth(struct perun_ctx *ctx,
				    const struct kernelregression_points *points,
				    enum kernelregression_type type, bool by_aic, double *bandwidth)
{
	struct search search = {ctx,
				points,
				type,
				by_aic,
				perun_alloc((points->count + 1) * sizeof *search.sums),
				perun_alloc((points->count + 1) * sizeof *search.values)};
	double start =
		1.06 * deviation(points->x, points->count, 0) * pow((double)points->count, -0.2);
	int status = minimize(&search, start, bandwidth);

	perun_free(search.sums);
	perun_free(search.values);
	return status;
}

static double spread(const double *x, size_t count)
{
	double own = deviation(x, count, 1);
	double quartiles = (perun_quantile_of_sorted(x, count, 0.75) -
			    perun_quantile_of_sorted(x, count, 0.25)) /
			   1.349;

	return quartiles > 0 && quartiles < own ? quartiles : own;
}

/* Of sorted values, as SciPy's mquantiles(). */
static double cunnane_quantile(const double *x, size_t count, double share)
{
	double at = (double)count * share + 0.4 + 0.2 * share;
	double whole = fmin(fmax(floor(at), 1), fmax((double)count - 1, 1));
	double part = fmin(fmax(at - whole, 0), 1);
	size_t i = (size_t)whole;

	return i >= count ? x[count - 1] : (1 - part) * x[i - 1] + part * x[i];
}

double kernelregression_unit(const double *x, size_t count, size_t size)
{
	double quartiles = (cunnane_quantile(x, count, 0.75) - cunnane_quantile(x, count, 0.25));

	return fmin(deviation(x, count, 0), quartiles / 1.349) * pow((double)size, -0.2);
}

double kernelregression_rule_of_thumb(const struct kernelregression_points *points, bool silverman)
{
	return (silverman ? 0.9 : 1.059) * spread(points->x, points->count) *
	       pow((double)points->count, -0.2);
}

double kernelregression_covariance_bandwidth(const struct kernelregression_points *points,
					     bool silverman)
{
	double n = (double)points->count;

	return deviation(points->x, points->count, 1) * pow(silverman ? 0.75 * n : n, -0.2);
}
