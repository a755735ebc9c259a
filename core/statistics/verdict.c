/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict on two versions: the same, more, less, or not enough to say. */
#include <config.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include <perun/lib/verdict.h>

#include "core/statistics/alignment.h"
#include "core/statistics/autoregression.h"

#define LEVEL      0.01
#define LEVEL_Z    2.5758293035489004 /* of LEVEL, two-sided */
#define CONFIDENCE 0.95
#define DOUBTFUL   0.03
/* How the levels of a machine are seen to wander: so many blocks a side, and what their p must be. */
#define BLOCKS       4
#define WANDERING    2.5
#define WALK         2.9
#define BLOCKS_P     0.01
#define BLOCKS_LEAST 40
/*
 * A MAD so many times the shortest half says that the median lies between two modes; and that it may well
 * do so, once the samples lie over each other as they should.
 */
#define TWO_MODES   1.3
#define MAYBE_MODES 1.1
/* From so many values a side on, residuals are those about one median. */
#define LAID_OVER 8
/* Noise of differences below this part of that of values says that pairs share noise. */
#define SHARED 0.75
/*
 * So many values or pairs are tested by drawing once more, where the shift is large enough to be a change
 * and the ranks neither are sure of it already (their p is below SURE) nor see nothing at all.
 */
#define RANDOM_LEAST 12
#define PAIRS_LEAST  8
#define SURE         0.0005
#define WORTHWHILE   0.3
/* Where neighbours seem to depend so much on each other that no draw could tell. */
#define HOPELESS 2.0
/* To find an end of an interval by halving. */
#define NEAR_STEPS 9
/* From so many values a side on, a shift of so many times their larger range needs no p. */
#define APART_LEAST 4
#define APART       3.5
/* With fewer values a side too much dependence is possible: fewer are not asked for. */
#define MOSTLY_ENOUGH 18
/* More runs than this are not asked for. */
#define MOST_RUNS 1000000

/* By how much the second sample is moved to lie best over the first: near the shift of all values. */
static double best_move(const double *before, size_t n, const double *after, size_t m, double shift)
{
	double *values = perun_alloc_zero(n + m, sizeof *values);
	bool *second = perun_alloc_zero(n + m, sizeof *second);
	struct alignment alignment;

	memcpy(values, before, n * sizeof *values);
	for (size_t i = 0; i < m; i++) {
		values[n + i] = after[i] - shift;
		second[n + i] = true;
	}
	alignment_begin(values, n + m, &alignment);
	if (alignment.steps) {
		double further;

		alignment_gain(&alignment, second, &further);
		shift += further;
	}
	alignment_end(&alignment);
	perun_free(second);
	perun_free(values);
	return shift;
}

/*
 * Residuals of both samples, one behind the other: about the medians of each, or, where there are enough
 * of them, about the median of both laid over each other, the second one moved. So a second mode that one sample happens to
 * visit half of the time does not pass for noise of all values.
 */
static double *residuals_of(const double *before, size_t n, const double *after, size_t m,
			    const struct perun_verdict *verdict, double moved)
{
	double *residuals = perun_alloc_zero(n + m + 1, sizeof *residuals);
	double one = verdict->before, other = verdict->after;

	if (n >= LAID_OVER && m >= LAID_OVER) {
		memcpy(residuals, before, n * sizeof *residuals);
		for (size_t i = 0; i < m; i++)
			residuals[n + i] = after[i] - moved;
		one = perun_median(residuals, n + m);
		other = one + moved;
	}
	for (size_t i = 0; i < n; i++)
		residuals[i] = before[i] - one;
	for (size_t i = 0; i < m; i++)
		residuals[n + i] = after[i] - other;
	return residuals;
}

/*
 * Half the shortest interval with half of the values, as a deviation (Rousseeuw and Leroy, 1987): about
 * the values' most common place, where the MAD is about their median, which second modes move.
 */
