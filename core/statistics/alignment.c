/* SPDX-License-Identifier: BSD-3-Clause */
/* By how much one of two samples is moved to lie best over the other. */
#include <config.h>

#include <math.h>

#include <perun/lib/statistics.h>

#include "core/statistics/alignment.h"

/*
 * A step is a third of the distance that this share of all pairs of values keeps. In noise of two modes
 * and two versions some 0.3 of all pairs are of the same mode and version: half of these are that close.
 */
#define CLOSE         0.15
#define STEPS_A_WIDTH 3
#define HALF_WINDOW   (2 * STEPS_A_WIDTH)
/* Shifts are looked for up to this many steps: larger ones any test sees. */
#define FARTHEST 48
#define WIDTH    (2 * FARTHEST + 1)
/* Places without those at the ends; rounded up, so that whole vectors are added without a rest. */
#define PLACES  (WIDTH - 2 * HALF_WINDOW)
#define ROUNDED ((PLACES + 7) / 8 * 8)
#define UNMOVED (FARTHEST - HALF_WINDOW)

void alignment_begin(const double *values, size_t count, struct alignment *alignment)
{
	double *distances = perun_alloc_zero(count * count / 4 + 1, sizeof *distances);
	double middle = perun_median(values, count);
	size_t pairs = 0;

	*alignment = (struct alignment){.count = count};
	for (size_t i = 0; i < count; i++) {
		for (size_t j = i % 2; j < i; j += 2) /* half of all pairs will do */
			distances[pairs++] = fabs(values[i] - values[j]);
	}
	alignment->step = perun_select_in_place(distances, pairs, (size_t)(CLOSE * (double)pairs)) /
			  STEPS_A_WIDTH;
	perun_free(distances);
	if (!(alignment->step > 0))
		return;
	alignment->steps = perun_alloc_zero(2 * count, sizeof *alignment->steps);
	alignment->parts = alignment->steps + count;
	for (size_t i = 0; i < count; i++) {
		double step = (values[i] - middle) / alignment->step;

		alignment->steps[i] = (int32_t)lrint(fmax(-INT16_MAX, fmin(INT16_MAX, step)));
	}
}

void alignment_end(struct alignment *alignment)
{
	perun_free(alignment->steps);
	alignment->steps = NULL;
}

/* How many differences of the second and the first sample are of this many steps. */
static void count_differences(const struct alignment *alignment, const bool *second,
			      int32_t counts[])
{
	size_t before = 0, after = alignment->count;

	for (size_t i = 0; i < alignment->count; i++)
		alignment->parts[second[i] ? --after : before++] = alignment->steps[i];
	for (size_t i = 0; i < before; i++) {
		for (size_t j = after; j < alignment->count; j++) {
			uint32_t apart =
				(uint32_t)(alignment->parts[j] - alignment->parts[i]) + FARTHEST;

			/* Too far ones are counted, too, where nobody looks: that is not a branch. */
			counts[apart < WIDTH ? apart : WIDTH]++;
		}
	}
}

/* The quartic kernel: nearer differences count for more. */
static void make_kernel(float kernel[HALF_WINDOW + 1])
{
	for (int k = 0; k <= HALF_WINDOW; k++) {
		float u = (float)k / (HALF_WINDOW + 1);

		kernel[k] = (1 - u * u) * (1 - u * u);
	}
}

/* How many differences lie about each place, the first of which has HALF_WINDOW counts before it. */
static void count_about(const int32_t *restrict counts, float *restrict about)
{
	float kernel[HALF_WINDOW + 1];

	make_kernel(kernel);
	for (int i = 0; i < ROUNDED; i++)
		about[i] = (float)counts[HALF_WINDOW + i];
	for (int k = 1; k <= HALF_WINDOW; k++) {
		const int32_t *before = counts + HALF_WINDOW - k, *after = counts + HALF_WINDOW + k;

		for (int i = 0; i < ROUNDED; i++)
			about[i] += kernel[k] * (float)(before[i] + after[i]);
	}
}

double alignment_gain(const struct alignment *alignment, const bool *second, double *shift)
{
	int32_t counts[ROUNDED + 2 * HALF_WINDOW] = {0};
	float about[ROUNDED];
	int best = UNMOVED;

	count_differences(alignment, second, counts);
	count_about(counts, about);
	for (int i = 0; i < PLACES; i++)
		best = about[i] > about[best] ? i : best;
	if (shift)
		*shift = (best - UNMOVED) * alignment->step;
	return log((about[best] + 1.0) / (about[UNMOVED] + 1.0));
}
