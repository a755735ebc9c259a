/* SPDX-License-Identifier: BSD-3-Clause */
/* @NAME@: what this postprocessor makes of a profile. Here: all amounts times a factor. */
#include <perun/postprocess.h>

static const struct perun_option options[] = {{.name = "factor",
					       .aliases = "-f",
					       .metavar = "NUMBER",
					       .help = "what amounts are multiplied by",
					       .default_value = "1",
					       .type = PERUN_OPTION_NUMBER,
					       .ranged = true,
					       .minimum = 0,
					       .maximum = 1e9},
					      {.name = NULL}};

static int open_postprocessor(struct perun_ctx *ctx, const struct perun_options *values,
			      const char *subcommand, void **instance)
{
	double *factor = (double *)perun_alloc(sizeof *factor);

	(void)ctx, (void)subcommand;
	*factor = perun_option_number(values, "factor");
	*instance = factor;
	return PERUN_OK;
}

/* The builder starts as the profile, which itself never changes. */
static int run(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
	       struct perun_builder *builder)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *amount = perun_table_column(table, "amount");
	size_t rows = perun_table_rows(table);
	double *values;

	if (!amount)
		return perun_fail(ctx, PERUN_INPUT, "the profile has no amounts");
	values = (double *)perun_alloc_zero(rows + 1, sizeof *values);
	for (size_t row = 0; row < rows; row++)
		values[row] = *(double *)instance * perun_column_double(amount, row);
	perun_column_replace_present(
		perun_table_find_column(perun_builder_table(builder, "resources"), "amount"),
		values);
	perun_free(values);
	return PERUN_OK;
}

static const struct perun_postprocess_ops operations = {
	.open = open_postprocessor, .close = perun_free, .run = run,
	/* Optional: .before, .after, .teardown (always called after before), .describe (what is recorded of options). */
};

PERUN_PLUGIN(postprocess, @SYMBOL@) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "@NAME@", "one line for lists of plugins"),
	.version = "0.1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(options),
	PERUN_PLUGIN_OPS(operations),
};
