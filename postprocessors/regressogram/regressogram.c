/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `regressogram`: one value for each of some buckets of equal width. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/postprocess.h>
#include <perun/query.h>
#include <perun/lib/regression.h>

/* More than anybody can look at; a bucket is a number of the model. */
#define MAX_BUCKETS 1000000.0

static const struct perun_option regressogram_options[] = {
	{.name = "bucket-number",
	 .aliases = "-bn",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = MAX_BUCKETS,
	 .help = "how many buckets there are"},
	{.name = "bucket-method",
	 .aliases = "-bm",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "auto doane fd rice scott sqrt sturges",
	 .default_value = "doane",
	 .help = "how their number is chosen where it is not given"},
	{.name = "statistic-function",
	 .aliases = "-sf",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "mean median",
	 .default_value = "mean",
	 .help = "the value of a bucket"},
	PERUN_POINTS_OPTIONS("-per --per", "the number that makes the buckets", "-of --of",
			     "the number that is averaged"),
	{0}};

struct regressogram {
	const struct perun_options *options;
};

static int open_regressogram(struct perun_ctx *ctx, const struct perun_options *options,
			     const char *subcommand, void **instance)
{
	struct regressogram *regressogram = perun_alloc_zero(1, sizeof *regressogram);

	(void)ctx;
	(void)subcommand;
	regressogram->options = options;
	*instance = regressogram;
	return PERUN_OK;
}

/* ---- how many buckets ------------------------------------------------------------------------- */

static double mean(const double *x, size_t count)
{
	long double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += x[i];
	return (double)(sum / (long double)count);
}

/* The mean of the powers of the distances to `center`. */
static double moment(const double *x, size_t count, double center, int power)
{
	long double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += powl(x[i] - center, power);
	return (double)(sum / (long double)count);
}

static double width_doane(const double *x, size_t count, double range)
{
	double n = (double)count, center = mean(x, count);
	double deviation = sqrt(moment(x, count, center, 2));
	double of_skewness = sqrt(6 * (n - 2) / ((n + 1) * (n + 3))), skewness;

	if (count <= 2 || !(deviation > 0))
		return 0;
	skewness = fabs(moment(x, count, center, 3) / (deviation * deviation * deviation));
	return range / (1 + log2(n) + log2(1 + skewness / of_skewness));
}

static double width_freedman_diaconis(const double *x, size_t count)
{
	return 2 *
	       (perun_quantile_of_sorted(x, count, 0.75) -
		perun_quantile_of_sorted(x, count, 0.25)) /
	       cbrt((double)count);
}

/* The estimators of numpy.histogram_bin_edges(), whose manual names their sources; x is sorted. */
static double width_of_bucket(const char *method, const double *x, size_t count)
{
	double n = (double)count, range = x[count - 1] - x[0];
	double sturges = range / (log2(n) + 1), robust;

	if (strcmp(method, "sqrt") == 0)
		return range / sqrt(n);
	if (strcmp(method, "sturges") == 0)
		return sturges;
	if (strcmp(method, "rice") == 0)
		return range / (2 * cbrt(n));
	if (strcmp(method, "scott") == 0)
		return cbrt(24 * sqrt(M_PI) / n) * sqrt(moment(x, count, mean(x, count), 2));
	if (strcmp(method, "doane") == 0)
		return width_doane(x, count, range);
	robust = width_freedman_diaconis(x, count);
	if (strcmp(method, "fd") == 0)
		return robust;
	return robust > 0 && robust < sturges ? robust : sturges;
}

static size_t count_buckets(const struct perun_options *options,
			    const struct perun_point_group *group)
{
	double width, buckets;

	if (perun_option_given(options, "bucket-number"))
		return (size_t)perun_option_integer(options, "bucket-number");
	width = width_of_bucket(perun_option_string(options, "bucket-method"), group->x,
				group->count);
	if (!(width > 0))
		return 1;
	buckets = ceil((group->x[group->count - 1] - group->x[0]) / width);
	return buckets < 1 ? 1 : buckets > MAX_BUCKETS ? (size_t)MAX_BUCKETS : (size_t)buckets;
}

/* ---- buckets ---------------------------------------------------------------------------------- */

struct buckets {
	size_t count;
	double start, end; /* of the first and the last one */
	double *values;
	double r_square;
};

static double edge(const struct buckets *buckets, size_t i)
{
	if (i == buckets->count)
		return buckets->end;
	return buckets->start +
	       (buckets->end - buckets->start) / (double)buckets->count * (double)i;
}

