/* SPDX-License-Identifier: BSD-3-Clause */
/* `perun afperf reduce`: raw values as aggregates, in JSON or as a table. */
#include "reduce.h"

#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "results.h"
#include "views/common/sheet.h"

static const char *const level_names[] = {"run", "region", "section"};

static void write_number(struct perun_json_writer *writer, const char *key, long double number,
			 bool integer)
{
	perun_json_write_key_text(writer, key);
	if (!isfinite((double)number))
		perun_json_write_null(writer);
	else if (integer && fabsl(number) < 0x1p63L)
		perun_json_write_int64(writer, (int64_t)number);
	else
		perun_json_write_double(writer, (double)number);
}

static void write_row(struct perun_json_writer *writer, const struct afperf_file *file,
		      const struct afperf_row *row)
{
	const struct afperf_summary *summary = &row->summary;
	size_t length;
	const char *label = afperf_texts_at(&file->texts, row->label, &length);

	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "run");
	afperf_write_run_id(&file->runs[row->run], writer);
	perun_json_write_key_text(writer, "level");
	perun_json_write_text(writer, level_names[row->level]);
	perun_json_write_key_text(writer, "label");
	perun_json_write_string(writer, label, length);
	perun_json_write_key_text(writer, "measurement");
	perun_json_write_string(writer, row->measurement, row->measurement_length);
	perun_json_write_key_text(writer, "units");
	perun_json_write_string(writer, row->units, row->units_length);
	perun_json_write_key_text(writer, "count");
	perun_json_write_uint64(writer, summary->count);
	write_number(writer, "sum", summary->sum, summary->integers);
	write_number(writer, "mean", summary->mean, false);
	write_number(writer, "std", summary->std, false);
	write_number(writer, "min", summary->min, summary->integers);
	write_number(writer, "max", summary->max, summary->integers);
	perun_json_write_object_end(writer);
}

static int print_json(struct afperf_call *call, const struct afperf_file *file,
		      const struct afperf_row *rows, size_t count)
{
	struct perun_buffer text = {0};
	struct perun_json_writer *writer = perun_json_writer_new(&text, PERUN_JSON_INDENTED, 2);

	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "rows");
	perun_json_write_array_start(writer);
	for (size_t i = 0; i < count; i++)
		write_row(writer, file, &rows[i]);
	perun_json_write_array_end(writer);
	return afperf_call_end_json(call, writer, &text);
}

/* ---- CSV (RFC 4180) --------------------------------------------------------------------------------- */

static void add_field(struct perun_buffer *out, const char *text, size_t length)
{
	bool quoted = memchr(text, ',', length) || memchr(text, '"', length) ||
		      memchr(text, '\n', length) || memchr(text, '\r', length);

	if (quoted)
		perun_buffer_add_char(out, '"');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"')
			perun_buffer_add_char(out, '"');
		perun_buffer_add_char(out, text[i]);
	}
	perun_buffer_add_text(out, quoted ? "\"," : ",");
}

/* What is not finite is left empty. */
static void add_number(struct perun_buffer *out, long double number, bool integer, char last)
{
	char text[PERUN_JSON_NUMBER_SIZE];

	if (integer && fabsl(number) < 0x1p63L) {
		perun_buffer_printf(out, "%" PRId64, (int64_t)number);
	} else if (isfinite((double)number)) {
		perun_json_print_double((double)number, text);
		perun_buffer_add_text(out, text);
	}
	perun_buffer_add_char(out, last);
}

