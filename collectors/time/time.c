/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector `time`: wall-clock and processor time of repeated runs of a program. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/lib/statistics.h>

#include "collectors/common/clock.h"
#include "collectors/common/overhead.h"
#include "time.h"

/* Counting events may make a run longer by this part of it, no more. */
#define COUNTING_SHARE 0.01

struct time_collector {
	struct collectors_limits limits;
	struct run_repeats repeats;
	struct run_results results;
	int64_t warmup;
	const char *input_path;
	int processor;
	bool shell, counters, counters_asked;
	double counting; /* seconds that it costs to count the events of a run */
};

static const struct perun_option time_options[] = {
	{.name = "warmup",
	 .aliases = "-w",
	 .metavar = "N",
	 .help = "runs before the counted ones, to fill caches",
	 .default_value = "3",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6},
	{.name = "repeat",
	 .aliases = "-r",
	 .metavar = "N",
	 .help = "counted runs; with --precision or --budget the fewest",
	 .default_value = "10",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e6},
	{.name = "precision",
	 .metavar = "PERCENT",
	 .help = "run until the median is known within this many percent",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0.001,
	 .maximum = 100},
	{.name = "confidence",
	 .metavar = "PERCENT",
	 .help = "how sure the interval of the median is",
	 .default_value = "95",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 50,
	 .maximum = 99.9},
	{.name = "budget",
	 .metavar = "DURATION",
	 .help = "run no more once so much time is spent, warm-up runs included",
	 .type = PERUN_OPTION_DURATION,
	 .ranged = true,
	 .minimum = 0.001,
	 .maximum = 1e7},
	{.name = "max-repeat",
	 .metavar = "N",
	 .help = "the most counted runs with --precision or --budget",
	 .default_value = "1000",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e6},
	COLLECTORS_RUN_OPTIONS,
	{.name = "input",
	 .metavar = "FILE",
	 .help = "standard input of each run (default: empty)",
	 .type = PERUN_OPTION_PATH},
	{.name = "shell",
	 .help = "run the command line with /bin/sh, whose time is then measured too"},
	{.name = "pin",
	 .aliases = "--cpu",
	 .metavar = "CPU",
	 .help = "run on this processor only",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1023},
	{.name = "counters",
	 .help = "count instructions and cycles where the system can",
	 .default_value = "true",
	 .flags = PERUN_OPTION_NEGATABLE},
	{0}};

static int time_open(struct perun_ctx *ctx, const struct perun_options *options,
		     const char *subcommand, void **instance)
{
	struct time_collector *collector = perun_alloc_zero(1, sizeof *collector);

	(void)ctx;
	(void)subcommand;
	collector->warmup = perun_option_integer(options, "warmup");
	collector->repeats =
		(struct run_repeats){.least = perun_option_integer(options, "repeat"),
				     .most = perun_option_integer(options, "max-repeat"),
				     .precision = perun_option_number(options, "precision") / 100,
				     .confidence = perun_option_number(options, "confidence") / 100,
				     .budget = perun_option_number(options, "budget")};
	collector->input_path = perun_option_string(options, "input");
	collector->shell = perun_option_flag(options, "shell");
	collector->limits = collectors_limits(options);
	collector->processor =
		perun_option_given(options, "pin") ? (int)perun_option_integer(options, "pin") : -1;
	collector->counters = perun_option_flag(options, "counters");
	collector->counters_asked = perun_option_given(options, "counters");
	*instance = collector;
	return PERUN_OK;
}

static void time_close(void *instance)
{
	struct time_collector *collector = instance;

	perun_free(collector->results.items);
	perun_free(collector);
}

/* Find mistakes before the first run: a processor or an input that is not there. */
static int time_before(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job)
{
	struct time_collector *collector = instance;
	cpu_set_t set;

	(void)job;
	if (collector->input_path && access(collector->input_path, R_OK) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s",
					collector->input_path);
	if (collector->processor >= 0 && sched_getaffinity(0, sizeof set, &set) == 0 &&
	    !CPU_ISSET(collector->processor, &set))
		return perun_fail(ctx, PERUN_USAGE, "there is no processor %d to pin to",
				  collector->processor);
	if (collector->repeats.most < collector->repeats.least)
		collector->repeats.most = collector->repeats.least;
	collector->results.uncounted =
		collector->counters ? counters_missing() : "they were not asked for";
	if (collector->counters && collector->results.uncounted && collector->counters_asked)
		perun_warn(ctx, "no hardware counters: %s", collector->results.uncounted);
	collector->counters = !collector->results.uncounted;
	return PERUN_OK;
}

