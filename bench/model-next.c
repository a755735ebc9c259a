/* SPDX-License-Identifier: BSD-3-Clause */
/* What measurements that perun model advises are worth, beside doubling, for the same cost, from a seed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <perun/lib/model.h>

#include "bench/noise.h"

enum { SERIES = 300, FIRST = 6, MAX_POINTS = 64, MAX_ADVICE = 12, REPEATS = 3 };
enum strategy {
	NOTHING,
	DOUBLING,
	DOUBLING_TWICE,
	ADVICE,
	ADVICE_OF_ONE,
	ADVICE_OF_TWO,
	STRATEGIES
};

static const char *const strategy_names[] = {"nothing",           "double",
					     "double twice",      "advice, same cost",
					     "advice, one point", "advice, two points"};
static const double powers[] = {0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75, 1, 1.25, 1.5, 2, 3};

struct truth {
	double constant, coefficients[2], powers[2], logs[2];
};

static double value(const struct truth *truth, double x)
{
	double sum = truth->constant;

	for (int i = 0; i < 2; i++)
		sum += truth->coefficients[i] * pow(x, truth->powers[i]) *
		       pow(log2(x), truth->logs[i]);
	return sum;
}

static size_t pick(struct source *source, size_t count)
{
	return (size_t)(uniform(source) * (double)count);
}

static void draw(struct source *source, double last, struct truth *truth)
{
	int terms = uniform(source) < 0.5 ? 1 : 2;

	*truth = (struct truth){.constant = 1};
	for (int i = 0; i < terms; i++) {
		double share = pow(10, 2.6 * uniform(source) - 1.3);

		truth->powers[i] = powers[pick(source, sizeof powers / sizeof *powers)];
		truth->logs[i] = (double)pick(source, 2);
		truth->coefficients[i] =
			share / pow(last, truth->powers[i]) / pow(log2(last), truth->logs[i]);
	}
}

struct experiment {
	struct source source;
	struct truth truth;
	double level, x[MAX_POINTS], v[MAX_POINTS], errors[MAX_POINTS], runs[MAX_POINTS];
	size_t count;
	double cost;
};

/* Points once more measured become one of more runs. */
static void measure(struct experiment *experiment, double x)
{
	double sum = 0, squares = 0, mean;
	size_t i = 0;

	for (int k = 0; k < REPEATS; k++) {
		double run = value(&experiment->truth, x) *
			     (1 + experiment->level * normal(&experiment->source));

		sum += run;
		squares += run * run;
	}
	experiment->cost += x * value(&experiment->truth, x);
	mean = sum / REPEATS;
	while (i < experiment->count && experiment->x[i] != x)
		i++;
	if (i == experiment->count) {
		experiment->x[i] = x;
		experiment->v[i] = mean;
		experiment->errors[i] =
			sqrt(fmax(squares / REPEATS - mean * mean, 0) / (REPEATS - 1));
		experiment->runs[i] = REPEATS;
		experiment->count++;
		return;
	}
	experiment->v[i] =
		(experiment->v[i] * experiment->runs[i] + sum) / (experiment->runs[i] + REPEATS);
	experiment->errors[i] *= sqrt(experiment->runs[i] / (experiment->runs[i] + REPEATS));
	experiment->runs[i] += REPEATS;
}

static double core_hours(const double *at, double total, void *data)
{
	(void)data;
	return *at * total;
}

struct outcome {
	double errors[SERIES];
	size_t inside, points;
	double widths[SERIES], costs[SERIES];
};

static void fit(struct perun_ctx *ctx, const struct experiment *experiment,
		struct perun_observations *observations, struct perun_scaling_model *model)
{
	struct perun_modeler_options options = {0};
	struct perun_modeler *modeler;

	*observations = (struct perun_observations){
		experiment->count,  1,
		experiment->x,      experiment->v,
		experiment->errors, (double)experiment->count * (REPEATS - 1)};
	if (perun_modeler_new(ctx, &options, experiment->x, experiment->count, 1, &modeler))
		abort();
	perun_modeler_fit(modeler, experiment->v, model);
	perun_modeler_free(modeler);
}

