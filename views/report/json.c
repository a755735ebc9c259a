/* SPDX-License-Identifier: BSD-3-Clause */
/* The report for programs. */
#include <config.h>

#include <math.h>

#include "views/report/report.h"

static void write_number(struct perun_json_writer *writer, const char *key, long double number)
{
	perun_json_write_key_text(writer, key);
	views_write_number(writer, number);
}

static void write_text(struct perun_json_writer *writer, const char *key, const char *text)
{
	perun_json_write_key_text(writer, key);
	if (text)
		perun_json_write_text(writer, text);
	else
		perun_json_write_null(writer);
}

/* Relative to what was; null where there was nothing. */
static long double relative(long double base, long double new)
{
	return base != 0 ? (new - base) / fabsl(base) : (long double)NAN;
}

static void write_callers(struct perun_json_writer *writer, const struct report_function *function)
{
	perun_json_write_key_text(writer, "callers");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < function->caller_count; i++) {
		const struct report_caller *caller = &function->callers[i];

		perun_json_write_object_start(writer);
		write_text(writer, "name", caller->name);
		write_number(writer, "base_self", caller->base);
		write_number(writer, "new_self", caller->new);
		write_number(writer, "self_delta", caller->new - caller->base);
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
	perun_json_write_key_text(writer, "path");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < function->path_count; i++)
		perun_json_write_text(writer, function->path[i]);
	perun_json_write_array_end(writer);
}

static void write_function(struct perun_json_writer *writer, const struct report *report,
			   const struct report_function *function)
{
	const struct views_row *row = function->row;
	long double delta = row->self[1] - row->self[0];

	perun_json_write_object_start(writer);
	write_text(writer, "name", row->name);
	write_text(writer, "file", row->file ? row->file : "");
	write_number(writer, "base_self", row->self[0]);
	write_number(writer, "new_self", row->self[1]);
	write_number(writer, "self_delta", delta);
	write_number(writer, "self_relative", relative(row->self[0], row->self[1]));
	write_number(writer, "share", fabsl(delta) / (report->grown + report->shrunk));
	write_number(writer, "base_total", row->total[0]);
	write_number(writer, "new_total", row->total[1]);
	write_number(writer, "total_delta", row->total[1] - row->total[0]);
	perun_json_write_key_text(writer, "noise");
	if (report->sampled || report->repeated)
		perun_json_write_bool(writer, function->noise);
	else
		perun_json_write_null(writer);
	write_callers(writer, function);
	perun_json_write_object_end(writer);
}

static void write_metrics(struct perun_json_writer *writer, const struct report *report)
{
	perun_json_write_key_text(writer, "metrics");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < report->metric_count; i++) {
		const struct report_metric *metric = &report->metrics[i];
		long double base = metric->comparable ? metric->base : (long double)NAN;

		perun_json_write_object_start(writer);
		write_text(writer, "name", metric->name);
		write_text(writer, "unit", metric->unit);
		write_number(writer, "base", base);
		write_number(writer, "new", metric->new);
		write_number(writer, "relative", relative(base, metric->new));
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
}

void report_add_json(const struct report *report, struct perun_buffer *out)
{
	struct perun_json_writer *writer = perun_json_writer_new(out, PERUN_JSON_INDENTED, 1);

	perun_json_write_object_start(writer);
	write_text(writer, "view", "report");
	views_write_pair(writer, &report->pair);
	write_number(writer, "grown", report->grown);
	write_number(writer, "shrunk", report->shrunk);
	perun_json_write_key_text(writer, "functions");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < report->function_count; i++)
		write_function(writer, report, &report->functions[i]);
	perun_json_write_array_end(writer);
	write_number(writer, "others", report->others);
	write_metrics(writer, report);
	perun_json_write_key_text(writer, "remarks");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < report->remark_count; i++)
		perun_json_write_text(writer, report->remarks[i]);
	perun_json_write_array_end(writer);
	perun_json_write_object_end(writer);
	perun_json_writer_finish(writer);
	perun_buffer_add_char(out, '\n');
}
