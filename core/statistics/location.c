/* SPDX-License-Identifier: BSD-3-Clause */
/* Medians, deviations, ranks. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/statistics/location.h"

/* From this many values on the pivot comes from a sample, of this size. */
#define MANY   1024
#define SAMPLE 31
/* Up to this many values are sorted. */
#define FEW 12
/*
 * The median of this many and more is searched between two values of a sample of BRACKET: from the LOW-th on, as many from
 * its end.
 */
#define BRACKETED 400
#define BRACKET   63
#define LOW       23
/* Of up to this many each is compared with all. */
#define SOME 24
/* Sorting them all, parts of up to this many are sorted by insertion. */
#define PART 24

/* Insertion sort: what is left when the parts are small. `sorted` may be the values themselves. */
static void sort_into(const double *values, size_t count, double *sorted)
{
	for (size_t i = 0; i < count; i++) {
		double value = values[i];
		size_t j = i;

		for (; j > 0 && sorted[j - 1] > value; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = value;
	}
}

/*
 * Some are sorted by their ranks: how many are less than each, two at a time, so that no branch depends on the values, whose
 * order could not be foretold. False where two are equal, or one is not a number.
 */
static bool sort_some(double *values, size_t count)
{
	typedef double pair __attribute__((vector_size(2 * sizeof(double))));
	typedef int64_t answers __attribute__((vector_size(2 * sizeof(int64_t))));
	double copies[PART + 1];
	uint8_t ranks[PART];
	uint32_t taken = 0;

	_Static_assert(PART < 32, "each rank is a bit");
	memcpy(copies, values, count * sizeof *copies);
	copies[count] = INFINITY;
	for (size_t i = 0; i < count; i++) {
		const pair value = {copies[i], copies[i]};
		answers less = {0};

		for (size_t j = 0; j < count; j += 2) {
			pair two;

			memcpy(&two, copies + j, sizeof two);
			less -= two < value;
		}
		ranks[i] = (uint8_t)(less[0] + less[1]);
		taken |= UINT32_C(1) << ranks[i];
	}
	/* Two that are equal have one rank, and so have the least one and what is not a number. */
	if (taken != (UINT32_C(1) << count) - 1)
		return false;
	for (size_t i = 0; i < count; i++)
		values[ranks[i]] = copies[i];
	return true;
}

static void sort_few(double *values, size_t count)
{
	if (count <= FEW || count > PART || !sort_some(values, count))
		sort_into(values, count, values);
}

static int compare_doubles(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/*
 * Bring those before the pivot, or with `equal` also those equal to it, to the front; how many they are. No
 * branch depends on the values: which way it goes could not be foretold.
 */
static size_t part(double *values, size_t count, double pivot, bool equal)
{
	size_t front = 0;

	for (size_t i = 0; i < count; i++) {
		double value = values[i];
		bool before = equal ? value <= pivot : value < pivot;

		values[i] = values[front];
		values[front] = value;
		front += before;
	}
	return front;
}

static double middle_of(double one, double two, double three)
{
	double low = one < two ? one : two, high = one < two ? two : one;

	return three < low ? low : three > high ? high : three;
}

/* A place among `count`, by chance. */
static size_t draw(size_t count, uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)((*state >> 32) * count >> 32);
}

/*
 * The pivot: the value that has about the rank looked for, as a sample shows it (Floyd and Rivest, 1975), so that little
 * is left beside it. The sample is taken by chance: at places that are always the same, values in a common order, as
 * those of counters, halves and saw teeth, would again and again leave all but a few.
 */
static double pivot_of(const double *values, size_t count, size_t k, uint64_t *state)
{
	double sample[SAMPLE];
	size_t rank = (size_t)((double)k / (double)count * SAMPLE);

	if (count < MANY)
		return middle_of(values[0], values[count / 2], values[count - 1]);
	for (int i = 0; i < SAMPLE; i++)
		sample[i] = values[draw(count, state)];
	sort_few(sample, SAMPLE);
	return sample[rank < SAMPLE / 2 ? rank + 1 : rank > SAMPLE / 2 ? rank - 1 : rank];
}

/* Bring the k-th smallest to its place, smaller ones before it (Hoare's selection, Lomuto's partition). */
static void place(double *values, size_t count, size_t k)
{
	uint64_t state = 1;

	while (count > FEW) {
		double pivot = pivot_of(values, count, k, &state);
		size_t front = part(values, count, pivot, false);

		if (k < front) {
			count = front;
			continue;
		}
		values += front;
		count -= front;
		k -= front;
		if (front)
			continue;
		front = part(values, count, pivot, true); /* nothing is below the pivot */
		if (k < front)
			return;
		values += front;
		count -= front;
		k -= front;
		if (!front) /* not a number */
			break;
	}
	sort_few(values, count);
}

/*
 * Hoare's sorting, by the same partition. What is cut off more often than halves would be, by an order that misleads the
 * choice of pivots, is sorted by the library, as is what has no order.
 */
static void sort_many(double *values, size_t count, unsigned cuts)
{
	uint64_t state = 1;

	while (count > PART) {
		double pivot = pivot_of(values, count, count / 2, &state);
		size_t front = cuts ? part(values, count, pivot, false) : 0;
		bool equal = cuts && front == 0; /* nothing is below the pivot */

		if (equal)
			front = part(values, count, pivot, true);
		if (front == 0) {
			qsort(values, count, sizeof *values, compare_doubles);
			return;
		}
		cuts--;
		if (!equal && front <= count / 2)
			sort_many(values, front, cuts);
		if (!equal && front > count / 2) {
			sort_many(values + front, count - front, cuts);
			count = front;
			continue;
		}
		values += front;
		count -= front;
	}
	sort_few(values, count);
}

void perun_sort_doubles(double *values, size_t count)
{
	unsigned cuts = 16;

	for (size_t left = count; left > 0; left /= 2)
		cuts += 2;
	sort_many(values, count, cuts);
}

double perun_select_in_place(double *values, size_t count, size_t k)
{
	if (k >= count)
		return NAN;
	place(values, count, k);
	return values[k];
}

/* Bring two into their order, by which way no branch goes. */
static inline void order_two(double *one, double *other)
{
	double low = *other < *one ? *other : *one, high = *other < *one ? *one : *other;

	*one = low;
	*other = high;
}

/* Neighbours alone are exchanged, so that equal ones stay in their order, as where they are sorted. */
static double median_of_three(const double *values)
{
	double a = values[0], b = values[1], c = values[2];

	order_two(&a, &b);
	order_two(&b, &c);
	order_two(&a, &b);
	return b;
}

static double median_of_five(const double *values)
{
	double a = values[0], b = values[1], c = values[2], d = values[3], e = values[4];

	for (int round = 0; round < 2; round++) {
		order_two(&a, &b);
		order_two(&c, &d);
		order_two(&b, &c);
		order_two(&d, &e);
	}
	order_two(&a, &b);
	order_two(&c, &d);
	return c;
}

/* Of `count` values, of which the upper middle is in its place, the `half`-th of those here. */
static double median_of_placed(const double *values, size_t half, size_t count)
{
	double upper = values[half], lower = values[0];

	if (count % 2)
		return upper;
	for (size_t i = 1; i < half; i++)
		lower = values[i] > lower ? values[i] : lower;
	return lower + (upper - lower) / 2;
}

double perun_median_in_place(double *values, size_t count)
{
	if (count == 0)
		return NAN;
	place(values, count, count / 2);
	return median_of_placed(values, count / 2, count);
}

/* Two values of a sample of which the median is hardly ever not between; or of their distances from a center. */
static void bracket(const double *values, size_t count, const double *center, double *low,
		    double *high)
{
	double sample[BRACKET];
	uint64_t state = 1;

	for (int i = 0; i < BRACKET; i++) {
		double value = values[draw(count, &state)];

		sample[i] = center ? fabs(value - *center) : value;
	}
	place(sample, BRACKET, LOW);
	*low = sample[LOW];
	*high = perun_select_in_place(sample + LOW, BRACKET - LOW, BRACKET - 1 - 2 * LOW);
}

/* Take those between two to `room`, how many they are; no branch depends on the values. */
static size_t take_between(const double *values, size_t count, double low, double high,
			   double *room, size_t *below)
{
	size_t less = 0, up_to = 0;

	for (size_t i = 0; i < count; i++) {
		double value = values[i];

		room[up_to - less] = value;
		less += value < low;
		up_to += value <= high;
	}
	*below = less;
	return up_to - less;
}

/* The same of distances, two at a time: what is not negative is in the order of its bits. */
static size_t take_distances(const double *values, size_t count, double center, double low,
			     double high, double *room, size_t *below)
{
	typedef double pair __attribute__((vector_size(2 * sizeof(double))));
	typedef int64_t answers __attribute__((vector_size(2 * sizeof(int64_t))));
	const answers positive = {INT64_MAX, INT64_MAX};
	const pair centers = {center, center}, lows = {low, low};
	answers less = {0};
	uint64_t first, width;
	size_t taken = 0, i = 0;

	memcpy(&first, &low, sizeof first);
	memcpy(&width, &high, sizeof width);
	width -= first;
	for (; i + 1 < count; i += 2) {
		uint64_t bits[2];
		pair two;

		memcpy(&two, values + i, sizeof two);
		two = (pair)((answers)(two - centers) & positive);
		less += two < lows;
		memcpy(bits, &two, sizeof bits);
		room[taken] = two[0];
		taken += bits[0] - first <= width;
		room[taken] = two[1];
		taken += bits[1] - first <= width;
	}
	*below = (size_t) - (less[0] + less[1]);
	if (i < count) {
		double last = fabs(values[i] - center);

		room[taken] = last;
		*below += last < low;
		taken += last >= low && last <= high;
	}
	return taken;
}

/*
 * The median of many, or of their distances from a center: those between two of a sample are searched. False when it is not
 * among these. `room` has place for all.
 */
static bool median_of_many(const double *values, size_t count, const double *center, double *room,
			   double *median)
{
	size_t below, near, half = count / 2;
	double low, high;

	bracket(values, count, center, &low, &high);
	near = center ? take_distances(values, count, *center, low, high, room, &below)
		      : take_between(values, count, low, high, room, &below);
	/* Of an even number the one before the middle is needed as well. */
	if (half <= below || half >= below + near)
		return false;
	place(room, near, half - below);
	*median = median_of_placed(room, half - below, count);
	return true;
}

/* How many values are below one: two at a time. */
static size_t count_below(const double *values, size_t count, double limit)
{
	typedef double pair __attribute__((vector_size(2 * sizeof(double))));
	typedef int64_t answers __attribute__((vector_size(2 * sizeof(int64_t))));
	const pair limits = {limit, limit};
	answers below = {0};
	size_t i = 0;

	for (; i + 1 < count; i += 2) {
		pair two;

		memcpy(&two, values + i, sizeof two);
		below += two < limits;
	}
	return (size_t) - (below[0] + below[1]) + (i < count && values[i] < limit);
}

/* The median of some, as one that half of them are below; false where that one is equal to others. */
static bool median_of_some(const double *values, size_t count, double *median)
{
	double lower = -INFINITY;
	size_t i = 0;

	while (i < count && count_below(values, count, values[i]) != count / 2)
		i++;
	if (i == count)
		return false;
	*median = values[i];
	if (count % 2)
		return true;
	for (size_t k = 0; k < count; k++)
		lower = values[k] < *median && values[k] > lower ? values[k] : lower;
	*median = lower + (*median - lower) / 2;
	return true;
}

double perun_median(const double *values, size_t count)
{
	double few[SAMPLE], *copy, median;

	if (count == 0)
		return NAN;
	/* Repeats of a version: most of a history's medians are of so few. */
	if (count == 3 && !isnan(values[0] + values[1] + values[2]))
		return median_of_three(values);
	if (count == 5 && !isnan(values[0] + values[1] + values[2] + values[3] + values[4]))
		return median_of_five(values);
	if (count <= FEW) {
		sort_into(values, count, few);
		return median_of_placed(few, count / 2, count);
	}
	if (count <= SOME && median_of_some(values, count, &median))
		return median;
	copy = count <= SAMPLE ? few : perun_alloc(count * sizeof *copy);
	if (count < BRACKETED || !median_of_many(values, count, NULL, copy, &median)) {
		memcpy(copy, values, count * sizeof *copy);
		median = perun_median_in_place(copy, count);
	}
	if (copy != few)
		perun_free(copy);
	return median;
}

/*
 * How many values may be cut off at each end: the k-th smallest is above the median with the probability
 * of less than k tails of `count` coins. -1 = not even none.
 */
static double cut_of(size_t count, double tail)
{
	double sum = pow(0.5, (double)count), ways = sum, cut = 0;

	if (count > 1000) /* the coins are normal, and their product too small for a double */
		return floor(0.5 * (double)count +
			     perun_normal_quantile(tail) * 0.5 * sqrt((double)count) - 0.5);
	if (sum > tail)
		return -1;
	while (cut < (double)(count / 2)) {
		ways *= ((double)count - cut) / (cut + 1);
		sum += ways;
		if (sum > tail)
			break;
		cut++;
	}
	return cut;
}

bool perun_median_interval(const double *values, size_t count, double confidence, double *low,
			   double *high)
{
	double cut = count ? cut_of(count, (1 - confidence) / 2) : -1, *sorted;
	size_t from = cut > 0 ? (size_t)cut : 0;

	*low = *high = NAN;
	if (count == 0)
		return false;
	sorted = perun_memdup(values, count * sizeof *values);
	perun_sort_doubles(sorted, count);
	*low = sorted[from];
	*high = sorted[count - 1 - from];
	perun_free(sorted);
	return cut >= 0;
}

double perun_mad(const double *values, size_t count, double center)
{
	double *away, median;

	if (count == 0)
		return NAN;
	away = perun_alloc(count * sizeof *away);
	if (count < BRACKETED || !median_of_many(values, count, &center, away, &median)) {
		for (size_t i = 0; i < count; i++)
			away[i] = fabs(values[i] - center);
		median = perun_median_in_place(away, count);
	}
	perun_free(away);
	return median;
}

struct placed {
	double value;
	size_t place;
};

static int compare_placed(const void *one, const void *other)
{
	return compare_doubles(&((const struct placed *)one)->value,
			       &((const struct placed *)other)->value);
}

double perun_ranks(const double *values, size_t count, double *ranks)
{
	struct placed *order = perun_alloc_zero(count + 1, sizeof *order);
	double ties = 0;

	for (size_t i = 0; i < count; i++)
		order[i] = (struct placed){values[i], i};
	qsort(order, count, sizeof *order, compare_placed);
	for (size_t i = 0, end; i < count; i = end) {
		double t;

		for (end = i + 1; end < count && !(order[end].value > order[i].value);)
			end++;
		t = (double)(end - i);
		ties += t * (t * t - 1);
		for (size_t j = i; j < end; j++)
			ranks[order[j].place] = (double)(i + end + 1) / 2;
	}
	perun_free(order);
	return ties;
}

double location_shortest_half_of_sorted(const double *sorted, size_t count, size_t half)
{
	double least = INFINITY;

	for (size_t i = 0; i + half < count; i++) {
		double size = sorted[i + half] - sorted[i];

		least = size < least ? size : least;
	}
	return PERUN_MAD_TO_SIGMA * (1 + 5 / (double)(count - 1)) * least / 2;
}

double location_shortest_half(const double *values, size_t count, size_t half)
{
	double *sorted = perun_memdup(values, count * sizeof *sorted), shortest;

	perun_sort_doubles(sorted, count);
	shortest = location_shortest_half_of_sorted(sorted, count, half);
	perun_free(sorted);
	return shortest;
}
