/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector `trace`: the time of each call of a program's functions. */
#include <config.h>

#include <string.h>

#include "collectors/common/library.h"
#include "build.h"
#include "former.h"
#include "trace.h"

static const struct perun_option trace_options[] = {
	{.name = "func",
	 .aliases = "-f --rules -r",
	 .metavar = "PATTERN",
	 .help = "keep only functions of this name; * and ? match any text (default: all)",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "engine",
	 .aliases = "-e",
	 .metavar = "ENGINE",
	 .help = "how calls are seen: compiled, patchable, uprobes, ebpf, or what fits the "
		 "program; "
		 "stap, of the Python program, is that as well",
	 .default_value = "auto",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "auto compiled patchable uprobes ebpf stap"},
	{.name = "binary",
	 .aliases = "-b -l --libs",
	 .metavar = "FILE",
	 .help = "functions of this file, too, such as a library (all engines but "
		 "compiled)",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "probe",
	 .aliases = "-d",
	 .metavar = "NAME=PLACE[..PLACE]",
	 .help = "uprobes: time from one place to another, or between two passes of one place; a "
		 "place is 0xADDRESS, FUNCTION[+OFFSET] or SOURCE:LINE",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "size",
	 .metavar = "FUNCTION=WHERE",
	 .help = "uprobes: structure-unit-size of a function is this argument: argN, *argN or "
		 "*(argN+OFFSET), followed by :4 for numbers of four bytes",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{.name = "most-functions",
	 .metavar = "N",
	 .help = "refuse to trace more functions by breakpoints (0 = 1000 with ebpf, 50 with "
		 "uprobes or --overhead, which take long to set)",
	 .default_value = "0",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6},
	{.name = "exclude-below",
	 .metavar = "DURATION",
	 .help = "trace a function no longer whose calls take less in the mean (0 = keep all)",
	 .default_value = "0",
	 .type = PERUN_OPTION_DURATION,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e3},
	{.name = "exclude-after",
	 .metavar = "N",
	 .help = "calls of a function before it may be left out",
	 .default_value = "10000",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e15},
	{.name = "overhead",
	 .metavar = "PERCENT",
	 .help = "trace functions that are called often no longer when tracing takes more of the "
		 "time than this (0 = keep all; with engines of the kernel only where it is given)",
	 .default_value = "5",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 100},
	{.name = "changed-since",
	 .metavar = "VERSION",
	 .help = "trace only functions whose source differs from that of this version, and those "
		 "that such were inlined into",
	 .type = PERUN_OPTION_STRING},
	{.name = "callers",
	 .metavar = "N",
	 .help = "with --changed-since: also what calls these functions, N calls up",
	 .default_value = "0",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1000},
	{.name = "depth",
	 .metavar = "N",
	 .help = "trace only functions that main, or what is called by a pointer, reaches by fewer "
		 "than N direct calls (0 = all)",
	 .default_value = "0",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1000},
	{.name = "skip-constant",
	 .help = "do not trace functions that neither loop nor call, which take a constant time"},
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
	 .aliases = "-s --func-sampled",
	 .metavar = "PATTERN N",
	 .help = "of recorded calls of this function keep each N-th; with --func, it is "
		 "one more to keep",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .values = 2},
	COLLECTORS_LIMIT_OPTION(
		"up to N calls, each is a resource; beyond that they are added up by stack"),
	COLLECTORS_RUN_OPTIONS,
	TRACE_FORMER_OPTIONS,
	{0}};

/* `-t` was a time limit to the Python program's trace, and a folder to its complexity, whose options these are. */
static int check_folder(struct perun_ctx *ctx, const char *folder)
{
	char *end = NULL;
	double seconds = folder ? perun_strtod(folder, &end) : 0;

	if (!folder || end == folder || *end)
		return PERUN_OK;
	return perun_fail(
		ctx, PERUN_USAGE,
		"-t names the folder of the program that is built: --timeout %g for a limit "
		"of time, or ./%s for a folder of this name",
		seconds, folder);
}

/* With some functions chosen, those of --sampling as well: who names one, as the Python program's func_sampled, wants it. */
static const char **chosen_functions(const struct perun_options *options,
				     const char *const *sampled)
{
	const char **functions = collectors_values_of(options, "func");
	size_t count = 0, more = 0;

	while (functions[count])
		count++;
	while (sampled[more])
		more += 2;
	if (count == 0)
		return functions;
	functions = perun_realloc_array((void *)functions, count + more / 2 + 1, sizeof *functions);
	for (size_t i = 0; i < more; i += 2)
		functions[count++] = sampled[i];
	functions[count] = NULL;
	return functions;
}

