/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `moving-average`: the course of a noisy number, by uid. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/postprocess.h>
#include <perun/lib/regression.h>

#include "moving-average.h"

/* Wide enough for everything, and few enough for memory. */
#define WIDEST 100000000.0
/* A window that is not given becomes narrower until its R squared is so high. */
#define GOOD_ENOUGH 0.88

static const struct perun_option common_options[] = {
	{.name = "min-periods",
	 .aliases = "-mp",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = WIDEST,
	 .help = "how many points a window needs for a value [default: its width]"},
	PERUN_POINTS_OPTIONS("-per --per", "the number along which the window moves", "-of --of",
			     "the number that is averaged"),
	/* In configurations of the Python program. */
	{.name = "moving-method",
	 .metavar = "SUBCOMMAND",
	 .help = "the sub-command",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_HIDDEN},
	{0}};

#define WINDOW_OPTIONS                                                                        \
	{.name = "window-width",                                                              \
	 .aliases = "-ww",                                                                    \
	 .metavar = "N",                                                                      \
	 .type = PERUN_OPTION_INTEGER,                                                        \
	 .ranged = true,                                                                      \
	 .minimum = 1,                                                                        \
	 .maximum = WIDEST,                                                                   \
	 .help = "points in a window [default: found by trying]"},                            \
	{                                                                                     \
		.name = "center", .type = PERUN_OPTION_FLAG, .flags = PERUN_OPTION_NEGATABLE, \
		.default_value = "true",                                                      \
		.help = "a window has its point in the middle, else at its end"               \
	}

static const struct perun_option mean_options[] = {
	WINDOW_OPTIONS,
	{.name = "window-type",
	 .aliases = "-wt",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "boxcar triang blackman hamming bartlett parzen bohman blackmanharris nuttall "
		    "barthann",
	 .help = "how points are weighted [default: all the same]"},
	{0}};
static const struct perun_option median_options[] = {WINDOW_OPTIONS, {0}};
static const struct perun_option exponential_options[] = {
	{.name = "decay",
	 .aliases = "-d",
	 .metavar = "KIND VALUE",
	 .type = PERUN_OPTION_STRING,
	 .values = 2,
	 .help = "how fast older points are forgotten: by com, span, halflife or alpha [default: "
		 "com "
		 "0]"},
	{0}};

static const struct perun_subcommand subcommands[] = {
	{"sma", "the mean of the points in the window", mean_options, sizeof(struct perun_option)},
	{"smm", "their median", median_options, sizeof(struct perun_option)},
	{"ema", "all points up to here, older ones less", exponential_options,
	 sizeof(struct perun_option)},
	{0}};

enum kind { SIMPLE_MEAN, SIMPLE_MEDIAN, EXPONENTIAL };

struct average {
	const struct perun_options *options;
	enum kind kind;
	const char *name;
	const char *decay_kind; /* of an exponential one, as given */
	double decay, alpha;    /* likewise, and what it means */
};

/* ---- options ---------------------------------------------------------------------------------- */

/* The share of the newest point; the meanings are pandas'. */
static int read_decay(struct perun_ctx *ctx, struct average *average)
{
	const char *kind = "com", *text = "0";
	double value;

	if (perun_option_given(average->options, "decay")) {
		size_t count = perun_option_count(average->options, "decay");

		kind = perun_option_string_at(average->options, "decay", count - 2);
		text = perun_option_string_at(average->options, "decay", count - 1);
	}
	if (!perun_json_parse_double(text, strlen(text), &value) || !isfinite(value))
		return perun_fail(ctx, PERUN_USAGE, "--decay %s %s: expected a number", kind, text);
	average->decay = value;
	average->decay_kind = kind;
	if (strcmp(kind, "com") == 0 && value >= 0)
		average->alpha = 1 / (1 + value);
	else if (strcmp(kind, "span") == 0 && value >= 1)
		average->alpha = 2 / (value + 1);
	else if (strcmp(kind, "halflife") == 0 && value > 0)
		average->alpha = 1 - exp(log(0.5) / value);
	else if (strcmp(kind, "alpha") == 0 && value > 0 && value <= 1)
		average->alpha = value;
	else
		return perun_fail(ctx, PERUN_USAGE,
				  "--decay %s %s: expected com from 0, span from 1, halflife above "
				  "0, or alpha above 0 and up to 1",
				  kind, text);
	return PERUN_OK;
}

static int open_average(struct perun_ctx *ctx, const struct perun_options *options,
			const char *subcommand, void **instance)
{
	struct average *average = perun_alloc_zero(1, sizeof *average);
	int status = PERUN_OK;

	average->options = options;
	average->name = strcmp(subcommand, "smm") == 0   ? "smm"
			: strcmp(subcommand, "ema") == 0 ? "ema"
							 : "sma";
	average->kind = average->name[0] == 'e'   ? EXPONENTIAL
			: average->name[2] == 'm' ? SIMPLE_MEDIAN
						  : SIMPLE_MEAN;
	if (average->kind == EXPONENTIAL)
		status = read_decay(ctx, average);
	if (status)
		perun_free(average);
	else
		*instance = average;
	return status;
}

/* ---- averages --------------------------------------------------------------------------------- */

/* Of values that are not there the reference takes 0, so that wide windows explain less. */
static double r_square(const double *y, const double *found, size_t count)
{
	long double sum = 0, residual = 0, total = 0;

	for (size_t i = 0; i < count; i++)
		sum += y[i];
	sum /= (long double)count;
	for (size_t i = 0; i < count; i++) {
		double value = isnan(found[i]) ? 0 : found[i];

		residual += powl(y[i] - value, 2);
		total += powl(y[i] - sum, 2);
	}
	return total > 0 ? (double)(1 - residual / total) : residual > 0 ? 0 : 1;
}

