/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * benchmarkdotnet: what BenchmarkDotNet's exporters write: JSON (brief, compressed or full), and the tables of CSV and
 * Markdown.
 */
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/result-table.h"

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
};

/* "Namespace.Type.Method(N: 10)": older versions have the parts alone. */
static char *name_of(const struct perun_json *result)
{
	const char *space = perun_json_get_text(result, "Namespace"),
		   *type = perun_json_get_text(result, "Type"),
		   *parameters = perun_json_get_text(result, "Parameters");

	if (*perun_json_get_text(result, "FullName"))
		return perun_strdup(perun_json_get_text(result, "FullName"));
	return perun_format("%s%s%s%s%s%s%s%s", space, *space ? "." : "", type, *type ? "." : "",
			    perun_json_get_text(result, "Method"), *parameters ? "(" : "",
			    parameters, *parameters ? ")" : "");
}

/*
 * "Type.Method: Job-ABCDEF(Runtime=.NET 8.0) [N=10]": the job, without a name that differs from run to run. The caller
 * frees it.
 */
static char *job_of(const struct perun_json *result)
{
	static const char made_up[] = "Job-";
	const char *text = perun_json_get_text(result, "DisplayInfo"), *job = strstr(text, ": "),
		   *end, *open;

	if (!job)
		return perun_strdup("");
	job += 2;
	end = strstr(job, " [");
	end = end ? end : job + strlen(job);
	open = memchr(job, '(', (size_t)(end - job));
	if (open && strncmp(job, made_up, sizeof made_up - 1) == 0 && end[-1] == ')')
		return perun_strndup(open + 1, (size_t)(end - open - 2));
	return perun_strndup(job, (size_t)(end - job));
}

/* A benchmark may be measured by several jobs. The caller frees it. */
static char *uid_of(struct reading *reading, const struct perun_json *result)
{
	char *name = name_of(result), *job = job_of(result);
	char *uid = perun_strdup(benchmark_apart(reading->benchmark, name, job));

	perun_free(job);
	perun_free(name);
	return uid;
}

/* Results of the iterations, in nanoseconds for each operation. */
static void read_measurements(struct benchmark *benchmark, const struct perun_json *list,
			      const char *uid)
{
	double nanoseconds, operations;

	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *one = perun_json_pass(list, i, NULL);

		if (strcmp(perun_json_get_text(one, "IterationStage"), "Result") == 0 &&
		    perun_json_as_double(perun_json_get(one, "Nanoseconds"), &nanoseconds) &&
		    perun_json_as_double(perun_json_get(one, "Operations"), &operations) &&
		    operations > 0)
			benchmark_time(benchmark, uid, "real", nanoseconds / operations / 1e9);
	}
}

/* Metrics of diagnosers, such as memory: {"Value": 184, "Descriptor": {"Id", "Unit", "TheGreaterTheBetter"}}. */
static void read_metrics(struct benchmark *benchmark, const struct perun_json *result,
			 const char *uid)
{
	const struct perun_json *metrics = perun_json_get(result, "Metrics");
	double value;
	bool greater = false;

	for (size_t i = 0; i < perun_json_count(metrics); i++) {
		const struct perun_json *metric = perun_json_pass(metrics, i, NULL);
		const struct perun_json *about = perun_json_get(metric, "Descriptor");

		perun_json_as_bool(perun_json_get(about, "TheGreaterTheBetter"), &greater);
		if (*perun_json_get_text(about, "Id") &&
		    perun_json_as_double(perun_json_get(metric, "Value"), &value))
			benchmark_value(benchmark, uid, perun_json_get_text(about, "Id"),
					strcmp(perun_json_get_text(about, "Unit"), "Count") == 0
						? ""
						: perun_json_get_text(about, "Unit"),
					greater, value);
	}
	if (!metrics &&
	    perun_json_as_double(perun_json_path(result, "/Memory/BytesAllocatedPerOperation"),
				 &value))
		benchmark_value(benchmark, uid, "Allocated Memory", "B", false, value);
}

