/* SPDX-License-Identifier: BSD-3-Clause */
/* Change points: what is a change, what is none, and that appending changes nothing. */
#include <perun/lib/changepoint.h>
#include <perun/lib/statistics.h>

#include "bench/noise.h"
#include "tests/unit/check.h"

static double uniform_of(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal_of(uint64_t *state)
{
	double r = sqrt(-2 * log(uniform_of(state)));

	return r * cos(6.283185307179586 * uniform_of(state));
}

static struct perun_segmentation find(const double *values, size_t count,
				      enum perun_change_method method)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_value_series series = {
		.struct_size = sizeof series, .values = values, .count = count};
	struct perun_change_options options = {sizeof options, method, 0};
	struct perun_segmentation changes;

	CHECK_INT(perun_find_changes(ctx, &series, &options, &changes), PERUN_OK);
	perun_ctx_free(ctx);
	return changes;
}

TEST(test_names)
{
	CHECK_STR(perun_change_method_name(PERUN_CHANGE_STEP), "step");
	CHECK(perun_change_method_name(PERUN_CHANGE_METHODS) == NULL);
	CHECK_INT(perun_change_method_from_name("e-divisive"), PERUN_CHANGE_E_DIVISIVE);
	CHECK_INT(perun_change_method_from_name("x"), PERUN_CHANGE_METHODS);
}

/* p and interval are of one test: what is no chance is not 0. */
TEST(test_interval_agrees)
{
	enum { VERSIONS = 6, RUNS = 5, ROUNDS = 400 };
	uint64_t state = 20;
	size_t found = 0;

	for (size_t round = 0; round < ROUNDS; round++) {
		double values[VERSIONS], repeats[VERSIONS * RUNS];
		size_t starts[VERSIONS + 1];
		struct perun_ctx *ctx = perun_ctx_new(NULL);
		struct perun_value_series series = {.struct_size = sizeof series,
						    .values = values,
						    .count = VERSIONS,
						    .repeats = repeats,
						    .starts = starts};
		struct perun_segmentation changes;

		for (size_t i = 0; i < VERSIONS; i++) {
			double session = 10 * normal_of(&state);

			starts[i] = i * RUNS;
			for (size_t k = 0; k < RUNS; k++)
				repeats[i * RUNS + k] =
					(i < 3 ? 100 : 160) + session + 4 * normal_of(&state);
			values[i] = perun_median(repeats + i * RUNS, RUNS);
		}
		starts[VERSIONS] = VERSIONS * RUNS;
		CHECK_INT(perun_find_changes(ctx, &series, NULL, &changes), PERUN_OK);
		for (size_t i = 0; i < changes.count; i++) {
			const struct perun_change_point *point = &changes.points[i];

			found++;
			CHECK(!(point->p < 0.05) || point->low > 0 || point->high < 0);
		}
		perun_segmentation_free(&changes);
		perun_ctx_free(ctx);
	}
	CHECK(found > ROUNDS / 2);
}

/* Every method, on nearly nothing and on values that are all the same. */
TEST(test_trivial)
{
	double values[300];

	for (size_t i = 0; i < 300; i++)
		values[i] = 7;
	for (unsigned method = 0; method < PERUN_CHANGE_METHODS; method++) {
		for (size_t count = 0; count < 300; count = count < 12 ? count + 1 : count * 2) {
			struct perun_segmentation changes =
				find(values, count, (enum perun_change_method)method);

			CHECK_INT(changes.count, 0);
			CHECK(!changes.trend.found);
			perun_segmentation_free(&changes);
		}
	}
}

/* A step without any noise. */
TEST(test_exact_step)
{
	double values[60];

	for (size_t i = 0; i < 60; i++)
		values[i] = i < 35 ? 3 : 4;
	for (unsigned method = 0; method < PERUN_CHANGE_METHODS; method++) {
		struct perun_segmentation changes =
			find(values, 60, (enum perun_change_method)method);

		REQUIRE(changes.count == 1);
		CHECK_INT(changes.points[0].index, 35);
		CHECK_DOUBLE(changes.points[0].shift, 1, 0);
		CHECK_INT(changes.points[0].first, 0);
		CHECK_INT(changes.points[0].end, 60);
		perun_segmentation_free(&changes);
	}
}

