/* SPDX-License-Identifier: BSD-3-Clause */
/* Autocorrelation, effective sample sizes, and many tests at once. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

static double mean_of(const double *values, size_t count)
{
	typedef double pair __attribute__((vector_size(2 * sizeof(double))));
	const pair counts = {(double)count, (double)count};
	double sum = 0;
	size_t i = 0;

	/* Divided two at a time, added one after the other. */
	for (; i + 1 < count; i += 2) {
		pair two;

		memcpy(&two, values + i, sizeof two);
		two /= counts;
		sum += two[0];
		sum += two[1];
	}
	return i < count ? sum + values[i] / (double)count : sum;
}

static double lagged(const double *values, size_t count, size_t lag, double mean)
{
	double sum = 0;

	for (size_t i = lag; i < count; i++)
		sum += (values[i] - mean) * (values[i - lag] - mean);
	return sum;
}

/* Of neighbours, of which each is taken once. */
static double first_autocorrelation(const double *values, size_t count, double mean)
{
	double last = values[0] - mean, all = last * last, sum = 0;

	for (size_t i = 1; i < count; i++) {
		double away = values[i] - mean;

		all += away * away;
		sum += away * last;
		last = away;
	}
	return all > 0 ? sum / all : 0;
}

double perun_autocorrelation(const double *values, size_t count, size_t lag)
{
	double mean = mean_of(values, count), all;

	if (count == 0)
		return NAN;
	if (lag == 1)
		return first_autocorrelation(values, count, mean);
	all = lagged(values, count, 0, mean);
	return all > 0 ? lagged(values, count, lag, mean) / all : 0;
}

double perun_effective_size(const double *values, size_t count)
{
	double n = (double)count, mean, all, sum = 0, last = INFINITY, size;

	if (count < 8)
		return n;
	mean = mean_of(values, count);
	all = lagged(values, count, 0, mean);
	if (!(all > 0))
		return n;
	/* Sums of neighbouring pairs of lags are positive and fall; what breaks that is noise. */
	for (size_t lag = 0; lag + 1 < count / 2; lag += 2) {
		double pair =
			(lagged(values, count, lag, mean) + lagged(values, count, lag + 1, mean)) /
			all;

		if (pair <= 0)
			break;
		last = pair < last ? pair : last;
		sum += last;
	}
	size = n / (2 * sum - 1);
	if (!(2 * sum - 1 > 1) || size > n)
		return n;
	return size < 1 ? 1 : size;
}

struct test {
	double p;
	size_t place;
};

static int compare_tests(const void *one, const void *other)
{
	const struct test *a = one, *b = other;

	if (a->p != b->p)
		return a->p > b->p ? 1 : -1;
	return a->place > b->place ? 1 : -1;
}

void perun_benjamini_hochberg(const double *p, size_t count, double *adjusted)
{
	struct test *order = perun_alloc_zero(count + 1, sizeof *order);
	size_t used = 0;
	double least = 1;

	for (size_t i = 0; i < count; i++) {
		if (isnan(p[i]))
			adjusted[i] = p[i];
		else
			order[used++] = (struct test){p[i], i};
	}
	qsort(order, used, sizeof *order, compare_tests);
	for (size_t i = used; i > 0; i--) {
		double value = order[i - 1].p * (double)used / (double)i;

		least = value < least ? value : least;
		adjusted[order[i - 1].place] = least;
	}
	perun_free(order);
}
