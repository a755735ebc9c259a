/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: what surrounds the threads, and what cannot be written. */
#include <math.h>
#include <string.h>

#include <perun/lib/units.h>

#include "firefox.h"
#include "formats/common/losses.h"
#include "formats/common/plugin.h"
#include "reading.h"

static const struct perun_option options[] = {
	{.name = "metric",
	 .type = PERUN_OPTION_STRING,
	 .metavar = "NAME",
	 .help = "writing: the metric that weighs the samples (default: the profile's own)"},
	{.name = "everything",
	 .type = PERUN_OPTION_FLAG,
	 .help = "reading: with functions of Firefox itself, of a recording of the developer "
		 "tools"},
	STACKS_FRAME_LIMIT,
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct firefox_options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)ctx;
	(void)subcommand;
	chosen->metric = perun_strdup(perun_option_string(given, "metric"));
	chosen->everything = perun_option_flag(given, "everything");
	chosen->stacks.frame_limit = (uint64_t)perun_option_integer(given, "frame-limit");
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	struct firefox_options *chosen = instance;

	perun_free(chosen->metric);
	perun_free(chosen);
}

static int choose_metric(const struct firefox_options *chosen, struct perun_ctx *ctx,
			 const struct perun_profile *profile, const struct perun_metric **metric)
{
	const char *name = chosen->metric;
	size_t count;
	const struct perun_metric *const *all = perun_metrics(profile, &count);

	if (!name)
		name = perun_profile_text(profile, "/header/default_metric");
	*metric = *name ? perun_metric(profile, name) : NULL;
	if (!*metric && !chosen->metric && count)
		*metric = all[0];
	if (*metric)
		return PERUN_OK;
	if (count == 0)
		return perun_fail(ctx, PERUN_INPUT, "the profile has no metric to write");
	return perun_fail(ctx, PERUN_USAGE,
			  "the profile has no metric %s; the first of its %zu is %s", name, count,
			  all[0]->name);
}

/* Times are milliseconds there, memory is bytes, all else counts as samples. */
static void choose_weights(struct firefox_weights *weights)
{
	static const struct {
		const char *unit, *type;
		double factor;
	} units[] = {
		{"ns", "tracing-ms", 1e-6},
		{"nanoseconds", "tracing-ms", 1e-6},
		{"us", "tracing-ms", 1e-3},
		{"microseconds", "tracing-ms", 1e-3},
		{"ms", "tracing-ms", 1},
		{"milliseconds", "tracing-ms", 1},
		{"s", "tracing-ms", 1e3},
		{"seconds", "tracing-ms", 1e3},
		{"B", "bytes", 1},
		{"bytes", "bytes", 1},
		{"kB", "bytes", 1024},
		{"kilobytes", "bytes", 1024},
		{"MB", "bytes", 1024.0 * 1024},
		{"megabytes", "bytes", 1024.0 * 1024},
	};

	weights->type = "samples";
	weights->factor = 1;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(weights->metric->unit, units[i].unit) == 0) {
			weights->type = units[i].type;
			weights->factor = units[i].factor;
		}
	}
}

static bool is_number(enum perun_type type)
{
	return type == PERUN_TYPE_INT64 || type == PERUN_TYPE_DOUBLE;
}

static bool is_earlier(const struct perun_column *time, size_t row, size_t than)
{
	if (perun_column_info(time)->type == PERUN_TYPE_INT64)
		return perun_column_int64(time, row) < perun_column_int64(time, than);
	return perun_column_double(time, row) < perun_column_double(time, than);
}

