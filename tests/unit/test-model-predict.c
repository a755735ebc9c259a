/* SPDX-License-Identifier: BSD-3-Clause */
/* What follows from models: predictions with their bands, classes of growth, the next point. */
#include <math.h>
#include <perun/lib/experiment.h>
#include <perun/format.h>
#include <perun/lib/model.h>
#include <perun/query.h>

#include "check.h"

static struct perun_ctx *ctx;
static const char *const names[] = {"p", "n"};

static void find(const struct perun_modeler_options *options,
		 const struct perun_observations *observations, struct perun_scaling_model *growth)
{
	struct perun_modeler *modeler;

	if (perun_modeler_new(ctx, options, observations->coordinates, observations->count,
			      observations->parameters, &modeler) != PERUN_OK) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		return;
	}
	perun_modeler_fit(modeler, observations->values, growth);
	perun_modeler_free(modeler);
}

/*
 * The bands below were computed by other means: normal equations in Python's fractions, without rounding,
 * and the quantile of t by Simpson's rule over its density and bisection.
 */
static void check_prediction(const struct perun_scaling_model *growth,
			     const struct perun_observations *observations, const double *at,
			     double level, const double expected[3])
{
	struct perun_prediction prediction;

	perun_scaling_model_predict(growth, observations, at, level, &prediction);
	CHECK_DOUBLE(prediction.value, expected[0], 1e-9 * expected[0]);
	CHECK_DOUBLE(prediction.low, expected[1], 1e-8 * expected[0]);
	CHECK_DOUBLE(prediction.high, expected[2], 1e-8 * expected[0]);
}

static const double fives[] = {4, 8, 16, 32, 64};

/* v = 9.58 + 3.02 p at p = 48. */
TEST(test_line)
{
	static const double values[] = {22, 33, 59, 105, 203}, at = 48;
	static const double bands[2][3] = {
		{154.38978494623655, 142.64720352471264, 166.13236636776045},
		{154.38978494623655, 145.70635116709724, 163.07321872537585}};
	struct perun_observations observations = {5, 1, fives, values, NULL, 0};
	struct perun_modeler_options options = {.no_log_terms = true, .poly_exponents = "1"};
	struct perun_scaling_model growth = {0};

	find(&options, &observations, &growth);
	check_prediction(&growth, &observations, &at, 0.95, bands[0]);
	check_prediction(&growth, &observations, &at, 0.90, bands[1]);
	perun_scaling_model_clear(&growth);
}

TEST(test_constant)
{
	static const double values[] = {5, 6, 5, 4, 5}, at = 20;
	static const double band[] = {5.0, 2.849374869181962, 7.150625130818038};
	struct perun_observations observations = {5, 1, fives, values, NULL, 0};
	struct perun_modeler_options options = {0};
	struct perun_scaling_model growth = {0};

	find(&options, &observations, &growth);
	CHECK_INT(growth.formulas[0]->term_count, 0);
	check_prediction(&growth, &observations, &at, 0.95, band);
	perun_scaling_model_clear(&growth);
}

static struct perun_exponent whole(int32_t number)
{
	return (struct perun_exponent){number, number, 1};
}

/* 10 + 3 p n + 2 p, whose coefficients need not be those of least squares. */
static struct perun_formula made(struct perun_term terms[2], struct perun_factor factors[3])
{
	terms[0] = (struct perun_term){3, 0, 2};
	terms[1] = (struct perun_term){2, 2, 1};
	factors[0] = (struct perun_factor){0, false, whole(1), NULL};
	factors[1] = (struct perun_factor){1, false, whole(1), NULL};
	factors[2] = (struct perun_factor){0, false, whole(1), NULL};
	return (struct perun_formula){10, 2, 3, 0, terms, factors, NULL};
}

TEST(test_two_parameters)
{
	static const double coordinates[] = {2, 1, 2, 3, 2, 9, 4, 1, 4, 3, 4, 9, 8, 1, 8, 3, 8, 9};
	static const double values[] = {20, 33, 67, 29, 54, 124, 52, 96, 243};
	static const double at[] = {6, 5};
	static const double band[] = {112.0, 99.41926352741069, 124.58073647258931};
	struct perun_observations observations = {9, 2, coordinates, values, NULL, 0};
	struct perun_term terms[2];
	struct perun_factor factors[3];
	struct perun_formula formula = made(terms, factors);
	struct perun_scaling_model growth = {.segments = 1, .formulas = {&formula}};

	check_prediction(&growth, &observations, at, 0.99, band);
}

