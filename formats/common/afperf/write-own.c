/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing what was read from AFPerf: each run by itself, its definitions first. */
#include <math.h>

#include "write-own.h"

bool afperf_is_own(const struct perun_profile *profile)
{
	const struct perun_table *runs = perun_profile_table(profile, "runs"),
				 *types = perun_profile_table(profile, "measurement_types"),
				 *resources = perun_resources(profile);

	return runs && types && afperf_own_column_of(runs, "wallclock", PERUN_TYPE_DOUBLE) &&
	       afperf_own_column_of(runs, "units", PERUN_TYPE_STRING) &&
	       afperf_own_column_of(runs, "start", PERUN_TYPE_INT64) &&
	       afperf_own_column_of(types, "id", PERUN_TYPE_UINT64) &&
	       afperf_own_column_of(types, "column", PERUN_TYPE_STRING) &&
	       (perun_table_rows(resources) == 0 ||
		afperf_own_column_of(resources, "run_number", PERUN_TYPE_ROW));
}

/* ---- definitions ------------------------------------------------------------------------------------ */

static void begin_run(struct afperf_own *own, size_t run)
{
	const struct perun_column *units = perun_table_column(own->runs, "units");
	const struct perun_column *wallclock = perun_table_column(own->runs, "wallclock");
	const char *name =
		afperf_own_present(units, run)
			? perun_profile_string(own->profile, perun_column_id(units, run), NULL)
			: "";
	double seconds = perun_column_double(wallclock, run);
	long double ns = seconds * 1e9L;

	own->unit = 1;
	for (int i = 0; i < 4; i++)
		if (strcmp(name, afperf_time_units[i].name) == 0)
			own->unit = afperf_time_units[i].nanoseconds;
	own->shift = fabsl(ns) < 9e18L ? (int64_t)llroundl(ns) : 0;
	own->first = perun_column_int64(perun_table_column(own->runs, "start"), run);
	afperf_put_type(own->writing, AFPERF_RUN_INFO);
	afperf_put_int64(own->writing, own->first);
	afperf_put_word(own->writing, name);
	afperf_put_double(own->writing, isfinite(seconds) ? seconds : 0);
	afperf_own_put_string(own, own->runs, "format", run);
	afperf_own_put_run_id(own, run);
	afperf_own_put_string(own, own->runs, "application", run);
	afperf_own_put_string(own, own->runs, "version", run);
	afperf_own_put_string(own, own->runs, "tags", run);
	afperf_end_record(own->writing);
}

/* Rows that are of no run are left out. */
static struct afperf_rows_of_runs sort_by_run(const struct afperf_own *own,
					      const struct perun_table *table)
{
	const struct perun_column *numbers =
		afperf_own_column_of(table, "run_number", PERUN_TYPE_ROW);
	size_t runs = perun_table_rows(own->runs), count = numbers ? perun_table_rows(table) : 0;
	struct afperf_rows_of_runs sorted = {perun_alloc_zero(count + 1, sizeof *sorted.rows),
					     perun_alloc_zero(runs + 3, sizeof *sorted.firsts)};

	/* Counted one place further on, so that the filling leaves the firsts where they belong. */
	for (size_t row = 0; row < count; row++)
		if (afperf_own_present(numbers, row) && perun_column_id(numbers, row) < runs)
			sorted.firsts[perun_column_id(numbers, row) + 2]++;
	for (size_t i = 1; i <= runs + 1; i++)
		sorted.firsts[i] += sorted.firsts[i - 1];
	for (size_t row = 0; row < count; row++)
		if (afperf_own_present(numbers, row) && perun_column_id(numbers, row) < runs)
			sorted.rows[sorted.firsts[perun_column_id(numbers, row) + 1]++] = row;
	return sorted;
}

static void free_rows(struct afperf_rows_of_runs *sorted)
{
	perun_free(sorted->rows);
	perun_free(sorted->firsts);
}

