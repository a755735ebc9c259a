/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting v = c0 + c1 * t, to all points and to all but one. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/model/model.h"

/* What fits of all points but one take grows with the square of the points; from here on it must not. */
enum { MANY_POINTS = 64 };
/* A point that has more than this share of the spread is left out by adding up the others. */
#define OUTWEIGHING 0.75

/*
 * The slope is a weighted sum of the values with weights that depend on t alone, so they are made once
 * for all series measured at the same points. Each fit with a point left out has weights of its own,
 * computed from the points that are left: updating the sums of the whole fit instead loses digits
 * where one point outweighs all others, which is what x^3 over powers of two is like.
 */
/*
 * The quotient of the singular values of (1, t): below this limit numpy's lstsq, which Extra-P uses, takes the columns for
 * dependent.
 */
static bool is_deficient(size_t used, double spread, double squares)
{
	return !(sqrt((double)used * spread) >
		 DBL_EPSILON * (double)(used > 2 ? used : 2) * ((double)used + squares));
}

static void prepare(struct perun_fit_line *line, size_t left_out)
{
	size_t n = line->count, used = n - (left_out < n);
	size_t place = line->many ? 0 : left_out;
	double *weights = line->weights + place * n;
	double mean = 0, spread = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		if (i != left_out)
			mean += line->t[i];
	mean = used ? mean / (double)used : 0;
	for (size_t i = 0; i < n; i++) {
		double off = i == left_out ? 0 : line->t[i] - mean;

		weights[i] = off;
		spread += off * off;
		if (i != left_out)
			squares += line->t[i] * line->t[i];
	}
	line->deficient[place] = is_deficient(used, spread, squares);
	line->means[place] = mean;
	for (size_t i = 0; i < n; i++)
		weights[i] /= spread;
}

void perun_line_init(struct perun_fit_line *line, const double *t, size_t count)
{
	size_t fits;

	line->count = count;
	line->many = count > MANY_POINTS;
	line->t = perun_memdup(t, count * sizeof *t);
	fits = line->many ? 1 : count + 1;
	line->means = perun_alloc_zero(fits, sizeof *line->means);
	line->weights = perun_alloc_zero(fits * count, sizeof *line->weights);
	line->deficient = perun_alloc_zero(fits, sizeof *line->deficient);
	for (size_t left_out = line->many ? count : 0; left_out <= count; left_out++)
		prepare(line, left_out);
}

void perun_line_clear(struct perun_fit_line *line)
{
	perun_free(line->t);
	perun_free(line->means);
	perun_free(line->weights);
	perun_free(line->deficient);
}

double perun_zero_beside(const double *v, size_t count)
{
	double largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(v[i]));
	return 1e-12 * largest;
}

double perun_symmetric_error(double predicted, double v, double zero)
{
	double size = fabs(v) + fabs(predicted);

	return size <= zero ? 0 : 200 * fabs(predicted - v) / size;
}

void perun_values_init(struct perun_values *values, const double *v, size_t count)
{
	double sum = 0;

	*values = (struct perun_values){
		.count = count, .v = v, .least = INFINITY, .next_least = INFINITY};
	values->centred = perun_alloc_zero(count, sizeof *values->centred);
	for (size_t i = 0; i < count; i++) {
		sum += v[i];
		if (v[i] < values->least) {
			values->next_least = values->least;
			values->least = v[i];
			values->least_at = i;
		} else if (v[i] < values->next_least) {
			values->next_least = v[i];
		}
	}
	values->mean = count ? sum / (double)count : 0;
	for (size_t i = 0; i < count; i++) {
		values->centred[i] = v[i] - values->mean;
		values->centred_sum += values->centred[i];
	}
}

void perun_values_clear(struct perun_values *values)
{
	perun_free(values->centred);
}

/* Over the points of a fit. */
struct sums {
	double ones, t, squares, values, products;
	double spread, slanted; /* of t from its mean; of that times the centred values */
};

static struct sums sum_up(const struct perun_fit_line *line, const struct perun_values *values,
			  size_t left_out)
{
	struct sums sums = {0};

	for (size_t i = 0; i < line->count; i++) {
		if (i == left_out)
			continue;
		sums.ones += 1;
		sums.t += line->t[i];
		sums.squares += line->t[i] * line->t[i];
		sums.values += values->v[i];
		sums.products += line->t[i] * values->v[i];
	}
	return sums;
}

/*
 * t is constant: the solution of least norm, from the larger singular value alone; d is its right
 * singular vector.
 */
static void fit_deficient(const struct sums *sums, double *c0, double *c1)
{
	double ones = sums->ones, sum = sums->t, squares = sums->squares;
	double value_sum = sums->values, product_sum = sums->products, d0, d1, size;

	/* The larger eigenvalue of ((ones, sum), (sum, squares)) and its vector. */
	size = (ones + squares + hypot(ones - squares, 2 * sum)) / 2;
	d0 = sum;
	d1 = size - ones;
	if (ones > squares) {
		d0 = size - squares;
		d1 = sum;
	}
	*c0 = *c1 = 0;
	if (!(size > 0) || !(hypot(d0, d1) > 0))
		return;
	ones = hypot(d0, d1);
	d0 /= ones;
	d1 /= ones;
	*c0 = d0 * (d0 * value_sum + d1 * product_sum) / size;
	*c1 = d1 * (d0 * value_sum + d1 * product_sum) / size;
}

