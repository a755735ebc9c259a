/* SPDX-License-Identifier: BSD-3-Clause */
/* @NAME@: how this executor starts the tasks of a run. Here: by the shell, in the background, one batch after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <perun/executor.h>

static const struct perun_option options[] = {{.name = "nice",
					       .aliases = "-n",
					       .metavar = "N",
					       .help = "how much tasks give way to other programs",
					       .default_value = "0",
					       .type = PERUN_OPTION_INTEGER,
					       .ranged = true,
					       .minimum = 0,
					       .maximum = 19},
					      {.name = NULL}};

static int open_executor(struct perun_ctx *ctx, const struct perun_options *values,
			 const char *subcommand, void **instance)
{
	int64_t *nice = (int64_t *)perun_alloc(sizeof *nice);

	(void)ctx, (void)subcommand;
	*nice = perun_option_integer(values, "nice");
	*instance = nice;
	return PERUN_OK;
}

/* The handle is a file that the shell removes when all of the batch has ended; another batch may wait for that. */
static int submit(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		  const struct perun_executor_batch *batch, char **handle)
{
	struct perun_buffer line = {0};
	FILE *file;
	int code;

	*handle = perun_format("%s/@NAME@-%u", run->directory, batch->number);
	file = fopen(*handle, "w");
	if (!file)
		return perun_fail(ctx, PERUN_INPUT, "cannot make %s", *handle);
	fclose(file);
	perun_buffer_add_text(&line, "{ ");
	if (batch->after)
		perun_buffer_printf(&line, "while [ -e '%s' ]; do sleep 0.1; done; ", batch->after);
	for (size_t i = 0; i < batch->count; i++)
		perun_buffer_printf(&line, "nice -n %d '%s' run %s '%s':%llu; ",
				    (int)*(int64_t *)instance, run->program, perun_executor_word(batch),
				    run->directory, (unsigned long long)batch->tasks[i]);
	perun_buffer_printf(&line, "rm -f '%s'; } </dev/null >>'%s/@NAME@' 2>&1 &", *handle, run->log);
	code = system(line.data);
	perun_buffer_free(&line);
	return code == 0 ? PERUN_OK : perun_fail(ctx, PERUN_INPUT, "the shell failed");
}

static int poll(void *instance, struct perun_ctx *ctx, const struct perun_executor_run *run,
		struct perun_executor_job *jobs, size_t count, size_t stride)
{
	(void)instance, (void)ctx, (void)run;
	for (size_t i = 0; i < count; i++) {
		struct perun_executor_job *job =
			(struct perun_executor_job *)(void *)((char *)jobs + i * stride);
		struct stat facts;
		int there = stat(job->handle, &facts) == 0;

		for (size_t task = 0; task < job->count; task++)
			job->states[task] = there ? PERUN_EXECUTOR_RUNNING : PERUN_EXECUTOR_ENDED;
	}
	return PERUN_OK;
}

static const struct perun_executor_ops operations = {
	.open = open_executor,
	.close = perun_free,
	.submit = submit,
	.poll = poll,
	/* Optional: .prepare, .cancel, .fetch (what is not shared), .interval (between polls), .attached. */
};

PERUN_PLUGIN(executor, @SYMBOL@) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_EXECUTOR, "@NAME@", "one line for lists of plugins"),
	.version = "0.1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(options),
	PERUN_PLUGIN_OPS(operations),
};
