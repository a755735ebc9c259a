/* SPDX-License-Identifier: BSD-3-Clause */
/* The executor for Slurm: a batch is an array of jobs, or several where one may not be so long. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/executor.h>

#include "executors/common/engine.h"
#include "executors/slurm/states.h"

struct slurm {
	const struct perun_options *options; /* the host's */
	struct slurm_states *states;         /* of the last poll */
};

/* ---- opening ------------------------------------------------------------------------------------ */

static int slurm_open(struct perun_ctx *ctx, const struct perun_options *options,
		      const char *subcommand, void **instance)
{
	struct slurm *slurm = perun_alloc_zero(1, sizeof *slurm);

	(void)ctx;
	(void)subcommand;
	slurm->options = options;
	*instance = slurm;
	return PERUN_OK;
}

static void slurm_close(void *instance)
{
	struct slurm *slurm = instance;

	slurm_states_free(slurm->states);
	perun_free(slurm);
}

/* ---- submitting ---------------------------------------------------------------------------------- */

/* What each element of an array runs: the task in the line of its number. */
static int write_script(struct perun_ctx *ctx, const struct slurm *slurm,
			const struct perun_executor_run *run,
			const struct perun_executor_batch *batch, char **path)
{
	struct perun_buffer script = {0}, tasks = {0};
	char *list = perun_format("%s/slurm-%u.tasks", run->directory, batch->number);
	int status;

	*path = perun_format("%s/slurm-%u.sh", run->directory, batch->number);
	for (size_t i = 0; i < batch->count; i++)
		perun_buffer_printf(&tasks, "%llu\n", (unsigned long long)batch->tasks[i]);
	perun_buffer_add_text(&script, "#!/bin/sh\n");
	for (size_t i = 0; i < perun_option_count(slurm->options, "before"); i++)
		perun_buffer_printf(&script, "%s\n",
				    perun_option_string_at(slurm->options, "before", i));
	perun_buffer_add_text(&script, "line=$((PERUN_SLURM_FIRST + SLURM_ARRAY_TASK_ID + 1))\n"
				       "task=$(sed -n \"${line}p\" ");
	engine_quote(&script, list);
	perun_buffer_add_text(
		&script, ") || exit\n"
			 "export PERUN_EXECUTOR_JOB=\"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\" "
			 "PERUN_EXECUTOR_NODE=\"$SLURMD_NODENAME\" "
			 "PERUN_MACHINE_PARTITION=\"$SLURM_JOB_PARTITION\"\n");
	if (perun_option_given(slurm->options, "gres")) {
		perun_buffer_add_text(&script, "export PERUN_MACHINE_GRES=");
		engine_quote(&script, perun_option_string(slurm->options, "gres"));
		perun_buffer_add_char(&script, '\n');
	}
	perun_buffer_add_text(&script, "exec ");
	engine_quote(&script, run->program);
	perun_buffer_printf(&script, " run %s ", perun_executor_word(batch));
	engine_quote(&script, run->directory);
	perun_buffer_add_text(&script, ":\"$task\"\n");
	status = engine_write(ctx, list, &tasks);
	if (!status)
		status = engine_write(ctx, *path, &script);
	perun_buffer_free(&script);
	perun_buffer_free(&tasks);
	perun_free(list);
	return status;
}

/* What the user asks of the cluster. Slurm counts time in minutes: part of one is a whole one. */
static void add_needs(const struct slurm *slurm, const struct perun_executor_batch *batch,
		      struct engine_words *words)
{
	static const char *const texts[] = {"partition", "account", "qos",        "constraint",
					    "mem",       "gres",    "reservation"};
	static const char *const numbers[][2] = {
		{"tasks", "ntasks"}, {"cpus", "cpus-per-task"}, {"nodes", "nodes"}};
	const struct perun_options *options = slurm->options;
	double seconds = perun_option_number(options, "time") * batch->time_factor;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (perun_option_given(options, texts[i]))
			engine_add(words, "--%s=%s", texts[i],
				   perun_option_string(options, texts[i]));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (perun_option_given(options, numbers[i][0]))
			engine_add(words, "--%s=%lld", numbers[i][1],
				   (long long)perun_option_integer(options, numbers[i][0]));
	if (perun_option_given(options, "time"))
		engine_add(words, "--time=%lld", (long long)((seconds + 59.999) / 60));
	if (perun_option_flag(options, "exclusive") && !batch->builds)
		engine_add(words, "--exclusive");
	for (size_t i = 0; i < perun_option_count(options, "option"); i++)
		engine_add(words, "%s", perun_option_string_at(options, "option", i));
}

