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

TEST(test_sums)
{
	static double x[POINTS], y[POINTS];
	const struct kernelregression_points points = {perun_ctx_new(NULL), x, y, POINTS};
	uint64_t random = 1;

	for (int kind = 0; kind < 3; kind++) {
		double at = 0;

		for (int i = 0; i < POINTS; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			/* Even, with points of equal x, and with a part that is far away. */
			at += kind == 1 ? i % 10 == 0 : (double)(random >> 40) / (1 << 24);
			x[i] = at + (kind == 2 && i > POINTS - 20 ? 1e4 : 0);
			y[i] = sin(at / 100) + (double)(random >> 50) / (1 << 14);
		}
		for (double bandwidth = 0.3; bandwidth < 3000; bandwidth *= 10) {
			check_sums(&points, bandwidth, false);
			check_sums(&points, bandwidth, true);
		}
	}
	perun_ctx_free(points.ctx);
}

CHECK_MAIN(, )
