/* SPDX-License-Identifier: BSD-3-Clause */
/* What one, two or three runs on a side can say: by how much such measurements differ without a cause. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/statistics/few-runs.h"
#include "core/statistics/location.h"

/*
 * Of 2,200 pairs of Go benchmarks of an unchanged program, measured on two days, single runs differ by less than
 * 15 % in 99 % and by less than 31 % in 99.9 %; medians of two by 11 and 26 %, of three by 11 and 25 %. Between and
 * beyond, the tail is that of a power.
 */
static const struct tail {
	double rare, rarer; /* logarithms of the ratios at 1 % and 0.1 % */
	double largest;     /* below the logarithms of 1.6, 1.45 and 1.35 */
} tails[FEW_RUNS - 1] = {{0.140, 0.270, 0.440}, {0.104, 0.231, 0.345}, {0.104, 0.223, 0.275}};

static const struct tail *tail_of(size_t runs)
{
	return &tails[runs < 2 ? 0 : runs < FEW_RUNS ? runs - 1 : FEW_RUNS - 2];
}

static double power_of(const struct tail *tail)
{
	return M_LN10 / log(tail->rarer / tail->rare);
}

double few_runs_p(size_t runs, double change)
{
	const struct tail *tail = tail_of(runs);

	return fmin(1, 0.01 * pow(change / tail->rare, -power_of(tail)));
}

double few_runs_change(size_t runs, double p)
{
	const struct tail *tail = tail_of(runs);

	return tail->rare * pow(p / 0.01, -1 / power_of(tail));
}

double few_runs_certain_p(size_t runs)
{
	return few_runs_p(runs, tail_of(runs)->largest);
}

/* This many changes and more show how unchanged ones scatter. */
#define MANY_CHANGES 12
/* From this many on a third of them is enough, by which half of them may have changed and others be outliers. */
#define A_THIRD_IS_ENOUGH 24
/* How much wider the shortest half of normal values is than the shortest third. */
#define HALF_BY_THIRD 1.566
/* This many robust deviations are what a hundred unchanged ones hardly show. */
#define RARE 3
/* Where a machine is not quiet, all of them together show more than it should in this share of cases. */
#define FAMILY 0.001
/* What moves that far one way moves this many times as far the other way now and then. */
#define OPPOSITE 1.5
/* The chance that one of many unchanged benchmarks, each with two clocks, exceeds what is known of its runs. */
#define ALONE 0.005
/*
 * Of many, what moves further than this part of them the other way says how far rare ones move: the calm ones may hide
 * that most are not. Where these show a quiet machine, that is at most this many times what they show, or what is
 * certain of a few runs; where they do not, what all of them moved is no part of it.
 */
#define ONE_OF     8
#define MAX_HIDDEN 2
#define QUIET      0.25
/*
 * Of this many and more, the calmest two fifths show whether the machine was busy: it moves others by this many times as
 * much, but hardly by more than a factor of 2.2. Where most changed by one factor, that is no scatter: what they differ by
 * counts instead.
 */
#define SOME_CHANGES 3
#define CALMEST      0.4
#define BY_CALMEST   5
#define BY_CLOSEST   3
#define BUSIEST      0.8
/* This many that move together show that the machine is slower or faster; fewer may all have changed. */
#define MIN_TOGETHER 6

/* How far a busy machine moves some of the changes, all of which may be of one sign, and what most differ by. */
static void busy_of(const double *changes, size_t count, struct few_noise *noise)
{
	double *sorted = perun_alloc(count * sizeof *sorted), closest = INFINITY, calm;

	memcpy(sorted, changes, count * sizeof *sorted);
	perun_sort_doubles(sorted, count);
	for (size_t i = 0; i + count / 2 < count; i++)
		closest = fmin(closest, sorted[i + count / 2] - sorted[i]);
	for (size_t i = 0; i < count; i++)
		sorted[i] = fabs(sorted[i]);
	perun_sort_doubles(sorted, count);
	calm = sorted[(size_t)(CALMEST * (double)count) - 1];
	perun_free(sorted);
	noise->busy = fmin(BUSIEST, fmin(BY_CALMEST * calm, BY_CLOSEST * closest));
	noise->apart = count >= MIN_TOGETHER ? BY_CLOSEST * closest : NAN;
}

