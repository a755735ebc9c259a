/* SPDX-License-Identifier: BSD-3-Clause */
/* `perun afperf info`: the runs of a file, and what they hold. */
#include "command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

/* The measurement types of each run, chained. */
struct chains {
	uint32_t *first, *next; /* of a run; of a type */
};

static struct chains chain_types(const struct afperf_file *file)
{
	struct chains chains = {
		perun_alloc_zero(file->run_count + 1u, sizeof *chains.first),
		perun_alloc_zero(file->measurement_count + 1u, sizeof *chains.next)};

	memset(chains.first, 0xFF, (file->run_count + 1u) * sizeof *chains.first);
	for (uint32_t i = file->measurement_count; i-- > 0;) {
		uint32_t run = file->measurements[i].key.second;

		chains.next[i] = chains.first[run];
		chains.first[run] = i;
	}
	return chains;
}

static void free_chains(struct chains *chains)
{
	perun_free(chains->first);
	perun_free(chains->next);
}

static void write_text(struct perun_json_writer *writer, const char *key,
		       const struct afperf_file *file, uint32_t id)
{
	size_t length;
	const char *text = afperf_texts_at(&file->texts, id, &length);

	perun_json_write_key_text(writer, key);
	perun_json_write_string(writer, text, length);
}

static void write_count(struct perun_json_writer *writer, const char *key, uint64_t count)
{
	perun_json_write_key_text(writer, key);
	perun_json_write_uint64(writer, count);
}

/* Of tags with the same name the last holds. */
static void write_tags(struct perun_json_writer *writer, const struct afperf_file *file,
		       uint32_t tags)
{
	struct perun_json *object = perun_json_object();
	struct afperf_slice name, value;
	size_t length;
	const char *text = afperf_texts_at(&file->texts, tags, &length), *end = text + length;

	while (afperf_next_tag(&text, end, &name, &value))
		perun_json_set_n(object, name.data, name.length,
				 perun_json_string(value.data, value.length));
	perun_json_write_key_text(writer, "tags");
	perun_json_write_value(writer, object);
	perun_json_free(object);
}

static void write_types(struct perun_json_writer *writer, const struct afperf_file *file,
			const struct chains *chains, uint32_t run)
{
	perun_json_write_key_text(writer, "measurement_types");
	perun_json_write_array_start(writer);
	for (uint32_t i = chains->first[run]; i != AFPERF_NONE; i = chains->next[i]) {
		const struct afperf_measurement *type = &file->measurements[i];

		if (!type->line)
			continue;
		perun_json_write_object_start(writer);
		write_count(writer, "id", type->key.first);
		write_text(writer, "name", file, type->name);
		perun_json_write_key_text(writer, "datatype");
		perun_json_write_text(writer, afperf_datatypes[type->datatype]);
		write_text(writer, "units", file, type->units);
		write_text(writer, "summary", file, type->summary);
		write_text(writer, "description", file, type->description);
		write_count(writer, "values", type->values);
		perun_json_write_object_end(writer);
	}
	perun_json_write_array_end(writer);
}

static void write_run(struct perun_json_writer *writer, const struct afperf_file *file,
		      const struct chains *chains, uint32_t index)
{
	const struct afperf_run *run = &file->runs[index];

	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "id");
	afperf_write_run_id(run, writer);
	write_text(writer, "application", file, run->name);
	write_text(writer, "application_version", file, run->version);
	write_text(writer, "format_version", file, run->format);
	perun_json_write_key_text(writer, "start");
	perun_json_write_int64(writer, run->start);
	perun_json_write_key_text(writer, "timestamp_units");
	perun_json_write_text(writer, afperf_time_units[run->units].name);
	perun_json_write_key_text(writer, "wallclock");
	perun_json_write_double(writer, run->wallclock);
	write_tags(writer, file, run->tags);
	write_count(writer, "regions", run->regions);
	write_count(writer, "sections", run->sections);
	write_count(writer, "section_intervals", run->intervals);
	write_count(writer, "points", run->points);
	write_count(writer, "aggregates", run->aggregates);
	write_count(writer, "pauses", run->pause_count);
	if (run->first <= run->last) {
		perun_json_write_key_text(writer, "first");
		perun_json_write_int64(writer, run->first);
		perun_json_write_key_text(writer, "last");
		perun_json_write_int64(writer, run->last);
	}
	write_types(writer, file, chains, index);
	perun_json_write_object_end(writer);
}

static int print_json(struct afperf_call *call, const struct afperf_file *file)
{
	struct perun_buffer text = {0};
	struct perun_json_writer *writer = perun_json_writer_new(&text, PERUN_JSON_INDENTED, 2);
	struct chains chains = chain_types(file);

	perun_json_write_object_start(writer);
	perun_json_write_key_text(writer, "runs");
	perun_json_write_array_start(writer);
	for (uint32_t i = 0; i < file->defined_runs; i++)
		write_run(writer, file, &chains, file->run_order[i]);
	free_chains(&chains);
	perun_json_write_array_end(writer);
	if (file->ignored_records || file->ignored_fields) {
		write_count(writer, "ignored_records", file->ignored_records);
		write_count(writer, "ignored_fields", file->ignored_fields);
	}
	return afperf_call_end_json(call, writer, &text);
}

