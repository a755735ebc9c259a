/* SPDX-License-Identifier: BSD-3-Clause */
/* A check that returns the number in STATUS. */
#include <stdlib.h>

#include <perun/check.h>

static int compare(void *instance, struct perun_ctx *ctx, const struct perun_comparison *comparison,
		   struct perun_report *report)
{
	(void)instance;
	(void)ctx;
	(void)comparison;
	(void)report;
	return atoi(getenv("STATUS"));
}

static const struct perun_check_ops ops = {.compare = compare};

PERUN_PLUGIN(check, status) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "status", "misbehaves"),
	PERUN_PLUGIN_OPS(ops),
};
