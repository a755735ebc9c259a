/* SPDX-License-Identifier: BSD-3-Clause */
/* The hook on_degradation, which commands run that find one. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <perun/json.h>

#include "cli/print/json.h"
#include "cli/commands/hooks.h"
#include "cli/print/measure.h"
#include "cli/base/trust.h"

void cli_degradations_note(json_t **list, const struct perun_stored_change *change,
			   const char *minor)
{
	json_t *fact;

	if (!perun_result_fails(change->change->result))
		return;
	fact = cli_json_change(change->change, change->minor, change->command);
	if (*minor)
		json_object_set_new(fact, "minor_version", cli_json_text(minor));
	*list = *list ? *list : json_array();
	json_array_append_new(*list, fact);
}

/* For the library. */
static struct perun_json *to_document(json_t *facts)
{
	char *text = json_dumps(facts, JSON_ENCODE_ANY);
	struct perun_json *document = NULL;

	perun_json_parse(NULL, text, strlen(text), NULL, &document);
	free(text);
	return document;
}

void cli_degradations_report(struct cli *cli, json_t *list)
{
	struct perun_hook hook = {.struct_size = sizeof hook,
				  .name = "on_degradation",
				  .log = -1,
				  .listener = {cli_run_event, cli}};
	const char *version;

	if (list && cli->store &&
	    cli_may_run(cli, "hooks.on_degradation", "the hook on_degradation is skipped")) {
		struct perun_json *facts = perun_json_object();

		version = json_string_value(
			json_object_get(json_array_get(list, 0), "minor_version"));
		perun_json_set(facts, "count", perun_json_int64((int64_t)json_array_size(list)));
		if (version)
			perun_json_set(facts, "version", perun_json_text(version));
		perun_json_set(facts, "changes", to_document(list));
		hook.facts = facts;
		perun_hook_try(cli->ctx, cli->store, &hook);
		perun_json_free(facts);
	}
	json_decref(list);
}