/* ---- for people ------------------------------------------------------------------------------------- */

static void print_line(struct perun_buffer *text, const char *what, const char *value)
{
	char *printable = perun_printable(value);

	perun_buffer_printf(text, "  %-13s %s\n", what, printable);
	perun_free(printable);
}

/* "2021-12-15 00:21:03.713 UTC", `seconds` since 1970. */
static void print_wallclock(double seconds, char out[48])
{
	double whole = floor(seconds);
	int milliseconds;
	time_t time;
	struct tm parts;
	char text[32];

	if (!(fabs(seconds) < 1e11)) {
		perun_snprintf(out, 48, "%.17g s", seconds);
		return;
	}
	milliseconds = (int)((seconds - whole) * 1000 + 0.5);
	time = (time_t)whole + milliseconds / 1000;
	if (!gmtime_r(&time, &parts) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts))
		perun_snprintf(out, 48, "%.17g s", seconds);
	else
		snprintf(out, 48, "%s.%03d UTC", text, milliseconds % 1000);
}

static void print_types(struct perun_buffer *text, const struct afperf_file *file,
			const struct chains *chains, uint32_t run)
{
	for (uint32_t i = chains->first[run]; i != AFPERF_NONE; i = chains->next[i]) {
		const struct afperf_measurement *type = &file->measurements[i];
		char *line, *printable;

		if (!type->line)
			continue;
		line = perun_format(
			"%s, %s, %s: %" PRIu64 " values%s%s", afperf_file_text(file, type->name),
			afperf_datatypes[type->datatype], afperf_file_text(file, type->units),
			type->values, type->summary ? "; " : "",
			afperf_file_text(file, type->summary));
		printable = perun_printable(line);
		perun_buffer_printf(text, "    %" PRIu64 "  %s\n", type->key.first, printable);
		perun_free(printable);
		perun_free(line);
	}
}

static void print_span(struct perun_buffer *text, const struct afperf_run *run)
{
	const struct afperf_time_unit *unit = &afperf_time_units[run->units];
	long double first = run->first, last = run->last, start = run->start;
	int64_t paused = afperf_paused(run, run->first, run->last);
	char from[48], to[48];

	if (run->first > run->last)
		return;
	print_wallclock((double)(run->wallclock + (first - start) / unit->per_second), from);
	print_wallclock((double)(run->wallclock + (last - start) / unit->per_second), to);
	perun_buffer_printf(text, "  %-13s %s to %s (%.9Lg s)\n", "span", from, to,
			    (last - first) / unit->per_second);
	if (run->pause_count)
		perun_buffer_printf(text, "  %-13s %zu, together %.9Lg s\n", "pauses",
				    run->pause_count, paused / (long double)unit->per_second);
}

static void print_run(struct perun_buffer *text, const struct afperf_file *file,
		      const struct chains *chains, uint32_t index)
{
	const struct afperf_run *run = &file->runs[index];
	char wallclock[48];

	perun_buffer_add_text(text, "run ");
	afperf_print_run_id(run, text);
	perun_buffer_add_text(text, "\n");
	print_line(text, "application", afperf_file_text(file, run->name));
	print_line(text, "version", afperf_file_text(file, run->version));
	print_line(text, "format", afperf_file_text(file, run->format));
	print_wallclock(run->wallclock, wallclock);
	perun_buffer_printf(text, "  %-13s %s = %" PRId64 " %s\n", "start", wallclock, run->start,
			    afperf_time_units[run->units].name);
	print_span(text, run);
	if (run->tags)
		print_line(text, "tags", afperf_file_text(file, run->tags));
	perun_buffer_printf(text,
			    "  %-13s %" PRIu64 " regions, %" PRIu64 " sections with %" PRIu64
			    " intervals\n",
			    "intervals", run->regions, run->sections, run->intervals);
	perun_buffer_printf(
		text, "  %-13s %" PRIu64 " in point records, %" PRIu64 " in aggregate records\n",
		"values", run->points, run->aggregates);
	print_types(text, file, chains, index);
}

static int print_text(struct afperf_call *call, const struct afperf_file *file)
{
	struct chains chains = chain_types(file);
	struct perun_buffer text = {0};
	int status;

	for (uint32_t i = 0; i < file->defined_runs; i++)
		print_run(&text, file, &chains, file->run_order[i]);
	free_chains(&chains);
	if (!file->defined_runs)
		perun_buffer_add_text(&text, "no runs\n");
	status = perun_output_write(call->output, text.data, text.length);
	perun_buffer_free(&text);
	return status;
}

int afperf_run_info(struct afperf_call *call, const char *path)
{
	struct afperf_file file = {0};
	int status = afperf_call_read(call, path, &file, NULL);

	if (!status)
		status = call->json ? print_json(call, &file) : print_text(call, &file);
	if (!status)
		afperf_call_report_left_out(call);
	afperf_file_free(&file);
	return status;
}