static double shortest_half(const double *residuals, size_t count)
{
	double *sorted = perun_memdup(residuals, count * sizeof *sorted), least = INFINITY;
	size_t half = count / 2;

	perun_sort_doubles(sorted, count);
	for (size_t i = 0; i + half < count; i++)
		least = fmin(least, sorted[i + half] - sorted[i]);
	perun_free(sorted);
	return PERUN_MAD_TO_SIGMA * (1 + 5 / (double)(count - 1)) * least / 2;
}

/*
 * Robust deviation of one value; where most values are equal, from the mean of absolute deviations.
 * `modes` (may be NULL): how many times the MAD is what the shortest half says, 0 where that is not known.
 */
static double noise_of(const double *residuals, size_t count, double *modes)
{
	double n = (double)count, noise, half = 0, ratio, sum = 0;

	noise = PERUN_MAD_TO_SIGMA * perun_mad(residuals, count, 0);
	/* Medians were fitted: without this, few values would show too little noise. */
	if (count > 3)
		noise *= n / (n - 0.8);
	if (count >= 2 * LAID_OVER && noise > 0)
		half = shortest_half(residuals, count);
	ratio = half > 0 ? noise / half : 0;
	if (modes)
		*modes = ratio;
	if (ratio > TWO_MODES)
		noise = half;
	if (noise > 0)
		return noise;
	for (size_t i = 0; i < count; i++)
		sum += fabs(residuals[i]) / n;
	return sum * sqrt(M_PI / 2);
}

/* The variance of the means of BLOCKS blocks of a part of the residuals, outliers limited. */
static double block_variance(const double *residuals, size_t count, double limit)
{
	double means[BLOCKS] = {0}, mean = 0, variance = 0;

	for (size_t b = 0; b < BLOCKS; b++) {
		size_t first = b * count / BLOCKS, end = (b + 1) * count / BLOCKS;

		for (size_t i = first; i < end; i++)
			means[b] += fmax(-limit, fmin(limit, residuals[i])) / (double)(end - first);
		mean += means[b] / BLOCKS;
	}
	for (size_t b = 0; b < BLOCKS; b++)
		variance += (means[b] - mean) * (means[b] - mean) / (BLOCKS - 1);
	return variance;
}

/* Variance of one value from differences of neighbours, outliers limited: slow wandering is not seen. */
static double fast_variance(const double *residuals, size_t count, double limit)
{
	double sum = 0;

	for (size_t i = 1; i < count; i++) {
		double step = fmax(-limit, fmin(limit, residuals[i])) -
			      fmax(-limit, fmin(limit, residuals[i - 1]));

		sum += step * step / 2;
	}
	return sum / (double)(count - 1);
}

/*
 * Whether the levels of a machine wander, which neighbours hardly show where each value has noise of its
 * own: p of Student's test for the shift against how much blocks of each version differ. Where they
 * differ by far more than the noise of neighbours explains, levels further apart differ even more, as
 * those of a random walk do.
 */
static double blocks_p(const double *residuals, size_t n, size_t m,
		       const struct perun_verdict *verdict, double shift)
{
	double limit = 3 * verdict->noise, r = verdict->correlation;
	double one = block_variance(residuals, n, limit);
	double other = block_variance(residuals + n, m, limit), error = one + other;
	double b = (double)(n + m) / (2 * BLOCKS), expected, t;

	expected = (fast_variance(residuals, n, limit) + fast_variance(residuals + n, m, limit)) /
		   (1 - r) * autoregression_inflation(r, b) / b;
	if (!(error > 0))
		return 0;
	t = fabs(shift) / sqrt(error / BLOCKS);
	if (error > WANDERING * expected)
		t /= WALK;
	return 2 * perun_student_cdf(-t, 2 * (BLOCKS - 1));
}

/* A sample whose values are all the same. */
static bool is_constant(const double *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (values[i] != values[0])
			return false;
	}
	return count > 1;
}