static void choose_time(const struct perun_profile *profile, struct firefox_weights *weights)
{
	static const char *const names[] = {"time", "start"};
	const struct perun_table *table = perun_resources(profile);

	for (size_t i = 0; i < 2 && !weights->time; i++) {
		const struct perun_column *column = perun_table_column(table, names[i]);
		const struct perun_column_info *info = column ? perun_column_info(column) : NULL;

		if (!info || info->role != PERUN_ROLE_TIME || !is_number(info->type) || !info->unit)
			continue;
		weights->per_ms = (double)perun_unit_factor("ms", info->unit);
		if (weights->per_ms > 0)
			weights->time = column;
	}
	for (size_t row = 0; weights->time && row < perun_table_rows(table); row++) {
		if (perun_column_absent(weights->time, row))
			weights->time =
				NULL; /* some samples have none: then it is not a time line */
		else if (is_earlier(weights->time, row, weights->start))
			weights->start = row;
	}
}

static void write_meta(struct perun_json_writer *json, const struct perun_profile *profile)
{
	static const char head[] =
		"{\"interval\":1,\"processType\":0,\"product\":\"perun\",\"stackwalk\":1,"
		"\"debug\":false,\"extensions\":{\"id\":[],\"name\":[],\"baseURL\":[],\"length\":0}"
		","
		"\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":"
		"[\"Other\"]}],\"markerSchema\":[],\"pausedRanges\":[],\"version\":24,"
		"\"preprocessedProfileVersion\":46,\"symbolicated\":true,"
		"\"importedFrom\":\"perun\",\"usesOnlyOneStackType\":true,"
		"\"doesNotUseFrameImplementation\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
		"\"startTime\":";
	const struct perun_json *header = perun_json_get(perun_profile_document(profile), "header");
	struct perun_buffer meta = {0};
	int64_t time = 0;

	perun_json_as_int64(perun_json_get(header, "time"), &time);
	perun_buffer_add_text(&meta, head);
	perun_buffer_printf(&meta, "%lld}", (long long)(time / 1000000));
	perun_json_write_key_text(json, "meta");
	perun_json_write_raw(json, meta.data, meta.length);
	perun_buffer_free(&meta);
}

static int sink(void *data, const char *text, size_t length)
{
	return perun_output_write(data, text, length);
}

static int write_document(const struct perun_profile *profile, struct perun_output *output,
			  const struct firefox_threads *threads,
			  const struct firefox_weights *weights)
{
	struct perun_json_writer *json =
		perun_json_writer_new_sink(sink, output, PERUN_JSON_COMPACT, 0);
	static const char *const empty[] = {"libs", "pages", "profilerOverhead", "counters"};

	perun_json_write_object_start(json);
	write_meta(json, profile);
	for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
		perun_json_write_key_text(json, empty[i]);
		perun_json_write_raw(json, "[]", 2);
	}
	perun_json_write_key_text(json, "threads");
	perun_json_write_array_start(json);
	for (size_t i = 0; i < threads->count; i++)
		firefox_write_thread(json, profile, &threads->threads[i], weights, i == 0);
	perun_json_write_array_end(json);
	perun_json_write_object_end(json);
	return perun_json_writer_finish(json);
}

/* Rows whose end does not follow from their start and value, as the reader of the file takes it. */
static uint64_t count_ends(const struct perun_profile *profile,
			   const struct firefox_weights *weights)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *ends = perun_table_column(table, "end");
	uint64_t count = 0;

	if (!ends || !weights->time)
		return 0;
	if (strcmp(weights->type, "tracing-ms") != 0)
		return perun_table_rows(table);
	for (size_t row = 0; row < perun_table_rows(table); row++) {
		double start = perun_column_double(weights->time, row) / weights->per_ms;
		double end = perun_column_double(ends, row) / weights->per_ms;
		double value = perun_column_double(weights->metric->values, row) * weights->factor;

		count += isfinite(end) && !(fabs(end - start - value) <= 1e-6 * fabs(end));
	}
	return count;
}

/*
 * Samples that lasted no time, of which the only metric says so or their end: neither the profiler nor the reader of the
 * file knows them.
 */
