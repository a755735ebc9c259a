/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks: commands of the configuration that are run before and after things happen. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include <perun/json.h>

#include "core/run/run.h"

/* "PERUN_EXIT_STATUS=3" */
static void add_variable(const char *key, const struct perun_json *value,
			 struct perun_words *environment)
{
	const char *text = perun_json_as_string(value, NULL);
	struct perun_buffer line = {0};

	perun_buffer_add_text(&line, "PERUN_");
	for (const char *c = key; *c; c++)
		perun_buffer_add_char(
			&line, isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_');
	perun_buffer_add_char(&line, '=');
	if (text)
		perun_buffer_add_text(&line, text);
	else
		perun_json_print(value, &line, PERUN_JSON_PYTHON, 0);
	perun_words_add(environment, line.data, line.length);
	perun_buffer_free(&line);
}

static void add_variables(const struct perun_json *facts, struct perun_words *environment)
{
	for (size_t i = 0; i < perun_json_count(facts); i++) {
		const struct perun_json *value = perun_json_at(facts, i);
		enum perun_json_type type = perun_json_type(value);

		if (type != PERUN_JSON_TYPE_ARRAY && type != PERUN_JSON_TYPE_OBJECT &&
		    type != PERUN_JSON_TYPE_NULL)
			add_variable(perun_json_key_at(facts, i, NULL), value, environment);
	}
}

/* What a hook is given: as variables, and as JSON, which is the caller's. */
static char *describe(const struct perun_store *store, const struct perun_hook *hook,
		      struct perun_words *environment)
{
	struct perun_json *facts =
		hook->facts ? perun_json_clone(hook->facts) : perun_json_object();
	struct perun_buffer text = {0};

	perun_json_set(facts, "hook", perun_json_text(hook->name));
	if (store)
		perun_json_set(facts, "store", perun_json_text(perun_store_path(store)));
	add_variables(facts, environment);
	perun_json_print(facts, &text, PERUN_JSON_INDENTED, 1);
	perun_json_free(facts);
	return perun_buffer_take(&text);
}

static int run_command(struct perun_ctx *ctx, const struct perun_hook *hook,
		       const struct perun_shell *shell)
{
	bool logged = hook->log >= 0 && hook->log_path;
	int code, status = perun_run_shell(ctx, &hook->listener, hook->name, shell, &code);

	if (!status && code != 0)
		status = perun_fail(ctx, PERUN_INPUT,
				    "the hook %s: '%s' failed (exit status %d)%s%s", hook->name,
				    shell->command, code, logged ? "; its output is in " : "",
				    logged ? hook->log_path : "");
	return status;
}

int perun_hook_commands(struct perun_ctx *ctx, const struct perun_store *store,
			const struct perun_hook *hook, const struct perun_words *commands)
{
	char *input = NULL, *here = NULL;
	struct perun_words environment = {0};
	int status = PERUN_OK;

	if (commands->count) {
		input = describe(store, hook, &environment);
		here = hook->directory ? perun_strdup(hook->directory) : perun_current_directory();
	}
	for (size_t i = 0; !status && i < commands->count; i++) {
		struct perun_shell shell = {.command = commands->items[i],
					    .directory = here,
					    .log = hook->log,
					    .input = input,
					    .environment = (const char *const *)environment.items};

		status = run_command(ctx, hook, &shell);
	}
	perun_free(input);
	perun_free(here);
	perun_words_free(&environment);
	return status;
}

int perun_hook_run(struct perun_ctx *ctx, struct perun_store *store, const struct perun_hook *hook)
{
	char *key = perun_format("hooks.%s", hook->name);
	struct perun_words commands = {0};
	int status = perun_texts_read(ctx, store, key, &commands);

	if (!status)
		status = perun_hook_commands(ctx, store, hook, &commands);
	perun_free(key);
	perun_words_free(&commands);
	return status;
}

/* Those commands, or where they are NULL the configured ones. What went wrong before is still to be reported. */
static bool only_warn(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_hook *hook, const struct perun_words *commands)
{
	char *failure = perun_strdup(perun_ctx_error(ctx));
	int before = perun_ctx_status(ctx), status;

	perun_ctx_clear(ctx);
	status = commands ? perun_hook_commands(ctx, store, hook, commands)
			  : perun_hook_run(ctx, store, hook);
	if (status && status != PERUN_CANCELLED)
		perun_warn(ctx, "%s", perun_ctx_error(ctx));
	perun_ctx_clear(ctx);
	if (failure)
		perun_fail(ctx, before, "%s", failure);
	perun_free(failure);
	return status == PERUN_OK;
}

bool perun_hook_try(struct perun_ctx *ctx, struct perun_store *store, const struct perun_hook *hook)
{
	return only_warn(ctx, store, hook, NULL);
}

bool perun_hook_commands_try(struct perun_ctx *ctx, struct perun_store *store,
			     const struct perun_hook *hook, const struct perun_words *commands)
{
	return only_warn(ctx, store, hook, commands);
}
