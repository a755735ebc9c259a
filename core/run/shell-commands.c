/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands of the configuration that the shell runs, and where their output goes. */
#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/json.h>
#include <perun/lib/path.h>

#include "core/run/shell-commands.h"

/* Nothing at all is a list of none. */
static bool is_list(const struct perun_json *setting)
{
	enum perun_json_type type = perun_json_type(setting);

	return !setting || type == PERUN_JSON_TYPE_NULL || type == PERUN_JSON_TYPE_ARRAY;
}

int perun_texts_read(struct perun_ctx *ctx, struct perun_store *store, const char *key,
		     struct perun_words *texts)
{
	struct perun_json *setting = NULL;
	const char *text;
	int status = perun_config_document(ctx, store, PERUN_CONFIG_NEAREST, key, &setting);

	text = status ? NULL : perun_json_as_string(setting, NULL);
	if (text)
		perun_words_add(texts, text, strlen(text));
	else if (!status && !is_list(setting))
		status = perun_fail(ctx, PERUN_INPUT,
				    "the setting %s is not a text; put it in quotes", key);
	for (size_t i = 0; !status && i < perun_json_count(setting); i++) {
		text = perun_json_as_string(perun_json_at(setting, i), NULL);
		if (text)
			perun_words_add(texts, text, strlen(text));
		else
			status = perun_fail(ctx, PERUN_INPUT,
					    "the setting %s: entry %zu is not a text; put it in "
					    "quotes",
					    key, i + 1);
	}
	perun_json_free(setting);
	return status;
}

int perun_run_shell(struct perun_ctx *ctx, const struct perun_run_listener *listener,
		    const char *hook, const struct perun_shell *shell, int *code)
{
	perun_run_notify(listener, (struct perun_run_event){.kind = PERUN_RUN_SHELL,
							    .hook = hook,
							    .command = shell->command,
							    .path = shell->directory});
	return perun_shell_run(ctx, shell, code);
}

int perun_prepare(struct perun_ctx *ctx, const struct perun_words *commands,
		  const struct perun_preparation *place, bool *failed)
{
	int status = PERUN_OK;

	*failed = false;
	for (size_t i = 0; !status && i < commands->count; i++) {
		struct perun_shell shell = {.command = commands->items[i],
					    .directory = place->directory,
					    .log = place->log};
		int code;

		status = perun_run_shell(ctx, &place->listener, NULL, &shell, &code);
		if (status || code == 0)
			continue;
		*failed = true;
		status = perun_fail(ctx, PERUN_INPUT,
				    "'%s' failed (exit status %d) at version %.8s; its output is "
				    "in %s",
				    shell.command, code, place->version, place->log_path);
	}
	return status;
}

int perun_log_open(struct perun_store *store, const char *version, const char *name, char **path)
{
	*path = perun_format("%s/logs/%s-%s.log", perun_store_path(store), version, name);
	/* A new file: the old one may have another name elsewhere. */
	perun_path_unlink(*path);
	return perun_path_open(*path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666);
}

char *perun_current_directory(void)
{
	char *real = realpath(".", NULL), *text = perun_strdup(real ? real : "/");

	free(real);
	return text;
}
