/* SPDX-License-Identifier: BSD-3-Clause */
/* What checks of models share: integrals, verdicts, models of several profiles and their pairs. */
#include <config.h>

#include <math.h>

#include <perun/format.h>

#include "checks/common/curves.h"
#include "checks/common/fit.h"
#include "checks/common/models.h"
#include "tests/unit/check.h"

TEST(test_simpson)
{
	/* x^2 and 3, at places that are not evenly spaced: parabolas are exact. */
	const double x[] = {0, 1, 3, 4, 6, 7}, one[] = {0, 1, 9, 16, 36, 49};
	const double other[] = {3, 3, 3, 3, 3, 3};
	double integrals[2];

	checks_simpson(x, one, other, 5, integrals);
	CHECK_DOUBLE(integrals[0], 72, 1e-12);
	CHECK_DOUBLE(integrals[1], 18, 1e-12);
	/* An even number: the trapezoid rule at one end each. */
	checks_simpson(x, one, other, 6, integrals);
	CHECK(integrals[0] > 343.0 / 3 && integrals[0] < 343.0 / 3 + 1);
	CHECK_DOUBLE(integrals[1], 21, 1e-12);
	checks_simpson(x, one, other, 2, integrals);
	CHECK_DOUBLE(integrals[1], 3, 1e-12);
	checks_simpson(x, one, other, 1, integrals);
	CHECK_DOUBLE(integrals[0], 0, 0);
}

static double integral_of(const char *kind, double b0, double b1, double from, double to)
{
	double coefficients[] = {b0, b1, 0};
	struct perun_model model = {.kind = (char *)kind,
				    .coefficients = coefficients,
				    .coefficient_count = 2,
				    .x_start = from,
				    .x_end = to};

	return checks_integral(&model);
}

TEST(test_integrals)
{
	CHECK_DOUBLE(integral_of("constant", 3, 0, 1, 5), 12, 1e-12);
	CHECK_DOUBLE(integral_of("linear", 1, 2, 0, 3), 12, 1e-12);
	CHECK_DOUBLE(integral_of("power", 2, 2, 0, 3), 18, 1e-5);
	CHECK_DOUBLE(integral_of("power", 1, -1, 1, M_E), 1, 1e-12);
	CHECK_DOUBLE(integral_of("exponential", 1, 2, 0, 3), 7 / log(2), 1e-12);
	/* Along the axis of logarithms. */
	CHECK_DOUBLE(integral_of("logarithmic", 1, 2, 0, 3), 12, 1e-12);
}

TEST(test_verdicts)
{
	CHECK_INT(checks_classify(0.1, 0.1, 0.25), PERUN_RESULT_NO_CHANGE);
	CHECK_INT(checks_classify(0.2, 0.1, 0.25), PERUN_RESULT_MAYBE_DEGRADATION);
	CHECK_INT(checks_classify(-0.2, 0.1, 0.25), PERUN_RESULT_MAYBE_OPTIMIZATION);
	CHECK_INT(checks_classify(0.3, 0.1, 0.25), PERUN_RESULT_DEGRADATION);
	CHECK_INT(checks_classify(-0.3, 0.1, 0.25), PERUN_RESULT_OPTIMIZATION);
	CHECK_INT(checks_classify(NAN, 0.1, 0.25), PERUN_RESULT_UNKNOWN);
	CHECK_DOUBLE(checks_relative(2, 3), 0.5, 1e-15);
	CHECK_DOUBLE(checks_relative(0, 1), 1e6, 1e-3);
}

/* A profile with linear models of the uids of `names`, a letter each, and their r_square. */
static struct perun_profile *profile_of(const char *names, double r_square)
{
	struct perun_buffer text = {0};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;
	struct perun_input *input;

