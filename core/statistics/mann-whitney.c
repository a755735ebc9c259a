/* SPDX-License-Identifier: BSD-3-Clause */
/* The test of Mann and Whitney and that of the signed ranks, exact with ties. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/statistics.h>

/* Additions that the exact distribution may take. */
#define EXACT_WORK 1e7

/*
 * Shares of all choices of `chosen` of the ranks by the sum of the chosen (twice, so that shared
 * ranks are whole numbers): sums[s] for s = 0 .. limit. One rank after the other is either taken or
 * not; divided as we go, so that nothing overflows.
 */
static double *distribution(const double *ranks, size_t count, size_t chosen, size_t limit)
{
	size_t width = limit + 1;
	double *ways = perun_alloc_zero((chosen + 1) * width, sizeof *ways), *sums;

	ways[0] = 1;
	for (size_t i = 0; i < count; i++) {
		size_t rank = (size_t)(2 * ranks[i] + 0.5);

		for (size_t k = i + 1 < chosen ? i + 1 : chosen; k > 0; k--) {
			double *to = ways + k * width;
			const double *from = to - width;
			/* Of i + 1 ranks, k are taken: the last one is among them k in i + 1 times. */
			double taken = (double)k / (double)(i + 1), left = 1 - taken;

			for (size_t s = width; s-- > rank;)
				to[s] = left * to[s] + taken * from[s - rank];
			for (size_t s = 0; s < rank && s < width; s++)
				to[s] *= left;
		}
	}
	sums = perun_memdup(ways + chosen * width, width * sizeof *sums);
	perun_free(ways);
	return sums;
}

/* Twice the smaller of both tails at the sum of the ranks of the smaller sample. */
static double exact_p(const double *ranks, size_t count, size_t chosen, double sum)
{
	size_t observed = (size_t)(2 * sum + 0.5), limit = 0;
	double *sums, low = 0, high = 0;

	limit = chosen * (2 * count - chosen + 1);
	sums = distribution(ranks, count, chosen, limit);
	for (size_t s = 0; s <= limit; s++) {
		if (s <= observed)
			low += sums[s];
		if (s >= observed)
			high += sums[s];
	}
	perun_free(sums);
	low = 2 * (low < high ? low : high);
	return low < 1 ? low : 1;
}

void perun_mann_whitney(const double *before, size_t before_count, const double *after,
			size_t after_count, struct perun_mann_whitney *result)
{
	perun_mann_whitney_below(before, before_count, after, after_count, 1, result);
}

void perun_mann_whitney_below(const double *before, size_t before_count, const double *after,
			      size_t after_count, double doubtful,
			      struct perun_mann_whitney *result)
{
	double n = (double)before_count, m = (double)after_count, all = n + m;
	double *values, *ranks, sum = 0, ties, variance, away, work;
	size_t count = before_count + after_count;
	size_t chosen = before_count < after_count ? before_count : after_count;

	*result = (struct perun_mann_whitney){.u = NAN, .p = NAN, .z = NAN};
	if (before_count == 0 || after_count == 0)
		return;
	values = perun_alloc_zero(2 * count, sizeof *values);
	ranks = values + count;
	memcpy(values, before, before_count * sizeof *values);
	memcpy(values + before_count, after, after_count * sizeof *values);
	ties = perun_ranks(values, count, ranks);
	for (size_t i = before_count; i < count; i++)
		sum += ranks[i];
	result->u = sum - m * (m + 1) / 2;
	variance = n * m / 12 * (all + 1 - (all > 1 ? ties / (all * (all - 1)) : 0));
	away = fabs(result->u - n * m / 2) - 0.5;
	result->z = variance > 0 && away > 0 ? away / sqrt(variance) : 0;
	if (result->u < n * m / 2)
		result->z = -result->z;
	work = (double)count * (double)chosen * (double)chosen * (2 * all - (double)chosen + 1);
	result->p = erfc(fabs(result->z) * M_SQRT1_2);
	result->exact = work <= EXACT_WORK && result->p <= doubtful;
	if (result->exact)
		result->p = exact_p(ranks, count, chosen,
				    chosen == after_count ? sum : all * (all + 1) / 2 - sum);
	perun_free(values);
}

/* Up to so many differences the exact distribution is used. */
#define EXACT_DIFFERENCES 60

/* Twice the smaller tail of the sums of signed ranks; ranks doubled, so that shared ones are whole. */
static double exact_signed_p(const double *ranks, size_t count, double sum)
{
	size_t width = count * (count + 1) + 1, observed = (size_t)(2 * sum + 0.5);
	double *shares = perun_alloc_zero(width, sizeof *shares), low = 0, high = 0;

	shares[0] = 1;
	for (size_t i = 0; i < count; i++) {
		size_t rank = (size_t)(2 * ranks[i] + 0.5);

		for (size_t s = width; s-- > 0;)
			shares[s] = (shares[s] + (s >= rank ? shares[s - rank] : 0)) / 2;
	}
	for (size_t s = 0; s < width; s++) {
		if (s <= observed)
			low += shares[s];
		if (s >= observed)
			high += shares[s];
	}
	perun_free(shares);
	return fmin(1, 2 * fmin(low, high));
}

void perun_signed_ranks(const double *differences, size_t count, struct perun_mann_whitney *result)
{
	double *sizes = perun_alloc_zero(3 * count + 1, sizeof *sizes), *ranks = sizes + count;
	double *kept = ranks + count, n, ties, away, variance, sum = 0;
	size_t used = 0;

	*result = (struct perun_mann_whitney){.u = NAN, .p = NAN, .z = NAN};
	for (size_t i = 0; i < count; i++) {
		if (differences[i] != 0) {
			kept[used] = differences[i];
			sizes[used++] = fabs(differences[i]);
		}
	}
	if (count && !used)
		*result = (struct perun_mann_whitney){.p = 1, .exact = true};
	if (used) {
		ties = perun_ranks(sizes, used, ranks);
		for (size_t i = 0; i < used; i++)
			sum += kept[i] > 0 ? ranks[i] : 0;
		n = (double)used;
		variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
		away = fmax(fabs(sum - n * (n + 1) / 4) - 0.5, 0);
		result->u = sum;
		result->z = variance > 0 ? away / sqrt(variance) : 0;
		result->z *= sum < n * (n + 1) / 4 ? -1 : 1;
		result->exact = used <= EXACT_DIFFERENCES;
		result->p = result->exact ? exact_signed_p(ranks, used, sum)
					  : erfc(fabs(result->z) * M_SQRT1_2);
	}
	perun_free(sizes);
}
