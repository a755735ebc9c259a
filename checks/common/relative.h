/* SPDX-License-Identifier: BSD-3-Clause */
/* The check that integral-comparison and local-statistics have in common. */
#ifndef CHECKS_RELATIVE_H
#define CHECKS_RELATIVE_H

#include "checks/common/models.h"

/* Of the value before: up to the first it is no change, up to the second a possible one. */
#define CHECKS_SMALL_CHANGE 0.10
#define CHECKS_LARGE_CHANGE 0.25

/* How much the models of a pair differ. */
struct checks_relative_change {
	double relative;                         /* (after - before) / before; NaN = unknown */
	char *explanation;                       /* NULL = none; given away */
	struct perun_interval_change *intervals; /* likewise */
	size_t interval_count;
};
typedef int checks_measure(struct perun_ctx *ctx, const struct checks_pair *pair, void *data,
			   struct checks_relative_change *change);

/*
 * Measure each pair of models of the comparison's type whose smaller r_square, rounded to two digits, is
 * at least 0.15, with `data`, and report what it is. Returns the first status that is not PERUN_OK.
 */
int checks_compare_relative(struct perun_ctx *ctx, const struct perun_comparison *comparison,
			    checks_measure *measure, void *data, struct perun_report *report);

#endif
