/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of growth: what is found in data made by a formula, and the numbers of the fits. */
#include <math.h>
#include <perun/lib/experiment.h>
#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/model.h>

#include "check.h"

static struct perun_ctx *ctx;

/* Values that differ from the formula's by up to `noise` of them, always the same way. */
static double shaken(double value, double noise, uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return value * (1 + noise * ((double)(*state >> 40) / (1 << 23) - 1));
}

static void find(const struct perun_modeler_options *options, const double *coordinates,
		 const double *values, size_t points, size_t parameters,
		 struct perun_scaling_model *growth)
{
	struct perun_modeler *modeler;

	if (perun_modeler_new(ctx, options, coordinates, points, parameters, &modeler) !=
	    PERUN_OK) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		return;
	}
	perun_modeler_fit(modeler, values, growth);
	perun_modeler_free(modeler);
}

static void check_formula(const struct perun_scaling_model *growth, const char *expected)
{
	static const char *const names[] = {"p", "n", "q"};
	struct perun_buffer text = {0};
	struct perun_formula *rounded = perun_formula_copy(growth->formulas[0]);

	/* Six digits are enough to know it again. */
	rounded->constant = round(rounded->constant * 1e6) / 1e6;
	for (uint32_t i = 0; i < rounded->term_count; i++)
		rounded->terms[i].coefficient = round(rounded->terms[i].coefficient * 1e6) / 1e6;
	perun_formula_print(rounded, names, PERUN_SPELLING_PLAIN, &text);
	CHECK_STR(text.data, expected);
	perun_free(rounded);
	perun_buffer_free(&text);
}

/* Each term that is searched for is found in exact data, alone and beside another parameter. */
TEST(test_exact)
{
	static const struct {
		double poly, log;
		const char *formula;
	} terms[] = {{1, 0, "5.0 + 2.0 * p^(1)"},
		     {0.5, 0, "5.0 + 2.0 * p^(1/2)"},
		     {0, 1, "5.0 + 2.0 * log2(p)^(1)"},
		     {1.5, 2, "5.0 + 2.0 * p^(3/2) * log2(p)^(2)"},
		     {3, 1, "5.0 + 2.0 * p^(3) * log2(p)^(1)"}};
	static const double p[] = {4, 8, 16, 32, 64, 128};
	struct perun_modeler_options options = {0};

	for (size_t t = 0; t < sizeof terms / sizeof *terms; t++) {
		struct perun_scaling_model growth;
		double values[6];

		for (int i = 0; i < 6; i++)
			values[i] =
				5 + 2 * pow(p[i], terms[t].poly) * pow(log2(p[i]), terms[t].log);
		find(&options, p, values, 6, 1, &growth);
		check_formula(&growth, terms[t].formula);
		CHECK(growth.smape < 1e-6);
		CHECK_DOUBLE(growth.adjusted_r2, 1, 1e-9);
		perun_scaling_model_clear(&growth);
	}
}

/* The squares of what fits of all points but one predict of that one; t is p. */
static double left_out_squares(const double *p, const double *values, size_t count)
{
	double squares = 0;

	for (size_t k = 0; k < count; k++) {
		double n = (double)count - 1, mean = 0, middle = 0, spread = 0, slope = 0, off;

		for (size_t i = 0; i < count; i++) {
			mean += i == k ? 0 : p[i] / n;
			middle += i == k ? 0 : values[i] / n;
		}
		for (size_t i = 0; i < count; i++) {
			spread += i == k ? 0 : (p[i] - mean) * (p[i] - mean);
			slope += i == k ? 0 : (p[i] - mean) * values[i];
		}
		off = middle + slope / spread * (p[k] - mean) - values[k];
		squares += off * off;
	}
	return squares;
}