static uint64_t count_without_length(const struct perun_profile *profile,
				     const struct firefox_weights *weights, bool only_metric)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *ends = weights->time ? perun_table_column(table, "end") : NULL;
	const struct perun_metric *metric = weights->metric;
	uint64_t count = 0;

	for (size_t row = 0; (only_metric || ends) && row < perun_table_rows(table); row++)
		count += perun_metric_has_row(metric, row) &&
			 perun_column_double(metric->values, row) == 0 &&
			 (only_metric || perun_column_double(weights->time, row) ==
						 perun_column_double(ends, row));
	return count;
}

static void report_losses(struct perun_ctx *ctx, const struct perun_profile *profile,
			  const struct firefox_threads *threads,
			  const struct firefox_weights *weights)
{
	uint64_t ends = count_ends(profile, weights), without_length;
	size_t metrics;

	perun_metrics(profile, &metrics);
	without_length = count_without_length(profile, weights, metrics == 1);
	if (without_length)
		perun_lost(ctx,
			   strcmp(weights->type, "tracing-ms") == 0 ? "samples of no length"
								    : "samples whose value is 0",
			   without_length);
	if (metrics > 1)
		perun_lost(ctx, "other metrics", metrics - 1);
	if (strcmp(weights->metric->name, strcmp(weights->type, "tracing-ms") == 0 ? "time"
					  : strcmp(weights->type, "bytes") == 0    ? "space"
										: "samples") != 0)
		perun_lost(ctx, "the name of the metric", 1);
	if (weights->time && perun_table_rows(perun_resources(profile)) &&
	    perun_column_double(weights->time, weights->start) != 0)
		perun_lost(ctx, "the time of the start", 1);
	if (ends)
		perun_lost(ctx, "ends of samples", ends);
	if (threads->labels_left)
		perun_lost(ctx, "samples with further labels", threads->labels_left);
	losses_report(ctx, profile,
		      LOSSES_LABELS | LOSSES_LINES | (weights->time ? LOSSES_TIMES : 0));
}

static int write_firefox(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
			 struct perun_output *output)
{
	const struct perun_column *stacks = perun_table_column(perun_resources(profile), "stack");
	struct firefox_threads threads = {0};
	struct firefox_weights weights = {0};
	int status = choose_metric(instance, ctx, profile, &weights.metric);

	if (status)
		return status;
	if (!stacks || perun_column_info(stacks)->type != PERUN_TYPE_STACK)
		return perun_fail(ctx, PERUN_INPUT,
				  "the profile has no stacks, which is what this format holds");
	choose_weights(&weights);
	choose_time(profile, &weights);
	firefox_find_threads(profile, weights.metric, &threads);
	report_losses(ctx, profile, &threads, &weights);
	status = write_document(profile, output, &threads, &weights);
	firefox_free_threads(&threads);
	return status;
}

/* Threads with tables of stacks and frames; "samples" may be after long lists. */
static int probe_format(const struct perun_probe *probe)
{
	bool threads, recording;

	if (probe->directory || !stacks_begins(probe, "{") || probe_has(probe, "\"traceEvents\""))
		return 0;
	threads = probe_has(probe, "\"threads\"");
	recording = probe_has(probe, "\"Recorded Performance Data\"");
	if (recording || (threads && probe_has(probe, "\"meta\"") &&
			  (probe_has(probe, "\"interval\"") || probe_has(probe, "\"libs\""))))
		return 90;
	if (threads && (probe_has(probe, "\"stackTable\"") || probe_has(probe, "\"frameTable\"")))
		return 90;
	return probe_has(probe, "\"preprocessedProfileVersion\"")               ? 90
	       : probe_has(probe, "\"ticks\"") && probe_has(probe, "\"label\"") ? 20
										: 0;
}

static const char *const marks[] = {"\"threads\"", "\"Recorded Performance Data\"",
				    "\"preprocessedProfileVersion\"", "\"ticks\"", NULL};

FORMAT_PLUGIN(firefox, "firefox", "profiles for the Firefox Profiler", options, .open = open_format,
	      .close = close_format, .contains = marks, .probe = probe_format, .read = firefox_read,
	      .write = write_firefox);
