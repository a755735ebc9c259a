/* SPDX-License-Identifier: BSD-3-Clause */
/* How well noise that remembers itself explains a difference of two samples. */
#include <config.h>

#include <float.h>
#include <math.h>

#include <perun/lib/statistics.h>

#include "core/statistics/autoregression.h"

/* Correlations of neighbours that are weighed against each other; between them likelihoods hardly differ. */
static const double memories[AUTOREGRESSIONS] = {0, 0.4, 0.7, 0.9};
/* Values are limited to so many deviations about the median of all. */
#define LIMIT 3
/*
 * The shift that the test is made for, in standard errors: twice the deviation of a value, with 20 values
 * a side. Any other has the likelihood of the best one, less this for that it was chosen.
 */
#define EXPECTED 6.3245553203367587
#define CHOSEN   3
/*
 * Logarithm of the odds of noise that remembers itself: SCARCE over the values of a side, at most MOST_ODDS.
 * Chosen on noise of AR 0 to 0.9 (seeds 1 to 8, 21, 22, 91), so that at most 1 % of its comparisons differ
 * with 4 to 120 values a side: the fewer values, the less they tell of how they depend on each other.
 */
#define SCARCE    47
#define MOST_ODDS 3.5
/* z is looked for up to this, with so many steps. */
#define MOST_Z 25
#define STEPS  12

double autoregression_inflation(double r, double n)
{
	double whole = (1 + r) / (1 - r);

	if (n < 1)
		return whole;
	return whole - 2 * r * (1 - pow(r, n)) / (n * (1 - r) * (1 - r));
}

