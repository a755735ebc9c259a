/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector `instructions`: how many instructions each function executes, counted by callgrind. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/path.h>

#include "collectors/common/overhead.h"
#include "collectors/common/setup.h"

struct instructions_collector {
	struct collectors_limits limits;
	bool cache, branches, no_children;
	const char *valgrind;
};

static const struct perun_option instructions_options[] = {
	{.name = "cache", .help = "also count accesses to memory and misses of a simulated cache"},
	{.name = "branches",
	 .help = "also count branches and those that a simulation predicts wrongly"},
	{.name = "no-children", .help = "count only the program, not what it starts"},
	{.name = "valgrind",
	 .metavar = "COMMAND",
	 .help = "the program valgrind",
	 .default_value = "valgrind",
	 .type = PERUN_OPTION_STRING},
	COLLECTORS_RUN_OPTIONS,
	{0}};

static int instructions_open(struct perun_ctx *ctx, const struct perun_options *options,
			     const char *subcommand, void **instance)
{
	struct instructions_collector *collector = perun_alloc_zero(1, sizeof *collector);

	(void)ctx;
	(void)subcommand;
	collector->cache = perun_option_flag(options, "cache");
	collector->branches = perun_option_flag(options, "branches");
	collector->no_children = perun_option_flag(options, "no-children");
	collector->valgrind = perun_option_string(options, "valgrind");
	collector->limits = collectors_limits(options);
	*instance = collector;
	return PERUN_OK;
}

static void instructions_close(void *instance)
{
	perun_free(instance);
}

static int check_found(struct perun_ctx *ctx, const struct perun_collect_job *job,
		       const char *program, const char *advice)
{
	char *words[] = {(char *)program, NULL}, *path;
	struct perun_collect_job wanted = *job;
	bool there;

	wanted.argv = words;
	path = collectors_find_program(&wanted);
	there = path && access(path, X_OK) == 0;
	perun_free(path);
	return there ? PERUN_OK
		     : perun_fail(ctx, PERUN_MISSING, "cannot run %s: it was not found%s", program,
				  advice);
}

static int instructions_before(void *instance, struct perun_ctx *ctx,
			       const struct perun_collect_job *job)
{
	const struct instructions_collector *collector = instance;
	int status =
		check_found(ctx, job, collector->valgrind,
			    "; it counts the instructions (on Debian: apt-get install valgrind)");

	return status ? status : check_found(ctx, job, job->argv[0], "");
}

/* ---- the run ------------------------------------------------------------------------------------ */

/* valgrind's words before those of the program. The array is the caller's; its first text, too. */
static char **make_command(const struct instructions_collector *collector,
			   const struct perun_collect_job *job, char *file)
{
	/* A forked child has the counts of its parent until then: so they are written before. */
	static const char *const fixed[] = {"--tool=callgrind", "--quiet", "--log-file=/dev/null",
					    "--dump-before=fork", "--dump-before=_Fork"};
	const size_t fixed_count = sizeof fixed / sizeof *fixed;
	size_t count = 0, used = 0;
	char **words;

	while (job->argv[count])
		count++;
	words = perun_alloc_zero(count + fixed_count + 6, sizeof *words);
	words[used++] = (char *)collector->valgrind;
	for (size_t i = 0; i < fixed_count; i++)
		words[used++] = (char *)fixed[i];
	words[used++] = file;
	words[used++] = collector->no_children ? "--trace-children=no" : "--trace-children=yes";
	words[used++] = collector->cache ? "--cache-sim=yes" : "--cache-sim=no";
	words[used++] = collector->branches ? "--branch-sim=yes" : "--branch-sim=no";
	for (size_t i = 0; i < count; i++)
		words[used++] = job->argv[i];
	return words;
}

