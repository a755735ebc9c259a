/* SPDX-License-Identifier: BSD-3-Clause */
/* The test of Mann and Whitney and that of the signed ranks, exact with ties. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/statistics/sorted.h"

/* Additions that the exact distribution may take. */
#define EXACT_WORK 1e7

/*
 * Shares of all choices of `chosen` of `count` ranks by the sum of the chosen. Sums are counted in `unit`s:
 * of a half where ranks are shared, so that they are whole numbers.
 */
struct choosing {
	size_t *ranks;
	size_t count, chosen;
	double unit;
	size_t limit; /* the greatest sum */
	/* Of j of the ranks from i on, at i * (chosen + 1) + j: the least and the greatest sum. */
	size_t *least, *most;
};

static void choosing_begin(struct choosing *choosing, const double *ranks, size_t count,
			   size_t chosen)
{
	size_t width = chosen + 1;

	*choosing = (struct choosing){.count = count, .chosen = chosen, .unit = 1};
	choosing->ranks = perun_alloc_zero(count + 1, sizeof *choosing->ranks);
	choosing->least = perun_alloc_zero((count + 1) * width, sizeof(size_t));
	choosing->most = perun_alloc_zero((count + 1) * width, sizeof(size_t));
	for (size_t i = 0; i < count; i++) {
		if (ranks[i] != floor(ranks[i]))
			choosing->unit = 0.5;
	}
	for (size_t i = 0; i < count; i++)
		choosing->ranks[i] = (size_t)(ranks[i] / choosing->unit + 0.5);
	for (size_t i = count; i-- > 0;) {
		const size_t *least = choosing->least + (i + 1) * width;
		const size_t *most = choosing->most + (i + 1) * width;
		size_t rank = choosing->ranks[i];

		for (size_t j = 1; j <= chosen && j <= count - i; j++) {
			size_t low = least[j - 1] + rank, high = most[j - 1] + rank;
			bool other = j < count - i; /* there are j without this one */

			choosing->least[i * width + j] = other && least[j] < low ? least[j] : low;
			choosing->most[i * width + j] = other && most[j] > high ? most[j] : high;
		}
	}
	choosing->limit = choosing->most[chosen];
}

static void choosing_end(struct choosing *choosing)
{
	perun_free(choosing->ranks);
	perun_free(choosing->least);
	perun_free(choosing->most);
}

/* What can be the sum of k ranks, of those looked at so far. */
struct reach {
	size_t low, high;
	bool any;
};

static void widen(struct reach *reach, const struct reach *before, size_t rank)
{
	if (!before->any)
		return;
	if (!reach->any || before->low + rank < reach->low)
		reach->low = before->low + rank;
	if (!reach->any || before->high + rank > reach->high)
		reach->high = before->high + rank;
	reach->any = true;
}

/*
 * Take the i-th rank, or do not: `to` has the shares of the sums of k ranks, `before` of k - 1. Of i + 1
 * ranks, k are taken: the last one is among them k in i + 1 times; divided as we go, so that nothing
 * overflows. Sums that cannot be, or that lead to none from `from` to `until`, are left out.
 */
static void take_rank(const struct choosing *choosing, size_t i, size_t k,
		      const struct reach *reach, const double *before, double *to, size_t from,
		      size_t until)
{
	size_t rank = choosing->ranks[i], rest = choosing->chosen - k;
	size_t place = (i + 1) * (choosing->chosen + 1) + rest;
	size_t least = choosing->least[place], most = choosing->most[place];
	size_t low = from > most ? from - most : 0, high = until;
	double taken = (double)k / (double)(i + 1), left = 1 - taken;

	if (rest > choosing->count - i - 1 || least > until)
		return; /* the rest cannot be chosen */
	high -= least;
	low = low < reach->low ? reach->low : low;
	high = high > reach->high ? reach->high : high;
	for (size_t s = low; s <= high && s < rank; s++)
		to[s] *= left;
	for (size_t s = low < rank ? rank : low; s <= high; s++)
		to[s] = left * to[s] + taken * before[s - rank];
}

