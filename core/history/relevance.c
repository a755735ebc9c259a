/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that a busy machine makes, and of parts of a time: found as a comparison of two versions finds them (core/compare). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/history/clock-strands.h"
#include "core/history/displaced.h"
#include "core/history/history.h"
#include "core/history/thresholds.h"
#include "core/history/values.h"
#include "core/profile/pool.h"
#include "core/statistics/exact-values.h"
#include "core/statistics/family.h"
#include "core/statistics/few-runs.h"

/* The p of a change that is noise; no test has it. */
#define NOISE_P 2

/* A change next to one that was dropped. Where less than half is left of it, it was the way back, and is noise as well. */
#define LEFT 0.5
/* Versions whose loads are no further apart were measured alike. */
#define ALIKE_LOAD 0.1
static void join(struct perun_change_point *point, double before, double after)
{
	const double was = point->after - point->before;

	history_move_levels(point, before, after);
	if (was != 0 && (after - before) / was < LEFT)
		point->p = NOISE_P;
}

/* Take a change away: the levels on both sides of it become one. */
static void drop(struct perun_strand_builder *builder, size_t i)
{
	struct perun_segmentation *changes = &builder->changes;
	struct perun_change_point *points = changes->points, gone = points[i];
	double level = history_level(&builder->strand, gone.first, gone.end);

	if (i > 0) {
		points[i - 1].end = gone.end;
		join(&points[i - 1], points[i - 1].before, level);
	}
	if (i + 1 < changes->count) {
		points[i + 1].first = gone.first;
		join(&points[i + 1], level, points[i + 1].after);
	}
	changes->count--;
	memmove(points + i, points + i + 1, (changes->count - i) * sizeof *points);
}

/* ---- one clock against another --------------------------------------------------------------------- */

/* Whether a level begins at a version that noise did not make. */
static bool changes_at(const struct perun_strand *strand, size_t index)
{
	for (size_t i = 0; i < strand->changes->count; i++) {
		if (strand->changes->points[i].index == index)
			return strand->changes->points[i].p != NOISE_P;
	}
	return false;
}

static const struct perun_strand *made_of(const struct perun_strand *time, const double values[2],
					  size_t before, size_t index)
{
	if (!time || index >= time->count)
		return NULL;
	return perun_is_made_of_time(values,
				     (const double[2]){time->values[before], time->values[index]})
		       ? time
		       : NULL;
}

const struct perun_strand *perun_strand_made_of(const struct perun_strand *strand, size_t before,
						size_t index)
{
	const struct perun_strand_builder *builder = (const struct perun_strand_builder *)strand;
	const double values[2] = {strand->values[before], strand->values[index]};
	const struct perun_strand *real = made_of(builder->real, values, before, index);

	return real ? real : made_of(builder->cpu, values, before, index);
}

/* Whether a time did not change that a change is made of. */
static bool repeats_unchanged_time(const struct perun_strand *strand,
				   const struct perun_change_point *point)
{
	const struct perun_strand *time = perun_strand_made_of(
		strand, perun_last_measured_before(strand, point->index), point->index);

	return time && !changes_at(time, point->index);
}

static bool is_timed(const struct perun_strand *strand)
{
	return strand->noise == PERUN_NOISE_TIMED && !strand->inclusive;
}

/* Let what may be counted by time know the times of the same. */
static void find_times(struct perun_history *history, struct clock_strands *reals,
		       struct clock_strands *cpus)
{
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];
		bool counts = is_timed(&builder->strand) && !perun_is_clock(builder->metric);

		builder->real = counts ? clock_strands_find(reals, &builder->strand) : NULL;
		builder->cpu = counts ? clock_strands_find(cpus, &builder->strand) : NULL;
	}
}

/* The load of each version: of what is measured together, by the number among `groups`. */
struct loads {
	struct perun_pool *groups;
	struct perun_load *at; /* of each group, by version */
	size_t count, capacity, versions;
};

