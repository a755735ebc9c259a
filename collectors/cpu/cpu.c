/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector `cpu`: where a program spends processor time, by samples. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <perun/json.h>

#include "collectors/common/clock.h"
#include "collectors/common/overhead.h"
#include "collectors/common/setup.h"
#include "collectors/common/traces.h"
#include "collectors/common/rings.h"
#include "cost.h"
#include "cpu.h"
#include "perf.h"
#include "samples.h"

struct cpu_collector {
	struct collectors_limits limits;
	double frequency, duration;
	int64_t pid;
	bool user, threads, pointers, waits;
};

static const struct perun_option cpu_options[] = {
	{.name = "frequency",
	 .aliases = "-F",
	 .metavar = "HERTZ",
	 /* No multiple of what the kernel's own timer does: its work would seem to take much. */
	 .help = "samples a second of processor time",
	 .default_value = "997",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 50000},
	{.name = "pid",
	 .aliases = "-p",
	 .metavar = "PID",
	 .help = "sample this process, which runs already, instead of a command",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 4194304},
	{.name = "duration",
	 .aliases = "-d",
	 .metavar = "DURATION",
	 .help = "how long to sample a process that runs already (default: until it ends)",
	 .type = PERUN_OPTION_DURATION,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e9},
	{.name = "user",
	 .aliases = "-u",
	 .help = "only the program's own code, not what the kernel does for it"},
	{.name = "off-cpu",
	 .help = "also where threads wait: the time in which they use no processor"},
	{.name = "threads", .help = "keep threads apart"},
	{.name = "frame-pointers",
	 .help = "follow frame pointers only: cheaper, right where all code keeps them"},
	COLLECTORS_RUN_OPTIONS,
	{0}};

static int cpu_open(struct perun_ctx *ctx, const struct perun_options *options,
		    const char *subcommand, void **instance)
{
	struct cpu_collector *collector = perun_alloc_zero(1, sizeof *collector);

	(void)ctx;
	(void)subcommand;
	collector->frequency = perun_option_number(options, "frequency");
	collector->pid =
		perun_option_given(options, "pid") ? perun_option_integer(options, "pid") : 0;
	collector->duration = perun_option_number(options, "duration");
	collector->user = perun_option_flag(options, "user");
	collector->threads = perun_option_flag(options, "threads");
	collector->waits = perun_option_flag(options, "off-cpu");
	collector->pointers = perun_option_flag(options, "frame-pointers");
	collector->limits = collectors_limits(options);
	*instance = collector;
	return PERUN_OK;
}

static void cpu_close(void *instance)
{
	perun_free(instance);
}

static int cpu_before(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job)
{
	const struct cpu_collector *collector = instance;
	char *path;

	if (collector->pid)
		return PERUN_OK;
	if (!job->argv[0])
		return perun_fail(
			ctx, PERUN_USAGE,
			"no command to sample: give one with -c, or a process with --pid");
	path = collectors_find_program(job);
	if (!path)
		return perun_fail(ctx, PERUN_MISSING, "cannot run %s: it was not found",
				  job->argv[0]);
	perun_free(path);
	return PERUN_OK;
}

/* ---- the run ------------------------------------------------------------------------------------ */

static struct perf_options options_of(const struct cpu_collector *collector)
{
	return (struct perf_options){.period = (uint64_t)(1e9 / collector->frequency),
				     .kernel = !collector->user,
				     .dump = !collector->pointers,
				     .waits = collector->waits};
}

/*
 * Read samples until the process ends. One that was there before is left when the time is over, or
 * the user interrupts, and what was sampled is kept.
 */
static int follow(const struct cpu_collector *collector, struct perun_ctx *ctx, struct perf *perf,
		  struct samples *samples, int watched)
{
	struct pollfd wanted = {.fd = watched, .events = POLLIN};
	uint64_t start = collectors_clock(0);
	int status = PERUN_OK;
	bool over = false;

	while (!over && !status) {
		/* Waits come much more often than samples, each with a copy of the stack. */
		over = poll(&wanted, 1, collector->waits ? 1 : 10) > 0;
		perf_drain(perf, over, samples_handle, samples);
		if (collector->pid) {
			over |= perun_cancelled(ctx) ||
				(collector->duration > 0 && (double)(collectors_clock(0) - start) >=
								    collector->duration * 1e9);
		} else if (!over) {
			status = collectors_check_time(ctx, &collector->limits, start);
		}
	}
	perf_drain(perf, true, samples_handle, samples);
	samples_end_waits(samples, collectors_clock(0));
	return status;
}

/* What the kernel lets this user see. */
struct permitted {
	bool kernel, wait_stacks;
};

