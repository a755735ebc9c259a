/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often the truth is inside what perun model says of a point, on experiments made from a seed.
 * usage: model-coverage [SEED [GROWTH]], where GROWTH is what the names of the rows begin with
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/model.h>

#include "bench/noise.h"

enum growth {
	ONE_TERM,
	TWO_TERMS,
	ANY_POWER,
	AMDAHL,
	FLAT_GROWTH,
	ONE_PARAMETER, /* those before; what follows has two */
	PRODUCT = ONE_PARAMETER,
	SUM,
	SUM_OF_PRODUCT,
	ANY_PRODUCT,
	TWO_PARAMETERS, /* those before; what follows has three */
	PRODUCT_OF_THREE = TWO_PARAMETERS,
	SUM_OF_THREE,
	ANY_SUM_OF_THREE,
	GROWTHS
};
enum spread { RELATIVE, ABSOLUTE, SKEWED, SPREADS };
/* Where two parameters are measured: all pairs of values, or along two lines that meet at the least values. */
enum design { GRID, LINES, DESIGNS };
enum { SERIES = 400, PLACES = 3, MAX_STEPS = 8, MAX_POINTS = 125, TERMS = 2, MAX_PARAMETERS = 3 };

static const char *const growth_names[] = {"one term",
					   "two terms",
					   "any power",
					   "a/p + b + c log p",
					   "constant",
					   "product",
					   "sum",
					   "a term and a product",
					   "product of any powers",
					   "product of three",
					   "a term and a product of two",
					   "a term and a product of any powers"};
static const char *const design_names[] = {"grid", "lines"};
static const char *const spread_names[] = {"relative noise", "absolute noise", "one-sided noise"};
static const double powers[] = {0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75, 1, 1.25, 1.5, 2, 3};

struct growth_factor {
	double power, log;
};

/* Terms of factors, one for each parameter. Coordinates have a 1 for each parameter that is not there. */
struct truth {
	double constant, coefficients[TERMS];
	struct growth_factor factors[TERMS][MAX_PARAMETERS];
};

static double term(const struct truth *truth, int i, const double *x)
{
	double product = truth->coefficients[i];

	for (int p = 0; p < MAX_PARAMETERS; p++)
		product *= pow(x[p], truth->factors[i][p].power) *
			   pow(log2(x[p]), truth->factors[i][p].log);
	return product;
}

static double value(const struct truth *truth, const double *x)
{
	return truth->constant + term(truth, 0, x) + term(truth, 1, x);
}

static size_t pick(struct source *source, size_t count)
{
	return (size_t)(uniform(source) * (double)count);
}

static struct growth_factor draw_factor(struct source *source, bool any)
{
	struct growth_factor factor = {powers[pick(source, sizeof powers / sizeof *powers)],
				       (double)pick(source, 3)};

	if (factor.power > 1 && factor.log > 1)
		factor.log = 1;
	if (any)
		factor = (struct growth_factor){0.2 + 2.3 * uniform(source), 0};
	return factor;
}

/* Which parameters term i has. */
static unsigned parameters_of(enum growth growth, int i)
{
	switch (growth) {
	case PRODUCT:
	case ANY_PRODUCT:
		return i ? 0 : 3;
	case SUM:
		return i ? 2 : 1;
	case SUM_OF_PRODUCT:
		return i ? 3 : 1;
	case PRODUCT_OF_THREE:
		return i ? 0 : 7;
	case SUM_OF_THREE:
	case ANY_SUM_OF_THREE:
		return i ? 6 : 1;
	case FLAT_GROWTH:
		return 0;
	default:
		return i == 0 || growth == TWO_TERMS || growth == AMDAHL;
	}
}

/* What was measured: the points, one after another. */
struct layout {
	size_t parameters, count;
	double x[MAX_PARAMETERS * MAX_POINTS];
};

static double value_at(const struct truth *truth, const double *x, size_t parameters)
{
	double at[MAX_PARAMETERS] = {1, 1, 1};

	memcpy(at, x, parameters * sizeof *at);
	return value(truth, at);
}

/* The largest value of a term at any point. */
static double largest_term(const struct truth *truth, int i, const struct layout *layout)
{
	double largest = 0;

	for (size_t k = 0; k < layout->count; k++) {
		double at[MAX_PARAMETERS] = {1, 1, 1};

		memcpy(at, layout->x + k * layout->parameters, layout->parameters * sizeof *at);
		largest = fmax(largest, term(truth, i, at));
	}
	return largest;
}