static struct perun_load *loads_of(struct loads *loads, const struct perun_strand *strand)
{
	perun_id group = perun_strand_group(&loads->groups, strand);

	while (group >= loads->count) {
		size_t all = ++loads->count * loads->versions;

		if (all > loads->capacity) {
			loads->capacity = 2 * all;
			loads->at =
				perun_realloc_array(loads->at, loads->capacity, sizeof *loads->at);
		}
		memset(loads->at + all - loads->versions, 0, loads->versions * sizeof *loads->at);
	}
	return loads->at + group * loads->versions;
}

static void find_loads(const struct perun_history *history, struct clock_strands *reals,
		       struct clock_strands *cpus, struct loads *loads)
{
	for (size_t i = 0; cpus->count && i < reals->count; i++) {
		const struct perun_strand *real = reals->strands[i],
					  *cpu = clock_strands_find(cpus, real);
		struct perun_load *at = cpu ? loads_of(loads, real) : NULL;

		for (size_t v = 0; at && v < real->count && v < cpu->count; v++) {
			perun_load_add(&at[v], real->values[v], cpu->values[v]);
			at[v].stated = history->loads ? history->loads[v] : 0;
		}
	}
}

/* Real times that changed where processor times did not: of the longer one the machine's load must be enough to explain it. */
static bool was_busy(struct clock_strands *cpus, struct loads *loads,
		     const struct perun_strand *strand, const struct perun_change_point *point)
{
	const struct perun_strand *cpu =
		strcmp(strand->metric, "time(real)") == 0 ? clock_strands_find(cpus, strand) : NULL;
	size_t longer = point->after > point->before
				? point->index
				: perun_last_measured_before(strand, point->index);

	return cpu && point->index < cpu->count && !changes_at(cpu, point->index) &&
	       perun_load_explains(&loads_of(loads, strand)[longer], strand->values[longer],
				   cpu->values[longer]);
}

/* Real times of a program that waited for nothing but its turn, as its profiles say by the load that it felt. */
static bool waited_for_processor(struct clock_strands *sums,
				 const struct perun_strand_builder *builder,
				 const struct perun_change_point *point)
{
	const struct perun_strand *strand = &builder->strand, *sum = NULL;
	size_t end = point->end < strand->count ? point->end : strand->count;
	size_t longer = point->after > point->before
				? point->index
				: perun_last_measured_before(strand, point->index);

	if (builder->loads && strcmp(strand->metric, "time(real)") == 0)
		sum = clock_strands_find(sums, strand);
	return sum && end <= sum->count &&
	       perun_waited_for_processor(
		       (const double[]){point->before, point->after},
		       (const double[]){history_level(sum, point->first, point->index),
					history_level(sum, point->index, end)},
		       builder->loads[longer]);
}

/* Loads or real times of measured versions, as many as returned; those whose load is at most `most`. */
static size_t measured_of(const struct perun_strand_builder *builder, size_t first, size_t end,
			  const double *of, double most, double *values)
{
	size_t count = 0;

	for (size_t v = first; v < end; v++)
		if (builder->strand.values[v] > 0 && builder->loads[v] <= most)
			values[count++] = of[v];
	return count;
}

static void find_range(const double *values, size_t count, double *least, double *most)
{
	*least = INFINITY;
	*most = 0;
	for (size_t i = 0; i < count; i++) {
		*least = fmin(*least, values[i]);
		*most = fmax(*most, values[i]);
	}
}

/*
 * Real times without any of the processor: the longer level may be the machine's as far as its calmest versions, which have least
 * of it, do not share the change.
 */
