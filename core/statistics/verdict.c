/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict on two versions: the same, more, less, or not enough to say. */
#include <config.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include <perun/lib/units.h>
#include <perun/lib/verdict.h>

#include "core/context/rounded.h"
#include "core/context/structs.h"
#include "core/statistics/alignment.h"
#include "core/statistics/few-runs.h"
#include "core/statistics/location.h"
#include "core/statistics/serial-correlation.h"
#include "core/statistics/sorted.h"

#define LEVEL      0.01
#define CONFIDENCE 0.95
#define RARE_Z     2.5758293035489004 /* of 1 %, two-sided */
#define INTERVAL_Z 1.959963984540054  /* of CONFIDENCE, two-sided */
#define DOUBTFUL   0.03
/* A change of fewer than FEW_RUNS runs is one where an unchanged program differs as much in this share of cases. */
#define FEW_LEVEL   0.001
#define ENOUGH_RUNS 5
/* The factor that a few runs which show no change have to exclude: more than that says nothing. */
#define FEW_EXCLUDED 2
/* Degrees of freedom of a deviation that earlier versions show, or that a file carries. */
#define USUAL_FREEDOM 7
/* perun_student_quantile((1 + CONFIDENCE) / 2, USUAL_FREEDOM): single runs ask for it strand by strand. */
#define USUAL_QUANTILE 2.3646242515927849
/* Residuals are clipped to this many noise floors. */
#define CLIPPED 2
/* A "no change" that cannot exclude a change of this share, though the threshold is less, is none. */
#define MAX_EXCLUDED 0.05
/* A correlation of neighbours is worth a word from here on. */
#define NOTABLE 0.3
/* How the levels of a machine are seen to wander: this many blocks a side, and what their p must be. */
#define BLOCKS     4
#define WANDERING  2.5
#define WALK       2.9
#define BLOCKS_P   0.01
#define MIN_BLOCKS 40
/*
 * A MAD this many times the shortest half says that the median lies between two modes; and that it may well
 * do so, once the samples lie over each other as they should.
 */
#define TWO_MODES   1.3
#define MAYBE_MODES 1.1
/* From this many values a side on, residuals are those about one median. */
#define LAID_OVER 8
/* Noise of differences below this part of that of values says that pairs share noise. */
#define SHARED 0.75
/*
 * This many values or pairs are tested by drawing once more, where the shift is large enough to be a change
 * and the ranks neither are sure of it already (their p is below SURE) nor see nothing at all.
 */
#define MIN_RANDOM 12
#define MIN_PAIRS  8
#define SURE       0.0005
#define WORTHWHILE 0.3
/* From this many values a side on, a shift of this many times their larger range needs no p. */
#define MIN_DISJOINT 4
#define DISJOINT     3.5
/* Or that far apart as factors: what a busy machine hardly makes of the medians, and three runs of the nearest values. */
#define APART_FACTOR 2.2
#define GAP_FACTOR   1.35
/* With fewer values a side too much dependence is possible: fewer are not asked for. */
#define MOSTLY_ENOUGH 18
/* More runs than this are not asked for. */
#define MAX_RUNS 1000000

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
	if (alignment.places) {
		double further;

		alignment_gain(&alignment, second, &further);
		shift += further;
	}
	alignment_end(&alignment);
	perun_free(second);
	perun_free(values);
	return shift;
}

/* The difference of the places that residuals are about. */
static double distance_of(const struct perun_verdict *verdict)
{
	if (verdict->before_count < LAID_OVER || verdict->after_count < LAID_OVER)
		return verdict->after - verdict->before;
	return isnan(verdict->modal_shift) ? verdict->shift : verdict->modal_shift;
}

/* Two sorted samples in one order, each less a number. */
static void merge_less(const struct sorted_samples *samples, double one, double other,
		       double *merged)
{
	size_t n = samples->before_count, m = samples->after_count, i = 0, j = 0;

	/* Which one is the smaller cannot be foretold: no branch depends on it. */
	while (i < n && j < m) {
		double first = samples->one[i] - one, second = samples->other[j] - other;
		bool takes_second = second < first;

		merged[i + j] = takes_second ? second : first;
		i += !takes_second;
		j += takes_second;
	}
	for (; i < n; i++)
		merged[i + j] = samples->one[i] - one;
	for (; j < m; j++)
		merged[i + j] = samples->other[j] - other;
}