/* Terms of which each matters: between a twentieth and twenty times of the constant at some point. */
static void draw(struct source *source, enum growth growth, const struct layout *layout,
		 struct truth *truth)
{
	*truth = (struct truth){.constant = pow(10, 6 * uniform(source) - 3)};
	for (int i = 0; i < TERMS; i++) {
		unsigned parameters = parameters_of(growth, i);
		double share = pow(10, 2.6 * uniform(source) - 1.3);
		bool falls = growth == AMDAHL && i == 0;

		if (!parameters)
			continue;
		for (int p = 0; p < MAX_PARAMETERS; p++)
			if (parameters >> p & 1)
				truth->factors[i][p] = draw_factor(
					source, growth == ANY_POWER || growth == ANY_PRODUCT ||
							growth == ANY_SUM_OF_THREE);
		if (growth == AMDAHL)
			truth->factors[i][0] = (struct growth_factor){falls ? -1 : 0, i};
		truth->coefficients[i] = 1;
		truth->coefficients[i] = share * truth->constant / largest_term(truth, i, layout);
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

static size_t parameter_count(enum growth growth)
{
	return growth < ONE_PARAMETER ? 1 : growth < TWO_PARAMETERS ? 2 : 3;
}

/* The points of a design with `steps` values of each parameter. */
static void lay_out(size_t parameters, enum design design, size_t steps, struct layout *layout)
{
	size_t all = 1;

	*layout = (struct layout){.parameters = parameters};
	for (size_t p = 0; p < parameters; p++)
		all *= steps;
	for (size_t i = 0; i < all; i++) {
		size_t rest = i, above = 0;

		for (size_t p = 0; p < parameters; p++, rest /= steps) {
			layout->x[layout->count * parameters + p] = 4 << rest % steps;
			above += rest % steps > 0;
		}
		layout->count += design == GRID || above <= 1;
	}
}

static void measure(struct source *source, struct perun_ctx *ctx, enum growth growth,
		    enum design design, enum spread spread, size_t number, struct sums *sums)
{
	static const double levels[] = {0.005, 0.02, 0.05, 0.1};
	size_t parameters = parameter_count(growth);
	size_t steps = parameters == 1                     ? 5 + pick(source, 4)
		       : parameters == 3 && design == GRID ? 4
							   : 5;
	size_t repeats = 1 + 2 * pick(source, 3);
	double level = levels[pick(source, 4)], mean = 0, greatest = 4 << (steps - 1);
	double v[MAX_POINTS], errors[MAX_POINTS];
	const double *x;
	size_t points;
	struct layout layout;
	struct perun_observations observations;
	struct perun_modeler_options options = {0};
	struct perun_scaling_model model = {0};
	struct perun_modeler *modeler;
	struct truth truth;

	lay_out(parameters, design, steps, &layout);
	points = layout.count;
	x = layout.x;
	observations = (struct perun_observations){points,
						   parameters,
						   x,
						   v,
						   repeats > 1 ? errors : NULL,
						   (double)(points * (repeats - 1))};
	draw(source, growth, &layout, &truth);
	for (size_t i = 0; i < points; i++)
		mean += value_at(&truth, x + i * parameters, parameters) / (double)points;
	for (size_t i = 0; i < points; i++) {
		double sum = 0, squares = 0, n = (double)repeats;
		double right = value_at(&truth, x + i * parameters, parameters);

		for (size_t k = 0; k < repeats; k++) {
			double run = noisy(source, spread, level, right, mean);

			sum += run;
			squares += run * run;
		}
		v[i] = sum / n;
		errors[i] = sqrt(fmax(squares / n - v[i] * v[i], 0) / fmax(n - 1, 1));
	}
	if (perun_modeler_new(ctx, &options, x, points, parameters, &modeler) != PERUN_OK)
		abort();
	perun_modeler_fit(modeler, v, &model);
	for (int k = 0; k < PLACES; k++) {
		double to = k == 0 ? greatest * 0.75 : greatest * (k == 1 ? 2 : 8);
		double at[MAX_PARAMETERS] = {to, to, to};
		double right = value_at(&truth, at, parameters);
		struct perun_prediction said;

		perun_scaling_model_predict(&model, &observations, at, 0.95, &said);
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

static double median(double *numbers, size_t count)
{
	qsort(numbers, count, sizeof *numbers, compare);
	return numbers[count / 2];
}

static void print_row(struct source *source, struct perun_ctx *ctx, enum growth growth,
		      enum design design, enum spread spread)
{
	static struct sums sums;
	/* Several parameters have twenty times as many forms. */
	size_t series = growth < ONE_PARAMETER ? SERIES : SERIES / 4;
	char name[80];

	sums = (struct sums){0};
	for (size_t i = 0; i < series; i++)
		measure(source, ctx, growth, design, spread, i, &sums);
	snprintf(name, sizeof name, "%s%s%s, %s", growth_names[growth],
		 growth < ONE_PARAMETER ? "" : ", ",
		 growth < ONE_PARAMETER ? "" : design_names[design], spread_names[spread]);
	printf("%-46s", name);
	for (int k = 0; k < PLACES; k++)
		printf("  %5.1f %% %6.1f %% %6.1f %%",
		       100.0 * (double)sums.inside[k] / (double)series,
		       100 * median(sums.widths[k], series), 100 * median(sums.errors[k], series));
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct source source = {argc > 1 ? strtoull(argv[1], NULL, 10) * 2654435761u + 1
					 : 20261123};
	static const char *const places[] = {"within", "twice", "eight times"};
	const char *only = argc > 2 ? argv[2] : "";
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	printf("%d series each, %d of several parameters; truth inside, median half width, median "
	       "error\n%-46s",
	       SERIES, SERIES / 4, "");
	for (int k = 0; k < PLACES; k++)
		printf("  %-24s", places[k]);
	printf("\n");
	for (int growth = 0; growth < GROWTHS; growth++)
		if (strncmp(growth_names[growth], only, strlen(only)) == 0)
			for (int design = 0; design < (growth < ONE_PARAMETER ? 1 : DESIGNS);
			     design++)
				for (int spread = 0; spread < SPREADS; spread++)
					print_row(&source, ctx, (enum growth)growth,
						  (enum design)design, (enum spread)spread);
	perun_ctx_free(ctx);
	return 0;
}