static bool is_explained_by_load(const struct perun_strand_builder *builder,
				 const struct perun_change_point *point)
{
	bool slower = point->after > point->before, explained = false;
	size_t last = point->end < builder->strand.count ? point->end : builder->strand.count;
	size_t first = slower ? point->index : point->first, end = slower ? last : point->index;
	size_t other = slower ? point->first : point->index, rest = slower ? point->index : last;
	double *values = perun_alloc((last - point->first) * sizeof *values);
	double least, most, usual, calm;
	size_t count = measured_of(builder, other, rest, builder->loads, INFINITY, values);

	usual = perun_median(values, count);
	count = measured_of(builder, first, end, builder->loads, INFINITY, values);
	find_range(values, count, &least, &most);
	if (most > 1) {
		least = fmax(least, 1);
		count = measured_of(builder, first, end, builder->strand.values, least + ALIKE_LOAD,
				    values);
		calm = perun_median(values, count);
		explained = perun_busy_machine_explains(fmin(point->before, point->after),
							fmax(point->before, point->after), calm,
							least, usual);
	}
	perun_free(values);
	return explained;
}

static bool may_be_load(struct clock_strands *cpus, struct clock_strands *sums,
			const struct perun_strand_builder *builder,
			const struct perun_change_point *point)
{
	const struct perun_strand *strand = &builder->strand;

	return builder->loads && strcmp(strand->metric, "time(real)") == 0 &&
	       !clock_strands_find(cpus, strand) && !clock_strands_find(sums, strand) &&
	       is_explained_by_load(builder, point);
}

/* Whether a part of a processor time changed, of which the sum moved by less than half as much: it was divided otherwise. */
static bool was_divided(struct clock_strands *sums, const struct perun_strand *strand,
			const struct perun_change_point *point)
{
	size_t end = point->end < strand->count ? point->end : strand->count;
	const struct perun_strand *sum =
		perun_is_part_of_time(strand->metric) ? clock_strands_find(sums, strand) : NULL;

	return sum && end <= sum->count &&
	       !perun_sum_moved_along(point->after - point->before,
				      history_level(sum, point->index, end) -
					      history_level(sum, point->first, point->index));
}

/* Parts of a real time that changed where the whole did not; on several processors a part may exceed it. */
static bool is_hidden(struct clock_strands *reals, const struct perun_strand *strand,
		      const struct perun_change_point *point)
{
	const struct perun_strand *real =
		perun_is_part_of_time(strand->metric) ? clock_strands_find(reals, strand) : NULL;

	return real && point->index < real->count && !changes_at(real, point->index) &&
	       history_doubts_part(real, point);
}

/* What its benchmark may change by. */
static bool is_small(const struct perun_history *history, const struct perun_strand *strand,
		     const struct perun_change_point *point)
{
	double threshold =
		perun_threshold_of(history->thresholds, strand->location, strand->command);

	return threshold > 0 && fabs(perun_relative_change(point)) < threshold;
}

/* ---- a few runs of a few versions ---------------------------------------------------------------- */

/* This many versions on each side of a change show it by themselves: of fewer a few strands of many are calm by chance. */
#define MIN_SIDE 6

/* A change that others of the same two versions may show to be noise. */
struct doubtful {
	size_t group, before,
		index; /* which strands were measured together, and at which two versions */
	size_t strand, point;
};

/* Strands that are measured together: of one metric of a command on a class of machine. */
struct groups {
	size_t *of_strand; /* SIZE_MAX = of none */
	size_t *members, *ends;
	size_t count;
};

static struct groups
find_groups(const struct perun_history *history, bool (*belongs)(const struct perun_strand *strand),
	    perun_id (*group)(struct perun_pool **keys, const struct perun_strand *strand))
{
	struct groups groups = {.of_strand = perun_alloc((history->count + 1) * sizeof(size_t)),
				.members = perun_alloc((history->count + 1) * sizeof(size_t)),
				.ends = perun_alloc_zero(history->count + 1, sizeof(size_t))};
	struct perun_pool *keys = perun_pool_new(false);

	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;

		groups.of_strand[s] = SIZE_MAX;
		if (!belongs(strand))
			continue;
		groups.of_strand[s] = group(&keys, strand);
		if (groups.of_strand[s] >= groups.count)
			groups.count = groups.of_strand[s] + 1;
		groups.ends[groups.of_strand[s] + 1]++;
	}
	perun_pool_unref(keys);
	for (size_t g = 1; g < groups.count; g++)
		groups.ends[g] += groups.ends[g - 1];
	for (size_t s = 0; s < history->count; s++) {
		if (groups.of_strand[s] != SIZE_MAX)
			groups.members[groups.ends[groups.of_strand[s]]++] = s;
	}
	return groups;
}