/* Measure what is advised: a number of points; or with as much as the first is predicted to cost, and a twentieth more. */
static void take_advice(struct perun_ctx *ctx, struct experiment *experiment, double target,
			bool same_cost, size_t wanted, struct outcome *outcome)
{
	struct perun_scaling_model model = {0};
	struct perun_observations observations;
	struct perun_next_series series = {&model, &observations, false};
	struct perun_next_question question = {&series, 1, &target, NULL, NULL, 0};
	struct perun_next_point points[MAX_ADVICE];
	double at[MAX_ADVICE];

	for (size_t i = 0; i < wanted; i++)
		points[i].at = &at[i];
	fit(ctx, experiment, &observations, &model);
	if (same_cost) {
		question.cost = core_hours;
		perun_next_points(&question, points, 1);
		question.budget = points[0].found ? 1.05 * points[0].cost : 0;
	}
	perun_next_points(&question, points, wanted);
	perun_scaling_model_clear(&model);
	for (size_t i = 0; i < wanted && points[i].found; i++) {
		measure(experiment, at[i]);
		outcome->points++;
	}
}

static void follow(struct perun_ctx *ctx, const struct experiment *before, enum strategy strategy,
		   size_t number, struct outcome *outcome)
{
	struct experiment experiment = *before;
	double last = before->x[FIRST - 1], target = 8 * last, right;
	double budget = 2 * last * value(&before->truth, 2 * last);
	struct perun_scaling_model model = {0};
	struct perun_observations observations;
	struct perun_prediction said;

	experiment.cost = 0;
	if (strategy == DOUBLING || strategy == DOUBLING_TWICE)
		measure(&experiment, 2 * last);
	if (strategy == DOUBLING_TWICE)
		measure(&experiment, 4 * last);
	if (strategy == ADVICE)
		take_advice(ctx, &experiment, target, true, MAX_ADVICE, outcome);
	if (strategy == ADVICE_OF_ONE)
		take_advice(ctx, &experiment, target, false, 1, outcome);
	if (strategy == ADVICE_OF_TWO)
		take_advice(ctx, &experiment, target, false, 2, outcome);
	fit(ctx, &experiment, &observations, &model);
	right = value(&experiment.truth, target);
	perun_scaling_model_predict(&model, &observations, &target, 0.95, &said);
	outcome->errors[number] = fabs(said.value - right) / right;
	outcome->inside += said.low <= right && right <= said.high;
	outcome->widths[number] = (said.high - said.low) / 2 / right;
	outcome->costs[number] = experiment.cost / budget;
	perun_scaling_model_clear(&model);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double quantile(double *numbers, double p)
{
	qsort(numbers, SERIES, sizeof *numbers, compare);
	return numbers[(size_t)(p * SERIES)];
}

int main(int argc, char **argv)
{
	static const double levels[] = {0.005, 0.02, 0.05};
	struct source source = {argc > 1 ? strtoull(argv[1], NULL, 10) * 2654435761u + 1
					 : 20261126};
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	printf("%d series each, prediction at eight times the range: median and 90 %% error, truth "
	       "inside, half width, cost by that of doubling, points\n",
	       SERIES);
	for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
		static struct outcome outcomes[STRATEGIES];

		for (int s = 0; s < STRATEGIES; s++)
			outcomes[s] = (struct outcome){.inside = 0};
		for (size_t i = 0; i < SERIES; i++) {
			struct experiment experiment = {.level = levels[k]};

			draw(&source, 4 << (FIRST - 1), &experiment.truth);
			experiment.source.state = source.state;
			for (int p = 0; p < FIRST; p++)
				measure(&experiment, 4 << p);
			for (int s = 0; s < STRATEGIES; s++)
				follow(ctx, &experiment, (enum strategy)s, i, &outcomes[s]);
		}
		for (int s = 0; s < STRATEGIES; s++)
			printf("noise %4.1f %%  %-20s %6.1f %% %6.1f %%  %5.1f %%  %6.1f %%  %5.2f "
			       " %4.1f\n",
			       100 * levels[k], strategy_names[s],
			       100 * quantile(outcomes[s].errors, 0.5),
			       100 * quantile(outcomes[s].errors, 0.9),
			       100.0 * (double)outcomes[s].inside / SERIES,
			       100 * quantile(outcomes[s].widths, 0.5),
			       quantile(outcomes[s].costs, 0.5),
			       (double)outcomes[s].points / SERIES);
	}
	perun_ctx_free(ctx);
	return 0;
}