/* The jobs of "1000:17,18" as "17:18", for a dependency. */
static char *dependency_of(const char *handle)
{
	const char *ids = strchr(handle, ':');
	char *text = perun_strdup(ids ? ids + 1 : handle);

	for (char *c = text; *c; c++)
		*c = *c == ',' ? ':' : *c;
	return text;
}

/* One array: the tasks from `first` on. `*job`: its number. */
static int submit_array(struct perun_ctx *ctx, const struct slurm *slurm,
			const struct perun_executor_run *run,
			const struct perun_executor_batch *batch, const char *script, size_t first,
			size_t count, unsigned long *job)
{
	struct engine_words words = {0};
	struct perun_buffer answer = {0};
	int64_t limit = perun_option_integer(slurm->options, "array-limit");
	char *dependency = batch->after ? dependency_of(batch->after) : NULL, *end;
	int status;

	engine_add(&words, "sbatch");
	engine_add(&words, "--parsable");
	engine_add(&words, "--job-name=perun-%s", run->id);
	engine_add(&words, "--output=%s/slurm-%u-%%a.log", run->log, batch->number);
	engine_add(&words, "--open-mode=append");
	engine_add(&words, "--requeue");
	engine_add(&words, "--chdir=%s", run->directory);
	engine_add(&words, "--export=ALL,PERUN_SLURM_FIRST=%zu", first);
	if (limit > 0)
		engine_add(&words, "--array=0-%zu%%%lld", count - 1, (long long)limit);
	else
		engine_add(&words, "--array=0-%zu", count - 1);
	if (dependency) {
		engine_add(&words, "--dependency=afterok:%s", dependency);
		engine_add(&words, "--kill-on-invalid-dep=yes");
	}
	add_needs(slurm, batch, &words);
	engine_add(&words, "%s", script);
	status = engine_run(ctx, &words, &answer);
	/* "17" or "17;cluster" */
	if (!status) {
		*job = strtoul(answer.data ? answer.data : "", &end, 10);
		if (!*job || !strchr(";\n", *end))
			status = perun_fail(ctx, PERUN_INPUT,
					    "sbatch did not answer with the number of a job");
	}
	perun_free(dependency);
	engine_words_free(&words);
	perun_buffer_free(&answer);
	return status;
}

static int cancel_ids(struct perun_ctx *ctx, const char *handle);

/* "SIZE:ID,ID": arrays of SIZE elements, the last of which may have fewer. */
static int slurm_submit(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
			const struct perun_executor_batch *batch, char **handle)
{
	struct slurm *slurm = instance;
	size_t size = (size_t)perun_option_integer(slurm->options, "array-size");
	struct perun_buffer text = {0};
	char *script;
	int status = write_script(ctx, slurm, run, batch, &script);

	perun_buffer_printf(&text, "%zu:", size);
	for (size_t first = 0; !status && first < batch->count; first += size) {
		size_t count = batch->count - first < size ? batch->count - first : size;
		unsigned long job = 0;

		status = submit_array(ctx, slurm, run, batch, script, first, count, &job);
		if (!status)
			perun_buffer_printf(&text, "%s%lu", first ? "," : "", job);
	}
	/* All or nothing. */
	if (status && strchr(text.data, ':')[1])
		cancel_ids(NULL, text.data);
	perun_free(script);
	if (status)
		perun_buffer_free(&text);
	else
		*handle = perun_buffer_take(&text);
	return status;
}