static void groups_free(struct groups *groups)
{
	perun_free(groups->of_strand);
	perun_free(groups->members);
	perun_free(groups->ends);
}

static size_t runs_of(const struct perun_strand *strand, size_t version)
{
	return strand->starts[version + 1] - strand->starts[version];
}

/* Whether a strand has a few runs at both versions, of which it was measured at none between. */
static bool has_few(const struct perun_strand *strand, size_t before, size_t index)
{
	return index < strand->count && strand->values[before] > 0 && strand->values[index] > 0 &&
	       perun_last_measured_before(strand, index) == before &&
	       runs_of(strand, before) < FEW_RUNS && runs_of(strand, index) < FEW_RUNS;
}

static double change_of(const struct perun_strand *strand, size_t before, size_t index)
{
	return log(strand->values[index]) - log(strand->values[before]);
}

static size_t measured_in(const struct perun_strand *strand, size_t first, size_t end)
{
	size_t measured = 0;

	for (size_t i = first; i < end && measured < MIN_SIDE; i++)
		measured += !isnan(strand->values[i]);
	return measured;
}

static bool is_doubtful(const struct perun_strand *strand, const struct perun_change_point *point)
{
	return point->index > 0 &&
	       has_few(strand, perun_last_measured_before(strand, point->index), point->index) &&
	       (measured_in(strand, point->first, point->index) < MIN_SIDE ||
		measured_in(strand, point->index, point->end) < MIN_SIDE);
}

static int by_versions(const void *one, const void *other)
{
	const struct doubtful *a = one, *b = other;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return (a->strand > b->strand) - (a->strand < b->strand);
}

static bool same_versions(const struct doubtful *a, const struct doubtful *b)
{
	return a->group == b->group && a->before == b->before && a->index == b->index;
}

/* The changes of a group between two versions, of the strands that have values for one; how many they are. */
static size_t changes_between(const struct perun_history *history, const struct groups *groups,
			      const struct doubtful *of,
			      bool (*has)(const struct perun_strand *, size_t, size_t),
			      double (*change)(const struct perun_strand *, size_t, size_t),
			      double *changes)
{
	size_t count = 0;

	for (size_t i = of->group ? groups->ends[of->group - 1] : 0; i < groups->ends[of->group];
	     i++) {
		const struct perun_strand *strand = &history->strands[groups->members[i]].strand;

		if (has(strand, of->before, of->index))
			changes[count++] = change(strand, of->before, of->index);
	}
	return count;
}

/*
 * The limit that a change of a strand of few runs has to exceed, from the latest LATEST_MOVES differences between
 * neighbouring versions up to `before` at which the level did not change: RARE_MOVE times their upper third. A single
 * difference may be an undetected change, so it counts AFTER_ONE times. 0 = there is none.
 */
#define LATEST_MOVES 8
#define RARE_MOVE    3
#define AFTER_ONE    1.5

static double usual_move(const struct perun_strand *strand, size_t before)
{
	double moves[LATEST_MOVES];
	size_t count = 0;

	for (size_t at = before, earlier; at > 0 && count < LATEST_MOVES; at = earlier) {
		earlier = perun_last_measured_before(strand, at);
		if (has_few(strand, earlier, at) && !changes_at(strand, at))
			moves[count++] = fabs(change_of(strand, earlier, at));
	}
	perun_sort_doubles(moves, count);
	if (!count)
		return 0;
	return count > 1 ? RARE_MOVE * moves[(count - 1) * 2 / 3] : AFTER_ONE * moves[0];
}