/* The largest rise of those that count; of falls with `sign` -1. */
static double largest_of(const double *changes, size_t count, double sign)
{
	double *moves = perun_alloc((count + 1) * sizeof *moves), largest = 0;
	size_t left_out = count >= MANY_CHANGES ? count / ONE_OF : 0;

	for (size_t i = 0; i < count; i++)
		moves[i] = sign * changes[i];
	perun_sort_doubles(moves, count);
	if (count > left_out)
		largest = moves[count - 1 - left_out];
	perun_free(moves);
	return largest;
}

struct few_noise few_runs_noise(const double *changes, size_t count)
{
	struct few_noise noise = {.count = count,
				  .scatter = NAN,
				  .apart = NAN,
				  .middle = count ? perun_median(changes, count) : 0,
				  .rise = largest_of(changes, count, 1),
				  .fall = largest_of(changes, count, -1)};

	/* Half of them may have changed: the others are those that lie together. */
	if (count >= A_THIRD_IS_ENOUGH)
		noise.scatter = expm1(RARE * HALF_BY_THIRD *
				      location_shortest_half(changes, count, count / 3));
	else if (count >= MANY_CHANGES)
		noise.scatter = expm1(RARE * location_shortest_half(changes, count, count / 2 - 1));
	else if (count >= SOME_CHANGES)
		busy_of(changes, count, &noise);
	return noise;
}

/*
 * Where most moved one way by what a machine may be slower or faster, that is the machine's: a change has to exceed it by
 * as much as it would have to alone. What most moved further by is theirs.
 */
static double floor_of_common(double common, double alone, double largest)
{
	return common > 0 && common <= QUIET ? fmin(common + alone, largest) : 0;
}

static double floor_of_many(const struct few_noise *noise, double change, size_t runs, bool carried)
{
	const struct tail *tail = tail_of(runs);
	double calm = log1p(noise->scatter), opposite = change > 0 ? noise->fall : noise->rise;
	double common = change > 0 ? noise->middle : -noise->middle, floor;

	if (calm > QUIET)
		return perun_normal_quantile(1 - FAMILY / 2 / (double)noise->count) *
		       fmax(calm / RARE, opposite + fmax(common, 0));
	floor = floor_of_common(common, carried ? calm : tail->rarer, tail->largest);
	/* However calm most are: one of them that moves by more is seen in one of two hundred families. */
	floor = fmax(floor,
		     fmin(few_runs_change(runs, ALONE / (double)noise->count), tail->largest));
	floor = fmax(floor, fmin(RARE * opposite, fmax(tail->largest, MAX_HIDDEN * calm)));
	return fmax(calm, floor);
}

double few_runs_floor(const struct few_noise *noise, double change, size_t runs, size_t others,
		      bool carried)
{
	const size_t fewer = runs < others ? runs : others;
	const struct tail *tail = tail_of(fewer);
	double opposite = fmax(0, change > 0 ? noise->fall : noise->rise);
	double floor = fmin(OPPOSITE * opposite, tail->largest);

	if (!isnan(noise->scatter))
		return expm1(floor_of_many(noise, change, fewer, carried));
	if (!isnan(noise->apart))
		floor = fmax(floor,
			     floor_of_common(change > 0 ? noise->middle : -noise->middle,
					     carried ? noise->apart : tail->rarer, tail->largest));
	return expm1(fmax(carried ? 0 : noise->busy, floor));
}

/*
 * Of 500 pairs of single runs of Google Benchmark at 7 processes a processor, real times differ by a factor of 9 in
 * 10 % and of 20 in 1 %; processor times by 1.26 and 1.63 where the work stays in caches, but of 55 pairs of a program
 * that also looks up in cold memory, at 1 to 6 processes, by 2.0 and 4.8, and by 8.4 in 0.1 %. This part of the
 * logarithm of the load makes factors of 3 at 2 processes and of 20 at 7 what such runs hardly show (FEW_LEVEL of
 * Student's distribution).
 */
#define LOAD_COSTS 0.2

double few_runs_carried(double before, double after, size_t runs, size_t others)
{
	if (!(before > 0) && !(after > 0))
		return 0;
	return hypot(before > 0 ? before : BETWEEN_PROCESSES,
		     after > 0 ? after : BETWEEN_PROCESSES) *
	       tail_of(runs < others ? runs : others)->rare / tail_of(1)->rare;
}

double few_runs_loaded(double load)
{
	return load > 1 ? hypot(BETWEEN_PROCESSES, LOAD_COSTS * log(load)) : 0;
}