static void put_types(struct afperf_own *own, size_t run)
{
	const struct perun_column *names =
		afperf_own_column_of(own->types, "column", PERUN_TYPE_STRING);
	const struct perun_column *ids = afperf_own_column_of(own->types, "id", PERUN_TYPE_UINT64);
	const struct perun_column *times =
		afperf_own_column_of(own->types, "timestamp", PERUN_TYPE_INT64);

	own->value_count = 0;
	for (size_t i = own->of_types.firsts[run]; i < own->of_types.firsts[run + 1]; i++) {
		size_t row = own->of_types.rows[i];
		const char *name;

		afperf_put_type(own->writing, AFPERF_MEASUREMENT_TYPE);
		afperf_put_int64(own->writing, times ? perun_column_int64(times, row) : 0);
		afperf_own_put_run_id(own, run);
		afperf_own_put_id(own, ids, row);
		afperf_own_put_string(own, own->types, "name", row);
		afperf_own_put_string(own, own->types, "datatype", row);
		afperf_own_put_string(own, own->types, "units", row);
		afperf_own_put_string(own, own->types, "summary", row);
		afperf_own_put_string(own, own->types, "description", row);
		afperf_end_record(own->writing);
		if (!afperf_own_present(names, row))
			continue;
		name = perun_profile_string(own->profile, perun_column_id(names, row), NULL);
		PERUN_GROW(own->values, own->value_count, own->value_capacity);
		own->values[own->value_count].column = perun_table_column(own->resources, name);
		own->values[own->value_count].id = perun_column_uint64(ids, row);
		own->value_count += own->values[own->value_count].column != NULL;
	}
}

/* ---- processed records ------------------------------------------------------------------------------ */

static void put_processed_value(struct afperf_own *own, size_t row)
{
	const struct perun_column *types =
		afperf_own_column_of(own->processed, "type", PERUN_TYPE_ROW);
	const struct perun_column *values =
		afperf_own_column_of(own->processed, "value", PERUN_TYPE_DOUBLE);

	if (afperf_own_present(types, row))
		afperf_put_uint64(own->writing,
				  perun_column_uint64(
					  afperf_own_column_of(own->types, "id", PERUN_TYPE_UINT64),
					  perun_column_id(types, row)));
	else
		afperf_put_blank(own->writing);
	if (afperf_own_present(values, row))
		afperf_own_put_value(own, values, row);
	else
		afperf_own_put_string(own, own->processed, "text", row);
}