/* Within what the machine moves other strands by, or this one: levels of several versions by less than one version. */
static bool is_noise(const struct few_noise *noise, const struct perun_strand *strand,
		     const struct perun_change_point *point, size_t before)
{
	double one = (double)measured_in(strand, point->first, point->index);
	double other = (double)measured_in(strand, point->index, point->end);
	double change = log(point->after) - log(point->before);
	const double *carried = strand->deviations;
	double floor = few_runs_floor(
		noise, change, runs_of(strand, before), runs_of(strand, point->index),
		carried && (carried[before] > 0 || carried[point->index] > 0));

	/* As factors: a rate that falls to a third fell as far as a time that takes three times as long rose. */
	return fabs(change) <=
	       fmax(log1p(floor), usual_move(strand, before)) * sqrt((1 / one + 1 / other) / 2);
}

static struct doubtful *find_doubtful(const struct perun_history *history,
				      const struct groups *groups,
				      bool (*doubts)(const struct perun_strand *strand,
						     const struct perun_change_point *point),
				      size_t *count)
{
	struct doubtful *found = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand_builder *builder = &history->strands[s];

		for (size_t i = 0; groups->of_strand[s] != SIZE_MAX && i < builder->changes.count;
		     i++) {
			const struct perun_change_point *point = &builder->changes.points[i];

			if (!doubts(&builder->strand, point))
				continue;
			PERUN_GROW(found, *count, capacity);
			found[(*count)++] = (struct doubtful){
				groups->of_strand[s],
				perun_last_measured_before(&builder->strand, point->index),
				point->index, s, i};
		}
	}
	if (*count)
		qsort(found, *count, sizeof *found, by_versions);
	return found;
}

/* Whether a strand has some runs at both versions, of which it was measured at none between. */
static bool has_some(const struct perun_strand *strand, size_t before, size_t index)
{
	return index < strand->count && !strand->stacks && strand->values[before] > 0 &&
	       strand->values[index] > 0 && perun_last_measured_before(strand, index) == before &&
	       runs_of(strand, before) >= FEW_RUNS && runs_of(strand, index) >= FEW_RUNS;
}

static double spread_of(const struct perun_strand *strand, size_t before, size_t index)
{
	const size_t *starts = strand->starts;

	return fmax(family_spread(strand->repeats + starts[before], runs_of(strand, before)),
		    family_spread(strand->repeats + starts[index], runs_of(strand, index)));
}

static bool may_be_moved(const struct perun_strand *strand, const struct perun_change_point *point)
{
	return point->index > 0 &&
	       has_some(strand, perun_last_measured_before(strand, point->index), point->index) &&
	       (measured_in(strand, point->first, point->index) < MIN_SIDE ||
		measured_in(strand, point->index, point->end) < MIN_SIDE);
}

/* What the strands of a group moved by between two versions asks of each; the arrays have places for all. */
static double floor_between(const struct perun_history *history, const struct groups *groups,
			    const struct doubtful *of, double *changes, double *spreads)
{
	changes_between(history, groups, of, has_some, spread_of, spreads);
	return family_floor(changes, spreads,
			    changes_between(history, groups, of, has_some, change_of, changes));
}

/* What the strands of a group show of the machine: between two versions, and of single sessions. */
struct machine {
	double floor, displaced;
};

/* Sessions of some versions: one has several where several profiles are of it. */
static double sessions_in(const struct perun_strand *strand, size_t first, size_t end)
{
	size_t count = 0;

	for (size_t i = 0; i < strand->session_count; i++)
		count += strand->sessions[i] >= strand->starts[first] &&
			 strand->sessions[i] < strand->starts[end];
	return fmax(1, (double)count);
}

