/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `kernel-regression`: smooth curves without a formula, by uid. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/postprocess.h>
#include <perun/lib/regression.h>

#include "kernel-regression.h"

enum { FEWEST_POINTS = 3 };
/* Each of them looks at all points. */
#define MAX_GAMMAS 100000

static const struct perun_option common_options[] = {
	PERUN_POINTS_OPTIONS("-per --per", "the number along which the curve goes", "-of --of",
			     "the number that is smoothed"),
	/* In configurations of the Python program. */
	{.name = "kernel-mode",
	 .metavar = "SUBCOMMAND",
	 .help = "the sub-command",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_HIDDEN},
	{0}};

#define TYPE_OPTION                                                                           \
	{                                                                                     \
		.name = "reg-type", .aliases = "-rt", .type = PERUN_OPTION_CHOICE,            \
		.choices = "ll lc", .default_value = "ll",                                    \
		.help = "a line (ll) or a constant (lc) through the neighbours of each point" \
	}

static const struct perun_option estimator_options[] = {
	TYPE_OPTION,
	{.name = "bandwidth-method",
	 .aliases = "-bw",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "cv_ls aic",
	 .default_value = "cv_ls",
	 .help = "by which the bandwidth is found: least squares with each point left out, or "
		 "Akaike's criterion"},
	{.name = "efficient",
	 .type = PERUN_OPTION_FLAG,
	 .flags = PERUN_OPTION_NEGATABLE,
	 .help = "find the bandwidth in parts of the points"},
	{.name = "uniformly",
	 .type = PERUN_OPTION_FLAG,
	 .help = "find it on all points, which is the default"},
	{.name = "randomize",
	 .type = PERUN_OPTION_FLAG,
	 .flags = PERUN_OPTION_NEGATABLE,
	 .help = "parts of points at random, else in their order"},
	{.name = "n-sub-samples",
	 .aliases = "-nsub --n-sub",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = FEWEST_POINTS,
	 .maximum = 1e9,
	 .default_value = "50",
	 .help = "points of a part"},
	{.name = "n-re-samples",
	 .aliases = "-nres --n-res",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e6,
	 .default_value = "25",
	 .help = "how many parts are taken at random"},
	{.name = "return-median",
	 .type = PERUN_OPTION_FLAG,
	 .flags = PERUN_OPTION_NEGATABLE,
	 .help = "the median of the parts' bandwidths, else their mean"},
	{.name = "return-mean",
	 .type = PERUN_OPTION_FLAG,
	 .help = "their mean, which is the default"},
	{0}};

#define VALUE_OPTION(FLAGS, HELP)                                                                 \
	{                                                                                         \
		.name = "bandwidth-value", .aliases = "-bv", .metavar = "H",                      \
		.type = PERUN_OPTION_NUMBER, .flags = (FLAGS), .ranged = true, .minimum = 1e-300, \
		.maximum = 1e300, .help = (HELP)                                                  \
	}

static const struct perun_option user_options[] = {
	TYPE_OPTION, VALUE_OPTION(PERUN_OPTION_REQUIRED, "the bandwidth"), {0}};

#define RULE_OPTION                                                                        \
	{                                                                                  \
		.name = "bandwidth-method", .aliases = "-bm", .type = PERUN_OPTION_CHOICE, \
		.choices = "scott silverman", .default_value = "scott",                    \
		.help = "whose rule of thumb gives the bandwidth"                          \
	}

static const struct perun_option method_options[] = {TYPE_OPTION, RULE_OPTION, {0}};

static const struct perun_option smoothing_options[] = {
	{.name = "kernel-type",
	 .aliases = "-kt",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "epanechnikov tricube normal epanechnikov4 normal4",
	 .default_value = "epanechnikov",
	 .help = "how neighbours are weighted"},
	{.name = "smoothing-method",
	 .aliases = "-sm",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "spatial-average local-linear local-polynomial",
	 .default_value = "spatial-average",
	 .help = "what goes through the neighbours of each point"},
	RULE_OPTION,
	VALUE_OPTION(0, "the bandwidth [default: by the rule]"),
	{.name = "polynomial-order",
	 .aliases = "-q",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = KERNELREGRESSION_DEGREE,
	 .default_value = "3",
	 .help = "the degree of polynomials"},
	{0}};

static const struct perun_option ridge_options[] = {
	{.name = "gamma-range",
	 .aliases = "-gr",
	 .metavar = "LOW HIGH",
	 .type = PERUN_OPTION_NUMBER,
	 .values = 2,
	 .help = "which gammas are tried, HIGH excluded [default: 1e-5 1e-4]"},
	{.name = "gamma-step",
	 .aliases = "-gs",
	 .metavar = "STEP",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 1e-300,
	 .maximum = 1e300,
	 .default_value = "1e-5",
	 .help = "and how far apart"},
	{0}};

