/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing: a sampled profile for each metric. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "speedscope.h"

struct writing {
	struct perun_ctx *ctx;
	const struct perun_profile *profile;
	struct perun_json_writer *json;
	const struct perun_column *stacks;
	size_t functions;  /* frames: functions first, then places without one */
	uint32_t *unnamed; /* of each location: its frame after the functions */
	uint32_t unnamed_count;
	uint64_t copied, copy_limit; /* frames of samples that are written for further metrics */
};

static int sink(void *data, const char *text, size_t length)
{
	return perun_output_write(data, text, length);
}

static void write_string(struct perun_json_writer *json, const char *key, const char *text)
{
	perun_json_write_key_text(json, key);
	perun_json_write_text(json, text);
}

/* Whole numbers stay whole. */
static void write_number(struct perun_json_writer *json, double number)
{
	if (number == floor(number) && fabs(number) < 0x1p53)
		perun_json_write_int64(json, (int64_t)number);
	else
		perun_json_write_double(json, number);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void write_function(struct writing *writing, const struct perun_function *function)
{
	struct perun_json_writer *json = writing->json;
	perun_id name = function->name ? function->name : function->file;

	perun_json_write_object_start(json);
	write_string(json, "name", perun_profile_string(writing->profile, name, NULL));
	if (function->file)
		write_string(json, "file",
			     perun_profile_string(writing->profile, function->file, NULL));
	if (function->start_line > 0) {
		perun_json_write_key_text(json, "line");
		perun_json_write_int64(json, function->start_line);
	}
	perun_json_write_object_end(json);
}

static bool is_unnamed(const struct perun_location *location)
{
	for (uint32_t i = 0; i < location->line_count; i++)
		if (location->lines[i].function != PERUN_NO_ID)
			return false;
	return true;
}

static void write_frames(struct writing *writing)
{
	struct perun_json_writer *json = writing->json;
	const struct perun_profile *profile = writing->profile;
	size_t locations = perun_profile_locations(profile);

	writing->functions = perun_profile_functions(profile);
	writing->unnamed = perun_alloc_zero(locations, sizeof *writing->unnamed);
	perun_json_write_key_text(json, "shared");
	perun_json_write_object_start(json);
	perun_json_write_key_text(json, "frames");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < writing->functions; i++)
		write_function(writing, perun_profile_function(profile, (perun_id)i));
	for (size_t i = 0; i < locations; i++) {
		const struct perun_location *location =
			perun_profile_location(profile, (perun_id)i);
		char name[32];

		if (!is_unnamed(location))
			continue;
		writing->unnamed[i] = writing->unnamed_count++;
		snprintf(name, sizeof name, "0x%" PRIx64, location->address);
		perun_json_write_object_start(json);
		write_string(json, "name", name);
		perun_json_write_object_end(json);
	}
	perun_json_write_array_end(json);
	perun_json_write_object_end(json);
}

/* ---- profiles -------------------------------------------------------------------------------- */

static void write_sample(struct writing *writing, perun_id stack)
{
	const struct perun_profile *profile = writing->profile;
	size_t count = 0;
	const perun_id *locations =
		stack == PERUN_NO_ID ? NULL : perun_profile_stack(profile, stack, &count);

	perun_json_write_array_start(writing->json);
	for (size_t i = count; i-- > 0;) {
		const struct perun_location *location =
			perun_profile_location(profile, locations[i]);

		if (is_unnamed(location)) {
			perun_json_write_int64(
				writing->json,
				(int64_t)(writing->functions + writing->unnamed[locations[i]]));
			continue;
		}
		for (uint32_t line = location->line_count; line-- > 0;)
			if (location->lines[line].function != PERUN_NO_ID)
				perun_json_write_int64(writing->json,
						       location->lines[line].function);
	}
	perun_json_write_array_end(writing->json);
}

/* Units of the format, and those that are one of them under another name. */
static const char *unit_of(const struct perun_metric *metric)
{
	static const char *const units[][2] = {
		{"nanoseconds", "nanoseconds"},
		{"ns", "nanoseconds"},
		{"microseconds", "microseconds"},
		{"us", "microseconds"},
		{"milliseconds", "milliseconds"},
		{"ms", "milliseconds"},
		{"seconds", "seconds"},
		{"s", "seconds"},
		{"bytes", "bytes"},
		{"B", "bytes"},
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(metric->unit, units[i][0]) == 0)
			return units[i][1];
	return "none";
}

static double value_of(const struct perun_metric *metric, size_t row)
{
	double value =
		perun_metric_has_row(metric, row) ? perun_column_double(metric->values, row) : 0;

	return isfinite(value) ? value : 0;
}

/* Whether the samples may be written for one metric more. */
static bool may_copy(struct writing *writing, uint64_t frames)
{
	writing->copied += frames;
	if (writing->copied <= writing->copy_limit)
		return true;
	perun_fail(writing->ctx, PERUN_INPUT,
		   "the samples, written for each metric, have more frames than the option "
		   "copy-limit allows");
	return false;
}

static uint64_t count_frames(const struct writing *writing)
{
	size_t rows = perun_table_rows(perun_resources(writing->profile)), depth;
	uint64_t frames = rows;

	for (size_t row = 0; row < rows; row++) {
		perun_id stack = perun_column_id(writing->stacks, row);

		if (stack == PERUN_NO_ID)
			continue;
		perun_profile_stack(writing->profile, stack, &depth);
		frames += depth;
	}
	return frames;
}

