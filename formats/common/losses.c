/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile has beyond stacks and values, counted for perun_lost(). */
#include <string.h>

#include <perun/json.h>
#include <perun/lib/experiment.h>

#include "losses.h"

static void lose(struct perun_ctx *ctx, const char *what, uint64_t count)
{
	if (count)
		perun_lost(ctx, what, count);
}

static uint64_t count_present(const struct perun_column *column)
{
	uint64_t count = 0;
	struct perun_span span;

	for (size_t row = 0; perun_column_span_copy(column, row, &span, NULL);
	     row = span.first + span.count) {
		count += span.count;
		for (size_t i = 0; span.absent && i < span.count; i++)
			count -= perun_bit(span.absent, i);
	}
	return count;
}

/* Readers and tools make a mapping where a file has none, so that there is one: it says nothing. */
static bool says_object(const struct perun_profile *profile, perun_id id)
{
	const struct perun_mapping *mapping =
		id == PERUN_NO_ID ? NULL : perun_profile_mapping(profile, id);

	return mapping && (mapping->file || mapping->build_id || mapping->start ||
			   mapping->offset || (mapping->limit && mapping->limit != UINT64_MAX));
}

/* Frames that have no function are named by their addresses, which are kept so. */
static bool has_more(const struct perun_profile *profile, const struct perun_location *location,
		     unsigned kept)
{
	if (!(kept & LOSSES_OBJECTS) && (says_object(profile, location->mapping) ||
					 (location->address && location->line_count)))
		return true;
	for (uint32_t i = 0; i < location->line_count && !(kept & LOSSES_LINES); i++) {
		perun_id function = location->lines[i].function;

		int64_t first = kept & LOSSES_FILES && function != PERUN_NO_ID
					? perun_profile_function(profile, function)->start_line
					: 0;

		if (location->lines[i].line != first || (first && location->lines[i].column))
			return true;
		if (!(kept & LOSSES_FILES) && function != PERUN_NO_ID &&
		    perun_profile_function(profile, function)->file)
			return true;
	}
	return false;
}

static void lose_places(struct perun_ctx *ctx, const struct perun_profile *profile, unsigned kept)
{
	struct perun_location_room room;
	uint64_t count = 0;

	for (size_t i = 0; i < perun_profile_locations(profile); i++)
		count += has_more(profile, perun_profile_location_in(profile, (perun_id)i, &room),
				  kept);
	lose(ctx,
	     kept & LOSSES_LINES ? "addresses and objects of places"
				 : "addresses, lines and objects of places",
	     count);
}

/* Columns that say how rows are grouped hold nothing else. */
static bool is_structure(const struct perun_column_info *info, unsigned kept)
{
	static const char *const names[] = {"uid", "type", "subtype", "metric", "trace", "order"};

	if (info->type == PERUN_TYPE_STACK || info->type == PERUN_TYPE_ROW ||
	    info->role == PERUN_ROLE_METRIC)
		return true;
	if ((kept & LOSSES_CALLS) && strcmp(info->name, "function-file") == 0)
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(info->name, names[i]) == 0)
			return true;
	return false;
}

static void lose_columns(struct perun_ctx *ctx, const struct perun_profile *profile, unsigned kept)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *stacks = perun_table_column(table, "stack");
	uint64_t labels = 0, times = 0, parameters = 0, statistics = 0;

	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column *column = perun_table_column_at(table, i);
		const struct perun_column_info *info = perun_column_info(column);
		uint64_t count = is_structure(info, kept) ? 0 : count_present(column);

		if (!count)
			continue;
		if (info->type == PERUN_TYPE_LABELS) {
			labels += count;
		} else if (info->role == PERUN_ROLE_TIME) {
			times = times > count ? times : count;
		} else if (info->type == PERUN_TYPE_POINT || info->role == PERUN_ROLE_PARAMETER) {
			parameters = parameters > count ? parameters : count;
		} else if (info->role == PERUN_ROLE_STATISTIC) {
			statistics++;
		} else {
			char *what = perun_format("column %s", info->name);

			perun_lost(ctx, what, count);
			perun_free(what);
		}
	}
	if (stacks && !(kept & LOSSES_NAMES))
		lose(ctx, "rows without a stack", perun_table_rows(table) - count_present(stacks));
	lose(ctx, "labels of samples", kept & LOSSES_LABELS ? 0 : labels);
	lose(ctx, "times of samples", kept & LOSSES_TIMES ? 0 : times);
	lose(ctx, "parameters of measurements", parameters);
	lose(ctx, "columns of statistics", statistics);
}

