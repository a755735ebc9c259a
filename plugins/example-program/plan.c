/* SPDX-License-Identifier: BSD-3-Clause */
/* plan [-m REV] COMMAND WORKLOAD...: measures a command with each workload; an interrupted run is resumed. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <perun/lib/run.h>

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	stopped = number;
}

static bool is_cancelled(void *data)
{
	(void)data;
	return stopped != 0;
}

static void on_note(void *data, const char *message)
{
	(void)data;
	fprintf(stderr, "plan: %s\n", message);
}

static void on_event(void *data, const struct perun_run_event *event)
{
	(void)data;
	if (event->kind == PERUN_RUN_RESUMED)
		printf("%zu finished before\n", event->count);
	else if (event->kind == PERUN_RUN_SAVED)
		printf("%s %s: %s\n", event->job->command, event->job->workload, event->path);
}

static struct perun_plan *make_plan(int argc, char **argv)
{
	struct perun_plan *plan = perun_plan_new();
	int word = 1;

	if (argc > 3 && strcmp(argv[1], "-m") == 0) {
		perun_plan_add(plan, PERUN_PLAN_REVISIONS, argv[2]);
		word = 3;
	}
	perun_plan_add(plan, PERUN_PLAN_COMMANDS, word < argc ? argv[word] : "");
	while (++word < argc)
		perun_plan_add(plan, PERUN_PLAN_WORKLOADS, argv[word]);
	perun_plan_add(plan, PERUN_PLAN_COLLECTORS, "time");
	perun_plan_word(plan, PERUN_PLAN_COLLECTORS, "--repeat");
	perun_plan_word(plan, PERUN_PLAN_COLLECTORS, "3");
	return plan;
}

int main(int argc, char **argv)
{
	const struct perun_handlers handlers = {sizeof handlers, NULL, on_note, on_note,
						.cancelled = is_cancelled};
	const struct perun_run_options options = {
		.struct_size = sizeof options, .resume = true, .listener = {on_event, NULL}};
	struct perun_ctx *ctx = perun_ctx_new(&handlers);
	struct perun_plan *plan = make_plan(argc, argv);
	struct perun_run_result *result = NULL;
	struct perun_store *store = NULL;
	int status = perun_store_open(ctx, NULL, &store);

	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	if (!status)
		status = perun_run(ctx, store, plan, &options, &result);
	if (status)
		fprintf(stderr, "plan: %s\n", perun_ctx_error(ctx));
	perun_run_result_free(result);
	perun_plan_free(plan);
	perun_store_close(store);
	perun_ctx_free(ctx);
	return status;
}