/* Steps of three deviations between outliers, in series of a hundred: nearly all are found. */
TEST(test_outliers)
{
	size_t found = 0, wrong = 0, flagged = 0;
	uint64_t state = 5;
	double values[100];

	for (int round = 0; round < 200; round++) {
		struct perun_segmentation changes;
		size_t at = 30 + (size_t)(uniform_of(&state) * 40);

		for (size_t i = 0; i < 100; i++)
			values[i] = 100 + normal_of(&state) + (uniform_of(&state) < 0.05 ? 60 : 0);
		changes = find(values, 100, PERUN_CHANGE_SEGMENTS);
		flagged += changes.count > 0;
		perun_segmentation_free(&changes);
		for (size_t i = at; i < 100; i++)
			values[i] += 3;
		changes = find(values, 100, PERUN_CHANGE_SEGMENTS);
		for (size_t i = 0; i < changes.count; i++) {
			bool near = changes.points[i].index + 3 >= at &&
				    changes.points[i].index <= at + 3;

			found += near;
			wrong += !near;
		}
		perun_segmentation_free(&changes);
	}
	printf("# %zu of 200 found, %zu wrong; %zu of 200 flagged\n", found, wrong, flagged);
	CHECK(found >= 190);
	CHECK(wrong <= 14);
	CHECK(flagged <= 4);
}

/* Noise that remembers itself is not taken for steps, and steps in it are found. */
TEST(test_correlated)
{
	size_t flagged = 0, found = 0;
	uint64_t state = 9;
	double values[365];

	for (int round = 0; round < 100; round++) {
		double noise = normal_of(&state);
		struct perun_segmentation changes;

		for (size_t i = 0; i < 365; i++) {
			noise = 0.7 * noise + 0.714 * normal_of(&state);
			values[i] = 100 + 2 * noise;
		}
		changes = find(values, 365, PERUN_CHANGE_SEGMENTS);
		flagged += changes.count > 0;
		perun_segmentation_free(&changes);
		for (size_t i = 150; i < 365; i++)
			values[i] += 10;
		changes = find(values, 365, PERUN_CHANGE_SEGMENTS);
		for (size_t i = 0; i < changes.count; i++)
			found += changes.points[i].index >= 148 && changes.points[i].index <= 152;
		perun_segmentation_free(&changes);
	}
	printf("# %zu of 100 flagged, %zu of 100 found\n", flagged, found);
	CHECK(flagged <= 3);
	CHECK(found >= 94);
}

TEST(test_trend)
{
	uint64_t state = 21;
	double values[365];
	struct perun_segmentation changes;

	for (size_t i = 0; i < 365; i++)
		values[i] = 100 + 0.0137 * (double)i + normal_of(&state);
	changes = find(values, 365, PERUN_CHANGE_SEGMENTS);
	CHECK_INT(changes.count, 0);
	CHECK(changes.trend.found);
	CHECK(changes.trend.low < 0.0137 && 0.0137 < changes.trend.high);
	perun_segmentation_free(&changes);
	/* And a step on top of it. */
	for (size_t i = 200; i < 365; i++)
		values[i] += 6;
	changes = find(values, 365, PERUN_CHANGE_SEGMENTS);
	REQUIRE(changes.count == 1);
	CHECK(changes.points[0].index >= 199 && changes.points[0].index <= 201);
	CHECK(changes.trend.found);
	perun_segmentation_free(&changes);
}

/* Gaps count as places; an infinite value is refused. */
TEST(test_gaps)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_change_options options = {.struct_size = sizeof options};
	struct perun_value_series series = {.struct_size = sizeof series, .count = 60};
	struct perun_segmentation changes;
	uint64_t state = 3;
	double values[60];

	series.values = values;
	for (size_t i = 0; i < 60; i++)
		values[i] = i % 3 == 1 ? NAN : (i < 30 ? 10 : 12) + 0.1 * normal_of(&state);
	changes = find(values, 60, PERUN_CHANGE_SEGMENTS);
	REQUIRE(changes.count == 1);
	CHECK_INT(changes.points[0].index, 30);
	CHECK_INT(changes.points[0].end, 60);
	perun_segmentation_free(&changes);
	values[4] = INFINITY;
	CHECK_INT(perun_find_changes(ctx, &series, &options, &changes), PERUN_USAGE);
	CHECK_CONTAINS(perun_ctx_error(ctx), "value 4");
	perun_ctx_free(ctx);
}

