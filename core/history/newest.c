/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of the newest versions, which no later ones bear out yet: what a few runs of two versions show for certain. */
#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/history/history.h"
#include "core/statistics/few-runs.h"

/* This many measured versions are new; of older ones the history shows by itself what a change was. */
#define NEWEST 2
/* Standard deviations of a difference that sessions do not make, as perun_session_floor() says. */
#define EARLIER 3
/* One of this many earlier versions, and one more, show that a value is not a new one. */
#define SEEN 10

struct perun_verdict_options history_pair_options(const struct perun_strand *strand, size_t before,
						  size_t index)
{
	const double *known = strand->deviations;
	double earlier =
		strand->noise == PERUN_NOISE_TIMED ? history_floor_before(strand, index) : 0;
	size_t runs = strand->starts[index + 1] - strand->starts[index];
	size_t others = strand->starts[before + 1] - strand->starts[before];
	double carried = known ? few_runs_carried(known[before], known[index], runs, others) : 0;
	double usual = fmax(earlier / EARLIER, carried);

	return (struct perun_verdict_options){.struct_size = sizeof(struct perun_verdict_options),
					      .floor = EARLIER * usual,
					      .usual = usual};
}

/* ---- levels ------------------------------------------------------------------------------------ */

double history_level(const struct perun_strand *strand, size_t first, size_t end)
{
	double *values = perun_alloc((end - first + 1) * sizeof *values), level;
	size_t count = 0;

	for (size_t i = first; i < end; i++) {
		if (!isnan(strand->values[i]))
			values[count++] = strand->values[i];
	}
	level = perun_median_in_place(values, count);
	perun_free(values);
	return level;
}

void history_move_levels(struct perun_change_point *point, double before, double after)
{
	double moved = after - before - (point->after - point->before);

	point->before = before;
	point->after = after;
	point->shift += moved;
	point->low += moved;
	point->high += moved;
}

/* The number of changes before a version. */
static size_t changes_before(const struct perun_segmentation *changes, size_t index)
{
	size_t count = 0;

	while (count < changes->count && changes->points[count].index < index)
		count++;
	return count;
}

static void add_change(struct perun_strand_builder *builder, size_t index,
		       const struct perun_verdict *verdict)
{
	struct perun_segmentation *changes = &builder->changes;
	const struct perun_strand *strand = &builder->strand;
	size_t at = changes_before(changes, index);
	struct perun_change_point *points, *new;

	points = changes->points =
		perun_realloc_array(changes->points, changes->count + 1, sizeof *changes->points);
	new = &points[at];
	memmove(new + 1, new, (changes->count++ - at) * sizeof *points);
	*new = (struct perun_change_point){.index = index,
					   .first = at ? points[at - 1].index : 0,
					   .end = at + 1 < changes->count ? points[at + 1].index
									  : strand->count,
					   .before = verdict->before,
					   .after = verdict->after,
					   .shift = verdict->shift,
					   .low = verdict->low,
					   .high = verdict->high,
					   .p = verdict->p};
	history_move_levels(new, history_level(strand, new->first, index),
			    history_level(strand, index, new->end));
	if (at) {
		points[at - 1].end = index;
		history_move_levels(&points[at - 1], points[at - 1].before, new->before);
	}
	if (at + 1 < changes->count) {
		points[at + 1].first = index;
		history_move_levels(&points[at + 1], new->after, points[at + 1].after);
	}
}

/* ---- what is certain --------------------------------------------------------------------------- */

/* Whether a share of the versions since the last change are as far from the version `before` as the newer one is. */
static bool was_seen(const struct perun_strand *strand, size_t before, double value)
{
	const struct perun_segmentation *changes = strand->changes;
	size_t at = changes_before(changes, before + 1), measured = 0, seen = 0;
	double base = strand->values[before];

	for (size_t i = at ? changes->points[at - 1].index : 0; i < before; i++) {
		if (isnan(strand->values[i]))
			continue;
		measured++;
		seen += value > base ? strand->values[i] >= value : strand->values[i] <= value;
	}
	return seen > measured / SEEN;
}

/* Whether the versions after the newer one, if there are any, are nearer to it than to the one before. */
static bool is_borne_out(const struct perun_strand *strand, size_t before, size_t index)
{
	double middle = sqrt(strand->values[before] * strand->values[index]);
	bool more = strand->values[index] > strand->values[before];

	for (size_t i = index + 1; i < strand->count; i++) {
		if (!isnan(strand->values[i]) && (strand->values[i] > middle) != more)
			return false;
	}
	return true;
}

bool history_may_be_certain(const struct perun_strand *strand, size_t before, size_t index)
{
	size_t runs = strand->starts[index + 1] - strand->starts[index];
	size_t others = strand->starts[before + 1] - strand->starts[before];
	double one = strand->values[before], other = strand->values[index];

	runs = runs < others ? runs : others;
	return runs < FEW_RUNS && one > 0 && other > 0 &&
	       few_runs_p(runs, fabs(log(other / one))) <= few_runs_certain_p(runs);
}

/* Whether the two versions alone show a change, whatever else is compared with them. */
static bool is_certain(const struct perun_strand *strand, size_t before, size_t index,
		       struct perun_verdict *verdict)
{
	const size_t *starts = strand->starts;
	struct perun_verdict_options options;

	if (!history_may_be_certain(strand, before, index) ||
	    was_seen(strand, before, strand->values[index]) || !is_borne_out(strand, before, index))
		return false;
	options = history_pair_options(strand, before, index);
	perun_judge(strand->repeats + starts[before], starts[before + 1] - starts[before],
		    strand->repeats + starts[index], starts[index + 1] - starts[index], &options,
		    verdict);
	return verdict->answer == PERUN_VERDICT_INCREASE ||
	       verdict->answer == PERUN_VERDICT_DECREASE;
}

static void add_certain(struct perun_strand_builder *builder, double threshold)
{
	const struct perun_strand *strand = &builder->strand;
	size_t newest[NEWEST + 1], count = 0;

	for (size_t i = strand->count; i-- > 0 && count <= NEWEST;) {
		if (!isnan(strand->values[i]))
			newest[count++] = i;
	}
	for (size_t i = count; i-- > 1;) {
		size_t before = newest[i], index = newest[i - 1];
		size_t at = changes_before(&builder->changes, index);
		struct perun_verdict verdict;

		if ((at == builder->changes.count || builder->changes.points[at].index != index) &&
		    is_certain(strand, before, index, &verdict) &&
		    fabs(verdict.shift) >= threshold * fabs(verdict.before))
			add_change(builder, index, &verdict);
	}
}

void history_add_certain(struct perun_history *history, double threshold)
{
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];

		if (builder->strand.noise == PERUN_NOISE_TIMED && !builder->strand.inclusive)
			add_certain(builder, threshold);
	}
}
