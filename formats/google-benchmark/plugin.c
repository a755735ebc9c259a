/* SPDX-License-Identifier: BSD-3-Clause */
/* google-benchmark: results of Google Benchmark, each repetition a repeat of its benchmark. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/common/benchmark.h"
#include "formats/google-benchmark/text.h"

#define MAX_NAME    4096
#define MAX_MEMBERS 65536 /* of a benchmark */

struct reading {
	struct perun_ctx *ctx;
	struct perun_input *input;
	const struct perun_json
		*runs; /* of CSV or of what was printed; those of JSON are read one at a time */
	struct benchmark *benchmark;
	const char *aggregate; /* which aggregate to read; NULL: the measurements themselves */
	double means[2];       /* of both times, of the aggregates read last */
	char *failed;          /* the benchmark whose failure was reported last */
	struct perun_json *labels, *complexity;
};

/* Members that are not counters of the user's. */
static bool is_known(const char *key)
{
	static const char *const known[] = {
		"cpu_time",  "family_index",     "iterations",  "per_family_instance_index",
		"real_time", "repetition_index", "repetitions", "threads"};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (*known[i] == *key && strcmp(known[i], key) == 0)
			return true;
	}
	return false;
}

/* Rows of the complexity that was fitted; they have no times. */
static bool is_fit(const struct perun_json *run)
{
	return perun_json_get(run, "big_o") || perun_json_get(run, "rms");
}

/* Which aggregate of repetitions a row is, "" = none. Before 1.5 only the end of its name says so. */
static const char *aggregate_of(const struct perun_json *run)
{
	static const char *const names[] = {"mean", "median", "stddev", "cv"};
	const char *name = perun_json_get_text(run, "name"), *last = strrchr(name, '_');

	if (perun_json_get(run, "run_type"))
		return perun_json_get_text(run, "aggregate_name");
	for (size_t i = 0; last && i < sizeof names / sizeof *names; i++) {
		if (strcmp(last + 1, names[i]) == 0)
			return names[i];
	}
	return "";
}

static bool is_aggregate(const struct perun_json *run)
{
	return *aggregate_of(run) || is_fit(run) ||
	       strcmp(perun_json_get_text(run, "run_type"), "aggregate") == 0;
}

static bool is_true(const struct perun_json *run, const char *key)
{
	bool value = false;

	return perun_json_as_bool(perun_json_get(run, key), &value) && value;
}

static bool failed(const struct perun_json *run)
{
	return is_true(run, "error_occurred") || is_true(run, "skipped");
}

static void read_counters(struct reading *reading, const struct perun_json *run, const char *name)
{
	double amount;

	for (size_t i = 0; i < perun_json_count(run); i++) {
		const char *key, *unit = "";
		const struct perun_json *value = perun_json_pass(run, i, &key);
		bool rate;

		if (!perun_json_as_double(value, &amount) || is_known(key))
			continue;
		rate = strlen(key) > 11 && strcmp(key + strlen(key) - 11, "_per_second") == 0;
		if (strcmp(key, "bytes_per_second") == 0)
			unit = "B/s";
		else if (rate)
			unit = "/s";
		benchmark_value(reading->benchmark, name, key, unit, rate, amount);
	}
}

/* The benchmark's, without that of an aggregate. */
static void name_of(const struct perun_json *run, char name[MAX_NAME])
{
	const char *own = perun_json_get_text(run, "run_name");
	size_t length;

	own = *own ? own : perun_json_get_text(run, "name");
	length = strlen(own);
	if (!perun_json_get(run, "run_type") && *aggregate_of(run))
		length = (size_t)(strrchr(own, '_') - own);
	if (length >= MAX_NAME)
		length = MAX_NAME - 1;
	memcpy(name, own, length);
	name[length] = '\0';
}

static int read_run(struct reading *reading, const struct perun_json *run, size_t at, bool bad)
{
	static const char *const keys[] = {"real_time", "cpu_time"};
	static const char *const subtypes[] = {"real", "cpu"};
	const char *file = perun_input_name(reading->input);
	char name[MAX_NAME];
	const char *unit = perun_json_get_text(run, "time_unit"), *label;
	double amount = 0;

	unit = *unit ? unit : "ns";
	name_of(run, name);
	if (!*name)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected benchmarks[%zu] to have a name, a string", at);
	if (bad) {
		const char *why = perun_json_get_text(
			run, *perun_json_get_text(run, "error_message") ? "error_message"
									: "skip_message");

		/* Each repetition of it failed. */
		if (!reading->failed || strcmp(reading->failed, name) != 0)
			perun_warn(reading->ctx, "%s: %s is left out: it failed%s%s", file, name,
				   *why ? ": " : "", why);
		perun_free(reading->failed);
		reading->failed = perun_strdup(name);
		benchmark_failed(reading->benchmark, name, why);
		return PERUN_OK;
	}
	if (!benchmark_to_seconds(&amount, unit))
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "expected benchmarks[%zu].time_unit to be ns, us, ms or s, "
				  "found '%s'",
				  at, unit);
	for (size_t i = 0; i < 2; i++) {
		if (perun_json_as_double(perun_json_get(run, keys[i]), &amount)) {
			benchmark_to_seconds(&amount, unit);
			benchmark_time(reading->benchmark, name, subtypes[i], amount);
		} else if (i == 0) {
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "expected benchmarks[%zu].real_time to be a number", at);
		}
	}
	label = perun_json_get_text(run, "label");
	if (*label)
		perun_json_set(reading->labels, name, perun_json_text(label));
	read_counters(reading, run, name);
	return PERUN_OK;
}

