/* SPDX-License-Identifier: BSD-3-Clause */
/* The hook on_degradation, which commands run that find one. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "cli/print/json.h"
#include "cli/commands/hooks.h"
#include "cli/print/measure.h"
#include "cli/base/trust.h"

void cli_degradations_note(struct perun_json **list, const struct perun_stored_change *change,
			   const char *minor)
{
	struct perun_json *fact;

	if (!perun_result_fails(change->change->result))
		return;
	fact = cli_json_change(change->change, change->minor, change->command);
	if (*minor)
		perun_json_set(fact, "minor_version", cli_json_text(minor));
	*list = *list ? *list : perun_json_array();
	perun_json_append(*list, fact);
}

void cli_degradations_report(struct cli *cli, struct perun_json *list)
{
	struct perun_hook hook = {.struct_size = sizeof hook,
				  .name = "on_degradation",
				  .log = -1,
				  .listener = {cli_run_event, cli}};
	const char *version;

	if (list && cli->store &&
	    cli_may_run(cli, "hooks.on_degradation", "the hook on_degradation is skipped")) {
		struct perun_json *facts = perun_json_object();

		version = perun_json_as_string(
			perun_json_get(perun_json_at(list, 0), "minor_version"), NULL);
		perun_json_set(facts, "count", perun_json_int64((int64_t)perun_json_count(list)));
		if (version)
			perun_json_set(facts, "version", perun_json_text(version));
		perun_json_set(facts, "changes", list);
		hook.facts = facts;
		perun_hook_try(cli->ctx, cli->store, &hook);
		perun_json_free(facts);
	} else {
		perun_json_free(list);
	}
}
