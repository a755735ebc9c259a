/* SPDX-License-Identifier: BSD-3-Clause */
/* The executors of a run: plugins, with the values of parameters in their options. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/options.h>
#include <perun/lib/path.h>
#include <perun/lib/registry.h>

#include "core/cells/cells.h"
#include "core/config/trust-record.h"
#include "core/path/write.h"
#include "core/registry/guard.h"

struct cells_executor {
	char *text; /* its words: what has the same is the same */
	struct perun_words words;
	const struct perun_plugin *plugin;
	struct perun_executor_ops ops;
	struct perun_options *options;
	void *instance;
	bool prepared;
};

/* ---- opening ------------------------------------------------------------------------------------ */

/*
 * A run may have come with a clone. What a plan runs, and whom it has run it, counts only where this user planned it: as
 * for settings of a store, that is recorded outside of it.
 */
int cells_require_trust(struct perun_ctx *ctx, const struct perun_run_cells *cells)
{
	const char *variable = getenv("PERUN_TRUST");
	char *real = realpath(cells->path, NULL);
	bool trusted = (variable && strcmp(variable, "yes") == 0) ||
		       (real && perun_trust_is_recorded(real, cells->document));

	free(real);
	return trusted ? PERUN_OK
		       : perun_fail(ctx, PERUN_INPUT,
				    "the run %s was not planned by you here: nothing of it is run "
				    "unless PERUN_TRUST=yes",
				    cells->id);
}

static char *join(const struct perun_words *words)
{
	struct perun_buffer text = {0};

	for (size_t i = 0; i < words->count; i++)
		perun_buffer_printf(&text, "%s\n", words->items[i]);
	return perun_buffer_take(&text);
}

static int open_plugin(struct perun_ctx *ctx, const struct perun_run_cells *cells,
		       struct cells_executor *executor)
{
	static char *const none[] = {NULL};
	struct perun_option_table table;
	int status =
		perun_registry_load(ctx, PERUN_KIND_EXECUTOR, cells->executor, &executor->plugin);

	if (status)
		return status;
	table = (struct perun_option_table){executor->plugin->options,
					    executor->plugin->option_size};
	status = perun_options_parse(
		ctx, &table, 1,
		(const char *const *)(executor->words.items ? executor->words.items : none), 0,
		&executor->options, NULL);
	perun_plugin_ops(executor->plugin, &executor->ops, sizeof executor->ops);
	if (!status && executor->ops.open)
		status = PERUN_PLUGIN_CALL(
			ctx, executor->plugin,
			executor->ops.open(ctx, executor->options, NULL, &executor->instance));
	if (status)
		perun_fail(ctx, PERUN_OK, "executor %s", cells->executor);
	return status;
}

static void close_executor(struct cells_executor *executor)
{
	if (executor->instance && executor->ops.close)
		PERUN_PLUGIN_CALL_VOID(executor->plugin, executor->ops.close(executor->instance));
	perun_options_free(executor->options);
	perun_words_free(&executor->words);
	perun_free(executor->text);
	perun_free(executor);
}

/* The one for a combination of parameters; `trusted`: who asks knows that this user planned the run. */
static struct cells_executor *open_executor(struct perun_ctx *ctx, struct perun_run_cells *cells,
					    size_t point, bool trusted)
{
	struct perun_json *values = cells_point(cells, point);
	struct perun_words words = {0};
	struct cells_executor *executor;
	char *text;

	for (size_t i = 0; i < cells->executor_words.count; i++) {
		char *word = cells_expand(cells->executor_words.items[i], values);

		perun_words_add(&words, word, strlen(word));
		perun_free(word);
	}
	perun_json_free(values);
	text = join(&words);
	for (size_t i = 0; i < cells->executor_count; i++) {
		if (strcmp(cells->executors[i]->text, text) == 0) {
			perun_free(text);
			perun_words_free(&words);
			return cells->executors[i];
		}
	}
	executor = perun_alloc_zero(1, sizeof *executor);
	executor->text = text;
	executor->words = words;
	if ((!trusted && cells_require_trust(ctx, cells)) || open_plugin(ctx, cells, executor)) {
		close_executor(executor);
		return NULL;
	}
	PERUN_GROW(cells->executors, cells->executor_count, cells->executor_capacity);
	return cells->executors[cells->executor_count++] = executor;
}

