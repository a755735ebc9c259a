/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles of other shapes, as pprof has them: a column of whole numbers for each sample type. */
#include <math.h>
#include <string.h>

#include <perun/json.h>

#include "report.h"

/* ---- fractions ------------------------------------------------------------------------------- */

/* The finest unit of the family of a unit, and how many of it make one; NULL: there is none. */
static const char *finest_unit(const char *unit, double *factor)
{
	static const char *const finest[][2] = {{"nanoseconds", "ns"}, {"bytes", "B"}};
	const char *name;

	for (size_t i = 0; i < sizeof finest / sizeof *finest; i++) {
		*factor = pprof_scale(1, unit, finest[i][0], &name);
		if (strcmp(name, finest[i][1]) == 0 && *factor > 1)
			return finest[i][0];
	}
	return NULL;
}

static bool has_fractions(const struct perun_metric *metric, size_t rows)
{
	for (size_t row = 0; row < rows; row++) {
		double value = perun_column_double(metric->values, row);

		if (perun_metric_has_row(metric, row) && value != floor(value) && !isnan(value))
			return true;
	}
	return false;
}

/* The unit of a metric in the document, which goes before all others. */
static void set_unit(struct perun_builder *builder, const struct perun_metric *metric,
		     const char *unit)
{
	struct perun_json *document = perun_builder_document(builder), *metrics, *own;

	if (!perun_json_get(document, "metrics"))
		perun_json_set(document, "metrics", perun_json_object());
	metrics = perun_json_get(document, "metrics");
	if (!perun_json_get(metrics, metric->name))
		perun_json_set(metrics, metric->name, perun_json_object());
	own = perun_json_get(metrics, metric->name);
	perun_json_set(own, "unit", perun_json_text(unit));
}

/* Whether a row carries the metric, or another of its name in the same column. */
static bool carries(const struct perun_metric *metrics, size_t count, size_t which, size_t row)
{
	for (size_t i = 0; i < count; i++) {
		if (metrics[i].values == metrics[which].values &&
		    strcmp(metrics[i].name, metrics[which].name) == 0 &&
		    perun_metric_has_row(&metrics[i], row))
			return true;
	}
	return false;
}

static void scale(struct perun_builder *builder, const struct perun_profile *profile, size_t which,
		  double factor, const char *unit)
{
	size_t count, rows = perun_table_rows(perun_resources(profile));
	const struct perun_metric *metrics = perun_metrics(profile, &count);
	const struct perun_metric *metric = &metrics[which];
	const char *name = perun_column_info(metric->values)->name;
	struct perun_column_builder *column =
		perun_table_find_column(perun_builder_table(builder, "resources"), name);
	double *values = perun_alloc((rows + 1) * sizeof *values);

	for (size_t row = 0; row < rows; row++) {
		values[row] = perun_column_double(metric->values, row);
		if (carries(metrics, count, which, row))
			values[row] *= factor;
	}
	perun_column_replace_present(column, values);
	if (!metric->selector[0] && !metric->selector[1])
		perun_column_set_unit(column, unit);
	set_unit(builder, metric, unit);
	perun_free(values);
}

/* A metric with fractions of a unit, of which there are finer ones: seconds become nanoseconds. */
static bool find_fractions(const struct perun_profile *profile, size_t *found, double *factor,
			   const char **unit)
{
	size_t rows = perun_table_rows(perun_resources(profile)), count;
	const struct perun_metric *metrics = perun_metrics(profile, &count);

	for (*found = 0; *found < count; ++*found) {
		const struct perun_metric *metric = &metrics[*found];

		if (perun_column_info(metric->values)->type != PERUN_TYPE_DOUBLE)
			continue;
		*unit = finest_unit(metric->unit, factor);
		if (*unit && has_fractions(metric, rows))
			return true;
	}
	return false;
}

static int refine_units(struct perun_ctx *ctx, struct perun_profile **profile)
{
	struct perun_profile *refined;
	const char *unit;
	double factor;
	size_t found;
	int status = PERUN_OK;

	/* Metrics may share a column: one after the other. */
	while (!status && find_fractions(*profile, &found, &factor, &unit)) {
		struct perun_builder *builder = perun_builder_from(*profile);

		scale(builder, *profile, found, factor, unit);
		status = perun_builder_finish(ctx, builder, &refined);
		if (status)
			break;
		perun_profile_unref(*profile);
		*profile = refined;
	}
	return status;
}

/* ---- through the format ---------------------------------------------------------------------- */

/* Of what the format has no place for, the reports would show values alone. */
static void tell_losses(struct perun_ctx *ctx)
{
	for (size_t i = 0; i < perun_ctx_losses(ctx); i++) {
		uint64_t count;
		const char *what = perun_ctx_loss(ctx, i, &count);

		if (strcmp(what, "fractions of values") == 0)
			perun_warn(ctx,
				   "%llu values are rounded: pprof's reports have whole "
				   "numbers",
				   (unsigned long long)count);
	}
	perun_ctx_clear_losses(ctx);
}

int pprof_convert(struct perun_ctx *ctx, struct perun_profile **profile)
{
	static const char *const plain[] = {"plain=true", NULL};
	struct perun_buffer bytes = {0};
	struct perun_output *output = perun_output_to_buffer(&bytes);
	struct perun_profile *converted = NULL;
	struct perun_input *input;
	int status = refine_units(ctx, profile);

	if (!status)
		status = perun_write_profile(ctx, *profile, "pprof", plain, output);
	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	tell_losses(ctx);
	input = perun_input_from_memory("the profile", bytes.data, bytes.length);
	if (!status)
		status = perun_read_profile(ctx, input, "pprof", NULL, &converted, NULL);
	perun_input_close(input);
	perun_profile_unref(*profile);
	*profile = converted;
	perun_buffer_free(&bytes);
	return status;
}
