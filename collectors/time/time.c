/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector `time`: wall-clock and processor time of repeated runs of a program. */
#include <config.h>

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

struct time_collector {
	int64_t warmup, repeat;
	struct collectors_limits limits;
	const char *input_path;
	int processor;
	bool shell, counters;
	struct run_result *results; /* of the counted runs */
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
	 .help = "counted runs",
	 .default_value = "10",
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
	collector->repeat = perun_option_integer(options, "repeat");
	collector->input_path = perun_option_string(options, "input");
	collector->shell = perun_option_flag(options, "shell");
	collector->limits = collectors_limits(options);
	collector->processor =
		perun_option_given(options, "pin") ? (int)perun_option_integer(options, "pin") : -1;
	collector->counters = perun_option_flag(options, "counters");
	*instance = collector;
	return PERUN_OK;
}

static void time_close(void *instance)
{
	struct time_collector *collector = instance;

	perun_free(collector->results);
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
	if (collector->counters)
		collector->counters = counters_available();
	collector->results =
		perun_alloc_zero((size_t)collector->repeat, sizeof *collector->results);
	return PERUN_OK;
}

static int check_end(const struct time_collector *collector, struct perun_ctx *ctx,
		     const struct run_setup *setup, const struct run_result *result)
{
	if (collector->limits.ignore_status && WIFEXITED(result->wait_status))
		return PERUN_OK;
	return collectors_judge(ctx, &setup->start, result->wait_status);
}

/* The command line for --shell: command, arguments and workload joined as they are. */
static char *shell_line(const struct perun_collect_job *job)
{
	return perun_format("%s%s%s%s%s", job->command, *job->arguments ? " " : "", job->arguments,
			    *job->workload ? " " : "", job->workload);
}

static int run_all(struct time_collector *collector, struct perun_ctx *ctx,
		   const struct run_setup *setup)
{
	int64_t total = collector->warmup + collector->repeat;
	int status = PERUN_OK;

	for (int64_t i = 0; !status && i < total; i++) {
		struct run_result ignored;
		bool counted = i >= collector->warmup;
		struct run_result *result =
			counted ? &collector->results[i - collector->warmup] : &ignored;

		perun_progress(ctx, "runs", (uint64_t)i, (uint64_t)total);
		status = run_once(ctx, setup, result);
		if (!status)
			status = check_end(collector, ctx, setup, result);
		if (status && status != PERUN_CANCELLED)
			perun_fail(ctx, PERUN_OK, "%s %lld of %lld",
				   counted ? "run" : "warm-up run",
				   (long long)(counted ? i - collector->warmup : i) + 1,
				   (long long)(counted ? collector->repeat : collector->warmup));
	}
	if (!status)
		perun_progress(ctx, "runs", (uint64_t)total, (uint64_t)total);
	return status;
}

static double seconds(struct timeval time)
{
	return (double)((int64_t)time.tv_sec * 1000000 + time.tv_usec) / 1e6;
}

/* The columns of a time profile. */
struct time_columns {
	struct perun_table_builder *table;
	struct perun_column_builder *amount, *uid, *order, *subtype, *type;
};

static struct time_columns make_columns(struct perun_builder *builder)
{
	struct time_columns columns = {.table = perun_builder_table(builder, "resources")};
	struct perun_table_builder *table = columns.table;

	columns.amount = collectors_add_column(table, "amount", PERUN_DOUBLE, PERUN_ROLE_METRIC);
	columns.uid = collectors_add_column(table, "uid", PERUN_STRING, PERUN_ROLE_KEY);
	columns.order = collectors_add_column(table, "order", PERUN_INT64, PERUN_ROLE_PLAIN);
	columns.subtype = collectors_add_column(table, "subtype", PERUN_STRING, PERUN_ROLE_KEY);
	columns.type = collectors_add_column(table, "type", PERUN_STRING, PERUN_ROLE_KEY);
	return columns;
}

static void add_resources(const struct time_collector *collector,
			  const struct perun_collect_job *job, struct perun_builder *builder)
{
	static const char *const subtypes[] = {"real", "user", "sys"};
	struct time_columns columns = make_columns(builder);
	perun_id uid = perun_builder_text(builder, job->command);
	perun_id type = perun_builder_text(builder, "time");

	for (int64_t i = 0; i < collector->repeat; i++) {
		const struct run_result *run = &collector->results[i];
		double amounts[] = {run->real, seconds(run->usage.ru_utime),
				    seconds(run->usage.ru_stime)};

		for (size_t s = 0; s < 3; s++) {
			perun_column_set_double(columns.amount, amounts[s]);
			perun_column_set_id(columns.uid, PERUN_STRING, uid);
			perun_column_set_int64(columns.order, i + 1);
			perun_column_set_id(columns.subtype, PERUN_STRING,
					    perun_builder_text(builder, subtypes[s]));
			perun_column_set_id(columns.type, PERUN_STRING, type);
			perun_table_end_row(columns.table);
		}
	}
}

/*
 * What else is known of each run goes into the document, where it is no resource and so does not
 * enter the means and totals of programs that know nothing of it.
 */
static struct perun_json *run_document(const struct run_result *run)
{
	struct perun_json *document = perun_json_object();
	const struct rusage *usage = &run->usage;

	perun_json_set(document, "real", perun_json_double(run->real));
	perun_json_set(document, "user", perun_json_double(seconds(usage->ru_utime)));
	perun_json_set(document, "sys", perun_json_double(seconds(usage->ru_stime)));
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

static void fill_profile(const struct time_collector *collector,
			 const struct perun_collect_job *job, struct perun_builder *builder)
{
	struct perun_json *runs = perun_json_array();

	add_resources(collector, job, builder);
	collectors_add_header(builder, job, "time", "time", "s");
	for (int64_t i = 0; i < collector->repeat; i++)
		perun_json_append(runs, run_document(&collector->results[i]));
	perun_json_set(perun_builder_document(builder), "runs", runs);
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
			  .held = true,
			  .unwatched = true},
		.limits = collector->limits,
		.counters = collector->counters,
	};
	int status;

	if (line)
		run.argv = shell_argv;
	status = run_all(collector, ctx, &setup);
	if (!status)
		fill_profile(collector, job, builder);
	perun_free(line);
	perun_free(error_path);
	return status;
}

static const struct perun_collect_ops time_ops = {
	.open = time_open,
	.close = time_close,
	.before = time_before,
	.collect = time_collect,
};

PERUN_PLUGIN(collect, time) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "time",
			  "wall-clock and processor time of repeated runs of a program"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(time_options),
	PERUN_PLUGIN_OPS(time_ops),
};