static double median_of_sorted(const double *sorted, size_t count)
{
	double upper = sorted[count / 2], lower = count % 2 ? upper : sorted[count / 2 - 1];

	return lower + (upper - lower) / 2;
}

/* perun_mad() of sorted values about 0: from where they change their sign the next one is below or above. */
static double mad_of_sorted(const double *sorted, size_t count)
{
	double lower = 0, upper = 0;
	size_t above = 0, below;

	while (above < count && sorted[above] < 0)
		above++;
	below = above;
	for (size_t i = 0; i <= count / 2; i++) {
		bool down = below > 0 && (above == count || -sorted[below - 1] < sorted[above]);

		lower = upper;
		upper = down ? -sorted[--below] : sorted[above++];
	}
	return count % 2 ? upper : lower + (upper - lower) / 2;
}

/* Residuals of both samples, one after the other, and all in order. */
struct apart {
	double *values, *sorted;
};

static void apart_free(struct apart *apart)
{
	perun_free(apart->values);
	perun_free(apart->sorted);
}

/*
 * Residuals of both samples: about the medians of each, or, where there are enough of them, about the median of both laid
 * over each other, the second one moved. So a second mode that one sample happens to visit half of the time does not pass
 * for noise of all values.
 */
static struct apart residuals_of(const struct sorted_samples *samples,
				 const struct perun_verdict *verdict)
{
	size_t n = samples->before_count, m = samples->after_count;
	struct apart apart = {perun_alloc((n + m + 1) * sizeof(double)),
			      perun_alloc((n + m + 1) * sizeof(double))};
	double one = verdict->before, other = verdict->after, moved = distance_of(verdict);

	if (n >= LAID_OVER && m >= LAID_OVER) {
		merge_less(samples, 0, moved, apart.sorted);
		one = median_of_sorted(apart.sorted, n + m);
		other = one + moved;
	}
	for (size_t i = 0; i < n; i++)
		apart.values[i] = samples->before[i] - one;
	for (size_t i = 0; i < m; i++)
		apart.values[n + i] = samples->after[i] - other;
	merge_less(samples, one, other, apart.sorted);
	return apart;
}

/*
 * Robust deviation of one value; where most values are equal, from the mean of absolute deviations.
 * `modes` (may be NULL): how many times the MAD is what the shortest half says, 0 where that is not known.
 */
