/* SPDX-License-Identifier: BSD-3-Clause */
/* perun changes: acknowledge changes of performance, and list what was acknowledged. */
#include <config.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <perun/json.h>
#include <perun/lib/history.h>
#include <perun/lib/lookup.h>

#include "cli/commands/commands.h"
#include "cli/print/json.h"

const struct perun_option cli_changes_ack_options[] = {
	{.name = "revision",
	 .metavar = "REV",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .help = "the version that the change is reported at"},
	{.name = "metric",
	 .metavar = "METRIC",
	 .type = PERUN_OPTION_STRING,
	 .help = "only changes of this metric"},
	{.name = "location",
	 .metavar = "UID",
	 .type = PERUN_OPTION_STRING,
	 .help = "only changes of this function"},
	{.name = "reason",
	 .metavar = "TEXT",
	 .type = PERUN_OPTION_STRING,
	 .help = "why it is fine"},
	{.name = "undo", .help = "take the acknowledgement back"},
	{.name = "json", .help = "print JSON"},
	{0}};

const struct perun_option cli_changes_list_options[] = {{.name = "json", .help = "print JSON"},
							{0}};

static const char *given(const struct cli_call *call, const char *name)
{
	const char *text = perun_option_string(call->options, name);

	return text ? text : "";
}

struct edit {
	const struct cli_call *call;
	const struct perun_minor_version *version;
	bool undo, found;
};

static bool same(const struct perun_json *item, const char *key, const char *text)
{
	const char *other = perun_json_as_string(perun_json_get(item, key), NULL);

	return strcmp(other ? other : "", text) == 0;
}

static int edit_list(void *data, struct perun_ctx *ctx, struct perun_json *list)
{
	struct edit *edit = data;
	struct perun_json *item;

	for (size_t i = perun_json_count(list); i-- > 0;) {
		item = perun_json_at(list, i);
		if (perun_acknowledgement_is(item, edit->version) &&
		    same(item, "metric", given(edit->call, "metric")) &&
		    same(item, "location", given(edit->call, "location"))) {
			perun_json_remove_at(list, i);
			edit->found = true;
		}
	}
	if (edit->undo) {
		if (!edit->found)
			return perun_fail(ctx, PERUN_USAGE,
					  "no such acknowledgement of %.8s; see perun changes list",
					  edit->version->checksum);
		return PERUN_OK;
	}
	item = perun_json_object();
	perun_acknowledgement_name(item, edit->version);
	perun_json_set(item, "metric", perun_json_text(given(edit->call, "metric")));
	perun_json_set(item, "location", perun_json_text(given(edit->call, "location")));
	perun_json_set(item, "reason", perun_json_text(given(edit->call, "reason")));
	perun_json_set(item, "time", perun_json_int64(time(NULL)));
	perun_json_append(list, item);
	return PERUN_OK;
}

static void print_list(struct cli *cli, const struct perun_json *list, bool json)
{
	if (json) {
		struct perun_json *document = perun_json_object();

		perun_json_set(document, "acknowledged", perun_json_clone(list));
		cli_print_facts(document);
		return;
	}
	if (perun_json_count(list) == 0)
		puts("no change is acknowledged");
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *item = perun_json_at(list, i);
		static const char *const keys[] = {"metric", "location", "reason"};
		const char *version = perun_json_as_string(perun_json_get(item, "version"), NULL);

		printf("%s%.8s%s", cli_color(cli, CLI_YELLOW), version ? version : "",
		       cli_color_end(cli));
		for (size_t k = 0; k < 3; k++) {
			const char *text =
				perun_json_as_string(perun_json_get(item, keys[k]), NULL);

			if (text && *text) {
				fputs(k == 2 ? ": " : " ", stdout);
				cli_print_safe(text);
			}
		}
		putchar('\n');
	}
}

int cli_changes_list(struct cli *cli, const struct cli_call *call)
{
	struct perun_json *list = NULL;
	int status = cli_open_store(cli);

	if (!status)
		status = perun_store_document(cli->ctx, cli->store, PERUN_ACKNOWLEDGED, &list);
	if (!status)
		print_list(cli, list, perun_option_flag(call->options, "json"));
	perun_json_free(list);
	return status;
}

int cli_changes_ack(struct cli *cli, const struct cli_call *call)
{
	struct edit edit = {.call = call, .undo = perun_option_flag(call->options, "undo")};
	struct perun_minor_version *version = NULL;
	char *checksum = NULL;
	struct perun_vcs *vcs;
	int status = cli_open_store(cli);

	if (!status)
		status = cli_open_vcs(cli, &vcs);
	if (!status)
		status = cli_minor(cli, given(call, "revision"), &checksum);
	if (!status)
		status = perun_lookup_version_info(cli->ctx, vcs, checksum, &version);
	if (!status) {
		edit.version = version;
		status = perun_store_edit_document(cli->ctx, cli->store, PERUN_ACKNOWLEDGED,
						   edit_list, &edit);
	}
	if (!status && perun_option_flag(call->options, "json"))
		status = cli_changes_list(cli, call);
	perun_minor_version_free(version);
	perun_free(checksum);
	return status;
}
