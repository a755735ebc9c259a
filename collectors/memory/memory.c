/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector `memory`: allocations of a program, with their stacks. */
#include <config.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/json.h>

#include "emit.h"
#include "collectors/common/library.h"
#include "collectors/common/overhead.h"
#include "collectors/common/setup.h"

struct memory_collector {
	struct collectors_limits limits;
	double interval;
	uint64_t sample;
	int64_t depth, limit;
	bool all, free_stacks;
	const char **no_source, **no_function;
	uint32_t calibrate; /* allocations to be timed */
	char *library;
};

static const struct perun_option memory_options[] = {
	{.name = "sampling",
	 .aliases = "-s",
	 .metavar = "DURATION",
	 .help = "the time between two snapshots; longer if they were more than 1000",
	 .default_value = "0.001",
	 .type = PERUN_OPTION_DURATION,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6},
	{.name = "sample-bytes",
	 .aliases = "-b",
	 .metavar = "SIZE",
	 .help = "record one of N bytes, at random, and estimate the rest (0: record "
		 "all)",
	 .default_value = "0",
	 .type = PERUN_OPTION_SIZE},
	{.name = "no-source",
	 .metavar = "FILE",
	 .help = "leave out what this source file allocates",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "no-func",
	 .metavar = "FUNCTION",
	 .help = "leave out what this function allocates",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "all", .aliases = "-a", .help = "keep frames without source in the traces"},
	{.name = "free-stacks",
	 .help = "also record what frees each allocation, which takes about as long again"},
	{.name = "depth",
	 .metavar = "N",
	 .help = "frames of a trace at most, the innermost",
	 .default_value = "128",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = MEMORY_MAX_DEPTH},
	COLLECTORS_LIMIT_OPTION("up to N allocations, each is a resource; beyond that they are "
				"added up by trace and snapshot"),
	COLLECTORS_RUN_OPTIONS,
	{0}};

static int memory_open(struct perun_ctx *ctx, const struct perun_options *options,
		       const char *subcommand, void **instance)
{
	struct memory_collector *collector = perun_alloc_zero(1, sizeof *collector);

	(void)ctx;
	(void)subcommand;
	collector->interval = perun_option_number(options, "sampling");
	collector->sample = perun_option_size(options, "sample-bytes");
	collector->depth = perun_option_integer(options, "depth");
	collector->limit = perun_option_integer(options, "limit");
	collector->all = perun_option_flag(options, "all");
	collector->free_stacks = perun_option_flag(options, "free-stacks");
	collector->limits = collectors_limits(options);
	collector->no_source = collectors_values_of(options, "no-source");
	collector->no_function = collectors_values_of(options, "no-func");
	*instance = collector;
	return PERUN_OK;
}

static void memory_close(void *instance)
{
	struct memory_collector *collector = instance;

	perun_free((void *)collector->no_source);
	perun_free((void *)collector->no_function);
	perun_free(collector->library);
	perun_free(collector);
}

static int memory_before(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job)
{
	struct memory_collector *collector = instance;
	int status = collectors_find_library(ctx, "perun-memory.so", "PERUN_MEMORY_LIBRARY",
					     &collector->library);

	return status ? status : collectors_check_preload(ctx, job, "its memory");
}

/* ---- the run ------------------------------------------------------------------------------------ */

struct recording {
	struct drain *drain;
	struct heap heap;
	struct places places;
	struct collectors_ticks ticks;
};

static int start_recording(struct memory_collector *collector, struct perun_ctx *ctx,
			   const char *session_folder, struct recording *recording)
{
	struct heap_options options = {.sample = collector->sample,
				       .blocks = (size_t)collector->limit};
	struct memory_session session = {.magic = MEMORY_MAGIC,
					 .sample = collector->sample,
					 .depth = (uint32_t)collector->depth,
					 .free_stacks = collector->free_stacks,
					 .calibrate = collector->calibrate};

	collectors_ticks_start(&recording->ticks);
	session.use_counter = recording->ticks.counter;
	session.base = recording->ticks.ticks;
	options.interval = (uint64_t)(collector->interval * recording->ticks.second);
	heap_init(&recording->heap, &options);
	places_init(&recording->places);
	return drain_open(ctx, session_folder, &session, &recording->drain);
}

/* Read what the program writes until it ends. */
static int follow(const struct memory_collector *collector, struct perun_ctx *ctx,
		  struct recording *recording, const struct collectors_child *child)
{
	struct pollfd wanted = {.fd = child->watched, .events = POLLIN};
	const struct timespec pause = {0, 300000}, none = {0, 0};
	uint64_t start = collectors_clock(0);
	int status = PERUN_OK;
	bool ended = false;

	while (!ended && !status) {
		size_t count =
			drain_pass(recording->drain, &recording->heap, &recording->places, false);

		/* Reading too often disturbs the program: its cache lines come and go. */
		ended = ppoll(&wanted, 1, count < 8192 ? &pause : &none, NULL) > 0;
		status = collectors_check_time(ctx, &collector->limits, start);
	}
	if (status)
		kill(child->pid, SIGKILL);
	drain_stop(recording->drain);
	while (!status && drain_pass(recording->drain, &recording->heap, &recording->places, true))
		;
	return status;
}