/* How far the machine may move levels, by the one with the fewer versions or sessions. */
static double farthest_move(const struct machine *machine, const struct perun_strand *strand,
			    const struct perun_change_point *point)
{
	size_t one = measured_in(strand, point->first, point->index);
	size_t other = measured_in(strand, point->index, point->end);
	double sessions = fmin(sessions_in(strand, point->first, point->index),
			       sessions_in(strand, point->index, point->end));

	return fmax(machine->floor / sqrt((double)(one < other ? one : other)),
		    machine->displaced / sqrt(sessions));
}

static double displaced_in(const struct perun_history *history, const struct groups *groups,
			   size_t group)
{
	size_t first = group ? groups->ends[group - 1] : 0, count = 0;
	const struct perun_strand **strands =
		perun_alloc((groups->ends[group] - first + 1) * sizeof *strands);
	double floor;

	for (size_t i = first; i < groups->ends[group]; i++) {
		const struct perun_strand *strand = &history->strands[groups->members[i]].strand;

		if (!strand->stacks)
			strands[count++] = strand;
	}
	floor = history_displaced_floor(strands, count);
	perun_free((void *)strands);
	return floor;
}

/* Whether the processor time bears out a change of a time, as the sum of its parts. */
static bool moved_with_sum(struct clock_strands *sums, const struct perun_strand *strand,
			   const struct perun_change_point *point)
{
	const struct perun_strand *sum =
		perun_is_clock(strand->metric) ? clock_strands_find(sums, strand) : NULL;

	for (size_t i = 0; sum && sum != strand && i < sum->changes->count; i++) {
		if (sum->changes->points[i].index == point->index)
			return history_moved_with_sum(strand, point, &sum->changes->points[i]);
	}
	return false;
}

/* Mark what the machine may have moved, as the strands that were measured together show. */
static void mark_moved(struct perun_history *history, const struct groups *groups,
		       struct clock_strands *sums, double *changes, double *spreads)
{
	size_t count;
	struct doubtful *doubtful = find_doubtful(history, groups, may_be_moved, &count);
	struct machine machine = {0, 0};
	double farthest;

	for (size_t i = 0; i < count; i++) {
		const struct doubtful *of = &doubtful[i];
		struct perun_strand_builder *builder = &history->strands[of->strand];
		struct perun_strand *strand = &builder->strand;
		struct perun_change_point *point = &builder->changes.points[of->point];

		if (i == 0 || of->group != of[-1].group)
			machine.displaced = displaced_in(history, groups, of->group);
		if (i == 0 || !same_versions(of, of - 1))
			machine.floor = floor_between(history, groups, of, changes, spreads);
		farthest = farthest_move(&machine, strand, point);
		if (fabs(log(point->after) - log(point->before)) >= farthest ||
		    moved_with_sum(sums, strand, point))
			continue;
		point->p = NOISE_P;
		if (point->index == perun_last_measured_before(strand, strand->count))
			strand->moved = fmax(strand->moved, farthest);
	}
	perun_free(doubtful);
}

/* The last two versions of each strand that has some runs at both. */
static struct doubtful *find_latest(const struct perun_history *history,
				    const struct groups *groups, size_t *count)
{
	struct doubtful *found = perun_alloc_zero(history->count + 1, sizeof *found);

	*count = 0;
	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;
		size_t last = perun_last_measured_before(strand, strand->count);
		size_t before = perun_last_measured_before(strand, last);

		if (groups->of_strand[s] != SIZE_MAX && before < last &&
		    has_some(strand, before, last))
			found[(*count)++] =
				(struct doubtful){groups->of_strand[s], before, last, s, 0};
	}
	if (*count)
		qsort(found, *count, sizeof *found, by_versions);
	return found;
}