static void lose_tables(struct perun_ctx *ctx, const struct perun_profile *profile, unsigned kept)
{
	for (size_t i = 0; i < perun_profile_tables(profile); i++) {
		const struct perun_table *table = perun_profile_table_at(profile, i);
		const char *name = perun_table_name(table);
		char *what;

		if (table == perun_resources(profile) || !perun_table_rows(table) ||
		    strcmp(name, "resource_types") == 0 ||
		    ((kept & LOSSES_CALLS) && strcmp(name, "calls") == 0) ||
		    ((kept & LOSSES_MODELS) && strcmp(name, "models") == 0))
			continue;
		what = perun_format("rows of table %s", name);
		perun_lost(ctx, what, perun_table_rows(table));
		perun_free(what);
	}
}

static void lose_header(struct perun_ctx *ctx, const struct perun_profile *profile, unsigned kept)
{
	if (!(kept & LOSSES_COMMAND) && *perun_profile_text(profile, "/header/cmd"))
		perun_lost(ctx, "the command", 1);
}

void losses_report(struct perun_ctx *ctx, const struct perun_profile *profile, unsigned kept)
{
	lose_columns(ctx, profile, kept);
	lose_places(ctx, profile, kept);
	lose_tables(ctx, profile, kept);
	lose_header(ctx, profile, kept);
}

/* ---- experiments ------------------------------------------------------------------------------ */

static uint64_t count_units(const struct perun_experiment *experiment)
{
	const struct perun_json *metrics =
		perun_json_get(perun_profile_document(experiment->profile), "metrics");
	uint64_t count = 0;

	for (size_t i = 0; i < experiment->metric_count; i++) {
		const struct perun_json *metric = perun_json_get(metrics, experiment->metrics[i]);
		const char *unit = perun_json_as_string(perun_json_get(metric, "unit"), NULL);

		count += unit && *unit;
	}
	return count;
}

static uint64_t count_overlaps(const struct perun_experiment *experiment)
{
	uint64_t count = 0;

	for (size_t i = 0; i < experiment->series_count; i++)
		count += experiment->series[i].overlaps;
	return count;
}

/* Columns that an experiment is not made of. */
static void lose_others(struct perun_ctx *ctx, const struct perun_profile *profile, unsigned kept)
{
	const struct perun_table *table = perun_resources(profile);

	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column *column = perun_table_column_at(table, i);
		const struct perun_column_info *info = perun_column_info(column);
		char *what;

		if (is_structure(info, kept) || info->type == PERUN_TYPE_POINT ||
		    info->role == PERUN_ROLE_STATISTIC || strcmp(info->name, "repetition") == 0 ||
		    !count_present(column))
			continue;
		what = perun_format("column %s", info->name);
		perun_lost(ctx, what, count_present(column));
		perun_free(what);
	}
}

void losses_of_experiment(struct perun_ctx *ctx, const struct perun_experiment *experiment,
			  uint64_t summaries, unsigned kept)
{
	lose(ctx, "statistics of measurements besides the mean", summaries);
	lose(ctx, "units of metrics", kept & LOSSES_UNITS ? 0 : count_units(experiment));
	lose(ctx, "marks of call paths that overlap with others",
	     kept & LOSSES_OVERLAPS ? 0 : count_overlaps(experiment));
	lose_others(ctx, experiment->profile, kept);
	lose_places(ctx, experiment->profile, kept);
	lose_tables(ctx, experiment->profile, kept);
	lose_header(ctx, experiment->profile, kept);
}
