/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile of the collector `time`: resources, records of the runs, and what they say together. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <sys/wait.h>

#include "collectors/common/busy.h"
#include "collectors/common/overhead.h"
#include "time.h"

/* The columns of a time profile. */
struct time_columns {
	struct perun_table_builder *table;
	struct perun_column_builder *amount, *uid, *order, *subtype, *type;
};

static struct time_columns make_columns(struct perun_builder *builder)
{
	struct time_columns columns = {.table = perun_builder_table(builder, "resources")};
	struct perun_table_builder *table = columns.table;

	columns.amount =
		collectors_add_column(table, "amount", PERUN_TYPE_DOUBLE, PERUN_ROLE_METRIC);
	columns.uid = collectors_add_column(table, "uid", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns.order = collectors_add_column(table, "order", PERUN_TYPE_INT64, PERUN_ROLE_PLAIN);
	columns.subtype =
		collectors_add_column(table, "subtype", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns.type = collectors_add_column(table, "type", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	return columns;
}

static void add_resources(const struct run_results *results, const char *command,
			  struct perun_builder *builder)
{
	static const char *const subtypes[] = {"real", "user", "sys"};
	struct time_columns columns = make_columns(builder);
	perun_id uid = perun_builder_text(builder, command);
	perun_id type = perun_builder_text(builder, "time");

	for (size_t i = 0; i < results->count; i++) {
		const struct run_result *run = &results->items[i];
		double amounts[] = {run->real, run_seconds(run->usage.ru_utime),
				    run_seconds(run->usage.ru_stime)};

		for (size_t s = 0; s < 3; s++) {
			perun_column_set_double(columns.amount, amounts[s]);
			perun_column_set_id(columns.uid, PERUN_TYPE_STRING, uid);
			perun_column_set_int64(columns.order, (int64_t)i + 1);
			perun_column_set_id(columns.subtype, PERUN_TYPE_STRING,
					    perun_builder_text(builder, subtypes[s]));
			perun_column_set_id(columns.type, PERUN_TYPE_STRING, type);
			perun_table_end_row(columns.table);
		}
	}
}

/*
 * What else is known of each run goes into the document, where it is not a resource and so does not
 * enter the means and totals of programs that know nothing of it.
 */
static struct perun_json *run_document(const struct run_result *run)
{
	struct perun_json *document = perun_json_object();
	const struct rusage *usage = &run->usage;

	perun_json_set(document, "real", perun_json_double(run->real));
	perun_json_set(document, "user", perun_json_double(run_seconds(usage->ru_utime)));
	perun_json_set(document, "sys", perun_json_double(run_seconds(usage->ru_stime)));
	perun_json_set(document, "max_rss", perun_json_int64((int64_t)usage->ru_maxrss * 1024));
	perun_json_set(document, "minor_faults", perun_json_int64(usage->ru_minflt));
	perun_json_set(document, "major_faults", perun_json_int64(usage->ru_majflt));
	perun_json_set(document, "voluntary_switches", perun_json_int64(usage->ru_nvcsw));
	perun_json_set(document, "involuntary_switches", perun_json_int64(usage->ru_nivcsw));
	perun_json_set(document, "blocks_in", perun_json_int64(usage->ru_inblock));
	perun_json_set(document, "blocks_out", perun_json_int64(usage->ru_oublock));
	perun_json_set(
		document, "exit_status",
		perun_json_int64(WIFEXITED(run->wait_status) ? WEXITSTATUS(run->wait_status) : -1));
	for (int i = 0; i < COUNTERS; i++)
		if (run->counters.counted[i])
			perun_json_set(document, counter_names[i],
				       perun_json_uint64(run->counters.value[i]));
	return document;
}

/* Values of `unit` as the profile has them: no more digits than were measured. */
static struct perun_json *nanoseconds(double value)
{
	return perun_json_double(round(value * 1e9) / 1e9);
}

static struct perun_json *outlier_document(const struct run_results *results, size_t run,
					   const struct run_verdict *verdict)
{
	struct perun_json *document = perun_json_object();

	perun_json_set(document, "run", perun_json_uint64(run + 1));
	perun_json_set(document, "real", perun_json_double(results->items[run].real));
	perun_json_set(document, "deviations",
		       perun_json_double(round(10 * run_deviations(results, run, verdict)) / 10));
	return document;
}

static struct perun_json *verdict_document(const struct run_results *results,
					   const struct run_verdict *verdict)
{
	struct perun_json *document = perun_json_object(), *outliers = perun_json_array();

	perun_json_set(document, "runs", perun_json_uint64(results->count));
	perun_json_set(document, "stopped", perun_json_text(verdict->stopped));
	perun_json_set(document, "median", nanoseconds(verdict->median));
	if (verdict->sure) {
		struct perun_json *interval = perun_json_array();

		perun_json_append(interval, nanoseconds(verdict->low));
		perun_json_append(interval, nanoseconds(verdict->high));
		perun_json_set(document, "interval", interval);
		perun_json_set(document, "confidence", perun_json_double(verdict->confidence));
	}
	for (size_t i = 0; i < results->count; i++) {
		if (run_is_outlier(results, i, verdict))
			perun_json_append(outliers, outlier_document(results, i, verdict));
	}
	perun_json_set(document, "outliers", outliers);
	return document;
}

/* The events of the last warm-up run, where counting would have disturbed the others. */
static void add_counters(struct perun_json *time, const struct run_results *results)
{
	struct perun_json *counters = perun_json_object();

	if (results->uncounted) {
		perun_json_set(time, "counters", perun_json_text(results->uncounted));
		perun_json_free(counters);
		return;
	}
	for (int i = 0; i < COUNTERS; i++)
		if (results->warm.counted[i])
			perun_json_set(counters, counter_names[i],
				       perun_json_uint64(results->warm.value[i]));
	if (results->apart)
		perun_json_set(time, "counters", counters);
	else
		perun_json_free(counters);
}

/* The load as other programs on the same processors are known by it, since the mean of a minute says less of a few runs. */
static void add_load(struct perun_json *document, const struct run_results *results,
		     const struct perun_collect_job *job)
{
	double load = run_felt_load(results);
	struct perun_json *machine;

	if (!(load > 0))
		return;
	machine = perun_job_machine(job);
	collectors_busy_state(machine, load);
	perun_json_set(document, "machine", machine);
}

void time_fill_profile(const struct run_results *results, const struct run_verdict *verdict,
		       const struct perun_collect_job *job, struct perun_builder *builder)
{
	struct perun_json *document = perun_builder_document(builder), *header, *time;
	struct perun_json *runs = perun_json_array();

	add_resources(results, job->command, builder);
	header = collectors_add_header(builder, job, "time", "time", "s");
	if (isfinite(results->empty))
		collectors_add_overhead(header, results->empty, "s", "run");
	for (size_t i = 0; i < results->count; i++)
		perun_json_append(runs, run_document(&results->items[i]));
	perun_json_set(document, "runs", runs);
	time = verdict_document(results, verdict);
	add_counters(time, results);
	perun_json_set(document, "time", time);
	add_load(document, results, job);
}
