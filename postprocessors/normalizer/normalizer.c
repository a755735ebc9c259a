/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `normalizer`: amounts as fractions of the largest one of their type. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/postprocess.h>
#include <perun/query.h>

struct normalizer {
	const struct perun_options *options;
};

static const struct perun_option normalizer_options[] = {
	{.name = "of",
	 .aliases = "-o",
	 .metavar = "COLUMN",
	 .help = "what is normalized (default: amount, or every metric where there is no amount)",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{0}};

static int normalizer_open(struct perun_ctx *ctx, const struct perun_options *options,
			   const char *subcommand, void **instance)
{
	struct normalizer *normalizer = perun_alloc_zero(1, sizeof *normalizer);

	(void)ctx;
	(void)subcommand;
	normalizer->options = options;
	*instance = normalizer;
	return PERUN_OK;
}

/* Rows that are compared with each other: of the same type in the same snapshot. */
static int group_rows(struct perun_ctx *ctx, const struct perun_table *resources,
		      struct perun_groups **groups)
{
	static const char *const names[] = {"snapshot", "type"};
	const struct perun_column *keys[2];
	size_t count = 0;

	for (size_t i = 0; i < 2; i++) {
		keys[count] = perun_table_column(resources, names[i]);
		count += keys[count] != NULL;
	}
	return perun_group_by(ctx, resources, keys, count, NULL, groups);
}

/* Divide by the maximum of the group; where that is 0, all amounts count as the maximum. */
static int divide(struct perun_ctx *ctx, const struct perun_groups *groups,
		  const struct perun_column *column, const double *maximums, double *values)
{
	const struct perun_column_info *info = perun_column_info(column);

	for (size_t row = 0; row < groups->rows; row++) {
		double maximum = maximums[groups->group_of_row[row]];

		values[row] = perun_column_double(column, row);
		if (isnan(values[row]) && !perun_column_absent(column, row) &&
		    info->type != PERUN_TYPE_DOUBLE)
			return perun_fail(ctx, PERUN_INPUT, "%s of row %zu is not a number",
					  info->name, row + 1);
		if (!isnan(values[row]))
			values[row] = maximum != 0 ? values[row] / maximum : 1.0;
	}
	return PERUN_OK;
}

/* Fractions have no unit: take it from each metric that is in the column; NULL = in any that has metrics alone. */
static void drop_units(const struct perun_profile *profile, const struct perun_column *column,
		       struct perun_builder *builder)
{
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *units = perun_json_path(document, "/header/units");
	struct perun_json *described = perun_json_get(document, "metrics");
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);

	for (size_t i = 0; i < count; i++) {
		const char *name = metrics[i]->name;
		size_t type_length = strcspn(name, "(");

		if (column ? metrics[i]->values != column
			   : perun_column_info(metrics[i]->values)->role != PERUN_ROLE_METRIC)
			continue;
		if (perun_json_get(units, name))
			perun_json_set(units, name, perun_json_text(""));
		if (perun_json_get_n(units, name, type_length))
			perun_json_set_n(units, name, type_length, perun_json_text(""));
		if (perun_json_get(perun_json_get(described, name), "unit"))
			perun_json_set(perun_json_get(described, name), "unit",
				       perun_json_text(""));
	}
}

static int normalize_column(struct perun_ctx *ctx, const struct perun_groups *groups,
			    const struct perun_column *column, struct perun_builder *builder)
{
	double *maximums = perun_alloc_zero(groups->count + 1, sizeof *maximums);
	double *values = perun_alloc_zero(groups->rows + 1, sizeof *values);
	int status = perun_aggregate(ctx, groups, column, PERUN_AGGREGATE_MAX, 0, maximums);

	if (!status)
		status = divide(ctx, groups, column, maximums, values);
	if (!status) {
		struct perun_column_builder *changed = perun_table_find_column(
			perun_builder_table(builder, "resources"), perun_column_info(column)->name);

		perun_column_replace_present(changed, values);
		perun_column_set_unit(changed, "");
	}
	perun_free(maximums);
	perun_free(values);
	return status;
}

static int normalize_default(struct perun_ctx *ctx, const struct perun_profile *profile,
			     const struct perun_groups *groups, struct perun_builder *builder)
{
	const struct perun_table *resources = perun_resources(profile);
	const struct perun_column *amount = perun_table_column(resources, "amount");
	bool any = false;
	int status = PERUN_OK;

	if (amount) {
		status = normalize_column(ctx, groups, amount, builder);
		if (!status)
			drop_units(profile, amount, builder);
		return status;
	}
	for (size_t i = 0; i < perun_table_columns(resources) && !status; i++) {
		const struct perun_column *column = perun_table_column_at(resources, i);

		if (perun_column_info(column)->role != PERUN_ROLE_METRIC)
			continue;
		status = normalize_column(ctx, groups, column, builder);
		any = true;
	}
	if (!status)
		drop_units(profile, NULL, builder);
	if (!status && !any && perun_table_rows(resources) > 0)
		status = perun_fail(ctx, PERUN_INPUT,
				    "the profile has neither amounts nor metrics: name a column "
				    "with --of");
	return status;
}

static int normalizer_run(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
			  struct perun_builder *builder)
{
	const struct perun_options *options = ((struct normalizer *)instance)->options;
	const struct perun_table *resources = perun_resources(profile);
	struct perun_groups *groups = NULL;
	size_t count = perun_option_count(options, "of");
	int status = group_rows(ctx, resources, &groups);

	if (!status && count == 0)
		status = normalize_default(ctx, profile, groups, builder);
	for (size_t i = 0; i < count && !status; i++) {
		const char *name = perun_option_string_at(options, "of", i);
		const struct perun_column *column = perun_table_column(resources, name);

		status = column ? normalize_column(ctx, groups, column, builder)
				: perun_fail(ctx, PERUN_USAGE, "the resources have no column %s",
					     name);
		if (!status)
			drop_units(profile, column, builder);
	}
	perun_groups_free(groups);
	return status;
}

static const struct perun_postprocess_ops normalizer_ops = {
	.open = normalizer_open,
	.close = perun_free,
	.run = normalizer_run,
};

PERUN_PLUGIN(postprocess, normalizer) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "normalizer",
			  "amounts as fractions of the largest of their type"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(normalizer_options),
	PERUN_PLUGIN_OPS(normalizer_ops),
};