static int check_end(const struct time_collector *collector, struct perun_ctx *ctx,
		     const struct run_setup *setup, const struct run_result *result)
{
	if (WIFEXITED(result->wait_status))
		return collectors_judge_run(ctx, &collector->limits, &setup->start,
					    result->wait_status);
	return collectors_judge(ctx, &setup->start, result->wait_status, "");
}

/* The command line for --shell: command, arguments and workload joined as they are. */
static char *shell_line(const struct perun_collect_job *job)
{
	return perun_format("%s%s%s%s%s", job->command, *job->arguments ? " " : "", job->arguments,
			    *job->workload ? " " : "", job->workload);
}

/* ---- what measuring costs ----------------------------------------------------------------------- */

/* Runs of a program that does nothing: their median, or the shortest. */
static int measure_empty(struct perun_ctx *ctx, struct run_setup setup, bool shortest,
			 double *amount)
{
	enum { RUNS = 15 };
	struct collectors_starter starter;
	struct run_result result;
	double reals[RUNS] = {0};
	int status = collectors_open_starter(ctx, &setup.start, &starter);

	setup.start.starter = &starter;
	for (size_t i = 0; !status && i < RUNS; i++) {
		status = run_once(ctx, &setup, &result);
		reals[i] = result.real;
	}
	collectors_close_starter(&starter);
	perun_sort_doubles(reals, status ? 0 : RUNS);
	*amount = reals[shortest ? 0 : RUNS / 2];
	return status;
}

static int measure_run(struct perun_ctx *ctx, void *data, double *amount)
{
	const struct run_setup *setup = data;

	return measure_empty(ctx, *setup, false, amount);
}

static int measure_counting(struct perun_ctx *ctx, void *data, double *amount)
{
	struct run_setup setup = *(const struct run_setup *)data;
	double plain;
	int status = measure_empty(ctx, setup, true, &plain);

	setup.counters = true;
	if (!status)
		status = measure_empty(ctx, setup, true, amount);
	if (!status)
		*amount = *amount > plain ? *amount - plain : 0;
	return status;
}

static void calibrate(struct time_collector *collector, struct perun_ctx *ctx,
		      const struct run_setup *setup)
{
	char *words[] = {"/bin/true", NULL};
	struct perun_collect_job job = *setup->start.job;
	struct run_setup empty = {
		.start = {.job = &job, .error_path = setup->start.error_path, .unwatched = true}};

	job.argv = words;
	if (!collectors_overhead(ctx, "time", measure_run, &empty, &collector->results.empty))
		collector->results.empty = NAN;
	if (collector->counters && !collectors_overhead(ctx, "time-counters", measure_counting,
							&empty, &collector->counting))
		collector->counting = 0;
}

/* ---- the runs ----------------------------------------------------------------------------------- */

static int run_and_check(struct time_collector *collector, struct perun_ctx *ctx,
			 const struct run_setup *setup, struct run_result *result)
{
	int status = run_once(ctx, setup, result);

	return status ? status : check_end(collector, ctx, setup, result);
}

static bool is_disturbed(const struct time_collector *collector, const struct run_result *result)
{
	return collector->counters && !collector->counters_asked &&
	       collector->counting > COUNTING_SHARE * result->real;
}

/*
 * The warm-up runs. Events are counted in them; in the others only where that takes next to no time in
 * relation to the program, or the user wants it.
 */
static int warm_up(struct time_collector *collector, struct perun_ctx *ctx, struct run_setup *setup)
{
	struct run_result result = {0};
	int status = PERUN_OK;

	setup->counters = collector->counters;
	for (int64_t i = 0; !status && i < collector->warmup; i++) {
		perun_progress(ctx, "warm-up runs", (uint64_t)i, (uint64_t)collector->warmup);
		status = run_and_check(collector, ctx, setup, &result);
		if (status && status != PERUN_CANCELLED)
			perun_fail(ctx, PERUN_OK, "warm-up run %lld of %lld", (long long)i + 1,
				   (long long)collector->warmup);
		if (!status && i == 0)
			run_report_wait(ctx, &collector->repeats, result.real,
					collector->warmup - 1 + collector->repeats.least);
	}
	if (collector->warmup && is_disturbed(collector, &result)) {
		setup->counters = false;
		collector->results.apart = true;
		collector->results.warm = result.counters;
	}
	/* Without a warm-up run the first one decides. */
	if (!collector->warmup && !collector->counters_asked)
		setup->counters = false;
	return status;
}

