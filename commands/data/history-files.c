/* SPDX-License-Identifier: BSD-3-Clause */
/* perun export --history: what a store knows of its versions, for other tools. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/history.h>
#include <perun/lib/statistics.h>

#include "commands/common/output.h"
#include "csv.h"
#include "data.h"

/* A suite of data.js: values of one command with one direction. */
struct suite {
	char *name;
	bool bigger;
	struct perun_json *benches; /* of the profile at hand, or NULL */
	struct perun_buffer runs;   /* those of before, as JSON */
};

struct export
{
	struct perun_ctx *ctx;
	struct perun_output *output;
	struct perun_store *store;
	struct perun_version_line *line;
	struct perun_reader *reader;
	bool script; /* data.js */
	struct suite *suites;
	size_t suite_count;
	int64_t newest;  /* of the commits */
	size_t versions; /* that have a profile */
};

/* ---- csv -------------------------------------------------------------------------------------- */

static const char *better_of(const struct perun_value *value)
{
	enum perun_direction better = value->better ? value->better : value->likely;

	return better == PERUN_BETTER_HIGHER  ? "higher"
	       : better == PERUN_BETTER_LOWER ? "lower"
					      : "";
}

/* "2024-01-31T12:00:00Z" */
static char *date_text(int64_t date)
{
	int64_t days = date / 86400 - (date % 86400 < 0), second = date - days * 86400;
	int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t of_era = z - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t day = of_era - (365 * year + year / 4 - year / 100), month = (5 * day + 2) / 153;

	day -= (153 * month + 2) / 5 - 1;
	month += month < 10 ? 3 : -9;
	year += era * 400 + (month <= 2);
	return perun_format("%04lld-%02lld-%02lldT%02lld:%02lld:%02lldZ", (long long)year,
			    (long long)month, (long long)day, (long long)(second / 3600),
			    (long long)(second / 60 % 60), (long long)(second % 60));
}

/* A line for each repeat. */
static int write_rows(struct export *export, const struct perun_minor_version *version,
		      const struct perun_measured_profile *profile, const struct perun_value *value)
{
	struct perun_buffer line = {0};
	char *date = date_text(version->date);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < value->count; i++) {
		char digits[PERUN_JSON_NUMBER_SIZE];

		perun_json_print_double(value->repeats[i], digits);
		perun_buffer_clear(&line);
		csv_add_field(&line, version->checksum, ',');
		csv_add_field(&line, date, ',');
		csv_add_field(&line, value->location, ',');
		csv_add_field(&line, value->metric, ',');
		csv_add_field(&line, digits, ',');
		csv_add_field(&line, value->unit, ',');
		csv_add_field(&line, better_of(value), ',');
		csv_add_field(&line, value->command, ',');
		csv_add_field(&line, value->workload, ',');
		csv_add_field(&line, profile->machine, '\n');
		status = perun_output_write(export->output, line.data, line.length);
	}
	perun_free(date);
	perun_buffer_free(&line);
	return status;
}

/* ---- data.js ---------------------------------------------------------------------------------- */

static struct suite *find_suite(struct export *export, const struct perun_value *value,
				const struct perun_measured_profile *profile)
{
	bool bigger = strcmp(better_of(value), "higher") == 0;
	char *name = perun_format("%s%s%s%s%s%s%s", value->command,
				  *value->command && *value->workload ? " " : "", value->workload,
				  *profile->machine ? " (" : "", profile->machine,
				  *profile->machine ? ")" : "", bigger ? ", higher is better" : "");
	struct suite *suite;

	for (size_t i = export->suite_count; i-- > 0;) {
		if (strcmp(export->suites[i].name, name) == 0) {
			perun_free(name);
			return &export->suites[i];
		}
	}
	export->suites = perun_realloc_array(export->suites, export->suite_count + 1,
					     sizeof *export->suites);
	suite = &export->suites[export->suite_count++];
	*suite = (struct suite){.name = name, .bigger = bigger};
	return suite;
}

/* The standard deviation of repeats; NaN = there are too few. */
static double deviation_of(const struct perun_value *value)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < value->count; i++)
		mean += value->repeats[i] / (double)value->count;
	for (size_t i = 0; i < value->count; i++)
		squares += (value->repeats[i] - mean) * (value->repeats[i] - mean);
	return value->count > 1 ? sqrt(squares / (double)(value->count - 1)) : NAN;
}

static void add_bench(struct export *export, const struct perun_measured_profile *profile,
		      const struct perun_value *value)
{
	struct suite *suite = find_suite(export, value, profile);
	const char *name = *value->location ? value->location : value->command;
	struct perun_json *bench = perun_json_object();
	double deviation = deviation_of(value);
	char digits[PERUN_JSON_NUMBER_SIZE];

	if (!suite->benches)
		suite->benches = perun_json_array();
	if (strcmp(value->metric, "time(real)") == 0) {
		perun_json_set(bench, "name", perun_json_text(name));
	} else {
		char *both = perun_format("%s - %s", name, value->metric);

		perun_json_set(bench, "name", perun_json_text(both));
		perun_free(both);
	}
	perun_json_set(bench, "value",
		       perun_json_double(perun_median(value->repeats, value->count)));
	if (isfinite(deviation)) {
		char *range;

		perun_json_print_double(deviation, digits);
		range = perun_format("\xc2\xb1 %s", digits);
		perun_json_set(bench, "range", perun_json_text(range));
		perun_free(range);
	}
	perun_json_set(bench, "unit", perun_json_text(value->unit));
	perun_json_append(suite->benches, bench);
}

static struct perun_json *commit_fact(const struct perun_minor_version *version)
{
	struct perun_json *commit = perun_json_object(), *author = perun_json_object();
	char *date = date_text(version->date);

