/* SPDX-License-Identifier: BSD-3-Clause */
/* The executor of this machine: tasks are processes of ours, as many at a time as the user says, or are done in this one. */
#include <sched.h>
#include <stdlib.h>

#include "executors/common/processes.h"

struct local {
	struct processes_owner owner;
	size_t jobs;
};

/* Of the processors that we may use, the share of one of several tasks. */
static void pin(void *instance, size_t slot)
{
	const struct local *local = instance;
	size_t jobs = local->jobs;
	cpu_set_t all, own;
	int seen = 0, count;

	if (jobs < 2 || sched_getaffinity(0, sizeof all, &all) != 0)
		return;
	count = CPU_COUNT(&all);
	CPU_ZERO(&own);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		if ((size_t)seen * jobs / (size_t)count == slot ||
		    (jobs > (size_t)count && (size_t)seen == slot % (size_t)count))
			CPU_SET(cpu, &own);
		seen++;
	}
	if (CPU_COUNT(&own))
		sched_setaffinity(0, sizeof own, &own);
}

static void command(void *instance, const struct processes_start *start, struct engine_words *words)
{
	(void)instance;
	engine_add(words, "%s", start->run->program);
	engine_add(words, "run");
	engine_add(words, "%s", start->option);
	engine_add(words, "%s", start->task);
}

static const struct processes_hooks hooks = {.command = command, .enter = pin};

static int local_open(struct perun_ctx *ctx, const struct perun_options *options,
		      const char *subcommand, void **instance)
{
	struct local *local = perun_alloc_zero(1, sizeof *local);

	(void)ctx;
	(void)subcommand;
	local->jobs = (size_t)perun_option_integer(options, "jobs");
	local->owner.processes = processes_new(local->jobs, perun_option_flag(options, "together"),
					       &hooks, &local->owner);
	*instance = local;
	return PERUN_OK;
}

static void local_close(void *instance)
{
	struct local *local = instance;

	processes_free(local->owner.processes);
	perun_free(local);
}

/* What is measured on the user's terminal is alone on the machine: with all processors, and in no process of its own. */
static int local_perform(void *instance, struct perun_ctx *ctx,
			 const struct perun_executor_run *run,
			 const struct perun_executor_batch *batch,
			 const struct perun_executor_worker *worker)
{
	bool go_on = true;

	(void)instance;
	(void)ctx;
	(void)run;
	for (size_t i = 0; go_on && i < batch->count; i++)
		go_on = worker->work(worker->data, batch->tasks[i]);
	return PERUN_OK;
}

static const struct perun_option local_options[] = {
	{.name = "jobs",
	 .aliases = "-j",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "1",
	 .help = "how many tasks run at a time, each on processors of its own; cells that take "
		 "times "
		 "run alone all the same",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1024},
	{.name = "together",
	 .type = PERUN_OPTION_FLAG,
	 .help = "run cells that take times at the same time as others, too, which disturbs them"},
	{0}};

static const struct perun_executor_ops local_ops = {.open = local_open,
						    .close = local_close,
						    .submit = processes_submit,
						    .poll = processes_poll,
						    .cancel = processes_cancel,
						    .interval = 0.05,
						    .attached = true,
						    .perform = local_perform};

PERUN_PLUGIN(executor, local) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_EXECUTOR, "local", "tasks of a run on this machine"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(local_options),
	PERUN_PLUGIN_OPS(local_ops),
};