static int read_result(void *data, const struct perun_json *result, const char *key, size_t at)
{
	struct reading *reading = data;
	struct perun_ctx *ctx = reading->ctx;
	struct benchmark *benchmark = reading->benchmark;
	const struct perun_json *statistics = perun_json_get(result, "Statistics");
	const struct perun_json *values = perun_json_get(statistics, "OriginalValues");
	size_t before = benchmark_count(benchmark);
	char *uid;
	double value, error;

	(void)key;
	if (!*perun_json_get_text(result, "Method") && !*perun_json_get_text(result, "FullName"))
		return perun_fail(ctx, PERUN_INPUT,
				  "expected Benchmarks[%zu].FullName to be a string", at);
	uid = uid_of(reading, result);
	if (perun_json_type(statistics) != PERUN_JSON_TYPE_OBJECT) {
		perun_warn(ctx, "%s is left out: it failed", uid);
		benchmark_failed(benchmark, uid, "");
		perun_free(uid);
		return PERUN_OK;
	}
	for (size_t i = 0; i < perun_json_count(values); i++)
		if (perun_json_as_double(perun_json_pass(values, i, NULL), &value))
			benchmark_time(benchmark, uid, "real", value / 1e9);
	if (benchmark_count(benchmark) == before)
		read_measurements(benchmark, perun_json_get(result, "Measurements"), uid);
	if (benchmark_count(benchmark) == before &&
	    perun_json_as_double(perun_json_get(statistics, "Mean"), &value)) {
		benchmark_time(benchmark, uid, "real", value / 1e9);
		if (perun_json_as_double(perun_json_get(statistics, "StandardError"), &error))
			benchmark_deviation(benchmark, "time(real)", uid, error / value);
	}
	read_metrics(benchmark, result, uid);
	perun_free(uid);
	return PERUN_OK;
}

static void read_host(struct benchmark *benchmark, const struct perun_json *host)
{
	const struct perun_json *processor = perun_json_get(host, "ProcessorName");
	const char *name = perun_json_as_string(processor, NULL);

	if (!host)
		return;
	benchmark_machine(benchmark, "cpu", "model",
			  name ? name : perun_json_get_text(processor, "Value"));
	benchmark_machine(benchmark, "architecture", NULL,
			  perun_json_get_text(host, "Architecture"));
	benchmark_machine(benchmark, "build", NULL, perun_json_get_text(host, "Configuration"));
	benchmark_fact(benchmark, "host", perun_json_clone(host));
}

static int read_json(struct perun_ctx *ctx, struct perun_input *input,
		     struct perun_builder *builder)
{
	struct benchmark *benchmark = benchmark_begin(ctx, builder, "benchmarkdotnet", input);
	struct reading reading = {.ctx = ctx, .benchmark = benchmark};
	const struct perun_json *results;
	struct perun_json *document;
	int status = benchmark_read(ctx, input, "Benchmarks", read_result, &reading, &document);

	if (!status)
		status = benchmark_member(ctx, document, "", "Benchmarks", PERUN_JSON_TYPE_ARRAY,
					  &results);
	read_host(benchmark, perun_json_get(document, "HostEnvironmentInfo"));
	status = benchmark_end(benchmark, status);
	perun_json_free(document);
	return status;
}

/* ---- tables ------------------------------------------------------------------------------------ */

