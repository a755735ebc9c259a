/* SPDX-License-Identifier: BSD-3-Clause */
/* The store of the current directory, its versions and its settings. */
#include <config.h>

#include <string.h>
#include <strings.h>

#include <perun/lib/lookup.h>
#include <perun/lib/settings.h>

#include "cli/base/trust.h"

static int apply_settings(struct cli *cli)
{
	int status = PERUN_OK;

	for (const char *const *setting = cli->settings; !status && setting && *setting;
	     setting++) {
		const char *equals = strchr(*setting, '=');
		char *key = perun_strndup(*setting, (size_t)(equals - *setting));

		status = perun_setting_check(cli->ctx, key, equals + 1);
		if (!status)
			status = perun_config_set_runtime(cli->ctx, cli->store, key, equals + 1);
		perun_free(key);
	}
	return status;
}

int cli_find_store(struct cli *cli)
{
	int status;

	if (cli->store || cli->store_sought)
		return PERUN_OK;
	status = perun_store_find(cli->ctx, NULL, &cli->store);
	if (status) {
		/* Another user's, for one: what needs no store goes on without. */
		perun_warn(cli->ctx, "%s", perun_ctx_error(cli->ctx));
		perun_ctx_clear(cli->ctx);
	}
	cli->store_sought = true;
	return apply_settings(cli);
}

int cli_open_store(struct cli *cli)
{
	int status;

	if (cli->store)
		return PERUN_OK;
	status = perun_store_open(cli->ctx, NULL, &cli->store);
	return status ? status : apply_settings(cli);
}

int cli_open_vcs(struct cli *cli, struct perun_vcs **vcs)
{
	char *left = NULL;
	int status = cli_open_store(cli);

	if (!status)
		status = perun_store_vcs(cli->ctx, cli->store, vcs);
	if (!status)
		status = perun_vcs_recover(cli->ctx, *vcs, true, &left);
	if (left)
		perun_warn(cli->ctx, "%s; perun recover puts it right", left);
	perun_free(left);
	return status;
}

int cli_minor(struct cli *cli, const char *revision, char **checksum)
{
	int status = cli_open_store(cli);

	*checksum = NULL;
	return status ? status : perun_lookup_version(cli->ctx, cli->store, revision, checksum);
}

char *cli_setting(struct cli *cli, const char *key)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	char *value = NULL;

	if (perun_config_get(quiet, cli->store, PERUN_CONFIG_NEAREST, key, &value))
		value = NULL;
	perun_ctx_free(quiet);
	return value;
}

char *cli_layout(struct cli *cli, const char *key)
{
	char *value = cli_setting(cli, key);

	if (value && strcmp(value, perun_setting_find(key)->default_value) == 0) {
		perun_free(value);
		value = NULL;
	}
	return value;
}

bool cli_is_yes(const char *text)
{
	return strcasecmp(text, "true") == 0 || strcasecmp(text, "yes") == 0 ||
	       strcasecmp(text, "on") == 0 || strcmp(text, "1") == 0;
}

bool cli_setting_is_true(struct cli *cli, const char *key)
{
	char *value = cli_setting(cli, key);
	bool is = value && cli_is_yes(value);

	perun_free(value);
	return is;
}
