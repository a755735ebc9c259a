/* SPDX-License-Identifier: BSD-3-Clause */
/* A check that declares what shift does and reports what it is given: the sessions of both sides, and what histories say. */
#include <perun/check.h>

static int compare(void *instance, struct perun_ctx *ctx, const struct perun_comparison *comparison,
		   struct perun_report *report)
{
	char *before = perun_format("%zu", comparison->baseline_session_count);
	char *after = perun_format("%zu", comparison->target_session_count);
	const struct perun_change change = {.struct_size = sizeof change,
					    .result = PERUN_RESULT_DEGRADATION,
					    .location = comparison->step ? "followed" : "alone",
					    .type = "sessions",
					    .metric = "sessions",
					    .from_baseline = before,
					    .to_target = after,
					    .rate = 1,
					    .confidence_type = "no"};

	(void)instance;
	(void)ctx;
	perun_report_add(report, &change);
	perun_free(before);
	perun_free(after);
	return PERUN_OK;
}

static const struct perun_check_ops ops = {
	.compare = compare, .wants_sessions = true, .history_decides = true};

PERUN_PLUGIN(check, decides) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "decides", "leaves histories to the library"),
	PERUN_PLUGIN_OPS(ops),
};
