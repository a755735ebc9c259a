/* SPDX-License-Identifier: BSD-3-Clause */
/* The check fast-check: the difference of models, named by the kind of its own best model. */
#include <config.h>

#include <string.h>

#include "checks/common/difference.h"
#include "checks/common/fit.h"
#include "checks/common/plugin.h"

/*
 * A line and a quadratic with b2 = 0 differ by what is both exactly. Rounding alone would choose between
 * the two kinds; that of the baseline is named.
 */
static const char *kind_of(const struct checks_difference *difference)
{
	const char *before = difference->baseline->model.kind;
	const char *after = difference->target->model.kind;
	const double *x = difference->x, *y = difference->y;
	size_t count = difference->count;

	if (strcmp(before, after) != 0 && checks_kind_is_exact(before, x, y, count) &&
	    checks_kind_is_exact(after, x, y, count))
		return before;
	return checks_best_kind(x, y, count);
}

static char *name_change(const struct checks_difference *difference)
{
	char *name = perun_strdup(kind_of(difference));

	for (char *c = name; *c; c++)
		*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	return name;
}

static int fast_compare(void *instance, struct perun_ctx *ctx,
			const struct perun_comparison *comparison, struct perun_report *report)
{
	(void)instance;
	return checks_compare_differences(ctx, comparison, name_change, report);
}

CHECK_PLUGIN(fast_check, "fast-check",
	     "the difference of the best models, named by the kind of its model", NULL,
	     .aliases = "fast", .compare = fast_compare);
