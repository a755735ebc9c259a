/* SPDX-License-Identifier: BSD-3-Clause */
/* Which curves are fitted to which of the points. */
#ifndef REGRESSION_ANALYSIS_H
#define REGRESSION_ANALYSIS_H

#include <perun/lib/regression.h>

/* A fit, and what a constant is derived from where it is a line. */
struct regressionanalysis_result {
	struct perun_fit fit;
	struct perun_fit_sums sums;
};

struct regressionanalysis_results {
	struct regressionanalysis_result *items;
	size_t count, room;
};

struct regressionanalysis_settings {
	enum perun_curve curves[PERUN_CURVES]; /* in order; without the constant */
	size_t curve_count;
	size_t steps;
};

/*
 * A method: append what it finds for a group of at least three points, which it may sort or shuffle.
 * False when they are too few for it; `why` says so, or that some steps have no result.
 */
typedef bool regressionanalysis_method(const struct regressionanalysis_settings *settings,
				       struct perun_point_group *group,
				       struct regressionanalysis_results *results,
				       const char **why);
/* NULL when unknown: full, iterative, interval, initial_guess, bisection. */
regressionanalysis_method *regressionanalysis_find_method(const char *name);

#endif
