/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries of tallies. */
#include "tally.h"

void afperf_tally_merge(struct afperf_tally *tally, const struct afperf_tally *other)
{
	long double shift = other->origin - tally->origin;
	uint64_t numbers = other->count - other->nans - other->infinities;

	if (!other->count)
		return;
	if (!tally->count) {
		*tally = *other;
		return;
	}
	if (tally->count == tally->nans && other->count > other->nans) {
		tally->origin = other->origin;
		tally->least = other->least;
		tally->greatest = other->greatest;
		shift = 0;
	}
	/* Sums of distances from the other origin, moved to this one. */
	tally->square += other->square + 2 * shift * other->distance + numbers * shift * shift;
	tally->distance += other->distance + numbers * shift;
	if (other->count > other->nans) {
		tally->least = other->least < tally->least ? other->least : tally->least;
		tally->greatest =
			other->greatest > tally->greatest ? other->greatest : tally->greatest;
	}
	tally->count += other->count;
	tally->nans += other->nans;
	tally->infinities += other->infinities;
	tally->fractions |= other->fractions;
}

void afperf_tally_summary(const struct afperf_tally *tally, struct afperf_summary *summary)
{
	long double count = tally->count, variance;

	summary->count = tally->count;
	summary->integers = !tally->fractions;
	summary->sum = summary->mean = summary->std = NAN;
	summary->min = tally->least;
	summary->max = tally->greatest;
	if (tally->nans || !tally->count)
		summary->min = summary->max = NAN;
	if (tally->nans || tally->infinities || !tally->count)
		return;
	summary->sum = count * tally->origin + tally->distance;
	summary->mean = tally->origin + tally->distance / count;
	variance = (tally->square - tally->distance * (tally->distance / count)) / count;
	summary->std = variance > 0 ? sqrtl(variance) : 0;
}
