/* SPDX-License-Identifier: BSD-3-Clause */
/* How well and how fast changes are found, on series of known kinds made from a seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <perun/lib/changepoint.h>

#include "bench/noise.h"

enum shape { FLAT, DRIFT, ONE, MANY, REVERT, TAIL, BOTH };

struct family {
	const char *name;
	enum noise noise;
	enum shape shape;
	double step; /* share of the level */
	size_t tolerance;
	double correlation;
	bool extra; /* beyond the kinds that the totals are of */
};

static const struct family families[] = {
	{"step 5 %, normal", NORMAL, ONE, 0.05, 2, 0, false},
	{"step 2 %, normal", NORMAL, ONE, 0.02, 5, 0, false},
	{"step 10 %, log-normal", LOGNORMAL, ONE, 0.10, 5, 0, false},
	{"step 5 %, outliers", OUTLIERS, ONE, 0.05, 3, 0, false},
	{"step 10 %, bimodal", BIMODAL, ONE, 0.10, 5, 0, false},
	{"step 5 %, one-sided", ONE_SIDED, ONE, 0.05, 5, 0, false},
	{"five steps", NORMAL, MANY, 0.10, 3, 0, false},
	{"reverted", NORMAL, REVERT, 0.10, 2, 0, false},
	{"three before the end", NORMAL, TAIL, 0.10, 2, 0, false},
	{"step 10 %, AR 0.7", AR, ONE, 0.10, 5, 0.7, true},
	{"step 5 %, AR 0.7", AR, ONE, 0.05, 5, 0.7, true},
	{"step 5 %, drift 5 %", NORMAL, BOTH, 0.05, 5, 0, true},
	{"unchanged, normal", NORMAL, FLAT, 0, 0, 0, false},
	{"unchanged, log-normal", LOGNORMAL, FLAT, 0, 0, 0, false},
	{"unchanged, outliers", OUTLIERS, FLAT, 0, 0, 0, false},
	{"unchanged, bimodal", BIMODAL, FLAT, 0, 0, 0, false},
	{"unchanged, one-sided", ONE_SIDED, FLAT, 0, 0, 0, false},
	{"unchanged, AR 0.7", AR, FLAT, 0, 0, 0.7, false},
	{"unchanged, drift 5 %", NORMAL, DRIFT, 0.05, 0, 0, false},
	{"unchanged, variance", WIDER, FLAT, 0, 0, 0, false},
	{"unchanged, AR 0.3", AR, FLAT, 0, 0, 0.3, true},
	{"unchanged, AR 0.5", AR, FLAT, 0, 0, 0.5, true},
	{"unchanged, AR 0.9", AR, FLAT, 0, 0, 0.9, true},
	{"unchanged, drift 2 %", NORMAL, DRIFT, 0.02, 0, 0, true},
	{"unchanged, drift 10 %", NORMAL, DRIFT, 0.10, 0, 0, true},
	{"drift 5 %, log-normal", LOGNORMAL, DRIFT, 0.05, 0, 0, true},
	{"drift 5 %, AR 0.5", AR, DRIFT, 0.05, 0, 0.5, true},
	{"variance anywhere", WIDER, FLAT, 0, 0, -1, true},
};

struct truth {
	size_t at[8], count;
};

static void make_series(struct source *source, const struct family *family, size_t n,
			double *values, struct truth *truth)
{
	double level = 100, step = family->step;
	struct habit habit = draw_habit(source);
	size_t next = 0;

	habit.correlation = family->correlation;
	habit.share *= 1.3;
	habit.mode = 0.005;
	habit.outlier = 0.05;
	habit.tail = 0.02;
	if (family->correlation < 0) {
		habit.width = (uniform(source) < 0.5 ? 0.25 : 2) * (1 + uniform(source));
		habit.from = 0.2 + 0.6 * uniform(source);
	}
	make_noise(source, family->noise, habit, n, values);
	*truth = (struct truth){0};
	if (family->shape == ONE || family->shape == BOTH)
		truth->at[truth->count++] = (size_t)((0.3 + 0.45 * uniform(source)) * (double)n);
	if (family->shape == TAIL)
		truth->at[truth->count++] = n - 3;
	if (family->shape == REVERT) {
		truth->at[truth->count++] = n / 2;
		truth->at[truth->count++] = n / 2 + 6;
	}
	/* Five places at least twelve apart. */
	while (family->shape == MANY && truth->count < 5) {
		double places[5];

		for (size_t i = 0; i < 5; i++)
			places[i] = uniform(source) * (double)(n - 72);
		for (size_t i = 0; i < 5; i++) {
			size_t smaller = 0;

			for (size_t j = 0; j < 5; j++)
				smaller += places[j] < places[i];
			truth->at[smaller] = 12 + 12 * smaller + (size_t)places[i];
		}
		truth->count = 5;
	}
	for (size_t i = 0; i < n; i++) {
		if (next < truth->count && i == truth->at[next]) {
			if (family->shape == MANY)
				step = (0.03 + 0.07 * uniform(source)) *
				       (uniform(source) < 0.5 ? -1 : 1);
			level = family->shape == REVERT && next == 1 ? 100 : level * (1 + step);
			next++;
		}
		values[i] = level * (1 + values[i]);
		if (family->shape == DRIFT || family->shape == BOTH)
			values[i] += 100 * family->step * (double)i / (double)n;
	}
}