/* Of many points, fits without one of them follow from the whole one: with the same result. */
TEST(test_many_points)
{
	static const size_t counts[] = {300, 700};
	struct perun_modeler_options options = {0};

	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		struct perun_scaling_model growth;
		double p[700], values[700], expected;
		uint64_t state = 7;

		for (size_t i = 0; i < counts[c]; i++) {
			p[i] = (double)(i + 1);
			values[i] = shaken(5000 + 20 * p[i], 0.001, &state);
		}
		find(&options, p, values, counts[c], 1, &growth);
		CHECK_INT(growth.formulas[0]->term_count, 1);
		CHECK_DOUBLE(growth.formulas[0]->terms[0].coefficient, 20, 0.1);
		expected = left_out_squares(p, values, counts[c]);
		CHECK_DOUBLE(growth.rss, expected, 1e-6 * expected);
		perun_scaling_model_clear(&growth);
	}
}

TEST(test_constant)
{
	static const double p[] = {1, 2, 4, 8, 16}, same[] = {3, 3, 3, 3, 3};
	static const double noise[] = {10, 11, 9, 10.5, 9.5};
	struct perun_modeler_options options = {0};
	struct perun_scaling_model growth;

	find(&options, p, same, 5, 1, &growth);
	check_formula(&growth, "3.0");
	CHECK_DOUBLE(growth.rss, 0, 0);
	perun_scaling_model_clear(&growth);
	find(&options, p, noise, 5, 1, &growth);
	check_formula(&growth, "10.0");
	CHECK_DOUBLE(growth.relative_error, (0 + 1 / 11.0 + 1 / 9.0 + .5 / 10.5 + .5 / 9.5) / 5,
		     1e-12);
	CHECK_DOUBLE(growth.adjusted_r2, 0, 0);
	perun_scaling_model_clear(&growth);
}

/*
 * The costs of leaving points out, computed once more in the plain way: for a line through noisy values
 * that no other term fits better.
 */
TEST(test_left_out)
{
	static const double x[] = {1, 2, 3, 4, 5, 6, 7},
			    v[] = {3.1, 4.9, 7.2, 8.8, 11.1, 12.9, 15.05};
	struct perun_modeler_options options = {.poly_exponents = "1"};
	struct perun_scaling_model growth;
	double smape = 0, rss = 0;

	for (int k = 0; k < 7; k++) {
		double n = 6, sx = 0, sv = 0, sxx = 0, sxv = 0, slope, constant, off;

		for (int i = 0; i < 7; i++) {
			if (i == k)
				continue;
			sx += x[i];
			sv += v[i];
			sxx += x[i] * x[i];
			sxv += x[i] * v[i];
		}
		slope = (n * sxv - sx * sv) / (n * sxx - sx * sx);
		constant = (sv - slope * sx) / n;
		off = constant + slope * x[k] - v[k];
		rss += off * off;
		smape += 200 * fabs(off) / (v[k] + fabs(v[k] + off)) / 7;
	}
	find(&options, x, v, 7, 1, &growth);
	CHECK_DOUBLE(growth.smape, smape, 1e-10);
	CHECK_DOUBLE(growth.rss, rss, 1e-10);
	perun_scaling_model_clear(&growth);
}

/* One point that outweighs the others must not cost digits. */
TEST(test_leverage)
{
	static const double x[] = {1, 10, 100, 1000, 100000};
	struct perun_modeler_options options = {.poly_exponents = "3"};
	struct perun_scaling_model growth;
	double v[5];

	for (int i = 0; i < 5; i++)
		v[i] = 7e6 + 0.25 * x[i] * x[i] * x[i];
	find(&options, x, v, 5, 1, &growth);
	CHECK_DOUBLE(growth.formulas[0]->terms[0].coefficient, 0.25, 1e-13);
	CHECK(growth.smape < 1e-3);
	perun_scaling_model_clear(&growth);
}