/* What the latest version of a strand has to exceed, as a comparison of the last two asks it. */
static void measure_moved(struct perun_history *history, const struct groups *groups,
			  double *changes, double *spreads)
{
	size_t count;
	struct doubtful *latest = find_latest(history, groups, &count);
	double floor = 0, *moved;

	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !same_versions(&latest[i], &latest[i - 1]))
			floor = floor_between(history, groups, &latest[i], changes, spreads);
		moved = &history->strands[latest[i].strand].strand.moved;
		*moved = fmax(*moved, floor);
	}
	perun_free(latest);
}

static void find_moved(struct perun_history *history, struct clock_strands *sums)
{
	struct groups groups = find_groups(history, is_timed, perun_strand_session_group);
	double *changes = perun_alloc((history->count + 1) * sizeof *changes);
	double *spreads = perun_alloc((history->count + 1) * sizeof *spreads);

	mark_moved(history, &groups, sums, changes, spreads);
	measure_moved(history, &groups, changes, spreads);
	perun_free(changes);
	perun_free(spreads);
	groups_free(&groups);
}

/* Mark the changes that are noise, by their p, which no change has. */
static void mark_noise(struct perun_history *history)
{
	struct groups groups = find_groups(history, is_timed, perun_strand_group);
	size_t count;
	struct doubtful *doubtful = find_doubtful(history, &groups, is_doubtful, &count);
	double *changes = perun_alloc((history->count + 1) * sizeof *changes);
	struct few_noise noise = {0};

	for (size_t i = 0; i < count; i++) {
		struct perun_strand_builder *builder = &history->strands[doubtful[i].strand];
		struct perun_change_point *point = &builder->changes.points[doubtful[i].point];

		if (i == 0 || !same_versions(&doubtful[i], &doubtful[i - 1]))
			noise = few_runs_noise(changes,
					       changes_between(history, &groups, &doubtful[i],
							       has_few, change_of, changes));
		if (is_noise(&noise, &builder->strand, point, doubtful[i].before))
			point->p = NOISE_P;
	}
	perun_free(changes);
	perun_free(doubtful);
	groups_free(&groups);
}

/* ---- exact values ------------------------------------------------------------------------------- */

static bool is_exact(const struct perun_strand *strand)
{
	return strand->noise == PERUN_NOISE_EXACT && !strand->stacks;
}

static bool has_exact(const struct perun_strand *strand, size_t before, size_t index)
{
	return index < strand->count && strand->values[before] != 0 &&
	       isfinite(strand->values[before]) && isfinite(strand->values[index]);
}

static double exact_change_of(const struct perun_strand *strand, size_t before, size_t index)
{
	return strand->values[index] / strand->values[before] - 1;
}

static bool is_doubtful_exact(const struct perun_strand *strand,
			      const struct perun_change_point *point)
{
	size_t before = perun_last_measured_before(strand, point->index);

	return before != point->index && has_exact(strand, before, point->index);
}

static void mark_exact_noise(struct perun_history *history)
{
	struct groups groups = find_groups(history, is_exact, perun_strand_group);
	size_t count;
	struct doubtful *doubtful = find_doubtful(history, &groups, is_doubtful_exact, &count);
	double *changes = perun_alloc((history->count + 1) * sizeof *changes);
	struct exact_noise noise = {0, 0};

	for (size_t i = 0; i < count; i++) {
		const struct doubtful *of = &doubtful[i];
		struct perun_strand_builder *builder = &history->strands[of->strand];
		const struct perun_strand *strand = &builder->strand;

		if (i == 0 || !same_versions(of, of - 1))
			noise = exact_noise_of(changes,
					       changes_between(history, &groups, of, has_exact,
							       exact_change_of, changes));
		if (exact_is_noise(&noise, strand->values[of->before], strand->values[of->index],
				   strand->unit))
			builder->changes.points[of->point].p = NOISE_P;
	}
	perun_free(changes);
	perun_free(doubtful);
	groups_free(&groups);
}

