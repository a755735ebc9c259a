/* SPDX-License-Identifier: BSD-3-Clause */
/* A format plugin at work: its options from K=V texts, its instance. */
#include <string.h>

#include "core/format/session.h"
#include "core/registry/guard.h"

static bool is_word(const char *text, const char *words)
{
	size_t length = strlen(text);
	const char *found;

	for (found = strstr(words, text); found; found = strstr(found + 1, text)) {
		if ((found == words || found[-1] == ' ') &&
		    (found[length] == ' ' || !found[length]))
			return true;
	}
	return false;
}

static const struct perun_option *find_option(const struct perun_plugin *plugin, const char *name,
					      size_t length)
{
	const char *at = (const char *)plugin->options;

	for (; at && ((const struct perun_option *)at)->name; at += plugin->option_size) {
		const struct perun_option *option = (const struct perun_option *)at;

		if (strncmp(option->name, name, length) == 0 && !option->name[length])
			return option;
	}
	return NULL;
}

/* "stored=yes" as the word of a command line, "--stored"; NULL when it says nothing. */
static int to_word(struct perun_ctx *ctx, const struct perun_plugin *plugin, const char *text,
		   char **word)
{
	size_t length = strcspn(text, "=");
	const char *value = text[length] ? text + length + 1 : "yes";
	const struct perun_option *option = find_option(plugin, text, length);

	*word = NULL;
	if (!option || option->type != PERUN_OPTION_FLAG) {
		*word = perun_format("--%s", text);
		return PERUN_OK;
	}
	if (*value && is_word(value, "yes true on 1"))
		*word = perun_format("--%s", option->name);
	else if (!*value || !is_word(value, "no false off 0"))
		return perun_fail(ctx, PERUN_USAGE, "option %s of format %s: expected yes or no",
				  option->name, plugin->name);
	else if (option->flags & PERUN_OPTION_NEGATABLE)
		*word = perun_format("--no-%s", option->name);
	return PERUN_OK;
}

static int parse_options(struct perun_ctx *ctx, const char *const *texts,
			 struct perun_format_session *session)
{
	const struct perun_plugin *plugin = session->plugin;
	struct perun_option_table table = {plugin->options, plugin->option_size};
	size_t count = 0, used = 0;
	char **words;
	int status = PERUN_OK;

	while (texts && texts[count])
		count++;
	words = perun_alloc_zero(count + 1, sizeof *words);
	for (size_t i = 0; i < count && !status; i++) {
		status = to_word(ctx, plugin, texts[i], &words[used]);
		used += words[used] != NULL;
	}
	if (!status)
		status = perun_options_parse(ctx, &table, 1, (const char *const *)words, 0,
					     &session->options, NULL);
	for (size_t i = 0; i < used; i++)
		perun_free(words[i]);
	perun_free(words);
	if (status)
		perun_fail(ctx, PERUN_OK, "format %s", plugin->name);
	return status;
}

int perun_format_session_begin(struct perun_ctx *ctx, const char *format,
			       const char *const *format_options,
			       struct perun_format_session *session)
{
	int status;

	*session = (struct perun_format_session){0};
	status = perun_registry_load(ctx, PERUN_KIND_FORMAT, format, &session->plugin);
	if (status)
		return status;
	perun_plugin_ops(session->plugin, &session->ops, sizeof session->ops);
	status = parse_options(ctx, format_options, session);
	if (status)
		return status;
	if (session->ops.open)
		status = PERUN_PLUGIN_CALL(
			ctx, session->plugin,
			session->ops.open(ctx, session->options, NULL, &session->instance));
	session->open = !status;
	return status;
}

void perun_format_session_end(struct perun_format_session *session)
{
	if (session->open && session->ops.close)
		PERUN_PLUGIN_CALL_VOID(session->plugin, session->ops.close(session->instance));
	perun_options_free(session->options);
	*session = (struct perun_format_session){0};
}
