/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `clusterizer`: numbers resources of similar amounts as clusters. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/postprocess.h>
#include <perun/query.h>

/* What configurations of the Python program call these options. */
#define MEASURE(option_name)                                                                      \
	{                                                                                         \
		.name = option_name, .type = PERUN_OPTION_CHOICE, .choices = "absolute relative", \
		.help = "fixed, or a share", .flags = PERUN_OPTION_HIDDEN                         \
	}

static const struct perun_option clusterizer_options[] = {
	{.name = "strategy",
	 .aliases = "-s",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "sort_order sliding_window",
	 .default_value = "sort_order",
	 .help = "each resource is a cluster of its own, in the order of amounts; or a window of "
		 "limited width and height is one"},
	{.name = "window-height",
	 .aliases = "-wh",
	 .metavar = "H",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e300,
	 .default_value = "0.01",
	 .help = "how much larger than its first amount a window may grow"},
	{.name = "fixed-window-height",
	 .aliases = "-fwh",
	 .type = PERUN_OPTION_FLAG,
	 .help = "the height is a difference of amounts"},
	{.name = "relative-window-height",
	 .aliases = "-rwh",
	 .type = PERUN_OPTION_FLAG,
	 .help = "the height is a share of the first amount, which is the default"},
	{.name = "window-width",
	 .aliases = "-ww",
	 .metavar = "W",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e300,
	 .default_value = "0.01",
	 .help = "how many resources a window may have"},
	{.name = "fixed-window-width",
	 .aliases = "-fww",
	 .type = PERUN_OPTION_FLAG,
	 .help = "the width is a number of resources"},
	{.name = "relative-window-width",
	 .aliases = "-rww",
	 .type = PERUN_OPTION_FLAG,
	 .help = "the width is a share of the resources of the group, which is the default"},
	MEASURE("height-measure"),
	MEASURE("width-measure"),
	{0}};

struct clusterizer {
	bool slide, fixed_height, fixed_width;
	double height, width;
};

static bool is_absolute(const struct perun_options *options, const char *measure)
{
	const char *given = perun_option_string(options, measure);

	return given && strcmp(given, "absolute") == 0;
}

static int open_clusterizer(struct perun_ctx *ctx, const struct perun_options *options,
			    const char *subcommand, void **instance)
{
	struct clusterizer *clusterizer;

	(void)subcommand;
	if (perun_option_flag(options, "fixed-window-height") &&
	    perun_option_flag(options, "relative-window-height"))
		return perun_fail(ctx, PERUN_USAGE,
				  "--fixed-window-height and --relative-window-height exclude each "
				  "other");
	if (perun_option_flag(options, "fixed-window-width") &&
	    perun_option_flag(options, "relative-window-width"))
		return perun_fail(ctx, PERUN_USAGE,
				  "--fixed-window-width and --relative-window-width exclude each "
				  "other");
	clusterizer = perun_alloc_zero(1, sizeof *clusterizer);
	clusterizer->slide = strcmp(perun_option_string(options, "strategy"), "sort_order") != 0;
	clusterizer->fixed_height = perun_option_flag(options, "fixed-window-height") ||
				    is_absolute(options, "height-measure");
	clusterizer->fixed_width = perun_option_flag(options, "fixed-window-width") ||
				   is_absolute(options, "width-measure");
	clusterizer->height = perun_option_number(options, "window-height");
	clusterizer->width = perun_option_number(options, "window-width");
	*instance = clusterizer;
	return PERUN_OK;
}

/* Rows of one type, subtype and uid, by amount; `clusters` is by row. */
static void number_group(const struct clusterizer *clusterizer, const struct perun_column *amounts,
			 const uint32_t *rows, size_t count, int64_t *clusters)
{
	double width =
		clusterizer->fixed_width ? clusterizer->width : clusterizer->width * (double)count;
	double limit = INFINITY, taken = 0;
	int64_t cluster = 0;

	for (size_t i = 0; i < count; i++) {
		double amount = perun_column_double(amounts, rows[i]);

		if (!clusterizer->slide) {
			clusters[rows[i]] = (int64_t)i + 1;
			continue;
		}
		if (i == 0 || taken >= width || amount > limit) {
			cluster++;
			taken = 0;
			limit = clusterizer->fixed_height ? amount + clusterizer->height
							  : amount * (1 + clusterizer->height);
		}
		taken++;
		clusters[rows[i]] = cluster;
	}
}

/* Rows by uid, type, subtype and amount: those that belong together are neighbours. */
static int number_rows(struct perun_ctx *ctx, const struct clusterizer *clusterizer,
		       const struct perun_table *resources, const struct perun_column *amounts,
		       int64_t *clusters)
{
	static const char *const names[] = {"uid", "stack", "type", "subtype"};
	enum { NAMES = sizeof names / sizeof *names };
	struct perun_sort_key keys[NAMES + 1] = {0};
	size_t key_count = 0, count;
	uint32_t *rows;
	int status;

	for (size_t i = 0; i < NAMES; i++) {
		const struct perun_column *column = perun_table_column(resources, names[i]);

		if (column)
			keys[key_count++].column = column;
	}
	keys[key_count++].column = amounts;
	status = perun_sort(ctx, resources, keys, key_count, NULL, &rows, &count);
	for (size_t i = 0, end; !status && i < count; i = end) {
		bool same = true;

		for (end = i + 1; end < count && same; end += same) {
			for (size_t k = 0; k + 1 < key_count && same; k++)
				same = perun_cell_compare(keys[k].column, rows[i], keys[k].column,
							  rows[end]) == 0;
		}
		number_group(clusterizer, amounts, rows + i, end - i, clusters);
	}
	if (!status)
		perun_free(rows);
	return status;
}

static int run_clusterizer(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
			   struct perun_builder *builder)
{
	const struct perun_column_info info = {
		.name = "cluster", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_PARAMETER};
	const struct perun_table *resources = perun_resources(profile);
	const struct perun_column *amounts = perun_table_column(resources, "amount");
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	size_t count = perun_table_rows(resources);
	struct perun_column_builder *column;
	int64_t *clusters;
	int status;

	if (!amounts)
		return perun_fail(ctx, PERUN_INPUT, "the resources have no column amount");
	clusters = perun_alloc_zero(count + 1, sizeof *clusters);
	status = number_rows(ctx, instance, resources, amounts, clusters);
	if (!status) {
		perun_table_remove_column(table, "cluster");
		column = perun_table_add_column(table, &info);
		perun_table_rewind(table, 0);
		for (size_t row = 0; row < count; row++) {
			perun_column_set_int64(column, clusters[row]);
			perun_table_end_row(table);
		}
	}
	perun_free(clusters);
	return status;
}

static const struct perun_postprocess_ops clusterizer_ops = {
	.open = open_clusterizer,
	.close = perun_free,
	.run = run_clusterizer,
};

PERUN_PLUGIN(postprocess, clusterizer) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "clusterizer",
			  "numbers resources of similar amounts as clusters"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(clusterizer_options),
	PERUN_PLUGIN_OPS(clusterizer_ops),
};