TEST(test_two_parameters)
{
	struct perun_modeler_options options = {0};
	double coordinates[50], values[25];
	struct perun_scaling_model growth;
	uint64_t state = 7;

	for (int i = 0; i < 25; i++) {
		double p = 4 << (i / 5), n = 10 * (i % 5 + 1);

		coordinates[2 * i] = p;
		coordinates[2 * i + 1] = n;
		values[i] = 100 + 0.5 * p * n * n;
	}
	find(&options, coordinates, values, 25, 2, &growth);
	check_formula(&growth, "100.0 + 0.5 * p^(1) * n^(2)");
	perun_scaling_model_clear(&growth);
	for (int i = 0; i < 25; i++)
		values[i] = 100 + 3 * coordinates[2 * i] +
			    0.5 * coordinates[2 * i + 1] * coordinates[2 * i + 1];
	find(&options, coordinates, values, 25, 2, &growth);
	check_formula(&growth, "100.0 + 3.0 * p^(1) + 0.5 * n^(2)");
	perun_scaling_model_clear(&growth);
	for (int i = 0; i < 25; i++)
		values[i] = shaken(50 * log2(coordinates[2 * i]), 0.01, &state);
	find(&options, coordinates, values, 25, 2, &growth);
	CHECK_INT(growth.formulas[0]->term_count, 1);
	CHECK_INT(growth.formulas[0]->factors[0].parameter, 0);
	CHECK_INT(growth.formulas[0]->factors[0].logarithm, 1);
	perun_scaling_model_clear(&growth);
}

TEST(test_three_parameters)
{
	struct perun_modeler_options options = {0};
	double coordinates[125 * 3], values[125];
	struct perun_scaling_model growth;

	for (int i = 0; i < 125; i++) {
		double *c = coordinates + 3 * i;

		c[0] = 2 << (i / 25);
		c[1] = 10 * (i / 5 % 5 + 1);
		c[2] = i % 5 + 2;
		values[i] = 10 + 2 * c[0] * c[1] + 5 * c[2] * c[2];
	}
	find(&options, coordinates, values, 125, 3, &growth);
	check_formula(&growth, "10.0 + 2.0 * p^(1) * n^(1) + 5.0 * q^(2)");
	perun_scaling_model_clear(&growth);
}

TEST(test_segments)
{
	struct perun_modeler_options options = {.kind = PERUN_MODELER_SEGMENTED};
	double x[12], values[12];
	struct perun_scaling_model growth;

	for (int i = 0; i < 12; i++) {
		x[i] = i + 1;
		values[i] = x[i] <= 6 ? x[i] * x[i] : 30 + x[i];
	}
	find(&options, x, values, 12, 1, &growth);
	CHECK_INT(growth.segments, 2);
	CHECK_DOUBLE(growth.until, 6, 0);
	check_formula(&growth, "p^(2)");
	CHECK_DOUBLE(perun_scaling_model_value(&growth, &x[11]), 42, 1e-6);
	perun_scaling_model_clear(&growth);
	for (int i = 0; i < 12; i++)
		values[i] = 4 + 3 * x[i];
	find(&options, x, values, 12, 1, &growth);
	CHECK_INT(growth.segments, 1);
	perun_scaling_model_clear(&growth);
	/* The constant counts as none in the later windows: they miss a little where the first ones do not. */
	for (int i = 0; i < 12; i++) {
		x[i] = 1 << i;
		values[i] = 0.1 + 3 * pow(x[i], 1.5);
	}
	find(&options, x, values, 12, 1, &growth);
	CHECK_INT(growth.segments, 1);
	perun_scaling_model_clear(&growth);
}

static void check_option(const char *name, const char *value, const char *error)
{
	struct perun_modeler_options options = {0};

	if (!error) {
		CHECK_INT(perun_modeler_option(ctx, &options, name, value), PERUN_OK);
		return;
	}
	CHECK_INT(perun_modeler_option(ctx, &options, name, value), PERUN_USAGE);
	CHECK_CONTAINS(perun_ctx_error(ctx), error);
	perun_ctx_clear(ctx);
}

TEST(test_options)
{
	struct perun_modeler_options options = {.kind = PERUN_MODELER_BASIC};
	static const double coordinates[] = {1, 2, 3, 4};
	struct perun_modeler *modeler;

	check_option("allow_log_terms", "false", NULL);
	check_option("single-parameter.compare_with_RSS", "true", NULL);
	check_option("allow_log_terms", "perhaps", "expected true or false, found 'perhaps'");
	check_option("modeler", "best", "unknown modeler 'best'");
	check_option("colour", "red", "no option colour");
	CHECK_INT(perun_modeler_new(ctx, &options, coordinates, 2, 2, &modeler), PERUN_USAGE);
	CHECK_CONTAINS(perun_ctx_error(ctx), "this modeler is for one");
	perun_ctx_clear(ctx);
	options = (struct perun_modeler_options){.poly_exponents = "x,y"};
	CHECK_INT(perun_modeler_new(ctx, &options, coordinates, 4, 1, &modeler), PERUN_USAGE);
	CHECK_CONTAINS(perun_ctx_error(ctx), "no exponent in poly_exponents 'x,y'");
	perun_ctx_clear(ctx);
}

