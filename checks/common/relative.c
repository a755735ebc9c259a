/* SPDX-License-Identifier: BSD-3-Clause */
/* The check that integral-comparison and local-statistics have in common. */
#include <config.h>

#include "checks/common/curves.h"
#include "checks/common/relative.h"

#define MIN_CONFIDENCE 0.15

struct comparing {
	checks_measure *measure;
	void *data;
};

static int compare_pair(void *data, struct perun_ctx *ctx, const struct checks_pair *pair,
			struct perun_report *report)
{
	const struct comparing *comparing = data;
	double confidence = perun_round_python(checks_confidence(pair), 2);
	struct checks_relative_change found = {0};
	int status;

	if (!(confidence >= MIN_CONFIDENCE))
		return PERUN_OK;
	status = comparing->measure(ctx, pair, comparing->data, &found);
	if (!status) {
		struct perun_change change = {
			.struct_size = sizeof change,
			.result = checks_classify(found.relative, CHECKS_SMALL_CHANGE,
						  CHECKS_LARGE_CHANGE),
			.location = pair->baseline->model.uid,
			.type = "-",
			.from_baseline = pair->baseline->model.kind,
			.to_target = pair->target->model.kind,
			.rate = perun_round_python(found.relative, 2),
			.confidence_type = "r_square",
			.confidence_rate = confidence,
			.explanation = found.explanation,
			.intervals = found.intervals,
			.interval_count = found.interval_count,
			.interval_size = sizeof *found.intervals,
		};

		perun_report_add(report, &change);
	}
	perun_free(found.explanation);
	perun_free(found.intervals);
	return status;
}

int checks_compare_relative(struct perun_ctx *ctx, const struct perun_comparison *comparison,
			    checks_measure *measure, void *data, struct perun_report *report)
{
	struct comparing comparing = {measure, data};

	return checks_each_pair(ctx, comparison, comparison->models_type, compare_pair, &comparing,
				report);
}
