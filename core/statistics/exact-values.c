/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program should repeat exactly, and does not quite: means over as many operations as the time allowed. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/statistics/exact-values.h"

/*
 * Buffers that grow now and then cost each operation its share of them: bytes per operation of an unchanged Go program
 * differ by up to 2.6 % from run to run, in two of three benchmarks, though the number of allocations does not.
 */
#define SMALL 0.05
/* This many of them each way are no accident, */
#define MIN_EACH_WAY 2
/* and what goes this many times as far as they do the other way is none: in three pairs of runs, up to 5. */
#define RARE 6

struct exact_noise exact_noise_of(const double *changes, size_t count)
{
	struct exact_noise noise = {0, 0};
	size_t rises = 0, falls = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(fabs(changes[i]) < SMALL))
			continue;
		rises += changes[i] > 0;
		falls += changes[i] < 0;
		noise.rise = fmax(noise.rise, changes[i]);
		noise.fall = fmax(noise.fall, -changes[i]);
	}
	return rises >= MIN_EACH_WAY && falls >= MIN_EACH_WAY ? noise : (struct exact_noise){0, 0};
}

bool exact_is_noise(const struct exact_noise *noise, double before, double after, const char *unit)
{
	double change = after / before - 1;

	/* go test prints bytes per operation without a fraction. */
	if (strcmp(unit, "B/op") == 0 && before > 0 && fabs(after - before) <= 1)
		return true;
	return fabs(change) < fmin(SMALL, RARE * (change > 0 ? noise->fall : noise->rise));
}
