/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled profiles under varying load: what each has in common with the others, and what remains. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/history/history.h"
#include "core/history/values.h"
#include "core/statistics/sampling.h"

/* Samples from which on a function says something about a profile. */
#define MIN_SAMPLES 8
/* Functions that have to agree on a factor. */
#define MIN_AGREEING 3
/* Steps to the middle of those that agree. */
#define CENTERINGS 8
/* The reference is of profiles that are comparable, which takes a second look. */
#define PASSES 3

struct ratio {
	double logarithm, error;
	double here, usual;
};

/* The ends of the intervals of all ratios, each in order. */
struct ends {
	double *starts, *stops;
	size_t count;
};

static int ascending(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return a < b ? -1 : a > b;
}

static struct ends sort_ends(const struct ratio *ratios, size_t count)
{
	struct ends ends = {perun_alloc((count + 1) * sizeof(double)),
			    perun_alloc((count + 1) * sizeof(double)), count};

	for (size_t i = 0; i < count; i++) {
		ends.starts[i] = ratios[i].logarithm - ratios[i].error;
		ends.stops[i] = ratios[i].logarithm + ratios[i].error;
	}
	if (count) {
		qsort(ends.starts, count, sizeof *ends.starts, ascending);
		qsort(ends.stops, count, sizeof *ends.stops, ascending);
	}
	return ends;
}

/* How many values are below one, or not above it. */
static size_t below(const double *sorted, size_t count, double value, bool equal)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (sorted[middle] < value || (equal && sorted[middle] == value))
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

static size_t agreeing(const struct ends *ends, double at)
{
	return below(ends->starts, ends->count, at, true) -
	       below(ends->stops, ends->count, at, false);
}

/*
 * The factor of the ratios that agree on one: of their sums, since logarithms of few samples are too small in the mean.
 * Weights are those of the noise, and a function's samples of both profiles together alone decide on its own.
 */
static double mean_about(const struct ratio *ratios, size_t count, double at)
{
	double here = 0, usual = 0;

	for (size_t i = 0; i < count; i++) {
		const struct ratio *ratio = &ratios[i];
		double samples = (ratio->here + ratio->usual) / 2;
		double weight =
			1 / (SAMPLES_DISPERSION + SAMPLES_WANDERING * SAMPLES_WANDERING * samples);

		if (fabs(ratio->logarithm - at) > ratio->error)
			continue;
		here += weight * ratio->here;
		usual += weight * ratio->usual;
	}
	return here > 0 && usual > 0 ? here / usual : exp(at);
}

/*
 * Whether most functions agree on a ratio: within two errors. It is found and measured by those that are within one, as
 * of few samples those that changed several times over are within two.
 */
static bool is_common(const struct ratio *ratios, size_t count, double at)
{
	size_t agree = 0;

	for (size_t i = 0; i < count; i++)
		agree += fabs(ratios[i].logarithm - at) <= 2 * ratios[i].error;
	return agree >= MIN_AGREEING && 2 * agree > count;
}

/* The factor at which most functions are unchanged; 1 where they do not agree on one. */
static double common_factor(const struct ratio *ratios, size_t count)
{
	struct ends ends = sort_ends(ratios, count);
	size_t most = agreeing(&ends, 0);
	double best = 0;

	for (size_t i = 0; i < count; i++) {
		size_t agree = agreeing(&ends, ratios[i].logarithm);

		if (agree > most) {
			best = ratios[i].logarithm;
			most = agree;
		}
	}
	perun_free(ends.starts);
	perun_free(ends.stops);
	if (!is_common(ratios, count, best))
		return 1;
	/* Those that agree on one of them lie on both sides of what they agree on, once it is in their middle. */
	for (unsigned i = 0; i < CENTERINGS; i++)
		best = log(mean_about(ratios, count, best));
	return exp(best);
}

/* Functions by profiles. */
struct table {
	const double *counts;
	size_t functions, profiles;
};

/* What a function costs in most profiles, each divided by its factor. */
static void find_reference(const struct table *table, const double *factors, double *reference)
{
	double *row = perun_alloc_zero(table->profiles + 1, sizeof *row);

	for (size_t f = 0; f < table->functions; f++) {
		for (size_t p = 0; p < table->profiles; p++)
			row[p] = table->counts[f * table->profiles + p] / factors[p];
		reference[f] = perun_median(row, table->profiles);
	}
	perun_free(row);
}