static void note_permitted(const struct perf *perf, struct permitted *permitted)
{
	if (!perf)
		return;
	permitted->kernel = perf_has_kernel(perf);
	permitted->wait_stacks = perf_has_waits(perf);
}

static int sample_command(const struct cpu_collector *collector, struct perun_ctx *ctx,
			  const struct perun_collect_job *job, struct samples *samples,
			  struct permitted *permitted)
{
	char *error_path = perun_format("%s/stderr", job->scratch);
	const struct collectors_start start = {.job = job, .error_path = error_path, .held = true};
	const struct perf_options options = options_of(collector);
	struct collectors_child child;
	struct perf *perf = NULL;
	int wait_status, status = collectors_start(ctx, &start, &child);

	if (!status) {
		status = perf_open(ctx, &options, child.pid, false, &perf);
		if (status)
			kill(child.pid, SIGKILL);
		else
			status = collectors_go(ctx, &start, &child);
		if (!status) {
			status = follow(collector, ctx, perf, samples, child.watched);
			if (status)
				kill(child.pid, SIGKILL);
		}
		/* After a program that could not be started there is nothing to wait for. */
		wait_status = child.watched >= 0 ? collectors_finish(&child, NULL) : 0;
		if (!status)
			status = collectors_judge_run(ctx, &collector->limits, &start, wait_status);
		/* Whoever failed at once has no samples for that reason. */
		if (!status && !samples->count && !samples->waits)
			status = collectors_judge(ctx, &start, wait_status, "");
		note_permitted(perf, permitted);
	}
	perf_close(perf);
	perun_free(error_path);
	return status;
}

static int sample_process(const struct cpu_collector *collector, struct perun_ctx *ctx,
			  struct samples *samples, struct permitted *permitted)
{
	const struct perf_options options = options_of(collector);
	int watched = (int)syscall(SYS_pidfd_open, (pid_t)collector->pid, 0), status;
	struct perf *perf = NULL;

	if (watched < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot watch process %lld",
					(long long)collector->pid);
	status = perf_open(ctx, &options, (pid_t)collector->pid, true, &perf);
	if (!status) {
		samples_know_process(samples, (pid_t)collector->pid);
		status = follow(collector, ctx, perf, samples, watched);
	}
	note_permitted(perf, permitted);
	perf_close(perf);
	close(watched);
	return status;
}

/* ---- the profile -------------------------------------------------------------------------------- */

struct columns {
	struct perun_table_builder *table;
	struct perun_column_builder *amount, *samples, *off, *waits, *type, *subtype, *uid, *trace,
		*command, *thread;
};

static struct columns make_columns(struct perun_builder *builder, bool threads, bool waits)
{
	struct columns columns = {.table = perun_builder_table(builder, "resources")};
	struct perun_table_builder *table = columns.table;

