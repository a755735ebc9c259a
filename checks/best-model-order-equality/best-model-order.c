/* SPDX-License-Identifier: BSD-3-Clause */
/* The check best-model-order-equality: whether the best model of a uid is of another kind. */
#include <config.h>

#include <perun/lib/regression.h>

#include "checks/common/models.h"
#include "checks/common/plugin.h"

#define MIN_CONFIDENCE 0.9

static int compare_pair(void *data, struct perun_ctx *ctx, const struct checks_pair *pair,
			struct perun_report *report)
{
	/* Curves are numbered by their growth. */
	int before = (int)perun_curve_from_name(pair->baseline->model.kind);
	int after = (int)perun_curve_from_name(pair->target->model.kind);
	struct perun_change change = {
		.struct_size = sizeof change,
		.result = PERUN_RESULT_NO_CHANGE,
		.location = pair->baseline->model.uid,
		.type = "model",
		.from_baseline = pair->baseline->model.kind,
		.to_target = pair->target->model.kind,
		.rate = after - before,
		.whole_rate = true,
		.confidence_type = "r_square",
		.confidence_rate = checks_confidence(pair),
	};
	char *explanation = perun_format("r squared is %.4g before and %.4g after; %g is asked for",
					 pair->baseline->model.r_square,
					 pair->target->model.r_square, MIN_CONFIDENCE);

	(void)data;
	(void)ctx;
	if (change.confidence_rate >= MIN_CONFIDENCE && before != after)
		change.result =
			before > after ? PERUN_RESULT_OPTIMIZATION : PERUN_RESULT_DEGRADATION;
	change.explanation = explanation;
	perun_report_add(report, &change);
	perun_free(explanation);
	return PERUN_OK;
}

static int order_compare(void *instance, struct perun_ctx *ctx,
			 const struct perun_comparison *comparison, struct perun_report *report)
{
	(void)instance;
	return checks_each_pair(ctx, comparison, PERUN_MODELS_BEST_PARAM, compare_pair, NULL,
				report);
}

CHECK_PLUGIN(best_model_order_equality, "best-model-order-equality",
	     "the kinds of the best models of two versions", NULL, .aliases = "bmoe",
	     .compare = order_compare);
