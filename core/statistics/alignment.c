/* SPDX-License-Identifier: BSD-3-Clause */
/* By how much one of two samples is moved to lie best over the other. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/statistics/alignment.h"

/*
 * A step is a third of the distance that this share of all pairs of values keeps. In noise of two modes
 * and two versions some 0.3 of all pairs are of the same mode and version: half of these are that close.
 */
#define CLOSE         0.15
#define STEPS_A_WIDTH 3
#define HALF_WINDOW   ALIGNMENT_WINDOW
/* Shifts are looked for up to this many steps: larger ones any test sees. */
#define FARTHEST 48
#define WIDTH    (2 * FARTHEST + 1)
/* Places without those at the ends; rounded up, so that whole vectors are added without a rest. */
#define PLACES  (WIDTH - 2 * HALF_WINDOW)
#define ROUNDED ((PLACES + 7) / 8 * 8)
#define UNMOVED (FARTHEST - HALF_WINDOW)

/* Eight counts, and four sums of them by a kernel, side by side. */
typedef int16_t counts8 __attribute__((vector_size(8 * sizeof(int16_t))));
typedef float sums4 __attribute__((vector_size(4 * sizeof(float))));
typedef int32_t answers4 __attribute__((vector_size(4 * sizeof(int32_t))));
/* Up to this many steps gaps are not cut short. */
#define NARROW 512
/* Up to this much room is cleared whole. */
#define SHORT   1024
#define PARTS   2
#define PART    7 /* of seven times eight counts, which registers hold */
#define COUNTED (PARTS * PART * 8)
_Static_assert(COUNTED >= ROUNDED + 2 * HALF_WINDOW && ROUNDED % 4 == 0, "whole vectors");

/* The places of values whose steps these are, in ascending order; gaps beyond the farthest shift are cut short. */
static size_t place_in_order(const double *sorted, size_t count, int32_t *places)
{
	int32_t at = 0;

	for (size_t i = 0; i < count; i++) {
		double gap = i ? sorted[i] - sorted[i - 1] : 0;

		at += gap < WIDTH ? (int32_t)gap : WIDTH;
		places[i] = at;
	}
	return count ? (size_t)at : 0;
}

/* The place of a value, among those of all steps. */
static int32_t find_place(const double *sorted, const int32_t *places, size_t count, double step)
{
	size_t low = 0, high = count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] <= step)
			low = middle;
		else
			high = middle;
	}
	return places[low];
}

/* Where steps are far apart, gaps are cut short. Steps are whole numbers; as doubles they are sorted like values. */
static size_t place_apart(const double *steps, size_t count, int32_t *found)
{
	double *sorted = perun_memdup(steps, count * sizeof *steps);
	int32_t *places = perun_alloc((count + 1) * sizeof *places);
	size_t last;

	perun_sort_doubles(sorted, count);
	last = place_in_order(sorted, count, places);
	for (size_t i = 0; i < count; i++)
		found[i] = find_place(sorted, places, count, steps[i]);
	perun_free(places);
	perun_free(sorted);
	return last;
}

static void place_all(const double *steps, size_t count, struct alignment *alignment)
{
	double least = INFINITY, most = -INFINITY;
	size_t last;

	for (size_t i = 0; i < count; i++) {
		least = steps[i] < least ? steps[i] : least;
		most = steps[i] > most ? steps[i] : most;
	}
	alignment->places = perun_alloc((count + 1) * sizeof *alignment->places);
	alignment->about = perun_alloc((count + 1) * sizeof(int16_t *));
	last = (size_t)(most - least);
	for (size_t i = 0; last <= NARROW && i < count; i++)
		alignment->places[i] = (int32_t)(steps[i] - least);
	if (last > NARROW)
		last = place_apart(steps, count, alignment->places);
	alignment->room = last + FARTHEST + COUNTED + 1;
	alignment->second = perun_alloc_zero(alignment->room, sizeof *alignment->second);
}

/* The quartic kernel: nearer differences count for more. */
static void make_kernel(float kernel[ALIGNMENT_WINDOW + 1])
{
	for (int k = 0; k <= HALF_WINDOW; k++) {
		float u = (float)k / (HALF_WINDOW + 1);

		kernel[k] = (1 - u * u) * (1 - u * u);
	}
}

void alignment_begin(const double *values, size_t count, struct alignment *alignment)
{
	double *distances = perun_alloc((count * count / 4 + 1) * sizeof *distances);
	double middle = perun_median(values, count);
	size_t pairs = 0;

	*alignment = (struct alignment){.count = count};
	for (size_t i = 0; i < count; i++) {
		for (size_t j = i % 2; j < i; j += 2) /* half of all pairs will do */
			distances[pairs++] = fabs(values[i] - values[j]);
	}
	make_kernel(alignment->kernel);
	alignment->step = perun_select_in_place(distances, pairs, (size_t)(CLOSE * (double)pairs)) /
			  STEPS_A_WIDTH;
	perun_free(distances);
	if (!(alignment->step > 0))
		return;
	distances = perun_alloc((count + 1) * sizeof *distances);
	for (size_t i = 0; i < count; i++) {
		double step = (values[i] - middle) / alignment->step;

		distances[i] = rint(fmax(-INT16_MAX, fmin(INT16_MAX, step)));
	}
	place_all(distances, count, alignment);
	perun_free(distances);
}

