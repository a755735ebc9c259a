/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the truth is inside what perun model says of a point, on experiments made from a seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <perun/lib/model.h>

#include "bench/noise.h"

enum growth { ONE_TERM, TWO_TERMS, ANY_POWER, AMDAHL, FLAT_GROWTH, GROWTHS };
enum spread { RELATIVE, ABSOLUTE, SKEWED, SPREADS };
enum { SERIES = 400, PLACES = 3, MAX_POINTS = 8, MAX_REPEATS = 5 };

static const char *const growth_names[] = {"one term", "two terms", "any power",
					   "a/p + b + c log p", "constant"};
static const char *const spread_names[] = {"relative noise", "absolute noise", "one-sided noise"};
static const double powers[] = {0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75, 1, 1.25, 1.5, 2, 3};

struct truth {
	double constant, coefficients[2], powers[2], logs[2];
};

static double term(const struct truth *truth, int i, double x)
{
	return truth->coefficients[i] * pow(x, truth->powers[i]) * pow(log2(x), truth->logs[i]);
}

static double value(const struct truth *truth, double x)
{
	return truth->constant + term(truth, 0, x) + term(truth, 1, x);
}

static size_t pick(struct source *source, size_t count)
{
	return (size_t)(uniform(source) * (double)count);
}

/* Terms of which each matters: between a twentieth and twenty times of the constant at the last point. */
static void draw(struct source *source, enum growth growth, double last, struct truth *truth)
{
	*truth = (struct truth){.constant = pow(10, 6 * uniform(source) - 3), .logs = {0, 0}};
	for (int i = 0; i < (growth == TWO_TERMS || growth == AMDAHL ? 2 : 1); i++) {
		double share = pow(10, 2.6 * uniform(source) - 1.3);

		truth->powers[i] = powers[pick(source, sizeof powers / sizeof *powers)];
		truth->logs[i] = (double)pick(source, 3);
		if (truth->powers[i] > 1 && truth->logs[i] > 1)
			truth->logs[i] = 1;
		if (growth == ANY_POWER) {
			truth->powers[i] = 0.2 + 2.3 * uniform(source);
			truth->logs[i] = 0;
		}
		if (growth == AMDAHL) {
			truth->powers[i] = i ? 0 : -1;
			truth->logs[i] = i;
		}
		truth->coefficients[i] = 1;
		truth->coefficients[i] =
			growth == FLAT_GROWTH
				? 0
				: share * truth->constant /
					  term(truth, i, growth == AMDAHL && !i ? 4 : last);
	}
}

struct sums {
	size_t inside[PLACES], known[PLACES];
	double widths[PLACES][SERIES], errors[PLACES][SERIES];
};

static double noisy(struct source *source, enum spread spread, double level, double v, double mean)
{
	if (spread == SKEWED)
		return v * (1 + level * (gamma_of(source, 2) - 2));
	return v + level * normal(source) * (spread == ABSOLUTE ? mean : v);
}

static void measure(struct source *source, struct perun_ctx *ctx, enum growth growth,
		    enum spread spread, size_t number, struct sums *sums)
{
	static const double levels[] = {0.005, 0.02, 0.05, 0.1};
	size_t points = 5 + pick(source, 4), repeats = 1 + 2 * pick(source, 3);
	double level = levels[pick(source, 4)], x[MAX_POINTS], v[MAX_POINTS], errors[MAX_POINTS];
	double mean = 0;
	struct perun_observations observations = {
		points, 1, x, v, repeats > 1 ? errors : NULL, (double)(points * (repeats - 1))};
	struct perun_modeler_options options = {0};
	struct perun_scaling_model model = {0};
	struct perun_modeler *modeler;
	struct truth truth;

	for (size_t i = 0; i < points; i++)
		x[i] = 4 << i;
	draw(source, growth, x[points - 1], &truth);
	for (size_t i = 0; i < points; i++)
		mean += value(&truth, x[i]) / (double)points;
	for (size_t i = 0; i < points; i++) {
		double sum = 0, squares = 0, n = (double)repeats;

		for (size_t k = 0; k < repeats; k++) {
			double run = noisy(source, spread, level, value(&truth, x[i]), mean);

			sum += run;
			squares += run * run;
		}
		v[i] = sum / n;
		errors[i] = sqrt(fmax(squares / n - v[i] * v[i], 0) / fmax(n - 1, 1));
	}
	if (perun_modeler_new(ctx, &options, x, points, 1, &modeler) != PERUN_OK)
		abort();
	perun_modeler_fit(modeler, v, &model);
	for (int k = 0; k < PLACES; k++) {
		double at = k == 0 ? x[points - 1] * 0.75 : x[points - 1] * (k == 1 ? 2 : 8);
		double right = value(&truth, at);
		struct perun_prediction said;

		perun_scaling_model_predict(&model, &observations, &at, 0.95, &said);
		sums->errors[k][number] = fabs(said.value - right) / right;
		sums->widths[k][number] = INFINITY;
		if (isnan(said.low))
			continue;
		sums->known[k]++;
		sums->inside[k] += said.low <= right && right <= said.high;
		sums->widths[k][number] = (said.high - said.low) / 2 / right;
	}
	perun_scaling_model_clear(&model);
	perun_modeler_free(modeler);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *numbers)
{
	qsort(numbers, SERIES, sizeof *numbers, compare);
	return numbers[SERIES / 2];
}

int main(int argc, char **argv)
{
	struct source source = {argc > 1 ? strtoull(argv[1], NULL, 10) * 2654435761u + 1
					 : 20261123};
	static const char *const places[] = {"within", "twice", "eight times"};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	static struct sums sums;

	printf("%d series each; truth inside, median half width, median error\n%-36s", SERIES, "");
	for (int k = 0; k < PLACES; k++)
		printf("  %-24s", places[k]);
	printf("\n");
	for (int growth = 0; growth < GROWTHS; growth++) {
		for (int spread = 0; spread < SPREADS; spread++) {
			char name[80];

			sums = (struct sums){0};
			for (size_t i = 0; i < SERIES; i++)
				measure(&source, ctx, (enum growth)growth, (enum spread)spread, i,
					&sums);
			snprintf(name, sizeof name, "%s, %s", growth_names[growth],
				 spread_names[spread]);
			printf("%-36s", name);
			for (int k = 0; k < PLACES; k++)
				printf("  %5.1f %% %6.1f %% %6.1f %%",
				       100.0 * (double)sums.inside[k] / SERIES,
				       100 * median(sums.widths[k]), 100 * median(sums.errors[k]));
			printf("\n");
		}
	}
	perun_ctx_free(ctx);
	return 0;
}