	perun_buffer_add_text(&text,
			      "{\"header\": {\"type\": \"time\", \"cmd\": \"c\", "
			      "\"workload\": \"\", \"units\": {}}, \"global\": [], \"models\": [");
	for (size_t i = 0; names[i]; i++)
		perun_buffer_printf(&text,
				    "%s{\"uid\": \"%c\", \"model\": \"linear\", \"r_square\": %g, "
				    "\"x_start\": 0, \"x_end\": 9, \"coeffs\": [{\"name\": \"b0\", "
				    "\"value\": 1}, {\"name\": \"b1\", \"value\": 2}]}",
				    i ? ", " : "", names[i], r_square);
	perun_buffer_add_text(&text, "]}");
	input = perun_input_from_memory("x.perf", text.data, text.length);
	CHECK_INT(perun_read_profile(ctx, input, "perun", NULL, &profile, NULL), PERUN_OK);
	perun_input_close(input);
	perun_buffer_free(&text);
	perun_ctx_free(ctx);
	return profile;
}

/* The models of a second profile of a side count, too; of the same the better one. */
TEST(test_several_profiles)
{
	struct perun_profile *one[] = {profile_of("abc", 0.9), profile_of("bxy", 0.95),
				       profile_of("ab", 0.5)};
	struct perun_profile *other[] = {profile_of("yab", 0.8)};
	struct checks_models before, after;
	struct checks_pair *pairs;
	size_t count;

	REQUIRE(one[0] && one[1] && one[2] && other[0]);
	checks_models_load_all(one, 3, PERUN_MODELS_BEST_MODEL, &before);
	checks_models_load_all(other, 1, PERUN_MODELS_BEST_MODEL, &after);
	CHECK_INT(before.count, 5);
	CHECK_DOUBLE(before.items[0].model.r_square, 0.9, 0);
	CHECK_DOUBLE(before.items[1].model.r_square, 0.95, 0);
	CHECK(before.items[1].profile == one[1]);
	CHECK_STR(before.items[4].model.uid, "y");
	checks_models_pair(&before, &after, checks_pairing_of(PERUN_MODELS_BEST_MODEL), &pairs,
			   &count);
	CHECK_INT(count, 3);
	CHECK_STR(pairs[2].baseline->model.uid, "y");
	CHECK_DOUBLE(checks_confidence(&pairs[2]), 0.8, 0);
	perun_free(pairs);
	checks_models_free(&before);
	checks_models_free(&after);
	checks_models_load_all_of_kind(one, 3, "linear", &before);
	CHECK_INT(before.count, 5);
	checks_models_free(&before);
	checks_models_load_all_of_kind(one, 3, "quadratic", &before);
	CHECK_INT(before.count, 0);
	checks_models_free(&before);
	for (size_t i = 0; i < 3; i++)
		perun_profile_unref(one[i]);
	perun_profile_unref(other[0]);
}

/* A straight line is a quadratic, too: rounding decides, as it does in the Python program. */
TEST(test_best_kind)
{
	static const struct {
		double b0, b1;
		const char *kind;
	} lines[] = {{1, 2, "quadratic"}, {5, 3, "linear"}, {1, 4, "linear"}, {7, 2, "quadratic"}};
	enum { COUNT = 1000 };
	double x[COUNT], y[COUNT];

	for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
		for (size_t i = 0; i < COUNT; i++) {
			x[i] = i + 1 == COUNT ? 40 : 1 + (double)i * (39.0 / (COUNT - 1));
			y[i] = lines[k].b0 + lines[k].b1 * x[i];
		}
		CHECK_STR(checks_best_kind(x, y, COUNT), lines[k].kind);
	}
	CHECK(checks_kind_is_exact("linear", x, y, COUNT) &&
	      checks_kind_is_exact("quadratic", x, y, COUNT));
	CHECK(!checks_kind_is_exact("power", x, y, COUNT) &&
	      !checks_kind_is_exact("regressogram", x, y, COUNT));
	for (size_t i = 0; i < COUNT; i++)
		y[i] = 3 + 2 * log(x[i]);
	CHECK_STR(checks_best_kind(x, y, COUNT), "logarithmic");
	for (size_t i = 0; i < COUNT; i++)
		y[i] = x[i] * x[i] - 50 * x[i];
	CHECK_STR(checks_best_kind(x, y, COUNT), "quadratic");
}

CHECK_MAIN(, )
