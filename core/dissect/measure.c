/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a program is between two others. */
#include <config.h>

#include <math.h>
#include <string.h>

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
/* Noise is at least this share of the difference, unless all runs are the same. */
#define MIN_DEVIATION 0.05
#define MIN_ROUNDS    3
#define MAX_ROUNDS    96
/* What deviates by less than this share of the difference needs one round, and one run if it is a count. */
#define EXACT 0.01
/* Another metric takes the place of the first if it has this share of the change and less noise. */
#define MOST_OF_CHANGE 0.8

/* ---- both ends ------------------------------------------------------------------------------- */

/* Difference of the pairs of a series, and how far these deviate. */
static void measure_series(const struct perun_interleave_series *series, size_t count,
			   struct ends *ends)
{
	double *differences = perun_alloc_zero(count + 1, sizeof *differences);

	for (size_t i = 0; i < count; i++)
		differences[i] = series->values[1][i] - series->values[0][i];
	ends->before = perun_median(series->values[0], count);
	ends->after = perun_median(series->values[1], count);
	ends->delta = perun_median(differences, count);
	ends->deviation =
		PERUN_MAD_TO_SIGMA * perun_mad(differences, count, ends->delta) / fabs(ends->delta);
	perun_free(differences);
}

void measure_ends(const struct perun_interleave *interleave,
		  const struct perun_interleave_result *result, struct ends *ends)
{
	const struct perun_interleave_facts *facts = perun_interleave_facts(interleave);
	const struct perun_interleave_session *session = &result->sessions[result->count - 1];
	struct ends other;

	*ends = (struct ends){0};
	measure_series(&session->first, session->count, ends);
	if (!facts->second)
		return;
	measure_series(&session->second, session->count, &other);
	if (other.delta / ends->delta >= MOST_OF_CHANGE && other.deviation < ends->deviation) {
		*ends = other;
		ends->second = true;
	}
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
	if (ends->deviation > 0 || deviation > 0)
		deviation = fmax(fmax(deviation, ends->deviation < EXACT ? EXACT : MIN_DEVIATION),
				 fmin(ends->deviation, 1));
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
	return (position->rounds >= MIN_ROUNDS || ends->deviation < EXACT) &&
	       (fabs(position->share - wanted) >= SURE / INTERVAL * position->uncertain ||
		position->uncertain <= MEASURE_EQUAL) &&
	       (!precise || is_precise(position));
}

/* Counts, other than times, do not depend on what else the machine does: both ends need no further run. */
static bool are_counted(const struct perun_interleave *interleave, const struct ends *ends)
{
	const char *metric = perun_interleave_facts(interleave)->metric;

	return ends->deviation < EXACT && !ends->second &&
	       strcmp(perun_interleave_unit(metric), "s") != 0;
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
	if (!status && are_counted(interleave, ends)) {
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