static int judge(const struct memory_collector *collector, struct perun_ctx *ctx,
		 const struct collectors_start *start, const struct recording *recording,
		 int wait_status)
{
	struct drain_facts facts = drain_facts(recording->drain);
	int status = collectors_judge_run(ctx, &collector->limits, start, wait_status);

	if (status)
		return status;
	if (facts.threads == 0 && facts.lost == 0)
		return perun_fail(
			ctx, PERUN_INPUT,
			"%s allocated nothing that could be traced: it is statically linked, "
			"or runs with other rights, or has an allocator of its own",
			start->job->argv[0]);
	if (facts.lost)
		perun_warn(ctx, "%llu events of memory were lost: totals are too small",
			   (unsigned long long)facts.lost);
	if (recording->heap.too_many && collector->limit)
		perun_note(ctx,
			   "more than %lld allocations: they are added up by trace and snapshot "
			   "(--limit)",
			   (long long)collector->limit);
	return PERUN_OK;
}

static int record(struct memory_collector *collector, struct perun_ctx *ctx,
		  const struct perun_collect_job *job, struct recording *recording)
{
	char *error_path = perun_format("%s/stderr", job->scratch);
	char *session = perun_format(MEMORY_VARIABLE "=%s", job->quick);
	const struct collectors_start start = {.job = job,
					       .preload = collector->library,
					       .variables = (const char *const[]){session, NULL},
					       .error_path = error_path};
	struct collectors_child child;
	int wait_status, status = start_recording(collector, ctx, job->quick, recording);

	if (!status)
		status = collectors_start(ctx, &start, &child);
	if (!status) {
		status = follow(collector, ctx, recording, &child);
		wait_status = collectors_finish(&child, NULL);
		if (!status)
			status = judge(collector, ctx, &start, recording, wait_status);
	}
	perun_free(session);
	perun_free(error_path);
	return status;
}

static void free_recording(struct recording *recording)
{
	drain_close(recording->drain);
	heap_free(&recording->heap);
	places_free(&recording->places);
}

/* ---- what recording costs ----------------------------------------------------------------------- */

struct calibration {
	const struct memory_collector *collector;
	const struct perun_collect_job *job;
};

/* Record a program that does nothing, before which the library times its own work. */
static int measure_cost(struct perun_ctx *ctx, void *data, double *amount)
{
	const struct calibration *calibration = data;
	struct memory_collector collector = *calibration->collector;
	struct perun_collect_job job = *calibration->job;
	char *words[] = {"/bin/true", NULL}, *folder = perun_format("%s/cost", job.quick);
	struct recording recording = {0};
	int status = PERUN_INPUT;

	collector.calibrate = 10000;
	collector.limits = (struct collectors_limits){.timeout = 5};
	collector.limit = 1000000;
	job.argv = words;
	job.scratch = job.quick = folder;
	if (mkdir(folder, 0700) == 0)
		status = record(&collector, ctx, &job, &recording);
	if (!status)
		*amount = drain_facts(recording.drain).cost;
	if (!status && *amount <= 0 && !collector.sample)
		status = PERUN_INPUT;
	free_recording(&recording);
	perun_free(folder);
	return status;
}

static void add_cost(const struct memory_collector *collector, struct perun_ctx *ctx,
		     const struct perun_collect_job *job, struct perun_json *header)
{
	struct calibration calibration = {collector, job};
	double amount;

	if (collectors_overhead(ctx,
				collector->sample        ? "memory-sampled"
				: collector->free_stacks ? "memory-frees"
							 : "memory",
				measure_cost, &calibration, &amount))
		collectors_add_overhead(header, round(amount * 10) / 10, "ns", "allocation");
}

static int memory_collect(void *instance, struct perun_ctx *ctx,
			  const struct perun_collect_job *job, struct perun_builder *builder)
{
	struct memory_collector *collector = instance;
	struct recording recording = {0};
	int status = record(collector, ctx, job, &recording);

	if (!status) {
		const struct emit_options options = {.no_source = collector->no_source,
						     .no_function = collector->no_function,
						     .all = collector->all,
						     .free_stacks = collector->free_stacks,
						     .ticks = recording.ticks.second,
						     .folder = job->built_in};

		heap_finish(&recording.heap);
		add_cost(collector, ctx, job,
			 collectors_add_header(builder, job, "memory", "memory", "B"));
		status = emit_profile(ctx, &options, &recording.heap, &recording.places, builder);
	}
	free_recording(&recording);
	return status;
}

static const struct perun_collect_ops memory_ops = {
	.open = memory_open,
	.close = memory_close,
	.before = memory_before,
	.collect = memory_collect,
	.counts = true,
};

PERUN_PLUGIN(collect, memory) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "memory", "allocations of memory with their stacks"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(memory_options),
	PERUN_PLUGIN_OPS(memory_ops),
};