/* ---- asking -------------------------------------------------------------------------------------- */

static int slurm_poll(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		      struct perun_executor_job *jobs, size_t count, size_t stride)
{
	struct slurm *slurm = instance;
	int status;

	(void)run;
	slurm_states_free(slurm->states);
	slurm->states = NULL;
	status = slurm_states_ask(ctx, &slurm->states);
	if (!status)
		status = slurm_states_ask_accounting(ctx, slurm->states, jobs, count, stride);
	for (size_t i = 0; !status && i < count; i++)
		slurm_states_apply(slurm->states, engine_job(jobs, i, stride));
	return status;
}

static int cancel_ids(struct perun_ctx *ctx, const char *handle)
{
	const char *ids = strchr(handle, ':');
	struct engine_words words = {0};
	char *text = perun_strdup(ids ? ids + 1 : ""), *rest = text, *id;
	int status;

	engine_add(&words, "scancel");
	while ((id = strsep(&rest, ",")))
		if (*id && id[strspn(id, "0123456789")] == '\0')
			engine_add(&words, "%s", id);
	status = words.count > 1 ? engine_run(ctx, &words, NULL) : PERUN_OK;
	engine_words_free(&words);
	perun_free(text);
	return status;
}

static int slurm_cancel(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
			struct perun_executor_job *jobs, size_t count, size_t stride)
{
	int status = PERUN_OK;

	(void)instance;
	(void)run;
	for (size_t i = 0; !status && i < count; i++)
		status = cancel_ids(ctx, engine_job(jobs, i, stride)->handle);
	return status;
}

/* ---- options ------------------------------------------------------------------------------------- */

#define TEXT(NAME, HELP)                                                \
	{                                                               \
		.name = NAME, .type = PERUN_OPTION_STRING, .help = HELP \
	}
#define COUNT(NAME, HELP)                                                                 \
	{                                                                                 \
		.name = NAME, .metavar = "N", .type = PERUN_OPTION_INTEGER, .help = HELP, \
		.ranged = true, .minimum = 1, .maximum = 1e9                              \
	}

static const struct perun_option slurm_options[] = {
	TEXT("partition", "where jobs run"),
	TEXT("account", "whose account they count on"),
	TEXT("qos", "the quality of service"),
	TEXT("constraint", "features that nodes must have"),
	TEXT("mem", "memory of a node, such as 4G"),
	TEXT("gres", "generic resources, such as gpu:1"),
	TEXT("reservation", "a reservation to run in"),
	COUNT("tasks", "processes of a job, for launch: srun"),
	COUNT("cpus", "processors of each process"),
	COUNT("nodes", "nodes of a job"),
	{.name = "time",
	 .metavar = "TIME",
	 .type = PERUN_OPTION_DURATION,
	 .help = "the limit of a cell and of a build, such as 10m"},
	{.name = "exclusive", .help = "no other job on the node while a cell is measured"},
	{.name = "array-limit",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .help = "how many cells of a version run at a time",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e9},
	{.name = "array-size",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "1000",
	 .help = "how many jobs an array has: less than MaxArraySize of the site",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 4000000},
	{.name = "before",
	 .metavar = "LINE",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a line for the shell before each task, such as 'module load gcc'"},
	{.name = "option",
	 .metavar = "OPTION",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a further option of sbatch, such as --hint=nomultithread"},
	{0}};

static const struct perun_executor_ops slurm_ops = {.open = slurm_open,
						    .close = slurm_close,
						    .submit = slurm_submit,
						    .poll = slurm_poll,
						    .cancel = slurm_cancel,
						    .interval = 30};

PERUN_PLUGIN(executor, slurm) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_EXECUTOR, "slurm", "tasks of a run as jobs of Slurm"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(slurm_options),
	PERUN_PLUGIN_OPS(slurm_ops),
};
