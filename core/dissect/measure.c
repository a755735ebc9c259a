/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a program is between two others. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/statistics.h>

#include "core/context/clock.h"
#include "core/dissect/measure.h"

/* A share is on one side of another if it is this number of standard errors away. */
#define SURE 3.0
/* Half of a 95 % interval, in standard errors. */
#define INTERVAL 1.96
/* A share that is noisy is precise enough after this number of rounds if half of its interval is this, or after more. */
#define FAIR            0.1
#define FAIR_ROUNDS     10
#define MAX_FAIR_ROUNDS 30
/* The standard error of a median of normal values, against that of a mean. */
#define MEDIAN_ERROR 1.2533
/* Noise is at least this share of the difference, unless it is a count whose pairs all deviate less. */
#define MIN_DEVIATION 0.05
#define MIN_ROUNDS    3
#define MAX_ROUNDS    96
/* Where no difference deviates by more than this share of them one round decides, and one run if it is a count. */
#define EXACT 0.01
/*
 * Another metric takes the place of the first if it has this share of the change and less noise; on a busy machine, where
 * waiting for a processor stretches real times, if it has PART_OF_CHANGE of it and changed by this share of the factor.
 */
#define MOST_OF_CHANGE 0.8
#define PART_OF_CHANGE 0.25
/* A share below this one counts as none, as does a change below the threshold of the comparison, */
#define MIN_SHARE 0.08
/*
 * and of times what the layout of code costs, which any change may move (Mytkowicz et al., "Producing wrong data without doing
 * anything obviously wrong!", ASPLOS 2009): this part of the time, and at most that of the change.
 */
#define LAYOUT_COST      0.05
#define MAX_LAYOUT_SHARE 0.2

/* ---- both ends ------------------------------------------------------------------------------- */

static const struct perun_interleave_series *
series_of(const struct perun_interleave_session *session, bool second)
{
	return second ? &session->second : &session->first;
}

static double difference(const struct perun_interleave_series *series, size_t pair)
{
	return series->values[1][pair] - series->values[0][pair];
}

/* Of a few pairs more than half may be alike by chance, so the farthest of all of both sessions counts. */
static double farthest(const struct perun_interleave_result *result, bool second, double delta)
{
	double most = 0;

	if (delta == 0)
		return INFINITY;
	for (size_t i = 0; i < result->count; i++) {
		const struct perun_interleave_session *session = &result->sessions[i];

		for (size_t k = 0; k < session->count; k++)
			most = fmax(most,
				    fabs(difference(series_of(session, second), k) / delta - 1));
	}
	return most;
}

/* Counts, other than times, do not depend on what else the machine does. */
static bool is_count(const struct perun_interleave *interleave, bool second)
{
	const struct perun_interleave_facts *facts = perun_interleave_facts(interleave);

	return !second && strcmp(perun_interleave_unit(facts->metric), "s") != 0;
}

/* Difference of the pairs of the last session, and how far these deviate. */
static void measure_metric(const struct perun_interleave *interleave,
			   const struct perun_interleave_result *result, bool second,
			   struct ends *ends)
{
	const struct perun_interleave_session *session = &result->sessions[result->count - 1];
	const struct perun_interleave_series *series = series_of(session, second);
	size_t count = session->count;
	double *differences = perun_alloc_zero(count + 1, sizeof *differences), far;

	for (size_t i = 0; i < count; i++)
		differences[i] = difference(series, i);
	*ends = (struct ends){.second = second,
			      .before = perun_median(series->values[0], count),
			      .after = perun_median(series->values[1], count),
			      .delta = perun_median(differences, count)};
	ends->deviation =
		PERUN_MAD_TO_SIGMA * perun_mad(differences, count, ends->delta) / fabs(ends->delta);
	far = farthest(result, second, ends->delta);
	ends->exact = far < EXACT;
	ends->least = is_count(interleave, second) ? fmin(fmax(far, EXACT), MIN_DEVIATION)
		      : ends->exact                ? EXACT
						   : MIN_DEVIATION;
	perun_free(differences);
}

/* Whether more processes wanted to run in the last minute than there are processors. */
static bool is_busy(void)
{
	double load;

	return getloadavg(&load, 1) == 1 && load > (double)sysconf(_SC_NPROCESSORS_ONLN);
}

bool measure_shows_as_much(const struct ends *other, const struct ends *ends, bool busy)
{
	double part = other->delta / ends->delta;

	return part >= MOST_OF_CHANGE || (busy && part >= PART_OF_CHANGE &&
					  part * ends->before / other->before >= MOST_OF_CHANGE);
}

