/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether what a store's configuration names may be run. */
#include <config.h>

#include <string.h>

#include <perun/json.h>
#include <perun/lib/trust.h>

#include "cli/base/trust.h"

/* ---- what can run, as lines ------------------------------------------------------------------ */

/* Whether a text shows itself on a terminal. */
static bool is_plain(const char *text)
{
	for (; text && *text; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return text != NULL;
}

/* "key: value" on one line; what a terminal would hide is written as JSON has it. */
static void add_line(struct perun_words *lines, const char *key, const struct perun_json *value)
{
	const char *text = perun_json_as_string(value, NULL);
	struct perun_buffer line = {0};

	perun_buffer_printf(&line, "%s: ", key);
	if (is_plain(text))
		perun_buffer_add_text(&line, text);
	else
		perun_json_print(value, &line, PERUN_JSON_PYTHON, 0);
	perun_words_add(lines, line.data, line.length);
	perun_buffer_free(&line);
}

static void add_value(struct perun_words *lines, const char *key, const struct perun_json *value)
{
	enum perun_json_type type = perun_json_type(value);

	if (type != PERUN_JSON_TYPE_ARRAY && type != PERUN_JSON_TYPE_OBJECT)
		add_line(lines, key, value);
	for (size_t i = 0; type == PERUN_JSON_TYPE_ARRAY && i < perun_json_count(value); i++)
		add_line(lines, key, perun_json_at(value, i));
	for (size_t i = 0; type == PERUN_JSON_TYPE_OBJECT && i < perun_json_count(value); i++) {
		char *inner = perun_format("%s.%s", key, perun_json_key_at(value, i, NULL));

		add_value(lines, inner, perun_json_at(value, i));
		perun_free(inner);
	}
}

void cli_trust_lines(struct perun_words *lines, const struct perun_json *settings)
{
	for (size_t i = 0; i < perun_json_count(settings); i++)
		add_value(lines, perun_json_key_at(settings, i, NULL), perun_json_at(settings, i));
}

/* ---- for other commands ---------------------------------------------------------------------- */

bool cli_may_run(struct cli *cli, const char *key, const char *what)
{
	enum perun_trust state = PERUN_TRUST_NOTHING;
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	bool may = !cli->store || (key ? perun_trust_allows(quiet, cli->store, key)
				       : !perun_trust_state(quiet, cli->store, &state, NULL) &&
						   state != PERUN_TRUST_MISSING);

	/* A configuration that cannot be read is reported by whoever needs it. */
	if (!may && !perun_ctx_error(quiet) && cli->skipped != what)
		perun_warn(
			cli->ctx,
			"%s: you have not trusted %s/local.yml; 'perun trust' shows its commands "
			"and asks",
			what, perun_store_path(cli->store));
	cli->skipped = may ? cli->skipped : what;
	perun_ctx_free(quiet);
	return may;
}

void cli_trust_explain(struct cli *cli)
{
	struct perun_words lines = {0};
	struct perun_json *settings = NULL;
	enum perun_trust state;

	if (!perun_trust_refused(cli->store) ||
	    perun_trust_state(cli->ctx, cli->store, &state, &settings))
		return;
	cli_trust_lines(&lines, settings);
	perun_note(cli->ctx, "%s/local.yml would run:", perun_store_path(cli->store));
	for (size_t i = 0; i < lines.count; i++)
		perun_note(cli->ctx, "  %s", lines.items[i]);
	perun_words_free(&lines);
	perun_json_free(settings);
}