static double level_of(const struct perun_verdict_options *options)
{
	return options->level > 0 ? options->level : LEVEL;
}

/* How many values a side settle the question, when the standard error falls with their root. */
static size_t runs_needed(const struct perun_verdict *verdict, double level)
{
	double n = fmin((double)verdict->before_count, (double)verdict->after_count);
	double half = (verdict->high - verdict->low) / 2, shift = fabs(verdict->shift), wanted;
	double least = fmax(ceil(log(2 / level) / log(2) / 2) + 2, MOSTLY_ENOUGH);

	if (!isfinite(half) || n < 2)
		return (size_t)fmax(least - n, 1);
	if (shift >= verdict->effect)
		wanted = shift * 1.96 / perun_normal_quantile(1 - level / 2);
	else
		wanted = verdict->effect - shift;
	wanted = fmax(wanted, half / 30);
	n = fmax(n * (half / wanted) * (half / wanted) - n, fmax(least - n, 1));
	return (size_t)fmin(ceil(n), MOST_RUNS);
}

/* Whether the samples lie so far apart that not even dependent values explain it. */
static bool are_apart(const double *before, size_t n, const double *after, size_t m, double shift)
{
	double range = 0;

	if (n < APART_LEAST || m < APART_LEAST)
		return false;
	for (int side = 0; side < 2; side++) {
		const double *values = side ? after : before;
		double least = values[0], most = values[0];

		for (size_t i = 1; i < (side ? m : n); i++) {
			least = fmin(least, values[i]);
			most = fmax(most, values[i]);
		}
		range = fmax(range, most - least);
	}
	return fabs(shift) >= APART * range;
}

/* Whether the shift is at least the minimal effect: of all values, or of most, where these agree. */
static bool is_large(const struct perun_verdict *verdict)
{
	return fabs(verdict->shift) >= verdict->effect ||
	       ((verdict->usual > 0) == (verdict->shift > 0) &&
		fabs(verdict->usual) >= verdict->effect);
}

static void set_effect(struct perun_verdict *verdict, const struct perun_verdict_options *options)
{
	verdict->effect = fmax(verdict->noise,
			       fmax(options->threshold, options->floor) * fabs(verdict->before));
}

static void decide(struct perun_verdict *verdict, const struct perun_verdict_options *options)
{
	double level = level_of(options);
	bool real = verdict->p <= level && is_large(verdict) && verdict->shift != 0;

	verdict->more = 0;
	real &= verdict->low > 0 || verdict->high < 0;
	real |= verdict->apart && fabs(verdict->shift) >= verdict->effect;
	if (real) {
		verdict->answer = verdict->shift > 0 ? PERUN_INCREASE : PERUN_DECREASE;
		return;
	}
	if (!real && -verdict->effect <= verdict->low && verdict->high <= verdict->effect) {
		verdict->answer = PERUN_SAME;
		return;
	}
	verdict->answer = PERUN_UNDECIDED;
	verdict->more = runs_needed(verdict, level);
}

void perun_judge_again(struct perun_verdict *verdict, const struct perun_verdict_options *options,
		       double p)
{
	verdict->p = p;
	decide(verdict, options);
}

/* Both have no spread: what differs, differs. */
static void judge_constants(struct perun_verdict *verdict,
			    const struct perun_verdict_options *options)
{
	verdict->shift = verdict->low = verdict->high = verdict->after - verdict->before;
	verdict->p = verdict->shift != 0 ? 0 : 1;
	verdict->effective = (double)(verdict->before_count + verdict->after_count);
	decide(verdict, options);
}

/* What a comparison says before dependence is taken into account. */
struct evidence {
	double z, p;   /* of ranks, z of Student's test where that is larger */
	double random; /* p of the randomization test; NaN where it was not asked */
	double least;  /* p is at least this */
	double wider;  /* how many times as large a z must be as of independent values */
	struct autoregression found; /* where that is more than 1 */
};

