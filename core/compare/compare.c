/* SPDX-License-Identifier: BSD-3-Clause */
/* Two versions, strand by strand. */
#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>
#include <perun/lib/units.h>

#include "core/compare/compare.h"
#include "core/context/structs.h"

/* Samples cannot show more than this about a function, as a share of it, and do not have to. */
#define MAX_EXCLUDED 0.05

const char *compare_keep(struct perun_comparisons *all, char *text)
{
	PERUN_GROW(all->texts, all->text_count, all->text_capacity);
	return all->texts[all->text_count++] = text;
}

void compare_note(struct perun_comparisons *all, char *note)
{
	for (size_t i = 0; i < all->note_count; i++) {
		if (strcmp(all->notes[i], note) == 0) {
			perun_free(note);
			return;
		}
	}
	PERUN_GROW(all->notes, all->note_count, all->note_capacity);
	all->notes[all->note_count++] = note;
}

bool compare_same_metric(const struct compare_strand *one, const struct compare_strand *other)
{
	return one->metric == other->metric;
}

enum perun_result compare_result(const struct compare_strand *strand, bool more)
{
	if (!strand->says)
		return PERUN_RESULT_UNKNOWN;
	return more == strand->higher ? PERUN_RESULT_OPTIMIZATION : PERUN_RESULT_DEGRADATION;
}

static bool has_both(const struct compare_strand *strand)
{
	return compare_has(strand, BEFORE) && compare_has(strand, AFTER);
}

/* The end of the strands of the metric that begins at `first`. */
size_t compare_end(const struct perun_comparisons *all, size_t first)
{
	size_t end = first;

	while (end < all->count && compare_same_metric(&all->strands[end], &all->strands[first]))
		end++;
	return end;
}

/* Whether both versions have values of a metric: else functions are neither new nor gone. */
static bool metric_has_both(const struct perun_comparisons *all, size_t first, size_t end)
{
	bool has[SIDES] = {false, false};

	for (size_t i = first; i < end; i++) {
		for (int side = 0; side < SIDES; side++)
			has[side] |= compare_has(&all->strands[i], side);
	}
	return has[BEFORE] && has[AFTER];
}

/* ---- judging --------------------------------------------------------------------------------- */

static double median_of(const struct compare_side *side)
{
	return side->count ? perun_median(side->values, side->count) : 0;
}

/* A function that one side alone has counts as 0 on the other, where values are exact. */
static void judge_function(struct compare_strand *strand, bool both,
			   const struct perun_compare_options *options)
{
	struct perun_compared *found = &strand->found;

	if (has_both(strand)) {
		compare_exact(strand, options);
		if (!strand->judged)
			return;
	}
	found->before = median_of(&strand->sides[BEFORE]);
	found->after = median_of(&strand->sides[AFTER]);
	if (!strand->judged && both)
		found->result = compare_result(strand, found->after > found->before);
}

static void judge_alone(struct compare_strand *strand)
{
	struct perun_compared *found = &strand->found;

	found->before = median_of(&strand->sides[BEFORE]);
	found->after = median_of(&strand->sides[AFTER]);
	found->result = compare_has(strand, BEFORE) ? PERUN_RESULT_NOT_IN_TARGET
						    : PERUN_RESULT_NOT_IN_BASELINE;
	if (compare_has(strand, BEFORE) && strand->failed) {
		found->result = PERUN_RESULT_UNKNOWN;
		found->failed = true;
		found->explanation = *strand->failed ? strand->failed : "it failed";
	}
}

struct judging {
	struct perun_comparisons *all;
	const struct perun_compare_options *options;
	const bool *both; /* of each strand: both sides have its metric */
};

static int judge_strand(struct perun_ctx *ctx, size_t i, void *data)
{
	const struct judging *judging = data;
	struct compare_strand *strand = &judging->all->strands[i];
	enum perun_noise noise = strand->found.noise;

	(void)ctx;
	if (noise == PERUN_NOISE_SAMPLED && !(strand->whole && judging->all->recorded))
		return PERUN_OK;
	if (strand->stacks && !strand->whole && noise == PERUN_NOISE_EXACT)
		judge_function(strand, judging->both[i], judging->options);
	else if (!has_both(strand))
		judge_alone(strand);
	else if (noise == PERUN_NOISE_EXACT)
		compare_exact(strand, judging->options);
	else
		compare_timed(strand);
	return PERUN_OK;
}

/* Most explanations have fewer bytes. */
#define EXPLANATION 255

