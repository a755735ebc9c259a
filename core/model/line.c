/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting v = c0 + c1 * t, to all points and to all but one. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/model/model.h"

/*
 * The slope is a weighted sum of the values with weights that depend on t alone, so they are made once
 * for all series measured at the same points. Each fit with a point left out has weights of its own,
 * computed from the points that are left: updating the sums of the whole fit instead loses digits
 * where one point outweighs all others, which is what x^3 over powers of two is like.
 */
static void prepare(struct perun_fit_line *line, size_t left_out)
{
	size_t n = line->count, used = n - (left_out < n);
	double *weights = line->weights + left_out * n;
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
	/*
	 * The quotient of the singular values of (1, t): below this limit numpy's lstsq, which Extra-P
	 * uses, takes the columns for dependent.
	 */
	line->deficient[left_out] =
		!(sqrt((double)used * spread) >
		  DBL_EPSILON * (double)(used > 2 ? used : 2) * ((double)used + squares));
	line->means[left_out] = mean;
	for (size_t i = 0; i < n; i++)
		weights[i] /= spread;
}

void perun_line_init(struct perun_fit_line *line, const double *t, size_t count)
{
	line->count = count;
	line->t = perun_memdup(t, count * sizeof *t);
	line->means = perun_alloc_zero(count + 1, sizeof *line->means);
	line->weights = perun_alloc_zero((count + 1) * count, sizeof *line->weights);
	line->deficient = perun_alloc_zero(count + 1, sizeof *line->deficient);
	for (size_t left_out = 0; left_out <= count; left_out++)
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

/*
 * t is constant: the solution of least norm, from the larger singular value alone; d is its right
 * singular vector.
 */
static void fit_deficient(const struct perun_fit_line *line, const struct perun_values *values,
			  size_t left_out, double *c0, double *c1)
{
	double ones = 0, sum = 0, squares = 0, value_sum = 0, product_sum = 0, d0, d1, size;

	for (size_t i = 0; i < line->count; i++) {
		if (i == left_out)
			continue;
		ones += 1;
		sum += line->t[i];
		squares += line->t[i] * line->t[i];
		value_sum += values->v[i];
		product_sum += line->t[i] * values->v[i];
	}
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
	const double *weights = line->weights + left_out * n, *centred = values->centred;
	double slope = 0, rest = values->centred_sum;

	if (line->deficient[left_out]) {
		fit_deficient(line, values, left_out, c0, c1);
		return;
	}
	for (size_t i = 0; i < n; i++)
		slope += weights[i] * centred[i];
	if (left_out < n)
		rest -= centred[left_out];
	*c1 = slope;
	*c0 = values->mean + (used ? rest / (double)used : 0) - slope * line->means[left_out];
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

	*costs = (struct perun_costs){0};
	for (size_t k = 0; k < n; k++) {
		double v = values->v[k], c0, c1, predicted, off, mean;

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
