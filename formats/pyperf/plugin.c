/* SPDX-License-Identifier: BSD-3-Clause */
/* pyperf: the JSON of Python's pyperf, where each value of each run is a repeat, and the means that it prints. */
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/common/each-line.h"

/* Of the benchmark, else of the whole suite. */
static const char *about(const struct perun_json *one, const struct perun_json *suite,
			 const char *key)
{
	const char *text =
		perun_json_as_string(perun_json_get(perun_json_get(one, "metadata"), key), NULL);

	if (!text)
		text = perun_json_as_string(perun_json_get(perun_json_get(suite, "metadata"), key),
					    NULL);
	return text;
}

struct reading {
	struct benchmark *benchmark;
	const struct perun_json *suite; /* without its benchmarks */
};

static int read_benchmark(void *data, const struct perun_json *one, const char *key, size_t at)
{
	const struct reading *reading = data;
	const struct perun_json *suite = reading->suite;
	const struct perun_json *runs = perun_json_get(one, "runs");
	const char *name = about(one, suite, "name"), *unit = about(one, suite, "unit");
	double value;

	(void)key;
	(void)at;
	if (!unit || strcmp(unit, "second") == 0)
		unit = "s";
	else if (strcmp(unit, "byte") == 0)
		unit = "B";
	else if (strcmp(unit, "integer") == 0)
		unit = "";
	for (size_t i = 0; i < perun_json_count(runs); i++) {
		const struct perun_json *values =
			perun_json_get(perun_json_pass(runs, i, NULL), "values");

		for (size_t k = 0; k < perun_json_count(values); k++)
			if (perun_json_as_double(perun_json_pass(values, k, NULL), &value))
				benchmark_in_unit(reading->benchmark, name ? name : "benchmark",
						  "real", NULL, unit, value);
	}
	return PERUN_OK;
}

/* ---- what it prints -------------------------------------------------------------------------- */

#define MEAN "Mean +- std dev: "

/* "telco: Mean +- std dev: 7.19 ms +- 0.12 ms"; timeit has no name. */
static int read_line(void *data, char *line, size_t length)
{
	struct benchmark *benchmark = data;
	char *mean = strstr(line, MEAN), *unit, *uid;
	double value;
	size_t used;

	(void)length;
	if (!mean || (mean > line && (mean - line < 3 || strncmp(mean - 2, ": ", 2) != 0)))
		return PERUN_OK;
	used = benchmark_grouped(mean + strlen(MEAN), &value);
	unit = mean + strlen(MEAN) + used;
	if (!used || *unit != ' ')
		return PERUN_OK;
	unit++;
	unit[strcspn(unit, " \r")] = '\0';
	uid = mean > line ? perun_strndup(line, (size_t)(mean - 2 - line)) : perun_strdup("timeit");
	benchmark_in_unit(benchmark, uid, "real", NULL, unit, value);
	perun_free(uid);
	return PERUN_OK;
}

static int read_text(struct perun_ctx *ctx, struct perun_input *input,
		     struct perun_builder *builder)
{
	static const char *const endings[] = {"sec", "ms", "us", "ns", "B", NULL};
	struct benchmark *benchmark = benchmark_begin(ctx, builder, "pyperf", input);
	struct perun_lines *lines = perun_lines_new(input, 0);
	int status = read_each_log_line(ctx, lines, read_line, benchmark, endings);

	perun_lines_free(lines);
	return benchmark_end(benchmark, status);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	const struct perun_json *list;
	struct benchmark *benchmark;
	struct perun_json *document;
	char first;
	int status = benchmark_first_byte(ctx, input, &first);

	(void)instance;
	if (!status && first != '{')
		return read_text(ctx, input, builder);
	if (!status)
		status = benchmark_document_around(ctx, input, "benchmarks", &document);
	if (status)
		return status;
	benchmark = benchmark_begin(ctx, builder, "pyperf", input);
	status = benchmark_member(ctx, document, "", "benchmarks", PERUN_JSON_TYPE_ARRAY, &list);
	if (!status)
		status = benchmark_each(ctx, input, "benchmarks", read_benchmark,
					&(struct reading){benchmark, document});
	if (!status) {
		const struct perun_json *metadata = perun_json_get(document, "metadata");

		benchmark_machine(
			benchmark, "cpu", "model",
			perun_json_as_string(perun_json_get(metadata, "cpu_model_name"), NULL));
		benchmark_machine(benchmark, "host_measured", NULL,
				  perun_json_as_string(perun_json_get(metadata, "hostname"), NULL));
		benchmark_machine(
			benchmark, "toolchain", NULL,
			perun_json_as_string(perun_json_get(metadata, "python_version"), NULL));
		if (metadata)
			benchmark_fact(benchmark, "metadata", perun_json_clone(metadata));
	}
	status = benchmark_end(benchmark, status);
	perun_json_free(document);
	return status;
}

static int probe_format(const struct perun_probe *probe)
{
	if (!probe->directory && probe_has(probe, MEAN))
		return 85;
	if (probe->directory || !probe_has(probe, "\"benchmarks\"") ||
	    !probe_has(probe, "\"runs\""))
		return 0;
	return probe_has(probe, "\"values\"") || probe_has(probe, "\"warmups\"") ? 93 : 0;
}

static const char *const marks[] = {"\"runs\"", MEAN, NULL};

FORMAT_PLUGIN(pyperf, "pyperf", "results of pyperf", NULL, .contains = marks, .probe = probe_format,
	      .read = read_format);