static double noise_of(const struct apart *apart, size_t count, double *modes)
{
	double n = (double)count, noise, half = 0, ratio, sum = 0;

	noise = PERUN_MAD_TO_SIGMA * mad_of_sorted(apart->sorted, count);
	/* Medians were fitted: without this, few values would show too little noise. */
	if (count > 3)
		noise *= n / (n - 0.8);
	if (count >= 2 * LAID_OVER && noise > 0)
		half = location_shortest_half_of_sorted(apart->sorted, count, count / 2);
	ratio = half > 0 ? noise / half : 0;
	if (modes)
		*modes = ratio;
	if (ratio > TWO_MODES)
		noise = half;
	if (noise > 0)
		return noise;
	for (size_t i = 0; i < count; i++)
		sum += fabs(apart->values[i]) / n;
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
		       const struct perun_verdict *verdict, double r)
{
	double limit = 3 * verdict->noise;
	double one = block_variance(residuals, n, limit);
	double other = block_variance(residuals + n, m, limit), error = one + other;
	double b = (double)(n + m) / (2 * BLOCKS), expected, t;

	expected = (fast_variance(residuals, n, limit) + fast_variance(residuals + n, m, limit)) /
		   (1 - r) * serial_inflation(r, b) / b;
	if (!(error > 0))
		return 0;
	t = fabs(verdict->shift) / sqrt(error / BLOCKS);
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

/* Whether one of the sides has too few values for their own spread to say how sure a shift is. */
static bool is_few(const struct perun_verdict *verdict)
{
	return verdict->before_count < FEW_RUNS || verdict->after_count < FEW_RUNS;
}

static size_t fewest(const struct perun_verdict *verdict)
{
	return verdict->before_count < verdict->after_count ? verdict->before_count
							    : verdict->after_count;
}

static double level_of(const struct perun_verdict_options *options)
{
	return options->level > 0 ? options->level : LEVEL;
}

/* How many values a side settle the question, when the standard error falls with their root. */
static size_t runs_needed(const struct perun_verdict *verdict,
			  const struct perun_verdict_options *options, double level)
{
	double enough = fmax(options->threshold, MAX_EXCLUDED) * fabs(verdict->before);
	double n = fmin((double)verdict->before_count, (double)verdict->after_count);
	double half = (verdict->high - verdict->low) / 2, shift = fabs(verdict->shift), wanted;
	double least = fmax(ceil(log(2 / level) / log(2) / 2) + 2, MOSTLY_ENOUGH);

	if (!isfinite(half) || n < 2)
		return (size_t)fmax(least - n, 1);
	if (shift >= verdict->effect)
		wanted = shift * 1.96 / perun_normal_quantile(1 - level / 2);
	else
		wanted = (options->strict ? fmin(verdict->effect, enough) : enough) - shift;
	wanted = fmax(wanted, half / 30);
	n = fmax(n * (half / wanted) * (half / wanted) - n, fmax(least - n, 1));
	return (size_t)fmin(ceil(n), MAX_RUNS);
}

/* Whether all values of one side are far above all of the other, by a factor that no busy machine makes. */
static bool are_factors_apart(const struct sorted_samples *samples,
			      const struct perun_verdict *verdict)
{
	const double *one = samples->one, *other = samples->other;
	bool rises = verdict->shift > 0;
	double lower = rises ? one[samples->before_count - 1] : other[samples->after_count - 1];
	double upper = rises ? other[0] : one[0];

	return lower > 0 && upper >= GAP_FACTOR * lower &&
	       fmax(verdict->before, verdict->after) >=
		       APART_FACTOR * fmin(verdict->before, verdict->after);
}

/* Whether the samples lie so far apart that not even dependent values explain it. */
static bool are_disjoint(const struct sorted_samples *samples, const struct perun_verdict *verdict)
{
	size_t n = samples->before_count, m = samples->after_count;

	if (n < MIN_DISJOINT || m < MIN_DISJOINT)
		return false;
	return fabs(verdict->shift) >= DISJOINT * fmax(samples->one[n - 1] - samples->one[0],
						       samples->other[m - 1] - samples->other[0]) ||
	       are_factors_apart(samples, verdict);
}

/* Whether the shift is at least the minimal effect: of all values, or of most, where these agree. */
static bool is_large(const struct perun_verdict *verdict)
{
	return fabs(verdict->shift) >= verdict->effect ||
	       ((verdict->modal_shift > 0) == (verdict->shift > 0) &&
		fabs(verdict->modal_shift) >= verdict->effect);
}

/* What a few runs may differ by is a factor, up or down. */
static void set_effect(struct perun_verdict *verdict, const struct perun_verdict_options *options)
{
	double floor = options->floor;

	if (is_few(verdict) && verdict->shift < 0)
		floor /= 1 + floor;
	verdict->effect =
		fmax(verdict->noise, fmax(options->threshold, floor) * fabs(verdict->before));
}

/* "No change" excludes a change that a user would want to know of: of the threshold, or of MAX_EXCLUDED. */
static bool is_same(const struct perun_verdict *verdict,
		    const struct perun_verdict_options *options)
{
	double excluded = fmax(-verdict->low, verdict->high);

	return (!options->strict || excluded <= verdict->effect) &&
	       excluded <= fmax(options->threshold, MAX_EXCLUDED) * fabs(verdict->before);
}

static void decide_many(struct perun_verdict *verdict, const struct perun_verdict_options *options)
{
	double level = level_of(options);
	bool real = verdict->p <= level && is_large(verdict) && verdict->shift != 0;

	verdict->more = 0;
	real |= verdict->disjoint && fabs(verdict->shift) >= verdict->effect;
	if (real) {
		verdict->answer =
			verdict->shift > 0 ? PERUN_VERDICT_INCREASE : PERUN_VERDICT_DECREASE;
	} else if (is_same(verdict, options)) {
		verdict->answer = PERUN_VERDICT_SAME;
	} else {
		verdict->answer = PERUN_VERDICT_UNDECIDED;
		verdict->more = runs_needed(verdict, options, level);
	}
}

static bool excludes_factor(const struct perun_verdict *verdict)
{
	double level = fabs(verdict->before);

	return verdict->high <= (FEW_EXCLUDED - 1) * level &&
	       -verdict->low <= (1 - 1.0 / FEW_EXCLUDED) * level;
}

/*
 * What is rarer than FEW_LEVEL is a change, unless the number of tests explains it; what is common, none that so few runs
 * could show, however many others are compared: a history, which looks at each strand by itself, says the same.
 */
static void decide_few(struct perun_verdict *verdict, const struct perun_verdict_options *options)
{
	double level = level_of(options), raw = fmin(verdict->independent_p, verdict->p);

	if (raw <= fmin(level, few_runs_certain_p(fewest(verdict))))
		verdict->p = fmin(verdict->p, level);
	verdict->more = ENOUGH_RUNS - fewest(verdict);
	if (raw <= fmin(level, FEW_LEVEL) && verdict->p <= level && is_large(verdict))
		verdict->answer =
			verdict->shift > 0 ? PERUN_VERDICT_INCREASE : PERUN_VERDICT_DECREASE;
	else if (raw > 1 - CONFIDENCE && excludes_factor(verdict))
		verdict->answer = PERUN_VERDICT_SAME;
	else
		verdict->answer = PERUN_VERDICT_UNDECIDED;
}

static void decide(struct perun_verdict *verdict, const struct perun_verdict_options *options)
{
	if (is_few(verdict) && verdict->noise > 0 && !options->paired)
		decide_few(verdict, options);
	else
		decide_many(verdict, options);
}

void perun_verdict_readjust(struct perun_verdict *verdict,
			    const struct perun_verdict_options *options, double p)
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
	double p;     /* of the ranks, or of the randomization test where that was asked */
	double z;     /* of Student's test; 0 where that was not asked */
	double least; /* p is at least this */
	double width; /* how many times as large a z must be as of independent values */
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
	struct apart apart = {.values = differences};
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
	apart.sorted = perun_memdup(differences, count * sizeof *differences);
	perun_sort_doubles(apart.sorted, count);
	noise = noise_of(&apart, count, NULL);
	/* Of one value: a difference has twice its variance, but far less where pairs share noise. */
	shared = noise / M_SQRT2 < SHARED * verdict->noise;
	if (shared)
		verdict->noise = noise / M_SQRT2;
	set_effect(verdict, options);
	verdict->low = shift.low;
	verdict->high = shift.high;
	/* Who went first was drawn for each pair: the signs do not depend on each other. */
	*evidence = (struct evidence){.p = test.p, .width = 1};
	if (count >= MIN_PAIRS && count <= PERUN_RANDOMIZATION_MAX_SAMPLES && test.p > SURE &&
	    is_large(verdict))
		evidence->p = pairs_p(before, after, count, shared);
	apart_free(&apart);
}