/* After the first run, when there was none to warm up. */
static void decide_counting(struct time_collector *collector, struct run_setup *setup)
{
	struct run_results *results = &collector->results;

	if (collector->warmup || !collector->counters || collector->counters_asked ||
	    results->count != 1)
		return;
	setup->counters = !is_disturbed(collector, &results->items[0]);
	if (!setup->counters)
		results->uncounted = "that would disturb so short a program; --counters does it";
}

static int run_all(struct time_collector *collector, struct perun_ctx *ctx, struct run_setup *setup,
		   struct run_verdict *verdict)
{
	const struct run_repeats *repeats = &collector->repeats;
	struct run_results *results = &collector->results;
	bool adaptive = repeats->precision > 0 || repeats->budget > 0;
	int64_t most = adaptive ? repeats->most : repeats->least;
	uint64_t start = collectors_clock(0);
	size_t next = (size_t)repeats->least;
	int status = warm_up(collector, ctx, setup);

	*verdict = (struct run_verdict){0};
	while (!status && !verdict->stopped) {
		perun_progress(ctx, "runs", results->count, (uint64_t)most);
		PERUN_GROW(results->items, results->count, results->capacity);
		status = run_and_check(collector, ctx, setup, &results->items[results->count]);
		if (status && status != PERUN_CANCELLED)
			perun_fail(ctx, PERUN_OK, "run %zu of %s%lld", results->count + 1,
				   adaptive ? "at most " : "", (long long)most);
		results->count += !status;
		if (!status && results->count == 1 && !collector->warmup)
			run_report_wait(ctx, repeats, results->items[0].real, repeats->least - 1);
		decide_counting(collector, setup);
		if (status || (results->count < next && !run_budget_spent(results, repeats, start)))
			continue;
		*verdict = run_judge(results, repeats, start);
		/* With many runs, each one more adds little. */
		next = results->count + 1 + results->count / 20;
		if (next > (size_t)most)
			next = (size_t)most;
	}
	if (!status)
		perun_progress(ctx, "runs", results->count, results->count);
	return status;
}

static int time_collect(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
			struct perun_builder *builder)
{
	struct time_collector *collector = instance;
	char *line = collector->shell ? shell_line(job) : NULL;
	char *error_path = perun_format("%s/stderr", job->scratch);
	char *shell_argv[] = {"/bin/sh", "-c", line, NULL};
	struct perun_collect_job run = *job;
	struct run_setup setup = {
		.start = {.job = &run,
			  .error_path = error_path,
			  .input_path = collector->input_path,
			  .processor = collector->processor >= 0 ? &collector->processor : NULL,
			  .unwatched = true},
		.limits = collector->limits,
	};
	struct collectors_starter starter;
	struct run_verdict verdict;
	int status;

	if (line)
		run.argv = shell_argv;
	calibrate(collector, ctx, &setup);
	status = collectors_open_starter(ctx, &setup.start, &starter);
	setup.start.starter = &starter;
	if (!status)
		status = run_all(collector, ctx, &setup, &verdict);
	collectors_close_starter(&starter);
	if (!status) {
		run_report(ctx, &collector->results, &collector->repeats, &verdict);
		time_fill_profile(&collector->results, &verdict, job, builder);
	}
	perun_free(line);
	perun_free(error_path);
	return status;
}

/* Counting events costs time: only where they are what is wanted. */
static const char *const *time_once(const char *metric)
{
	static const char *const counting[] = {"--warmup", "0",          "--repeat",
					       "1",        "--counters", NULL};
	static const char *const timing[] = {"--warmup",      "0", "--repeat", "1",
					     "--no-counters", NULL};
	bool counts = strcmp(metric, "instructions") == 0 || strcmp(metric, "cycles") == 0;

	return counts ? counting : timing;
}

static const struct perun_collect_ops time_ops = {
	.open = time_open,
	.close = time_close,
	.before = time_before,
	.collect = time_collect,
	.once = time_once,
};

PERUN_PLUGIN(collect, time) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "time",
			  "wall-clock and processor time of repeated runs of a program"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(time_options),
	PERUN_PLUGIN_OPS(time_ops),
};
