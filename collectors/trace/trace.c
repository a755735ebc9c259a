/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector `trace`: the time of each call of a program's functions. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/json.h>

#include "build.h"
#include "collectors/common/setup.h"
#include "emit.h"

struct trace_collector {
	const char **functions, **sampled, **files, **flags;
	const char *target_folder, *compiler;
	int64_t every, limit;
	struct collectors_limits limits;
	char *library, *program; /* built by us */
	char **argv;             /* with it */
};

static const struct perun_option trace_options[] = {
	{.name = "func",
	 .aliases = "-f --rules -r",
	 .metavar = "PATTERN",
	 .help = "keep only functions of this name; * and ? stand for any text (default: all)",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "files",
	 .metavar = "FILE",
	 .help = "build the program from this source, instead of the command's first word",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "target-dir",
	 .aliases = "-t",
	 .metavar = "FOLDER",
	 .help = "where the program that is built goes, and stays",
	 .type = PERUN_OPTION_PATH},
	{.name = "compiler",
	 .metavar = "COMMAND",
	 .help = "what builds it (default: cc, c++ for sources in C++)",
	 .type = PERUN_OPTION_STRING},
	{.name = "flag",
	 .metavar = "WORD",
	 .help = "a further word for the compiler, such as --flag=-O2",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "global-sampling",
	 .aliases = "-g",
	 .metavar = "N",
	 .help = "of calls of one function from one place record each N-th",
	 .default_value = "1",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e9},
	{.name = "sampling",
	 .aliases = "-s",
	 .metavar = "PATTERN N",
	 .help = "of recorded calls of this function keep each N-th",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .values = 2},
	COLLECTORS_LIMIT_OPTION(
		"up to so many calls each is a resource, beyond that they are added up by stack"),
	COLLECTORS_RUN_OPTIONS,
	{0}};

static int trace_open(struct perun_ctx *ctx, const struct perun_options *options,
		      const char *subcommand, void **instance)
{
	struct trace_collector *collector = perun_alloc_zero(1, sizeof *collector);

	(void)ctx;
	(void)subcommand;
	collector->functions = collectors_values_of(options, "func");
	collector->sampled = collectors_values_of(options, "sampling");
	collector->files = collectors_values_of(options, "files");
	collector->flags = collectors_values_of(options, "flag");
	collector->target_folder = perun_option_string(options, "target-dir");
	collector->compiler = perun_option_string(options, "compiler");
	collector->every = perun_option_integer(options, "global-sampling");
	collector->limit = perun_option_integer(options, "limit");
	collector->limits = collectors_limits(options);
	*instance = collector;
	return PERUN_OK;
}

static void trace_close(void *instance)
{
	struct trace_collector *collector = instance;

	perun_free((void *)collector->functions);
	perun_free((void *)collector->sampled);
	perun_free((void *)collector->files);
	perun_free((void *)collector->flags);
	perun_free(collector->library);
	perun_free(collector->program);
	perun_free(collector->argv);
	perun_free(collector);
}

/* The command's words with the program that was built. */
static void replace_program(struct trace_collector *collector, const struct perun_collect_job *job)
{
	size_t count = 0;

	while (job->argv[count])
		count++;
	collector->argv = perun_alloc_zero(count + 2, sizeof *collector->argv);
	collector->argv[0] = collector->program;
	for (size_t i = 1; i < count; i++)
		collector->argv[i] = job->argv[i];
}

static int trace_before(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job)
{
	struct trace_collector *collector = instance;
	const struct build_options options = {.files = collector->files,
					      .folder = collector->target_folder,
					      .compiler = collector->compiler,
					      .flags = collector->flags};
	struct perun_collect_job traced = *job;
	int status;

	status = collectors_find_library(ctx, "perun-trace.so", "PERUN_TRACE_LIBRARY",
					 TRACE_BUILT_FOLDER, &collector->library);
	if (!status && collector->files[0]) {
		status = build_program(ctx, job, &options, &collector->program);
		if (!status) {
			replace_program(collector, job);
			traced.argv = collector->argv;
		}
	} else if (!status && !job->argv[0]) {
		status = perun_fail(
			ctx, PERUN_USAGE,
			"no command to trace: give one with -c, or sources with --files");
	}
	return status ? status : collectors_check_preload(ctx, &traced, "its calls");
}

/* ---- the run ------------------------------------------------------------------------------------ */

static int make_session(struct perun_ctx *ctx, const char *folder,
			const struct trace_session *content, struct trace_session **session)
{
	char *name = perun_format("%s/session", folder);
	int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), status = PERUN_OK;
	void *memory = MAP_FAILED;

	if (file < 0 || ftruncate(file, sizeof *content) != 0 ||
	    (memory = mmap(NULL, sizeof *content, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)) ==
		    MAP_FAILED)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", name);
	else
		*session = memory;
	if (!status)
		**session = *content;
	if (file >= 0)
		close(file);
	perun_free(name);
	return status;
}