/* p of a test where z must be this many times as large as of independent values. */
static double widened_p(const struct evidence *evidence)
{
	double z = evidence->z;

	if (!(evidence->width > 1) || evidence->p >= 1)
		return evidence->p;
	if (evidence->p > 0)
		z = fmax(z, -perun_normal_quantile(evidence->p / 2));
	return fmax(evidence->p, erfc(z / evidence->width * M_SQRT1_2));
}

/* Whether to test by drawing, too: ranks see nothing of modes. */
static bool is_worth_drawing(const struct perun_verdict *verdict, const struct evidence *evidence)
{
	return verdict->before_count >= MIN_RANDOM && verdict->after_count >= MIN_RANDOM &&
	       verdict->before_count <= PERUN_RANDOMIZATION_MAX_SAMPLES &&
	       verdict->after_count <= PERUN_RANDOMIZATION_MAX_SAMPLES &&
	       widened_p(evidence) > SURE &&
	       (evidence->p <= WORTHWHILE || !isnan(verdict->modal_shift)) && is_large(verdict);
}

static void compare(const struct sorted_samples *samples, const double *values,
		    struct perun_verdict *verdict, struct evidence *evidence)
{
	const double *before = samples->before, *after = samples->after;
	size_t n = samples->before_count, m = samples->after_count;
	struct residuals residuals = {values, n, m, CLIPPED * verdict->noise};
	struct serial_correlation correlation;
	struct perun_mann_whitney test;

