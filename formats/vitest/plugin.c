/* SPDX-License-Identifier: BSD-3-Clause */
/* vitest: benchmarks of vitest bench, --outputJson or printed, and the results of tinybench's tasks; times are milliseconds. */
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/vitest/printed.h"

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
};

/* The samples are repeats; without any the mean represents them. */
static bool read_times(struct reading *reading, const struct perun_json *result, const char *uid)
{
	const struct perun_json *samples = perun_json_get(result, "samples");
	size_t before = benchmark_count(reading->benchmark);
	double value;

	benchmark_times(reading->benchmark, uid, "real", samples, 1e3);
	benchmark_samples(reading->benchmark, "time(real)");
	if (benchmark_count(reading->benchmark) == before &&
	    (perun_json_as_double(perun_json_get(result, "mean"), &value) ||
	     perun_json_as_double(perun_json_get(result, "period"), &value))) {
		benchmark_time(reading->benchmark, uid, "real", value / 1e3);
		/* Half of the 95 % interval, in percent of the mean. */
		if (perun_json_as_double(perun_json_get(result, "rme"), &value))
			benchmark_deviation(reading->benchmark, "time(real)", uid,
					    value / 100 / BENCHMARK_INTERVAL_Z);
	}
	return benchmark_count(reading->benchmark) > before;
}

/* "group" may be NULL. Of a task of tinybench the result is a member; since version 3 it has "latency". */
static int read_benchmark(struct reading *reading, const struct perun_json *task, const char *group,
			  const char *where)
{
	const struct perun_json *name, *result = perun_json_get(task, "result"), *latency;
	const char *why;
	char *uid;
	int status =
		benchmark_member(reading->ctx, task, where, "name", PERUN_JSON_TYPE_STRING, &name);

	if (status)
		return status;
	uid = perun_format("%s%s%s", group ? group : "", group ? " > " : "",
			   perun_json_as_string(name, NULL));
	latency = perun_json_get(result ? result : task, "latency");
	if (!read_times(reading, latency ? latency : result ? result : task, uid)) {
		why = perun_json_as_string(perun_json_path(result, "/error/message"), NULL);
		benchmark_failed(reading->benchmark, uid, why);
		perun_warn(reading->ctx, "%s is left out: it failed%s%s", uid, why ? ": " : "",
			   why ? why : "");
	}
	perun_free(uid);
	return PERUN_OK;
}

static int read_task(void *data, const struct perun_json *task, const char *key, size_t at)
{
	(void)key;
	(void)at;
	return read_benchmark(data, task, NULL, "tasks");
}

static int read_group(void *data, const struct perun_json *group, const char *key, size_t at)
{
	struct reading *reading = data;
	const struct perun_json *list, *name;
	int status = benchmark_member(reading->ctx, group, "groups", "fullName",
				      PERUN_JSON_TYPE_STRING, &name);

	(void)key;
	(void)at;
	if (!status)
		status = benchmark_member(reading->ctx, group, "groups", "benchmarks",
					  PERUN_JSON_TYPE_ARRAY, &list);
	for (size_t i = 0; !status && i < perun_json_count(list); i++)
		status = read_benchmark(reading, perun_json_pass(list, i, NULL),
					perun_json_as_string(name, NULL), "benchmarks");
	return status;
}

/* The groups of all files went to read_group(). */
static int check_files(struct reading *reading, const struct perun_json *document)
{
	const struct perun_json *files, *groups;
	int status = benchmark_member(reading->ctx, document, "", "files", PERUN_JSON_TYPE_ARRAY,
				      &files);

	for (size_t i = 0; !status && i < perun_json_count(files); i++)
		status = benchmark_member(reading->ctx, perun_json_pass(files, i, NULL), "files",
					  "groups", PERUN_JSON_TYPE_ARRAY, &groups);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx};
	struct perun_json *document;
	char first;
	int status = benchmark_first_byte(ctx, input, &first);

	(void)instance;
	if (status)
		return status;
	reading.benchmark = benchmark_begin(ctx, builder, "vitest", input);
	if (first != '[' && first != '{')
		return benchmark_end(reading.benchmark,
				     vitest_read_printed(ctx, input, reading.benchmark));
	if (first == '[')
		status = benchmark_read(ctx, input, NULL, read_task, &reading, &document);
	else
		status =
			benchmark_read(ctx, input, "files/groups", read_group, &reading, &document);
	if (!status && first != '[')
		status = check_files(&reading, document);
	perun_json_free(document);
	return benchmark_end(reading.benchmark, status);
}

/* Thousands of samples may be before the rest of a result of tinybench. */
static int probe_format(const struct perun_probe *probe)
{
	bool ended = probe_has(probe, "\"rme\""), begun = probe_has(probe, "\"totalTime\"");

	if (!probe->directory && vitest_is_printed(probe))
		return 90;
	if (probe->directory || (!ended && !begun))
		return 0;
	if (ended && probe_has(probe, "\"groups\"") && probe_has(probe, "\"benchmarks\""))
		return 95;
	if (!probe_has(probe, "\"name\""))
		return 0;
	/* Results without the member around them; since version 3 the rate is in "throughput". */
	if (begun && probe_has(probe, "\"period\"") &&
	    (probe_has(probe, "\"hz\"") ||
	     (probe_has(probe, "\"latency\"") && probe_has(probe, "\"throughput\""))))
		return 80;
	return ended && probe_has(probe, "\"result\"") ? 80 : 0;
}

static const char *const marks[] = {"\"rme\"", "\"totalTime\"", " p999 ", NULL};

FORMAT_PLUGIN(vitest, "vitest", "benchmarks of vitest and tinybench", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