static const struct perun_subcommand subcommands[] = {
	{"kernel-smoothing", "with one of several kernels and methods", smoothing_options,
	 sizeof(struct perun_option)},
	{"estimator-settings", "with a bandwidth that is found", estimator_options,
	 sizeof(struct perun_option)},
	{"user-selection", "with a given bandwidth", user_options, sizeof(struct perun_option)},
	{"method-selection", "with a bandwidth by a rule of thumb", method_options,
	 sizeof(struct perun_option)},
	{"kernel-ridge", "with weights that fall with the square of distance", ridge_options,
	 sizeof(struct perun_option)},
	{0}};

/* In the order of the table above. */
enum mode { SMOOTHING, ESTIMATOR, USER, METHOD, RIDGE };

struct regression {
	const struct perun_options *options;
	enum mode mode;
	double low, high; /* gammas */
};

static int read_gammas(struct perun_ctx *ctx, struct regression *regression)
{
	double step = perun_option_number(regression->options, "gamma-step");

	regression->low = 1e-5;
	regression->high = 1e-4;
	if (perun_option_given(regression->options, "gamma-range")) {
		size_t count = perun_option_count(regression->options, "gamma-range");

		regression->low = perun_strtod(
			perun_option_string_at(regression->options, "gamma-range", count - 2),
			NULL);
		regression->high = perun_strtod(
			perun_option_string_at(regression->options, "gamma-range", count - 1),
			NULL);
	}
	if (!(regression->low < regression->high) || !(regression->low >= 0))
		return perun_fail(
			ctx, PERUN_USAGE,
			"--gamma-range: expected two numbers from 0, the lower one first");
	if ((regression->high - regression->low) / step > MAX_GAMMAS)
		return perun_fail(ctx, PERUN_USAGE,
				  "--gamma-step: expected at most %d steps in the range",
				  MAX_GAMMAS);
	return PERUN_OK;
}

static int open_regression(struct perun_ctx *ctx, const struct perun_options *options,
			   const char *subcommand, void **instance)
{
	struct regression *regression = perun_alloc_zero(1, sizeof *regression);
	int status = PERUN_OK;

	regression->options = options;
	while (strcmp(subcommands[regression->mode].name, subcommand) != 0)
		regression->mode++;
	if (regression->mode == RIDGE)
		status = read_gammas(ctx, regression);
	if (status)
		perun_free(regression);
	else
		*instance = regression;
	return status;
}

static bool is_efficient(const struct regression *regression)
{
	return perun_option_flag(regression->options, "efficient") &&
	       !perun_option_flag(regression->options, "uniformly");
}

static bool takes_median(const struct regression *regression)
{
	return perun_option_flag(regression->options, "return-median") &&
	       !perun_option_flag(regression->options, "return-mean");
}

/* ---- the estimator's bandwidth ---------------------------------------------------------------- */

static enum kernelregression_type type_of(const struct regression *regression)
{
	return strcmp(perun_option_string(regression->options, "reg-type"), "ll") == 0
		       ? KERNELREGRESSION_LOCAL_LINEAR
		       : KERNELREGRESSION_LOCAL_CONSTANT;
}

static bool is_choice(const struct regression *regression, const char *name, const char *word)
{
	return strcmp(perun_option_string(regression->options, name), word) == 0;
}

/* Points [first, first + count), or this many at random. */
static void take_part(const struct kernelregression_points *points, size_t first, size_t count,
		      uint64_t *random, struct perun_point_group *part)
{
	part->count = count;
	for (size_t i = 0; i < count; i++) {
		size_t from = first + i;

		if (random) {
			*random = *random * 6364136223846793005u + 1442695040888963407u;
			from = (size_t)((*random >> 33) % points->count);
		}
		part->x[i] = points->x[from];
		part->y[i] = points->y[from];
	}
	perun_points_sort(part, false);
}

/* The bandwidth of a part in proportion to its spread, and to the size that parts should have. */
static int part_scale(struct perun_ctx *ctx, const struct regression *regression,
		      const struct perun_point_group *part, size_t size, double *scale)
{
	const struct kernelregression_points points = {ctx, part->x, part->y, part->count};
	double unit = kernelregression_unit(part->x, part->count, size);
	int status = kernelregression_find_bandwidth(
		ctx, &points, type_of(regression), is_choice(regression, "bandwidth-method", "aic"),
		scale);

	*scale = unit > 0 ? *scale / unit : NAN;
	return status;
}