struct cells_executor *cells_executor(struct perun_ctx *ctx, struct perun_run_cells *cells,
				      size_t point)
{
	return open_executor(ctx, cells, point, false);
}

void cells_close_executors(struct perun_run_cells *cells)
{
	for (size_t i = 0; i < cells->executor_count; i++)
		close_executor(cells->executors[i]);
	perun_free(cells->executors);
	cells->executors = NULL;
	cells->executor_count = cells->executor_capacity = 0;
}

bool cells_executor_is_attached(const struct cells_executor *executor)
{
	return executor->ops.attached;
}

double cells_executor_interval(const struct cells_executor *executor)
{
	return executor->ops.interval > 0 ? executor->ops.interval : 1;
}

/* ---- calls -------------------------------------------------------------------------------------- */

/* What executors get of the run; the texts stay ours. */
static void describe(const struct perun_run_cells *cells, struct perun_executor_run *run)
{
	char own[4096];
	ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);

	own[length > 0 ? length : 0] = '\0';
	*run = (struct perun_executor_run){.struct_size = sizeof *run,
					   .id = cells->id,
					   .directory = cells->path,
					   .builds = cells->builds ? cells->builds : "",
					   .program = perun_strdup(length > 0 ? own : "perun"),
					   .log = cells_file(cells, "logs")};
}

static void forget(struct perun_executor_run *run)
{
	perun_free((char *)run->program);
	perun_free((char *)run->log);
}

static int prepare(struct perun_ctx *ctx, struct cells_executor *executor,
		   const struct perun_executor_run *run)
{
	int status = PERUN_OK;

	if (!executor->prepared && executor->ops.prepare)
		status = PERUN_PLUGIN_CALL(ctx, executor->plugin,
					   executor->ops.prepare(executor->instance, ctx, run));
	executor->prepared |= !status;
	return status;
}

int cells_executor_submit(struct perun_ctx *ctx, struct perun_run_cells *cells,
			  struct cells_batch *batch, const struct cells_batch *after)
{
	const struct perun_executor_batch handed = {.struct_size = sizeof handed,
						    .number = batch->number,
						    .builds = batch->builds,
						    .tasks = batch->tasks,
						    .count = batch->count,
						    .after = after ? after->handle : NULL,
						    .time_factor = batch->factor,
						    .alone = batch->alone};
	struct cells_executor *executor = cells_executor(ctx, cells, batch->point);
	struct perun_executor_run run;
	char *handle = NULL;
	int status;

	if (!executor)
		return perun_ctx_status(ctx);
	describe(cells, &run);
	status = path_make_directories(ctx, run.log);
	if (!status)
		status = prepare(ctx, executor, &run);
	if (!status)
		status = PERUN_PLUGIN_CALL(
			ctx, executor->plugin,
			executor->ops.submit(executor->instance, ctx, &run, &handed, &handle));
	if (status)
		perun_fail(ctx, PERUN_OK, "executor %s", cells->executor);
	else
		batch->handle = handle ? handle : perun_strdup("?");
	forget(&run);
	return status;
}

int cells_executor_perform(struct perun_ctx *ctx, struct perun_run_cells *cells, bool builds,
			   const uint64_t *tasks, size_t count,
			   bool (*work)(void *data, uint64_t task), void *data)
{
	const struct perun_executor_batch batch = {.struct_size = sizeof batch,
						   .builds = builds,
						   .tasks = tasks,
						   .count = count,
						   .time_factor = 1};
	const struct perun_executor_worker worker = {sizeof worker, work, data};
	struct cells_executor *executor = open_executor(ctx, cells, 0, true);
	struct perun_executor_run run;
	int status;

	if (!executor)
		return perun_ctx_status(ctx);
	if (!executor->ops.perform)
		return perun_fail(ctx, PERUN_MISSING,
				  "the executor %s measures nothing in this process",
				  cells->executor);
	describe(cells, &run);
	status = prepare(ctx, executor, &run);
	if (!status)
		status = PERUN_PLUGIN_CALL(
			ctx, executor->plugin,
			executor->ops.perform(executor->instance, ctx, &run, &batch, &worker));
	if (status)
		perun_fail(ctx, PERUN_OK, "executor %s", cells->executor);
	forget(&run);
	return status;
}