/* The factor of one profile to the reference. */
static double factor_to(const double *counts, const double *reference, size_t functions)
{
	struct ratio *ratios = perun_alloc_zero(functions + 1, sizeof *ratios);
	size_t count = 0;
	double factor;

	for (size_t f = 0; f < functions; f++) {
		/* Half a sample more: the logarithm of none is not finite. */
		double here = counts[f] + 0.5, usual = reference[f] + 0.5;

		if (reference[f] < MIN_SAMPLES)
			continue;
		ratios[count++] = (struct ratio){log(here / usual),
						 sqrt(SAMPLES_DISPERSION * (1 / here + 1 / usual) +
						      SAMPLES_WANDERING * SAMPLES_WANDERING),
						 counts[f], reference[f]};
	}
	factor = common_factor(ratios, count);
	perun_free(ratios);
	return factor;
}

/* Factors to the profile in their middle: what all have in common would change the scale pass by pass. */
static void set_typical(double *factors, size_t profiles)
{
	double typical = perun_median(factors, profiles);

	for (size_t p = 0; p < profiles; p++)
		factors[p] = factors[p] > 0 && typical > 0 ? factors[p] / typical : 1;
}

static void find_factors(const struct table *table, const double *reference, double *factors)
{
	double *column = perun_alloc_zero(table->functions + 1, sizeof *column);

	for (size_t p = 0; p < table->profiles; p++) {
		for (size_t f = 0; f < table->functions; f++)
			column[f] = table->counts[f * table->profiles + p];
		/* The same functions for all profiles: what their choice does is in all factors. */
		factors[p] = factor_to(column, reference, table->functions);
	}
	perun_free(column);
	set_typical(factors, table->profiles);
}

void perun_common_factors(const double *counts, size_t functions, size_t profiles, double *factors)
{
	const struct table table = {counts, functions, profiles};
	double *reference = perun_alloc_zero(functions + 1, sizeof *reference);

	for (size_t p = 0; p < profiles; p++) {
		factors[p] = 0;
		for (size_t f = 0; f < functions; f++)
			factors[p] += counts[f * profiles + p];
	}
	set_typical(factors, profiles);
	for (unsigned pass = 0; pass < PASSES; pass++) {
		find_reference(&table, factors, reference);
		find_factors(&table, reference, factors);
	}
	perun_free(reference);
}

static size_t find_leading(const double *counts, size_t functions, size_t profiles)
{
	size_t leading = SIZE_MAX;
	double all = 0, most = 0;

	for (size_t f = 0; f < functions; f++) {
		double own = 0;

		for (size_t p = 0; p < profiles; p++)
			own += counts[f * profiles + p];
		leading = own > most ? f : leading;
		most = fmax(own, most);
		all += own;
	}
	return 2 * most > all ? leading : SIZE_MAX;
}

static double samples_of(const double *row, size_t profiles)
{
	double sum = 0;

	for (size_t p = 0; p < profiles; p++)
		sum += row[p];
	return sum;
}

/* The variance of the logarithm of each factor, by chance of the few samples that it is from. */
static void find_variances(const double *counts, size_t functions, size_t profiles,
			   double *variances)
{
	for (size_t p = 0; p < profiles; p++) {
		double samples = 0;

		for (size_t f = 0; f < functions; f++)
			samples += counts[f * profiles + p];
		variances[p] = SAMPLES_DISPERSION / fmax(samples, 1);
	}
}

/* By how much profiles themselves differ, beyond chance (DerSimonian and Laird, 1986); `excess` of its standard errors more. */
static double variance_between(const double *factors, const double *variances, size_t profiles,
			       double excess)
{
	double weights = 0, squares = 0, mean = 0, q = 0, freedom = (double)profiles - 1;

	for (size_t p = 0; p < profiles; p++) {
		weights += 1 / variances[p];
		squares += 1 / variances[p] / variances[p];
		mean += log(factors[p]) / variances[p];
	}
	for (size_t p = 0; p < profiles; p++)
		q += pow(log(factors[p]) - mean / weights, 2) / variances[p];
	q += excess * sqrt(2 * freedom) - freedom;
	return q > 0 ? q / (weights - squares / weights) : 0;
}

/*
 * Factors that are chance say nothing of a profile: each is drawn towards 1 by what chance has of it. What remains
 * unknown of them, in the mean, as a variance.
 */
static double shrink(const double *counts, size_t functions, size_t profiles, double *factors)
{
	double *variances = perun_alloc_zero(profiles + 1, sizeof *variances);
	double between, most, unknown = 0;

	find_variances(counts, functions, profiles, variances);
	between = variance_between(factors, variances, profiles, 0);
	most = variance_between(factors, variances, profiles, 1);
	for (size_t p = 0; p < profiles; p++) {
		factors[p] = pow(factors[p], between / (between + variances[p]));
		unknown += most * variances[p] / (most + variances[p]) / (double)profiles;
	}
	perun_free(variances);
	return unknown;
}

