/* SPDX-License-Identifier: BSD-3-Clause */
/* One answer: what the history says of a change, a comparison of two of its versions says as well. */
#include <math.h>

#include <perun/lib/history.h>
#include <perun/lib/units.h>

#include "core/compare/compare.h"

/* The least change of exact values that histories look at. */
#define EXACT 0.005

/* Whether a strand is judged as its history judges it; of exact values that shows whether a benchmark repeats them. */
static bool is_followed(const struct compare_strand *strand,
			const struct perun_compare_options *options)
{
	if (strand->found.noise != PERUN_NOISE_EXACT)
		return strand->judged && !strand->whole;
	return !strand->stacks && !strand->whole && options->exact_threshold >= EXACT &&
	       compare_has(strand, BEFORE) && compare_has(strand, AFTER);
}

static bool is_undecided(const struct compare_strand *strand)
{
	return strand->found.result == PERUN_RESULT_NO_CHANGE ||
	       strand->found.result == PERUN_RESULT_INCONCLUSIVE;
}

/* Its numbers are those of the finding: what these two versions alone would say has other ones. */
static char *explain(const struct perun_compared *found, const double interval[2])
{
	struct perun_buffer text = {0};

	perun_buffer_add_text(&text, "the history shows the change: medians ");
	perun_add_amount(&text, found->before, found->unit);
	perun_buffer_add_text(&text, " and ");
	perun_add_amount(&text, found->after, found->unit);
	perun_buffer_add_text(&text, " of the versions on both sides, shift ");
	perun_add_amount(&text, found->after - found->before, found->unit);
	perun_buffer_add_text(&text, " in [");
	perun_add_amount(&text, interval[0], found->unit);
	perun_buffer_add_text(&text, ", ");
	perun_add_amount(&text, interval[1], found->unit);
	perun_buffer_add_char(&text, ']');
	/* What a program repeats is not a matter of chance. */
	if (!isnan(found->p))
		perun_buffer_printf(&text, ", p %.2g", found->p);
	return perun_buffer_take(&text);
}

/* The change as the history has it: of all versions on both sides, not of these two alone. */
static void take_levels(const struct perun_comparison *comparison, struct perun_comparisons *all,
			struct compare_strand *strand, const char *location, double p)
{
	struct perun_compared *found = &strand->found;
	double levels[2], interval[2];

	if (!comparison->levels ||
	    !comparison->levels(comparison->deviation_data, found->metric, location,
				found->workload, found->unit, levels, interval) ||
	    (levels[1] > levels[0]) != (found->after > found->before))
		return;
	found->before = levels[0];
	found->after = levels[1];
	found->p = isnan(p) ? found->p : p;
	found->explanation = compare_keep(all, explain(found, interval));
	found->low = found->before > 0 ? interval[0] / found->before : NAN;
	found->high = found->before > 0 ? interval[1] / found->before : NAN;
}

/* Whether the change is one that the history shows as well. */
static bool follow(struct compare_strand *strand, enum perun_step step, double p)
{
	struct perun_compared *found = &strand->found;
	double change = found->after - found->before;
	bool agrees =
		(step == PERUN_STEP_UP && change > 0) || (step == PERUN_STEP_DOWN && change < 0);
	bool large = fabs(change) >= strand->options.threshold * fabs(found->before);

	if (!is_undecided(strand) && !agrees && found->noise == PERUN_NOISE_EXACT) {
		found->result = PERUN_RESULT_NO_CHANGE;
		found->explanation = "the history shows that it varies by as much";
	} else if (!is_undecided(strand) && !agrees) {
		found->result = PERUN_RESULT_INCONCLUSIVE;
		found->explanation = "undecided: the history does not bear out a change";
	} else if (is_undecided(strand) && agrees && large) {
		found->result = compare_result(strand, change > 0);
		found->p = isnan(p) ? found->p : p;
	}
	return agrees && !is_undecided(strand);
}

/* What is measured again later is not gone. */
static void find_pauses(const struct perun_comparison *comparison, struct perun_comparisons *all)
{
	for (size_t i = 0; comparison->returns && i < all->count; i++) {
		struct compare_strand *strand = &all->strands[i];
		const struct perun_compared *found = &strand->found;

		if (found->result == PERUN_RESULT_NOT_IN_TARGET && !strand->stacks)
			strand->pauses =
				comparison->returns(comparison->deviation_data, found->metric,
						    found->location, found->workload);
	}
}

static char *name_in_history(const struct compare_strand *strand)
{
	return perun_format("%s%s", strand->found.location,
			    strand->found.inclusive ? PERUN_AND_CALLEES : "");
}

void compare_steps(const struct perun_comparison *comparison, struct perun_comparisons *all,
		   const struct perun_compare_options *options)
{
	find_pauses(comparison, all);
	for (size_t i = 0; comparison->step && i < all->count; i++) {
		struct compare_strand *strand = &all->strands[i];
		enum perun_step step;
		char *location;
		bool follows;
		double p;

		if (!is_followed(strand, options))
			continue;
		location = name_in_history(strand);
		step = comparison->step(comparison->deviation_data, strand->found.metric, location,
					strand->found.workload, &p);
		/* Where the history has a change that was taken back between the two, they decide, but it has its p. */
		follows = step != PERUN_STEP_UNKNOWN ? follow(strand, step, p)
						     : !isnan(p) && !is_undecided(strand);
		if (follows && strand->found.noise != PERUN_NOISE_SAMPLED)
			take_levels(comparison, all, strand, location, p);
		perun_free(location);
	}
}

void compare_sampled_levels(const struct perun_comparison *comparison,
			    struct perun_comparisons *all)
{
	for (size_t i = 0; comparison->step && i < all->count; i++) {
		struct compare_strand *strand = &all->strands[i];
		char *location;

		double p;

		if (strand->found.noise != PERUN_NOISE_SAMPLED || strand->whole || strand->moved ||
		    is_undecided(strand))
			continue;
		location = name_in_history(strand);
		comparison->step(comparison->deviation_data, strand->found.metric, location,
				 strand->found.workload, &p);
		take_levels(comparison, all, strand, location, p);
		perun_free(location);
	}
}