static int run_program(const struct instructions_collector *collector, struct perun_ctx *ctx,
		       const struct perun_collect_job *job, long *process, struct rusage *usage)
{
	struct perun_collect_job counted = *job;
	char *error_path = perun_format("%s/stderr", job->scratch);
	char *file = perun_format("--callgrind-out-file=%s/counts.%%p", job->scratch);
	char **words = make_command(collector, job, file);
	struct collectors_start start = {.job = &counted, .error_path = error_path};
	struct collectors_child child;
	int wait_status, status;

	counted.argv = words;
	status = collectors_start(ctx, &start, &child);
	if (!status) {
		status = collectors_wait(ctx, &collector->limits, &child);
		wait_status = collectors_finish(&child, usage);
		*process = child.pid;
		start.job = job; /* its name is in messages */
		if (!status)
			status = collectors_judge_run(ctx, &collector->limits, &start, wait_status);
	}
	perun_free(words);
	perun_free(file);
	perun_free(error_path);
	return status;
}

/* ---- the profile -------------------------------------------------------------------------------- */

/* A function with the count of one event. */
struct count {
	perun_id uid, subtype;
	int64_t amount;
};

struct counts {
	struct perun_builder *builder;
	const char *folder; /* that the program was built in */
	struct count *items;
	size_t count, capacity;
};

/* Each version is built in a folder of its own: names of files in it begin there, so that versions have the same ones. */
static const char *shorten_source(const char *folder, const char *path)
{
	size_t length = strlen(folder);

	return length && strncmp(path, folder, length) == 0 && path[length] == '/'
		       ? path + length + 1
		       : path;
}

/* Addresses, which callgrind writes for code without names, move with each build: the program or library names it. */
static const char *name_code(const struct perun_profile *profile, const struct perun_location *at,
			     const char *name, struct perun_buffer *text)
{
	const struct perun_mapping *mapping;
	const char *file;

	if (strncmp(name, "0x", 2) != 0 || at->mapping == PERUN_NO_ID)
		return name;
	mapping = perun_profile_mapping(profile, at->mapping);
	file = perun_profile_string(profile, mapping->file, NULL);
	perun_buffer_printf(text, "[%s]", perun_path_base_name(file));
	return text->data;
}

/* The function of a row as the profile names functions. */
static perun_id function_of(struct counts *counts, const struct perun_profile *profile,
			    const struct perun_column *stacks, size_t row)
{
	size_t length = 0;
	const perun_id *stack = perun_profile_stack(profile, perun_column_id(stacks, row), &length);
	const struct perun_location *location =
		length ? perun_profile_location(profile, stack[0]) : NULL;
	const struct perun_function *function = NULL;
	struct perun_json *frame = perun_json_object();
	struct perun_buffer text = {0};
	const char *source, *name = "?";
	perun_id id;

	if (location && location->line_count && location->lines[0].function != PERUN_NO_ID)
		function = perun_profile_function(profile, location->lines[0].function);
	if (function)
		name = name_code(profile, location,
				 perun_profile_string(profile, function->name, NULL), &text);
	perun_json_set(frame, "function", perun_json_text(name));
	perun_buffer_clear(&text);
	source = function ? perun_profile_string(profile, function->file, NULL) : "";
	perun_json_set(frame, "source", perun_json_text(shorten_source(counts->folder, source)));
	perun_json_print(frame, &text, PERUN_JSON_PYTHON, 0);
	id = perun_builder_string(counts->builder, text.data, text.length);
	perun_buffer_free(&text);
	perun_json_free(frame);
	return id;
}

static void add_count(struct counts *counts, perun_id uid, perun_id subtype, int64_t amount)
{
	if (!amount)
		return;
	PERUN_GROW(counts->items, counts->count, counts->capacity);
	counts->items[counts->count++] = (struct count){uid, subtype, amount};
}

static int by_function(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->uid != y->uid)
		return x->uid < y->uid ? -1 : 1;
	return x->subtype < y->subtype ? -1 : x->subtype > y->subtype;
}

static void join_counts(struct counts *counts)
{
	size_t kept = 0;

	if (counts->count)
		qsort(counts->items, counts->count, sizeof *counts->items, by_function);
	for (size_t i = 0; i < counts->count; i++) {
		if (kept && by_function(&counts->items[kept - 1], &counts->items[i]) == 0)
			counts->items[kept - 1].amount += counts->items[i].amount;
		else
			counts->items[kept++] = counts->items[i];
	}
	counts->count = kept;
}