size_t perun_leading_factors(const double *counts, size_t functions, size_t profiles,
			     double *factors, double *sample)
{
	size_t leading = find_leading(counts, functions, profiles);
	double *others, own;
	bool divided = false;

	*sample = 1;
	if (leading == SIZE_MAX)
		return leading;
	others = perun_memdup(counts, functions * profiles * sizeof *counts);
	for (size_t p = 0; p < profiles; p++)
		others[leading * profiles + p] = 0;
	perun_common_factors(others, functions, profiles, factors);
	for (size_t p = 0; p < profiles; p++)
		divided |= factors[p] != 1;
	own = samples_of(counts + leading * profiles, profiles) / (double)profiles;
	if (divided && profiles > 1)
		*sample += own * shrink(others, functions, profiles, factors) / SAMPLES_DISPERSION;
	perun_free(others);
	return leading;
}

/* ---- histories --------------------------------------------------------------------------------- */

/* The strands of a metric of a command; what all of them cost together has no say. */
struct family {
	struct perun_strand_builder **strands; /* not owned */
	size_t count;
	uint32_t *profiles; /* numbers of all that have the metric, ascending */
	size_t *versions;   /* of each */
	size_t profile_count, profile_capacity;
};

static int by_family(const struct perun_strand_builder *one,
		     const struct perun_strand_builder *other)
{
	int order = strcmp(one->command, other->command);

	order = order ? order : strcmp(one->metric, other->metric);
	return order ? order : strcmp(one->machine, other->machine);
}

/* What functions cost themselves comes first: they say what profiles have in common. */
static int by_place(const void *one, const void *other)
{
	const struct perun_strand_builder *a = *(struct perun_strand_builder *const *)one;
	const struct perun_strand_builder *b = *(struct perun_strand_builder *const *)other;
	int order = by_family(a, b);

	order = order ? order : (int)a->strand.inclusive - (int)b->strand.inclusive;
	return order ? order : (a > b) - (a < b);
}

static int by_number(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return a < b ? -1 : a > b;
}

static void add_profiles(struct family *family, const struct perun_strand_builder *strand)
{
	for (size_t i = 0; i < strand->session_count; i++) {
		PERUN_GROW(family->profiles, family->profile_count, family->profile_capacity);
		family->profiles[family->profile_count++] = strand->profiles[i];
	}
}

static void sort_profiles(struct family *family)
{
	size_t kept = 0;

	if (family->profile_count)
		qsort(family->profiles, family->profile_count, sizeof *family->profiles, by_number);
	for (size_t i = 0; i < family->profile_count; i++) {
		if (i == 0 || family->profiles[i] != family->profiles[kept - 1])
			family->profiles[kept++] = family->profiles[i];
	}
	family->profile_count = kept;
}

/* The version of each profile: that in which a strand has it. */
static void find_versions(struct family *family, const struct perun_strand_builder *strand)
{
	size_t version = 0;

	for (size_t i = 0; i < strand->session_count; i++) {
		const uint32_t *at =
			bsearch(&strand->profiles[i], family->profiles, family->profile_count,
				sizeof *family->profiles, by_number);

		while (strand->starts[version + 1] <= strand->sessions[i])
			version++;
		family->versions[at - family->profiles] = version;
	}
}

/* What one sample adds; costs other than samples count as they are. */
static double sample_of(const struct perun_strand_builder *strand)
{
	return strand->strand.noise == PERUN_NOISE_SAMPLED ? strand->strand.sample : 1;
}

/* A row of counts of a strand: 0 where a profile does not have the function. */
static void fill_row(const struct family *family, const struct perun_strand_builder *strand,
		     double *row)
{
	for (size_t i = 0; i < strand->session_count; i++) {
		const uint32_t *at =
			bsearch(&strand->profiles[i], family->profiles, family->profile_count,
				sizeof *family->profiles, by_number);
		size_t end = i + 1 < strand->session_count ? strand->sessions[i + 1]
							   : strand->repeat_count;

		for (size_t k = strand->sessions[i]; k < end; k++)
			row[at - family->profiles] += strand->repeats[k] / sample_of(strand);
	}
}

/* The values of a strand from a row of normalized counts. */
static void refill(const struct family *family, const double *row,
		   struct perun_strand_builder *strand)
{
	size_t versions = strand->count, p = 0;
	double *values = perun_alloc_zero(family->profile_count + 1, sizeof *values);

	strand->count = strand->repeat_count = strand->session_count = 0;
	for (size_t i = 0; i < versions; i++) {
		size_t count = 0;

		for (; p < family->profile_count && family->versions[p] == i; p++) {
			PERUN_GROW(strand->sessions, strand->session_count,
				   strand->session_capacity);
			strand->sessions[strand->session_count++] = strand->repeat_count + count;
			values[count++] = row[p] * sample_of(strand);
		}
		perun_strand_add(strand, values, count);
	}
	perun_free(values);
}

