/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of reduce as processed aggregates of AFPerf, or as a profile for every other format. */
#include "results.h"

#include "formats/common/afperf/writing.h"

static const char *const level_names[] = {"run", "region", "section"};

/* What a row holds, by the names that the specification gives aggregations. */
static const struct {
	const char *name, *column;
	size_t offset;
} statistics[] = {
	{"sum", "sum", offsetof(struct afperf_summary, sum)},
	{"mean", "mean", offsetof(struct afperf_summary, mean)},
	{"std deviation", "std", offsetof(struct afperf_summary, std)},
	{"min", "min", offsetof(struct afperf_summary, min)},
	{"max", "max", offsetof(struct afperf_summary, max)},
};
enum { STATISTICS = sizeof statistics / sizeof *statistics };

static double statistic(const struct afperf_row *row, size_t i)
{
	return (double)*(const long double *)(const void *)((const char *)&row->summary +
							    statistics[i].offset);
}

/* ---- AFPerf ----------------------------------------------------------------------------------------- */

static void put_text(struct afperf_writing *writing, const struct afperf_file *file, uint32_t text)
{
	size_t length;
	const char *data = afperf_texts_at(&file->texts, text, &length);

	afperf_put_text(writing, data, length);
}

static void put_run_id(struct afperf_writing *writing, const struct afperf_run *run)
{
	if (run->blank)
		afperf_put_blank(writing);
	else
		afperf_put_uint64(writing, run->key.first);
}

static void put_run(struct afperf_writing *writing, const struct afperf_file *file,
		    const struct afperf_run *run)
{
	afperf_put_type(writing, AFPERF_RUN_INFO);
	afperf_put_int64(writing, run->start);
	afperf_put_word(writing, afperf_time_units[run->units].name);
	afperf_put_double(writing, run->wallclock);
	put_text(writing, file, run->format);
	put_run_id(writing, run);
	put_text(writing, file, run->name);
	put_text(writing, file, run->version);
	put_text(writing, file, run->tags);
	afperf_end_record(writing);
}

/* A processed record has the id of its run only: the label is the name of a type of its own. */
static void put_type(struct afperf_writing *writing, const struct afperf_file *file,
		     const struct afperf_row *row, uint64_t id)
{
	const struct afperf_run *run = &file->runs[row->run];
	const char *label = afperf_file_text(file, row->label);
	char *name = row->level == AFPERF_LEVEL_RUN
			     ? perun_strdup(row->measurement)
			     : perun_format("%s: %s", label, row->measurement);

	afperf_put_type(writing, AFPERF_MEASUREMENT_TYPE);
	afperf_put_int64(writing, run->start);
	put_run_id(writing, run);
	afperf_put_uint64(writing, id);
	afperf_put_word(writing, name);
	afperf_put_word(writing, row->summary.integers ? "int64" : "double");
	afperf_put_text(writing, row->units, row->units_length);
	afperf_put_blank(writing);
	afperf_put_blank(writing);
	afperf_end_record(writing);
	perun_free(name);
}

static void put_aggregate(struct afperf_writing *writing, const struct afperf_file *file,
			  const struct afperf_row *row, uint64_t id, const char *aggregation,
			  double value)
{
	static const enum afperf_type types[] = {AFPERF_RUN_AGGREGATE, AFPERF_REGION_AGGREGATE,
						 AFPERF_SECTION_AGGREGATE};

	afperf_put_type(writing, types[row->level]);
	afperf_put_int64(writing, row->end);
	afperf_put_int64(writing, row->start);
	put_run_id(writing, &file->runs[row->run]);
	if (row->level == AFPERF_LEVEL_SECTION)
		afperf_put_blank(writing);
	afperf_put_word(writing, aggregation);
	afperf_put_uint64(writing, id);
	afperf_put_double(writing, value);
	afperf_end_record(writing);
}

