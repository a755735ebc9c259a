/* SPDX-License-Identifier: BSD-3-Clause */
/* How far the sessions of a few versions differ: as those of all strands do that are measured in them. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include <perun/lib/statistics.h>

#include "core/history/history.h"
#include "core/profile/pool.h"
#include "core/statistics/few-runs.h"
#include "core/statistics/variances.h"

/* Fewer strands say little of each other, and fewer differences little of a strand. */
#define MIN_STRANDS     6
#define MIN_DIFFERENCES 2

/* Strands of a group with enough repeats in each version. */
static bool shows_sessions(const struct perun_strand *strand)
{
	return strand->noise == PERUN_NOISE_TIMED && !strand->inclusive && !strand->stacks &&
	       strand->repeats && strand->starts &&
	       strand->starts[strand->count] >= FEW_RUNS * perun_strand_measured(strand);
}

/* The variance of the logarithms of its values, of which a few steps are no part; NaN: too few are above 0. */
static double variance_of(const struct perun_strand *strand, size_t *differences)
{
	double *apart = perun_alloc((strand->count + 1) * sizeof *apart), last = NAN, sigma = NAN;
	size_t count = 0;

	for (size_t i = 0; i < strand->count; i++) {
		if (!(strand->values[i] > 0))
			continue;
		if (!isnan(last))
			apart[count++] = fabs(log(strand->values[i] / last));
		last = strand->values[i];
	}
	if (count >= MIN_DIFFERENCES)
		sigma = PERUN_MAD_TO_SIGMA * perun_median_in_place(apart, count) / M_SQRT2;
	perun_free(apart);
	*differences = count;
	return sigma * sigma;
}

/* The strands of a group say it of each. */
static void share(struct perun_strand_builder *const *strands, size_t count)
{
	double *variances = perun_alloc_zero(count + 1, sizeof *variances), variance, freedom;
	size_t known = 0, differences = 0, all = 0;

	for (size_t i = 0; i < count; i++) {
		variances[known] = variance_of(&strands[i]->strand, &differences);
		if (isnan(variances[known]))
			continue;
		known++;
		all += differences;
	}
	if (known >= MIN_STRANDS) {
		freedom = variances_freedom(variances, known, (double)all / (double)known);
		variance = perun_median_in_place(variances, known);
		for (size_t i = 0; i < count && variance > 0; i++) {
			strands[i]->strand.dispersion = variance;
			strands[i]->strand.dispersion_freedom = freedom;
		}
	}
	perun_free(variances);
}

struct member {
	size_t group, strand;
};

static int by_group(const void *one, const void *other)
{
	const struct member *a = one, *b = other;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->strand > b->strand) - (a->strand < b->strand);
}

void history_measure_sessions(struct perun_history *history)
{
	struct perun_strand_builder **strands =
		perun_alloc_zero(history->count + 1, sizeof *strands);
	struct member *members = perun_alloc_zero(history->count + 1, sizeof *members);
	struct perun_pool *groups = perun_pool_new(false);
	size_t count = 0;

	/* Of more, the last ones may be all that is read; and each strand has enough of its own. */
	for (size_t s = 0; history->few && s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;

		if (shows_sessions(strand))
			members[count++] =
				(struct member){perun_strand_session_group(&groups, strand), s};
	}
	if (count)
		qsort(members, count, sizeof *members, by_group);
	for (size_t i = 0; i < count; i++)
		strands[i] = &history->strands[members[i].strand];
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && members[end].group == members[i].group;)
			end++;
		share(strands + i, end - i);
	}
	perun_pool_unref(groups);
	perun_free(strands);
	perun_free(members);
}
