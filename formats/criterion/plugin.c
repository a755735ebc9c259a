/* SPDX-License-Identifier: BSD-3-Clause */
/* criterion: the directory target/criterion, or the lines of `cargo criterion`; samples are repeats. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/common/benchmark.h"

enum { DEPTH = 5 };

/* What a benchmark measured. */
struct result {
	char *name;
	double *values; /* of one iteration, of each sample */
	size_t count;
	double spent;   /* in all samples, in the unit of `values` */
	double written; /* when its file was, in seconds; 0: not known */
};

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
	bool all;               /* results of earlier runs, too */
	struct result *results; /* of a directory */
	size_t count, room;
};

static void free_result(struct result *result)
{
	perun_free(result->name);
	perun_free(result->values);
}

/* Samples: each ran this many iterations in this time. */
static int read_samples(struct reading *reading, const struct perun_json *times,
			const struct perun_json *iterations, struct result *result)
{
	double amount, count;

	if (perun_json_count(times) != perun_json_count(iterations))
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected as many times as numbers of iterations, found %zu and "
				  "%zu",
				  perun_json_count(times), perun_json_count(iterations));
	result->values = perun_alloc_zero(perun_json_count(times) + 1, sizeof *result->values);
	for (size_t i = 0; i < perun_json_count(times); i++) {
		if (!perun_json_as_double(perun_json_pass(times, i, NULL), &amount) ||
		    !perun_json_as_double(perun_json_pass(iterations, i, NULL), &count) ||
		    !(count > 0))
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "expected sample %zu to be a time and a number of "
					  "iterations above 0",
					  i);
		result->values[result->count++] = amount / count;
		result->spent += amount;
	}
	return PERUN_OK;
}