	serial_correlation_of(&residuals, &correlation);
	verdict->correlation = correlation.measured;
	sorted_ranks(samples, DOUBTFUL, &test);
	*evidence = (struct evidence){.p = test.p,
				      .z = serial_student_z(&residuals, distance_of(verdict)),
				      .width = correlation.width};
	if (is_worth_drawing(verdict, evidence))
		evidence->p = perun_randomization_p(before, n, after, m, false);
	if (n >= MIN_BLOCKS && m >= MIN_BLOCKS) {
		double blocks = blocks_p(values, n, m, verdict, correlation.allowed);

		if (blocks > BLOCKS_P)
			evidence->least = blocks;
	}
}

/*
 * p and interval are of one test: where one of them says that there is a shift and the other does not, the
 * interval's end near 0 is that of a normal test with this p.
 */
static void reconcile(struct perun_verdict *verdict)
{
	double *end = verdict->shift > 0 ? &verdict->low : &verdict->high;
	bool excluded = verdict->low > 0 || verdict->high < 0;

	if (verdict->shift == 0 || !isfinite(verdict->p) ||
	    excluded == (verdict->p <= 1 - CONFIDENCE))
		return;
	if (verdict->p >= 1)
		*end = 0;
	else if (verdict->p > 0)
		*end = verdict->shift * (1 + INTERVAL_Z / perun_normal_quantile(verdict->p / 2));
}

/* The noise floor, and the residuals that it is of, which the caller frees. */
static double *measure_noise(const struct sorted_samples *samples, struct perun_verdict *verdict)
{
	const double *before = samples->before, *after = samples->after;
	size_t n = samples->before_count, m = samples->after_count;
	struct apart apart = residuals_of(samples, verdict);
	double modes;

	verdict->noise = noise_of(&apart, n + m, &modes);
	if (modes > MAYBE_MODES && n >= LAID_OVER && m >= LAID_OVER && n * m <= MAX_ALIGNMENT) {
		verdict->modal_shift = best_move(before, n, after, m, verdict->shift);
		apart_free(&apart);
		apart = residuals_of(samples, verdict);
		verdict->noise = noise_of(&apart, n + m, NULL);
	}
	perun_free(apart.sorted);
	return apart.values;
}

/* Few values, but it is known how far two versions differ though nothing changed. */
static void judge_by_usual(const struct perun_verdict_options *options,
			   struct perun_verdict *verdict)
{
	double level = fabs(verdict->before), width = USUAL_QUANTILE * options->usual, change;
	bool positive = verdict->before > 0 && verdict->after > 0;

	verdict->shift = verdict->after - verdict->before;
	change = positive ? log(verdict->after / verdict->before) : verdict->shift / level;
	verdict->p = 2 * perun_student_cdf(-fabs(change) / options->usual, USUAL_FREEDOM);
	verdict->independent_p = verdict->p;
	verdict->low = level * (positive ? expm1(change - width) : change - width);
	verdict->high = level * (positive ? expm1(change + width) : change + width);
	verdict->noise = options->usual * level / M_SQRT2;
	set_effect(verdict, options);
	decide(verdict, options);
}

/* Whether no value of one sample lies among those of the other. */
static bool are_apart(const double *before, size_t n, const double *after, size_t m)
{
	double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};

	for (size_t i = 0; i < n + m; i++) {
		double value = i < n ? before[i] : after[i - n];

		least[i >= n] = fmin(least[i >= n], value);
		most[i >= n] = fmax(most[i >= n], value);
	}
	return most[0] < least[1] || most[1] < least[0];
}

/*
 * Fewer than FEW_RUNS values on a side: the change is compared with those of unchanged programs. Where two
 * standard errors of the values themselves are more than such programs rarely change by, it counts for less; where the
 * samples overlap, which two outliers of three do, it remains doubtful.
 */
