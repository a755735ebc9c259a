/* SPDX-License-Identifier: BSD-3-Clause */
/* The check that linear-regression, polynomial-regression and fast-check have in common. */
#ifndef CHECKS_DIFFERENCE_H
#define CHECKS_DIFFERENCE_H

#include "checks/common/models.h"

/* The difference of two versions of a uid, target - baseline, as curves of 1000 points. */
struct checks_difference {
	const struct checks_model *baseline, *target;               /* the best models */
	const struct checks_model *linear_baseline, *linear_target; /* the linear ones */
	size_t count;
	const double *x;                   /* of the best model of the baseline */
	const double *y;                   /* of the best models */
	const double *linear_x, *linear_y; /* the same of the linear models */
};

/* How the change came about: "constant", "linear" ... The caller frees it. */
typedef char *checks_name_change(const struct checks_difference *difference);

/*
 * Compare the best parametric models of each uid that has linear models too. No change when their
 * coefficients b0 and b1 differ by at most 5 % each, and the curves by at most 25 % of the values before;
 * else the sign of the sum of the difference distinguishes a degradation from an optimization, which is only
 * a possible one while the mean relative difference is within 25 %. The rate is that mean, in percent.
 */
int checks_compare_differences(struct perun_ctx *ctx, const struct perun_comparison *comparison,
			       checks_name_change *name, struct perun_report *report);

#endif
