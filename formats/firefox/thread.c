/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread as JSON: its samples and tables, column by column. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tables.h"

static void write_integer(struct perun_json_writer *json, const char *key, int64_t value)
{
	perun_json_write_key_text(json, key);
	perun_json_write_int64(json, value);
}

static void write_string(struct perun_json_writer *json, const char *key, const char *value)
{
	perun_json_write_key_text(json, key);
	perun_json_write_text(json, value);
}

static void begin(struct perun_json_writer *json, const char *key)
{
	perun_json_write_key_text(json, key);
	perun_json_write_object_start(json);
}

static void begin_array(struct perun_json_writer *json, const char *key)
{
	perun_json_write_key_text(json, key);
	perun_json_write_array_start(json);
}

/* A row's number, or null for none. */
static void write_row(struct perun_json_writer *json, int64_t row)
{
	if (row == FIREFOX_NONE)
		perun_json_write_null(json);
	else
		perun_json_write_int64(json, row);
}

/* A column that holds the same everywhere: null, a number, false. */
static void write_same(struct perun_json_writer *json, const char *key, size_t count,
		       const char *value)
{
	begin_array(json, key);
	for (size_t i = 0; i < count; i++)
		perun_json_write_raw(json, value, strlen(value));
	perun_json_write_array_end(json);
}

/* Whole numbers stay whole. */
static void write_weight(struct perun_json_writer *json, double value)
{
	if (value == floor(value) && fabs(value) < 9007199254740992.0)
		perun_json_write_int64(json, (int64_t)value);
	else
		perun_json_write_double(json, value);
}

/* Milliseconds from the first sample on; whole numbers are subtracted as such, since they may be large. */
static double time_of(const struct firefox_weights *weights, size_t row)
{
	const struct perun_column *time = weights->time;

	if (perun_column_info(time)->type == PERUN_TYPE_INT64)
		return (double)(perun_column_int64(time, row) -
				perun_column_int64(time, weights->start)) /
		       weights->per_ms;
	return (perun_column_double(time, row) - perun_column_double(time, weights->start)) /
	       weights->per_ms;
}

static void write_samples(struct perun_json_writer *json, struct firefox_tables *tables,
			  const struct firefox_thread *thread,
			  const struct firefox_weights *weights)
{
	const struct perun_column *stacks =
		perun_table_column(perun_resources(tables->profile), "stack");
	double clock = 0;

	begin(json, "samples");
	write_integer(json, "length", (int64_t)thread->count);
	begin_array(json, "stack");
	for (size_t i = 0; i < thread->count; i++)
		write_row(json,
			  firefox_tables_stack(tables, perun_column_id(stacks, thread->rows[i])));
	perun_json_write_array_end(json);
	begin_array(json, "time");
	for (size_t i = 0; i < thread->count; i++) {
		if (weights->time)
			perun_json_write_double(json, time_of(weights, thread->rows[i]));
		else
			write_weight(json, clock++);
	}
	perun_json_write_array_end(json);
	begin_array(json, "weight");
	for (size_t i = 0; i < thread->count; i++) {
		double value = perun_column_double(weights->metric->values, thread->rows[i]);

		write_weight(json, isfinite(value) ? value * weights->factor : 0);
	}
	perun_json_write_array_end(json);
	write_string(json, "weightType", weights->type);
	perun_json_write_object_end(json);
}

static void write_stacks(struct perun_json_writer *json, const struct firefox_tables *tables)
{
	begin(json, "stackTable");
	write_integer(json, "length", (int64_t)tables->stack_count);
	begin_array(json, "frame");
	for (size_t i = 0; i < tables->stack_count; i++)
		perun_json_write_int64(json, tables->stacks[i].frame);
	perun_json_write_array_end(json);
	begin_array(json, "prefix");
	for (size_t i = 0; i < tables->stack_count; i++)
		write_row(json, tables->stacks[i].prefix);
	perun_json_write_array_end(json);
	write_same(json, "category", tables->stack_count, "0");
	write_same(json, "subcategory", tables->stack_count, "0");
	perun_json_write_object_end(json);
}

static const struct perun_line *line_of(const struct firefox_tables *tables,
					const struct firefox_frame *frame)
{
	const struct perun_location *place =
		perun_profile_location(tables->profile, frame->location);

	return frame->line_index < place->line_count ? &place->lines[frame->line_index] : NULL;
}

/* How many callers of the same address the frame is inlined into. */
static int64_t inline_depth(const struct firefox_tables *tables, const struct firefox_frame *frame)
{
	uint32_t lines = perun_profile_location(tables->profile, frame->location)->line_count;

	return lines ? (int64_t)lines - 1 - frame->line_index : 0;
}

static void write_frames(struct perun_json_writer *json, const struct firefox_tables *tables)
{
	size_t count = tables->frame_count;

	begin(json, "frameTable");
	write_integer(json, "length", (int64_t)count);
	begin_array(json, "address");
	for (size_t i = 0; i < count; i++) {
		uint64_t address =
			perun_profile_location(tables->profile, tables->frames[i].location)
				->address;

		/* The format has numbers of JavaScript: larger ones cannot be exact. */
		write_row(json, address && address < (1ull << 53) ? (int64_t)address : -1);
	}
	perun_json_write_array_end(json);
	begin_array(json, "inlineDepth");
	for (size_t i = 0; i < count; i++)
		perun_json_write_int64(json, inline_depth(tables, &tables->frames[i]));
	perun_json_write_array_end(json);
	write_same(json, "category", count, "0");
	write_same(json, "subcategory", count, "0");
	begin_array(json, "func");
	for (size_t i = 0; i < count; i++)
		perun_json_write_int64(json, tables->frames[i].function);
	perun_json_write_array_end(json);
	write_same(json, "nativeSymbol", count, "null");
	write_same(json, "innerWindowID", count, "0");
	write_same(json, "implementation", count, "null");
	begin_array(json, "line");
	for (size_t i = 0; i < count; i++) {
		const struct perun_line *line = line_of(tables, &tables->frames[i]);

		write_row(json, line && line->line > 0 ? line->line : FIREFOX_NONE);
	}
	perun_json_write_array_end(json);
	begin_array(json, "column");
	for (size_t i = 0; i < count; i++) {
		const struct perun_line *line = line_of(tables, &tables->frames[i]);

		write_row(json, line && line->column > 0 ? line->column : FIREFOX_NONE);
	}
	perun_json_write_array_end(json);
	perun_json_write_object_end(json);
}

