/* SPDX-License-Identifier: BSD-3-Clause */
/* Which settings of a store can run something, and whether the user trusts them. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <perun/lib/advice.h>
#include <perun/lib/trust.h>

#include "core/config/config.h"
#include "core/config/trust-record.h"

#include "core/store/store.h"

/*
 * All keys whose values can make Perun run something: a program, its arguments, or git in a repository with a
 * configuration of its own. A new one is one line here; nothing else is to be done for it.
 */
static const char *const executing[] = {
	"args",                             /* of the programs: "-c 'rm -r ~'" */
	"cmds",                             /* programs to measure */
	"collectors",                       /* how; their options name programs, too */
	"degradation.collect_before_check", /* runs all of the above */
	"execute",                          /* pre_run: how to build */
	"executors",                        /* launch: a program before those to measure */
	"general.editor",
	"generators", /* external_generator, and arguments of programs */
	"hooks",
	"parameters", /* parts of commands and arguments */
	"postprocessors",
	"vcs.options", /* of a plugin, which may run a program that they name */
	"vcs.url",     /* a relative one that leads out of the repository */
	"workloads"};
#define EXECUTING_COUNT (sizeof executing / sizeof *executing)

/* "hooks" holds "hooks.pre_run", "general" has "general.editor". */
static bool is_part(const char *key, const char *of)
{
	size_t length = strlen(of);

	return strncmp(key, of, length) == 0 && (key[length] == '\0' || key[length] == '.');
}

/* ---- what can run ---------------------------------------------------------------------------- */

static bool is_empty(const struct perun_json *value)
{
	enum perun_json_type type = perun_json_type(value);
	bool on;

	if (perun_json_as_bool(value, &on))
		return !on;
	return type == PERUN_JSON_TYPE_NULL ||
	       ((type == PERUN_JSON_TYPE_ARRAY || type == PERUN_JSON_TYPE_OBJECT) &&
		perun_json_count(value) == 0);
}

static struct perun_json *find_settings(struct perun_store *store, const struct perun_json *local)
{
	struct perun_json *settings = perun_json_object();

	for (size_t i = 0; i < EXECUTING_COUNT; i++) {
		const struct perun_json *value = perun_config_lookup(local, executing[i]);

		if (!value || is_empty(value))
			continue;
		if (strcmp(executing[i], "vcs.url") == 0 && !perun_store_url_leaves(store, local))
			continue;
		perun_json_set(settings, executing[i], perun_json_clone(value));
	}
	return settings;
}

static bool variable_is_yes(void)
{
	const char *value = getenv("PERUN_TRUST");

	return value && (strcasecmp(value, "yes") == 0 || strcasecmp(value, "true") == 0 ||
			 strcmp(value, "1") == 0);
}

/* The settings and what is recorded of them; kept until the file is read again. */
static int find_state(struct perun_ctx *ctx, struct perun_store *store)
{
	struct perun_settings *settings = store->settings;
	const struct perun_json *local;
	int status = perun_config_local(ctx, store, &local);

	if (status || settings->executing)
		return status;
	settings->executing = find_settings(store, local);
	if (perun_json_count(settings->executing) == 0)
		settings->trust = PERUN_TRUST_NOTHING;
	else if (perun_trust_is_recorded(store->path, settings->executing))
		settings->trust = PERUN_TRUST_GIVEN;
	else
		settings->trust = variable_is_yes() ? PERUN_TRUST_VARIABLE : PERUN_TRUST_MISSING;
	return PERUN_OK;
}

int perun_trust_state(struct perun_ctx *ctx, struct perun_store *store, enum perun_trust *state,
		      struct perun_json **settings)
{
	int status = find_state(ctx, store);

	*state = status ? PERUN_TRUST_MISSING : (enum perun_trust)store->settings->trust;
	if (settings)
		*settings = status ? NULL : perun_json_clone(store->settings->executing);
	return status;
}

