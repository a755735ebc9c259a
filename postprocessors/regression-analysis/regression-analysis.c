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
	PERUN_POINTS_OPTIONS("-dp --depending-on", "the number that the other one depends on",
			     "-o --of", "the number that depends on the other one"),
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

static void add_model(const struct analysis *analysis, const struct perun_points *points,
		      const char *uid, const struct perun_fit *fit, struct perun_builder *builder)
{
	struct perun_json *model = perun_json_object(), *terms = perun_json_array();

	perun_json_set(model, "model", perun_json_text(perun_curve_name(fit->curve)));
	perun_json_set(model, "r_square", perun_json_double(fit->r_square));
	perun_json_set(model, "x_start", perun_points_place(points, fit->x_start));
	perun_json_set(model, "x_end", perun_points_place(points, fit->x_end));
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

/* What is found for a group, and why not. */
struct found {
	struct regressionanalysis_results results;
	const char *why; /* NULL: nothing is missing */
};

struct finding {
	const struct analysis *analysis;
	struct perun_points *points;
	struct found *found; /* of each group */
};

static int find_curves(struct perun_ctx *ctx, size_t i, void *data)
{
	const struct finding *finding = data;
	const struct analysis *analysis = finding->analysis;
	struct perun_point_group *group = &finding->points->groups[i];
	struct found *found = &finding->found[i];

	(void)ctx;
	if (group->count < FEWEST_POINTS)
		found->why = "has fewer than three points and gets no model";
	else if (!analysis->method(&analysis->settings, group, &found->results, &found->why))
		found->results.count = 0;
	return PERUN_OK;
}

static void add_constants(const struct finding *finding, struct perun_builder *builder)
{
	for (size_t i = 0; i < finding->points->count; i++) {
		const struct regressionanalysis_results *results = &finding->found[i].results;

		for (size_t k = 0; k < results->count; k++) {
			const struct regressionanalysis_result *result = &results->items[k];
			struct perun_fit constant;

			if (result->fit.curve != PERUN_CURVE_LINEAR)
				continue;
			perun_fit_constant(&result->fit, &result->sums, &constant);
			add_model(finding->analysis, finding->points,
				  finding->points->groups[i].uid, &constant, builder);
		}
	}
}

/* In the order of uids; constants, which come from lines, after all others. */
static void add_models(struct perun_ctx *ctx, const struct finding *finding,
		       struct perun_builder *builder)
{
	for (size_t i = 0; i < finding->points->count; i++) {
		const struct found *found = &finding->found[i];
		const char *uid = finding->points->groups[i].uid;

		if (found->why)
			perun_note(ctx, "%s %s", uid, found->why);
		for (size_t k = 0; k < found->results.count; k++)
			add_model(finding->analysis, finding->points, uid,
				  &found->results.items[k].fit, builder);
	}
	if (finding->analysis->constants)
		add_constants(finding, builder);
}

static int run_analysis(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
			struct perun_builder *builder)
{
	const struct analysis *analysis = instance;
	struct perun_points points;
	struct finding finding = {.analysis = analysis, .points = &points};
	int status =
		perun_points_new(ctx, profile, perun_option_string(analysis->options, "per-key"),
				 perun_option_string(analysis->options, "of-key"), &points);

	if (status)
		return status;
	finding.found = perun_alloc_zero(points.count, sizeof *finding.found);
	status = perun_parallel_for(ctx, points.count, find_curves, &finding);
	if (!status)
		add_models(ctx, &finding, builder);
	for (size_t i = 0; i < points.count; i++)
		perun_free(finding.found[i].results.items);
	perun_free(finding.found);
	perun_points_clear(&points);
	return status;
}

/* As the Python program: an empty list when none are given. */
static void describe_analysis(void *instance, struct perun_json *params)
{
	(void)instance;
	if (!perun_json_get(params, "regression_models"))
		perun_json_set(params, "regression_models", perun_json_array());
}

static const struct perun_postprocess_ops regression_ops = {
	.open = open_analysis,
	.close = perun_free,
	.run = run_analysis,
	.describe = describe_analysis,
};

PERUN_PLUGIN(postprocess, regression_analysis) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "regression-analysis",
			  "curves of how one number depends on another"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(regression_options),
	PERUN_PLUGIN_OPS(regression_ops),
};
