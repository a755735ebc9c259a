/* SPDX-License-Identifier: BSD-3-Clause */
/* criterion: the directory target/criterion, or the lines of `cargo criterion`; samples are repeats. */
#include <inttypes.h>
#include <string.h>

#include "formats/common/benchmark.h"

enum { DEPTH = 5 };

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
};

/* Samples: each ran this many iterations in this many nanoseconds, or in another unit. */
static int read_samples(struct reading *reading, const struct perun_json *times,
			const struct perun_json *iterations, const char *name, const char *unit)
{
	double amount = 0, count;

	if (perun_json_count(times) != perun_json_count(iterations))
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected as many times as numbers of iterations, found %zu and "
				  "%zu",
				  perun_json_count(times), perun_json_count(iterations));
	for (size_t i = 0; i < perun_json_count(times); i++) {
		if (!perun_json_as_double(perun_json_at(times, i), &amount) ||
		    !perun_json_as_double(perun_json_at(iterations, i), &count) || !(count > 0))
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "expected sample %zu to be a time and a number of "
					  "iterations above 0",
					  i);
		amount /= count;
		if (benchmark_to_seconds(&amount, unit))
			benchmark_time(reading->benchmark, name, "real", amount);
		else
			benchmark_value(reading->benchmark, name, unit, unit, false, amount);
	}
	benchmark_samples(reading->benchmark,
			  benchmark_to_seconds(&amount, unit) ? "time(real)" : unit);
	return PERUN_OK;
}

/* ---- a directory ---------------------------------------------------------------------------- */

static bool contains(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static int open_document(struct perun_ctx *ctx, struct perun_input *directory, const char *name,
			 struct perun_json **document)
{
	struct perun_input *input;
	int status = perun_input_open_child(ctx, directory, name, &input);

	*document = NULL;
	if (status)
		return status;
	status = benchmark_document(ctx, input, document);
	perun_input_close(input);
	return status ? perun_fail(ctx, PERUN_OK, "%s", name), status : PERUN_OK;
}

/* NAME/new: who it is in benchmark.json, what was measured in sample.json. */
static int read_new(struct reading *reading, struct perun_input *directory)
{
	struct perun_json *about, *sample = NULL;
	const struct perun_json *name, *times = NULL, *iterations = NULL;
	int status = open_document(reading->ctx, directory, "benchmark.json", &about);

	if (!status)
		status = open_document(reading->ctx, directory, "sample.json", &sample);
	if (!status)
		status = benchmark_member(reading->ctx, about, "", "full_id",
					  PERUN_JSON_TYPE_STRING, &name);
	if (!status)
		status = benchmark_member(reading->ctx, sample, "", "times", PERUN_JSON_TYPE_ARRAY,
					  &times);
	if (!status)
		status = benchmark_member(reading->ctx, sample, "", "iters", PERUN_JSON_TYPE_ARRAY,
					  &iterations);
	if (!status)
		status = read_samples(reading, times, iterations, perun_json_as_string(name, NULL),
				      "ns");
	if (status)
		perun_fail(reading->ctx, PERUN_OK, "%s", perun_input_name(directory));
	perun_json_free(about);
	perun_json_free(sample);
	return status;
}

/* Names of benchmarks may have dots, too. */
static bool is_file_name(const char *name)
{
	static const char *const endings[] = {".json", ".html", ".svg", ".csv", ".raw"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t size = strlen(endings[i]);

		if (length >= size && strcmp(name + length - size, endings[i]) == 0)
			return true;
	}
	return false;
}

static int read_directory(struct reading *reading, struct perun_input *directory, int depth)
{
	const char *const *names;
	size_t count;
	int status = perun_input_list(reading->ctx, directory, &names, &count);

	if (!status && contains(names, count, "benchmark.json") &&
	    contains(names, count, "sample.json"))
		return read_new(reading, directory);
	for (size_t i = 0; !status && depth < DEPTH && i < count; i++) {
		struct perun_input *child;

		/* Earlier results beside the new ones; files. */
		if ((strcmp(names[i], "base") == 0 && contains(names, count, "new")) ||
		    is_file_name(names[i]))
			continue;
		status = perun_input_open_child(reading->ctx, directory, names[i], &child);
		if (status)
			break;
		if (perun_input_is_directory(child))
			status = read_directory(reading, child, depth + 1);
		perun_input_close(child);
	}
	return status;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static int read_message(struct reading *reading, const struct perun_json *message)
{
	const struct perun_json *name, *times = NULL, *iterations = NULL;
	const char *reason = perun_json_as_string(perun_json_get(message, "reason"), NULL);
	const char *unit = perun_json_as_string(perun_json_get(message, "unit"), NULL);
	int status;

	if (!reason || strcmp(reason, "benchmark-complete") != 0)
		return PERUN_OK;
	status = benchmark_member(reading->ctx, message, "", "id", PERUN_JSON_TYPE_STRING, &name);
	if (!status)
		status = benchmark_member(reading->ctx, message, "", "measured_values",
					  PERUN_JSON_TYPE_ARRAY, &times);
	if (!status)
		status = benchmark_member(reading->ctx, message, "", "iteration_count",
					  PERUN_JSON_TYPE_ARRAY, &iterations);
	return status ? status
		      : read_samples(reading, times, iterations, perun_json_as_string(name, NULL),
				     unit && *unit ? unit : "ns");
}

static int read_lines(struct reading *reading, struct perun_input *input)
{
	struct perun_lines *lines = perun_lines_new(input, 0);
	size_t length;
	char *line;
	int status;

	while (!(status = perun_lines_next(reading->ctx, lines, &line, &length)) && line) {
		struct perun_json *message = NULL;

		/* What cargo and the programs print may be between the messages. */
		if (line[strspn(line, " \t")] != '{')
			continue;
		status = perun_json_parse(reading->ctx, line, length, NULL, &message);
		if (!status)
			status = read_message(reading, message);
		perun_json_free(message);
		if (status) {
			perun_fail(reading->ctx, PERUN_OK, "line %" PRIu64 " of the file",
				   perun_lines_number(lines));
			break;
		}
	}
	perun_lines_free(lines);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {ctx, benchmark_begin(ctx, builder, "criterion", input)};

	(void)instance;
	return benchmark_end(reading.benchmark, perun_input_is_directory(input)
							? read_directory(&reading, input, 0)
							: read_lines(&reading, input));
}

static bool names_new(const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i]);

		if (strcmp(names[i], "new") == 0 ||
		    (length > 4 && strcmp(names[i] + length - 4, "/new") == 0))
			return true;
	}
	return false;
}

static int probe_format(const struct perun_probe *probe)
{
	if (!probe->directory)
		return probe_has(probe, "\"benchmark-complete\"") &&
				       probe_has(probe, "\"measured_values\"")
			       ? 96
			       : 0;
	if (contains(probe->entries, probe->entry_count, "sample.json") &&
	    contains(probe->entries, probe->entry_count, "benchmark.json"))
		return 95;
	if (names_new(probe->entries, probe->entry_count) ||
	    names_new(probe->inner, probe->inner_count))
		return 80;
	/* A group of benchmarks has a report beside them. */
	if (contains(probe->entries, probe->entry_count, "report") &&
	    contains(probe->inner, probe->inner_count, "index.html"))
		return 55;
	return strcmp(probe->name, "criterion") == 0 ? 75 : 0;
}

static const char *const marks[] = {"\"benchmark-complete\"", NULL};

FORMAT_PLUGIN(criterion, "criterion", "results of criterion", NULL, .contains = marks,
	      .reads_directories = true, .probe = probe_format, .read = read_format);