/* ---- may it run? ----------------------------------------------------------------------------- */

static bool can_run(const char *key)
{
	for (size_t i = 0; i < EXECUTING_COUNT; i++) {
		if (is_part(key, executing[i]) || is_part(executing[i], key))
			return true;
	}
	return false;
}

/* `*allowed` for what local.yml has under the key. */
static int judge(struct perun_ctx *ctx, struct perun_store *store, const char *key, bool *allowed)
{
	const struct perun_settings *settings = store->settings;
	int status = find_state(ctx, store);

	*allowed = !status;
	if (status || settings->trust != PERUN_TRUST_MISSING)
		return status;
	for (size_t i = 0; i < perun_json_count(settings->executing); i++) {
		const char *untrusted = perun_json_key_at(settings->executing, i, NULL);

		if (is_part(untrusted, key) ||
		    (is_part(key, untrusted) && perun_config_lookup(settings->local, key)))
			*allowed = false;
	}
	return PERUN_OK;
}

bool perun_trust_allows(struct perun_ctx *ctx, struct perun_store *store, const char *key)
{
	bool allowed = true;

	if (store && can_run(key))
		judge(ctx, store, key, &allowed);
	return allowed;
}

int perun_trust_require(struct perun_ctx *ctx, struct perun_store *store, const char *key)
{
	bool allowed = true;
	int status = can_run(key) ? judge(ctx, store, key, &allowed) : PERUN_OK;

	if (status || allowed)
		return status;
	store->settings->refused = true;
	return perun_fail(ctx, PERUN_INPUT,
			  "%s of %s/" PERUN_LOCAL_CONFIG
			  " is not used: you have not trusted this configuration, which can run "
			  "commands%s",
			  key, store->path, perun_advice(PERUN_ADVICE_TRUST));
}

bool perun_trust_refused(const struct perun_store *store)
{
	return store && store->settings->refused;
}

/* ---- recording ------------------------------------------------------------------------------- */

int perun_trust_record(struct perun_ctx *ctx, const struct perun_store *store,
		       const struct perun_json *settings)
{
	int status = perun_trust_write(ctx, store->path, settings);

	perun_settings_forget(store->settings);
	return status;
}

int perun_trust_revoke(struct perun_ctx *ctx, const struct perun_store *store, bool *was)
{
	int status = perun_trust_remove(ctx, store->path, was);

	perun_settings_forget(store->settings);
	return status;
}

/* ---- what the user writes -------------------------------------------------------------------- */

bool perun_trust_may_follow(struct perun_store *store)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	enum perun_trust state;
	bool may;

	/* That of the run is not for good: PERUN_TRUST_VARIABLE does not count. */
	may = !perun_trust_state(quiet, store, &state, NULL) &&
	      (state == PERUN_TRUST_NOTHING || state == PERUN_TRUST_GIVEN);
	perun_ctx_free(quiet);
	return may;
}

void perun_trust_follow(struct perun_ctx *ctx, struct perun_store *store, bool may)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *settings = NULL;
	enum perun_trust state;
	int status;

	perun_settings_forget(store->settings);
	/* A configuration that cannot be read is reported by whoever uses it. */
	status = perun_trust_state(quiet, store, &state, &settings);
	if (status || state == PERUN_TRUST_NOTHING || state == PERUN_TRUST_GIVEN)
		status = PERUN_OK;
	else if (may && !perun_store_is_tracked(store))
		status = perun_trust_record(quiet, store, settings);
	else if (state == PERUN_TRUST_MISSING)
		perun_note(ctx,
			   "%s/" PERUN_LOCAL_CONFIG " has commands that you have not trusted%s",
			   store->path, perun_advice(PERUN_ADVICE_TRUST));
	if (status)
		perun_warn(ctx, "%s", perun_ctx_error(quiet));
	/* The file is read at the first use, which this was not. */
	perun_settings_forget(store->settings);
	perun_json_free(settings);
	perun_ctx_free(quiet);
}