static size_t least_points(const struct average *average, size_t otherwise)
{
	if (perun_option_given(average->options, "min-periods"))
		return (size_t)perun_option_integer(average->options, "min-periods");
	return otherwise;
}

static double average_with(const struct average *average, size_t width,
			   const struct perun_point_group *group, double *found)
{
	struct movingaverage_window window = {
		width, least_points(average, width),
		average->kind != EXPONENTIAL && perun_option_flag(average->options, "center")};
	const char *type = average->kind == SIMPLE_MEAN
				   ? perun_option_string(average->options, "window-type")
				   : NULL;

	if (average->kind == EXPONENTIAL) {
		movingaverage_exponential(average->alpha,
					  least_points(average, (size_t)average->decay), group->y,
					  group->count, found);
	} else if (type) {
		double *weights = perun_alloc((width + 1) * sizeof *weights);

		movingaverage_window_weights(type, width, weights);
		movingaverage_weighted_mean(&window, weights, group->y, group->count, found);
		perun_free(weights);
	} else if (average->kind == SIMPLE_MEAN) {
		movingaverage_mean(&window, group->y, group->count, found);
	} else {
		movingaverage_median(&window, group->y, group->count, found);
	}
	return r_square(group->y, found, group->count);
}

/* A twentieth of the range, and narrower as long as that does not explain enough. */
static double find_width(const struct average *average, const struct perun_point_group *group,
			 size_t *width, double *found)
{
	double range = group->x[group->count - 1] - group->x[0];
	double w = fmin(WIDEST, fmax(1, trunc(0.05 * range))), quality;

	for (;;) {
		double step, next;

		quality = average_with(average, (size_t)w, group, found);
		step = trunc(fmin(0.9 * w - 1, 0.15 * (w - 1) * (GOOD_ENOUGH - quality)));
		next = fmax(1, w - fmax(1, step));
		if (quality >= GOOD_ENOUGH || next == w)
			break;
		w = next;
	}
	*width = (size_t)w;
	return quality;
}

/* ---- models ----------------------------------------------------------------------------------- */

static void add_model(const struct average *average, const struct perun_points *points,
		      struct perun_point_group *group, struct perun_builder *builder)
{
	struct perun_json *model = perun_json_object(), *values = perun_json_array();
	double *found = perun_alloc((group->count + 1) * sizeof *found), quality;
	size_t width = 0;

	perun_points_sort(group, true);
	if (average->kind != EXPONENTIAL && !perun_option_given(average->options, "window-width")) {
		quality = find_width(average, group, &width, found);
	} else {
		if (average->kind != EXPONENTIAL)
			width = (size_t)perun_option_integer(average->options, "window-width");
		quality = average_with(average, width, group, found);
	}
	for (size_t i = 0; i < group->count; i++)
		perun_json_append(values, perun_json_double(found[i]));
	perun_json_set(model, "moving_method", perun_json_text(average->name));
	perun_json_set(model, "window_width",
		       average->kind == EXPONENTIAL ? perun_json_double(average->decay)
						    : perun_json_int64((int64_t)width));
	perun_json_set(model, "x_start", perun_points_place(points, group->x[0]));
	perun_json_set(model, "x_end", perun_points_place(points, group->x[group->count - 1]));
	perun_json_set(model, "r_square", perun_json_double(quality));
	perun_json_set(model, "bucket_stats", values);
	perun_json_set(model, "per_key",
		       perun_json_text(perun_option_string(average->options, "per-key")));
	perun_json_set(model, "uid", perun_json_text(group->uid));
	perun_json_set(model, "model", perun_json_text("moving_average"));
	perun_builder_add_model(builder, model, -1);
	perun_json_free(model);
	perun_free(found);
}

static int run_average(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
		       struct perun_builder *builder)
{
	const struct average *average = instance;
	struct perun_points points;
	int status =
		perun_points_new(ctx, profile, perun_option_string(average->options, "per-key"),
				 perun_option_string(average->options, "of-key"), &points);

	if (status)
		return status;
	for (size_t i = 0; i < points.count; i++)
		add_model(average, &points, &points.groups[i], builder);
	perun_points_clear(&points);
	return PERUN_OK;
}

/* As the Python program, which keeps the decay's value as a width. */
static void describe_average(void *instance, struct perun_json *params)
{
	const struct average *average = instance;

	perun_json_set(params, "moving_method", perun_json_text(average->name));
	if (average->kind == EXPONENTIAL) {
		perun_json_set(params, "decay", perun_json_text(average->decay_kind));
		perun_json_set(params, "window_width", perun_json_double(average->decay));
	} else if (!perun_json_get(params, "window_width")) {
		perun_json_set(params, "window_width", perun_json_null());
	}
	if (average->kind == SIMPLE_MEAN && !perun_json_get(params, "window_type"))
		perun_json_set(params, "window_type", perun_json_null());
	if (!perun_json_get(params, "min_periods"))
		perun_json_set(params, "min_periods", perun_json_null());
}

static const struct perun_postprocess_ops average_ops = {
	.open = open_average,
	.close = perun_free,
	.run = run_average,
	.describe = describe_average,
};

PERUN_PLUGIN(postprocess, moving_average) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "moving-average", "the course of a noisy number"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(common_options),
	PERUN_PLUGIN_SUBCOMMANDS(subcommands),
	PERUN_PLUGIN_OPS(average_ops),
};
