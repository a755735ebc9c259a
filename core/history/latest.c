/* SPDX-License-Identifier: BSD-3-Clause */
/* What a history says of the latest measured version of a strand. */
#include <math.h>

#include <perun/lib/statistics.h>

#include "core/history/history.h"
#include "core/history/thresholds.h"
#include "core/statistics/family.h"
#include "core/statistics/sampling.h"

/* Samples that may hide more than this do not show that nothing changed. */
#define MAX_EXCLUDED 0.05
/* The least change that counts, as histories and comparisons of two versions have it. */
#define MIN_CHANGE 0.01
/* Versions that the level before the latest one is the median of. */
enum { LEVEL = 20 };

static double profiles_of(const struct perun_strand *strand, size_t version)
{
	return (double)(strand->starts[version + 1] - strand->starts[version]);
}

/* What counts of samples may hide: two of their standard errors. Of two versions either may have none. */
static double excluded_of_samples(const struct perun_strand *strand, size_t before, size_t last)
{
	double level = fmax(fabs(strand->values[before]), fabs(strand->values[last]));
	double noise = 5 * strand->changes->noise;
	double profiles = fmin(profiles_of(strand, before), profiles_of(strand, last));
	double dispersion = strand->dispersion > 0 ? strand->dispersion : SAMPLES_DISPERSION;

	if (!(level > 0) || !(strand->sample > 0))
		return 0;
	return fmax(noise, 2 * sqrt(2 * dispersion * level * strand->sample / profiles)) / level;
}

/*
 * The largest change from the version `before` to the last one that does not show, as a share; INFINITY where more
 * runs would be needed to say it. It is of the interval that a comparison of the two has.
 */
static double excluded_of(const struct perun_strand *strand, double threshold, size_t before,
			  size_t last, size_t *more)
{
	struct perun_verdict_options options = history_pair_options(strand, before, last);
	const double *repeats = strand->repeats;
	const size_t *starts = strand->starts;
	struct perun_verdict verdict;
	double excluded;

	if (strand->noise == PERUN_NOISE_EXACT)
		return 0;
	if (strand->noise == PERUN_NOISE_SAMPLED)
		return excluded_of_samples(strand, before, last);
	options.threshold = MIN_CHANGE;
	options.floor =
		fmax(options.floor,
		     family_share(strand->moved, strand->values[last] > strand->values[before]));
	perun_judge(repeats + starts[before], starts[before + 1] - starts[before],
		    repeats + starts[last], starts[last + 1] - starts[last], &options, &verdict);
	excluded =
		verdict.before != 0 ? fmax(-verdict.low, verdict.high) / fabs(verdict.before) : 0;
	*more = verdict.more;
	if (verdict.answer == PERUN_VERDICT_SAME)
		return excluded;
	if (verdict.answer != PERUN_VERDICT_UNDECIDED && verdict.before != 0 &&
	    fabs(verdict.after / verdict.before - 1) < threshold)
		return threshold;
	return excluded < threshold ? excluded : INFINITY;
}

/* The median of what was measured before a version, since the level changed or of the nearest. */
static double level_before(const struct perun_strand *strand, size_t last, size_t changes)
{
	size_t first = changes ? strand->changes->points[changes - 1].index : 0, count = 0;
	double values[LEVEL];

	for (size_t i = last; i-- > first && count < LEVEL;) {
		if (!isnan(strand->values[i]))
			values[count++] = strand->values[i];
	}
	return perun_median_in_place(values, count);
}

void perun_history_latest(const struct perun_history *history, const struct perun_strand *strand,
			  double threshold, struct perun_latest *latest)
{
	const struct perun_segmentation *changes = strand->changes;
	size_t last = strand->count, earlier = changes->count;
	const struct perun_change_point *point;
	bool is_open;

	*latest = (struct perun_latest){
		.version = SIZE_MAX, .before = SIZE_MAX, .answer = PERUN_VERDICT_UNDECIDED};
	while (last > 0 && isnan(strand->values[last - 1]))
		last--;
	if (last == 0)
		return;
	latest->version = --last;
	latest->before = perun_last_measured_before(strand, last);
	if (isnan(strand->values[latest->before]) || latest->before == last) {
		latest->before = SIZE_MAX;
		return;
	}
	point = earlier && changes->points[earlier - 1].index == last ? &changes->points[--earlier]
								      : NULL;
	latest->level = level_before(strand, last, earlier);
	if (point) {
		latest->answer = point->after > point->before ? PERUN_VERDICT_INCREASE
							      : PERUN_VERDICT_DECREASE;
		return;
	}
	threshold = fmax(threshold, perun_threshold_of(history->thresholds, strand->location,
						       strand->command));
	/* As of two versions: what is too small to matter excludes nothing. */
	latest->excluded =
		strand->small ? 0
			      : excluded_of(strand, threshold, latest->before, last, &latest->more);
	is_open = strand->noise == PERUN_NOISE_SAMPLED
			  ? latest->excluded > fmax(threshold, MAX_EXCLUDED)
			  : isinf(latest->excluded);
	latest->answer = is_open ? PERUN_VERDICT_UNDECIDED : PERUN_VERDICT_SAME;
}