struct score {
	size_t found, wrong, missed, series, flagged;
};

static void score_one(const struct perun_segmentation *changes, const struct truth *truth,
		      size_t tolerance, struct score *score)
{
	bool used[64] = {false};
	size_t hits = 0;

	for (size_t i = 0; i < truth->count; i++) {
		for (size_t j = 0; j < changes->count && j < 64; j++) {
			size_t at = changes->points[j].index;
			size_t away = at > truth->at[i] ? at - truth->at[i] : truth->at[i] - at;

			if (!used[j] && away <= tolerance) {
				used[j] = true;
				hits++;
				break;
			}
		}
	}
	score->found += hits;
	score->missed += truth->count - hits;
	score->wrong += changes->count - hits;
	score->series++;
	score->flagged += !truth->count && changes->count;
}

static double f1(const struct score *score)
{
	double both = 2 * (double)score->found;

	return both > 0 ? both / (both + (double)(score->wrong + score->missed)) : 0;
}

static int run(struct perun_ctx *ctx, const struct perun_change_options *options,
	       const struct family *family, size_t n, unsigned rounds, uint64_t seed,
	       struct score *score)
{
	struct source source = {seed * UINT64_C(0x9e3779b97f4a7c15) + n};
	double *values = calloc(n, sizeof *values);
	int status = PERUN_OK;

	for (unsigned i = 0; !status && i < rounds; i++) {
		struct perun_value_series series = {
			.struct_size = sizeof series, .values = values, .count = n};
		struct perun_segmentation changes;
		struct truth truth;

		make_series(&source, family, n, values, &truth);
		status = perun_find_changes(ctx, &series, options, &changes);
		score_one(&changes, &truth, family->tolerance, score);
		perun_segmentation_free(&changes);
	}
	free(values);
	return status;
}

static const size_t sizes[] = {30, 60, 100, 200, 365, 1000};
#define SIZES (sizeof sizes / sizeof *sizes)

static bool has_size(const struct family *family, size_t n)
{
	return family->shape != MANY || n >= 200;
}

static void print_rate(const struct score *score)
{
	if (score->found + score->missed)
		printf(" %6.1f/%-4.1f",
		       100.0 * (double)score->found / (double)(score->found + score->missed),
		       100.0 * (double)score->wrong / (double)score->series);
	else
		printf(" %6.1f     ", 100.0 * (double)score->flagged / (double)score->series);
}

static void add_score(struct score *sum, const struct score *score)
{
	sum->found += score->found;
	sum->wrong += score->wrong;
	sum->missed += score->missed;
	if (score->found + score->missed == 0) {
		sum->series += score->series;
		sum->flagged += score->flagged;
	}
}

static void quality(struct perun_ctx *ctx, const struct perun_change_options *options,
		    unsigned rounds, uint64_t seed)
{
	struct score all = {0};

	puts("steps: % found / others in 100 series; unchanged: % flagged; all lengths");
	printf("%-22s", "");
	for (size_t i = 0; i < SIZES; i++)
		printf(" %6zu     ", sizes[i]);
	printf("    all\n");
	for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
		const struct family *family = &families[f];
		struct score own = {0};

		printf("%-22s", family->name);
		for (size_t i = 0; i < SIZES; i++) {
			struct score score = {0};

			if (!has_size(family, sizes[i])) {
				printf("%12s", "");
				continue;
			}
			run(ctx, options, family, sizes[i], rounds, seed * 100 + f, &score);
			print_rate(&score);
			add_score(&own, &score);
		}
		if (own.series)
			printf(" %6.2f", 100.0 * (double)own.flagged / (double)own.series);
		putchar('\n');
		if (!family->extra)
			add_score(&all, &own);
	}
	printf("F1 %.4f, %.2f %% of unchanged series flagged\n", f1(&all),
	       100.0 * (double)all.flagged / (double)all.series);
}

static void speed(struct perun_ctx *ctx, const struct perun_change_options *options)
{
	static const size_t lengths[] = {1000, 10000, 100000, 1000000};

	for (size_t i = 0; i < 4; i++) {
		struct source source = {i + 77};
		size_t n = lengths[i];
		double *values = calloc(n, sizeof *values), best = INFINITY;
		struct perun_value_series series = {
			.struct_size = sizeof series, .values = values, .count = n};
		size_t count = 0;

		for (size_t j = 0; j < n; j++)
			values[j] = 100 + 3 * (double)(j * 7 / n % 2) + normal(&source);
		for (int round = 0; round < (n > 100000 ? 2 : 5); round++) {
			struct perun_segmentation changes;
			clock_t start = clock();

			perun_find_changes(ctx, &series, options, &changes);
			best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
			count = changes.count;
			perun_segmentation_free(&changes);
		}
		printf("%8zu values: %.2f ms, %zu changes\n", n, best * 1e3, count);
		free(values);
	}
}

/* changepoint [METHOD [ROUNDS [SEED]]] */
int main(int argc, char **argv)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_change_options options = {.struct_size = sizeof options};
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 200;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;

	if (argc > 1)
		options.method = perun_change_method_from_name(argv[1]);
	quality(ctx, &options, rounds, seed);
	if (argc <= 4)
		speed(ctx, &options);
	perun_ctx_free(ctx);
	return 0;
}