/*
 * p of the randomization tests of pairs. Where their values share no noise, that of all values is sharper
 * than that of who went first, which holds in any noise: half of this one's p will do, with twice the
 * other's, as both hardly ever mistake the same noise for a shift.
 */
static double pairs_p(const double *before, const double *after, size_t count, bool shared)
{
	double p = perun_randomization_p(before, count, after, count, true);

	if (shared || p > WORTHWHILE)
		return p;
	return fmax(p / 2, 2 * perun_randomization_p(before, count, after, count, false));
}

/* Shift, interval and tests of differences of pairs. */
static void compare_pairs(const double *before, const double *after, size_t count,
			  const struct perun_verdict_options *options,
			  struct perun_verdict *verdict, struct evidence *evidence)
{
	double *differences = perun_alloc_zero(count + 1, sizeof *differences), noise, middle;
	struct perun_mann_whitney test;
	struct perun_shift shift;
	bool shared;

	for (size_t i = 0; i < count; i++)
		differences[i] = after[i] - before[i];
	perun_walsh_shift(differences, count, CONFIDENCE, &shift);
	perun_signed_ranks(differences, count, &test);
	middle = perun_median(differences, count);
	for (size_t i = 0; i < count; i++)
		differences[i] -= middle;
	noise = noise_of(differences, count, NULL);
	/* Of one value: a difference has twice its variance, but far less where pairs share noise. */
	shared = noise / M_SQRT2 < SHARED * verdict->noise;
	if (shared)
		verdict->noise = noise / M_SQRT2;
	set_effect(verdict, options);
	/* Who went first was drawn for each pair: the signs do not depend on each other. */
	verdict->correlation = 0;
	verdict->low = shift.low;
	verdict->high = shift.high;
	*evidence = (struct evidence){.z = test.z, .p = test.p, .random = NAN, .wider = 1};
	if (count >= PAIRS_LEAST && count <= PERUN_RANDOMIZATION_MOST && test.p > SURE &&
	    is_large(verdict))
		evidence->random = pairs_p(before, after, count, shared);
	perun_free(differences);
}

/* z of a test, or another one, if larger. */
static double larger_z(double p, double z)
{
	return p > 0 ? fmax(z, -perun_normal_quantile(p / 2)) : z;
}

/* p of a test, where noise may remember itself: what `wider` says of its z or another one, if larger. */
static double widened(double p, double z, double wider)
{
	if (!(wider > 1) || p >= 1)
		return p;
	return fmax(p, erfc(larger_z(p, z) / wider * M_SQRT1_2));
}

/*
 * The same, but never more than likelihoods say: beyond the level, by which `wider` is found, these fall
 * faster, so that many tests at once do not hide what is clear.
 */
static double dependent_p(const struct evidence *evidence, double p)
{
	double likelihood;

	if (!(evidence->wider > 1) || p >= 1)
		return p;
	likelihood =
		LEVEL * exp(-autoregression_advantage(&evidence->found, larger_z(p, evidence->z)));
	return fmax(p, fmin(widened(p, evidence->z, evidence->wider), likelihood));
}

/* Whether to test by drawing where the ranks' p is as given: they see nothing of modes. */
static bool is_worth_drawing(const struct perun_verdict *verdict, const struct evidence *evidence)
{
	return dependent_p(evidence, evidence->p) > SURE &&
	       (evidence->p <= WORTHWHILE || !isnan(verdict->usual)) && is_large(verdict) &&
	       evidence->wider <= HOPELESS;
}

static void compare(const double *before, size_t n, const double *after, size_t m,
		    const double *residuals, struct perun_verdict *verdict,
		    struct evidence *evidence)
{
	struct perun_mann_whitney test;
	bool drawn;