	perun_json_set(author, "name", perun_json_text(version->author));
	perun_json_set(author, "email", perun_json_text(version->email));
	perun_json_set(commit, "author", author);
	perun_json_set(commit, "id", perun_json_text(version->checksum));
	perun_json_set(commit, "message", perun_json_text(version->description));
	perun_json_set(commit, "timestamp", perun_json_text(date));
	perun_free(date);
	return commit;
}

/* The benches of a profile become a run of each suite. */
static void end_runs(struct export *export, const struct perun_minor_version *version,
		     const struct perun_measured_profile *profile)
{
	for (size_t i = 0; i < export->suite_count; i++) {
		struct suite *suite = &export->suites[i];
		struct perun_json *run;

		if (!suite->benches)
			continue;
		run = perun_json_object();
		perun_json_set(run, "commit", commit_fact(version));
		perun_json_set(run, "date", perun_json_int64((int64_t)profile->time * 1000));
		perun_json_set(run, "tool",
			       perun_json_text(suite->bigger ? "customBiggerIsBetter"
							     : "customSmallerIsBetter"));
		perun_json_set(run, "benches", suite->benches);
		suite->benches = NULL;
		perun_buffer_add_text(&suite->runs, suite->runs.length ? ",\n" : "\n");
		perun_json_print(run, &suite->runs, PERUN_JSON_COMPACT, 0);
		perun_json_free(run);
	}
}

static void write_script(struct export *export)
{
	struct perun_buffer name = {0};

	perun_output_printf(export->output,
			    "window.BENCHMARK_DATA = {\n\"lastUpdate\": %lld,\n\"repoUrl\": "
			    "\"\",\n\"entries\": {",
			    (long long)export->newest * 1000);
	for (size_t i = 0; i < export->suite_count; i++) {
		struct suite *suite = &export->suites[i];

		perun_buffer_clear(&name);
		perun_json_quote(&name, suite->name, strlen(suite->name));
		perun_output_printf(export->output, "%s\n%s: [", i ? "," : "", name.data);
		perun_output_write(export->output, suite->runs.data, suite->runs.length);
		perun_output_text(export->output, "]");
	}
	perun_output_text(export->output, "}}\n");
	perun_buffer_free(&name);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static int write_version(struct export *export, const struct perun_minor_version *version)
{
	const struct perun_measured_profile *profile;
	const struct perun_value *value;
	int status = perun_reader_version(export->ctx, export->reader, version->checksum);
	bool measured = false;

	while (!status) {
		status = perun_reader_profile(export->ctx, export->reader, &profile);
		if (status || !profile)
			break;
		measured = true;
		while (!status && (value = perun_reader_value(export->reader))) {
			if (!value->count)
				continue;
			if (export->script)
				add_bench(export, profile, value);
			else
				status = write_rows(export, version, profile, value);
		}
		end_runs(export, version, profile);
	}
	export->versions += measured;
	if (version->date > export->newest)
		export->newest = version->date;
	return status;
}

static int write_versions(struct export *export)
{
	size_t count = perun_version_line_count(export->line);
	int status = perun_reader_prefetch(export->ctx, export->reader,
					   perun_version_line_checksums(export->line), count);

	if (!export->script)
		perun_output_text(export->output,
				  "commit,date,name,metric,value,unit,better,command,workload,"
				  "machine\n");
	for (size_t i = 0; !status && i < count; i++) {
		perun_progress(export->ctx, "exporting", i, count);
		status = write_version(export, perun_version_line_version(export->line, i));
	}
	perun_progress(export->ctx, "exporting", count, count);
	if (!status && export->script)
		write_script(export);
	return status;
}

static void print_facts(const struct perun_command_call *call, const struct export *export,
			const char *path)
{
	struct perun_json *document = perun_json_object();

	perun_json_set(document, "path", commands_text(path));
	perun_json_set(document, "format",
		       commands_text(perun_option_string(call->options, "history")));
	perun_json_set(document, "versions", perun_json_int64((int64_t) export->versions));
	commands_print_json(call, document);
}

int data_export_history(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	/* Of stacks what each function costs; sums follow from what they are sums of. */
	const struct perun_reader_options how = {.struct_size = sizeof how, .functions = true};
	const char *output = perun_option_string(call->options, "output");
	const char *path = output ? output : "-";
	struct export export = {.ctx = ctx, .output = call->output};
	bool file = strcmp(path, "-") != 0, json = perun_option_flag(call->options, "json");
	int status = json && !file ? perun_fail(ctx, PERUN_USAGE,
						"--json needs a file to write the history to")
				   : perun_command_store(call, ctx, true, &export.store);

	export.script = strcmp(perun_option_string(call->options, "history"), "csv") != 0;
	if (!status)
		status = perun_version_line_load(ctx, export.store,
						 perun_option_string(call->options, "range"),
						 &export.line);
	if (!status)
		status = perun_reader_open(ctx, export.store, &how, &export.reader);
	if (!status && file)
		status = perun_output_open(ctx, path, &export.output);
	if (!status)
		status = write_versions(&export);
	if (!status && file)
		status = perun_output_commit(ctx, export.output);
	if (file && export.output != call->output)
		perun_output_close(export.output);
	if (!status && json)
		print_facts(call, &export, path);
	perun_reader_close(export.reader);
	perun_version_line_free(export.line);
	for (size_t i = 0; i < export.suite_count; i++) {
		perun_free(export.suites[i].name);
		perun_json_free(export.suites[i].benches);
		perun_buffer_free(&export.suites[i].runs);
	}
	perun_free(export.suites);
	return status;
}