static void judge_few(const struct sorted_samples *samples,
		      const struct perun_verdict_options *options, struct perun_verdict *verdict)
{
	const double *before = samples->before, *after = samples->after;
	size_t n = samples->before_count, m = samples->after_count;
	double change, usual = 0, scale = 1, rare = few_runs_change(fewest(verdict), 0.01);

	perun_free(measure_noise(samples, verdict));
	if (options->usual > 0 && verdict->before != 0) {
		judge_by_usual(options, verdict);
		return;
	}
	if (verdict->before > 0 && verdict->after > 0) {
		change = log(verdict->after) - log(verdict->before);
		usual = verdict->noise / fmin(verdict->before, verdict->after) *
			sqrt(1 / (double)n + 1 / (double)m);
		scale = fmax(1, 2 * usual / rare);
		verdict->shift = verdict->after - verdict->before;
		verdict->p = few_runs_p(fewest(verdict), fabs(change) / scale);
		if (!are_apart(before, n, after, m))
			verdict->p = fmax(verdict->p, DOUBTFUL);
		usual = scale * few_runs_change(fewest(verdict), 1 - CONFIDENCE);
		verdict->low = verdict->before * expm1(change - usual);
		verdict->high = verdict->before * expm1(change + usual);
	} else {
		verdict->p = 1;
		verdict->low = -INFINITY;
		verdict->high = INFINITY;
	}
	verdict->independent_p = verdict->p;
	/* What is known of such programs is the noise floor. */
	verdict->noise = fmax(verdict->noise, scale * rare / RARE_Z * fabs(verdict->before));
	set_effect(verdict, options);
	decide(verdict, options);
}

/* FEW_RUNS and more values on each side. */
static void judge_many(const struct sorted_samples *samples,
		       const struct perun_verdict_options *options, struct perun_verdict *verdict)
{
	const double *before = samples->before, *after = samples->after;
	size_t n = samples->before_count, m = samples->after_count;
	double *residuals = measure_noise(samples, verdict);
	struct evidence evidence;

	set_effect(verdict, options);
	if (options->paired && n == m)
		compare_pairs(before, after, n, options, verdict, &evidence);
	else
		compare(samples, residuals, verdict, &evidence);
	perun_free(residuals);
	verdict->effective = (double)(n + m) / (evidence.width * evidence.width);
	verdict->low = verdict->shift - evidence.width * (verdict->shift - verdict->low);
	verdict->high = verdict->shift + evidence.width * (verdict->high - verdict->shift);
	verdict->independent_p = evidence.p;
	verdict->p = fmax(widened_p(&evidence), evidence.least);
	verdict->disjoint = are_disjoint(samples, verdict);
	reconcile(verdict);
	decide(verdict, options);
}

/*
 * A change is printed as the step between the medians, which need not be the shift of Hodges and Lehmann where values are
 * skewed: its interval holds both.
 */
static void hold_medians(struct perun_verdict *verdict)
{
	double step = verdict->after - verdict->before;
	bool changed = verdict->answer == PERUN_VERDICT_INCREASE ||
		       verdict->answer == PERUN_VERDICT_DECREASE;

	if (!changed || (step > 0) != (verdict->shift > 0))
		return;
	verdict->low = fmin(verdict->low, step);
	verdict->high = fmax(verdict->high, step);
}

/* perun_median() of values that are sorted as well; of zeros, that may be negative, the one that it finds. */
static double median_in_order(const double *values, size_t count, const double *sorted)
{
	double median = median_of_sorted(sorted, count);

	return median != 0 && !isnan(median) ? median : perun_median(values, count);
}