static void write_profile(struct writing *writing, const struct perun_metric *metric)
{
	struct perun_json_writer *json = writing->json;
	size_t rows = perun_table_rows(perun_resources(writing->profile));
	double sum = 0;

	for (size_t row = 0; row < rows; row++)
		sum += value_of(metric, row);
	perun_json_write_object_start(json);
	write_string(json, "type", "sampled");
	write_string(json, "name", metric->name);
	write_string(json, "unit", unit_of(metric));
	perun_json_write_key_text(json, "startValue");
	perun_json_write_int64(json, 0);
	perun_json_write_key_text(json, "endValue");
	write_number(json, sum);
	perun_json_write_key_text(json, "samples");
	perun_json_write_array_start(json);
	/* Rows of other metrics are other threads' samples, perhaps. */
	for (size_t row = 0; row < rows; row++)
		if (perun_metric_has_row(metric, row))
			write_sample(writing, perun_column_id(writing->stacks, row));
	perun_json_write_array_end(json);
	perun_json_write_key_text(json, "weights");
	perun_json_write_array_start(json);
	for (size_t row = 0; row < rows; row++)
		if (perun_metric_has_row(metric, row))
			write_number(json, value_of(metric, row));
	perun_json_write_array_end(json);
	perun_json_write_object_end(json);
}

static int write_document(struct writing *writing, const struct perun_metric *const *metrics,
			  size_t count)
{
	const char *name = perun_profile_text(writing->profile, "header.cmd");
	const char *shown = perun_profile_text(writing->profile, "header.default_metric");
	size_t active = 0;
	uint64_t frames = 0;
	int status;

	perun_json_write_object_start(writing->json);
	write_string(writing->json, "$schema",
		     "https://www.speedscope.app/file-format-schema.json");
	write_string(writing->json, "exporter", "perun");
	if (*name)
		write_string(writing->json, "name", name);
	for (size_t i = 0; i < count; i++)
		if (strcmp(metrics[i]->name, shown) == 0)
			active = i;
	perun_json_write_key_text(writing->json, "activeProfileIndex");
	perun_json_write_int64(writing->json, (int64_t)active);
	write_frames(writing);
	perun_json_write_key_text(writing->json, "profiles");
	perun_json_write_array_start(writing->json);
	for (size_t i = 0; i < count; i++) {
		if (i == 1)
			frames = count_frames(writing);
		if (i && !may_copy(writing, frames))
			break;
		if (perun_cancelled(writing->ctx)) {
			perun_fail(writing->ctx, PERUN_CANCELLED, "interrupted");
			break;
		}
		write_profile(writing, metrics[i]);
	}
	perun_json_write_array_end(writing->json);
	perun_json_write_object_end(writing->json);
	status = perun_json_writer_finish(writing->json);
	return status ? status : perun_ctx_status(writing->ctx);
}

static void tell_losses(struct perun_ctx *ctx, const struct perun_profile *profile,
			const struct perun_metric *const *metrics, size_t count)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *labels = perun_table_column(table, "labels");
	uint64_t labelled = 0, places = 0, times = 0;

	for (size_t row = 0; labels && row < perun_table_rows(table); row++)
		labelled += perun_column_id(labels, row) != PERUN_NO_ID;
	if (labelled)
		perun_lost(ctx, "labels of samples", labelled);
	for (size_t i = 0; i < perun_table_columns(table); i++)
		times +=
			perun_column_info(perun_table_column_at(table, i))->role == PERUN_ROLE_TIME;
	if (times)
		perun_lost(ctx, "times of samples", perun_table_rows(table));
	for (size_t i = 0; i < count; i++)
		if (strcmp(unit_of(metrics[i]), "none") == 0 && *metrics[i]->unit)
			perun_lost(ctx, "units of metrics", 1);
	for (size_t i = 0; i < perun_profile_locations(profile); i++) {
		const struct perun_location *location =
			perun_profile_location(profile, (perun_id)i);
		bool more = location->mapping != PERUN_NO_ID ||
			    (location->address && !is_unnamed(location));

		for (uint32_t k = 0; k < location->line_count; k++)
			more |= location->lines[k].line != 0;
		places += more;
	}
	if (places)
		perun_lost(ctx, "addresses, lines and objects of places", places);
}

int speedscope_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		     struct perun_output *output)
{
	const struct speedscope_options *options = instance;
	struct writing writing = {
		.ctx = ctx, .profile = profile, .copy_limit = (uint64_t)options->copy_limit};
	const struct perun_metric *const *metrics;
	size_t count;
	int status;

	writing.stacks = perun_table_column(perun_resources(profile), "stack");
	if (!writing.stacks || perun_column_info(writing.stacks)->type != PERUN_TYPE_STACK)
		return perun_fail(ctx, PERUN_INPUT,
				  "the profile has no stacks, which is what this format holds");
	metrics = perun_metrics(profile, &count);
	if (count == 0)
		return perun_fail(ctx, PERUN_INPUT, "the profile has no metric to write");
	writing.json = perun_json_writer_new_sink(sink, output, PERUN_JSON_COMPACT, 0);
	status = write_document(&writing, metrics, count);
	perun_output_text(output, "\n");
	tell_losses(ctx, profile, metrics, count);
	perun_free(writing.unnamed);
	return status;
}
