/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `filter`: keep the rows that fulfil conditions, and say what went. */
#include <config.h>

#include <perun/postprocess.h>
#include <perun/query.h>

struct filter {
	const struct perun_options *options;
	const char *table;
	bool any, invert;
};

static const struct perun_option filter_options[] = {
	{.name = "where",
	 .aliases = "-w",
	 .metavar = "CONDITION",
	 .help = "keep rows that fulfil it, such as 'amount > 3' or 'uid:function ~ ^alloc'",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "any", .help = "one of the conditions is enough (default: all of them)"},
	{.name = "invert", .aliases = "-v", .help = "drop the rows that would be kept"},
	{.name = "table",
	 .metavar = "NAME",
	 .help = "the table whose rows are filtered",
	 .default_value = "resources",
	 .type = PERUN_OPTION_STRING},
	{0}};

static int filter_open(struct perun_ctx *ctx, const struct perun_options *options,
		       const char *subcommand, void **instance)
{
	struct filter *filter = perun_alloc_zero(1, sizeof *filter);

	(void)ctx;
	(void)subcommand;
	filter->options = options;
	filter->table = perun_option_string(options, "table");
	filter->any = perun_option_flag(options, "any");
	filter->invert = perun_option_flag(options, "invert");
	*instance = filter;
	return PERUN_OK;
}

/*
 * With `any` and `invert` distinguished, only two cases are left: each condition alone drops rows (those
 * that fail it; inverted with any: those that fulfil it), or the conditions drop rows together.
 */
static bool each_drops(const struct filter *filter)
{
	return filter->any == filter->invert;
}

/*
 * Condition i alone: keep in `kept` what it does not drop, and return how many rows it was the first to
 * drop.
 */
static int apply(const struct filter *filter, struct perun_ctx *ctx,
		 const struct perun_table *table, size_t i, uint64_t *kept,
		 struct perun_buffer *explanation)
{
	const char *condition = perun_option_string_at(filter->options, "where", i);
	size_t rows = perun_table_rows(table), before = perun_selection_count(kept, rows);
	uint64_t *selection;
	int status = perun_select_where(ctx, table, condition, &selection);

	if (status)
		return status;
	if (filter->any && filter->invert)
		perun_selection_not(selection, rows);
	if (each_drops(filter)) {
		size_t dropped;

		perun_selection_and(kept, selection, rows);
		dropped = before - perun_selection_count(kept, rows);
		if (dropped > 0)
			perun_buffer_printf(explanation, "%s%zu by %s",
					    explanation->length ? ", " : "", dropped, condition);
	} else {
		if (filter->any)
			perun_selection_or(kept, selection, rows);
		else
			perun_selection_and(kept, selection, rows);
		perun_buffer_printf(explanation, "%s%s", explanation->length ? "; " : "",
				    condition);
	}
	perun_free(selection);
	return PERUN_OK;
}

static void explain(const struct filter *filter, struct perun_ctx *ctx, size_t dropped, size_t rows,
		    const struct perun_buffer *explanation)
{
	const char *reason = explanation->length ? explanation->data : "";

	if (dropped == 0)
		perun_note(ctx, "dropped none of %zu rows", rows);
	else if (each_drops(filter))
		perun_note(ctx, "dropped %zu of %zu rows: %s", dropped, rows, reason);
	else
		perun_note(ctx, "dropped %zu of %zu rows, which fulfil %s of: %s", dropped, rows,
			   filter->invert ? "all" : "none", reason);
	if (dropped == rows && rows > 0)
		perun_warn(ctx, "filter: no row is left in table %s", filter->table);
}

static int find_table(const struct filter *filter, struct perun_ctx *ctx,
		      const struct perun_profile *profile, const struct perun_table **table)
{
	struct perun_buffer names = {0};

	*table = perun_profile_table(profile, filter->table);
	if (*table)
		return PERUN_OK;
	for (size_t i = 0; i < perun_profile_tables(profile); i++)
		perun_buffer_printf(&names, "%s%s", i ? ", " : "",
				    perun_table_name(perun_profile_table_at(profile, i)));
	perun_fail(ctx, PERUN_USAGE, "the profile has no table %s, only: %s", filter->table,
		   names.length ? names.data : "(none)");
	perun_buffer_free(&names);
	return PERUN_USAGE;
}

static int filter_run(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
		      struct perun_builder *builder)
{
	const struct filter *filter = instance;
	const struct perun_table *table;
	struct perun_buffer explanation = {0};
	uint64_t *kept;
	size_t rows;
	int status = find_table(filter, ctx, profile, &table);

	if (status)
		return status;
	if (!perun_option_given(filter->options, "where")) {
		/* The Python program's filter did nothing, and configurations name it so. */
		perun_warn(ctx, "filter: without --where every row is kept");
		return PERUN_OK;
	}
	rows = perun_table_rows(table);
	kept = perun_selection_new(rows, each_drops(filter) || !filter->any);
	for (size_t i = 0; i < perun_option_count(filter->options, "where") && !status; i++)
		status = apply(filter, ctx, table, i, kept, &explanation);
	if (!status) {
		if (!each_drops(filter) && filter->invert)
			perun_selection_not(kept, rows);
		perun_table_keep_rows(perun_builder_table(builder, filter->table), kept);
		explain(filter, ctx, rows - perun_selection_count(kept, rows), rows, &explanation);
	}
	perun_buffer_free(&explanation);
	perun_free(kept);
	return status;
}

static const struct perun_postprocess_ops filter_ops = {
	.open = filter_open,
	.close = perun_free,
	.run = filter_run,
};

PERUN_PLUGIN(postprocess, filter) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "filter", "keep or drop resources by any column"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(filter_options),
	PERUN_PLUGIN_OPS(filter_ops),
};
