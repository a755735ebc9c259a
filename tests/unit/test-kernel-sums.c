/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums with a Gaussian kernel over many points: those of a plain loop. */
#include <math.h>

#include "postprocessors/kernel-regression/kernel-regression.h"
#include "tests/unit/check.h"

enum { POINTS = 3000 };

static struct kernelregression_sums plain_sums(const struct kernelregression_points *points,
					       double bandwidth, bool leave_out, size_t at)
{
	struct kernelregression_sums sums = {0};

	for (size_t i = 0; i < points->count; i++) {
		double apart = points->x[i] - points->x[at], z = apart / bandwidth;
		double weight = leave_out && i == at ? 0 : exp(-0.5 * z * z);

		sums.w += weight;
		sums.x += weight * apart;
		sums.xx += weight * apart * apart;
		sums.y += weight * points->y[i];
		sums.xy += weight * apart * points->y[i];
	}
	return sums;
}

static bool is_near(double value, double expected, double scale)
{
	return fabs(value - expected) <= 1e-9 * (fabs(expected) + scale);
}

static void check_sums(const struct kernelregression_points *points, double bandwidth,
		       bool leave_out)
{
	static struct kernelregression_sums found[POINTS];

	kernelregression_add_up(points, bandwidth, leave_out, found);
	for (size_t at = 0; at < points->count; at += 7) {
		struct kernelregression_sums want = plain_sums(points, bandwidth, leave_out, at);
		const double w = want.w, xx = want.xx, x = sqrt(w * xx);

		CHECK(is_near(found[at].w, w, 0));
		CHECK(is_near(found[at].x, want.x, x));
		CHECK(is_near(found[at].xx, xx, w * 1e-3 * bandwidth * bandwidth));
		CHECK(is_near(found[at].y, want.y, 10 * w));
		CHECK(is_near(found[at].xy, want.xy, 10 * x));
	}
}

/* Even, with points of equal x, and with a part that is far away. */
static void make_points(int kind, int count, double *x, double *y)
{
	uint64_t random = 1;
	double at = 0;

	for (int i = 0; i < count; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		at += kind == 1 ? i % 10 == 0 : (double)(random >> 40) / (1 << 24);
		x[i] = at + (kind == 2 && i > count - 20 ? 1e4 : 0);
		y[i] = sin(at / 100) + (double)(random >> 50) / (1 << 14);
	}
}

TEST(test_sums)
{
	static double x[POINTS], y[POINTS];
	const struct kernelregression_points points = {perun_ctx_new(NULL), x, y, POINTS};

	for (int kind = 0; kind < 3; kind++) {
		make_points(kind, POINTS, x, y);
		for (double bandwidth = 0.3; bandwidth < 3000; bandwidth *= 10) {
			check_sums(&points, bandwidth, false);
			check_sums(&points, bandwidth, true);
		}
	}
	perun_ctx_free(points.ctx);
}

/* ---- smoothing ------------------------------------------------------------------------------- */

enum { SMOOTHED = 900, DEGREE = 3, TERMS = DEGREE + 1 };

static double plain_average(const struct kernelregression_points *points,
			    const struct kernelregression_kernel *kernel, double bandwidth,
			    size_t at)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < points->count; i++) {
		double weight = kernel->weight((points->x[i] - points->x[at]) / bandwidth);

		weights += weight;
		sum += weight * points->y[i];
	}
	return weights != 0 ? sum / weights : 0;
}

/* The level of the polynomial by normal equations, in long double; how many points have a weight, of either sign. */
static size_t plain_polynomial(const struct kernelregression_points *points,
			       const struct kernelregression_kernel *kernel, double bandwidth,
			       size_t at, double *level)
{
	long double a[TERMS][TERMS + 1] = {{0}};
	size_t used = 0;

	for (size_t i = 0; i < points->count; i++) {
		double z = (points->x[i] - points->x[at]) / bandwidth, weight = kernel->weight(z);

		used += fabs(weight) > 1e-3;
		for (int row = 0; row < TERMS; row++) {
			for (int k = 0; k < TERMS; k++)
				a[row][k] += weight * powl(z, row + k);
			a[row][TERMS] += weight * powl(z, row) * points->y[i];
		}
	}
	for (int k = TERMS; k-- > 0;) {
		for (int row = 0; row < k; row++) {
			long double share = a[row][k] / a[k][k];

			for (int i = 0; i <= TERMS; i++)
				a[row][i] -= share * a[k][i];
		}
	}
	*level = (double)(a[0][TERMS] / a[0][0]);
	return used;
}

static void check_smoothing(const struct kernelregression_points *points, const char *name,
			    double bandwidth)
{
	static double averages[POINTS], levels[POINTS];
	const struct kernelregression_kernel *kernel = kernelregression_find_kernel(name);
	double level;

	kernelregression_spatial_average(points, kernel, bandwidth, averages);
	kernelregression_local_polynomial(points, kernel, DEGREE, bandwidth, levels);
	for (size_t at = 0; at < points->count; at += 37) {
		CHECK(is_near(averages[at], plain_average(points, kernel, bandwidth, at), 1));
		/* Few points determine nothing well. */
		if (plain_polynomial(points, kernel, bandwidth, at, &level) > 30)
			CHECK(fabs(levels[at] - level) <= 1e-7);
	}
}

TEST(test_smoothing)
{
	static const char *const kernels[] = {"epanechnikov", "tricube", "normal", "epanechnikov4",
					      "normal4"};
	static double x[POINTS], y[POINTS];
	const struct kernelregression_points points = {perun_ctx_new(NULL), x, y, SMOOTHED};

	for (int kind = 0; kind < 3; kind++) {
		make_points(kind, SMOOTHED, x, y);
		for (double bandwidth = 3; bandwidth < 300; bandwidth *= 10) {
			for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
				check_smoothing(&points, kernels[i], bandwidth);
		}
	}
	perun_ctx_free(points.ctx);
}

CHECK_MAIN(, )
