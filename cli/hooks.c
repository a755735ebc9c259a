/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks: commands of the configuration that are run before and after things happen. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/facts.h"
#include "cli/hooks.h"
#include "cli/trust.h"
#include "cli/worktree.h"
#include "core/job/shell.h"

/* "PERUN_EXIT_STATUS=3" */
static char *variable(const char *key, const json_t *value)
{
	char *number = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
	const char *text = number ? number : json_string_value(value);
	char *name = perun_strdup(key), *line;

	for (char *c = name; *c; c++)
		*c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
	line = perun_format("PERUN_%s=%s", name, text ? text : "");
	perun_free(name);
	free(number);
	return line;
}

/* Its own copy of what it is told. */
static json_t *add_facts(struct cli *cli, const struct cli_hook *hook)
{
	json_t *facts = hook->facts ? json_copy(hook->facts) : json_object();

	json_object_set_new(facts, "hook", cli_fact_text(hook->name));
	json_object_set_new(facts, "store", cli_fact_text(perun_store_path(cli->store)));
	return facts;
}

static void fill_environment(json_t *facts, struct perun_words *environment)
{
	const char *key;
	json_t *value;

	json_object_foreach(facts, key, value)
	{
		if (json_is_string(value) || json_is_number(value) || json_is_boolean(value)) {
			char *line = variable(key, value);

			perun_words_add(environment, line, strlen(line));
			perun_free(line);
		}
	}
}

static int run_command(struct cli *cli, const struct cli_hook *hook, struct perun_shell *shell)
{
	int code, status;

	if (cli->verbose)
		perun_note(cli->ctx, "hook %s: running %s in %s", hook->name, shell->command,
			   shell->directory);
	status = perun_shell_run(cli->ctx, shell, &code);
	if (!status && code != 0)
		status = perun_fail(cli->ctx, PERUN_INPUT,
				    "the hook %s: '%s' failed (exit status %d)%s%s", hook->name,
				    shell->command, code,
				    hook->log >= 0 && hook->log_path ? "; its output is in " : "",
				    hook->log >= 0 && hook->log_path ? hook->log_path : "");
	return status;
}

int cli_hook_run(struct cli *cli, const struct cli_hook *hook)
{
	char *key = perun_format("hooks.%s", hook->name);
	struct perun_words commands = {0}, environment = {0};
	char *input = NULL, *here = NULL;
	json_t *facts;
	int status = cli_commands_read(cli, key, &commands);

	if (!status && commands.count) {
		facts = add_facts(cli, hook);
		input = json_dumps(facts, JSON_INDENT(1));
		fill_environment(facts, &environment);
		json_decref(facts);
		here = hook->directory ? perun_strdup(hook->directory) : cli_absolute_path(".");
	}
	for (size_t i = 0; !status && i < commands.count; i++) {
		struct perun_shell shell = {.command = commands.items[i],
					    .directory = here,
					    .log = hook->log,
					    .input = input,
					    .environment = (const char *const *)environment.items};

		status = run_command(cli, hook, &shell);
	}
	free(input);
	perun_free(here);
	perun_free(key);
	perun_words_free(&commands);
	perun_words_free(&environment);
	return status;
}

int cli_hooks_check(struct cli *cli, bool builds)
{
	static const char *const keys[] = {"hooks.pre_run", "hooks.pre_job", "hooks.post_job",
					   "hooks.post_run", "execute.pre_run"};
	const size_t count = sizeof keys / sizeof *keys - !builds;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++) {
		struct perun_words commands = {0};

		status = cli_commands_read(cli, keys[i], &commands);
		perun_words_free(&commands);
	}
	return status;
}

bool cli_hook_try(struct cli *cli, const struct cli_hook *hook)
{
	char *failure = perun_ctx_error(cli->ctx) ? perun_strdup(perun_ctx_error(cli->ctx)) : NULL;
	int before = perun_ctx_status(cli->ctx), status;

	/* What went wrong before is still to be told. */
	perun_ctx_clear(cli->ctx);
	status = cli_hook_run(cli, hook);
	if (status && status != PERUN_CANCELLED)
		perun_warn(cli->ctx, "%s", perun_ctx_error(cli->ctx));
	perun_ctx_clear(cli->ctx);
	if (failure)
		perun_fail(cli->ctx, before, "%s", failure);
	perun_free(failure);
	return status == PERUN_OK;
}

/* ---- on_degradation -------------------------------------------------------------------------- */

void cli_degradations_note(json_t **list, const struct perun_stored_change *change,
			   const char *minor)
{
	json_t *fact;

	if (!perun_result_fails(change->change.result))
		return;
	fact = cli_fact_change(&change->change, change->minor, change->command);
	if (*minor)
		json_object_set_new(fact, "minor_version", cli_fact_text(minor));
	*list = *list ? *list : json_array();
	json_array_append_new(*list, fact);
}

void cli_degradations_tell(struct cli *cli, json_t *list)
{
	struct cli_hook hook = {.name = "on_degradation", .log = -1};
	const char *version;

	if (list && cli->store &&
	    cli_may_run(cli, "hooks.on_degradation", "the hook on_degradation is skipped")) {
		version = json_string_value(
			json_object_get(json_array_get(list, 0), "minor_version"));
		hook.facts = json_object();
		json_object_set_new(hook.facts, "count",
				    json_integer((json_int_t)json_array_size(list)));
		if (version)
			json_object_set_new(hook.facts, "version", cli_fact_text(version));
		json_object_set(hook.facts, "changes", list);
		cli_hook_try(cli, &hook);
		json_decref(hook.facts);
	}
	json_decref(list);
}