TEST(test_spellings)
{
	static const char *const names[] = {"p"};
	static const double p[] = {4, 8, 16, 32, 64};
	struct perun_modeler_options options = {
		.poly_exponents = "3/2", .log_exponents = "1", .force_combination = true};
	struct perun_scaling_model growth;
	struct perun_buffer text = {0};
	double values[5];

	for (int i = 0; i < 5; i++)
		values[i] = 100000 - 2 * pow(p[i], 1.5) * log2(p[i]);
	find(&options, p, values, 5, 1, &growth);
	growth.formulas[0]->constant = 100000;
	growth.formulas[0]->terms[0].coefficient = -2;
	perun_formula_print(growth.formulas[0], names, PERUN_SPELLING_PYTHON, &text);
	CHECK_STR(text.data, "100000.0-2.0*p**(3/2)*log2(p)**(1)");
	perun_buffer_clear(&text);
	perun_formula_print(growth.formulas[0], names, PERUN_SPELLING_LATEX, &text);
	CHECK_STR(text.data, "$1.000\\times10^{5}-2.000\\cdot p^{3/2}\\cdot \\log_2{p}^{1}$");
	perun_buffer_free(&text);
	perun_scaling_model_clear(&growth);
}

static void check_name(const char *name, const char *expected)
{
	struct perun_buffer text = {0};
	struct perun_point_name point;

	if (perun_point_name_parse(ctx, name, &point) != PERUN_OK) {
		perun_buffer_add_text(&text, "refused");
		perun_ctx_clear(ctx);
	}
	for (size_t i = 0; i < point.count; i++)
		perun_buffer_printf(&text, "%s%s=%g", i ? " " : "", point.names[i],
				    point.values[i]);
	CHECK_STR(text.data, expected);
	perun_point_name_clear(&point);
	perun_buffer_free(&text);
}

TEST(test_point_names)
{
	check_name("mm.a1.1b1.1c1.1", "a=1.1 b=1.1 c=1.1");
	check_name("mm.x1.1,y1,1,z1.1.r1", "x=1.1 y=1.1 z=1.1");
	check_name("x1y20z300", "x=1 y=20 z=300");
	check_name("mm.x1.y2.r12", "x=1 y=2");
	check_name("app.ranks8.r2", "ranks=8");
	check_name("app.r4.p8", "r=4 p=8");
	check_name("x1.5", "x=1.5");
	check_name("my.app.p4", "p=4");
	check_name("app", "refused");
	check_name("", "refused");
	check_name("1x2", "refused");
	check_name("a.p4x", "refused");
}

static struct perun_profile *read_text(const char *format, const char *text)
{
	struct perun_input *input = perun_input_from_memory("x", text, strlen(text));
	struct perun_profile *profile;

	perun_read_profile(ctx, input, format, NULL, &profile, NULL);
	perun_input_close(input);
	return profile;
}

static char *write_text(const struct perun_profile *profile, const char *format)
{
	struct perun_buffer text = {0};
	struct perun_output *output = perun_output_to_buffer(&text);

	if (perun_write_profile(ctx, profile, format, NULL, output) != 0 ||
	    perun_output_commit(ctx, output) != 0)
		perun_buffer_add_text(&text, "not written");
	perun_output_close(output);
	return perun_buffer_take(&text);
}

static const char measurements[] =
	"PARAMETER p n\nPOINTS (1 10) (2 10)\n\nMETRIC time\nREGION main->f\n"
	"DATA 1.0 2.0 6.0\nDATA 4.0\nREGION main\nDATA 0.5\nDATA 7.0\n";

