/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict on two versions: the same, more, less, or not enough to say. */
#include <config.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include <perun/verdict.h>

#define LEVEL      0.01
#define CONFIDENCE 0.95
#define DOUBTFUL   0.1
/* Standard errors that are added to the estimated correlation. Chosen with bench/verdict, seed 1. */
#define CAUTION 2.0
#define SEEN    2.2
/* Below so many values a side the correlation cannot be estimated: it is taken for this. */
#define ESTIMABLE 18
#define ASSUMED   0.6
/* How the levels of a machine are seen to wander: so many blocks a side, and what their p must be. */
#define BLOCKS       4
#define WANDERING    2.5
#define WALK         2.9
#define BLOCKS_P     0.01
#define BLOCKS_LEAST 40
/* From so many values a side on, a shift of so many times their larger range needs no p. */
#define APART_LEAST 4
#define APART       3.5
/* More runs than this are not asked for. */
#define MOST_RUNS 1000000

/* Residuals about the medians of both samples, one behind the other. */
static double *residuals_of(const double *before, size_t n, const double *after, size_t m,
			    struct perun_verdict *verdict)
{
	double *residuals = perun_alloc_zero(n + m + 1, sizeof *residuals);

	verdict->before = perun_median(before, n);
	verdict->after = perun_median(after, m);
	for (size_t i = 0; i < n; i++)
		residuals[i] = before[i] - verdict->before;
	for (size_t i = 0; i < m; i++)
		residuals[n + i] = after[i] - verdict->after;
	return residuals;
}

/* Robust deviation of one value; where most values are equal, from the mean of absolute deviations. */
static double noise_of(const double *residuals, size_t count)
{
	double n = (double)count, noise, sum = 0;

	noise = PERUN_MAD_TO_SIGMA * perun_mad(residuals, count, 0);
	/* Medians were fitted: without this, few values would show too little noise. */
	if (count > 3)
		noise *= n / (n - 0.8);
	if (noise > 0)
		return noise;
	for (size_t i = 0; i < count; i++)
		sum += fabs(residuals[i]) / n;
	return sum * sqrt(M_PI / 2);
}

/* Products of neighbours and squares of a part of the residuals, about its mean, outliers limited. */
static void add_products(const double *residuals, size_t count, double limit, double *product,
			 double *square)
{
	double mean = 0, last = 0;

	for (size_t i = 0; i < count; i++)
		mean += fmax(-limit, fmin(limit, residuals[i])) / (double)count;
	for (size_t i = 0; i < count; i++) {
		double now = fmax(-limit, fmin(limit, residuals[i])) - mean;

		*product += i ? now * last : 0;
		*square += now * now;
		last = now;
	}
}

static double correlation_of(const double *residuals, size_t n, size_t m, double noise)
{
	double product = 0, square = 0, r, all = (double)(n + m), each, error, seen;

	/* Half of all (the harmonic mean would be more exact where sizes differ much). */
	each = n && m ? 2 * (double)n * (double)m / all : all;
	if (each < ESTIMABLE)
		return ASSUMED;
	add_products(residuals, n, 3 * noise, &product, &square);
	add_products(residuals + n, m, 3 * noise, &product, &square);
	r = square > 0 ? product / square : 0;
	r = (r + 1 / each) / fmax(1 - 4 / each, 0.4);
	r = fmin(r, 0.95);
	error = sqrt((1 - fmin(r * r, 1)) / all);
	/* What independent values show as well is hardly taken for dependence. */
	seen = SEEN / sqrt(all);
	if (r < seen)
		return r < 0 ? 0 : r * r / seen;
	return fmin(r + CAUTION * error, 0.95);
}