static void add_profile(struct counts *counts, const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *stacks = perun_table_column(table, "stack");
	size_t metrics, rows = perun_table_rows(table);
	const struct perun_metric *const *metric = perun_metrics(profile, &metrics);

	for (size_t row = 0; stacks && row < rows; row++) {
		perun_id uid = function_of(counts, profile, stacks, row);

		for (size_t m = 0; m < metrics; m++)
			add_count(counts, uid, perun_builder_text(counts->builder, metric[m]->name),
				  perun_column_int64(metric[m]->values, row));
	}
	join_counts(counts);
}

static int read_file(struct perun_ctx *ctx, const char *folder, const char *name,
		     struct counts *counts)
{
	char *path = perun_format("%s/%s", folder, name);
	struct perun_profile *profile = NULL;
	struct perun_input *input;
	int status = perun_input_open(ctx, path, &input);

	if (!status) {
		status = perun_read_profile(ctx, input, "callgrind", NULL, &profile, NULL);
		perun_input_close(input);
	}
	if (!status)
		add_profile(counts, profile);
	perun_profile_unref(profile);
	perun_free(path);
	return status;
}

static int is_counts(const struct dirent *entry)
{
	return strncmp(entry->d_name, "counts.", 7) == 0;
}

/* "counts.PID", and "counts.PID.N" for what was before the N-th fork. */
static long process_of(const char *name)
{
	return strtol(name + 7, NULL, 10);
}

