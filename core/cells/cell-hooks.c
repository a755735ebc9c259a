/* SPDX-License-Identifier: BSD-3-Clause */
/* The hooks of a run: their commands are in the plan, since a cell opens no store. */
#include <config.h>

#include <string.h>

#include "core/cells/cells.h"
#include "core/run/run.h"

/* The last two are those of a version. */
static const char *const names[] = {"pre_job", "post_job", "pre_run", "post_run"};
#define JOB_HOOKS 2
#define HOOKS     (sizeof names / sizeof *names)

/* The commands that are configured for a hook: a list, the caller's. */
static int configured(struct perun_ctx *ctx, struct perun_store *store, const char *name,
		      struct perun_json **list)
{
	char *key = perun_format("hooks.%s", name);
	struct perun_words commands = {0};
	int status = perun_texts_read(ctx, store, key, &commands);

	*list = perun_json_array();
	for (size_t at = 0; !status && at < commands.count; at++)
		perun_json_append(*list, perun_json_text(commands.items[at]));
	perun_words_free(&commands);
	perun_free(key);
	return status;
}

int cells_plan_hooks(struct perun_ctx *ctx, struct perun_store *store, struct perun_json *document,
		     bool inlined)
{
	struct perun_json *hooks = perun_json_object();
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < HOOKS; i++) {
		struct perun_json *list;

		status = configured(ctx, store, names[i], &list);
		if (inlined || i < JOB_HOOKS) {
			perun_json_set(hooks, names[i], list);
			continue;
		}
		/* A version has no one who measures all of it, so its hooks have no place. */
		if (!status && perun_json_count(list))
			perun_warn(ctx,
				   "hooks.%s is not run in cells: hooks.pre_job and hooks.post_job "
				   "are",
				   names[i]);
		perun_json_free(list);
	}
	perun_json_set(document, "hooks", hooks);
	return status;
}

bool cells_hooks_fit(const struct perun_run_cells *cells)
{
	const struct perun_json *hooks = perun_json_get(cells->document, "hooks");
	bool fit = true;

	for (size_t i = 0; fit && i < HOOKS; i++) {
		struct perun_words commands = {0};

		fit = cells_texts(hooks, names[i], &commands);
		perun_words_free(&commands);
	}
	return fit;
}

static struct perun_hook hook_of(const struct run *run, const struct perun_run_cells *cells,
				 const char *name, const struct perun_json *facts,
				 struct perun_words *commands)
{
	cells_texts(perun_json_get(cells->document, "hooks"), name, commands);
	return (struct perun_hook){
		sizeof(struct perun_hook), name, facts, run->directory, run->log, run->log_path,
		run->options.listener};
}

int cells_hook(const struct run *run, const struct perun_run_cells *cells, const char *name,
	       const struct perun_json *facts)
{
	struct perun_words commands = {0};
	const struct perun_hook hook = hook_of(run, cells, name, facts, &commands);
	int status = perun_hook_commands(run->ctx, run->store, &hook, &commands);

	perun_words_free(&commands);
	return status;
}

bool cells_hook_try(const struct run *run, const struct perun_run_cells *cells, const char *name,
		    const struct perun_json *facts)
{
	struct perun_words commands = {0};
	const struct perun_hook hook = hook_of(run, cells, name, facts, &commands);
	bool fine = perun_hook_commands_try(run->ctx, run->store, &hook, &commands);

	perun_words_free(&commands);
	return fine;
}
