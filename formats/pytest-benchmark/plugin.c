/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pytest-benchmark: what `pytest --benchmark-json` writes, each round a repeat of its benchmark, and the tables that it
 * prints.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/pytest-benchmark/text.h"

struct reading {
	struct perun_ctx *ctx;
	struct benchmark *benchmark;
};

/* The rounds of stats.data may be millions: they are not kept in the document of their benchmark. */
static int take_rounds(void *data, struct perun_json_reader *json,
		       const struct perun_json_place *place, bool *taken)
{
	const struct reading *reading = data;

	*taken = place->depth == 2 && place->key && strcmp(place->key, "data") == 0 &&
		 place->above && strcmp(place->above, "stats") == 0;
	if (*taken)
		benchmark_hold_times(reading->benchmark, json, 1);
	return PERUN_OK;
}

/* Whether the rounds are there as they were measured: editors of such files put a text or null in their place. */
static bool has_rounds(const struct benchmark *benchmark, const struct perun_json *data)
{
	const char *found;
	size_t stray;

	return perun_json_type(data) == PERUN_JSON_TYPE_ARRAY &&
	       benchmark_held(benchmark, &stray, &found) && !found;
}

/* Rounds with --benchmark-save-data, else the mean of them. */
static int read_stats(struct perun_ctx *ctx, struct benchmark *benchmark,
		      const struct perun_json *stats, const char *name, const char *where)
{
	const struct perun_json *data = perun_json_get(stats, "data");
	bool whole = has_rounds(benchmark, data);
	double seconds, deviation, rounds;

	if (whole)
		benchmark_name_held(benchmark, name, "real");
	benchmark_drop_held(benchmark);
	benchmark_samples(benchmark, "time(real)");
	if (whole)
		return PERUN_OK;
	if (!perun_json_as_double(perun_json_get(stats, "mean"), &seconds) &&
	    !perun_json_as_double(perun_json_get(stats, "median"), &seconds))
		return perun_fail(ctx, PERUN_INPUT,
				  "expected %s.stats to have data, an array of numbers, or mean",
				  where);
	benchmark_time(benchmark, name, "real", seconds);
	if (perun_json_as_double(perun_json_get(stats, "stddev"), &deviation) &&
	    perun_json_as_double(perun_json_get(stats, "rounds"), &rounds))
		benchmark_deviation(benchmark, "time(real)", name,
				    deviation / seconds / sqrt(rounds));
	return PERUN_OK;
}

static int read_benchmark(void *data, const struct perun_json *result, const char *key, size_t at)
{
	const struct reading *reading = data;
	char *where = perun_format("benchmarks[%zu]", at);
	const struct perun_json *stats = NULL, *name = perun_json_get(result, "fullname");
	int status = PERUN_OK;

	(void)key;
	if (!perun_json_as_string(name, NULL))
		status = benchmark_member(reading->ctx, result, where, "name",
					  PERUN_JSON_TYPE_STRING, &name);
	if (!status)
		status = benchmark_member(reading->ctx, result, where, "stats",
					  PERUN_JSON_TYPE_OBJECT, &stats);
	if (!status)
		status = read_stats(reading->ctx, reading->benchmark, stats,
				    perun_json_as_string(name, NULL), where);
	perun_free(where);
	return status;
}

static void read_machine(struct benchmark *benchmark, const struct perun_json *machine)
{
	const struct perun_json *cpu = perun_json_get(machine, "cpu");
	char total[32] = "";
	int64_t number;

	if (perun_json_as_int64(perun_json_get(cpu, "count"), &number))
		snprintf(total, sizeof total, "%lld", (long long)number);
	benchmark_machine(benchmark, "host_measured", NULL,
			  perun_json_as_string(perun_json_get(machine, "node"), NULL));
	benchmark_machine(benchmark, "toolchain", NULL,
			  perun_json_as_string(perun_json_get(machine, "python_version"), NULL));
	benchmark_machine(benchmark, "cpu", "model",
			  perun_json_as_string(perun_json_get(cpu, "brand_raw"), NULL));
	benchmark_machine(benchmark, "cpu", "total", total);
}

static int read_json(struct perun_ctx *ctx, struct perun_input *input, struct benchmark *benchmark)
{
	static const char *const facts[] = {"machine_info", "commit_info", "datetime", "version"};
	const struct perun_json *results;
	struct reading reading = {.ctx = ctx, .benchmark = benchmark};
	struct perun_json *document;
	int status = benchmark_read_around(ctx, input, "benchmarks", read_benchmark, take_rounds,
					   &reading, &document);

	if (!status)
		status = benchmark_member(ctx, document, "", "benchmarks", PERUN_JSON_TYPE_ARRAY,
					  &results);
	for (size_t i = 0; !status && i < sizeof facts / sizeof *facts; i++) {
		const struct perun_json *fact = perun_json_get(document, facts[i]);

		if (fact)
			benchmark_fact(benchmark, facts[i], perun_json_clone(fact));
	}
	read_machine(benchmark, perun_json_get(document, "machine_info"));
	perun_json_free(document);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct benchmark *benchmark = benchmark_begin(ctx, builder, "pytest-benchmark", input);
	char first;
	int status = benchmark_first_byte(ctx, input, &first);

	(void)instance;
	if (!status && first == '{')
		status = read_json(ctx, input, benchmark);
	else if (!status)
		status = first == 'n' ? pytest_benchmark_read_csv(ctx, input, benchmark)
				      : pytest_benchmark_read_text(ctx, input, benchmark);
	return benchmark_end(benchmark, status);
}

/* What a table that is printed begins with, after the line "---- benchmark: 4 tests ----". */
#define TABLE "Name (time in "

/* Columns of the CSV, which has those that were asked for. */
#define SPREAD ",stddev,"

static int probe_format(const struct perun_probe *probe)
{
	if (!probe->directory && probe_starts(probe, "name,") && probe_has(probe, SPREAD) &&
	    (probe_has(probe, ",iqr") || probe_has(probe, ",rounds")))
		return 92;
	if (!probe->directory && probe_has(probe, TABLE) && probe_has(probe, " benchmark"))
		return 92;
	if (probe->directory || !probe_has(probe, "\"benchmarks\""))
		return 0;
	if (probe_has(probe, "\"stats\"") && probe_has(probe, "\"fullname\""))
		return 96;
	return probe_has(probe, "\"machine_info\"") && probe_has(probe, "\"commit_info\"") ? 90 : 0;
}

static const char *const marks[] = {"\"fullname\"", "\"commit_info\"", TABLE, SPREAD, NULL};

FORMAT_PLUGIN(pytest_benchmark, "pytest-benchmark", "results of pytest-benchmark", NULL,
	      .contains = marks, .probe = probe_format, .read = read_format);