/* Repeats that contradict what their medians say take a change back. */
TEST(test_repeats)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_change_options options = {.struct_size = sizeof options};
	double values[40], repeats[200];
	size_t starts[41];
	struct perun_value_series series = {.struct_size = sizeof series,
					    .values = values,
					    .count = 40,
					    .repeats = repeats,
					    .starts = starts};
	struct perun_segmentation changes;
	uint64_t state = 3;

	for (size_t i = 0; i <= 40; i++)
		starts[i] = 5 * i;
	for (size_t i = 0; i < 200; i++)
		repeats[i] = (i < 100 ? 10 : 11) + 0.2 * normal_of(&state);
	for (size_t i = 0; i < 40; i++)
		values[i] = repeats[5 * i];
	CHECK_INT(perun_find_changes(ctx, &series, &options, &changes), PERUN_OK);
	CHECK_INT(changes.count, 1);
	perun_segmentation_free(&changes);
	for (size_t i = 0; i < 200; i++)
		repeats[i] = i % 5 ? 10 + 0.2 * normal_of(&state) : values[i / 5];
	for (size_t i = 100; i < 200; i++)
		repeats[i] -= i % 5 ? 0.3 : 0;
	CHECK_INT(perun_find_changes(ctx, &series, &options, &changes), PERUN_OK);
	CHECK_INT(changes.count, 0);
	perun_segmentation_free(&changes);
	perun_ctx_free(ctx);
}

/* Long series with many changes: the parts that thin out candidates. */
TEST(test_many)
{
	size_t count = 60000, found = 0;
	double *values = perun_alloc_zero(count, sizeof *values);
	struct perun_segmentation changes;
	uint64_t state = 8;

	for (size_t i = 0; i < count; i++)
		values[i] = 100 + 8 * (double)(i / 100 % 2) + normal_of(&state);
	changes = find(values, count, PERUN_CHANGE_SEGMENTS);
	for (size_t i = 0; i < changes.count; i++)
		found += changes.points[i].index % 100 == 0;
	printf("# %zu changes, %zu in their places\n", changes.count, found);
	CHECK(found >= 590 && changes.count <= 605);
	perun_segmentation_free(&changes);
	perun_free(values);
}

/* Of many series those changes are dropped that so many show by chance; one that is real stays. */
TEST(test_together)
{
	enum { SERIES = 60, COUNT = 80 };
	struct perun_change_options options = {.struct_size = sizeof options};
	struct perun_segmentation changes[SERIES];
	struct perun_value_series series[SERIES];
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	double *values = calloc(SERIES * COUNT, sizeof *values);
	uint64_t state = 8675309;

	for (size_t s = 0; s < SERIES; s++) {
		double *own = values + s * COUNT;

		for (size_t i = 0; i < COUNT; i++)
			own[i] = 100 + normal_of(&state) + (s == 7 && i >= 30 ? 5 : 0);
		series[s] = (struct perun_value_series){
			.struct_size = sizeof *series, .values = own, .count = COUNT};
		perun_find_changes(ctx, &series[s], &options, &changes[s]);
	}
	/* One that is found alone, but is not sure enough among so many; and one beside a real one. */
	perun_segmentation_free(&changes[3]);
	changes[3].points = calloc(1, sizeof *changes[3].points);
	changes[3].points[0] = (struct perun_change_point){.index = 40, .end = COUNT, .p = 0.0004};
	changes[3].count = 1;
	perun_segmentation_free(&changes[7]);
	changes[7].points = calloc(2, sizeof *changes[7].points);
	changes[7].points[0] = (struct perun_change_point){.index = 10, .end = 30, .p = 0.01};
	changes[7].points[1] =
		(struct perun_change_point){.index = 30, .first = 10, .end = COUNT, .p = 1e-12};
	changes[7].count = 2;
	/* One that was sure beside another one alone: that goes, and nothing is left to differ from. */
	perun_segmentation_free(&changes[11]);
	changes[11].points = calloc(2, sizeof *changes[11].points);
	changes[11].points[0] = (struct perun_change_point){.index = 40, .end = 44, .p = 1e-9};
	changes[11].points[1] =
		(struct perun_change_point){.index = 44, .first = 40, .end = COUNT, .p = 0.01};
	changes[11].count = 2;
	CHECK_INT(perun_correct_changes(ctx, series, SERIES, &options, 0.05, changes), PERUN_OK);
	CHECK_INT(changes[3].count, 0);
	CHECK_INT(changes[11].count, 0);
	CHECK_INT(changes[7].count, 1);
	CHECK_INT(changes[7].points[0].index, 30);
	/* It separates all values now. */
	CHECK_INT(changes[7].points[0].first, 0);
	for (size_t s = 0; s < SERIES; s++)
		perun_segmentation_free(&changes[s]);
	free(values);
	perun_ctx_free(ctx);
}

