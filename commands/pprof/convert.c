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

static bool has_fractions(const struct perun_profile *profile, const struct perun_metric *metric)
{
	size_t count;
	const uint32_t *rows = perun_metric_rows(profile, metric, &count);

	for (size_t i = 0; i < count; i++) {
		double value = perun_column_double(metric->values, rows ? rows[i] : i);

		if (value != floor(value) && !isnan(value))
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

/* Metrics of a name with fractions of a unit, of which there is a finer one: seconds become nanoseconds. */
struct refined {
	const struct perun_metric *metric; /* the first of them */
	double factor;
	const char *unit;
};

/* What is refined, and a JSON object with the number of each name in it. */
static struct refined *find_refined(const struct perun_profile *profile, struct perun_json *numbers)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);
	struct refined *refined = perun_alloc_zero(count + 1, sizeof *refined);

	for (size_t i = 0; i < count; i++) {
		struct refined one = {.metric = metrics[i]};

		if (perun_column_info(metrics[i]->values)->type != PERUN_TYPE_DOUBLE ||
		    perun_json_get(numbers, metrics[i]->name))
			continue;
		one.unit = finest_unit(metrics[i]->unit, &one.factor);
		if (!one.unit || !has_fractions(profile, metrics[i]))
			continue;
		refined[perun_json_count(numbers)] = one;
		perun_json_set(numbers, metrics[i]->name,
			       perun_json_int64((int64_t)perun_json_count(numbers)));
	}
	return refined;
}

/* The new values of a column, which metrics may share. */
struct scaled {
	const struct perun_column *column;
	double *values;
	bool changed;
};

static void open_scaled(struct scaled *scaled, const struct perun_column *column)
{
	size_t rows = perun_table_rows(perun_column_table(column));

	*scaled = (struct scaled){column, perun_alloc((rows + 1) * sizeof(double)), false};
	for (size_t row = 0; row < rows; row++)
		scaled->values[row] = perun_column_double(column, row);
}

static void close_scaled(struct scaled *scaled, struct perun_table_builder *table)
{
	if (scaled->changed)
		perun_column_replace_present(
			perun_table_find_column(table, perun_column_info(scaled->column)->name),
			scaled->values);
	perun_free(scaled->values);
	*scaled = (struct scaled){0};
}

static void scale(struct scaled *scaled, const struct perun_profile *profile,
		  const struct perun_metric *metric, double factor)
{
	size_t count;
	const uint32_t *rows = perun_metric_rows(profile, metric, &count);

	for (size_t i = 0; i < count; i++)
		scaled->values[rows ? rows[i] : i] *= factor;
	scaled->changed = true;
}

/* Metrics of a column follow each other, but for the first, the default one. */
static void scale_all(struct perun_builder *builder, const struct perun_profile *profile,
		      const struct refined *refined, const struct perun_json *numbers)
{
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(profile, &count);
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct scaled first = {0}, other = {0}, *scaled;

	for (size_t i = 0; i < count; i++) {
		const struct perun_metric *metric = metrics[i];
		int64_t number;

		if (!perun_json_as_int64(perun_json_get(numbers, metric->name), &number) ||
		    refined[number].metric->values != metric->values)
			continue;
		scaled = metric->values == metrics[0]->values ? &first : &other;
		if (scaled->column && scaled->column != metric->values)
			close_scaled(scaled, table);
		if (!scaled->column)
			open_scaled(scaled, metric->values);
		scale(scaled, profile, metric, refined[number].factor);
		if (!metric->selector[0] && !metric->selector[1])
			perun_column_set_unit(
				perun_table_find_column(table,
							perun_column_info(metric->values)->name),
				refined[number].unit);
		if (refined[number].metric == metric)
			set_unit(builder, metric, refined[number].unit);
	}
	close_scaled(&first, table);
	close_scaled(&other, table);
}

static int refine_units(struct perun_ctx *ctx, struct perun_profile **profile)
{
	struct perun_json *numbers = perun_json_object();
	struct refined *refined = find_refined(*profile, numbers);
	struct perun_profile *result;
	int status = PERUN_OK;

	if (perun_json_count(numbers)) {
		struct perun_builder *builder = perun_builder_from(*profile);

		scale_all(builder, *profile, refined, numbers);
		status = perun_builder_finish(ctx, builder, &result);
		if (!status) {
			perun_profile_unref(*profile);
			*profile = result;
		}
	}
	perun_json_free(numbers);
	perun_free(refined);
	return status;
}

/* ---- through the format ---------------------------------------------------------------------- */

/* Of what the format has no place for, the reports would show values alone. */
static void report_losses(struct perun_ctx *ctx)
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
	static const char *const plain[] = {"plain=true", "paths=true", NULL};
	static const char *const paths[] = {"paths=true", NULL};
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
	report_losses(ctx);
	input = perun_input_from_memory("the profile", bytes.data, bytes.length);
	if (!status)
		status = perun_read_profile(ctx, input, "pprof", paths, &converted, NULL);
	perun_input_close(input);
	perun_profile_unref(*profile);
	*profile = converted;
	perun_buffer_free(&bytes);
	return status;
}