/* The deviation of an aggregate, whose row comes after those of the mean and the median. */
static void read_deviation(struct reading *reading, const struct perun_json *run)
{
	static const char *const keys[] = {"real_time", "cpu_time"};
	static const char *const metrics[] = {"time(real)", "time(cpu)"};
	bool mean = strcmp(aggregate_of(run), "mean") == 0;
	double deviation, repetitions;
	char name[MAX_NAME];

	if (!mean && strcmp(aggregate_of(run), "stddev") != 0)
		return;
	name_of(run, name);
	for (size_t k = 0; k < 2; k++) {
		if (mean) {
			perun_json_as_double(perun_json_get(run, keys[k]), &reading->means[k]);
		} else if (perun_json_as_double(perun_json_get(run, keys[k]), &deviation) &&
			   perun_json_as_double(perun_json_get(run, "repetitions"), &repetitions)) {
			benchmark_deviation(reading->benchmark, metrics[k], name,
					    deviation / reading->means[k] / sqrt(repetitions));
		}
	}
}

/* {"big_o": "N", "real_coefficient": 1.5, "time_unit": "ns"}: a fact of the benchmark, no measurement. */
static void keep_complexity(struct reading *reading, const struct perun_json *run)
{
	static const char *const keys[] = {"big_o", "real_coefficient", "cpu_coefficient",
					   "time_unit"};
	struct perun_json *fit = perun_json_object();
	char name[MAX_NAME];

	name_of(run, name);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (perun_json_get(run, keys[i]))
			perun_json_set(fit, keys[i],
				       perun_json_clone(perun_json_get(run, keys[i])));
	perun_json_set(reading->complexity, name, fit);
}

/* `*document`: what is around the runs, where they are not in one. */
static int each_run(struct reading *reading, benchmark_element *take, void *data,
		    struct perun_json **document)
{
	int status = PERUN_OK;

	if (!reading->runs)
		return benchmark_each_around(reading->ctx, reading->input, "benchmarks", take, data,
					     document);
	for (size_t i = 0; !status && i < perun_json_count(reading->runs); i++)
		status = take(data, perun_json_pass(reading->runs, i, NULL), NULL, i);
	return status;
}

/* What the runs are, up to the first measurement. */
struct kinds {
	bool measured, means;
};

static int note_kind(void *data, const struct perun_json *run, const char *key, size_t at)
{
	struct kinds *kinds = data;

	(void)key;
	(void)at;
	/* Of what failed there are no aggregates. */
	if (failed(run))
		return PERUN_OK;
	kinds->measured = !is_aggregate(run);
	kinds->means = kinds->means || strcmp(aggregate_of(run), "mean") == 0;
	return kinds->measured ? BENCHMARK_ENOUGH : PERUN_OK;
}

/* Without measurements, as --benchmark_report_aggregates_only writes it, the means represent them. */
static int choose(struct reading *reading)
{
	struct kinds kinds = {false, false};
	struct perun_json *document = NULL;
	int status = each_run(reading, note_kind, &kinds, &document);

	perun_json_free(document);
	if (!kinds.measured)
		reading->aggregate = kinds.means ? "mean" : "median";
	return status == BENCHMARK_ENOUGH ? PERUN_OK : status;
}

static bool is_chosen(const struct reading *reading, const struct perun_json *run)
{
	if (!reading->aggregate)
		return !is_aggregate(run);
	return !is_fit(run) && strcmp(aggregate_of(run), reading->aggregate) == 0;
}

static int take_run(void *data, const struct perun_json *run, const char *key, size_t at)
{
	struct reading *reading = data;
	bool bad;
	int status = PERUN_OK;

	(void)key;
	if (perun_json_count(run) > MAX_MEMBERS)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "benchmarks[%zu] has more than %d members", at, MAX_MEMBERS);
	bad = failed(run);
	if (bad || is_chosen(reading, run))
		status = read_run(reading, run, at, bad);
	if (perun_json_get(run, "big_o"))
		keep_complexity(reading, run);
	if (!status && reading->aggregate)
		read_deviation(reading, run);
	return status;
}