static int write_afperf(struct afperf_call *call, const struct afperf_file *file,
			const struct afperf_row *rows, size_t count)
{
	struct afperf_writing writing = {.ctx = call->ctx};
	int status = afperf_call_open(call, &writing.output);

	if (status)
		return status;
	perun_buffer_add_text(&writing.text, AFPERF_HEADER "\n");
	for (size_t i = 0; i < count; i++) {
		uint64_t id = i + 1;

		if (i == 0 || rows[i].run != rows[i - 1].run)
			put_run(&writing, file, &file->runs[rows[i].run]);
		put_type(&writing, file, &rows[i], id);
		put_aggregate(&writing, file, &rows[i], id, "count", (double)rows[i].summary.count);
		for (size_t k = 0; k < STATISTICS; k++)
			put_aggregate(&writing, file, &rows[i], id, statistics[k].name,
				      statistic(&rows[i], k));
	}
	status = perun_output_write(writing.output, writing.text.data, writing.text.length);
	perun_buffer_free(&writing.text);
	return afperf_call_close(call, writing.output, status);
}

/* ---- a profile -------------------------------------------------------------------------------------- */

struct result_columns {
	struct perun_column_builder *run, *level, *uid, *metric, *units, *count, *of[STATISTICS];
};

static void add_columns(struct perun_table_builder *table, struct result_columns *columns)
{
	struct perun_column_info info = {.type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY};

	info.name = "uid";
	columns->uid = perun_table_add_column(table, &info);
	info.name = "level";
	columns->level = perun_table_add_column(table, &info);
	info.name = "metric";
	columns->metric = perun_table_add_column(table, &info);
	info.name = "units";
	columns->units = perun_table_add_column(table, &info);
	info.name = "run";
	info.type = PERUN_TYPE_UINT64;
	columns->run = perun_table_add_column(table, &info);
	for (size_t i = 0; i < STATISTICS; i++) {
		info.name = statistics[i].column;
		info.type = PERUN_TYPE_DOUBLE;
		info.role = i ? PERUN_ROLE_STATISTIC : PERUN_ROLE_METRIC;
		info.refers = i ? "sum" : NULL;
		info.statistic = i ? statistics[i].column : NULL;
		columns->of[i] = perun_table_add_column(table, &info);
	}
	info.name = info.statistic = "count";
	info.type = PERUN_TYPE_UINT64;
	columns->count = perun_table_add_column(table, &info);
}

static void set_text(struct perun_builder *builder, struct perun_column_builder *column,
		     const char *text, size_t length)
{
	perun_column_set_id(column, PERUN_TYPE_STRING, perun_builder_string(builder, text, length));
}

static void add_row(struct perun_builder *builder, struct perun_table_builder *table,
		    const struct result_columns *columns, const struct afperf_file *file,
		    const struct afperf_row *row)
{
	const struct afperf_run *run = &file->runs[row->run];
	size_t length;
	const char *label = afperf_texts_at(&file->texts, row->label, &length);

	set_text(builder, columns->uid, label, length);
	set_text(builder, columns->level, level_names[row->level], strlen(level_names[row->level]));
	set_text(builder, columns->metric, row->measurement, row->measurement_length);
	set_text(builder, columns->units, row->units, row->units_length);
	if (!run->blank)
		perun_column_set_uint64(columns->run, run->key.first);
	for (size_t i = 0; i < STATISTICS; i++)
		if (isfinite(statistic(row, i)))
			perun_column_set_double(columns->of[i], statistic(row, i));
	perun_column_set_uint64(columns->count, row->summary.count);
	perun_table_end_row(table);
}

int afperf_write_results(struct afperf_call *call, const struct afperf_file *file,
			 const struct afperf_row *rows, size_t count, const char *format)
{
	struct perun_builder *builder;
	struct perun_table_builder *table;
	struct perun_profile *profile;
	struct result_columns columns;
	int status;

	if (strcmp(format, "afperf") == 0)
		return write_afperf(call, file, rows, count);
	builder = perun_builder_new();
	table = perun_builder_table(builder, "resources");
	add_columns(table, &columns);
	for (size_t i = 0; i < count; i++)
		add_row(builder, table, &columns, file, &rows[i]);
	status = perun_builder_finish(call->ctx, builder, &profile);
	if (status)
		return status;
	status = afperf_call_write(call, profile, format);
	perun_profile_unref(profile);
	return status;
}