/* Alone or not, what is kept has a p that leaves no doubt: system times in steps of 10 ms, and a clear step. */
TEST(test_alone)
{
	double doubtful[] = {30, 25, 10, 10, 20, 20, 20, 10};
	double clear[] = {30, 31, 30.5, 30.2, 40, 40.5, 40.1, 40.3};
	double *all[] = {doubtful, clear};
	struct perun_change_options options = {.struct_size = sizeof options};
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	for (size_t i = 0; i < 2; i++) {
		struct perun_value_series series = {
			.struct_size = sizeof series, .values = all[i], .count = 8};
		struct perun_change_point doubt = {.index = 2, .end = 8, .p = 0.09};
		struct perun_segmentation changes = {0};

		CHECK_INT(perun_find_changes(ctx, &series, &options, &changes), PERUN_OK);
		if (i == 0) {
			perun_segmentation_free(&changes);
			changes.points = perun_memdup(&doubt, sizeof doubt);
			changes.count = 1;
		}
		CHECK_INT(perun_correct_changes(ctx, &series, 1, &options, 0.01, &changes),
			  PERUN_OK);
		CHECK_INT(changes.count, i);
		if (changes.count)
			CHECK(changes.points[0].p <= 0.01);
		perun_segmentation_free(&changes);
	}
	perun_ctx_free(ctx);
}

/* Few values far apart: their ranks alone would leave a doubt, among eighty series. */
TEST(test_few_together)
{
	enum { SERIES = 80, COUNT = 18 };
	struct perun_change_options options = {.struct_size = sizeof options};
	struct perun_segmentation changes[SERIES];
	struct perun_value_series series[SERIES];
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	double values[SERIES][COUNT];
	uint64_t state = 4711;

	for (size_t s = 0; s < SERIES; s++) {
		for (size_t i = 0; i < COUNT; i++)
			values[s][i] = 100 + normal_of(&state) + (s == 7 && i >= 10 ? 20 : 0);
		series[s] = (struct perun_value_series){
			.struct_size = sizeof *series, .values = values[s], .count = COUNT};
		perun_find_changes(ctx, &series[s], &options, &changes[s]);
	}
	CHECK_INT(perun_correct_changes(ctx, series, SERIES, &options, 0.05, changes), PERUN_OK);
	for (size_t s = 0; s < SERIES; s++) {
		CHECK_INT(changes[s].count, s == 7);
		perun_segmentation_free(&changes[s]);
	}
	perun_ctx_free(ctx);
}

/* Unchanged series of every kind of noise, with and without a slow drift: a change is rarely seen. */
TEST(test_kinds)
{
	static const double correlations[] = {0.3, 0.5, 0.7, 0.9};
	static const size_t counts[] = {30, 100, 300};
	struct source source = {12};
	double values[300];

	for (unsigned kind = NORMAL; kind < WIDER + 5; kind++) {
		size_t flagged = 0;

		for (size_t round = 0; round < 120; round++) {
			struct habit habit = draw_habit(&source);
			size_t count = counts[round % 3];
			struct perun_segmentation changes;

			habit.correlation = correlations[round % 4];
			make_noise(&source, kind <= WIDER ? (enum noise)kind : NORMAL, habit, count,
				   values);
			for (size_t i = 0; kind > WIDER && i < count; i++)
				values[i] += 0.02 * (kind - WIDER) * (double)i / (double)count;
			changes = find(values, count, PERUN_CHANGE_SEGMENTS);
			flagged += changes.count > 0;
			perun_segmentation_free(&changes);
		}
		printf("# noise %u: %zu of 120 flagged\n", kind, flagged);
		CHECK(flagged <= 5);
	}
}