TEST(test_experiment)
{
	struct perun_profile *profile = read_text("extrap-text", measurements);
	struct perun_experiment *experiment;
	const struct perun_measurement *first;

	if (!profile || perun_experiment_new(ctx, profile, false, &experiment) != PERUN_OK) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		return;
	}
	CHECK_INT(experiment->series_count, 2);
	CHECK_INT(experiment->measurement_count, 4);
	CHECK_STR(experiment->callpath_names[0], "main->f");
	first = &experiment->measurements[0];
	CHECK_DOUBLE(first->mean, 3, 1e-15);
	CHECK_DOUBLE(first->median, 2, 0);
	CHECK_DOUBLE(first->minimum, 1, 0);
	CHECK_DOUBLE(first->maximum, 6, 0);
	CHECK_DOUBLE(first->std, sqrt(14.0 / 3), 1e-15);
	CHECK_INT(first->repetitions, 3);
	perun_experiment_free(experiment);
	perun_profile_unref(profile);
}

/* Through every format and back: the same text. */
TEST(test_formats)
{
	static const char *const formats[] = {"extrap-text", "talpas", "extrap-json",
					      "extrap-jsonl"};
	struct perun_profile *profile = read_text("extrap-text", measurements);
	char *text = write_text(profile, "extrap-text");

	CHECK_STR(text,
		  "PARAMETER p n\nPOINTS (1.0 10.0) (2.0 10.0)\n\nMETRIC time\nREGION main->f\n"
		  "DATA 1.0 2.0 6.0\nDATA 4.0\nREGION main\nDATA 0.5\nDATA 7.0\n");
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		char *other = write_text(profile, formats[i]), *again;
		struct perun_profile *copy = read_text(NULL, other);

		if (!copy) {
			CHECK_FAIL("%s: %s", formats[i], perun_ctx_error(ctx));
			perun_ctx_clear(ctx);
			perun_free(other);
			continue;
		}
		again = write_text(copy, "extrap-text");
		CHECK_STR(again, text);
		perun_free(again);
		perun_free(other);
		perun_profile_unref(copy);
	}
	perun_free(text);
	perun_profile_unref(profile);
}

static void check_refused(const char *format, const char *text, const char *error)
{
	struct perun_profile *profile = read_text(format, text);

	CHECK(profile == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), error);
	perun_ctx_clear(ctx);
	perun_profile_unref(profile);
}

#define HEAD "PARAMETER p\nPOINTS 1 2\nREGION f\n"

TEST(test_refused)
{
	check_refused("extrap-text", HEAD "DATA 1\n",
		      "x: line 4: 1 DATA lines before this one, expected one");
	check_refused("extrap-text", HEAD "DATA 1\nDATA 2\nDATA 3\n",
		      "x: line 6: more DATA lines than the 2");
	check_refused("extrap-text", HEAD " DATA 1\n",
		      "line 4: the section's name is not at the start");
	check_refused("extrap-text", HEAD "DATA one\n", "line 4: expected a number, found 'one'");
	check_refused("extrap-text", "PARAMETER p\nPOINTS 1 1\n",
		      "line 2: point 1 is repeated as point 2");
	check_refused("extrap-text", "PARAMETER p q\nPOINTS (1 2) (3)\n",
		      "a point of 1 numbers, expected");
	check_refused("extrap-text", "# nothing\n", "the file ends without any DATA");
	check_refused("extrap-json",
		      "{\"parameters\":[\"x\"],\"measurements\":{\"a\":{\"t\":["
		      "{\"point\":[1],\"values\":[1]},{\"point\":[1],\"values\":[1]}]}}}",
		      "the same point twice for one metric");
	check_refused("extrap-json",
		      "{\"parameters\":[\"x\"],\"measurements\":{\"a\":{\"t\":["
		      "{\"point\":[1,2],\"values\":[1]}]}}}",
		      "a point of 2 numbers, expected one for each of the 1");
	check_refused("extrap-json", "{\"parameters\":[\"x\"]}", "there are no \"measurements\"");
	check_refused("extrap-jsonl",
		      "{\"params\":{\"x\":1},\"value\":1}\n{\"params\":{\"y\":1},\"value\":1}",
		      "x: line 2, column 28: a measurement without parameter \"x\"");
	check_refused("extrap-jsonl", "{\"params\":{\"x\":\"1\"},\"value\":1}",
		      "expected a number for parameter x");
	check_refused("talpas", "\n{\"parameters\":{\"p\":1};\"metric\":\"m\";\"value\":1}\n",
		      "line 2 of the file");
}

