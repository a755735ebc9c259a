/* SPDX-License-Identifier: BSD-3-Clause */
/* The check fast-check: the difference of models, named by the kind of its own best model. */
#include <config.h>

#include "checks/common/difference.h"
#include "checks/common/fit.h"
#include "checks/common/plugin.h"

static char *name_change(const struct checks_difference *difference)
{
	char *name =
		perun_strdup(checks_best_kind(difference->x, difference->y, difference->count));

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