/* A step of five deviations on top of a drift of as many: one change, and a trend. */
TEST(test_step_and_trend)
{
	size_t told = 0, exactly = 0;
	uint64_t state = 33;
	double values[200];

	for (int round = 0; round < 100; round++) {
		struct perun_segmentation changes;
		size_t at = 60 + (size_t)(uniform_of(&state) * 80);

		for (size_t i = 0; i < 200; i++)
			values[i] = 100 + 0.025 * (double)i + normal_of(&state) + (i < at ? 0 : 5);
		changes = find(values, 200, PERUN_CHANGE_SEGMENTS);
		told += changes.count == 1 && changes.points[0].index + 2 >= at &&
			changes.points[0].index <= at + 2 && changes.trend.found;
		exactly += changes.trend.found && changes.trend.low < 0.025 &&
			   0.025 < changes.trend.high;
		perun_segmentation_free(&changes);
	}
	printf("# %zu of 100 told, of %zu the slope\n", told, exactly);
	CHECK(told >= 90);
	CHECK(exactly >= 85);
}

/* A drift of ten deviations that begins and ends within the series has no steps. */
TEST(test_drift_of_a_stretch)
{
	size_t quiet = 0, placed = 0;
	uint64_t state = 71;
	double values[200];

	for (int round = 0; round < 100; round++) {
		struct perun_segmentation changes;
		double from = 30 + 40 * uniform_of(&state), to = 120 + 50 * uniform_of(&state);

		for (size_t i = 0; i < 200; i++)
			values[i] = normal_of(&state) +
				    10 * (fmax(from, fmin(to, (double)i)) - from) / (to - from) +
				    300;
		changes = find(values, 200, PERUN_CHANGE_SEGMENTS);
		quiet += changes.count == 0 && changes.trend.found;
		placed += changes.trend.found && fabs((double)changes.trend.since - from) <= 10 &&
			  fabs((double)changes.trend.until - to) <= 10;
		perun_segmentation_free(&changes);
	}
	printf("# %zu of 100 without a step, of %zu the ends\n", quiet, placed);
	CHECK(quiet >= 98);
	CHECK(placed >= 90);
}

/* Ten percent for six values in noise of one, and three values before the end. */
TEST(test_short_levels)
{
	size_t found = 0;
	uint64_t state = 21;
	double values[100];

	for (int round = 0; round < 100; round++) {
		struct perun_segmentation changes;

		for (size_t i = 0; i < 100; i++)
			values[i] =
				100 + normal_of(&state) + 10 * ((i >= 50 && i < 56) || (i >= 97));
		changes = find(values, 100, PERUN_CHANGE_SEGMENTS);
		found += changes.count == 3 && changes.points[0].index == 50 &&
			 changes.points[1].index == 56 && changes.points[2].index == 97;
		perun_segmentation_free(&changes);
	}
	printf("# %zu of 100 found\n", found);
	CHECK(found >= 90);
}

/* A level for each stretch of `length` values, in noise of this deviation. */
static void make_levels(double *values, const double *levels, size_t count, size_t length,
			double noise, uint64_t seed)
{
	for (size_t i = 0; i < count * length; i++)
		values[i] = levels[i / length] + (noise > 0 ? noise * normal_of(&seed) : 0);
}

static void check_levels(const double *values, size_t count, size_t length,
			 enum perun_change_method method)
{
	struct perun_segmentation changes = find(values, count * length, method);

	REQUIRE(changes.count == count - 1);
	for (size_t i = 0; i < changes.count; i++)
		CHECK_INT(changes.points[i].index, (i + 1) * length);
	CHECK(!changes.trend.found);
	perun_segmentation_free(&changes);
}