static void add_result(struct reading *reading, const struct result *result, const char *unit)
{
	double amount = 0;

	for (size_t i = 0; i < result->count; i++) {
		amount = result->values[i];
		if (benchmark_to_seconds(&amount, unit))
			benchmark_time(reading->benchmark, result->name, "real", amount);
		else
			benchmark_value(reading->benchmark, result->name, unit, unit, false,
					amount);
	}
	benchmark_samples(reading->benchmark,
			  benchmark_to_seconds(&amount, unit) ? "time(real)" : unit);
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

/* `modified`, if not NULL, is when the file was written. */
static int open_document(struct perun_ctx *ctx, struct perun_input *directory, const char *name,
			 struct perun_json **document, double *modified)
{
	struct perun_input *input;
	const void *text;
	size_t size;
	int status = perun_input_open_child(ctx, directory, name, &input);

	*document = NULL;
	if (status)
		return status;
	status = perun_input_map(ctx, input, 0, &text, &size);
	if (!status)
		status = perun_json_parse(ctx, text, size, NULL, document);
	if (modified)
		*modified = (double)perun_input_modified(input);
	perun_input_close(input);
	return status ? perun_fail(ctx, PERUN_OK, "%s", name), status : PERUN_OK;
}

/* {"iters": [...], "times": [...]}; before criterion 0.3.3 the two lists alone. */
static int find_lists(struct reading *reading, const struct perun_json *sample,
		      const struct perun_json **times, const struct perun_json **iterations)
{
	int status;

	*iterations = perun_json_at(sample, 0);
	*times = perun_json_at(sample, 1);
	if (perun_json_type(sample) == PERUN_JSON_TYPE_ARRAY && perun_json_count(sample) == 2 &&
	    perun_json_type(*iterations) == PERUN_JSON_TYPE_ARRAY &&
	    perun_json_type(*times) == PERUN_JSON_TYPE_ARRAY)
		return PERUN_OK;
	status = benchmark_member(reading->ctx, sample, "", "times", PERUN_JSON_TYPE_ARRAY, times);
	return status ? status
		      : benchmark_member(reading->ctx, sample, "", "iters", PERUN_JSON_TYPE_ARRAY,
					 iterations);
}

/* NAME/new: who it is in benchmark.json, what was measured in sample.json. */
static int read_new(struct reading *reading, struct perun_input *directory)
{
	struct perun_json *about, *sample = NULL;
	const struct perun_json *name, *times = NULL, *iterations = NULL;
	struct result result = {0};
	int status = open_document(reading->ctx, directory, "benchmark.json", &about, NULL);

	if (!status)
		status = open_document(reading->ctx, directory, "sample.json", &sample,
				       &result.written);
	if (!status)
		status = benchmark_member(reading->ctx, about, "", "full_id",
					  PERUN_JSON_TYPE_STRING, &name);
	if (!status)
		status = find_lists(reading, sample, &times, &iterations);
	if (!status)
		status = read_samples(reading, times, iterations, &result);
	if (!status) {
		result.name = perun_strdup(perun_json_as_string(name, NULL));
		PERUN_GROW(reading->results, reading->count, reading->room);
		reading->results[reading->count++] = result;
	} else {
		perun_fail(reading->ctx, PERUN_OK, "%s", perun_input_name(directory));
		free_result(&result);
	}
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

static int compare_written(const void *left, const void *right)
{
	const struct result *a = *(struct result *const *)left, *b = *(struct result *const *)right;

	return (a->written > b->written) - (a->written < b->written);
}

/*
 * criterion leaves the results of benchmarks that did not run this time, or are no longer there, among the new ones, and
 * no file says which run one is of. Within a run a benchmark ends about as long after the one before as it takes: warming
 * up, measuring, analysing. Where far more time passed, an earlier run ended. Returns when the last run began.
 */
static double last_run(const struct reading *reading)
{
	enum { SECONDS = 60, TIMES = 10 };
	const struct result **sorted = perun_alloc_zero(reading->count + 1, sizeof *sorted);
	double begin;

	for (size_t i = 0; i < reading->count; i++)
		sorted[i] = &reading->results[i];
	if (reading->count)
		qsort(sorted, reading->count, sizeof *sorted, compare_written);
	begin = reading->count ? sorted[0]->written : 0;
	for (size_t i = 1; i < reading->count; i++)
		if (sorted[i]->written - sorted[i - 1]->written >
		    SECONDS + TIMES * 1e-9 * sorted[i]->spent)
			begin = sorted[i]->written;
	perun_free(sorted);
	return begin;
}

/* Take the results of the last run, and report the others. */
static void add_results(struct reading *reading)
{
	double begin = reading->all ? 0 : last_run(reading);
	const char *example = NULL;
	size_t left = 0;

	for (size_t i = 0; i < reading->count; i++) {
		if (reading->results[i].written >= begin) {
			add_result(reading, &reading->results[i], "ns");
		} else {
			example = example ? example : reading->results[i].name;
			left++;
		}
	}
	if (left > 1)
		perun_warn(reading->ctx,
			   "left out %zu benchmarks of an earlier run (the first: %s)", left,
			   example);
	else if (left)
		perun_warn(reading->ctx, "left out %s, which an earlier run measured", example);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static int read_message(struct reading *reading, const struct perun_json *message)
{
	const struct perun_json *name, *times = NULL, *iterations = NULL;
	const char *reason = perun_json_as_string(perun_json_get(message, "reason"), NULL);
	const char *unit = perun_json_as_string(perun_json_get(message, "unit"), NULL);
	struct result result = {0};
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
	if (!status)
		status = read_samples(reading, times, iterations, &result);
	if (!status) {
		result.name = perun_strdup(perun_json_as_string(name, NULL));
		add_result(reading, &result, unit && *unit ? unit : "ns");
	}
	free_result(&result);
	return status;
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

static const struct perun_option options[] = {
	{.name = "all-runs",
	 .type = PERUN_OPTION_FLAG,
	 .help = "read what earlier runs left in the directory, too"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	bool *all = perun_alloc_zero(1, sizeof *all);

	(void)ctx;
	(void)subcommand;
	*all = perun_option_flag(given, "all-runs");
	*instance = all;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	perun_free(instance);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx,
				  .benchmark = benchmark_begin(ctx, builder, "criterion", input),
				  .all = *(const bool *)instance};
	int status;

	if (perun_input_is_directory(input)) {
		status = read_directory(&reading, input, 0);
		if (!status)
			add_results(&reading);
	} else {
		status = read_lines(&reading, input);
	}
	for (size_t i = 0; i < reading.count; i++)
		free_result(&reading.results[i]);
	perun_free(reading.results);
	return benchmark_end(reading.benchmark, status);
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

FORMAT_PLUGIN(criterion, "criterion", "results of criterion", options, .contains = marks,
	      .reads_directories = true, .open = open_format, .close = close_format,
	      .probe = probe_format, .read = read_format);