void perun_line_fit(const struct perun_fit_line *line, const struct perun_values *values,
		    size_t left_out, double *c0, double *c1)
{
	size_t n = line->count, used = n - (left_out < n);
	size_t place = line->many ? 0 : left_out;
	const double *weights = line->weights + place * n, *centred = values->centred;
	double slope = 0, rest = values->centred_sum;

	if (line->deficient[place]) {
		const struct sums sums = sum_up(line, values, left_out);

		fit_deficient(&sums, c0, c1);
		return;
	}
	for (size_t i = 0; i < n; i++)
		slope += weights[i] * centred[i];
	if (left_out < n)
		rest -= centred[left_out];
	*c1 = slope;
	*c0 = values->mean + (used ? rest / (double)used : 0) - slope * line->means[place];
}

/* Sums over all points, from which those without one of them follow. */
static struct sums sum_up_all(const struct perun_fit_line *line, const struct perun_values *values)
{
	struct sums all = sum_up(line, values, line->count);

	for (size_t i = 0; i < line->count; i++) {
		double off = line->t[i] - line->means[0];

		all.spread += off * off;
		all.slanted += off * values->centred[i];
	}
	return all;
}

/* The sums without a point, added up. */
static struct sums sum_others(const struct perun_fit_line *line, const struct perun_values *values,
			      size_t k, double *mean)
{
	struct sums sums = sum_up(line, values, k);

	*mean = sums.t / sums.ones;
	for (size_t i = 0; i < line->count; i++) {
		double off = line->t[i] - *mean;

		if (i == k)
			continue;
		sums.spread += off * off;
		sums.slanted += off * values->centred[i];
	}
	return sums;
}

/* The sums without a point, from those of all. */
static struct sums subtract_one(const struct perun_fit_line *line,
				const struct perun_values *values, const struct sums *all, size_t k)
{
	double n = (double)line->count, t = line->t[k], off = t - line->means[0];

	return (struct sums){
		.ones = n - 1,
		.t = all->t - t,
		.squares = all->squares - t * t,
		.values = all->values - values->v[k],
		.products = all->products - t * values->v[k],
		.spread = all->spread - off * off * n / (n - 1),
		.slanted = all->slanted - off * values->centred[k] * n / (n - 1),
	};
}

/* The fit without one of many points. */
static void fit_without(const struct perun_fit_line *line, const struct perun_values *values,
			const struct sums *all, size_t k, double *c0, double *c1)
{
	double n = (double)line->count, off = line->t[k] - line->means[0];
	double mean = line->means[0] - off / (n - 1);
	const struct sums sums = off * off > OUTWEIGHING * all->spread
					 ? sum_others(line, values, k, &mean)
					 : subtract_one(line, values, all, k);

	if (is_deficient(line->count - 1, fmax(sums.spread, 0), sums.squares)) {
		fit_deficient(&sums, c0, c1);
		return;
	}
	*c1 = sums.slanted / sums.spread;
	*c0 = values->mean + (values->centred_sum - values->centred[k]) / (n - 1) - *c1 * mean;
}

/* Extra-P's: a constant that is next to nothing beside the smallest value is noise. */
static double clean(double c0, double least)
{
	return fabs(least != 0 ? c0 / least : c0) < 5e-4 ? 0 : c0;
}

bool perun_line_costs(const struct perun_fit_line *line, const struct perun_values *values,
		      double limit, struct perun_costs *costs)
{
	size_t n = line->count;
	struct sums all = {0};

	if (line->many)
		all = sum_up_all(line, values);
	*costs = (struct perun_costs){0};
	for (size_t k = 0; k < n; k++) {
		double v = values->v[k], c0, c1, predicted, off, mean;

		if (line->many)
			fit_without(line, values, &all, k, &c0, &c1);
		else
			perun_line_fit(line, values, k, &c0, &c1);
		c0 = clean(c0, k == values->least_at ? values->next_least : values->least);
		predicted = c0 + c1 * line->t[k];
		off = predicted - v;
		mean = n > 1 ? (values->mean * (double)n - v) / (double)(n - 1) : 0;
		costs->rss += off * off;
		costs->normalized_rss += sqrt(costs->rss) / mean / (double)n;
		if (v != 0) {
			costs->relative_error += fabs(off / v) / (double)n;
			costs->relative_rss += off / v * (off / v);
		}
		costs->smape += perun_symmetric_error(predicted, v, 0) / (double)n;
		if (costs->smape > limit)
			return false;
	}
	return true;
}

void perun_constant_costs(const struct perun_values *values, struct perun_costs *costs)
{
	double c = values->mean, n = (double)values->count;

	*costs = (struct perun_costs){0};
	for (size_t i = 0; i < values->count; i++) {
		double v = values->v[i], off = c - v;

		costs->rss += off * off;
		if (v != 0) {
			costs->relative_rss += off / v * (off / v);
			costs->relative_error += fabs(off / v) / n;
		}
		costs->smape += perun_symmetric_error(c, v, 0) / n;
	}
	costs->normalized_rss = sqrt(costs->rss) / c;
}