/* Many levels far apart: a jump must not pass for an outlier, nor all of them for memory of the noise. */
TEST(test_many_levels)
{
	static const double levels[] = {0.25, 0.11, 0.30, 0.12, 0.13, 0.09, 0.14, 0.18};
	static const double climb[] = {230, 250, 300, 480, 560, 460, 530,
				       750, 720, 990, 930, 980, 830, 300};
	double values[400];

	make_levels(values, levels, 8, 24, 0.001, 4);
	check_levels(values, 8, 24, PERUN_CHANGE_SEGMENTS);
	make_levels(values, climb, 14, 26, 1.5, 5);
	check_levels(values, 14, 26, PERUN_CHANGE_SEGMENTS);
}

/* Sizes and counts: the same number until it changes. */
TEST(test_exact_levels)
{
	static const double levels[] = {123456, 118518, 122074, 125736, 120707, 124328,
					128058, 122936, 126624, 130423, 125206};
	double values[330];

	make_levels(values, levels, 11, 30, 0, 1);
	check_levels(values, 11, 30, PERUN_CHANGE_SEGMENTS);
}

/* A line through two levels that each are flat is not a trend. */
TEST(test_flat_levels)
{
	double values[75];

	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t state = seed;
		struct perun_segmentation changes;

		for (size_t i = 0; i < 75; i++)
			values[i] = i < 33 ? 27 + 1.5 * normal_of(&state)
					   : 13 + 0.2 * normal_of(&state);
		changes = find(values, 75, PERUN_CHANGE_SEGMENTS);
		CHECK_INT(changes.count, 1);
		CHECK_INT(changes.points[0].index, 33);
		CHECK(!changes.trend.found);
		perun_segmentation_free(&changes);
	}
}

/* Outliers next to each other are not a level. */
TEST(test_outliers_together)
{
	double values[200];
	struct perun_segmentation changes;

	for (size_t i = 0; i < 200; i++)
		values[i] = i == 60 || i == 61 || i == 140 ? 1059490 : 354464;
	changes = find(values, 200, PERUN_CHANGE_SEGMENTS);
	CHECK_INT(changes.count, 0);
	perun_segmentation_free(&changes);
}

static size_t count_with(const double *values, size_t count, double threshold)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_value_series series = {
		.struct_size = sizeof series, .values = values, .count = count};
	struct perun_change_options options = {sizeof options, PERUN_CHANGE_SEGMENTS, threshold};
	struct perun_segmentation changes;
	size_t found;

	CHECK_INT(perun_find_changes(ctx, &series, &options, &changes), PERUN_OK);
	found = changes.count;
	perun_segmentation_free(&changes);
	perun_ctx_free(ctx);
	return found;
}

/* Small changes are reported only when asked for. */
TEST(test_threshold)
{
	static const double small[] = {1000, 1007, 1000, 1020}, tiny[] = {1000, 1003};
	static const double stairs[] = {1000, 1007, 1014};
	static const double fall[] = {1000, 986, 993, 1020};
	double values[120];

	make_levels(values, small, 4, 30, 0.25, 6);
	CHECK_INT(count_with(values, 120, 0), 1);
	CHECK_INT(count_with(values, 120, -1), 3);
	CHECK_INT(count_with(values, 120, 0.005), 3);
	make_levels(values, small, 4, 30, 0, 6);
	CHECK_INT(count_with(values, 120, 0), 3);
	make_levels(values, tiny, 2, 30, 0, 6);
	CHECK_INT(count_with(values, 60, 0), 0);
	CHECK_INT(count_with(values, 60, -1), 1);
	/* Two small ones that together are large enough; and one that does not swallow its neighbour. */
	make_levels(values, stairs, 3, 30, 0.25, 7);
	CHECK_INT(count_with(values, 90, 0), 1);
	make_levels(values, fall, 4, 30, 0.25, 8);
	CHECK_INT(count_with(values, 120, 0), 2);
}

