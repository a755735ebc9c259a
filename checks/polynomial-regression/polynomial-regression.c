/* SPDX-License-Identifier: BSD-3-Clause */
/* The check polynomial-regression: the difference of models, named by the degree of a polynomial. */
#include <config.h>

#include "checks/common/difference.h"
#include "checks/common/fit.h"
#include "checks/common/plugin.h"

/* A polynomial whose sum of squared residuals is below this describes the difference. */
#define GOOD_RESIDUAL 1e8

static char *name_change(const struct checks_difference *difference)
{
	static const char *const names[] = {"constant", "linear", "quadratic"};

	for (unsigned degree = 0; degree < sizeof names / sizeof *names; degree++) {
		if (checks_polynomial_residual(difference->linear_x, difference->linear_y,
					       difference->count, degree) < GOOD_RESIDUAL)
			return perun_strdup(names[degree]);
	}
	return perun_strdup("unknown");
}

static int polynomial_compare(void *instance, struct perun_ctx *ctx,
			      const struct perun_comparison *comparison,
			      struct perun_report *report)
{
	(void)instance;
	return checks_compare_differences(ctx, comparison, name_change, report);
}

CHECK_PLUGIN(polynomial_regression, "polynomial-regression",
	     "the difference of the best models, named by the degree of a polynomial", NULL,
	     .aliases = "preg", .compare = polynomial_compare);