/* Variance of the mean of n values of an AR(1) process, over that of independent ones. */
static double inflation_of(double r, double n)
{
	double whole = (1 + r) / (1 - r);

	if (n < 1)
		return whole;
	return whole - 2 * r * (1 - pow(r, n)) / (n * (1 - r) * (1 - r));
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
		   (1 - r) * inflation_of(r, b) / b;
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

/* How many values a side settle the question, when the standard error falls with their root. */
static size_t runs_needed(const struct perun_verdict *verdict, double level)
{
	double n = fmin((double)verdict->before_count, (double)verdict->after_count);
	double half = (verdict->high - verdict->low) / 2, shift = fabs(verdict->shift), wanted;
	double least = ceil(log(2 / level) / log(2) / 2) + 2;

	if (!isfinite(half) || n < 2)
		return (size_t)fmax(least - n, 1);
	if (shift >= verdict->effect)
		wanted = shift * 1.96 / perun_normal_quantile(1 - level / 2);
	else
		wanted = verdict->effect - shift;
	/* Where dependence was assumed, not measured, measuring it may do. */
	if (n < ESTIMABLE) {
		half *= sqrt(verdict->effective /
			     (double)(verdict->before_count + verdict->after_count));
		least = fmax(least, ESTIMABLE);
	}
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

static void decide(struct perun_verdict *verdict, const struct perun_verdict_options *options)
{
	double level = options->level > 0 ? options->level : LEVEL;
	bool real = verdict->p <= level && fabs(verdict->shift) >= verdict->effect &&
		    verdict->shift != 0;

	verdict->more = 0;
	real &= verdict->low * verdict->high > 0;
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

/* Shift, interval and test of differences of pairs. */
static void compare_pairs(const double *before, const double *after, size_t count,
			  struct perun_verdict *verdict, double *z, double *exact)
{
	double *differences = perun_alloc_zero(count + 1, sizeof *differences), noise, middle;
	struct perun_mann_whitney test;
	struct perun_shift shift;

	for (size_t i = 0; i < count; i++)
		differences[i] = after[i] - before[i];
	perun_walsh_shift(differences, count, CONFIDENCE, &shift);
	perun_signed_ranks(differences, count, &test);
	middle = perun_median(differences, count);
	for (size_t i = 0; i < count; i++)
		differences[i] -= middle;
	noise = noise_of(differences, count);
	/* Of one value: a difference has twice its variance. */
	verdict->noise = noise / M_SQRT2;
	/* Who went first was drawn for each pair: the signs do not depend on each other. */
	verdict->correlation = 0;
	verdict->shift = shift.shift;
	verdict->low = shift.low;
	verdict->high = shift.high;
	*z = test.z;
	*exact = test.p;
	perun_free(differences);
}

static void compare(const double *before, size_t n, const double *after, size_t m,
		    const double *residuals, struct perun_verdict *verdict, double *z,
		    double *exact)
{
	struct perun_mann_whitney test;
	struct perun_shift shift;

	verdict->correlation = correlation_of(residuals, n, m, verdict->noise);
	/* Far from any level the approximation will do. */
	perun_mann_whitney_below(before, n, after, m, DOUBTFUL, &test);
	perun_hodges_lehmann(before, n, after, m, CONFIDENCE, 1, &shift);
	verdict->shift = shift.shift;
	verdict->low = shift.low;
	verdict->high = shift.high;
	*z = test.z;
	*exact = test.p;
	if (n >= BLOCKS_LEAST && m >= BLOCKS_LEAST) {
		double blocks = blocks_p(residuals, n, m, verdict, shift.shift);

		if (blocks > BLOCKS_P)
			*exact = fmax(*exact, blocks);
	}
}

void perun_judge(const double *before, size_t n, const double *after, size_t m,
		 const struct perun_verdict_options *options, struct perun_verdict *verdict)
{
	double *residuals, inflation, z, exact, each, wider;
	bool paired = options->paired && n == m;

	*verdict = (struct perun_verdict){.before_count = n,
					  .after_count = m,
					  .shift = NAN,
					  .low = -INFINITY,
					  .high = INFINITY,
					  .p = NAN,
					  .answer = PERUN_UNDECIDED,
					  .more = 2};
	if (n == 0 || m == 0)
		return;
	residuals = residuals_of(before, n, after, m, verdict);
	verdict->noise = noise_of(residuals, n + m);
	if (paired)
		compare_pairs(before, after, n, verdict, &z, &exact);
	else
		compare(before, n, after, m, residuals, verdict, &z, &exact);
	perun_free(residuals);
	verdict->effect = fmax(verdict->noise,
			       fmax(options->threshold, options->floor) * fabs(verdict->before));
	if (is_constant(before, n) && is_constant(after, m)) {
		judge_constants(verdict, options);
		return;
	}
	each = 2 * (double)n * (double)m / (double)(n + m);
	inflation = fmax(inflation_of(verdict->correlation, each), 1);
	verdict->effective = (double)(n + m) / inflation;
	wider = sqrt(inflation);
	verdict->low = verdict->shift - wider * (verdict->shift - verdict->low);
	verdict->high = verdict->shift + wider * (verdict->high - verdict->shift);
	verdict->p = inflation > 1 ? fmax(exact, erfc(fabs(z) / wider * M_SQRT1_2)) : exact;
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
	double level = options->level > 0 ? options->level : LEVEL;

	perun_buffer_printf(out, "n %zu and %zu, medians ", verdict->before_count,
			    verdict->after_count);
	add_amount(out, verdict->before, unit);
	perun_buffer_add_text(out, " and ");
	add_amount(out, verdict->after, unit);
	perun_buffer_add_text(out, ", shift ");
	add_amount(out, verdict->shift, unit);
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
					   "smaller --threshold with less noise could tell more");
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