/* asv's method, where levels pass for autocorrelation. */
TEST(test_step_method)
{
	static const double levels[] = {100, 90, 81, 73, 80, 72, 79, 88, 97};
	double values[999];

	make_levels(values, levels, 9, 111, 1, 9);
	check_levels(values, 9, 111, PERUN_CHANGE_STEP);
}

/* ---- counts of samples ----------------------------------------------------------------------- */

enum { PROFILES = 6 };

/* How often something that happens `mean` times in a profile does (Knuth). */
static double poisson_of(uint64_t *state, double mean)
{
	double left = exp(-mean), product = uniform_of(state), count = 0;

	for (; product > left; count++)
		product *= uniform_of(state);
	return count;
}

/* Two versions of a function, six profiles each; what the profiles of others show may be known. */
struct function {
	double values[2], repeats[2 * PROFILES];
	size_t starts[3];
	struct perun_value_series series;
};

static void draw_function(struct function *function, uint64_t *state, double before, double after,
			  bool known)
{
	for (size_t version = 0; version < 2; version++) {
		double *repeats = function->repeats + version * PROFILES;

		for (size_t i = 0; i < PROFILES; i++)
			repeats[i] = poisson_of(state, version ? after : before);
		function->values[version] = perun_median(repeats, PROFILES);
		function->starts[version + 1] = (version + 1) * PROFILES;
	}
	function->series = (struct perun_value_series){.struct_size = sizeof function->series,
						       .values = function->values,
						       .count = 2,
						       .repeats = function->repeats,
						       .starts = function->starts,
						       .sample = 1,
						       .dispersion = known ? 1 : 0,
						       .dispersion_freedom = known ? 100 : 0};
}

static size_t find_functions(double before, double after, bool known)
{
	const struct perun_change_options options = {sizeof options, PERUN_CHANGE_SEGMENTS, 0};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	uint64_t state = 77;
	size_t found = 0;

	for (unsigned round = 0; round < 400; round++) {
		struct function function = {0};
		struct perun_segmentation changes;

		draw_function(&function, &state, before, after, known);
		CHECK_INT(perun_find_changes(ctx, &function.series, &options, &changes), PERUN_OK);
		found += changes.count;
		perun_segmentation_free(&changes);
	}
	perun_ctx_free(ctx);
	return found;
}

/* What the profiles of most functions show makes a change certain that one function alone leaves in doubt. */
TEST(test_samples)
{
	size_t alone = find_functions(5, 10, false), known = find_functions(5, 10, true);

	printf("# of 400 functions twice as slow %zu found, %zu where others are known\n", alone,
	       known);
	CHECK(known >= 170 && known > alone + 20);
	CHECK(find_functions(5, 5, true) <= 8);
	CHECK(find_functions(1, 1, true) <= 8);
}

/* Of functions with so few samples that no change could be found none makes another one harder to find. */
TEST(test_samples_together)
{
	enum { FUNCTIONS = 200 };
	const struct perun_change_options options = {sizeof options, PERUN_CHANGE_SEGMENTS, 0};
	struct perun_segmentation changes[FUNCTIONS];
	struct perun_value_series series[FUNCTIONS];
	struct function functions[FUNCTIONS] = {0};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	uint64_t state = 3;

	for (unsigned samples = 0; samples <= 4; samples += 4) {
		for (size_t i = 0; i < FUNCTIONS; i++) {
			draw_function(&functions[i], &state, i ? samples + 0.2 : 5,
				      i ? samples + 0.2 : 12, true);
			/* The first one is the same both times, with a p of about a thousandth. */
			for (size_t k = 0; i == 0 && k < 2 * PROFILES; k++)
				functions[i].repeats[k] = k < PROFILES ? 4 : 9;
			series[i] = functions[i].series;
			CHECK_INT(perun_find_changes(ctx, &series[i], &options, &changes[i]),
				  PERUN_OK);
		}
		CHECK_INT(perun_correct_changes(ctx, series, FUNCTIONS, &options, 0.05, changes),
			  PERUN_OK);
		CHECK_INT(changes[0].count, samples == 0);
		for (size_t i = 0; i < FUNCTIONS; i++)
			perun_segmentation_free(&changes[i]);
	}
	perun_ctx_free(ctx);
}

CHECK_MAIN(, )