static int trace_open(struct perun_ctx *ctx, const struct perun_options *options,
		      const char *subcommand, void **instance)
{
	struct trace_collector *collector;

	(void)subcommand;
	if (check_folder(ctx, perun_option_string(options, "target-dir")))
		return PERUN_USAGE;
	collector = perun_alloc_zero(1, sizeof *collector);
	collector->former = former_given(options, trace_options);
	if (strcmp(perun_option_string(options, "engine"), "stap") == 0)
		perun_warn(ctx, "engine stap is the Python program's; the one that fits the "
				"program is used");
	else
		while (strcmp(engine_name(collector->engine),
			      perun_option_string(options, "engine")) != 0)
			collector->engine++;
	collector->binaries = collectors_values_of(options, "binary");
	collector->probes = collectors_values_of(options, "probe");
	collector->sizes = collectors_values_of(options, "size");
	collector->most = perun_option_integer(options, "most-functions");
	collector->exclusion.below =
		(uint64_t)(perun_option_number(options, "exclude-below") * 1e9);
	collector->exclusion.share = (uint64_t)(perun_option_number(options, "overhead") * 10);
	collector->exclusion.after = (uint64_t)perun_option_integer(options, "exclude-after");
	collector->budget = perun_option_given(options, "overhead");
	collector->narrowing =
		(struct narrowing){.since = perun_option_string(options, "changed-since"),
				   .callers = (size_t)perun_option_integer(options, "callers"),
				   .depth = (size_t)perun_option_integer(options, "depth"),
				   .skip_constant = perun_option_flag(options, "skip-constant")};
	collector->sampled = collectors_values_of(options, "sampling");
	collector->functions = chosen_functions(options, collector->sampled);
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
	perun_free((void *)collector->binaries);
	perun_free((void *)collector->probes);
	perun_free((void *)collector->sizes);
	perun_free((void *)collector->files);
	perun_free((void *)collector->flags);
	perun_free(collector->former);
	perun_free(collector->library);
	perun_free(collector->program);
	perun_free(collector->argv);
	perun_free(collector);
}

static const char *build_flag(enum trace_engine engine)
{
	if (engine == ENGINE_PATCHABLE)
		return "-fpatchable-function-entry=5";
	return engine == ENGINE_UPROBES || engine == ENGINE_EBPF ? NULL : "-finstrument-functions";
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

static int build_traced(struct trace_collector *collector, struct perun_ctx *ctx,
			const struct perun_collect_job *job)
{
	const struct build_options options = {.files = collector->files,
					      .folder = collector->target_folder,
					      .compiler = collector->compiler,
					      .flags = collector->flags,
					      .flag = build_flag(collector->engine)};
	int status = build_program(ctx, job, &options, &collector->program);

	if (!status)
		replace_program(collector, job);
	return status;
}

static int trace_before(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job)
{
	struct trace_collector *collector = instance;
	struct perun_collect_job traced = *job;
	int status = PERUN_OK;

	former_warn(ctx, collector->former);
	if (collector->files[0]) {
		engine_choose_for_sources(collector);
		status = build_traced(collector, ctx, job);
	} else if (!job->argv[0])
		status = perun_fail(
			ctx, PERUN_USAGE,
			"no command to trace: give one with -c, or sources with --files");
	if (collector->argv)
		traced.argv = collector->argv;
	if (!status)
		status = engine_choose(ctx, collector, &traced);
	if (status || collector->engine == ENGINE_UPROBES || collector->engine == ENGINE_EBPF)
		return status;
	status = collectors_find_library(ctx, "perun-trace.so", "PERUN_TRACE_LIBRARY",
					 &collector->library);
	return status ? status : collectors_check_preload(ctx, &traced, "its calls");
}

static int trace_collect(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
			 struct perun_builder *builder)
{
	struct trace_collector *collector = instance;
	struct perun_collect_job traced = *job;
	struct trace_run run = {.engine = collector->engine};
	bool kernel = run.engine == ENGINE_UPROBES || run.engine == ENGINE_EBPF;
	int status;

	if (collector->argv)
		traced.argv = collector->argv;
	calls_init(&run.calls);
	status = (kernel ? kernel_run : compiled_run)(collector, ctx, &traced, &run);
	if (!status)
		status = profile_make(collector, ctx, &traced, &run, builder);
	calls_free(&run.calls);
	return status;
}

static const struct perun_collect_ops trace_ops = {
	.open = trace_open,
	.close = trace_close,
	.before = trace_before,
	.collect = trace_collect,
	.no_command = true,
	.aliases = "complexity",
};

PERUN_PLUGIN(collect, trace) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "trace", "time of each function, with the calls"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(trace_options),
	PERUN_PLUGIN_OPS(trace_ops),
};