double autoregression_inflated_by(double inflation, double n)
{
	double low = 0, high = 0.99;

	for (int i = 0; i < 20 && inflation > 1; i++) {
		double middle = (low + high) / 2;

		if (autoregression_inflation(middle, n) < inflation)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Sums of products, weighed by the inverse of the correlations' matrix. */
struct products {
	double squares, values, ones;
};

/* Those of a stationary AR(1) series; each step adds what the value before does not tell. */
static void add_series(const double *values, size_t count, double r, struct products *products)
{
	double scale = 1 / (1 - r * r), one = 1 - r;

	products->squares += values[0] * values[0];
	products->values += values[0];
	products->ones += 1;
	for (size_t i = 1; i < count; i++) {
		double news = values[i] - r * values[i - 1];

		products->squares += scale * news * news;
		products->values += scale * news * one;
		products->ones += scale * one * one;
	}
}

/* Squares about the level that fits best. */
static double rest_of(const struct products *products)
{
	return fmax(products->squares - products->values * products->values / products->ones, 0);
}

/* Log-likelihood of normal noise of any level and deviation, both of which are integrated out. */
static double likelihood_of(const double *before, size_t n, const double *after, size_t m, double r)
{
	struct products products = {0};
	double all = (double)(n + m);

	add_series(before, n, r, &products);
	add_series(after, m, r, &products);
	return -(all - 2) / 2 * log(1 - r * r) - log(products.ones) / 2 -
	       (all - 1) / 2 * log(fmax(rest_of(&products), DBL_MIN));
}

/*
 * z that is as unlikely as Student's t, and back (Wallace, 1959: within 0.1 for any t and any number of
 * degrees of freedom).
 */
static double z_of_t(double square, double df)
{
	return (8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(square / df));
}

static double square_of_z(double z, double df)
{
	double wider = z * (8 * df + 3) / (8 * df + 1);

	return df * expm1(fmin(wider * wider / df, 600));
}

static double student_z(const double *before, size_t n, const double *after, size_t m)
{
	struct products one = {0}, other = {0};
	double df = (double)(n + m - 2), difference, error;

	add_series(before, n, 0, &one);
	add_series(after, m, 0, &other);
	difference = other.values / other.ones - one.values / one.ones;
	error = (rest_of(&one) + rest_of(&other)) / df * (1 / one.ones + 1 / other.ones);
	if (difference == 0)
		return 0;
	return fmin(z_of_t(difference * difference / fmax(error, DBL_MIN), df), MOST_Z);
}

/* All values about their median, outliers limited, as parts of the largest: so no square overflows. */
static double *limited(const double *before, size_t n, const double *after, size_t m)
{
	double *values = perun_alloc_zero(n + m, sizeof *values), middle, limit, largest = 0;

	for (size_t i = 0; i < n + m; i++)
		values[i] = i < n ? before[i] : after[i - n];
	middle = perun_median(values, n + m);
	limit = LIMIT * PERUN_MAD_TO_SIGMA * perun_mad(values, n + m, middle);
	for (size_t i = 0; i < n + m; i++) {
		values[i] -= middle;
		if (limit > 0)
			values[i] = fmax(-limit, fmin(limit, values[i]));
		largest = fmax(largest, fabs(values[i]));
	}
	for (size_t i = 0; i < n + m && largest > 0; i++)
		values[i] /= largest;
	return values;
}

void autoregression_of(const double *before, size_t n, const double *after, size_t m,
		       struct autoregression *found)
{
	double *values = limited(before, n, after, m);

	*found = (struct autoregression){.n = n, .m = m};
	for (int i = 0; i < AUTOREGRESSIONS; i++)
		found->likelihood[i] = likelihood_of(values, n, values + n, m, memories[i]);
	for (int i = AUTOREGRESSIONS; i-- > 0;)
		found->likelihood[i] -= found->likelihood[0];
	found->z = student_z(values, n, values + n, m);
	perun_free(values);
}

/* log(exp(a) + exp(b)) */
static double log_sum(double a, double b)
{
	double most = fmax(a, b);

	return isinf(most) ? most : most + log1p(exp(fmin(a, b) - most));
}

/* What a correlation does to a test of a shift. */
struct memory {
	double count; /* of independent values that are worth as much */
	double ratio; /* squares of t are larger by this than with independent values */
};

/*
 * Logarithm of how much likelier values are by a shift than without: by one of EXPECTED standard errors,
 * either way, or by any. `square` is that of t; the deviation is not known, the likeliest one is taken.
 */
static double gain_of_shift(double square, const struct memory *memory)
{
	double df = fmax(memory->count - 2, 1), t = square / memory->ratio,
	       last = memory->count - 1;
	double towards = EXPECTED * sqrt(t / (df + t));
	double ratio = (towards + sqrt(towards * towards + 4 * last)) / 2;
	double expected = last * log(ratio / sqrt(last)) - (ratio * ratio - last) / 2 +
			  towards * ratio - EXPECTED * EXPECTED / 2 - M_LN2;

	return log_sum(expected, last / 2 * log1p(t / df) - CHOSEN);
}

/* What is weighed: the memories, and how likely values are without a shift that remember themselves. */
struct scales {
	struct memory memories[AUTOREGRESSIONS];
	double against, df;
};

static void make_scales(const struct autoregression *found, struct scales *scales)
{
	double n = (double)found->n, m = (double)found->m, size = 2 * n * m / (n + m);

	scales->against = -INFINITY;
	scales->df = n + m - 2;
	for (int i = 0; i < AUTOREGRESSIONS; i++) {
		double inflation = autoregression_inflation(memories[i], size);

		scales->memories[i].count = fmax((n + m) / inflation, 3);
		scales->memories[i].ratio = inflation * (1 - 1 / size) / (1 - inflation / size);
		if (i > 0)
			scales->against =
				log_sum(scales->against,
					found->likelihood[i] + fmin(MOST_ODDS, SCARCE / size));
	}
}

static double advantage(const struct autoregression *found, const struct scales *scales, double z)
{
	double square = square_of_z(z, scales->df), shifted = -INFINITY;

	for (int i = 0; i < AUTOREGRESSIONS; i++)
		shifted = log_sum(shifted, found->likelihood[i] +
						   gain_of_shift(square, &scales->memories[i]));
	return shifted - scales->against;
}

double autoregression_advantage(const struct autoregression *found, double z)
{
	struct scales scales;

	make_scales(found, &scales);
	return advantage(found, &scales, fmin(z, MOST_Z));
}

double autoregression_width(const struct autoregression *found, double level_z)
{
	struct scales scales;
	double low = level_z, high = level_z, f_low, f_high;

	make_scales(found, &scales);
	f_low = f_high = advantage(found, &scales, low);
	while (f_high < 0 && high < MOST_Z) {
		low = high;
		f_low = f_high;
		high = fmin(high + 2, MOST_Z);
		f_high = advantage(found, &scales, high);
	}
	/* The secant, each end's value halved that stays twice ("Illinois"). */
	for (int i = 0, side = 0; i < STEPS && f_high > 0 && high - low > 1e-3; i++) {
		double z = high - f_high * (high - low) / (f_high - f_low);
		double f = advantage(found, &scales, z);

		if (f >= 0) {
			high = z;
			f_high = f;
			f_low /= side > 0 ? 2 : 1;
			side = 1;
		} else {
			low = z;
			f_low = f;
			f_high /= side < 0 ? 2 : 1;
			side = -1;
		}
	}
	return fmax(high / level_z, 1);
}