static void write_functions(struct perun_json_writer *json, const struct firefox_tables *tables)
{
	const struct firefox_function *functions = tables->functions;
	size_t count = tables->function_count;

	begin(json, "funcTable");
	write_integer(json, "length", (int64_t)count);
	begin_array(json, "name");
	for (size_t i = 0; i < count; i++)
		perun_json_write_int64(json, functions[i].name);
	perun_json_write_array_end(json);
	write_same(json, "isJS", count, "false");
	write_same(json, "relevantForJS", count, "false");
	begin_array(json, "resource");
	for (size_t i = 0; i < count; i++)
		perun_json_write_int64(json, functions[i].resource); /* here -1 is none */
	perun_json_write_array_end(json);
	begin_array(json, "fileName");
	for (size_t i = 0; i < count; i++)
		write_row(json, functions[i].file);
	perun_json_write_array_end(json);
	begin_array(json, "lineNumber");
	for (size_t i = 0; i < count; i++)
		write_row(json, functions[i].line > 0 ? functions[i].line : FIREFOX_NONE);
	perun_json_write_array_end(json);
	write_same(json, "columnNumber", count, "null");
	perun_json_write_object_end(json);
}

static void write_resources(struct perun_json_writer *json, const struct firefox_tables *tables)
{
	size_t count = tables->resource_count;

	begin(json, "resourceTable");
	write_integer(json, "length", (int64_t)count);
	write_same(json, "lib", count, "null");
	begin_array(json, "name");
	for (size_t i = 0; i < count; i++)
		perun_json_write_int64(json, firefox_tables_string(tables, tables->resources[i]));
	perun_json_write_array_end(json);
	write_same(json, "host", count, "null");
	write_same(json, "type", count, "1"); /* a library */
	perun_json_write_object_end(json);
}

static void write_strings(struct perun_json_writer *json, const struct firefox_tables *tables)
{
	const char *text = tables->strings.data;

	begin_array(json, "stringArray");
	for (size_t i = 0; i < tables->string_count; i++, text += strlen(text) + 1)
		perun_json_write_text(json, text);
	perun_json_write_array_end(json);
}

/* Tables that have nothing to say, but must be there. */
static void write_empty(struct perun_json_writer *json, const char *key, const char *const *columns)
{
	begin(json, key);
	write_integer(json, "length", 0);
	for (; *columns; columns++)
		write_same(json, *columns, 0, "");
	perun_json_write_object_end(json);
}

static void write_identity(struct perun_json_writer *json, const struct perun_profile *profile,
			   const struct firefox_thread *thread, bool first)
{
	const char *name = thread->name == PERUN_NO_ID
				   ? NULL
				   : perun_profile_string(profile, thread->name, NULL);
	const char *process = thread->process == PERUN_NO_ID
				      ? name
				      : perun_profile_string(profile, thread->process, NULL);
	char pid[32];

	write_string(json, "processType", "default");
	write_integer(json, "processStartupTime", 0);
	perun_json_write_key_text(json, "processShutdownTime");
	perun_json_write_null(json);
	write_integer(json, "registerTime", 0);
	perun_json_write_key_text(json, "unregisterTime");
	perun_json_write_null(json);
	write_same(json, "pausedRanges", 0, "");
	write_string(json, "name", name ? name : "samples");
	perun_json_write_key_text(json, "isMainThread");
	perun_json_write_bool(json, first || (thread->pid >= 0 && thread->pid == thread->tid));
	write_string(json, "processName", process ? process : "program");
	snprintf(pid, sizeof pid, "%lld", (long long)(thread->pid < 0 ? 0 : thread->pid));
	write_string(json, "pid",
		     thread->pid_text == PERUN_NO_ID
			     ? pid
			     : perun_profile_string(profile, thread->pid_text, NULL));
	write_integer(json, "tid", thread->tid < 0 ? 0 : thread->tid);
}

void firefox_write_thread(struct perun_json_writer *json, const struct perun_profile *profile,
			  const struct firefox_thread *thread,
			  const struct firefox_weights *weights, bool first)
{
	static const char *const markers[] = {"category", "data",      "endTime", "name",
					      "phase",    "startTime", NULL};
	static const char *const symbols[] = {"address", "functionSize", "libIndex", "name", NULL};
	struct firefox_tables tables;

	firefox_tables_begin(&tables, profile);
	perun_json_write_object_start(json);
	write_identity(json, profile, thread, first);
	write_samples(json, &tables, thread, weights);
	write_empty(json, "markers", markers);
	write_stacks(json, &tables);
	write_frames(json, &tables);
	write_functions(json, &tables);
	write_resources(json, &tables);
	write_empty(json, "nativeSymbols", symbols);
	write_strings(json, &tables);
	perun_json_write_object_end(json);
	firefox_tables_free(&tables);
}
