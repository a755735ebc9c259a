/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles that the words of a command name. */
#include <string.h>

#include <perun/lib/path.h>

#include "interleave-options.h"
#include "lookup.h"

struct perun_lookup *commands_lookup_new(const struct perun_command_call *call)
{
	const struct perun_lookup_options options = {
		.struct_size = sizeof options, .open = call->open_store, .data = call->host};

	return perun_lookup_new(&options);
}

struct perun_lookup *commands_lookup_read_as(struct perun_lookup *lookup,
					     const struct perun_options *given)
{
	const char **words = given ? commands_words(given, "format-option") : NULL;

	if (given)
		perun_lookup_read_as(lookup, perun_option_string(given, "from"), words);
	perun_free((void *)words);
	return lookup;
}

int commands_lookup_add(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *word)
{
	int status = perun_lookup_add(ctx, lookup, word, PERUN_PLACE_ANY);
	const char *const *paths;
	size_t count = perun_lookup_candidates(lookup, &paths);

	for (size_t i = 0; status && i < count; i++) {
		if (!perun_confirm(ctx, "No profile is called %s. Use %s?", word, paths[i]))
			continue;
		perun_ctx_clear(ctx);
		perun_lookup_add_file(lookup, paths[i]);
		status = PERUN_OK;
	}
	return status;
}

/* The pending profiles that were measured at a version: they say so themselves. */
static int add_pending_of(struct perun_ctx *ctx, const struct perun_command_call *call,
			  struct perun_lookup *lookup, const char *word)
{
	struct perun_entries pending = {0};
	struct perun_store *store;
	char *version = NULL;
	int status = perun_command_store(call, ctx, true, &store);

	if (!status)
		status = perun_lookup_version(ctx, store, word, &version);
	if (!status)
		status = perun_store_pending(ctx, store, &pending);
	for (size_t i = 0; !status && i < pending.count; i++) {
		const char *path = perun_entries_at(&pending, i)->path;
		struct perun_profile *profile;

		status = perun_store_load_pending(ctx, store, path, &profile);
		if (status)
			break;
		if (strcmp(perun_profile_text(profile, "/origin"), version) == 0)
			status = perun_lookup_add(ctx, lookup, path, PERUN_PLACE_PENDING);
		perun_profile_unref(profile);
	}
	perun_entries_free(&pending);
	perun_free(version);
	return status;
}

int commands_lookup_add_version(struct perun_ctx *ctx, const struct perun_command_call *call,
				struct perun_lookup *lookup, const char *word)
{
	size_t before = perun_lookup_count(lookup);
	int status = perun_lookup_add_version(ctx, lookup, word);

	if (!status && perun_lookup_count(lookup) == before)
		status = add_pending_of(ctx, call, lookup, word);
	if (!status && perun_lookup_count(lookup) == before)
		status = perun_fail(ctx, PERUN_INPUT,
				    "version %s has no profiles: measure it with perun run -m %s",
				    word, word);
	return status;
}

int commands_open_vcs(struct perun_ctx *ctx, const struct perun_command_call *call,
		      struct perun_store **store, struct perun_vcs **vcs)
{
	char *left = NULL;
	int status = perun_command_store(call, ctx, true, store);

	if (!status)
		status = perun_store_vcs(ctx, *store, vcs);
	if (!status)
		status = perun_vcs_recover(ctx, *vcs, true, &left);
	if (left)
		perun_warn(ctx, "%s; perun recover puts it right", left);
	perun_free(left);
	return status;
}

char *commands_template_of(const struct perun_profile *profile, const struct perun_place *place,
			   const char *given)
{
	char *name;

	if (given || place->kind != PERUN_PLACE_FILE || *perun_profile_text(profile, "/header/cmd"))
		return given ? perun_strdup(given) : NULL;
	name = perun_format("%s-%%date%%", perun_path_base_name(place->path));
	for (char *at = strchr(name, '%'); strcmp(at, "%date%") != 0; at = strchr(at, '%'))
		*at = '_';
	return name;
}