/* Drop what is marked, and what benchmarks may change by; whether there was any. */
static bool drop_marked(const struct perun_history *history, struct perun_strand_builder *builder)
{
	size_t count = builder->changes.count;

	for (size_t i = count; i-- > 0;) {
		const struct perun_change_point *point = &builder->changes.points[i];
		bool small = is_small(history, &builder->strand, point);

		if (small)
			perun_strand_settle(builder, point->index);
		if (small || point->p == NOISE_P)
			drop(builder, i);
	}
	return builder->changes.count < count;
}

static void drop_noise(struct perun_history *history)
{
	for (size_t s = 0; s < history->count; s++) {
		/* What is next to one that was dropped may be marked by that. */
		while (drop_marked(history, &history->strands[s]))
			;
	}
}

/* Drop what the machine may have made. */
static void drop_moved(struct perun_history *history, struct clock_strands *sums)
{
	mark_noise(history);
	find_moved(history, sums);
	mark_exact_noise(history);
	drop_noise(history);
}

/* What no processor time shows, once it is known which of their changes are noise. */
static void drop_busy(struct perun_history *history, struct clock_strands *cpus,
		      struct clock_strands *sums, struct loads *loads)
{
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];

		for (size_t i = builder->changes.count; i-- > 0;) {
			const struct perun_change_point *point = &builder->changes.points[i];

			if (was_busy(cpus, loads, &builder->strand, point) ||
			    waited_for_processor(sums, builder, point))
				drop(builder, i);
		}
	}
}

/* A change that is gone leaves one beside it with longer levels, of which less may be the load's or more. */
static void drop_loaded(struct perun_history *history, struct clock_strands *cpus,
			struct clock_strands *sums)
{
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];
		size_t left;

		do {
			left = builder->changes.count;
			for (size_t i = left; i-- > 0;)
				if (may_be_load(cpus, sums, builder, &builder->changes.points[i]))
					drop(builder, i);
		} while (builder->changes.count < left);
	}
}

/* Parts of what did not change, and what is made of it. */
static void drop_hidden(struct perun_history *history, struct clock_strands *reals,
			struct clock_strands *sums)
{
	for (size_t s = 0; s < history->count; s++) {
		struct perun_strand_builder *builder = &history->strands[s];

		for (size_t i = builder->changes.count; i-- > 0;) {
			const struct perun_change_point *point = &builder->changes.points[i];

			if (was_divided(sums, &builder->strand, point) ||
			    (is_hidden(reals, &builder->strand, point) &&
			     !moved_with_sum(sums, &builder->strand, point)) ||
			    repeats_unchanged_time(&builder->strand, point))
				drop(builder, i);
		}
	}
}

int perun_history_drop_irrelevant(struct perun_ctx *ctx, struct perun_history *history,
				  const struct perun_change_options *options, double level)
{
	struct clock_strands cpus = clock_strands_of(history, "time(cpu)");
	struct clock_strands reals = clock_strands_of(history, "time(real)");
	struct clock_strands sums = clock_strands_of(history, HISTORY_SUMS);
	struct loads loads = {.groups = perun_pool_new(false), .versions = history->line->count};
	bool added = false;
	int status = PERUN_OK;

	for (size_t s = 0; s < history->count; s++)
		history->strands[s].strand.moved = 0;
	find_times(history, &reals, &cpus);
	find_loads(history, &reals, &cpus, &loads);
	drop_moved(history, &sums);
	/* Another method has its own answer. */
	if (options->method == PERUN_CHANGE_SEGMENTS)
		status = history_ask_processor_time(ctx, history, options, level, &added);
	if (added)
		drop_moved(history, &sums);
	drop_busy(history, &cpus, &sums, &loads);
	drop_loaded(history, &cpus, &sums);
	drop_hidden(history, &reals, &sums);
	drop_noise(history);
	perun_pool_unref(loads.groups);
	perun_free(loads.at);
	clock_strands_free(&sums);
	clock_strands_free(&reals);
	clock_strands_free(&cpus);
	return status;
}
