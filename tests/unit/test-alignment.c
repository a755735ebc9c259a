/* SPDX-License-Identifier: BSD-3-Clause */
/* What is added side by side, and searched in groups, is what plain loops find. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/context/random.h"
#include "core/statistics/alignment.h"
#include "tests/unit/check.h"

enum { SIDE = 60, ROUNDS = 400 };

/* The values of a round: spread, with ties, with modes, with outliers, or hardly apart. */
static double value_of(uint64_t *state, unsigned kind)
{
	double u = (double)(random_next(state) >> 11) / 9007199254740992.0;

	switch (kind % 6) {
	case 0:
		return 100 + u;
	case 1:
		return floor(10 * u);
	case 2:
		return (random_next(state) & 1 ? 1.5 : 1) * (10 + u);
	case 3:
		return random_next(state) % 9 ? u : 1e9 * u;
	case 4:
		return 1e300 * (u - 0.5);
	default:
		return 1 + 1e-13 * u;
	}
}

static int by_size(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* ---- alignment -------------------------------------------------------------------------------- */

enum { WINDOW = 6, FAR = 48, PLACES = 2 * FAR + 1 - 2 * WINDOW };

static double step_of(const double *values, size_t count)
{
	double *distances = malloc((count * count + 1) * sizeof *distances), step;
	size_t pairs = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t j = i % 2; j < i; j += 2)
			distances[pairs++] = fabs(values[i] - values[j]);
	}
	qsort(distances, pairs, sizeof *distances, by_size);
	step = pairs ? distances[(size_t)(0.15 * (double)pairs)] / 3 : 0;
	free(distances);
	return step;
}

static long steps_to(double value, double middle, double step)
{
	return lrint(fmax(-32767, fmin(32767, (value - middle) / step)));
}

/* The gain as the header has it, difference by difference. */
static double plain_gain(const double *values, const bool *second, size_t count, double *shift)
{
	double step = step_of(values, count), middle = perun_median(values, count);
	float counts[2 * FAR + 1] = {0}, about[PLACES], most = 0;
	int best = FAR - WINDOW;

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++) {
			long apart = steps_to(values[j], middle, step) -
				     steps_to(values[i], middle, step);

			if (!second[i] && second[j] && labs(apart) <= FAR)
				counts[apart + FAR]++;
		}
	}
	for (int i = 0; i < PLACES; i++) {
		about[i] = counts[i + WINDOW];
		for (int k = 1; k <= WINDOW; k++) {
			float u = (float)k / (WINDOW + 1), kernel = (1 - u * u) * (1 - u * u);

			about[i] += kernel * (counts[i + WINDOW - k] + counts[i + WINDOW + k]);
		}
	}
	for (int i = 0; i < PLACES; i++)
		best = about[i] > about[best] ? i : best;
	most = about[best];
	*shift = (best - (FAR - WINDOW)) * step;
	return log((most + 1.0) / (about[FAR - WINDOW] + 1.0));
}

TEST(test_gain)
{
	uint64_t state = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t count = 2 + random_below(&state, 2 * SIDE - 2);
		double values[2 * SIDE], shift, expected_shift, expected;
		bool second[2 * SIDE];
		struct alignment alignment;

		for (size_t i = 0; i < count; i++) {
			values[i] = value_of(&state, round);
			second[i] = random_next(&state) & 1;
		}
		if (round % 4 == 0)
			qsort(values, count, sizeof *values, by_size);
		alignment_begin(values, count, &alignment);
		CHECK((alignment.places != NULL) == (step_of(values, count) > 0));
		if (alignment.places) {
			expected = plain_gain(values, second, count, &expected_shift);
			/* Twice: nothing is left of the first time. */
			CHECK_DOUBLE(alignment_gain(&alignment, second, NULL), expected, 0);
			CHECK_DOUBLE(alignment_gain(&alignment, second, &shift), expected, 0);
			CHECK_DOUBLE(shift, expected_shift, 0);
		}
		alignment_end(&alignment);
	}
}

/* ---- shifts ----------------------------------------------------------------------------------- */

static void check_shift(const double *before, size_t n, const double *after, size_t m)
{
	double *all = malloc(n * m * sizeof *all), low, middle;
	size_t count = n * m, cut;
	struct perun_shift shift;

	for (size_t i = 0; i < count; i++)
		all[i] = after[i % m] - before[i / m];
	qsort(all, count, sizeof *all, by_size);
	/* Inflated, the interval is that of a normal variable. */
	perun_hodges_lehmann(before, n, after, m, 0.95, 1.5, &shift);
	low = all[(count - 1) / 2];
	middle = count % 2 ? low : low + (all[count / 2] - low) / 2;
	CHECK_DOUBLE(shift.shift, middle, 0);
	cut = (size_t)fmax(floor((double)count / 2 -
				 perun_normal_quantile(0.975) *
					 sqrt((double)count * (double)(n + m + 1) / 12 * 1.5)),
			   0);
	if (cut > 0) {
		CHECK_DOUBLE(shift.low, all[cut - 1], 0);
		CHECK_DOUBLE(shift.high, all[count - cut], 0);
	}
	free(all);
}

TEST(test_ranks_of_differences)
{
	uint64_t state = 2;

	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t n = 1 + random_below(&state, SIDE), m = 1 + random_below(&state, SIDE);
		double before[SIDE], after[SIDE];

		for (size_t i = 0; i < n; i++)
			before[i] = value_of(&state, round);
		for (size_t i = 0; i < m; i++)
			after[i] = value_of(&state, round + round / 6 % 2);
		check_shift(before, n, after, m);
	}
}

CHECK_MAIN(, )
