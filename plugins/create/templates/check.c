/* SPDX-License-Identifier: BSD-3-Clause */
/* @NAME@: how this check finds a change. Here: the sums of all amounts are compared. */
#include <perun/check.h>

static const struct perun_option options[] = {
	{.name = "threshold",
	 .metavar = "SHARE",
	 .help = "the smallest change that is reported, as a share",
	 .default_value = "0.1",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 10},
	{.name = NULL}};

static int open_check(struct perun_ctx *ctx, const struct perun_options *values,
		      const char *subcommand, void **instance)
{
	double *threshold = (double *)perun_alloc(sizeof *threshold);

	(void)ctx, (void)subcommand;
	*threshold = perun_option_number(values, "threshold");
	*instance = threshold;
	return PERUN_OK;
}

/* Cells that are absent are not numbers and do not count. */
static double sum_of(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *amount = perun_table_column(table, "amount");
	double sum = 0;

	for (size_t row = 0; amount && row < perun_table_rows(table); row++)
		sum += perun_column_absent(amount, row) ? 0 : perun_column_double(amount, row);
	return sum;
}

/* Findings go to the report, also those that nothing changed; their texts are copied. */
static int compare(void *instance, struct perun_ctx *ctx, const struct perun_comparison *comparison,
		   struct perun_report *report)
{
	double before = sum_of(comparison->baselines[0]), after = sum_of(comparison->targets[0]);
	double threshold = *(double *)instance, change = before > 0 ? after / before - 1 : 0;
	char *from = perun_format("%g", before), *to = perun_format("%g", after);
	const struct perun_change found = {
		.struct_size = sizeof found,
		.result = change > threshold    ? PERUN_RESULT_DEGRADATION
			  : change < -threshold ? PERUN_RESULT_OPTIMIZATION
						: PERUN_RESULT_NO_CHANGE,
		.location = "all",
		.type = "sum",
		.from_baseline = from,
		.to_target = to,
		.rate = 100 * change,
		.confidence_type = "no",
	};

	(void)ctx;
	perun_report_add(report, &found);
	perun_free(from);
	perun_free(to);
	return PERUN_OK;
}

static const struct perun_check_ops operations = {
	.open = open_check, .close = perun_free, .compare = compare,
	/* Optional: .aliases, .finish (corrections over all findings), .series (a whole history), .wants_sessions, .quotients,
	   .history_decides. */
};

PERUN_PLUGIN(check, @SYMBOL@) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "@NAME@", "one line for lists of plugins"),
	.version = "0.1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(options),
	PERUN_PLUGIN_OPS(operations),
};
