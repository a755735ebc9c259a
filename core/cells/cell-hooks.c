/* SPDX-License-Identifier: BSD-3-Clause */
/* The hooks of a job around a cell: their commands are in the plan, since a cell opens no store. */
#include <config.h>

#include <string.h>

#include "core/cells/cells.h"
#include "core/run/run.h"

static const char *const names[] = {"pre_job", "post_job"};

/* A list of texts; false where it is something else. */
static bool read_commands(const struct perun_json *list, struct perun_words *commands)
{
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const char *text = perun_json_as_string(perun_json_at(list, i), NULL);

		if (!text)
			return false;
		perun_words_add(commands, text, strlen(text));
	}
	return true;
}

/* A version has no one who measures all of it, so its hooks have no place. */
static int warn_of_others(struct perun_ctx *ctx, struct perun_store *store)
{
	static const char *const others[] = {"hooks.pre_run", "hooks.post_run"};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < sizeof others / sizeof *others; i++) {
		struct perun_words commands = {0};

		status = perun_texts_read(ctx, store, others[i], &commands);
		if (!status && commands.count)
			perun_warn(ctx,
				   "%s is not run in cells: hooks.pre_job and hooks.post_job are",
				   others[i]);
		perun_words_free(&commands);
	}
	return status;
}

int cells_plan_hooks(struct perun_ctx *ctx, struct perun_store *store, struct perun_json *document)
{
	struct perun_json *hooks = perun_json_object();
	int status = warn_of_others(ctx, store);

	for (size_t i = 0; !status && i < sizeof names / sizeof *names; i++) {
		char *key = perun_format("hooks.%s", names[i]);
		struct perun_json *list = perun_json_array();
		struct perun_words commands = {0};

		status = perun_texts_read(ctx, store, key, &commands);
		for (size_t at = 0; !status && at < commands.count; at++)
			perun_json_append(list, perun_json_text(commands.items[at]));
		perun_json_set(hooks, names[i], list);
		perun_words_free(&commands);
		perun_free(key);
	}
	perun_json_set(document, "hooks", hooks);
	return status;
}

bool cells_hooks_fit(const struct perun_run_cells *cells)
{
	const struct perun_json *hooks = perun_json_get(cells->document, "hooks");
	bool fit = true;

	for (size_t i = 0; fit && i < sizeof names / sizeof *names; i++) {
		struct perun_words commands = {0};

		fit = read_commands(perun_json_get(hooks, names[i]), &commands);
		perun_words_free(&commands);
	}
	return fit;
}

int cells_hook(struct perun_ctx *ctx, const struct perun_run_cells *cells, const char *name,
	       const char *directory, const struct perun_json *facts)
{
	const struct perun_json *hooks = perun_json_get(cells->document, "hooks");
	const struct perun_hook hook = {sizeof hook, name, facts,       directory,
					-1,          NULL, {NULL, NULL}};
	struct perun_words commands = {0};
	int status = PERUN_OK;

	read_commands(perun_json_get(hooks, name), &commands);
	if (commands.count)
		status = perun_hook_commands(ctx, NULL, &hook, &commands);
	perun_words_free(&commands);
	return status;
}
