/* SPDX-License-Identifier: BSD-3-Clause */
/* What is certain of the last value of a series that grows: a search of all values never finds a change there after all. */
#include <math.h>
#include <string.h>

#include <perun/lib/changepoint.h>
#include <perun/lib/statistics.h>

#include "core/changepoint/last-step.h"
#include "core/context/random.h"
#include "tests/unit/check.h"

enum { VALUES = 100, REPEATS = 20, KINDS = 12 };

/* A series and what is drawn of it. */
struct random_series {
	double values[VALUES], repeats[VALUES * REPEATS];
	size_t starts[VALUES + 1];
	size_t count;
	uint64_t state;
	double level, noise, sessions, rises; /* how often the level does */
	double aways;                         /* how often a version alone is far away */
	unsigned kind, runs;
};

static double uniform_of(uint64_t *state)
{
	return ((double)(random_next(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal_of(uint64_t *state)
{
	double r = sqrt(-2 * log(uniform_of(state)));

	return r * cos(6.283185307179586 * uniform_of(state));
}

static double chosen(uint64_t *state, const double *values, size_t count)
{
	return values[random_below(state, count)];
}

static void start(struct random_series *series, uint64_t seed)
{
	static const double noises[] = {1e-12, 0.001, 0.01, 0.1, 0.5};
	static const double sessions[] = {0, 0, 0.01, 0.1};
	static const double rises[] = {0, 0.01, 0.1};
	static const double aways[] = {0, 0, 0.05};

	memset(series, 0, sizeof *series);
	series->state = seed * 2654435761u + 1;
	series->kind = (unsigned)(seed % KINDS);
	series->runs = 1 + (unsigned)random_below(&series->state, REPEATS);
	series->level = exp(20 * uniform_of(&series->state) - 10);
	series->noise = chosen(&series->state, noises, 5);
	series->sessions = chosen(&series->state, sessions, 4);
	series->rises = chosen(&series->state, rises, 3);
	series->aways = chosen(&series->state, aways, 3);
}

/* A repeat of the value at `level`, of one kind of noise. */
static double repeat_of(struct random_series *series, double level)
{
	uint64_t *state = &series->state;
	double normal = normal_of(state), value = level * (1 + series->noise * normal);

	switch (series->kind) {
	case 0: /* long tails */
		return level * (1 + series->noise * normal * normal * normal * normal);
	case 1: /* a coarse clock */
		return round(value / series->level * 20) * series->level / 20;
	case 2: /* two modes */
		return value * (uniform_of(state) < 0.3 ? 1.2 : 1);
	case 3: /* below 0 */
		return value - 1.1 * series->level;
	case 4: /* mostly nothing */
		return uniform_of(state) < 0.7 ? 0 : fabs(value);
	case 5: /* far from each other */
		return level * exp(10 * normal);
	case 6: /* as far from 0 as nothing is */
		return value + 1e9 * series->level;
	case 7: /* at the end of what numbers hold */
		return value * 1e300;
	default:
		return value;
	}
}

static void add_value(struct random_series *series)
{
	uint64_t *state = &series->state;
	size_t first = series->starts[series->count], i = series->count++;
	size_t runs = 1 + random_below(state, series->runs);
	double level;

	if (uniform_of(state) < series->rises)
		series->level *= exp(0.2 * normal_of(state));
	level = series->level * (1 + series->sessions * normal_of(state));
	if (uniform_of(state) < series->aways)
		level *= uniform_of(state) < 0.5 ? 0.1 : 30;
	series->starts[i + 1] = first;
	series->values[i] = NAN;
	/* Some versions are not measured. */
	if (uniform_of(state) < 0.1)
		return;
	for (size_t k = 0; k < runs; k++)
		series->repeats[first + k] = repeat_of(series, level);
	series->starts[i + 1] = first + runs;
	series->values[i] = perun_median(series->repeats + first, runs);
}

static struct perun_value_series view(const struct random_series *series, bool exact)
{
	return (struct perun_value_series){.struct_size = sizeof(struct perun_value_series),
					   .values = series->values,
					   .count = series->count,
					   .repeats = series->repeats,
					   .starts = series->starts,
					   .exact = exact};
}

static bool ends_in_change(struct perun_ctx *ctx, const struct random_series *series, bool exact)
{
	const struct perun_change_options options = {.struct_size = sizeof options};
	const struct perun_value_series all = view(series, exact);
	struct perun_segmentation changes;
	bool ends;

	CHECK_INT(perun_find_changes(ctx, &all, &options, &changes), PERUN_OK);
	ends = changes.count && changes.points[changes.count - 1].index == series->count - 1;
	perun_segmentation_free(&changes);
	return ends;
}

/* Of how many last values. */
struct counts {
	size_t certain, changes, wrong;
};

static void try_last(struct perun_ctx *ctx, const struct random_series *series,
		     const struct changepoint_so_far *so_far, struct counts *counts)
{
	for (unsigned exact = 0; exact < 2; exact++) {
		bool may = changepoint_may_end_in_step(so_far, exact);
		bool ends = ends_in_change(ctx, series, exact);

		counts->certain += !may;
		counts->changes += ends;
		counts->wrong += ends && !may;
	}
}

static void grow(struct perun_ctx *ctx, uint64_t seed, struct counts *counts)
{
	struct random_series series;
	struct changepoint_so_far so_far;
	bool started = false;
	size_t from;

	start(&series, seed);
	from = random_below(&series.state, VALUES);
	for (size_t i = 0; i < VALUES; i++) {
		const size_t *starts = series.starts;

		add_value(&series);
		if (i < from || isnan(series.values[i]))
			continue;
		/* At first all are taken at once. */
		if (!started || series.count % 50 == 0) {
			const struct perun_value_series all = view(&series, false);

			changepoint_so_far_start(&so_far, &all);
			started = true;
		} else {
			changepoint_so_far_add(&so_far, series.values[i],
					       series.repeats + starts[i],
					       starts[i + 1] - starts[i]);
		}
		try_last(ctx, &series, &so_far, counts);
	}
}

TEST(test_nothing_is_missed)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	const char *rounds = getenv("LAST_STEP_SERIES");
	struct counts counts = {0};

	for (uint64_t seed = 1; seed <= (rounds ? strtoul(rounds, NULL, 10) : 72); seed++)
		grow(ctx, seed, &counts);
	CHECK_INT(counts.wrong, 0);
	/* It is not certain of nothing, and there was something to be found. */
	CHECK(counts.certain > counts.changes);
	CHECK(counts.changes > 50);
	perun_ctx_free(ctx);
}

/* Noise alone is certain to be none. */
TEST(test_noise_is_certain)
{
	struct random_series series;
	struct changepoint_so_far so_far;
	size_t certain = 0;

	changepoint_so_far_start(&so_far, NULL);
	start(&series, 11);
	series.sessions = 0.01;
	series.rises = 0;
	for (size_t i = 0; i < VALUES; i++) {
		struct perun_value_series all;

		add_value(&series);
		all = view(&series, false);
		if (i == 20)
			changepoint_so_far_start(&so_far, &all);
		if (isnan(series.values[i]))
			certain++;
		else if (i > 20)
			changepoint_so_far_add(&so_far, series.values[i],
					       series.repeats + series.starts[i],
					       series.starts[i + 1] - series.starts[i]);
		certain += i > 20 && !isnan(series.values[i]) &&
			   !changepoint_may_end_in_step(&so_far, false);
	}
	CHECK(certain >= VALUES - 25);
}

CHECK_MAIN(, )