static int compare_numbers(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static double summarize(const struct regression *regression, double *scales, size_t count)
{
	double sum = 0;

	if (count == 0)
		return NAN;
	qsort(scales, count, sizeof *scales, compare_numbers);
	if (takes_median(regression))
		return (scales[(count - 1) / 2] + scales[count / 2]) / 2;
	for (size_t i = 0; i < count; i++)
		sum += scales[i];
	return sum / (double)count;
}

/* The bandwidth of all from those of parts, as it depends on spread and number. */
static int find_in_parts(struct perun_ctx *ctx, const struct regression *regression,
			 const struct kernelregression_points *points, double *bandwidth)
{
	bool randomize = perun_option_flag(regression->options, "randomize");
	size_t size = (size_t)perun_option_integer(regression->options, "n-sub-samples");
	size_t parts, room, known = 0;
	struct perun_point_group part;
	uint64_t random = 1;
	double *scales;
	int status = PERUN_OK;

	parts = randomize ? (size_t)perun_option_integer(regression->options, "n-re-samples")
			  : (points->count + size - 1) / size;
	room = size < points->count ? size : points->count;
	part.x = perun_alloc((room + 1) * sizeof *part.x);
	part.y = perun_alloc((room + 1) * sizeof *part.y);
	scales = perun_alloc((parts + 1) * sizeof *scales);
	for (size_t i = 0; i < parts && !status; i++) {
		size_t first = randomize ? 0 : i * size;
		size_t count = points->count - first < size ? points->count - first : size;

		take_part(points, first, count, randomize ? &random : NULL, &part);
		if (count < FEWEST_POINTS)
			continue;
		status = part_scale(ctx, regression, &part, size, &scales[known]);
		known += !isnan(scales[known]);
	}
	*bandwidth = summarize(regression, scales, known) *
		     kernelregression_unit(points->x, points->count, points->count);
	perun_free(part.x);
	perun_free(part.y);
	perun_free(scales);
	return status;
}

static int find_bandwidth(struct perun_ctx *ctx, const struct regression *regression,
			  const struct kernelregression_points *points, double *bandwidth)
{
	if (regression->mode == USER) {
		*bandwidth = perun_option_number(regression->options, "bandwidth-value");
		return PERUN_OK;
	}
	if (regression->mode == METHOD) {
		*bandwidth = kernelregression_rule_of_thumb(
			points, is_choice(regression, "bandwidth-method", "silverman"));
		return PERUN_OK;
	}
	if (is_efficient(regression))
		return find_in_parts(ctx, regression, points, bandwidth);
	return kernelregression_find_bandwidth(ctx, points, type_of(regression),
					       is_choice(regression, "bandwidth-method", "aic"),
					       bandwidth);
}

/* ---- curves ----------------------------------------------------------------------------------- */

static double smooth(const struct regression *regression,
		     const struct kernelregression_points *points, double *out)
{
	const struct perun_options *options = regression->options;
	const struct kernelregression_kernel *kernel =
		kernelregression_find_kernel(perun_option_string(options, "kernel-type"));
	double bandwidth = kernelregression_covariance_bandwidth(
		points, is_choice(regression, "bandwidth-method", "silverman"));

	if (perun_option_given(options, "bandwidth-value"))
		bandwidth = perun_option_number(options, "bandwidth-value");
	if (!(bandwidth > 0)) /* all points have the same x */
		bandwidth = 1;
	if (is_choice(regression, "smoothing-method", "spatial-average"))
		kernelregression_spatial_average(points, kernel, bandwidth, out);
	else if (is_choice(regression, "smoothing-method", "local-linear"))
		kernelregression_local_linear(points, bandwidth, out);
	else
		kernelregression_local_polynomial(
			points, kernel, (unsigned)perun_option_integer(options, "polynomial-order"),
			bandwidth, out);
	return bandwidth;
}

static double mean(const double *values, size_t count)
{
	long double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return (double)(sum / (long double)count);
}

/*
 * The share of variance that is explained; of the estimator, as statsmodels has it, a correlation, which values that are
 * all the same have none of: NaN.
 */
static double r_square(const struct kernelregression_points *points, const double *found,
		       bool correlation)
{
	double center = mean(correlation ? found : points->y, points->count);
	long double residual = 0, total = 0, explained = 0, both = 0;

	for (size_t i = 0; i < points->count; i++) {
		long double y = points->y[i] - center, m = found[i] - center;

		residual += (y - m) * (y - m);
		total += y * y;
		explained += m * m;
		both += y * m;
	}
	if (correlation)
		return total > 0 && explained > 0 ? (double)(both * both / (total * explained))
						  : NAN;
	if (!(total > 0))
		return residual > 0 ? 0 : 1;
	return (double)(1 - residual / total);
}

struct curve {
	const char *mode;
	double bandwidth, r_square, *values;
};

static int make_curve(struct perun_ctx *ctx, const struct regression *regression,
		      const struct perun_point_group *group, struct curve *curve)
{
	const struct kernelregression_points points = {ctx, group->x, group->y, group->count};
	int status = PERUN_OK;

	curve->values = perun_alloc((group->count + 1) * sizeof *curve->values);
	if (group->count < FEWEST_POINTS) {
		memcpy(curve->values, group->y, group->count * sizeof *curve->values);
		curve->mode = "manually";
		curve->bandwidth = curve->r_square = 1;
		return PERUN_OK;
	}
	if (regression->mode == SMOOTHING) {
		curve->mode = "smoothing";
		curve->bandwidth = smooth(regression, &points, curve->values);
	} else if (regression->mode == RIDGE) {
		curve->mode = "ridge";
		curve->bandwidth = kernelregression_ridge(
			&points, regression->low, regression->high,
			perun_option_number(regression->options, "gamma-step"), curve->values);
	} else {
		curve->mode = "estimator";
		status = find_bandwidth(ctx, regression, &points, &curve->bandwidth);
		if (!(fabs(curve->bandwidth) > 0)) /* all points have the same x */
			curve->bandwidth = 1;
		if (!status)
			kernelregression_estimate(&points, type_of(regression), curve->bandwidth,
						  curve->values);
	}
	if (!status && perun_cancelled(ctx))
		status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	curve->r_square = r_square(&points, curve->values,
				   regression->mode != SMOOTHING && regression->mode != RIDGE);
	return status;
}

/* ---- models ----------------------------------------------------------------------------------- */

static void add_model(const struct regression *regression, const struct perun_points *points,
		      const struct perun_point_group *group, const struct curve *curve,
		      struct perun_builder *builder)
{
	struct perun_json *model = perun_json_object(), *values = perun_json_array();

	for (size_t i = 0; i < group->count; i++)
		perun_json_append(values, perun_json_double(curve->values[i]));
	perun_json_set(model, "x_start", perun_points_place(points, group->x[0]));
	perun_json_set(model, "x_end", perun_points_place(points, group->x[group->count - 1]));
	perun_json_set(model, "per_key",
		       perun_json_text(perun_option_string(regression->options, "per-key")));
	perun_json_set(model, "bandwidth", perun_json_double(curve->bandwidth));
	perun_json_set(model, "r_square", perun_json_double(curve->r_square));
	perun_json_set(model, "bucket_stats", values);
	perun_json_set(model, "kernel_mode", perun_json_text(curve->mode));
	perun_json_set(model, "uid", perun_json_text(group->uid));
	perun_json_set(model, "model", perun_json_text("kernel_regression"));
	perun_builder_add_model(builder, model, -1);
	perun_json_free(model);
}

static int run_regression(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
			  struct perun_builder *builder)
{
	const struct regression *regression = instance;
	struct perun_points points;
	int status =
		perun_points_new(ctx, profile, perun_option_string(regression->options, "per-key"),
				 perun_option_string(regression->options, "of-key"), &points);

	if (status)
		return status;
	for (size_t i = 0; i < points.count && !status; i++) {
		struct perun_point_group *group = &points.groups[i];
		struct curve curve = {0};

		perun_points_sort(group, true);
		status = make_curve(ctx, regression, group, &curve);
		if (!status)
			add_model(regression, &points, group, &curve, builder);
		perun_free(curve.values);
	}
	perun_points_clear(&points);
	return status;
}

/* As the Python program, which has one switch for the estimator's two flags. */
static void describe_regression(void *instance, struct perun_json *params)
{
	const struct regression *regression = instance;

	perun_json_set(params, "kernel_mode", perun_json_text(subcommands[regression->mode].name));
	if (regression->mode == SMOOTHING && !perun_json_get(params, "bandwidth_value"))
		perun_json_set(params, "bandwidth_value", perun_json_null());
	if (regression->mode == ESTIMATOR) {
		perun_json_set(params, "efficient", perun_json_bool(is_efficient(regression)));
		perun_json_set(params, "return_median", perun_json_bool(takes_median(regression)));
		perun_json_remove(params, "uniformly");
		perun_json_remove(params, "return_mean");
	}
	if (regression->mode == RIDGE) {
		struct perun_json *range = perun_json_array();

		perun_json_append(range, perun_json_double(regression->low));
		perun_json_append(range, perun_json_double(regression->high));
		perun_json_set(params, "gamma_range", range);
	}
}

static const struct perun_postprocess_ops regression_ops = {
	.open = open_regression,
	.close = perun_free,
	.run = run_regression,
	.describe = describe_regression,
};

PERUN_PLUGIN(postprocess, kernel_regression) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "kernel-regression",
			  "smooth curves without a formula"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(common_options),
	PERUN_PLUGIN_SUBCOMMANDS(subcommands),
	PERUN_PLUGIN_OPS(regression_ops),
};
