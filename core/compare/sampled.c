/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of sampled profiles: what load and duration they have in common, and what remains. */
#include <math.h>

#include <perun/lib/history.h>
#include <perun/lib/statistics.h>

#include "core/compare/compare.h"
#include "core/statistics/sampling.h"

/* Profiles of each side from which on their own spread is taken. */
#define ENOUGH_PROFILES 4
/* Degrees of freedom of an error that is not estimated. */
#define KNOWN 1e9

/* The counts of samples of the functions of one metric, by profile. */
struct table {
	struct perun_comparisons *all;
	size_t *strands, count; /* which strands: first those of what functions cost themselves */
	size_t selves;          /* how many these are */
	size_t profiles;        /* of both sides: those that have the metric */
	size_t sides[SIDES];    /* how many of these each has */
	bool *has;              /* of all profiles, those of the baseline first */
	double *counts;         /* count x profiles, first as they are, then normalized */
	double *factors;        /* of each profile */
	double *others;         /* the same for the leading function */
	size_t leading;         /* which that is; SIZE_MAX = none */
	double unsure;          /* the error of its factors, as a share */
	struct samples_scatter scatter; /* of the roots of counts, in most functions */
};

static bool is_function(const struct compare_strand *strand)
{
	return strand->found.noise == PERUN_NOISE_SAMPLED && !strand->whole;
}

static double *counts_of(const struct table *table, size_t i)
{
	return table->counts + i * table->profiles;
}

static void add_strands(struct table *table, const struct perun_comparisons *all, size_t first,
			bool inclusive)
{
	for (size_t i = first, end = compare_end(all, first); i < end; i++) {
		if (is_function(&all->strands[i]) && all->strands[i].found.inclusive == inclusive)
			table->strands[table->count++] = i;
	}
}

/* Profile `j` of both sides as a strand has it; NaN: not at all. */
static double value_at(const struct perun_comparisons *all, const struct compare_strand *strand,
		       size_t j)
{
	const size_t befores = all->profiles[BEFORE];
	const double *values = strand->sides[j >= befores ? AFTER : BEFORE].profiles;

	return values ? values[j >= befores ? j - befores : j] : NAN;
}

/* A version has profiles of other kinds as well, which do not say that a function cost nothing. */
static void find_profiles(struct table *table, const struct perun_comparisons *all)
{
	const size_t befores = all->profiles[BEFORE], count = befores + all->profiles[AFTER];

	table->has = perun_alloc_zero(count + 1, sizeof *table->has);
	for (size_t j = 0; j < count; j++) {
		for (size_t i = 0; i < table->count && !table->has[j]; i++)
			table->has[j] = !isnan(value_at(all, &all->strands[table->strands[i]], j));
		table->sides[j >= befores ? AFTER : BEFORE] += table->has[j];
	}
	for (int side = 0; side < SIDES; side++) {
		if (table->sides[side])
			continue;
		/* What one side lacks altogether cost nothing there. */
		for (size_t j = 0; j < all->profiles[side]; j++)
			table->has[side == AFTER ? befores + j : j] = true;
		table->sides[side] = all->profiles[side];
	}
	table->profiles = table->sides[BEFORE] + table->sides[AFTER];
}