/* No band without points to spare, or when the points do not tell coefficients apart. */
TEST(test_unknown)
{
	static const double coordinates[] = {2, 1, 2, 1, 2, 1, 2, 1, 2, 1};
	static const double values[] = {20, 20, 21, 19, 20}, at[] = {4, 4};
	struct perun_observations observations = {5, 2, coordinates, values, NULL, 0};
	struct perun_term terms[2];
	struct perun_factor factors[3];
	struct perun_formula formula = made(terms, factors);
	struct perun_scaling_model growth = {.segments = 1, .formulas = {&formula}};
	struct perun_prediction prediction;

	perun_scaling_model_predict(&growth, &observations, at, 0.95, &prediction);
	CHECK_DOUBLE(prediction.value, 66, 0);
	CHECK(isnan(prediction.low) && isnan(prediction.high));
	observations.count = 3;
	perun_scaling_model_predict(&growth, &observations, at, 0.95, &prediction);
	CHECK(isnan(prediction.low) && isnan(prediction.high));
}

/* Each side of a segmented model is judged by its own points. */
TEST(test_segments)
{
	static const double coordinates[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
	double values[11], low = 3, high = 20;
	struct perun_observations observations = {11, 1, coordinates, values, NULL, 0};
	struct perun_modeler_options options = {.kind = PERUN_MODELER_SEGMENTED};
	struct perun_scaling_model growth = {0};
	struct perun_prediction prediction;

	for (int i = 0; i < 11; i++) {
		double x = coordinates[i];

		values[i] = x <= 5 ? 3 + 5 * x : 100 + 3 * x * x + (i % 2 ? 1 : -1);
	}
	find(&options, &observations, &growth);
	CHECK_INT(growth.segments, 2);
	perun_scaling_model_predict(&growth, &observations, &low, 0.95, &prediction);
	CHECK_DOUBLE(prediction.value, 18, 1e-9);
	CHECK(prediction.high - prediction.low < 1e-6);
	perun_scaling_model_predict(&growth, &observations, &high, 0.95, &prediction);
	CHECK(prediction.low < 1300 && prediction.high > 1300);
	CHECK(prediction.high - prediction.low > 1);
	perun_scaling_model_clear(&growth);
}

/* ---- beyond the data ------------------------------------------------------------------------- */

/* A term and a product with another power of the same parameter; or, on lines, what both may be. */
static double term_and_product(const double *at)
{
	return 10 + 2 * at[0] + 0.05 * pow(at[0], 1.5) * at[1];
}

static double sum(const double *at)
{
	return 10 + at[0] + pow(at[1], 1.5);
}

/* The same where one parameter is 4. */
static double product_of_lines(const double *at)
{
	return 14 + pow(at[1], 1.5) * (0.5 + at[0] / 8);
}

/* Measurements with noise of half a percent, where both parameters are in `fives`, or one of them is 4. */
static size_t measure(double (*truth)(const double *), bool lines, double *coordinates,
		      double *values)
{
	size_t count = 0;

	for (int i = 0; i < 25; i++) {
		const double at[2] = {fives[i / 5], fives[i % 5]};

		if (lines && i / 5 && i % 5)
			continue;
		coordinates[2 * count] = at[0];
		coordinates[2 * count + 1] = at[1];
		values[count++] = truth(at) * (1 + 0.0025 * (i * 3 % 5 - 2));
	}
	return count;
}

static void check_inside(double (*truth)(const double *), bool lines, double to,
			 double (*inside)(const double *))
{
	double coordinates[50], values[25], at[2] = {to, to};
	struct perun_observations observations = {
		measure(truth, lines, coordinates, values), 2, coordinates, values, NULL, 0};
	struct perun_modeler_options options = {0};
	struct perun_scaling_model growth = {0};
	struct perun_prediction prediction;

	find(&options, &observations, &growth);
	perun_scaling_model_predict(&growth, &observations, at, 0.95, &prediction);
	CHECK(prediction.beyond);
	if (!(prediction.low <= 1.01 * inside(at) && 0.99 * inside(at) <= prediction.high))
		CHECK_FAIL("at %g: %g is not in %g to %g", to, inside(at), prediction.low,
			   prediction.high);
	perun_scaling_model_clear(&growth);
}

TEST(test_beyond_two_parameters)
{
	check_inside(term_and_product, false, 128, term_and_product);
	check_inside(term_and_product, false, 512, term_and_product);
	check_inside(sum, true, 128, sum);
	/* Lines do not distinguish them, also between the greatest values of each. */
	check_inside(sum, true, 128, product_of_lines);
	check_inside(sum, true, 48, product_of_lines);
}

static double any_powers(const double *at)
{
	return 0.5 + 0.0008 * pow(at[0], 0.762) * pow(at[1], 1.4);
}

static double any_powers_of_three(const double *at)
{
	return 3 + 0.2 * pow(at[0], 1.1) * pow(at[1], 0.7) + 0.1 * at[1] * at[2];
}

/* Powers between those of the tables. */
TEST(test_beyond_any_powers)
{
	check_inside(any_powers, false, 128, any_powers);
	check_inside(any_powers, false, 512, any_powers);
}

TEST(test_beyond_three_parameters)
{
	double coordinates[3 * 64], values[64];
	struct perun_observations observations = {64, 3, coordinates, values, NULL, 0};
	struct perun_modeler_options options = {0};
	struct perun_scaling_model growth = {0};

	for (int i = 0; i < 64; i++) {
		double *at = &coordinates[3 * i];

		at[0] = fives[i / 16];
		at[1] = fives[i / 4 % 4];
		at[2] = fives[i % 4];
		values[i] = any_powers_of_three(at) * (1 + 0.01 * (i * 7 % 5 - 2));
	}
	find(&options, &observations, &growth);
	for (double to = 64; to <= 256; to *= 4) {
		const double at[3] = {to, to, to};
		double truth = any_powers_of_three(at);
		struct perun_prediction prediction;

		perun_scaling_model_predict(&growth, &observations, at, 0.95, &prediction);
		if (!(prediction.low <= truth && truth <= prediction.high))
			CHECK_FAIL("at %g: %g is not in %g to %g", to, truth, prediction.low,
				   prediction.high);
	}
	perun_scaling_model_clear(&growth);
}

/* ---- classes --------------------------------------------------------------------------------- */

static struct perun_formula *formula_of(double constant, const double exponents[][4],
					uint32_t count)
{
	static struct perun_term terms[4];
	static struct perun_factor factors[16];
	struct perun_formula formula = {constant, count, 0, 0, terms, factors, NULL};

	for (uint32_t i = 0; i < count; i++) {
		terms[i] = (struct perun_term){2.5, formula.factor_count, 0};
		for (int k = 0; k < 4; k++) {
			if (exponents[i][k] == 0)
				continue;
			factors[formula.factor_count++] = (struct perun_factor){
				(uint32_t)k / 2, k % 2, {exponents[i][k], 0, 0}, NULL};
			if (exponents[i][k] == floor(exponents[i][k]))
				factors[formula.factor_count - 1].exponent =
					whole((int32_t)exponents[i][k]);
			terms[i].count++;
		}
	}
	return perun_formula_copy(&formula);
}

static void check_class(double constant, const double exponents[][4], uint32_t count,
			const char *expected)
{
	struct perun_formula *formula = formula_of(constant, exponents, count);
	struct perun_buffer text = {0};

	perun_formula_print_class(formula, names, &text);
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
	perun_free(formula);
}

TEST(test_classes)
{
	/* of p, log2(p), n, log2(n) */
	check_class(5, NULL, 0, "O(1)");
	check_class(0, NULL, 0, "O(1)");
	check_class(5, (const double[][4]){{1}}, 1, "O(p)");
	check_class(5, (const double[][4]){{1.5, 2}}, 1, "O(p^(1.5) * log2(p)^2)");
	check_class(5, (const double[][4]){{-1}}, 1, "O(1)");
	check_class(0, (const double[][4]){{-1}}, 1, "O(p^(-1))");
	check_class(5, (const double[][4]){{1}, {0, 0, 2}}, 2, "O(p + n^2)");
	check_class(5, (const double[][4]){{1}, {1, 1}}, 2, "O(p * log2(p))");
	check_class(5, (const double[][4]){{1, 0, 1}, {1}, {0, 0, 1}}, 3, "O(p * n)");
	check_class(5, (const double[][4]){{1}, {1}}, 2, "O(p)");
}

static void check_order(const double one[][4], const double other[][4],
			enum perun_class_order order)
{
	struct perun_formula *a = formula_of(1, one, 1), *b = formula_of(1, other, 1);

	CHECK_INT(perun_formula_compare_class(a, b), order);
	perun_free(a);
	perun_free(b);
}

TEST(test_orders)
{
	check_order((const double[][4]){{1}}, (const double[][4]){{1}}, PERUN_CLASS_SAME);
	check_order((const double[][4]){{1}}, (const double[][4]){{1, 1}}, PERUN_CLASS_LOWER);
	check_order((const double[][4]){{2}}, (const double[][4]){{1, 2}}, PERUN_CLASS_HIGHER);
	check_order((const double[][4]){{1}}, (const double[][4]){{0, 0, 1}}, PERUN_CLASS_OTHER);
	check_order((const double[][4]){{1}}, (const double[][4]){{1, 0, 1}}, PERUN_CLASS_LOWER);
	check_order((const double[][4]){{-1}}, (const double[][4]){{-2}}, PERUN_CLASS_SAME);
}

/* ---- where to measure next ------------------------------------------------------------------- */

static void check_next(const struct perun_scaling_model *growth, const double *coordinates,
		       size_t count, size_t parameters, const double *expected)
{
	double values[32] = {0}, at[2], difference;
	struct perun_observations observations = {count, parameters, coordinates, values, NULL, 0};

	CHECK(perun_scaling_model_next_point(growth, &observations, at, &difference));
	for (size_t p = 0; p < parameters; p++)
		CHECK_DOUBLE(at[p], expected[p], 0);
	CHECK((growth->runner_up != NULL) == (difference > 0));
}

TEST(test_next)
{
	static const double tens[] = {10, 20, 30, 40, 50};
	static const double grid[] = {4, 10, 8, 10, 16, 10, 4, 20, 8, 20, 16, 20};
	struct perun_formula *linear = formula_of(1, (const double[][4]){{1}}, 1);
	struct perun_formula *square = formula_of(1, (const double[][4]){{2}}, 1);
	struct perun_formula *falling = formula_of(1, (const double[][4]){{-2}}, 1);
	struct perun_formula *flat = formula_of(1, NULL, 0);
	struct perun_scaling_model growth = {.segments = 1, .formulas = {linear}};

	/* Without a rival: the next step, a factor or a difference. */
	check_next(&growth, fives, 5, 1, (const double[]){128});
	check_next(&growth, tens, 5, 1, (const double[]){60});
	check_next(&growth, grid, 6, 2, (const double[]){4, 40});
	/* They differ most where p is largest. */
	growth.runner_up = square;
	check_next(&growth, fives, 5, 1, (const double[]){128});
	check_next(&growth, grid, 6, 2, (const double[]){32, 10});
	/* And here where it is smallest. */
	growth.formulas[0] = flat;
	growth.runner_up = falling;
	check_next(&growth, fives, 5, 1, (const double[]){2});
	perun_free(linear);
	perun_free(square);
	perun_free(falling);
	perun_free(flat);
}

/* Noise around a constant now and then looks like a term; then the constant is named as the rival. */
TEST(test_constant_rival)
{
	struct perun_modeler_options options = {0};
	uint64_t state = 1;
	size_t rivals = 0, terms = 0;

	for (int round = 0; round < 200; round++) {
		double values[5];
		struct perun_observations observations = {5, 1, fives, values, NULL, 0};
		struct perun_scaling_model growth = {0};

		for (int i = 0; i < 5; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			values[i] = 5 * (1 + 0.02 * ((double)(state >> 40) / (1 << 23) - 1));
		}
		find(&options, &observations, &growth);
		terms += growth.formulas[0]->term_count;
		if (growth.formulas[0]->term_count && growth.runner_up &&
		    growth.runner_up->term_count == 0) {
			CHECK(growth.runner_up_smape >= growth.smape);
			CHECK(growth.warnings & PERUN_MODEL_TIE);
			rivals++;
		}
		perun_scaling_model_clear(&growth);
	}
	CHECK(rivals > 0 && rivals < terms);
}

/* A stored model of this kind is a curve like the others: 7 + 2 x^1.5 log2(x) at 16. */
TEST(test_stored)
{
	double b[] = {7, 2, 1.5, 1};
	struct perun_model model = {.kind = (char *)"pmnf", .coefficients = b};

	CHECK(isnan(perun_model_value(&model, 16)));
	model.coefficient_count = 4;
	CHECK_DOUBLE(perun_model_value(&model, 16), 7 + 2 * 64 * 4, 1e-12);
	CHECK(perun_model_is_param("pmnf") && !perun_model_is_param("pmnf_multi"));
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