/* Settings of a job, which are columns between the method and its parameters. */
static bool is_setting(const char *heading)
{
	static const char *const settings[] = {"AnalyzeLaunchVariance",
					       "EvaluateOverhead",
					       "MaxAbsoluteError",
					       "MaxRelativeError",
					       "MinInvokeCount",
					       "MinIterationTime",
					       "OutlierMode",
					       "Affinity",
					       "EnvironmentVariables",
					       "Jit",
					       "LargeAddressAware",
					       "Platform",
					       "PowerPlanMode",
					       "AllowVeryLargeObjects",
					       "Concurrent",
					       "CpuGroups",
					       "Force",
					       "HeapAffinitizeMask",
					       "HeapCount",
					       "NoAffinitize",
					       "RetainVm",
					       "Server",
					       "Arguments",
					       "BuildConfiguration",
					       "Clock",
					       "EngineFactory",
					       "NuGetReferences",
					       "Toolchain",
					       "IsMutator",
					       "InvocationCount",
					       "IterationCount",
					       "IterationTime",
					       "LaunchCount",
					       "MaxIterationCount",
					       "MaxWarmupIterationCount",
					       "MemoryRandomization",
					       "MinIterationCount",
					       "MinWarmupIterationCount",
					       "RunStrategy",
					       "UnrollFactor",
					       "WarmupCount"};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (strcmp(heading, settings[i]) == 0)
			return true;
	return false;
}

/* Names of jobs that differ from run to run, or say nothing. */
static bool says_nothing(const char *heading, const char *cell)
{
	return !*cell || strcmp(cell, "?") == 0 ||
	       (strcmp(heading, "Job") == 0 &&
		(strcmp(cell, "DefaultJob") == 0 || strncmp(cell, "Job-", 4) == 0)) ||
	       (strcmp(heading, "Runtime") == 0 && strcmp(cell, "Default") == 0);
}

/* Markdown for GitHub has "&#39;two words&#39;": replace what is escaped, in place. */
static void unescape(char *text)
{
	static const char *const escapes[][2] = {
		{"&#39;", "'"}, {"&quot;", "\""}, {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}};
	char *out = text;

	while (*text) {
		size_t i = 0, count = sizeof escapes / sizeof *escapes;

		while (i < count && strncmp(text, escapes[i][0], strlen(escapes[i][0])) != 0)
			i++;
		*out++ = i < count ? *escapes[i][1] : *text;
		text += i < count ? strlen(escapes[i][0]) : 1;
	}
	*out = '\0';
}

/* "Type.Method(Job: .NET 8, N: 10)": the columns before the mean. */
static char *row_name(const struct result_table *table)
{
	const char *method = result_table_value(table, "Method", NULL, NULL),
		   *type = result_table_value(table, "Type", NULL, NULL);
	struct perun_buffer name = {0};
	size_t count = 0;
	char *text;

	perun_buffer_printf(&name, "%s%s%s", type ? type : "", type ? "." : "", method);
	for (size_t i = 0; i < result_table_columns(table); i++) {
		const char *heading = result_table_heading(table, i),
			   *cell = result_table_cell(table, i);

		if (strncmp(heading, "Mean", 4) == 0)
			break;
		if (cell == method || cell == type || strcmp(heading, "Namespace") == 0 ||
		    is_setting(heading) || says_nothing(heading, cell))
			continue;
		perun_buffer_printf(&name, "%s%s: %s", count++ ? ", " : "(", heading, cell);
	}
	if (count)
		perun_buffer_add_char(&name, ')');
	text = perun_buffer_take(&name);
	unescape(text);
	return text;
}

/* "1,234.5 ns", or "1,234.5" where the heading has the unit, which the caller frees; NULL: there is none. */
static char *amount_of(const struct result_table *table, const char *heading, double *amount)
{
	const char *unit, *cell;
	size_t length, used;

	cell = result_table_value(table, heading, &unit, &length);
	used = cell ? benchmark_grouped(cell, amount) : 0;
	if (!used)
		return NULL;
	cell += used;
	return *cell ? perun_strdup(cell + strspn(cell, " ")) : perun_strndup(unit, length);
}

/* A time in seconds; false: there is none. */
static bool seconds_of(const struct result_table *table, const char *heading, double *seconds)
{
	char *unit = amount_of(table, heading, seconds);
	bool known = unit && benchmark_to_seconds(seconds, unit);

	perun_free(unit);
	return known;
}

/* "Error" is half of a 99.9 % interval; that of the normal distribution is never wider than that of Student's. */
#define INTERVAL_999_Z 3.29