static void put_processed(struct afperf_own *own, size_t run)
{
	const struct perun_table *table = own->processed;
	const struct perun_column *levels = afperf_own_column_of(table, "level", PERUN_TYPE_STRING);
	const struct perun_column *more = afperf_own_column_of(table, "more", PERUN_TYPE_BOOL);
	const struct perun_column *from = afperf_own_column_of(table, "from", PERUN_TYPE_INT64);
	const struct perun_column *until = afperf_own_column_of(table, "until", PERUN_TYPE_INT64);
	const size_t *rows = own->of_processed.rows;
	size_t last = own->of_processed.firsts[run + 1];

	for (size_t i = own->of_processed.firsts[run]; i < last && levels && from && until;) {
		size_t row = rows[i];
		const char *level =
			perun_profile_string(own->profile, perun_column_id(levels, row), NULL);

		level = level ? level : "";
		afperf_put_type(own->writing, strcmp(level, "region") == 0 ? AFPERF_REGION_AGGREGATE
					      : strcmp(level, "section") == 0
						      ? AFPERF_SECTION_AGGREGATE
						      : AFPERF_RUN_AGGREGATE);
		afperf_own_put_time(own, perun_column_int64(until, row));
		afperf_own_put_time(own, perun_column_int64(from, row));
		afperf_own_put_id(own, afperf_own_column_of(table, "id", PERUN_TYPE_UINT64), row);
		if (strcmp(level, "section") == 0)
			afperf_put_blank(own->writing);
		afperf_own_put_string(own, table, "aggregation", row);
		do
			put_processed_value(own, rows[i++]);
		while (i < last && afperf_own_present(more, rows[i]) &&
		       perun_column_int64(more, rows[i]));
		afperf_end_record(own->writing);
	}
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static void find_columns(struct afperf_own *own)
{
	const struct perun_table *table = own->resources;

	own->level = afperf_own_column_of(table, "level", PERUN_TYPE_STRING);
	own->record = afperf_own_column_of(table, "record", PERUN_TYPE_STRING);
	own->labels = afperf_own_column_of(table, "labels", PERUN_TYPE_LABELS);
	own->tags = afperf_own_column_of(table, "tags", PERUN_TYPE_STRING);
	own->stack = afperf_own_column_of(table, "stack", PERUN_TYPE_STACK);
	own->uid = afperf_own_column_of(table, "uid", PERUN_TYPE_STRING);
	own->start = afperf_own_column_of(table, "start", PERUN_TYPE_INT64);
	own->end = afperf_own_column_of(table, "end", PERUN_TYPE_INT64);
	own->at = afperf_own_column_of(table, "at", PERUN_TYPE_INT64);
	own->from = afperf_own_column_of(table, "from", PERUN_TYPE_INT64);
	own->until = afperf_own_column_of(table, "until", PERUN_TYPE_INT64);
	own->id = afperf_own_column_of(table, "id", PERUN_TYPE_UINT64);
	own->interval = afperf_own_column_of(table, "interval", PERUN_TYPE_UINT64);
	own->section = afperf_own_column_of(table, "section", PERUN_TYPE_ROW);
	own->more = afperf_own_column_of(table, "more", PERUN_TYPE_BOOL);
	own->of = afperf_own_column_of(table, "of", PERUN_TYPE_ROW);
}

/* What later minor versions had was not understood when the file was read. */
static void report_losses(const struct afperf_own *own)
{
	const struct perun_json *extra =
		perun_json_path(perun_profile_document(own->profile), "/extra/afperf");
	uint64_t records = 0, fields = 0;

	perun_json_as_uint64(perun_json_get(extra, "ignored_records"), &records);
	perun_json_as_uint64(perun_json_get(extra, "ignored_fields"), &fields);
	if (records)
		perun_lost(own->writing->ctx, "records of later minor versions", records);
	if (fields)
		perun_lost(own->writing->ctx, "fields of later minor versions", fields);
}

int afperf_write_own(struct afperf_writing *writing, size_t only)
{
	struct afperf_own own = {.writing = writing,
				 .profile = writing->profile,
				 .runs = perun_profile_table(writing->profile, "runs"),
				 .types =
					 perun_profile_table(writing->profile, "measurement_types"),
				 .sections = perun_profile_table(writing->profile, "sections"),
				 .pauses = perun_profile_table(writing->profile, "pauses"),
				 .processed = perun_profile_table(writing->profile, "processed"),
				 .resources = perun_resources(writing->profile)};
	size_t runs = perun_table_rows(own.runs);

	own.wallclock = strcmp(perun_profile_text(writing->profile, "/extra/afperf/times"),
			       "timestamps") != 0;
	find_columns(&own);
	own.of_types = sort_by_run(&own, own.types);
	own.of_sections = sort_by_run(&own, own.sections);
	own.of_pauses = sort_by_run(&own, own.pauses);
	own.of_processed = sort_by_run(&own, own.processed);
	own.of_resources = sort_by_run(&own, own.resources);
	for (size_t run = 0; run < runs; run++) {
		if (only != SIZE_MAX && run != only)
			continue;
		begin_run(&own, run);
		put_types(&own, run);
		afperf_own_gather_items(&own, run);
		afperf_own_put_items(&own, run);
		put_processed(&own, run);
	}
	report_losses(&own);
	free_rows(&own.of_types);
	free_rows(&own.of_sections);
	free_rows(&own.of_pauses);
	free_rows(&own.of_processed);
	free_rows(&own.of_resources);
	perun_free(own.values);
	perun_free(own.items);
	return PERUN_OK;
}