static int print_csv(struct afperf_call *call, const struct afperf_file *file,
		     const struct afperf_row *rows, size_t count)
{
	struct perun_buffer out = {0};
	int status;

	perun_buffer_add_text(&out,
			      "run,level,label,measurement,units,count,sum,mean,std,min,max\n");
	for (size_t i = 0; i < count; i++) {
		const struct afperf_summary *summary = &rows[i].summary;
		size_t length;
		const char *label = afperf_texts_at(&file->texts, rows[i].label, &length);

		if (!file->runs[rows[i].run].blank)
			perun_buffer_printf(&out, "%" PRIu64, file->runs[rows[i].run].key.first);
		perun_buffer_printf(&out, ",%s,", level_names[rows[i].level]);
		add_field(&out, label, length);
		add_field(&out, rows[i].measurement, rows[i].measurement_length);
		add_field(&out, rows[i].units, rows[i].units_length);
		perun_buffer_printf(&out, "%" PRIu64 ",", summary->count);
		add_number(&out, summary->sum, summary->integers, ',');
		add_number(&out, summary->mean, false, ',');
		add_number(&out, summary->std, false, ',');
		add_number(&out, summary->min, summary->integers, ',');
		add_number(&out, summary->max, summary->integers, '\n');
	}
	status = perun_output_write(call->output, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}

/* ---- for people ------------------------------------------------------------------------------------- */

/* The columns of the numbers begin after those of the names. */
enum { LEVEL, LABEL, MEASUREMENT, COUNT, NUMBERS };
static const char *const number_titles[] = {"sum", "mean", "std", "min", "max"};
/* Names may be cut to this many columns. */
enum { MIN_NAME = 12 };

static void add_columns(struct views_sheet *sheet)
{
	views_sheet_column(sheet, "level", false, 0);
	views_sheet_column(sheet, "label", false, MIN_NAME);
	views_sheet_column(sheet, "measurement", false, MIN_NAME);
	views_sheet_column(sheet, "count", true, 0);
	for (size_t i = 0; i < sizeof number_titles / sizeof *number_titles; i++)
		views_sheet_column(sheet, number_titles[i], true, 0);
}

static void add_row(struct views_sheet *sheet, const struct afperf_file *file,
		    const struct afperf_row *row)
{
	const struct afperf_summary *summary = &row->summary;
	const long double numbers[] = {summary->sum, summary->mean, summary->std, summary->min,
				       summary->max};

	views_sheet_row(sheet);
	views_sheet_set(sheet, LEVEL, VIEWS_PLAIN, "%s", level_names[row->level]);
	views_sheet_set(sheet, LABEL, VIEWS_PLAIN, "%s", afperf_file_text(file, row->label));
	views_sheet_set(sheet, MEASUREMENT, VIEWS_PLAIN, "%s (%s)", row->measurement, row->units);
	views_sheet_set(sheet, COUNT, VIEWS_PLAIN, "%" PRIu64, summary->count);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (isfinite((double)numbers[i]))
			views_sheet_set(sheet, NUMBERS + i, VIEWS_PLAIN, "%.6Lg", numbers[i]);
		else
			views_sheet_set(sheet, NUMBERS + i, VIEWS_PLAIN, "-");
	}
}

/* A table for each run. */
static int print_tables(struct afperf_call *call, const struct afperf_file *file,
			const struct afperf_row *rows, size_t count)
{
	struct perun_buffer id = {0};

	for (size_t i = 0; i < count;) {
		const uint32_t run = rows[i].run;
		struct views_sheet sheet = {0};

		perun_buffer_clear(&id);
		afperf_print_run_id(&file->runs[run], &id);
		perun_output_printf(call->output, "%srun %s\n", i ? "\n" : "", id.data);
		add_columns(&sheet);
		for (; i < count && rows[i].run == run; i++)
			add_row(&sheet, file, &rows[i]);
		views_sheet_write(&sheet, &call->canvas, 0);
		views_sheet_clear(&sheet);
	}
	perun_buffer_free(&id);
	return PERUN_OK;
}

static int print(struct afperf_call *call, const struct afperf_file *file,
		 const struct afperf_row *rows, size_t count)
{
	const char *format = perun_option_string(call->options, "to");

	if (format)
		return afperf_write_results(call, file, rows, count, format);
	if (perun_option_flag(call->options, "csv"))
		return print_csv(call, file, rows, count);
	return call->json ? print_json(call, file, rows, count)
			  : print_tables(call, file, rows, count);
}

int afperf_run_reduce(struct afperf_call *call, const char *path)
{
	struct afperf_filter filter = {0};
	struct afperf_reduction reduction = {
		.deduct_pauses = perun_option_flag(call->options, "deduct-pauses"),
		.filter = &filter};
	struct afperf_listener listener = {.data = &reduction,
					   .record = afperf_reduce_record,
					   .restart = afperf_reduce_restart};
	struct afperf_file file = {0};
	struct afperf_row *rows = NULL;
	size_t count;
	int status = afperf_call_filter(call, &filter);

	if (!status)
		status = afperf_call_read(call, path, &file, &listener);
	if (!status) {
		rows = afperf_reduce_rows(&file, &reduction, &count);
		status = print(call, &file, rows, count);
	}
	if (!status)
		afperf_call_report_left_out(call);
	perun_free(rows);
	afperf_filter_clear(&filter);
	afperf_reduction_free(&reduction);
	afperf_file_free(&file);
	return status;
}