double measure_least_share(const struct ends *ends, double threshold, bool timed)
{
	double whole = fabs(ends->before / ends->delta);
	double layout = timed ? fmin(LAYOUT_COST * whole, MAX_LAYOUT_SHARE) : 0;

	return fmin(fmax(fmax(MIN_SHARE, layout), threshold * whole), 0.5);
}

void measure_ends(const struct perun_interleave *interleave,
		  const struct perun_interleave_result *result, struct ends *ends)
{
	struct ends other;

	measure_metric(interleave, result, false, ends);
	if (!perun_interleave_facts(interleave)->second)
		return;
	measure_metric(interleave, result, true, &other);
	if (other.deviation < ends->deviation && measure_shows_as_much(&other, ends, is_busy()))
		*ends = other;
}

/* ---- a third one ----------------------------------------------------------------------------- */

/* Values of all rounds: of the two ends, and of what is between. */
struct rounds {
	double values[3][MAX_ROUNDS];
	size_t count;
};

static void judge(const struct rounds *rounds, const struct ends *ends, double wanted,
		  struct position *position)
{
	double shares[MAX_ROUNDS], deltas[MAX_ROUNDS], delta = ends->delta, deviation;
	size_t count = rounds->count;

	for (size_t i = 0; i < count; i++)
		deltas[i] = rounds->values[1][i] - rounds->values[0][i];
	/* The machine may be faster or slower by now. */
	if (count >= MIN_ROUNDS && perun_median(deltas, count) / delta > 0.5)
		delta = perun_median(deltas, count);
	/* Far from an end its runs say less than those of the other one. */
	wanted = fmin(fmax(wanted, 0), 1);
	for (size_t i = 0; i < count; i++)
		shares[i] = (1 - wanted) * (rounds->values[2][i] - rounds->values[0][i]) / delta +
			    wanted * (1 - (rounds->values[1][i] - rounds->values[2][i]) / delta);
	position->rounds = count;
	position->share = perun_median(shares, count);
	deviation = PERUN_MAD_TO_SIGMA * perun_mad(shares, count, position->share);
	if (!ends->exact || ends->deviation > 0 || deviation > 0)
		deviation = fmax(fmax(deviation, ends->least), fmin(ends->deviation, 1));
	position->uncertain = INTERVAL * MEDIAN_ERROR * deviation / sqrt((double)count);
}

/* Whether more rounds would bring little. */
static bool is_precise(const struct position *position)
{
	return position->uncertain <= MEASURE_PRECISE ||
	       (position->rounds >= FAIR_ROUNDS && position->uncertain <= FAIR) ||
	       position->rounds >= MAX_FAIR_ROUNDS;
}

static void add_round(const double values[3], const struct ends *ends, double wanted,
		      struct rounds *rounds, struct position *position)
{
	for (int i = 0; i < 3; i++)
		rounds->values[i][rounds->count] = values[i];
	rounds->count++;
	judge(rounds, ends, wanted, position);
}

static bool is_clear(const struct position *position, const struct ends *ends, double wanted,
		     bool precise)
{
	return (position->rounds >= MIN_ROUNDS || ends->exact) &&
	       (fabs(position->share - wanted) >= SURE / INTERVAL * position->uncertain ||
		position->uncertain <= MEASURE_EQUAL) &&
	       (!precise || is_precise(position));
}

int measure_position(struct perun_ctx *ctx, struct perun_interleave *interleave,
		     const char *const directories[3], const struct ends *ends, double wanted,
		     bool precise, double deadline, struct position *position)
{
	struct rounds rounds = {.count = 0};
	double values[3], seconds[3] = {0};
	bool clear = false;
	/* Its first run may find other caches than later ones, which changes times. */
	int status = perun_interleave_round(ctx, interleave, directories + 2, 1, values, seconds);

	position->runs = 1;
	/* Both ends need no further run. */
	if (!status && ends->exact && is_count(interleave, ends->second)) {
		add_round((const double[]){ends->before, ends->after, values[0]}, ends, wanted,
			  &rounds, position);
		clear = is_clear(position, ends, wanted, precise);
	}
	while (!status && !clear && rounds.count < MAX_ROUNDS &&
	       (!rounds.count || clock_now() < deadline)) {
		status = perun_interleave_round(ctx, interleave, directories, 3, values, seconds);
		if (status)
			break;
		position->runs += 3;
		add_round(ends->second ? seconds : values, ends, wanted, &rounds, position);
		clear = is_clear(position, ends, wanted, precise);
	}
	return status;
}
