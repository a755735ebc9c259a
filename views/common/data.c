/* SPDX-License-Identifier: BSD-3-Clause */
/* What a view looks at: one metric of a profile, filtered as the options say. */
#include <config.h>

#include <string.h>

#include <perun/query.h>

#include "views/common/data.h"

/* ---- metric ---------------------------------------------------------------------------------- */

int views_fail_no_metric(struct perun_ctx *ctx, const struct perun_profile *profile,
			 const char *name, const char *wanted)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);
	struct views_combined combined;
	struct perun_buffer names = {0};
	int status;

	if (views_combined_metric(profile, &combined))
		perun_buffer_add_text(&names, combined.metric.name);
	for (size_t i = 0; i < count; i++)
		perun_buffer_printf(&names, "%s%s", names.length ? ", " : "", metrics[i]->name);
	status = perun_fail(ctx, PERUN_USAGE, "%s has no metric %s, only: %s", name, wanted,
			    names.length ? names.data : "none");
	perun_buffer_free(&names);
	return status;
}

static int choose_metric(struct views_data *data, const char *wanted)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(data->profile, &count);

	data->metric = views_metric(data->profile, wanted, &data->combined);
	if (!data->metric && wanted)
		return views_fail_no_metric(data->ctx, data->profile, data->name, wanted);
	if (!data->metric && count > 0) {
		data->metric = metrics[0];
	} else if (!data->metric) {
		return perun_fail(data->ctx, PERUN_INPUT, "%s measures nothing: it has no metric",
				  data->name);
	}
	data->unit = perun_unit_of(data->metric->unit);
	return PERUN_OK;
}

static void choose_granularity(struct views_data *data, const struct perun_options *options)
{
	static const struct {
		const char *name;
		enum perun_granularity by;
	} choices[] = {{"function", PERUN_BY_FUNCTION}, {"file-function", PERUN_BY_FILE_FUNCTION},
		       {"file", PERUN_BY_FILE},         {"line", PERUN_BY_LINE},
		       {"address", PERUN_BY_ADDRESS},   {"module", PERUN_BY_MODULE}};
	const char *wanted = perun_option_string(options, "by");

	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		if (strcmp(choices[i].name, wanted) == 0)
			data->by = choices[i].by;
	}
	data->no_inlines = perun_option_flag(options, "no-inlines");
}

/* The rows that carry the metric. */
static void select_metric(struct views_data *data)
{
	size_t rows = perun_table_rows(perun_resources(data->profile));

	data->selection = perun_selection_new(rows, false);
	for (size_t row = 0; row < rows; row++) {
		if (views_metric_has_row(data->metric, &data->combined, row))
			data->selection[row / 64] |= (uint64_t)1 << (row % 64);
	}
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static bool has_stacks(const struct perun_profile *profile)
{
	const struct perun_column *column = perun_table_column(perun_resources(profile), "stack");

	return column && perun_column_info(column)->type == PERUN_TYPE_STACK;
}

static int frames_of_labels(struct views_data *data, const struct perun_options *options,
			    const char *option, bool leaf)
{
	size_t count = perun_option_count(options, option);
	const char **keys;
	struct perun_profile *result = NULL;
	int status;

	if (count == 0)
		return PERUN_OK;
	keys = perun_alloc_zero(count, sizeof *keys);
	for (size_t i = 0; i < count; i++)
		keys[i] = perun_option_string_at(options, option, i);
	status = perun_label_frames(data->ctx, data->profile, keys, count, leaf, &result);
	if (!status) {
		perun_profile_unref(data->profile);
		data->profile = result;
	}
	perun_free(keys);
	return status;
}

static int weigh(struct views_data *data, long double *sum)
{
	const struct perun_weight weight = {.values = data->metric->values,
					    .rows = data->selection};
	int status = perun_stacks_weigh(data->ctx, data->stacks, &weight, 1, 0);

	if (!status) {
		data->scale = perun_stacks_scale(data->stacks, 0);
		*sum = (long double)perun_stacks_absolute_sum(data->stacks, 0) * data->scale;
	}
	return status;
}

static int open_stacks(struct views_data *data, const struct perun_options *options)
{
	int status = perun_stacks_new(data->ctx, data->profile, &data->stacks);

	if (data->metric->selector[0] || data->combined.without)
		select_metric(data);
	if (!status)
		status = weigh(data, &data->all);
	if (!status)
		status = views_filter_stacks(data, options);
	return status ? status : weigh(data, &data->left);
}

/* ---- rows without stacks --------------------------------------------------------------------- */

double views_row_value(const struct views_data *data, size_t row)
{
	return data->medians ? data->medians[row] : perun_column_double(data->metric->values, row);
}

/* Medians are those of the rows that are left. */
static int find_medians(struct views_data *data)
{
	perun_free(data->medians);
	data->medians = NULL;
	/* Allocations by several functions are no repeats. */
	if (data->metric == &data->combined.metric)
		return PERUN_OK;
	return views_share_medians(data->ctx, data->metric, data->selection, &data->medians,
				   &data->repeats);
}

static long double sum_rows(const struct views_data *data)
{
	size_t rows = perun_table_rows(perun_resources(data->profile));
	long double sum = 0;

	for (size_t row = 0; row < rows; row++) {
		double value;

		if (!perun_bit(data->selection, row))
			continue;
		value = views_row_value(data, row);
		if (value == value)
			sum += value < 0 ? -value : value;
	}
	return sum;
}

static int open_rows(struct views_data *data, const struct perun_options *options)
{
	int status;

	if (perun_option_given(options, "by") && data->by != PERUN_BY_FUNCTION)
		return perun_fail(data->ctx, PERUN_USAGE,
				  "--by %s works on stacks, and %s has none",
				  perun_option_string(options, "by"), data->name);
	data->scale = 1;
	select_metric(data);
	status = find_medians(data);
	data->all = sum_rows(data);
	if (!status)
		status = views_filter_rows(data, options);
	if (!status)
		status = find_medians(data);
	data->left = sum_rows(data);
	return status;
}

/* ---- together -------------------------------------------------------------------------------- */

int views_open(struct perun_ctx *ctx, const struct perun_options *options,
	       struct perun_profile *profile, const char *name, const char *metric,
	       struct views_data *data)
{
	int status;

	*data = (struct views_data){.ctx = ctx, .name = name};
	choose_granularity(data, options);
	status = views_traces_to_stacks(ctx, profile, &data->profile);
	if (!status)
		status = frames_of_labels(data, options, "root-label", false);
	if (!status)
		status = frames_of_labels(data, options, "leaf-label", true);
	if (!status)
		status = choose_metric(data,
				       metric ? metric : perun_option_string(options, "metric"));
	if (status)
		return status;
	data->samples = data->metric->rows;
	status = has_stacks(data->profile) ? open_stacks(data, options) : open_rows(data, options);
	data->whole = perun_option_flag(options, "relative") ? data->left : data->all;
	return status;
}

void views_close(struct views_data *data)
{
	perun_stacks_free(data->stacks);
	perun_free(data->selection);
	perun_free(data->medians);
	perun_profile_unref(data->profile);
	*data = (struct views_data){0};
}