TEST(test_kept)
{
	struct perun_profile *profile =
		read_text("talpas", "{\"parameters\":{\"p\":1};\"metric\":\"a;b\\\";\";"
				    "\"callpath\":\"f;g\";\"value\":1}");
	struct perun_experiment *experiment;

	if (!profile || perun_experiment_new(ctx, profile, false, &experiment) != PERUN_OK) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		return;
	}
	CHECK_STR(experiment->metrics[0], "a;b\";");
	CHECK_STR(experiment->callpath_names[0], "f;g");
	perun_experiment_free(experiment);
	perun_profile_unref(profile);
	/* The specification's own form of points, which the reference refuses. */
	profile = read_text(
		NULL, "PARAMETER a b c d r\nPOINTS ((1) (2) (3) (4) (5))((1) (2) (3) (4) (6))\n"
		      "REGION f\nDATA 1\nDATA 2\n");
	CHECK(profile != NULL);
	CHECK_INT(profile ? perun_profile_points(profile) : 0, 2);
	perun_profile_unref(profile);
}

static void check_metrics(struct perun_profile *profile, const char *expected)
{
	struct perun_buffer text = {0};

	perun_json_print(perun_json_get(perun_profile_document(profile), "metrics"), &text,
			 PERUN_JSON_PYTHON, 0);
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
	perun_profile_unref(profile);
}

/* What is said of metrics is in the document at the end, in the order in which it was said first. */
TEST(test_described)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *profile = NULL;
	struct perun_json *metrics;
	perun_id id = perun_builder_text(builder, "later");

	CHECK(!perun_builder_take_described(builder));
	CHECK_INT(perun_builder_metric(builder, "b\0c", 3), id + 1);
	perun_builder_describe(builder, id, "better", "lower");
	perun_builder_describe(builder, id + 1, "unit", "s");
	perun_builder_describe(builder, id, "better", "higher");
	CHECK_INT(perun_builder_metric(builder, "b\0c", 3), id + 1);
	CHECK(perun_builder_is_described(builder, id));
	CHECK(!perun_builder_is_described(builder, id + 2));
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), PERUN_OK);
	check_metrics(profile,
		      "{\"b\\u0000c\": {\"repeats\": \"rows\", \"unit\": \"s\"}, \"later\": "
		      "{\"better\": \"higher\"}}");
	/* Each something of its own. */
	builder = perun_builder_new();
	for (int i = 0; i < 1000; i++) {
		char text[16];

		snprintf(text, sizeof text, "unit %d", i % 700);
		perun_builder_describe(builder, perun_builder_text(builder, text), "unit",
				       i < 700 ? text : "new");
	}
	metrics = perun_builder_take_described(builder);
	CHECK_INT(perun_json_count(metrics), 700);
	CHECK_STR(perun_json_get_text(perun_json_get(metrics, "unit 299"), "unit"), "new");
	CHECK_STR(perun_json_get_text(perun_json_get(metrics, "unit 300"), "unit"), "unit 300");
	CHECK(!perun_builder_is_described(builder, 1));
	perun_json_free(metrics);
	perun_builder_free(builder);
	/* What the document says already stays. */
	builder = perun_builder_new();
	metrics = perun_json_object();
	perun_json_set(metrics, "a", perun_json_object());
	perun_json_set(perun_json_get(metrics, "a"), "unit", perun_json_text("B"));
	perun_json_set(perun_builder_document(builder), "metrics", metrics);
	for (int i = 0; i < 3; i++)
		perun_builder_describe(builder, perun_builder_text(builder, i ? "a" : "x"), "unit",
				       "s");
	perun_builder_describe(builder, perun_builder_text(builder, "a"), "better", "lower");
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), PERUN_OK);
	check_metrics(
		profile,
		"{\"a\": {\"unit\": \"B\", \"better\": \"lower\"}, \"x\": {\"unit\": \"s\"}}");
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