/* The files of all processes, or of one alone. */
static int read_counts(struct perun_ctx *ctx, const char *folder, long only, struct counts *counts,
		       size_t *processes)
{
	struct dirent **names;
	int count = scandir(folder, &names, is_counts, versionsort), status = PERUN_OK;
	long last = 0;

	*processes = 0;
	if (count < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s", folder);
	for (int i = 0; i < count; i++) {
		long process = process_of(names[i]->d_name);

		if (!status && (!only || process == only)) {
			status = read_file(ctx, folder, names[i]->d_name, counts);
			*processes += process != last;
			last = process;
		}
		free(names[i]);
	}
	free(names);
	if (!status && counts->count == 0)
		status = perun_fail(ctx, PERUN_INPUT, "callgrind counted nothing");
	return status;
}

static void add_resources(const struct counts *counts)
{
	struct perun_table_builder *table = perun_builder_table(counts->builder, "resources");
	struct perun_column_builder *columns[4];
	perun_id type = perun_builder_text(counts->builder, "instructions");

	columns[0] = collectors_add_column(table, "amount", PERUN_TYPE_INT64, PERUN_ROLE_METRIC);
	columns[1] = collectors_add_column(table, "type", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns[2] = collectors_add_column(table, "subtype", PERUN_TYPE_STRING, PERUN_ROLE_KEY);
	columns[3] = collectors_add_column(table, "uid", PERUN_TYPE_JSON, PERUN_ROLE_KEY);
	for (size_t i = 0; i < counts->count; i++) {
		perun_column_set_int64(columns[0], counts->items[i].amount);
		perun_column_set_id(columns[1], PERUN_TYPE_STRING, type);
		perun_column_set_id(columns[2], PERUN_TYPE_STRING, counts->items[i].subtype);
		perun_column_set_id(columns[3], PERUN_TYPE_JSON, counts->items[i].uid);
		perun_table_end_row(table);
	}
}

/* Returns the header; borrowed. */
static struct perun_json *describe(const struct perun_collect_job *job, const struct counts *counts,
				   size_t processes)
{
	struct perun_json *document = perun_builder_document(counts->builder);
	struct perun_json *facts = perun_json_object(), *header;

	header = collectors_add_header(counts->builder, job, "mixed", "mixed", "instructions");
	perun_json_set(header, "default_metric", perun_json_text("instructions(Ir)"));
	/* Its functions add up to the program. */
	perun_json_set(header, "recorded", perun_json_text("run"));
	perun_json_set(facts, "processes", perun_json_uint64(processes));
	for (size_t i = 0; i < counts->count; i++) {
		const char *name =
			perun_builder_string_at(counts->builder, counts->items[i].subtype, NULL);
		int64_t sum = 0;

		perun_json_as_int64(perun_json_get(facts, name), &sum);
		perun_json_set(facts, name, perun_json_int64(sum + counts->items[i].amount));
	}
	perun_json_set(document, "instructions", facts);
	return header;
}

/* ---- what counting costs ------------------------------------------------------------------------ */

struct calibration {
	const struct instructions_collector *collector;
	const struct perun_collect_job *job;
};

/* Seconds of the processor that a shell takes for this many steps, counted or not. */
static int time_shell(struct perun_ctx *ctx, const struct calibration *calibration, bool counted,
		      const char *steps, double *seconds)
{
	struct instructions_collector collector = *calibration->collector;
	char *script = perun_format("i=0; while [ $i -lt %s ]; do i=$((i+1)); done", steps);
	char *words[] = {"/bin/sh", "-c", script, NULL};
	char *error_path = perun_format("%s/stderr", calibration->job->scratch);
	struct perun_collect_job job = *calibration->job;
	struct collectors_start start = {.job = &job, .error_path = error_path};
	struct collectors_child child;
	struct rusage usage = {0};
	long process;
	int status;

	collector.limits = (struct collectors_limits){.timeout = 20};
	job.argv = words;
	status = counted ? run_program(&collector, ctx, &job, &process, &usage)
			 : collectors_start(ctx, &start, &child);
	if (!status && !counted) {
		status = collectors_wait(ctx, &collector.limits, &child);
		collectors_finish(&child, &usage);
	}
	*seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	perun_free(error_path);
	perun_free(script);
	return status;
}

/* How often the shell runs uncounted, which takes little: what disturbs makes it longer, so the least time is right. */
#define PLAIN_RUNS 5

static int time_least(struct perun_ctx *ctx, const struct calibration *calibration, bool counted,
		      const char *steps, double *least)
{
	int status = time_shell(ctx, calibration, counted, steps, least);

	for (int i = 1; !counted && i < PLAIN_RUNS && !status; i++) {
		double seconds;

		status = time_shell(ctx, calibration, counted, steps, &seconds);
		*least = fmin(*least, seconds);
	}
	return status;
}

/* How many times longer work takes, without the start of the program. */
static int measure_slowdown(struct perun_ctx *ctx, void *data, double *factor)
{
	double times[2][2] = {{0}};
	int status = PERUN_OK;

	for (int counted = 0; counted < 2 && !status; counted++) {
		status = time_least(ctx, data, counted, "1", &times[counted][0]);
		if (!status)
			status = time_least(ctx, data, counted, "5000", &times[counted][1]);
	}
	*factor = (times[1][1] - times[1][0]) / (times[0][1] - times[0][0]);
	return status || *factor <= 0 ? PERUN_INPUT : PERUN_OK;
}

static void add_cost(const struct instructions_collector *collector, struct perun_ctx *ctx,
		     const struct perun_collect_job *job, struct perun_json *header)
{
	struct calibration calibration = {collector, job};
	char *name = perun_format("instructions%s%s", collector->cache ? "-cache" : "",
				  collector->branches ? "-branches" : "");
	double factor;

	if (collectors_overhead(ctx, name, measure_slowdown, &calibration, &factor))
		collectors_add_overhead(header, round(factor * 10) / 10, "times", "program");
	perun_free(name);
}

static int instructions_collect(void *instance, struct perun_ctx *ctx,
				const struct perun_collect_job *job, struct perun_builder *builder)
{
	const struct instructions_collector *collector = instance;
	struct counts counts = {.builder = builder, .folder = job->built_in};
	size_t processes;
	long process;
	struct rusage usage;
	int status = run_program(collector, ctx, job, &process, &usage);

	if (!status)
		status = read_counts(ctx, job->scratch, collector->no_children ? process : 0,
				     &counts, &processes);
	if (!status) {
		add_resources(&counts);
		add_cost(collector, ctx, job, describe(job, &counts, processes));
	}
	perun_free(counts.items);
	return status;
}

static const struct perun_collect_ops instructions_ops = {
	.open = instructions_open,
	.close = instructions_close,
	.before = instructions_before,
	.collect = instructions_collect,
	.counts = true,
};

PERUN_PLUGIN(collect, instructions) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "instructions",
			  "instructions of each function, counted by callgrind"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(instructions_options),
	PERUN_PLUGIN_OPS(instructions_ops),
};