static double value_of(const struct perun_options *options, double *values, size_t count)
{
	bool median = strcmp(perun_option_string(options, "statistic-function"), "median") == 0;

	if (count == 0)
		return 0;
	return median ? perun_aggregate_values(values, count, PERUN_AGGREGATE_MEDIAN, 0)
		      : mean(values, count);
}

/* Points are sorted by x: each bucket is a run of them. The last one is closed. */
static void fill(const struct perun_options *options, const struct perun_point_group *group,
		 struct buckets *buckets)
{
	double *values = perun_alloc((group->count + 1) * sizeof *values);
	long double residual = 0, total = 0;
	double center = mean(group->y, group->count);

	for (size_t i = 0, at = 0; i < buckets->count; i++) {
		double limit = edge(buckets, i + 1);
		size_t first = at;

		while (at < group->count && (i + 1 == buckets->count || group->x[at] < limit))
			at++;
		memcpy(values, group->y + first, (at - first) * sizeof *values);
		buckets->values[i] = value_of(options, values, at - first);
		for (size_t k = first; k < at; k++) {
			residual += powl(group->y[k] - buckets->values[i], 2);
			total += powl(group->y[k] - center, 2);
		}
	}
	buckets->r_square = total > 0 ? (double)(1 - residual / total) : residual > 0 ? 0 : 1;
	perun_free(values);
}

static struct buckets make_buckets(const struct perun_options *options,
				   struct perun_point_group *group)
{
	struct buckets buckets = {0};

	perun_points_sort(group, false);
	buckets.count = count_buckets(options, group);
	buckets.start = group->x[0];
	buckets.end = group->x[group->count - 1];
	if (buckets.start == buckets.end) {
		buckets.start -= 0.5;
		buckets.end += 0.5;
	}
	buckets.values = perun_alloc((buckets.count + 1) * sizeof *buckets.values);
	fill(options, group, &buckets);
	return buckets;
}

/* ---- models ----------------------------------------------------------------------------------- */

static void set_text(struct perun_json *model, const char *key, const char *text)
{
	perun_json_set(model, key, perun_json_text(text));
}

static void set_number(struct perun_json *model, const char *key, double number)
{
	perun_json_set(model, key, perun_json_double(number));
}

static void add_model(const struct perun_options *options, const struct perun_point_group *group,
		      const struct buckets *buckets, struct perun_builder *builder)
{
	struct perun_json *model = perun_json_object(), *values = perun_json_array();
	bool given = perun_option_given(options, "bucket-number");
	double least = group->y[0];

	for (size_t i = 0; i < group->count; i++)
		least = fmin(least, group->y[i]);
	for (size_t i = 0; i < buckets->count; i++)
		perun_json_append(values, perun_json_double(buckets->values[i]));
	set_text(model, "buckets_method",
		 given ? "user" : perun_option_string(options, "bucket-method"));
	set_text(model, "statistic_function", perun_option_string(options, "statistic-function"));
	perun_json_set(model, "bucket_stats", values);
	set_number(model, "x_start", buckets->start);
	set_number(model, "x_end", buckets->end);
	set_number(model, "y_start", least);
	set_number(model, "r_square", buckets->r_square);
	set_text(model, "uid", group->uid);
	set_text(model, "model", "regressogram");
	set_text(model, "per_key", perun_option_string(options, "per-key"));
	set_text(model, "of_key", perun_option_string(options, "of-key"));
	perun_builder_add_model(builder, model, -1);
	perun_json_free(model);
}

static int run_regressogram(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
			    struct perun_builder *builder)
{
	const struct perun_options *options = ((struct regressogram *)instance)->options;
	struct perun_points points;
	int status = perun_points_new(ctx, profile, perun_option_string(options, "per-key"),
				      perun_option_string(options, "of-key"), &points);

	for (size_t i = 0; !status && i < points.count; i++) {
		struct buckets buckets = make_buckets(options, &points.groups[i]);

		add_model(options, &points.groups[i], &buckets, builder);
		perun_free(buckets.values);
	}
	if (!status)
		perun_points_clear(&points);
	return status;
}

/* As the Python program: null when it is not given. */
static void describe_regressogram(void *instance, struct perun_json *params)
{
	(void)instance;
	if (!perun_json_get(params, "bucket_number"))
		perun_json_set(params, "bucket_number", perun_json_null());
}

static const struct perun_postprocess_ops regressogram_ops = {
	.open = open_regressogram,
	.close = perun_free,
	.run = run_regressogram,
	.describe = describe_regressogram,
};

PERUN_PLUGIN(postprocess, regressogram) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "regressogram",
			  "one value for each of some buckets of equal width"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(regressogram_options),
	PERUN_PLUGIN_OPS(regressogram_ops),
};
