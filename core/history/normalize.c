/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled profiles under varying load: what each has in common with the others, and what remains. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/history/history.h"
#include "core/history/values.h"
#include "core/statistics/sampling.h"

/* Samples from which on a function says something about its profile. */
#define MIN_COUNT 8
/* Functions that have to agree on a factor; the largest ones, among which it is sought. */
#define MIN_AGREEING  3
#define MAX_REFERENCE 400
/* The reference is of profiles that are comparable, which takes a second look. */
#define PASSES 3

struct ratio {
	double logarithm, error, weight;
};

static int by_weight(const void *one, const void *other)
{
	const struct ratio *a = one, *b = other;

	return a->weight > b->weight ? -1 : a->weight < b->weight;
}

static size_t agreeing(const struct ratio *ratios, size_t count, double at)
{
	size_t agree = 0;

	for (size_t i = 0; i < count; i++)
		agree += fabs(ratios[i].logarithm - at) <= 2 * ratios[i].error;
	return agree;
}

/* The logarithm of the factor at which most functions are unchanged; 0 where they do not agree on one. */
static double common_factor(struct ratio *ratios, size_t count)
{
	double best = 0, sum = 0, weights = 0;
	size_t most;

	if (count)
		qsort(ratios, count, sizeof *ratios, by_weight);
	count = count < MAX_REFERENCE ? count : MAX_REFERENCE;
	most = agreeing(ratios, count, 0);
	for (size_t i = 0; i < count; i++) {
		size_t agree = agreeing(ratios, count, ratios[i].logarithm);

		if (agree > most && agree >= MIN_AGREEING && 2 * agree > count) {
			best = ratios[i].logarithm;
			most = agree;
		}
	}
	if (most < MIN_AGREEING || 2 * most <= count)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (fabs(ratios[i].logarithm - best) > 2 * ratios[i].error)
			continue;
		sum += ratios[i].logarithm / (ratios[i].error * ratios[i].error);
		weights += 1 / (ratios[i].error * ratios[i].error);
	}
	return sum / weights;
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

double perun_factor_to(const double *counts, const double *reference, size_t functions)
{
	struct ratio *ratios = perun_alloc_zero(functions + 1, sizeof *ratios);
	size_t count = 0;
	double factor;

	for (size_t f = 0; f < functions; f++) {
		double here = counts[f], usual = reference[f];

		if (here >= MIN_COUNT && usual >= MIN_COUNT)
			ratios[count++] =
				(struct ratio){log(here / usual),
					       sqrt(SAMPLES_DISPERSION * (1 / here + 1 / usual) +
						    SAMPLES_WANDERING * SAMPLES_WANDERING),
					       fmin(here, usual)};
	}
	factor = exp(common_factor(ratios, count));
	perun_free(ratios);
	return factor;
}

static void find_factors(const struct table *table, const double *reference, double *factors)
{
	double *column = perun_alloc_zero(table->functions + 1, sizeof *column);

	for (size_t p = 0; p < table->profiles; p++) {
		for (size_t f = 0; f < table->functions; f++)
			column[f] = table->counts[f * table->profiles + p];
		factors[p] = perun_factor_to(column, reference, table->functions);
	}
	perun_free(column);
}

void perun_common_factors(const double *counts, size_t functions, size_t profiles, double *factors)
{
	const struct table table = {counts, functions, profiles};
	double *reference = perun_alloc_zero(functions + 1, sizeof *reference), typical;

	for (size_t p = 0; p < profiles; p++) {
		factors[p] = 0;
		for (size_t f = 0; f < functions; f++)
			factors[p] += counts[f * profiles + p];
	}
	typical = perun_median(factors, profiles);
	for (size_t p = 0; p < profiles; p++)
		factors[p] = factors[p] > 0 && typical > 0 ? factors[p] / typical : 1;
	for (unsigned pass = 0; pass < PASSES; pass++) {
		find_reference(&table, factors, reference);
		find_factors(&table, reference, factors);
	}
	perun_free(reference);
}

/* ---- histories --------------------------------------------------------------------------------- */

/* The strands of a metric of a command; what all of them cost together has no say. */
struct family {
	struct perun_strand_builder **strands;
	size_t count, capacity;
	uint32_t *profiles; /* numbers of all that have the metric, ascending */
	size_t *versions;   /* of each */
	size_t profile_count, profile_capacity;
};

static bool is_of(const struct perun_strand_builder *one, const struct perun_strand_builder *other)
{
	return strcmp(one->command, other->command) == 0 &&
	       strcmp(one->metric, other->metric) == 0 && strcmp(one->machine, other->machine) == 0;
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
			row[at - family->profiles] += strand->repeats[k] / strand->strand.sample;
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
			values[count++] = row[p] * strand->strand.sample;
		}
		perun_strand_add(strand, values, count);
	}
	perun_free(values);
}

static void normalize(struct family *family)
{
	size_t profiles, functions = 0;
	double *counts, *factors;

	for (size_t i = 0; i < family->count; i++)
		add_profiles(family, family->strands[i]);
	sort_profiles(family);
	profiles = family->profile_count;
	family->versions = perun_alloc_zero(profiles + 1, sizeof *family->versions);
	counts = perun_alloc_zero(profiles * family->count + 1, sizeof *counts);
	factors = perun_alloc_zero(profiles + 1, sizeof *factors);
	for (size_t i = 0; i < family->count; i++) {
		find_versions(family, family->strands[i]);
		fill_row(family, family->strands[i], counts + functions++ * profiles);
	}
	perun_common_factors(counts, functions, profiles, factors);
	for (size_t i = 0; i < family->count; i++) {
		for (size_t p = 0; p < profiles; p++)
			counts[i * profiles + p] /= factors[p];
		refill(family, counts + i * profiles, family->strands[i]);
	}
	perun_free(counts);
	perun_free(factors);
	perun_free(family->profiles);
	perun_free(family->versions);
}

void perun_history_normalize(struct perun_history *history)
{
	bool *done = perun_alloc_zero(history->count + 1, sizeof *done);

	for (size_t s = 0; s < history->count; s++) {
		struct family family = {0};

		if (done[s] || history->strands[s].strand.noise != PERUN_NOISE_SAMPLED)
			continue;
		for (size_t i = s; i < history->count; i++) {
			struct perun_strand_builder *strand = &history->strands[i];

			if (done[i] || strand->strand.noise != PERUN_NOISE_SAMPLED ||
			    strand->strand.whole || !(strand->strand.sample > 0) ||
			    !is_of(&history->strands[s], strand))
				continue;
			PERUN_GROW(family.strands, family.count, family.capacity);
			family.strands[family.count++] = strand;
			done[i] = true;
		}
		if (family.count)
			normalize(&family);
		perun_free(family.strands);
	}
	perun_free(done);
}