	columns.amount =
		collectors_add_column(table, "amount", PERUN_TYPE_DOUBLE, PERUN_ROLE_METRIC);
	columns.samples =
		collectors_add_column(table, "samples", PERUN_TYPE_INT64, PERUN_ROLE_METRIC);
	if (waits) {
		columns.off = collectors_add_column(table, "off-cpu", PERUN_TYPE_DOUBLE,
						    PERUN_ROLE_METRIC);
		columns.waits =
			collectors_add_column(table, "waits", PERUN_TYPE_INT64, PERUN_ROLE_METRIC);
	}
	columns.type = collectors_add_column(table, "type", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns.subtype =
		collectors_add_column(table, "subtype", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns.uid = collectors_add_column(table, "uid", PERUN_TYPE_JSON, PERUN_ROLE_KEY);
	columns.trace = collectors_add_column(table, "trace", PERUN_TYPE_JSON, PERUN_ROLE_PLAIN);
	columns.command =
		collectors_add_column(table, "command", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	if (threads)
		columns.thread =
			collectors_add_column(table, "tid", PERUN_TYPE_INT64, PERUN_ROLE_KEY);
	return columns;
}

static double milliseconds(uint64_t nanoseconds)
{
	return round((double)nanoseconds / 1e3) / 1e3;
}

static void add_resources(const struct samples *samples, const char *folder, bool waits,
			  struct perun_builder *builder)
{
	struct columns columns = make_columns(builder, samples->threads, waits);
	struct traces *traces = traces_open(&samples->places, folder, TRACES_NAMES, builder);
	perun_id type = perun_builder_text(builder, "time");
	perun_id subtype = perun_builder_text(builder, "cpu");

	for (size_t i = 0; i < samples->row_count; i++) {
		const struct samples_row *row = &samples->rows[i];
		const struct trace *trace = traces_find(traces, row->stack);

		perun_column_set_double(columns.amount, milliseconds(row->period));
		perun_column_set_int64(columns.samples, (int64_t)row->count);
		if (waits) {
			perun_column_set_double(columns.off, milliseconds(row->waited));
			perun_column_set_int64(columns.waits, (int64_t)row->waits);
		}
		perun_column_set_id(columns.type, PERUN_TYPE_STRING, type);
		perun_column_set_id(columns.subtype, PERUN_TYPE_STRING, subtype);
		perun_column_set_id(columns.uid, PERUN_TYPE_JSON, trace->uid);
		perun_column_set_id(columns.trace, PERUN_TYPE_JSON, trace->trace);
		perun_column_set_id(columns.command, PERUN_TYPE_STRING,
				    perun_builder_text(builder, samples->names[row->name]));
		if (columns.thread)
			perun_column_set_int64(columns.thread, row->thread);
		perun_table_end_row(columns.table);
	}
	traces_close(traces);
}

/* Of the process; the empty one is that of threads before they are known. */
static const char *first_name(const struct samples *samples)
{
	for (size_t i = 0; i < samples->name_count; i++)
		if (*samples->names[i])
			return samples->names[i];
	return "process";
}

static void describe(const struct cpu_collector *collector, struct perun_ctx *ctx,
		     const struct perun_collect_job *job, const struct samples *samples,
		     const struct permitted *permitted, struct perun_builder *builder)
{
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *cpu = perun_json_object();
	struct perun_json *header = collectors_add_header(builder, job, "time", "time", "ms");
	const struct perf_options options = options_of(collector);
	char *name = NULL;
	double share;

	if (cpu_cost(ctx, &options, &share))
		collectors_add_overhead(header, round(share * 1e5) / 1e5, "", "processor time");
	if (collector->pid)
		name = perun_format("%s (%lld)", first_name(samples), (long long)collector->pid);
	if (name)
		perun_json_set(header, "cmd", perun_json_text(name));
	collectors_add_metric(builder, "samples", "", "how often the stack was found");
	if (collector->waits) {
		collectors_add_metric(builder, "off-cpu", "ms",
				      "for how long it used no processor");
		collectors_add_metric(builder, "waits", "", "how often it left its processor");
		perun_json_set(cpu, "waits", perun_json_uint64(samples->waits));
		perun_json_set(cpu, "wait_stacks", perun_json_bool(permitted->wait_stacks));
	}
	perun_json_set(cpu, "samples", perun_json_uint64(samples->count));
	perun_json_set(cpu, "lost", perun_json_uint64(samples->lost));
	perun_json_set(cpu, "period", perun_json_uint64(options_of(collector).period));
	perun_json_set(cpu, "kernel", perun_json_bool(permitted->kernel));
	perun_json_set(cpu, "duration",
		       perun_json_double((double)(samples->last - samples->first) / 1e9));
	perun_json_set(document, "cpu", cpu);
	perun_free(name);
}

static int judge(struct perun_ctx *ctx, const struct samples *samples,
		 const struct permitted *permitted)
{
	if (samples->lost)
		perun_warn(ctx, "the kernel lost %llu samples: shares may be wrong",
			   (unsigned long long)samples->lost);
	if (samples->waits && !permitted->wait_stacks)
		perun_warn(
			ctx,
			"off-cpu: only the time that threads wait is known, not where: this needs "
			"kernel.perf_event_paranoid at most 1 (it is %ld) or the capability "
			"CAP_PERFMON",
			rings_paranoia());
	if (samples->count || samples->waits)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "there is no sample: the program took less processor time than there is "
			  "between two samples; give it more to do, or a higher --frequency");
}

static int cpu_collect(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
		       struct perun_builder *builder)
{
	const struct cpu_collector *collector = instance;
	struct samples samples;
	struct permitted permitted = {0};
	int status;

	samples_init(&samples, collector->threads);
	status = collector->pid ? sample_process(collector, ctx, &samples, &permitted)
				: sample_command(collector, ctx, job, &samples, &permitted);
	if (!status)
		status = judge(ctx, &samples, &permitted);
	if (!status) {
		describe(collector, ctx, job, &samples, &permitted, builder);
		add_resources(&samples, job->built_in, collector->waits, builder);
	}
	samples_free(&samples);
	return status;
}

static const struct perun_collect_ops cpu_ops = {
	.open = cpu_open,
	.close = cpu_close,
	.before = cpu_before,
	.collect = cpu_collect,
	.no_command = true,
};

PERUN_PLUGIN(collect, cpu) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "cpu", "where processor time is spent, by samples"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(cpu_options),
	PERUN_PLUGIN_COMMANDS(cpu_commands),
	PERUN_PLUGIN_OPS(cpu_ops),
};