	/* Far from any level, and where draws tell, the approximation will do. */
	drawn = n >= RANDOM_LEAST && m >= RANDOM_LEAST && n <= PERUN_RANDOMIZATION_MOST &&
		m <= PERUN_RANDOMIZATION_MOST;
	perun_mann_whitney_below(before, n, after, m, drawn ? SURE : DOUBTFUL, &test);
	*evidence = (struct evidence){.z = fabs(test.z), .p = test.p, .random = NAN, .wider = 1};
	if (n + m > 2) {
		autoregression_of(before, n, after, m, &evidence->found);
		evidence->z = fmax(evidence->z, evidence->found.z);
		evidence->wider = autoregression_width(&evidence->found, LEVEL_Z);
	}
	verdict->correlation = autoregression_inflated_by(
		evidence->wider * evidence->wider, 2 * (double)n * (double)m / (double)(n + m));
	if (drawn && is_worth_drawing(verdict, evidence))
		evidence->random = perun_randomization_p(before, n, after, m, false);
	/* Three values may be of one moment, however many the other version has. */
	if (n < APART_LEAST || m < APART_LEAST)
		evidence->least = DOUBTFUL;
	if (n >= BLOCKS_LEAST && m >= BLOCKS_LEAST) {
		double blocks = blocks_p(residuals, n, m, verdict, verdict->shift);

		if (blocks > BLOCKS_P)
			evidence->least = blocks;
	}
}

/* p of the randomization test, for values that are moved. */
static double moved_p(const double *before, size_t n, const double *after, size_t m, double moved,
		      double wider, bool paired)
{
	double *base = perun_alloc_zero(n, sizeof *base), p;
	struct autoregression found = {0};

	for (size_t i = 0; i < n; i++)
		base[i] = before[i] + moved;
	p = perun_randomization_p(base, n, after, m, paired);
	if (!paired)
		autoregression_of(base, n, after, m, &found);
	perun_free(base);
	return widened(p, found.z, wider);
}

/*
 * Where the ranks' interval contains 0, but the randomization test tells a difference: the end near 0 is
 * where that stops to tell one.
 */
static void near_end(const double *before, size_t n, const double *after, size_t m, double wider,
		     bool paired, struct perun_verdict *verdict)
{
	double *end = verdict->shift > 0 ? &verdict->low : &verdict->high;
	double told = 0, untold = verdict->shift;

	for (int i = 0; i < NEAR_STEPS; i++) {
		double middle = told + (untold - told) / 2;

		if (moved_p(before, n, after, m, middle, wider, paired) <= 1 - CONFIDENCE)
			told = middle;
		else
			untold = middle;
	}
	*end = told;
}

/* The noise floor, and the residuals that it is of, which the caller frees. */
static double *measure_noise(const double *before, size_t n, const double *after, size_t m,
			     struct perun_verdict *verdict)
{
	double *residuals = residuals_of(before, n, after, m, verdict, verdict->shift), modes;

	verdict->noise = noise_of(residuals, n + m, &modes);
	if (modes <= MAYBE_MODES || n < LAID_OVER || m < LAID_OVER || n * m > ALIGNMENT_MOST)
		return residuals;
	verdict->usual = best_move(before, n, after, m, verdict->shift);
	perun_free(residuals);
	residuals = residuals_of(before, n, after, m, verdict, verdict->usual);
	verdict->noise = noise_of(residuals, n + m, NULL);
	return residuals;
}