/* Whether profiles have load and duration in common, which counts for nothing. */
static bool varies(const struct family *family)
{
	bool recorded = true;

	for (size_t i = 0; i < family->count; i++)
		recorded &= family->strands[i]->strand.recorded;
	return !recorded && family->strands[0]->strand.noise == PERUN_NOISE_SAMPLED;
}

/* The variance of a function's roots among profiles of one version; NaN: it has too few samples to show it. */
static double variance_of(const struct family *family, const double *row, double freedom)
{
	double squares = 0, most = 0;

	for (size_t p = 0, end; p < family->profile_count; p = end) {
		for (end = p + 1;
		     end < family->profile_count && family->versions[end] == family->versions[p];)
			end++;
		most = fmax(most, samples_mean_root(row + p, end - p, 1, &squares));
	}
	return most >= samples_root(SAMPLES_SHOWING) ? squares / freedom : NAN;
}

/* How much profiles of one version vary in most functions, where versions have several. */
static void find_scatter(const struct family *family, const double *counts, size_t functions)
{
	size_t profiles = family->profile_count, versions = 0, count = 0;
	double *variances, freedom;
	struct samples_scatter scatter;

	for (size_t p = 0; p < profiles; p++)
		versions += p == 0 || family->versions[p] != family->versions[p - 1];
	if (versions == profiles || family->strands[0]->strand.noise != PERUN_NOISE_SAMPLED)
		return;
	freedom = (double)(profiles - versions);
	variances = perun_alloc_zero(functions + 1, sizeof *variances);
	for (size_t f = 0; f < functions; f++) {
		variances[count] = variance_of(family, counts + f * profiles, freedom);
		count += !isnan(variances[count]);
	}
	scatter = samples_scatter_of(variances, count, freedom);
	for (size_t i = 0; i < family->count; i++) {
		family->strands[i]->strand.dispersion = scatter.dispersion;
		family->strands[i]->strand.dispersion_freedom = scatter.freedom;
	}
	perun_free(variances);
}

static void normalize(struct family *family)
{
	size_t profiles, functions = 0, leading = SIZE_MAX;
	bool divided = varies(family); /* asks each strand: once, not for each value */
	double *counts, *factors, *others, sample = 1;

	for (size_t i = 0; i < family->count; i++)
		add_profiles(family, family->strands[i]);
	sort_profiles(family);
	profiles = family->profile_count;
	family->versions = perun_alloc_zero(profiles + 1, sizeof *family->versions);
	counts = perun_alloc_zero(profiles * family->count + 1, sizeof *counts);
	factors = perun_alloc_zero(profiles + 1, sizeof *factors);
	others = perun_alloc_zero(profiles + 1, sizeof *others);
	for (size_t i = 0; i < family->count; i++) {
		find_versions(family, family->strands[i]);
		fill_row(family, family->strands[i], counts + i * profiles);
		functions += !family->strands[i]->strand.inclusive;
	}
	if (divided) {
		perun_common_factors(counts, functions, profiles, factors);
		leading = perun_leading_factors(counts, functions, profiles, others, &sample);
	}
	for (size_t i = 0; i < family->count; i++) {
		for (size_t p = 0; p < profiles && divided; p++)
			counts[i * profiles + p] /= i == leading ? others[p] : factors[p];
		refill(family, counts + i * profiles, family->strands[i]);
		family->strands[i]->strand.sample *= i == leading ? sample : 1;
	}
	find_scatter(family, counts, functions);
	perun_free(counts);
	perun_free(factors);
	perun_free(others);
	perun_free(family->profiles);
	perun_free(family->versions);
}

/* Functions of stacks: one that a profile does not have costs nothing there. */
static bool is_function(const struct perun_strand *strand)
{
	if (strand->whole)
		return false;
	return strand->noise == PERUN_NOISE_SAMPLED
		       ? strand->sample > 0
		       : strand->noise == PERUN_NOISE_EXACT && strand->stacks;
}

void perun_history_normalize(struct perun_history *history)
{
	struct perun_strand_builder **sorted = perun_alloc((history->count + 1) * sizeof *sorted);
	size_t count = 0;

	for (size_t i = 0; i < history->count; i++) {
		if (is_function(&history->strands[i].strand))
			sorted[count++] = &history->strands[i];
	}
	if (count)
		qsort(sorted, count, sizeof *sorted, by_place);
	for (size_t i = 0; i < count;) {
		struct family family = {.strands = sorted + i};

		while (i < count && by_family(*family.strands, sorted[i]) == 0) {
			family.count++;
			i++;
		}
		normalize(&family);
	}
	perun_free(sorted);
}