static int run_program(const struct trace_collector *collector, struct perun_ctx *ctx,
		       const struct perun_collect_job *job, struct trace_session *session)
{
	char *error_path = perun_format("%s/stderr", job->scratch);
	char *variable = perun_format(TRACE_VARIABLE "=%s", job->scratch);
	const struct collectors_start start = {.job = job,
					       .preload = collector->library,
					       .variables = (const char *const[]){variable, NULL},
					       .error_path = error_path};
	struct collectors_child child;
	int wait_status, status = collectors_start(ctx, &start, &child);

	if (!status) {
		status = collectors_wait(ctx, &collector->limits, &child);
		wait_status = collectors_finish(&child, NULL);
		atomic_store(&session->closed, 1);
		if (!status && !collector->limits.ignore_status)
			status = collectors_judge(ctx, &start, wait_status);
	}
	perun_free(variable);
	perun_free(error_path);
	return status;
}

/* ---- the profile -------------------------------------------------------------------------------- */

static void describe(const struct perun_collect_job *job, const struct trace_session *session,
		     const struct calls *calls, const struct emit_options *options,
		     struct perun_builder *builder)
{
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *trace = perun_json_object(), *header;
	double nanoseconds = 1e9 / options->second;

	header = collectors_add_header(builder, job, "mixed", "mixed(time delta)", "us");
	if (!*job->command)
		perun_json_set(header, "cmd", perun_json_text(job->argv[0]));
	perun_json_set(header, "default_metric", perun_json_text("exclusive"));
	collectors_add_metric(builder, "exclusive", "us",
			      "time without that of the functions called");
	if (options->grouped)
		collectors_add_metric(builder, "calls", "", "how often the function was called");
	perun_json_set(trace, "calls", perun_json_uint64(calls->total));
	perun_json_set(trace, "recorded", perun_json_uint64(calls->record_count));
	perun_json_set(trace, "grouped", perun_json_bool(options->grouped));
	perun_json_set(trace, "functions", perun_json_uint64(calls->function_count));
	perun_json_set(trace, "threads", perun_json_uint64(calls->threads));
	perun_json_set(trace, "processes", perun_json_uint64(calls->processes));
	perun_json_set(trace, "too_deep", perun_json_uint64(calls->deep));
	perun_json_set(trace, "call_overhead",
		       perun_json_double((double)session->pair * nanoseconds));
	perun_json_set(trace, "own_overhead",
		       perun_json_double((double)session->inner * nanoseconds));
	perun_json_set(document, "trace", trace);
}

static int check_calls(struct perun_ctx *ctx, const struct perun_collect_job *job,
		       const struct trace_session *session, const struct calls *calls)
{
	if (session->lost)
		perun_warn(ctx,
			   "%llu threads could not be traced: there was no room for their files",
			   (unsigned long long)session->lost);
	if (calls->deep + calls->full)
		perun_warn(
			ctx,
			"%llu calls were not counted: they were nested deeper than %d, or had too "
			"many different stacks",
			(unsigned long long)(calls->deep + calls->full), TRACE_DEPTH);
	if (calls->total)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT,
			  "%s called no function that is traced: compile it with "
			  "-finstrument-functions (and -g), or give its sources with --files",
			  job->argv[0]);
}

static int make_profile(const struct trace_collector *collector, struct perun_ctx *ctx,
			const struct perun_collect_job *job, const struct trace_session *session,
			const struct collectors_ticks *ticks, struct perun_builder *builder)
{
	struct emit_options options = {.functions = collector->functions,
				       .sampled = collector->sampled,
				       .second = ticks->second,
				       .folder = job->directory};
	struct calls calls;
	int status = calls_read(ctx, job->scratch, session->base, &calls);

	if (!status)
		status = check_calls(ctx, job, session, &calls);
	if (!status) {
		bool chosen = collector->every > 1 || collector->sampled[0] || calls.sizes;

		options.grouped =
			collector->limit == 0 || (!chosen && calls.record_count < calls.total);
		if (options.grouped && collector->limit)
			perun_note(
				ctx,
				"%llu calls, more than %lld: they are added up by stack (--limit, "
				"--global-sampling)",
				(unsigned long long)calls.total, (long long)collector->limit);
		describe(job, session, &calls, &options, builder);
		emit_calls(&options, &calls, builder);
	}
	calls_free(&calls);
	return status;
}

static int trace_collect(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
			 struct perun_builder *builder)
{
	struct trace_collector *collector = instance;
	struct perun_collect_job traced = *job;
	struct trace_session content = {.magic = TRACE_MAGIC,
					.limit = (uint64_t)collector->limit,
					.every = (uint64_t)collector->every};
	struct trace_session *session = NULL;
	struct collectors_ticks ticks;
	int status;

	if (collector->argv)
		traced.argv = collector->argv;
	collectors_ticks_start(&ticks);
	content.base = ticks.ticks;
	content.use_counter = ticks.counter;
	status = make_session(ctx, job->scratch, &content, &session);
	if (!status)
		status = run_program(collector, ctx, &traced, session);
	if (!status)
		status = make_profile(collector, ctx, &traced, session, &ticks, builder);
	if (session)
		munmap(session, sizeof *session);
	return status;
}

static const struct perun_collect_ops trace_ops = {
	.open = trace_open,
	.close = trace_close,
	.before = trace_before,
	.collect = trace_collect,
	.no_command = true,
};

PERUN_PLUGIN(collect, trace) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "trace", "time of each function, with the calls"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(trace_options),
	PERUN_PLUGIN_OPS(trace_ops),
};
