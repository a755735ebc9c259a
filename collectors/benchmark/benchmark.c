/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector `benchmark`: runs a program that measures itself, and reads the results that it prints or writes. */
#include <config.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>

#include "collectors/common/busy.h"
#include "collectors/common/clock.h"
#include "collectors/common/setup.h"

struct benchmark {
	struct collectors_limits limits;
	const char *format, *file; /* NULL = by the content, and the standard output */
};

static const struct perun_option benchmark_options[] = {
	{.name = "format",
	 .metavar = "FORMAT",
	 .type = PERUN_OPTION_STRING,
	 .help = "the format of the results (default: recognized by their content)"},
	{.name = "file",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "the file or directory that the program writes its results to (default: its "
		 "standard output)"},
	COLLECTORS_RUN_OPTIONS,
	{0}};

static int benchmark_open(struct perun_ctx *ctx, const struct perun_options *options,
			  const char *subcommand, void **instance)
{
	struct benchmark *benchmark = perun_alloc_zero(1, sizeof *benchmark);

	(void)ctx;
	(void)subcommand;
	benchmark->format = perun_option_string(options, "format");
	benchmark->file = perun_option_string(options, "file");
	benchmark->limits = collectors_limits(options);
	*instance = benchmark;
	return PERUN_OK;
}

static void benchmark_close(void *instance)
{
	perun_free(instance);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void note_busy(struct perun_ctx *ctx, double load)
{
	double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);

	if (load >= COLLECTORS_BUSY_LOAD)
		perun_note(
			ctx,
			"the machine was busy: other programs kept %.2g of %.0f processor%s busy",
			(load - 1) * processors, processors, processors == 1 ? "" : "s");
}

/* `*load`: what other programs made of it, see busy.h. */
static int run_program(const struct benchmark *benchmark, struct perun_ctx *ctx,
		       const struct perun_collect_job *job, const char *output, double *load)
{
	char *error_path = perun_format("%s/stderr", job->scratch);
	const struct collectors_start start = {
		.job = job, .error_path = error_path, .output_path = output};
	struct collectors_child child;
	struct collectors_busy busy;
	struct rusage usage;
	int wait_status, status;

	collectors_busy_start(&busy);
	status = collectors_start(ctx, &start, &child);
	if (!status) {
		status = collectors_wait(ctx, &benchmark->limits, &child);
		wait_status = collectors_finish(&child, &usage);
		*load = collectors_busy_load(&busy, &usage);
		if (!status)
			status = collectors_judge_run(ctx, &benchmark->limits, &start, wait_status);
	}
	perun_free(error_path);
	return status;
}

/* Results of an earlier run that lie there still are not those of this one. */
static int check_written(struct perun_ctx *ctx, const char *path, const struct stat *before)
{
	struct stat after;

	if (stat(path, &after) != 0)
		return perun_fail(ctx, PERUN_INPUT, "the program wrote no %s", path);
	if (S_ISREG(after.st_mode) && before->st_ino == after.st_ino &&
	    memcmp(&before->st_mtim, &after.st_mtim, sizeof after.st_mtim) == 0)
		return perun_fail(ctx, PERUN_INPUT,
				  "the program did not write %s: it is as old as before the run",
				  path);
	return PERUN_OK;
}

/* ---- the profile ----------------------------------------------------------------------------- */

/* What the results say of themselves, but for what the host knows better: command, workload, collector. */
static void take_document(struct perun_builder *builder, const struct perun_profile *read)
{
	static const char *const hosts[] = {"cmd", "args", "workload"};
	const struct perun_json *from = perun_profile_document(read);
	struct perun_json *to = perun_builder_document(builder), *header;

	for (size_t i = 0; i < perun_json_count(from); i++) {
		const char *key = perun_json_key_at(from, i, NULL);

		if (strcmp(key, "collector_info") != 0 && strcmp(key, "postprocessors") != 0)
			perun_json_set(to, key, perun_json_clone(perun_json_at(from, i)));
	}
	if (!perun_json_get(to, "header"))
		perun_json_set(to, "header", perun_json_object());
	header = perun_json_get(to, "header");
	if (!perun_json_get(header, "type")) /* as of stacks; the store wants one */
		perun_json_set(header, "type", perun_json_text("mixed"));
	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
		perun_json_remove(header, hosts[i]);
}

/* Put the load into what the results say of the machine, else into all that is known of it; a load that they state stays. */
static void add_load(const struct perun_collect_job *job, double load,
		     struct perun_builder *builder)
{
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *machine = perun_json_get(document, "machine");
	struct perun_json *cpu = perun_json_get(machine, "cpu");

	if (load < COLLECTORS_STATED_LOAD || perun_json_get(cpu, "load"))
		return;
	if (!machine) {
		machine = perun_job_machine(job);
		perun_json_set(document, "machine", machine);
	} else if (!cpu) {
		cpu = perun_json_object();
		perun_json_set(machine, "cpu", cpu);
	}
	if (cpu && !perun_json_get(cpu, "total"))
		perun_json_set(cpu, "total", perun_json_int64(sysconf(_SC_NPROCESSORS_CONF)));
	collectors_busy_state(machine, load);
}

static int read_results(const struct benchmark *benchmark, struct perun_ctx *ctx, const char *path,
			struct perun_builder *builder)
{
	struct perun_profile *read = NULL;
	struct perun_input *input;
	int status = perun_input_open(ctx, path, &input);

	if (status)
		return status;
	status = perun_read_profile(ctx, input, benchmark->format, NULL, &read, NULL);
	perun_input_close(input);
	if (status)
		return perun_fail(ctx, PERUN_OK, "%s",
				  benchmark->file ? benchmark->file : "what the program printed");
	take_document(builder, read);
	perun_builder_append_table(builder, read, "resources");
	perun_profile_unref(read);
	return PERUN_OK;
}

static int benchmark_collect(void *instance, struct perun_ctx *ctx,
			     const struct perun_collect_job *job, struct perun_builder *builder)
{
	const struct benchmark *benchmark = instance;
	const char *file = benchmark->file;
	char *output = perun_format("%s/results", job->scratch);
	char *path = !file          ? perun_strdup(output)
		     : *file == '/' ? perun_strdup(file)
				    : perun_format("%s/%s", job->directory, file);
	struct stat before = {0};
	double load = 0;
	int status;

	if (stat(path, &before) != 0)
		before = (struct stat){0};
	status = run_program(benchmark, ctx, job, output, &load);
	if (!status && file)
		status = check_written(ctx, path, &before);
	if (!status)
		status = read_results(benchmark, ctx, path, builder);
	if (!status) {
		add_load(job, load, builder);
		note_busy(ctx, load);
	}
	perun_free(path);
	perun_free(output);
	return status;
}

static const struct perun_collect_ops benchmark_ops = {
	.open = benchmark_open,
	.close = benchmark_close,
	.collect = benchmark_collect,
};

PERUN_PLUGIN(collect, benchmark) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "benchmark",
			  "results of benchmarks that measure themselves"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(benchmark_options),
	PERUN_PLUGIN_OPS(benchmark_ops),
};