/* ---- with the p of all ------------------------------------------------------------------------ */

static void decide_verdict(struct perun_comparisons *all, struct compare_strand *strand, double p,
			   const char *together)
{
	const struct perun_verdict *verdict = &strand->verdict;
	struct perun_buffer words = {0};

	perun_verdict_readjust(&strand->verdict, &strand->options, p);
	strand->found.p = verdict->p;
	strand->found.before = verdict->before;
	strand->found.after = verdict->after;
	if (verdict->answer == PERUN_VERDICT_SAME)
		strand->found.result = PERUN_RESULT_NO_CHANGE;
	else if (verdict->answer == PERUN_VERDICT_UNDECIDED)
		strand->found.result = PERUN_RESULT_INCONCLUSIVE;
	else
		strand->found.result =
			compare_result(strand, verdict->answer == PERUN_VERDICT_INCREASE);
	strand->found.more = verdict->more;
	perun_buffer_reserve(&words, EXPLANATION);
	perun_verdict_explain(verdict, &strand->options, strand->found.unit, &words);
	perun_buffer_add_text(&words, together);
	strand->found.explanation = compare_keep(all, perun_buffer_take(&words));
}

static double level_of(const struct compare_strand *strand)
{
	return strand->options.level > 0 ? strand->options.level : 0.01;
}

/* Counts of samples: a change is one that chance does not explain; else what the interval excludes decides. */
static void decide_counts(struct compare_strand *strand)
{
	const struct perun_verdict *verdict = &strand->verdict;
	double excluded = fmax(-verdict->low, verdict->high);

	strand->found.result = PERUN_RESULT_NO_CHANGE;
	if (strand->found.p <= level_of(strand) && fabs(verdict->shift) >= verdict->effect)
		strand->found.result = compare_result(strand, verdict->shift > 0);
	else if (excluded > fmax(strand->options.threshold, MAX_EXCLUDED) * verdict->before)
		strand->found.result = PERUN_RESULT_INCONCLUSIVE;
}

/*
 * Whether a strand counts among the tests. Chance explains every change of a few samples: without such strands others are
 * found sooner, and no more of them by chance (Gilbert, "A modified false discovery rate multiple-comparisons
 * procedure for discrete data", 2005).
 */
static bool is_test(const struct compare_strand *strand)
{
	return !strand->counts || strand->least_p <= level_of(strand);
}

/* Strands of one kind together: totals of functions are sums of what is tested as well, so they are apart. */
static void decide_kind(struct perun_comparisons *all, bool inclusive)
{
	double *p = perun_alloc_zero(all->count + 1, sizeof *p);
	size_t tests = 0;
	char *together;

	for (size_t i = 0; i < all->count; i++) {
		const struct compare_strand *strand = &all->strands[i];

		if (strand->judged && strand->found.inclusive == inclusive && is_test(strand))
			p[tests++] = strand->verdict.p;
	}
	perun_benjamini_hochberg(p, tests, p);
	together =
		tests > 1 ? perun_format(" (p for %zu tests together)", tests) : perun_strdup("");
	for (size_t i = 0, next = 0; i < all->count; i++) {
		struct compare_strand *strand = &all->strands[i];

		if (!strand->judged || strand->found.inclusive != inclusive)
			continue;
		strand->found.p = is_test(strand) ? p[next++] : strand->verdict.p;
		if (strand->counts) {
			decide_counts(strand);
			continue;
		}
		decide_verdict(all, strand, strand->found.p, together);
		if (strand->found.noise == PERUN_NOISE_SAMPLED && !strand->whole) {
			strand->found.before *= strand->sample;
			strand->found.after *= strand->sample;
		}
	}
	perun_free(together);
	perun_free(p);
}

static void decide(struct perun_comparisons *all)
{
	decide_kind(all, false);
	decide_kind(all, true);
}

/* ---- all -------------------------------------------------------------------------------------- */

static int judge_all(struct perun_ctx *ctx, const struct perun_comparison *comparison,
		     struct perun_comparisons *all, const struct perun_compare_options *options)
{
	bool *both = perun_alloc_zero(all->count + 1, sizeof *both);
	struct judging judging = {all, options, both};
	int status;