void perun_judge(const double *before, size_t n, const double *after, size_t m,
		 const struct perun_verdict_options *given, struct perun_verdict *verdict)
{
	struct perun_verdict_options taken, *options = &taken;
	struct sorted_samples samples;
	struct perun_shift shift;

	PERUN_STRUCT_TAKE(options, given);
	*verdict = (struct perun_verdict){.before_count = n,
					  .after_count = m,
					  .shift = NAN,
					  .modal_shift = NAN,
					  .low = -INFINITY,
					  .high = INFINITY,
					  .p = NAN,
					  .independent_p = NAN,
					  .answer = PERUN_VERDICT_UNDECIDED,
					  .more = 2};
	if (n == 0 || m == 0)
		return;
	sorted_samples_make(&samples, before, n, after, m);
	verdict->before = median_in_order(before, n, samples.one);
	verdict->after = median_in_order(after, m, samples.other);
	sorted_shift(&samples, CONFIDENCE, 1, &shift);
	verdict->shift = shift.shift;
	verdict->low = shift.low;
	verdict->high = shift.high;
	/* Nothing remains nothing, however few say so. */
	if ((is_constant(before, n) && is_constant(after, m)) ||
	    (is_few(verdict) && verdict->before == 0 && verdict->after == 0)) {
		set_effect(verdict, options);
		judge_constants(verdict, options);
	} else if (is_few(verdict) && !options->paired) {
		judge_few(&samples, options, verdict);
	} else {
		judge_many(&samples, options, verdict);
	}
	sorted_samples_free(&samples);
	hold_medians(verdict);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Sooner than a format does, of which there are some in each explanation. */
static void add_count(struct perun_buffer *out, size_t count)
{
	char digits[3 * sizeof count], *first = digits + sizeof digits;

	do {
		*--first = (char)('0' + count % 10);
	} while ((count /= 10));
	perun_buffer_add(out, first, (size_t)(digits + sizeof digits - first));
}

void perun_verdict_explain(const struct perun_verdict *verdict,
			   const struct perun_verdict_options *options, const char *unit,
			   struct perun_buffer *out)
{
	double level = level_of(options);

	perun_buffer_add_text(out, "n ");
	add_count(out, verdict->before_count);
	perun_buffer_add_text(out, " and ");
	add_count(out, verdict->after_count);
	perun_buffer_add_text(out, ", medians ");
	perun_add_amount(out, verdict->before, unit);
	perun_buffer_add_text(out, " and ");
	perun_add_amount(out, verdict->after, unit);
	perun_buffer_add_text(out, ", shift ");
	perun_add_amount(out, verdict->shift, unit);
	if (fabs(verdict->shift) < verdict->effect && is_large(verdict)) {
		perun_buffer_add_text(out, " (most runs: ");
		perun_add_amount(out, verdict->modal_shift, unit);
		perun_buffer_add_text(out, ")");
	}
	perun_buffer_add_text(out, " in [");
	perun_add_amount(out, verdict->low, unit);
	perun_buffer_add_text(out, ", ");
	perun_add_amount(out, verdict->high, unit);
	perun_buffer_add_text(out, "], p ");
	perun_buffer_add_rounded(out, verdict->p, 2);
	perun_buffer_add_text(out, ", noise floor ");
	perun_add_amount(out, verdict->noise, unit);
	perun_buffer_add_text(out, ", minimal effect ");
	perun_add_amount(out, verdict->effect, unit);
	if (verdict->correlation > NOTABLE && !is_few(verdict))
		perun_buffer_printf(out, ", neighbouring runs correlate by %.2f",
				    verdict->correlation);
	if (verdict->independent_p <= level && verdict->p > level && !is_few(verdict))
		perun_buffer_printf(out,
				    ", p %.2g if the runs were independent, which %zu do not show",
				    verdict->independent_p, fewest(verdict));
	if (is_few(verdict) && options->usual > 0 && verdict->shift != 0)
		perun_buffer_printf(out, ", versions are known to differ by %.2g %%",
				    100 * options->usual);
	else if (is_few(verdict) && verdict->noise > 0 && verdict->shift != 0)
		perun_buffer_printf(out,
				    ", with %zu %s a side a change below %.0f %% is not unusual",
				    fewest(verdict), fewest(verdict) == 1 ? "run" : "runs",
				    100 * expm1(few_runs_change(fewest(verdict), 0.01)));
	switch (verdict->answer) {
	case PERUN_VERDICT_SAME:
		if (verdict->before != 0 && isfinite(verdict->low) && isfinite(verdict->high))
			perun_buffer_printf(out, "; changes above %.2g %% are excluded",
					    100 * fmax(fmax(0 - verdict->low, verdict->high), 0) /
						    fabs(verdict->before));
		break;
	case PERUN_VERDICT_UNDECIDED:
		if (verdict->more > PERUN_VERDICT_MAX_MORE_RUNS)
			perun_buffer_add_text(out, "; undecided: no reasonable number of runs "
						   "would settle it, a quieter machine may");
		else {
			perun_buffer_add_text(out, "; undecided: about ");
			add_count(out, verdict->more);
			perun_buffer_add_text(out, verdict->more == 1 ? " more run" : " more runs");
			perun_buffer_add_text(out, " per side should settle it");
		}
		break;
	default:
		if (verdict->disjoint && verdict->p > level)
			perun_buffer_add_text(out, "; no run of one version is anywhere near those "
						   "of the other");
		perun_buffer_add_text(out, "; reported up to a threshold of ");
		perun_add_amount(out, fabs(verdict->shift), unit);
		if (verdict->before != 0)
			perun_buffer_printf(out, " (%.3g %%)",
					    100 * fabs(verdict->shift / verdict->before));
	}
}