/* The share of the sums from `from` to `until`. */
static double share_of_sums(const struct choosing *choosing, size_t from, size_t until)
{
	size_t width = until + 1, chosen = choosing->chosen;
	double *ways = perun_alloc_zero((chosen + 1) * width, sizeof *ways), sum = 0;
	struct reach *reach = perun_alloc_zero(chosen + 1, sizeof *reach);

	ways[0] = 1;
	reach[0].any = true;
	for (size_t i = 0; i < choosing->count; i++) {
		for (size_t k = i + 1 < chosen ? i + 1 : chosen; k > 0; k--) {
			widen(&reach[k], &reach[k - 1], choosing->ranks[i]);
			take_rank(choosing, i, k, &reach[k], ways + (k - 1) * width,
				  ways + k * width, from, until);
		}
	}
	for (size_t s = from; s <= until; s++)
		sum += ways[chosen * width + s];
	perun_free(ways);
	perun_free(reach);
	return sum;
}

/* A tail below this is the smaller one, whatever ties do. */
#define SMALLER 0.25

/* Twice the smaller of both tails at the sum of the ranks of the smaller sample. */
static double exact_p(const double *ranks, size_t count, size_t chosen, double sum)
{
	struct choosing choosing;
	bool below = 2 * sum < (double)chosen * (double)(count + 1);
	size_t observed;
	double tail, other;

	choosing_begin(&choosing, ranks, count, chosen);
	observed = (size_t)(sum / choosing.unit + 0.5);
	tail = below ? share_of_sums(&choosing, 0, observed)
		     : share_of_sums(&choosing, observed, choosing.limit);
	other = tail < SMALLER ? 1
		: below        ? share_of_sums(&choosing, observed, choosing.limit)
			       : share_of_sums(&choosing, 0, observed);
	choosing_end(&choosing);
	tail = 2 * (tail < other ? tail : other);
	return tail < 1 ? tail : 1;
}

/* The sum of the ranks of the second sample among all; the sum of t^3 - t over ties. */
static double rank_sum(const struct sorted_samples *samples, double *ties)
{
	const double *one = samples->one, *other = samples->other;
	size_t n = samples->before_count, m = samples->after_count, i = 0, j = 0;
	double sum = 0;

	*ties = 0;
	while (i < n || j < m) {
		double value = j == m || (i < n && one[i] < other[j]) ? one[i] : other[j], t;
		size_t first = i, second = j;

		while (i < n && !(one[i] > value))
			i++;
		while (j < m && !(other[j] > value))
			j++;
		t = (double)(i - first + j - second);
		*ties += t * (t * t - 1);
		sum += (double)(j - second) * ((double)(first + second + i + j + 1) / 2);
	}
	return sum;
}

/* Twice the smaller of both tails, of all choices of as many ranks. */
static double p_of_choices(const struct sorted_samples *samples, size_t chosen, double sum)
{
	size_t n = samples->before_count, m = samples->after_count, count = n + m;
	double *values = perun_alloc(2 * count * sizeof *values), *ranks = values + count, p;

	memcpy(values, samples->before, n * sizeof *values);
	memcpy(values + n, samples->after, m * sizeof *values);
	perun_ranks(values, count, ranks);
	p = exact_p(ranks, count, chosen, sum);
	perun_free(values);
	return p;
}

void sorted_ranks(const struct sorted_samples *samples, double doubtful,
		  struct perun_mann_whitney *result)
{
	size_t before_count = samples->before_count, after_count = samples->after_count;
	double n = (double)before_count, m = (double)after_count, all = n + m;
	double sum, ties, variance, away, work;
	size_t chosen = before_count < after_count ? before_count : after_count;

	*result = (struct perun_mann_whitney){.u = NAN, .p = NAN, .z = NAN};
	if (before_count == 0 || after_count == 0)
		return;
	sum = rank_sum(samples, &ties);
	result->u = sum - m * (m + 1) / 2;
	variance = n * m / 12 * (all + 1 - (all > 1 ? ties / (all * (all - 1)) : 0));
	away = fabs(result->u - n * m / 2) - 0.5;
	result->z = variance > 0 && away > 0 ? away / sqrt(variance) : 0;
	if (result->u < n * m / 2)
		result->z = -result->z;
	work = all * (double)chosen * (double)chosen * (2 * all - (double)chosen + 1);
	result->p = erfc(fabs(result->z) * M_SQRT1_2);
	result->exact = work <= EXACT_WORK && result->p <= doubtful;
	if (result->exact)
		result->p = p_of_choices(samples, chosen,
					 chosen == after_count ? sum : all * (all + 1) / 2 - sum);
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
	struct sorted_samples samples;

	sorted_samples_make(&samples, before, before_count, after, after_count);
	sorted_ranks(&samples, doubtful, result);
	sorted_samples_free(&samples);
}

/* Up to this many differences the exact distribution is used. */
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
