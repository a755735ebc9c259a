/* SPDX-License-Identifier: BSD-3-Clause */
/* The check fast-check: the difference of models, named by the kind of its own best model. */
#include <config.h>

#include "checks/common/difference.h"
#include "checks/common/fit.h"

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

static const struct perun_check_ops fast_ops = {
	.aliases = "fast",
	.compare = fast_compare,
};

PERUN_PLUGIN(check, fast_check) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "fast-check",
			  "the difference of the best models, named by the kind of its model"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(fast_ops),
};
