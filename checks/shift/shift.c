/* SPDX-License-Identifier: BSD-3-Clause */
/* The check shift: the library's comparison of two versions, as a check. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/check.h>
#include <perun/lib/compare.h>
#include <perun/lib/history.h>
#include <perun/lib/units.h>

#include "checks/common/plugin.h"

static const struct perun_option options[] = {
	{.name = "threshold",
	 .metavar = "PERCENT",
	 .help = "the least change that counts, in percent of the median before",
	 .default_value = "1",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6},
	{.name = "noise",
	 .metavar = "PERCENT",
	 .help = "a deviation from session to session that is known, in percent: no smaller change "
		 "counts",
	 .default_value = "0",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6},
	{.name = "level",
	 .metavar = "P",
	 .help = "the false discovery rate over all metrics and functions of a comparison",
	 .default_value = "0.01",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 1e-12,
	 .maximum = 0.5},
	{.name = "exact",
	 .metavar = "PERCENT",
	 .help = "the least change that counts of what a program repeats exactly: instructions, "
		 "calls, "
		 "allocations",
	 .default_value = "0.5",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6},
	{.name = "paired",
	 .help = "the i-th runs of both versions were measured side by side, the order of the two "
		 "drawn"},
	{.name = "better",
	 .help = "which values are better, where a profile does not say",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "lower higher",
	 .default_value = "lower"},
	{0}};

struct shift {
	struct perun_verdict_options verdict;
	struct perun_compare_options options;
};

static int shift_open(struct perun_ctx *ctx, const struct perun_options *given,
		      const char *subcommand, void **instance)
{
	struct shift *shift = perun_alloc_zero(1, sizeof *shift);

	(void)ctx;
	(void)subcommand;
	shift->verdict = (struct perun_verdict_options){
		.struct_size = sizeof shift->verdict,
		.threshold = perun_option_number(given, "threshold") / 100,
		.floor = perun_option_number(given, "noise") / 100,
		.level = perun_option_number(given, "level"),
		.paired = perun_option_flag(given, "paired")};
	shift->options = (struct perun_compare_options){
		.struct_size = sizeof shift->options,
		.verdict = &shift->verdict,
		.exact_threshold = perun_option_number(given, "exact") / 100,
		.better = perun_direction_of(perun_option_given(given, "better")
						     ? perun_option_string(given, "better")
						     : "")};
	*instance = shift;
	return PERUN_OK;
}

static void shift_close(void *instance)
{
	perun_free(instance);
}

static double rate_of(const struct perun_compared *compared)
{
	if (compared->before != 0)
		return compared->after / compared->before;
	return compared->after != 0 ? INFINITY : 1;
}

/* The location, with the case of a sweep, and a function with what it calls. */
static char *place_of(const struct perun_compared *compared)
{
	struct perun_buffer text = {0};

	perun_buffer_add_text(&text, compared->location);
	if (*compared->workload)
		perun_buffer_printf(&text, " with %s", compared->workload);
	if (compared->inclusive)
		perun_buffer_add_text(&text, PERUN_AND_CALLEES);
	return perun_buffer_take(&text);
}

/* Without blanks: what is stored of a change is separated by them. */
static char *amount_of(const struct perun_compared *compared, double value, bool has)
{
	struct perun_buffer text = {0};
	char *amount;
	size_t kept = 0;

	if (!has)
		return perun_strdup("-");
	perun_add_amount(&text, value, compared->unit);
	amount = perun_buffer_take(&text);
	for (size_t i = 0; amount[i]; i++) {
		if (amount[i] != ' ')
			amount[kept++] = amount[i];
	}
	amount[kept] = '\0';
	return amount;
}

static void report_one(const struct perun_compared *compared, struct perun_report *report)
{
	char *from = amount_of(compared, compared->before,
			       compared->result != PERUN_RESULT_NOT_IN_BASELINE);
	bool failed = compared->failed;
	char *to = failed ? perun_strdup(PERUN_CHANGE_FAILED)
			  : amount_of(compared, compared->after,
				      compared->result != PERUN_RESULT_NOT_IN_TARGET);
	char *place = place_of(compared);
	bool tested = !isnan(compared->p);
	struct perun_change change = {
		.struct_size = sizeof change,
		.result = compared->result,
		.location = place,
		.type = compared->metric,
		.metric = compared->metric,
		.from_baseline = from,
		.to_target = to,
		.rate = 1,
		.confidence_type = tested ? "p_value" : "no",
		.confidence_rate = tested ? compared->p : 0,
		.explanation = compared->explanation,
		.more = compared->more,
		.baseline = compared->baseline,
	};

	/* A few profiles of samples show most changes; where they do not, more of them will. */
	if (compared->noise == PERUN_NOISE_TIMED || (compared->noise == PERUN_NOISE_SAMPLED &&
						     compared->result == PERUN_RESULT_INCONCLUSIVE))
		change.runs = compared->before_count < compared->after_count
				      ? compared->before_count
				      : compared->after_count;
	if (isfinite(compared->low) && isfinite(compared->high)) {
		change.low = compared->low;
		change.high = compared->high;
	}
	if (compared->result != PERUN_RESULT_NOT_IN_BASELINE &&
	    compared->result != PERUN_RESULT_NOT_IN_TARGET && !failed)
		change.rate = rate_of(compared);
	perun_report_add(report, &change);
	perun_free(place);
	perun_free(to);
	perun_free(from);
}

static int shift_compare(void *instance, struct perun_ctx *ctx,
			 const struct perun_comparison *comparison, struct perun_report *report)
{
	struct perun_comparisons *found = NULL;
	const struct shift *shift = instance;
	int status = perun_compare_profiles(ctx, comparison, &shift->options, &found);

	for (size_t i = 0; !status && i < perun_comparisons_count(found); i++)
		report_one(perun_comparisons_at(found, i), report);
	for (size_t i = 0; !status && i < perun_comparisons_notes(found); i++)
		perun_note(ctx, "%s", perun_comparisons_note(found, i));
	perun_comparisons_free(found);
	return status;
}

CHECK_PLUGIN(shift, "shift", "two versions by what each kind of measurement can show", options,
	     .open = shift_open, .close = shift_close, .aliases = "shift", .compare = shift_compare,
	     .wants_sessions = true, .quotients = true, .history_decides = true);
