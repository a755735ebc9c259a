/* SPDX-License-Identifier: BSD-3-Clause */
/* @NAME@: what this collector measures. Here: how long the program takes. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <perun/collect.h>
#include <perun/json.h>

static const struct perun_option options[] = {{.name = "repeat",
					       .aliases = "-r",
					       .metavar = "N",
					       .help = "how often the program is run",
					       .default_value = "3",
					       .type = PERUN_OPTION_INTEGER,
					       .ranged = true,
					       .minimum = 1,
					       .maximum = 10000},
					      {.name = NULL}};

static int open_collector(struct perun_ctx *ctx, const struct perun_options *values,
			  const char *subcommand, void **instance)
{
	int64_t *repeat = (int64_t *)perun_alloc(sizeof *repeat);

	(void)ctx, (void)subcommand;
	*repeat = perun_option_integer(values, "repeat");
	*instance = repeat;
	return PERUN_OK;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Wait for the program; who cancels does not wait for its end. */
static int wait_for(struct perun_ctx *ctx, pid_t child, const char *command)
{
	int state = 0;

	while (waitpid(child, &state, WNOHANG) == 0) {
		if (perun_cancelled(ctx)) {
			kill(child, SIGKILL);
			waitpid(child, &state, 0);
			return PERUN_CANCELLED;
		}
		usleep(1000);
	}
	if (!WIFEXITED(state) || WEXITSTATUS(state))
		return perun_fail(ctx, PERUN_INPUT, "%s failed", command);
	return PERUN_OK;
}

/* In the directory of the job, with what it adds to the environment and its input. Never returns. */
static void become(const struct perun_collect_job *job)
{
	int input = open(job->input ? job->input : "/dev/null", O_RDONLY);

	for (const char *const *item = job->environment; item && *item; item++)
		putenv((char *)*item);
	if (input >= 0 && dup2(input, STDIN_FILENO) >= 0 && chdir(job->directory) == 0)
		execvp(job->argv[0], job->argv);
	_exit(127);
}

static int run_once(struct perun_ctx *ctx, const struct perun_collect_job *job, double *seconds)
{
	double start = now();
	pid_t child = fork();
	int status;

	if (child < 0)
		return perun_fail_errno(ctx, PERUN_MISSING, errno, "cannot start %s", job->command);
	if (child == 0)
		become(job);
	status = wait_for(ctx, child, job->command);
	*seconds = now() - start;
	return status;
}

/* What is a row of the profile; perun-plugin-collect(3) says which columns are asked for. */
static const struct perun_column_info columns[] = {
	{.name = "amount", .type = PERUN_TYPE_DOUBLE, .role = PERUN_ROLE_METRIC},
	{.name = "uid", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
	{.name = "order", .type = PERUN_TYPE_INT64},
};

/* The header's command, the machine and the options are recorded by Perun; type and units are said here. */
static int collect(void *instance, struct perun_ctx *ctx, const struct perun_collect_job *job,
		   struct perun_builder *builder)
{
	int64_t repeat = *(int64_t *)instance;
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *header = perun_json_object(), *units = perun_json_object();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *amount = perun_table_add_column(table, &columns[0]);
	struct perun_column_builder *uid = perun_table_add_column(table, &columns[1]);
	struct perun_column_builder *order = perun_table_add_column(table, &columns[2]);
	perun_id name = perun_builder_text(builder, job->command);
	int status = PERUN_OK;

	perun_json_set(units, "time", perun_json_text("s"));
	perun_json_set(header, "type", perun_json_text("time"));
	perun_json_set(header, "units", units);
	perun_json_set(document, "header", header);
	for (int64_t i = 0; !status && i < repeat; i++) {
		double seconds = 0;

		perun_progress(ctx, "runs", (uint64_t)i, (uint64_t)repeat);
		status = run_once(ctx, job, &seconds);
		if (status)
			break;
		perun_column_set_double(amount, seconds);
		perun_column_set_id(uid, PERUN_TYPE_STRING, name);
		perun_column_set_int64(order, i);
		perun_table_end_row(table);
	}
	perun_progress(ctx, "runs", (uint64_t)repeat, (uint64_t)repeat);
	return status;
}

static const struct perun_collect_ops operations = {
	.open = open_collector, .close = perun_free, .collect = collect,
	/*
	 * Optional: .before, .after, .teardown (once before() was called it always is, also after failure), .once
	 * (the words that measure a single run), .no_command, .aliases.
	 */
};

PERUN_PLUGIN(collect, @SYMBOL@) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_COLLECT, "@NAME@", "one line for lists of plugins"),
	.version = "0.1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(options),
	PERUN_PLUGIN_OPS(operations),
};