void perun_judge(const double *before, size_t n, const double *after, size_t m,
		 const struct perun_verdict_options *options, struct perun_verdict *verdict)
{
	double *residuals, wider;
	bool paired = options->paired && n == m;
	struct evidence evidence;
	struct perun_shift shift;

	*verdict = (struct perun_verdict){.before_count = n,
					  .after_count = m,
					  .shift = NAN,
					  .usual = NAN,
					  .low = -INFINITY,
					  .high = INFINITY,
					  .p = NAN,
					  .answer = PERUN_UNDECIDED,
					  .more = 2};
	if (n == 0 || m == 0)
		return;
	verdict->before = perun_median(before, n);
	verdict->after = perun_median(after, m);
	perun_hodges_lehmann(before, n, after, m, CONFIDENCE, 1, &shift);
	verdict->shift = shift.shift;
	verdict->low = shift.low;
	verdict->high = shift.high;
	residuals = measure_noise(before, n, after, m, verdict);
	set_effect(verdict, options);
	if (paired)
		compare_pairs(before, after, n, options, verdict, &evidence);
	else
		compare(before, n, after, m, residuals, verdict, &evidence);
	perun_free(residuals);
	if (is_constant(before, n) && is_constant(after, m)) {
		judge_constants(verdict, options);
		return;
	}
	wider = evidence.wider;
	verdict->effective = (double)(n + m) / (wider * wider);
	verdict->low = verdict->shift - wider * (verdict->shift - verdict->low);
	verdict->high = verdict->shift + wider * (verdict->high - verdict->shift);
	verdict->p = dependent_p(&evidence, isnan(evidence.random) ? evidence.p : evidence.random);
	verdict->p = fmax(verdict->p, evidence.least);
	if (!isnan(evidence.random) && verdict->p <= level_of(options) && verdict->low <= 0 &&
	    verdict->high >= 0 && is_large(verdict))
		near_end(before, n, after, m, wider, paired, verdict);
	verdict->apart = are_apart(before, n, after, m, verdict->shift);
	decide(verdict, options);
}

/* ---- words ----------------------------------------------------------------------------------- */

static void add_amount(struct perun_buffer *out, double amount, const char *unit)
{
	perun_buffer_printf(out, "%.4g%s", amount, unit);
}

void perun_verdict_explain(const struct perun_verdict *verdict,
			   const struct perun_verdict_options *options, const char *unit,
			   struct perun_buffer *out)
{
	double level = level_of(options);

	perun_buffer_printf(out, "n %zu and %zu, medians ", verdict->before_count,
			    verdict->after_count);
	add_amount(out, verdict->before, unit);
	perun_buffer_add_text(out, " and ");
	add_amount(out, verdict->after, unit);
	perun_buffer_add_text(out, ", shift ");
	add_amount(out, verdict->shift, unit);
	if (fabs(verdict->shift) < verdict->effect && is_large(verdict)) {
		perun_buffer_add_text(out, " (most runs: ");
		add_amount(out, verdict->usual, unit);
		perun_buffer_add_text(out, ")");
	}
	perun_buffer_printf(out, " in [%.4g, %.4g], p %.2g, noise floor ", verdict->low,
			    verdict->high, verdict->p);
	add_amount(out, verdict->noise, unit);
	perun_buffer_add_text(out, ", minimal effect ");
	add_amount(out, verdict->effect, unit);
	if (verdict->correlation > 0.05 && verdict->noise > 0)
		perun_buffer_printf(out, ", autocorrelation up to %.2f (worth %.0f values)",
				    verdict->correlation, verdict->effective);
	switch (verdict->answer) {
	case PERUN_SAME:
		perun_buffer_add_text(out, "; the interval lies within the minimal effect: only a "
					   "smaller threshold with less noise could tell more");
		break;
	case PERUN_UNDECIDED:
		perun_buffer_printf(out, "; needs about %zu more runs on each side", verdict->more);
		if (fabs(verdict->shift) >= verdict->effect)
			perun_buffer_printf(out, " for p to fall below %g", level);
		else
			perun_buffer_add_text(out, " for the interval to lie within the minimal "
						   "effect or outside of it");
		break;
	default:
		if (verdict->apart && verdict->p > level)
			perun_buffer_add_text(out, "; the shift is many times the range of either "
						   "version, which needs no p");
		perun_buffer_add_text(out, "; no change below a threshold of ");
		add_amount(out, fabs(verdict->shift), unit);
		if (verdict->before != 0)
			perun_buffer_printf(out, " (%.3g %%)",
					    100 * fabs(verdict->shift / verdict->before));
	}
}