/* JSON is read up to its first measurement, which mostly is the first run, and then as a whole; a text is a document. */
static int read_runs(struct reading *reading, struct perun_json **document)
{
	const struct perun_json *runs;
	char first;
	int status = benchmark_first_byte(reading->ctx, reading->input, &first);

	*document = NULL;
	if (!status && first == 'n')
		status = google_benchmark_csv(reading->ctx, reading->input, document);
	else if (!status && first != '{')
		status = google_benchmark_console(reading->ctx, reading->input, document);
	reading->runs = perun_json_get(*document, "benchmarks");
	if (!status && first != '{')
		status = benchmark_member(reading->ctx, *document, "", "benchmarks",
					  PERUN_JSON_TYPE_ARRAY, &runs);
	if (!status)
		status = choose(reading);
	if (!status)
		status = each_run(reading, take_run, reading, document);
	if (!status)
		status = benchmark_member(reading->ctx, *document, "", "benchmarks",
					  PERUN_JSON_TYPE_ARRAY, &runs);
	return status;
}

/* The processes that ran or wanted to, in the mean of the minute before. */
static void read_load(struct benchmark *benchmark, const struct perun_json *context)
{
	char text[32];
	double load;

	if (!perun_json_as_double(perun_json_at(perun_json_get(context, "load_avg"), 0), &load) ||
	    !(load >= 0))
		return;
	snprintf(text, sizeof text, "%.2f", load);
	benchmark_machine(benchmark, "cpu", "load", text);
}

/* Whether the processors' clocks change while it measures, "" where that is not stated. */
static const char *scaling_of(const struct perun_json *context)
{
	bool enabled;

	if (!perun_json_as_bool(perun_json_get(context, "cpu_scaling_enabled"), &enabled))
		return "";
	return enabled ? "enabled" : "disabled";
}

/* What was run, and on what. */
static void read_context(struct benchmark *benchmark, const struct perun_json *context)
{
	char total[32] = "";
	int64_t number;

	benchmark_command(benchmark, perun_json_get_text(context, "executable"));
	if (perun_json_as_int64(perun_json_get(context, "num_cpus"), &number))
		snprintf(total, sizeof total, "%lld", (long long)number);
	benchmark_machine(benchmark, "host_measured", NULL,
			  perun_json_get_text(context, "host_name"));
	benchmark_machine(benchmark, "build", NULL,
			  perun_json_get_text(context, "library_build_type"));
	benchmark_machine(benchmark, "cpu", "total", total);
	benchmark_machine(benchmark, "cpu", "scaling", scaling_of(context));
	read_load(benchmark, context);
	benchmark_fact(benchmark, "context", perun_json_clone(context));
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct reading reading = {.ctx = ctx,
				  .input = input,
				  .labels = perun_json_object(),
				  .complexity = perun_json_object()};
	const struct perun_json *context;
	struct perun_json *document;
	int status;

	(void)instance;
	reading.benchmark = benchmark_begin(ctx, builder, "google-benchmark", input);
	status = read_runs(&reading, &document);
	context = perun_json_get(document, "context");
	if (!status && context)
		read_context(reading.benchmark, context);
	if (!status && reading.aggregate && benchmark_count(reading.benchmark))
		perun_warn(ctx, "%s: there are no repetitions in it, only aggregates: read the %ss",
			   perun_input_name(input), reading.aggregate);
	if (perun_json_count(reading.labels))
		benchmark_fact(reading.benchmark, "labels", reading.labels);
	else
		perun_json_free(reading.labels);
	if (perun_json_count(reading.complexity))
		benchmark_fact(reading.benchmark, "complexity", reading.complexity);
	else
		perun_json_free(reading.complexity);
	perun_free(reading.failed);
	status = benchmark_end(reading.benchmark, status);
	perun_json_free(document);
	return status;
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_starts(probe, "name,iterations,real_time,cpu_time,time_unit") ||
	    (probe_has(probe, "\nBenchmark ") && probe_has(probe, " CPU ") &&
	     probe_has(probe, " Iterations") && probe_has(probe, "\n-----")))
		return 95;
	if (!probe_has(probe, "\"benchmarks\""))
		return 0;
	if (probe_has(probe, "\"real_time\"") && probe_has(probe, "\"cpu_time\""))
		return 95;
	/* Every run may have failed, and what is linked may be long. */
	return probe_has(probe, "\"library_build_type\"") ? 90 : 0;
}

static const char *const marks[] = {"name,iterations,real_time,cpu_time,", "\nBenchmark ",
				    "\"cpu_time\"", "\"library_build_type\"", NULL};

FORMAT_PLUGIN(google_benchmark, "google-benchmark", "results of Google Benchmark", NULL,
	      .contains = marks, .probe = probe_format, .read = read_format);