static void fill(struct table *table, const struct perun_comparisons *all, size_t first)
{
	table->strands =
		perun_alloc((compare_end(all, first) - first + 1) * sizeof *table->strands);
	add_strands(table, all, first, false);
	table->selves = table->count;
	add_strands(table, all, first, true);
	find_profiles(table, all);
	table->counts = perun_alloc_zero(table->count * table->profiles + 1, sizeof(double));
	table->factors = perun_alloc_zero(table->profiles + 1, sizeof(double));
	table->others = perun_alloc_zero(table->profiles + 1, sizeof(double));
	for (size_t i = 0; i < table->count; i++) {
		const struct compare_strand *strand = &all->strands[table->strands[i]];
		double *counts = counts_of(table, i);

		for (size_t j = 0; j < all->profiles[BEFORE] + all->profiles[AFTER]; j++) {
			double value = value_at(all, strand, j);

			if (table->has[j])
				*counts++ = isnan(value) ? 0 : value / strand->sample;
		}
	}
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

static const double *factors_of(const struct table *table, size_t i)
{
	return i == table->leading ? table->others : table->factors;
}

/* The error of the quotient of both sides' factors, where they are of the few samples of all functions but the leading one. */
static double error_of_others(const struct table *table)
{
	double samples[SIDES] = {0};

	for (size_t i = 0; i < table->selves; i++) {
		for (size_t j = 0; j < table->profiles; j++)
			samples[j >= table->sides[BEFORE] ? AFTER : BEFORE] +=
				i == table->leading ? 0 : counts_of(table, i)[j];
	}
	return sqrt(SAMPLES_DISPERSION *
		    (1 / fmax(samples[BEFORE], 1) + 1 / fmax(samples[AFTER], 1)));
}

/* Divide each profile by what it has in common with the others, as histories do. */
static void normalize(struct table *table)
{
	double sample;

	for (size_t j = 0; j < table->profiles; j++)
		table->factors[j] = 1;
	table->leading = SIZE_MAX;
	if (!table->all->recorded) {
		perun_common_factors(table->counts, table->selves, table->profiles, table->factors);
		table->leading = perun_leading_factors(table->counts, table->selves,
						       table->profiles, table->others, &sample);
		if (table->leading != SIZE_MAX)
			table->unsure = error_of_others(table);
	}
	for (size_t i = 0; i < table->count; i++) {
		for (size_t j = 0; j < table->profiles; j++)
			counts_of(table, i)[j] /= factors_of(table, i)[j];
	}
}

/* ---- one function ----------------------------------------------------------------------------- */

/* The sum of squares of the roots about the means of their sides. */
static double squares_of(const struct table *table, size_t i, double means[SIDES])
{
	const double *counts = counts_of(table, i);
	size_t n = table->sides[BEFORE];
	double squares = 0;

	means[BEFORE] = samples_mean_root(counts, n, 1, &squares);
	means[AFTER] = samples_mean_root(counts + n, table->sides[AFTER], 1, &squares);
	return squares;
}

static void find_scatter(struct table *table)
{
	double *variances = perun_alloc((table->selves + 1) * sizeof *variances), means[SIDES];
	double freedom = (double)(table->profiles - SIDES);
	size_t count = 0;

	for (size_t i = 0; i < table->selves; i++) {
		double squares = squares_of(table, i, means);

		if (fmax(means[BEFORE], means[AFTER]) >= samples_root(SAMPLES_SHOWING))
			variances[count++] = squares / freedom;
	}
	table->scatter = samples_scatter_of(variances, count, freedom);
	perun_free(variances);
}

/* The verdict on roots: their difference, its error, and the degrees of freedom of that. */
static void set_verdict(const struct table *table, size_t i, struct compare_strand *strand,
			double shift, double error, double freedom)
{
	const double *counts = counts_of(table, i);
	size_t n = table->sides[BEFORE], m = table->sides[AFTER];
	double before = mean_of(counts, n), level = samples_root(before) / 2;
	double width, total = before * (double)n + mean_of(counts + n, m) * (double)m;
	double most = samples_root(total / (double)(n < m ? n : m)) - samples_root(0);
	struct perun_verdict *verdict = &strand->verdict;

	if (i == table->leading)
		error = hypot(error, level * table->unsure);
	width = perun_student_quantile(0.975, freedom) * error;

	*verdict = (struct perun_verdict){.before_count = n,
					  .after_count = m,
					  .before = before,
					  .after = mean_of(counts + n, m)};
	verdict->shift = verdict->after - before;
	verdict->p = 2 * perun_student_cdf(-fabs(shift) / error, freedom);
	verdict->independent_p = verdict->p;
	strand->least_p = 2 * perun_student_cdf(-most / error, freedom);
	/* The roots' interval, as one of counts. */
	verdict->low = pow(fmax(level + (shift - width) / 2, 0), 2) - level * level;
	verdict->high = pow(fmax(level + (shift + width) / 2, 0), 2) - level * level;
	verdict->effect = fmax(strand->options.threshold * before, 1);
	strand->judged = strand->counts = true;
}

/* Several profiles a side show themselves how much they vary, each function together with all others. */
static void judge_repeats(const struct table *table, size_t i, struct compare_strand *strand)
{
	size_t n = table->sides[BEFORE], m = table->sides[AFTER];
	double means[SIDES], freedom = (double)(n + m - SIDES);
	double variance = samples_variance(&table->scatter, squares_of(table, i, means), freedom);

	set_verdict(table, i, strand, means[AFTER] - means[BEFORE],
		    sqrt(variance * (1 / (double)n + 1 / (double)m)),
		    freedom + table->scatter.freedom);
}

static double mean_of_inverse(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += 1 / values[i];
	return sum / (double)count;
}

/* Few profiles vary as such do. */
static void judge_counts(const struct table *table, size_t i, struct compare_strand *strand)
{
	const double *counts = counts_of(table, i);
	size_t n = table->sides[BEFORE], m = table->sides[AFTER];
	double before = mean_of(counts, n), after = mean_of(counts + n, m);
	double wander = SAMPLES_WANDERING * SAMPLES_WANDERING;
	const double *factors = factors_of(table, i);
	double error = sqrt(SAMPLES_DISPERSION * (mean_of_inverse(factors, n) / (double)n +
						  mean_of_inverse(factors + n, m) / (double)m) +
			    wander * (before / (double)n + after / (double)m));

	set_verdict(table, i, strand, samples_root(after) - samples_root(before), error, KNOWN);
}

static void describe(const struct table *table, size_t i, struct compare_strand *strand)
{
	struct perun_compared *found = &strand->found;
	const struct perun_verdict *verdict = &strand->verdict;
	size_t befores = table->sides[BEFORE];

	found->before = verdict->before * strand->sample;
	found->after = verdict->after * strand->sample;
	if (verdict->before > 0) {
		found->low = verdict->low / verdict->before;
		found->high = verdict->high / verdict->before;
	}
	found->explanation = compare_keep(
		table->all,
		perun_format("%.0f sample%s before, %.0f after; what the profiles have in common: "
			     "a factor of %.3g",
			     verdict->before, round(verdict->before) == 1 ? "" : "s",
			     verdict->after,
			     mean_of(factors_of(table, i) + befores, table->sides[AFTER]) /
				     mean_of(factors_of(table, i), befores)));
}

int compare_sampled(struct perun_ctx *ctx, struct perun_comparisons *all, size_t first)
{
	struct table table = {.all = all};
	int status = PERUN_OK;

	fill(&table, all, first);
	normalize(&table);
	find_scatter(&table);
	for (size_t i = 0; !status && i < table.count; i++) {
		struct compare_strand *strand = &all->strands[table.strands[i]];

		if (i % 1024 == 0 && perun_cancelled(ctx))
			status = PERUN_CANCELLED;
		if (table.sides[BEFORE] >= ENOUGH_PROFILES && table.sides[AFTER] >= ENOUGH_PROFILES)
			judge_repeats(&table, i, strand);
		else
			judge_counts(&table, i, strand);
		describe(&table, i, strand);
	}
	perun_free(table.strands);
	perun_free(table.counts);
	perun_free(table.factors);
	perun_free(table.others);
	perun_free(table.has);
	return status;
}
