/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for the addresses of profiles. */
#include <string.h>

#include <perun/json.h>
#include <perun/lib/program.h>
#include <perun/lib/registry.h>
#include <perun/postprocess.h>

#include "commands/common/symbolize.h"

static const char symbolizer[] = "symbolize";

/* "0x4f2a" in the place of a name is none. */
static bool is_named(const struct perun_profile *profile, const struct perun_location *location)
{
	for (uint32_t i = 0; i < location->line_count; i++) {
		perun_id function = location->lines[i].function;
		const char *name =
			function == PERUN_NO_ID
				? ""
				: perun_profile_string(
					  profile, perun_profile_function(profile, function)->name,
					  NULL);

		if (*name && strncmp(name, "0x", 2) != 0)
			return true;
	}
	return false;
}

size_t commands_count_unnamed(const struct perun_profile *profile)
{
	size_t count = perun_profile_locations(profile), unnamed = 0;

	for (size_t i = 0; i < count; i++) {
		struct perun_location_room room;
		const struct perun_location *location =
			perun_profile_location_in(profile, (perun_id)i, &room);

		unnamed += location->address && !is_named(profile, location);
	}
	return unnamed;
}

bool commands_can_symbolize(void)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	const struct perun_plugin *plugin;
	bool installed = !perun_registry_load(ctx, PERUN_KIND_POSTPROCESS, symbolizer, &plugin);

	perun_ctx_free(ctx);
	return installed;
}

static void add_option(struct perun_words *words, const char *name, const char *value)
{
	char *option = perun_format("--%s", name);

	perun_words_add(words, option, strlen(option));
	perun_free(option);
	if (value)
		perun_words_add(words, value, strlen(value));
}

int commands_symbolize(struct perun_ctx *ctx, const struct commands_symbolizing *how,
		       struct perun_profile **profile)
{
	struct perun_words words = {0};
	struct perun_profile *named = NULL;
	int status;

	for (size_t i = 0; i < how->binary_count; i++)
		add_option(&words, "binary", how->binaries[i]);
	add_option(&words, "demangle", how->demangle ? how->demangle : "full");
	if (how->force)
		add_option(&words, "force", NULL);
	if (how->rename)
		add_option(&words, "rename", NULL);
	if (how->locate)
		add_option(&words, "locate", NULL);
	if (how->quiet)
		add_option(&words, "quiet", NULL);
	status = perun_postprocess(ctx, *profile, symbolizer, NULL,
				   (const char *const *)words.items, &named);
	perun_words_free(&words);
	if (status)
		return status;
	perun_profile_unref(*profile);
	*profile = named;
	return PERUN_OK;
}

int commands_symbolize_for_view(struct perun_ctx *ctx, struct perun_profile **profile)
{
	struct commands_symbolizing how = {.quiet = true};

	if (!commands_count_unnamed(*profile) || !commands_can_symbolize())
		return PERUN_OK;
	return commands_symbolize(ctx, &how, profile);
}

bool commands_was_symbolized(const struct perun_profile *profile)
{
	const struct perun_json *extra = perun_json_get(perun_profile_document(profile), "extra");

	return perun_json_get(extra, symbolizer) != NULL;
}

/* Names as compilers know them are made shorter by whoever wants them so; others are as they are meant. */
static int note_names(struct perun_ctx *ctx, struct perun_profile **profile)
{
	struct perun_builder *builder = perun_builder_from(*profile);
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *extra = perun_json_get(document, "extra"), *facts = perun_json_object();
	struct perun_profile *noted = NULL;
	int status;

	if (!extra) {
		extra = perun_json_object();
		perun_json_set(document, "extra", extra);
	}
	perun_json_set(facts, "demangle", perun_json_text("full"));
	perun_json_set(extra, symbolizer, facts);
	status = perun_builder_finish(ctx, builder, &noted);
	perun_profile_unref(*profile);
	*profile = noted;
	return status;
}

int commands_symbolize_for_store(struct perun_ctx *ctx, struct perun_profile **profile)
{
	struct perun_profile *named = *profile;
	size_t locations = perun_profile_locations(named);
	int status;

	if (!commands_count_unnamed(named) || !commands_can_symbolize())
		return PERUN_OK;
	perun_profile_ref(named);
	status = commands_symbolize(ctx, &(struct commands_symbolizing){.quiet = true}, &named);
	/* Locations with names are added to those that had none, which nothing refers to any more. */
	if (status || perun_profile_locations(named) == locations) {
		perun_profile_unref(named);
		return status;
	}
	perun_profile_unref(*profile);
	*profile = named;
	return note_names(ctx, profile);
}
