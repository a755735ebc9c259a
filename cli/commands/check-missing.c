/* SPDX-License-Identifier: BSD-3-Clause */
/* perun check -c: what versions lack is measured first. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "cli/commands/check-run.h"
#include "cli/print/measure.h"
#include "cli/base/trust.h"

static int args_of(struct cli *cli, const struct perun_entry *entry, char **args)
{
	struct perun_profile *profile;
	int status;

	if (entry->args && *entry->args) {
		*args = perun_strdup(entry->args);
		return PERUN_OK;
	}
	status = perun_store_load(cli->ctx, cli->store, entry->checksum, &profile);
	if (status)
		return status;
	*args = perun_strdup(perun_profile_text(profile, "/header/args"));
	perun_profile_unref(profile);
	return PERUN_OK;
}

struct registered {
	struct cli *cli;
	struct perun_entries entries;
};

static int has_profile(void *data, const char *cmd, const char *args, const char *workload,
		       const char *collector, bool *has)
{
	struct registered *registered = data;
	int status = PERUN_OK;

	for (size_t i = 0; !status && !*has && i < registered->entries.count; i++) {
		const struct perun_entry *entry = perun_entries_at(&registered->entries, i);
		char *text = NULL;

		if (strcmp(entry->cmd, cmd) != 0 || strcmp(entry->workload, workload) != 0 ||
		    !cli_same_name(entry->collector, collector))
			continue;
		status = args_of(registered->cli, entry, &text);
		*has = !status && strcmp(text, args) == 0;
		perun_free(text);
	}
	return status;
}

/* The setting, whether it is trusted or not. */
static bool is_configured(struct cli *cli)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *value = NULL;
	const char *text;
	bool is = false;

	if (!perun_config_inspect(quiet, cli->store, PERUN_CONFIG_NEAREST,
				  "degradation.collect_before_check", &value) &&
	    !perun_json_as_bool(value, &is)) {
		text = perun_json_as_string(value, NULL);
		is = text && cli_is_yes(text);
	}
	perun_json_free(value);
	perun_ctx_free(quiet);
	return is;
}

bool cli_check_measures(struct cli *cli, const struct cli_call *call)
{
	return (cli_flag(call, "compute-missing") || is_configured(cli)) &&
	       cli_may_run(cli, NULL, "versions without profiles are not measured");
}

int cli_check_missing(struct cli *cli, const char *minor, size_t *unmeasured)
{
	struct registered registered = {.cli = cli};
	int status = PERUN_OK;

	if (perun_store_has_index(cli->ctx, cli->store, minor))
		status = perun_store_entries(cli->ctx, cli->store, minor, &registered.entries);
	if (!status)
		status = cli_measure_missing(cli, minor, has_profile, &registered);
	if (status == PERUN_INPUT && !cli_interrupted()) {
		perun_warn(cli->ctx, "%s", perun_ctx_error(cli->ctx));
		perun_ctx_clear(cli->ctx);
		++*unmeasured;
		status = PERUN_OK;
	}
	perun_entries_free(&registered.entries);
	return status;
}