static int read_row(void *data, const struct result_table *table)
{
	struct reading *reading = data;
	char *uid, *unit;
	double mean, error, bytes;

	/* Between two groups of Markdown; a table of something else. */
	if (!*result_table_value(table, "Method", NULL, NULL) ||
	    !result_table_value(table, "Mean", NULL, NULL))
		return PERUN_OK;
	uid = row_name(table);
	if (seconds_of(table, "Mean", &mean)) {
		benchmark_time(reading->benchmark, uid, "real", mean);
		if (seconds_of(table, "StdErr", &error))
			benchmark_deviation(reading->benchmark, "time(real)", uid, error / mean);
		else if (seconds_of(table, "Error", &error))
			benchmark_deviation(reading->benchmark, "time(real)", uid,
					    error / INTERVAL_999_Z / mean);
	} else {
		perun_warn(reading->ctx, "%s is left out: it failed", uid);
		benchmark_failed(reading->benchmark, uid, "");
	}
	unit = amount_of(table, "Allocated", &bytes);
	if (unit)
		benchmark_value(reading->benchmark, uid, "Allocated Memory", unit, false, bytes);
	perun_free(unit);
	perun_free(uid);
	return PERUN_OK;
}

/*
 * The line after "BenchmarkDotNet v0.14.0, Ubuntu 22.04" has the processor: "AMD EPYC 7763, 1 CPU, 4 logical cores" or
 * "Processor=Intel Core i7, ProcessorCount=4".
 */
static int read_processor(struct perun_ctx *ctx, struct perun_input *input,
			  struct benchmark *benchmark)
{
	static const char first[] = "BenchmarkDotNet", key[] = "Processor=";
	struct perun_lines *lines = perun_lines_new(input, 0);
	bool is_next = false;
	size_t length;
	char *line;
	int status;

	while (!(status = perun_lines_next(ctx, lines, &line, &length)) && line && !is_next)
		is_next = strncmp(line, first, sizeof first - 1) == 0 && strchr(line, ',');
	if (!status && line && is_next) {
		if (strncmp(line, key, sizeof key - 1) == 0)
			line += sizeof key - 1;
		line[strcspn(line, ",")] = '\0';
		benchmark_machine(benchmark, "cpu", "model", line);
	}
	perun_lines_free(lines);
	return status ? status : perun_input_skip_to_start(ctx, input);
}

static int read_table(struct perun_ctx *ctx, struct perun_input *input,
		      struct perun_builder *builder)
{
	struct reading reading = {
		.ctx = ctx, .benchmark = benchmark_begin(ctx, builder, "benchmarkdotnet", input)};
	int status = read_processor(ctx, input, reading.benchmark);

	if (!status)
		status = result_table_read(ctx, input, "Method", read_row, &reading);
	return benchmark_end(reading.benchmark, status);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	char first;
	int status = benchmark_first_byte(ctx, input, &first);

	(void)instance;
	if (status)
		return status;
	return first == '{' ? read_json(ctx, input, builder) : read_table(ctx, input, builder);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_has(probe, "Job,AnalyzeLaunchVariance,") ||
	    probe_has(probe, "Job;AnalyzeLaunchVariance;") ||
	    (probe_has(probe, "BenchmarkDotNet") && probe_has(probe, " Mean ")))
		return 95;
	/* Its table alone. */
	if (probe_has(probe, " Method ") && probe_has(probe, " Mean ") &&
	    probe_has(probe, " Error ") && probe_has(probe, " StdDev "))
		return 90;
	return probe_has(probe, "\"HostEnvironmentInfo\"") &&
			       (probe_has(probe, "\"BenchmarkDotNet") ||
				probe_has(probe, "\"Benchmarks\""))
		       ? 95
		       : 0;
}

static const char *const marks[] = {"AnalyzeLaunchVariance", "BenchmarkDotNet",
				    "\"HostEnvironmentInfo\"", " StdDev ", NULL};

FORMAT_PLUGIN(benchmarkdotnet, "benchmarkdotnet", "results of BenchmarkDotNet", NULL,
	      .contains = marks, .probe = probe_format, .read = read_format);