void alignment_end(struct alignment *alignment)
{
	perun_free(alignment->places);
	perun_free((void *)alignment->about);
	perun_free(alignment->second);
	*alignment = (struct alignment){0};
}

static inline counts8 eight_at(const int16_t *counts)
{
	counts8 eight;

	memcpy(&eight, counts, sizeof eight);
	return eight;
}

/* Of a part of the differences, from the first one on. */
static inline void count_part(const int16_t *const *about, size_t count, size_t first,
			      counts8 counts[PART])
{
	counts8 one = {0}, two = {0}, three = {0}, four = {0}, five = {0}, six = {0}, seven = {0};

	for (size_t i = 0; i < count; i++) {
		const int16_t *there = about[i] + first;

		one += eight_at(there);
		two += eight_at(there + 8);
		three += eight_at(there + 16);
		four += eight_at(there + 24);
		five += eight_at(there + 32);
		six += eight_at(there + 40);
		seven += eight_at(there + 48);
	}
	counts[0] = one;
	counts[1] = two;
	counts[2] = three;
	counts[3] = four;
	counts[4] = five;
	counts[5] = six;
	counts[6] = seven;
}

/*
 * How many differences of the second and the first sample are of each number of steps: for each value of the first one, the
 * second's at the places about it are added, all of them side by side.
 */
static void count_differences(struct alignment *alignment, const bool *second,
			      counts8 counts[COUNTED / 8])
{
	const int32_t *places = alignment->places;
	const int16_t **about = alignment->about;
	int16_t *there = alignment->second;
	size_t count = 0;

	for (size_t i = 0; i < alignment->count; i++) {
		about[count] = there + places[i];
		count += !second[i];
		there[places[i] + FARTHEST] += (int16_t)second[i];
	}
	for (size_t part = 0; part < PARTS; part++)
		count_part(about, count, part * PART * 8, counts + part * PART);
	if (alignment->room <= SHORT)
		memset(there, 0, alignment->room * sizeof *there);
	for (size_t i = 0; alignment->room > SHORT && i < alignment->count; i++)
		there[places[i] + FARTHEST] = 0;
}

static inline sums4 four_at(const float *values)
{
	sums4 four;

	memcpy(&four, values, sizeof four);
	return four;
}

_Static_assert(HALF_WINDOW == 6 && HALF_WINDOW == 2 * STEPS_A_WIDTH,
	       "a window is as wide as it is added");
static inline sums4 add_pair(sums4 sum, const float *middle, int k, const float *kernel)
{
	return sum + kernel[k] * (four_at(middle - k) + four_at(middle + k));
}

/* How many differences lie about each place, the first of which has HALF_WINDOW counts before it. */
static void count_about(const int16_t *restrict counts, const float *restrict kernel,
			float *restrict about)
{
	float numbers[COUNTED];

	for (int i = 0; i < ROUNDED + 2 * HALF_WINDOW; i++)
		numbers[i] = counts[i];
	for (int i = 0; i < ROUNDED; i += 4) {
		const float *middle = numbers + HALF_WINDOW + i;
		sums4 sum = four_at(middle);

		sum = add_pair(sum, middle, 1, kernel);
		sum = add_pair(sum, middle, 2, kernel);
		sum = add_pair(sum, middle, 3, kernel);
		sum = add_pair(sum, middle, 4, kernel);
		sum = add_pair(sum, middle, 5, kernel);
		sum = add_pair(sum, middle, 6, kernel);
		memcpy(about + i, &sum, sizeof sum);
	}
}

/* None is below 0. Those after the last place are overwritten. */
static float largest_of(float about[ROUNDED])
{
	sums4 most = {0};
	float largest = 0;

	for (int i = PLACES; i < ROUNDED; i++)
		about[i] = 0;
	for (int i = 0; i < ROUNDED; i += 4) {
		sums4 four = four_at(about + i);
		answers4 larger = four > most;

		most = (sums4)((larger & (answers4)four) | (~larger & (answers4)most));
	}
	for (int i = 0; i < 4; i++)
		largest = most[i] > largest ? most[i] : largest;
	return largest;
}

double alignment_gain(struct alignment *alignment, const bool *second, double *shift)
{
	counts8 counts[COUNTED / 8];
	int16_t numbers[COUNTED];
	float about[ROUNDED], most;
	int best = UNMOVED;

	count_differences(alignment, second, counts);
	memcpy(numbers, counts, sizeof numbers);
	count_about(numbers, alignment->kernel, about);
	most = largest_of(about);
	for (int i = 0; i < PLACES && shift; i++)
		best = about[i] > about[best] ? i : best;
	if (shift)
		*shift = (best - UNMOVED) * alignment->step;
	return log((most + 1.0) / (about[UNMOVED] + 1.0));
}
