/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `regression-analysis`: curves of how one number depends on another, by uid. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/postprocess.h>

#include "regression-analysis.h"

enum { FEWEST_POINTS = 3 };

static const struct perun_option regression_options[] = {
	{.name = "method",
	 .aliases = "-m",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "full iterative interval initial_guess bisection",
	 .default_value = "full",
	 .help = "on all points; from step to step with the curve that is best so far; the best in "
		 "each step; the best of the first step on all points; or the best in halves as "
		 "long as they differ"},
	{.name = "regression-models",
	 .aliases = "-r",
	 .metavar = "CURVE",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "all constant linear logarithmic quadratic power exponential",
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "which curves are fitted [default: all]"},
	{.name = "steps",
	 .aliases = "-s",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "3",
	 .help = "in how many parts the points are taken by the methods iterative, interval and "
		 "initial_guess"},
	{.name = "per-key",
	 .aliases = "-dp --depending-on",
	 .metavar = "COLUMN",
	 .type = PERUN_OPTION_STRING,
	 .default_value = "structure-unit-size",
	 .help = "the number that the other one depends on"},
	{.name = "of-key",
	 .aliases = "-o --of",
	 .metavar = "COLUMN",
	 .type = PERUN_OPTION_STRING,
	 .default_value = "amount",
	 .help = "the number that depends on the other one"},
	{0}};

struct analysis {
	const struct perun_options *options;
	struct regressionanalysis_settings settings;
	regressionanalysis_method *method;
	bool constants;
};

/* ---- settings --------------------------------------------------------------------------------- */

static void add_curve(struct regressionanalysis_settings *settings, enum perun_curve curve)
{
	for (size_t i = 0; i < settings->curve_count; i++) {
		if (settings->curves[i] == curve)
			return;
	}
	settings->curves[settings->curve_count++] = curve;
}

/* All in the order of their names; else those given, where a constant needs a line. */
static void choose_curves(struct analysis *analysis)
{
	static const enum perun_curve all[] = {PERUN_CURVE_EXPONENTIAL, PERUN_CURVE_LINEAR,
					       PERUN_CURVE_LOGARITHMIC, PERUN_CURVE_POWER,
					       PERUN_CURVE_QUADRATIC};
	size_t count = perun_option_count(analysis->options, "regression-models");
	bool every = count == 0;

	for (size_t i = 0; i < count; i++)
		every |= strcmp(perun_option_string_at(analysis->options, "regression-models", i),
				"all") == 0;
	for (size_t i = 0; every && i < sizeof all / sizeof *all; i++)
		add_curve(&analysis->settings, all[i]);
	analysis->constants = every;
	for (size_t i = 0; !every && i < count; i++) {
		enum perun_curve curve = perun_curve_from_name(
			perun_option_string_at(analysis->options, "regression-models", i));

		if (curve == PERUN_CURVE_CONSTANT)
			analysis->constants = true;
		else
			add_curve(&analysis->settings, curve);
	}
	if (analysis->constants)
		add_curve(&analysis->settings, PERUN_CURVE_LINEAR);
}

static int open_analysis(struct perun_ctx *ctx, const struct perun_options *options,
			 const char *subcommand, void **instance)
{
	struct analysis *analysis = perun_alloc_zero(1, sizeof *analysis);
	int64_t steps = perun_option_integer(options, "steps");

	(void)ctx;
	(void)subcommand;
	analysis->options = options;
	analysis->method = regressionanalysis_find_method(perun_option_string(options, "method"));
	analysis->settings.steps = steps < 1 ? 1 : (size_t)steps;
	choose_curves(analysis);
	*instance = analysis;
	return PERUN_OK;
}

/* ---- models ----------------------------------------------------------------------------------- */

static struct perun_json *number_of_axis(double number, bool whole)
{
	if (whole && fabs(number) < 9e15)
		return perun_json_int64((int64_t)number);
	return perun_json_double(number);
}

static void add_model(const struct analysis *analysis, const struct perun_points *points,
		      const char *uid, const struct perun_fit *fit, struct perun_builder *builder)
{
	struct perun_json *model = perun_json_object(), *terms = perun_json_array();

	perun_json_set(model, "model", perun_json_text(perun_curve_name(fit->curve)));
	perun_json_set(model, "r_square", perun_json_double(fit->r_square));
	perun_json_set(model, "x_start", number_of_axis(fit->x_start, points->whole_x));
	perun_json_set(model, "x_end", number_of_axis(fit->x_end, points->whole_x));
	perun_json_set(model, "method",
		       perun_json_text(perun_option_string(analysis->options, "method")));
	perun_json_set(model, "uid", perun_json_text(uid));
	for (unsigned i = 0; i < fit->coefficients; i++) {
		const char name[] = {'b', (char)('0' + i), '\0'};
		struct perun_json *term = perun_json_object();

		perun_json_set(term, "name", perun_json_text(name));
		perun_json_set(term, "value", perun_json_double(fit->b[i]));
		perun_json_append(terms, term);
	}
	perun_json_set(model, "coeffs", terms);
	perun_builder_add_model(builder, model, -1);
	perun_json_free(model);
}

/* Curves of all groups, and `of_group`: the group of each. */
static void find_all(struct perun_ctx *ctx, const struct analysis *analysis,
		     struct perun_points *points, struct regressionanalysis_results *results,
		     size_t *ends)
{
	for (size_t i = 0; i < points->count; i++) {
		struct perun_point_group *group = &points->groups[i];
		const char *why = "has fewer than three points";
		size_t before = results->count;

		if (group->count < FEWEST_POINTS ||
		    !analysis->method(&analysis->settings, group, results, &why)) {
			perun_note(ctx, "%s %s and gets no model", group->uid, why);
			results->count = before;
		}
		ends[i] = results->count;
	}
}

static int run_analysis(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
			struct perun_builder *builder)
{
	const struct analysis *analysis = instance;
	struct regressionanalysis_results results = {0};
	struct perun_points points;
	size_t *ends;
	int status =
		perun_points_new(ctx, profile, perun_option_string(analysis->options, "per-key"),
				 perun_option_string(analysis->options, "of-key"), &points);

	if (status)
		return status;
	ends = perun_alloc_zero(points.count + 1, sizeof *ends);
	find_all(ctx, analysis, &points, &results, ends);
	for (size_t i = 0, group = 0; i < results.count; i++) {
		while (i >= ends[group])
			group++;
		add_model(analysis, &points, points.groups[group].uid, &results.items[i].fit,
			  builder);
	}
	for (size_t i = 0, group = 0; analysis->constants && i < results.count; i++) {
		const struct regressionanalysis_result *result = &results.items[i];
		struct perun_fit constant;

		while (i >= ends[group])
			group++;
		if (result->fit.curve != PERUN_CURVE_LINEAR)
			continue;
		perun_fit_constant(&result->fit, &result->sums, &constant);
		add_model(analysis, &points, points.groups[group].uid, &constant, builder);
	}
	perun_free(results.items);
	perun_free(ends);
	perun_points_clear(&points);
	return PERUN_OK;
}

static const struct perun_postprocess_ops regression_ops = {
	.open = open_analysis,
	.close = perun_free,
	.run = run_analysis,
};

PERUN_PLUGIN(postprocess, regression_analysis) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "regression-analysis",
			  "curves of how one number depends on another"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(regression_options),
	PERUN_PLUGIN_OPS(regression_ops),
};