/* The jobs of one executor, among those that are marked. */
static size_t gather(struct perun_run_cells *cells, const struct cells_executor *executor,
		     struct cells_batches *batches, const bool *wanted,
		     struct perun_executor_job *jobs)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	size_t count = 0;

	for (size_t i = 0; i < batches->count; i++) {
		struct cells_batch *batch = &batches->items[i];

		if (!wanted[i] || !batch->handle ||
		    cells_executor(quiet, cells, batch->point) != executor)
			continue;
		jobs[count++] = (struct perun_executor_job){.struct_size = sizeof *jobs,
							    .handle = batch->handle,
							    .number = batch->number,
							    .count = batch->count,
							    .states = batch->states};
	}
	perun_ctx_free(quiet);
	return count;
}

static int poll_executor(struct perun_ctx *ctx, struct perun_run_cells *cells,
			 struct cells_executor *executor, struct cells_batches *batches,
			 struct perun_executor_job *jobs, size_t count)
{
	struct perun_executor_run run;
	int status = PERUN_OK;

	describe(cells, &run);
	if (executor->ops.fetch)
		status = PERUN_PLUGIN_CALL(ctx, executor->plugin,
					   executor->ops.fetch(executor->instance, ctx, &run));
	if (!status)
		status = PERUN_PLUGIN_CALL(ctx, executor->plugin,
					   executor->ops.poll(executor->instance, ctx, &run, jobs,
							      count, sizeof *jobs));
	forget(&run);
	for (size_t i = 0; status == PERUN_INPUT && i < count; i++)
		batches->items[jobs[i].number - 1].unasked = true;
	if (status != PERUN_INPUT)
		return status;
	perun_warn(ctx, "%s", perun_ctx_error(ctx));
	perun_ctx_clear(ctx);
	return PERUN_OK;
}

int cells_executors_poll(struct perun_ctx *ctx, struct perun_run_cells *cells,
			 struct cells_batches *batches, const bool *wanted)
{
	struct perun_executor_job *jobs = perun_alloc_zero(batches->count + 1, sizeof *jobs);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < batches->count; i++) {
		batches->items[i].unasked = false;
		if (wanted[i] && !cells_executor(ctx, cells, batches->items[i].point))
			status = perun_ctx_status(ctx);
	}
	for (size_t i = 0; !status && i < cells->executor_count; i++) {
		size_t count = gather(cells, cells->executors[i], batches, wanted, jobs);

		if (count)
			status = poll_executor(ctx, cells, cells->executors[i], batches, jobs,
					       count);
	}
	perun_free(jobs);
	return status;
}

int cells_executors_cancel(struct perun_ctx *ctx, struct perun_run_cells *cells,
			   struct cells_batches *batches)
{
	struct perun_executor_job *jobs = perun_alloc_zero(batches->count + 1, sizeof *jobs);
	bool *all = perun_alloc_zero(batches->count + 1, sizeof *all);
	struct perun_executor_run run;
	int status = PERUN_OK;

	memset(all, true, batches->count * sizeof *all);
	describe(cells, &run);
	for (size_t i = 0; !status && i < batches->count; i++)
		if (!cells_executor(ctx, cells, batches->items[i].point))
			status = perun_ctx_status(ctx);
	for (size_t i = 0; !status && i < cells->executor_count; i++) {
		struct cells_executor *executor = cells->executors[i];
		size_t count = gather(cells, executor, batches, all, jobs);

		if (count && !executor->ops.cancel)
			status = perun_fail(ctx, PERUN_MISSING,
					    "the executor %s cannot cancel what was submitted",
					    cells->executor);
		else if (count)
			status = PERUN_PLUGIN_CALL(ctx, executor->plugin,
						   executor->ops.cancel(executor->instance, ctx,
									&run, jobs, count,
									sizeof *jobs));
	}
	for (size_t i = 0; !status && i < batches->count; i++)
		batches->items[i].cancelled = true;
	forget(&run);
	perun_free(jobs);
	perun_free(all);
	return status;
}
