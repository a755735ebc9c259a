/* SPDX-License-Identifier: BSD-3-Clause */
/* Single sessions that a busy machine displaced: values that left their level and came back at the next version. */
#include <math.h>

#include <perun/lib/statistics.h>

#include "core/history/displaced.h"

/* A displacement is that many times what the strand moves by elsewhere: others are noisy by their nature. */
#define CALM 4
/* One may be a commit and its revert; of many versions more show it. */
#define MIN_SHOWING     2
#define SHOWING_PART    0.1
#define BEYOND_THE_SEEN 1.25

static double apart(const struct perun_strand *strand, size_t before, size_t index)
{
	return log(strand->values[index]) - log(strand->values[before]);
}

/* The measured versions of a strand, and what it usually moves by between two of them: a half of what is no displacement does. */
struct calm {
	size_t *versions, count;
	double usual;
};

static struct calm look_at(const struct perun_strand *strand, size_t *versions, double *moves)
{
	struct calm calm = {.versions = versions};

	for (size_t v = 0; v < strand->count; v++) {
		if (strand->values[v] > 0)
			versions[calm.count++] = v;
	}
	for (size_t i = 1; i < calm.count; i++)
		moves[i - 1] = fabs(apart(strand, versions[i - 1], versions[i]));
	if (calm.count < 4)
		return (struct calm){.versions = versions};
	/* The two moves of a displacement are the largest. */
	calm.usual = perun_select_in_place(moves, calm.count - 1, (calm.count - 3) / 2);
	return calm;
}

/* The sizes of a strand's displacements, where they are the largest of their version. */
static void take(const struct perun_strand *strand, const struct calm *calm, double *largest)
{
	for (size_t i = 1; i + 1 < calm->count; i++) {
		const size_t *at = calm->versions + i;
		double there = apart(strand, at[-1], at[0]), back = apart(strand, at[1], at[0]);
		double size = fmin(fabs(there), fabs(back));

		if (there * back > 0 && size > CALM * calm->usual)
			largest[*at] = fmax(largest[*at], size);
	}
}

double history_displaced_floor(const struct perun_strand *const *strands, size_t count)
{
	const size_t versions = count ? strands[0]->count : 0;
	size_t *measured = perun_alloc((versions + 1) * sizeof *measured), inner = 0, showing;
	double *moves = perun_alloc((versions + 1) * sizeof *moves), floor = 0;
	double *largest = perun_alloc_zero(versions + 1, sizeof *largest);

	for (size_t i = 0; i < count; i++) {
		struct calm calm = look_at(strands[i], measured, moves);

		take(strands[i], &calm, largest);
		if (calm.count > inner + 2)
			inner = calm.count - 2;
	}
	showing = (size_t)fmax(MIN_SHOWING, ceil(SHOWING_PART * (double)inner));
	if (showing <= inner)
		floor = BEYOND_THE_SEEN *
			perun_select_in_place(largest, versions, versions - showing);
	perun_free(measured);
	perun_free(moves);
	perun_free(largest);
	return floor;
}