	for (size_t i = 0, end; i < all->count; i = end) {
		bool has;

		end = compare_end(all, i);
		has = metric_has_both(all, i, end);
		for (size_t j = i; j < end; j++) {
			all->strands[j].options = *options->verdict;
			both[j] = has;
		}
	}
	compare_spread(comparison, all);
	status = perun_parallel_for(ctx, all->count, judge_strand, &judging);
	for (size_t i = 0; !status && i < all->count; i = compare_end(all, i)) {
		if (!both[i])
			continue;
		status = compare_sampled(ctx, all, i);
		if (!status)
			compare_exact_spread(all, i);
	}
	if (!status) {
		decide(all);
		compare_sums(all);
		compare_steps(comparison, all, options);
		compare_clocks(all);
	}
	for (size_t i = 0; !status && i < all->count; i = compare_end(all, i)) {
		if (both[i])
			compare_functions(all, i, options);
		if (perun_cancelled(ctx))
			status = PERUN_CANCELLED;
	}
	if (!status)
		compare_sampled_levels(comparison, all);
	perun_free(both);
	return status;
}

/* Totals of functions are there to be found, not to be listed; of sampled profiles the whole says nothing. */
static bool is_listed(const struct perun_comparisons *all, const struct compare_strand *strand)
{
	enum perun_result result = strand->found.result;

	/* Of one function there is no whole. */
	if (strand->apart || strand->pauses || strand->answered ||
	    (strand->whole && !has_both(strand)))
		return false;
	if (strand->found.inclusive)
		return result != PERUN_RESULT_NO_CHANGE && result != PERUN_RESULT_INCONCLUSIVE &&
		       has_both(strand);
	if (strand->found.noise == PERUN_NOISE_SAMPLED && strand->whole && !all->recorded)
		return false;
	if (strand->stacks && !strand->judged && !has_both(strand) &&
	    strand->found.result == PERUN_RESULT_NO_CHANGE && !strand->moved)
		return false;
	return compare_has(strand, BEFORE) || compare_has(strand, AFTER);
}

static void drop_unlisted(struct perun_comparisons *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct compare_strand strand = all->strands[i];

		if (is_listed(all, &strand)) {
			all->strands[kept++] = strand;
			continue;
		}
		for (int side = 0; side < SIDES; side++) {
			perun_free(strand.sides[side].values);
			perun_free(strand.sides[side].profiles);
		}
	}
	all->count = kept;
}

int perun_compare_profiles(struct perun_ctx *ctx, const struct perun_comparison *comparison,
			   const struct perun_compare_options *given,
			   struct perun_comparisons **comparisons)
{
	struct perun_comparisons *all = perun_alloc_zero(1, sizeof *all);
	struct perun_compare_options options;
	struct perun_verdict_options verdict;
	int status;

	PERUN_STRUCT_TAKE(&options, given);
	PERUN_STRUCT_TAKE(&verdict, options.verdict);
	options.verdict = &verdict;
	status = compare_gather(ctx, comparison, &options, all);
	if (!status)
		status = judge_all(ctx, comparison, all, &options);
	if (!status) {
		drop_unlisted(all);
		*comparisons = all;
	} else {
		*comparisons = NULL;
		perun_comparisons_free(all);
	}
	for (size_t i = 0; !status && i < all->count; i++) {
		struct compare_strand *strand = &all->strands[i];
		/* Where a profile of samples lacks a function, it costs nothing there. */
		bool counts = strand->found.noise == PERUN_NOISE_SAMPLED && strand->counts;

		strand->found.before_count =
			counts ? strand->verdict.before_count : strand->sides[BEFORE].count;
		strand->found.after_count =
			counts ? strand->verdict.after_count : strand->sides[AFTER].count;
	}
	return status;
}

void perun_comparisons_free(struct perun_comparisons *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->count; i++) {
		for (int side = 0; side < SIDES; side++) {
			perun_free(all->strands[i].sides[side].values);
			perun_free(all->strands[i].sides[side].profiles);
		}
	}
	for (size_t i = 0; i < all->text_count; i++)
		perun_free(all->texts[i]);
	for (size_t i = 0; i < all->note_count; i++)
		perun_free(all->notes[i]);
	perun_free(all->texts);
	perun_free(all->notes);
	perun_free(all->strands);
	perun_free(all);
}

size_t perun_comparisons_count(const struct perun_comparisons *all)
{
	return all->count;
}

const struct perun_compared *perun_comparisons_at(const struct perun_comparisons *all, size_t i)
{
	return i < all->count ? &all->strands[i].found : NULL;
}

size_t perun_comparisons_notes(const struct perun_comparisons *all)
{
	return all->note_count;
}

const char *perun_comparisons_note(const struct perun_comparisons *all, size_t i)
{
	return i < all->note_count ? all->notes[i] : NULL;
}
