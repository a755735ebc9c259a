/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: options, and how a Perun profile is recognized. */
#include <string.h>

#include "formats/common/plugin.h"
#include "reading.h"
#include "writing.h"

static const struct perun_option options[] = {
	{.name = "stored",
	 .type = PERUN_OPTION_FLAG,
	 .help = "write what a store keeps: one line, without the origin"},
	{.name = "compact",
	 .type = PERUN_OPTION_FLAG,
	 .help = "write as few bytes as possible: no blanks and no line breaks"},
	{.name = "chunks",
	 .type = PERUN_OPTION_FLAG,
	 .help = "write frames and traces once, in the table chunks, and refer to them"},
	{.name = "expansion-limit",
	 .type = PERUN_OPTION_SIZE,
	 .default_value = "2G",
	 .help = "the most memory: for the resources that a profile of another format is written "
		 "as, "
		 "which repeat what it says once, and for what replaces references to chunks"},
	{.name = "key-limit",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e9,
	 .default_value = "1024",
	 .help = "how many different keys resources may have in all; each has a place in all of "
		 "them"},
	{.name = NULL},
};

static int open_format(struct perun_ctx *ctx, const struct perun_options *given,
		       const char *subcommand, void **instance)
{
	struct writing_options *chosen = perun_alloc_zero(1, sizeof *chosen);

	(void)subcommand;
	chosen->stored = perun_option_flag(given, "stored");
	chosen->compact = perun_option_flag(given, "compact");
	chosen->expansion_limit = perun_option_size(given, "expansion-limit");
	chosen->key_limit = (uint64_t)perun_option_integer(given, "key-limit");
	if (chosen->stored && chosen->compact) {
		perun_free(chosen);
		return perun_fail(ctx, PERUN_USAGE,
				  "options stored and compact exclude each other");
	}
	chosen->chunks = perun_option_flag(given, "chunks");
	if (chosen->stored && chosen->chunks) {
		perun_free(chosen);
		return perun_fail(
			ctx, PERUN_USAGE,
			"options stored and chunks exclude each other: a store keeps what the "
			"Python program reads");
	}
	*instance = chosen;
	return PERUN_OK;
}

static void close_format(void *instance)
{
	perun_free(instance);
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);

	return length >= end && strcmp(name + length - end, suffix) == 0;
}

/* Of the last two one alone says nothing: other programs write them, too. Large resources may be all that is seen. */
static const char *const marks[] = {"\"header\"",
				    "\"resources\"",
				    "\"collector_info\"",
				    "\"postprocessors\"",
				    "\"resource_type_map\"",
				    "\"snapshots\"",
				    "\"global\"",
				    "\"origin\"",
				    NULL};
enum { KEYS = sizeof marks / sizeof *marks - 1, TELLING = KEYS - 2 };

/* Whether the outermost object has one of the keys that tell, as far as it is there. */
static bool has_outer_key(const struct perun_probe *probe)
{
	struct perun_json_reader *json =
		perun_json_reader_new_text(NULL, probe->data, probe->size, NULL);
	const struct perun_json_token *token = perun_json_token(json);
	bool found = false;

	if (perun_json_next(json) == PERUN_JSON_OBJECT_START) {
		while (!found && perun_json_next(json) == PERUN_JSON_KEY) {
			for (size_t i = 0; i < TELLING; i++)
				found |= token->length == strlen(marks[i]) - 2 &&
					 memcmp(token->text, marks[i] + 1, token->length) == 0;
			if (!found && perun_json_skip(json))
				break;
		}
	}
	perun_json_reader_free(json);
	return found;
}

static int probe_format(const struct perun_probe *probe)
{
	const char *text = probe->data;
	size_t i, found = 0;

	if (probe->directory)
		return 0;
	for (i = 0; i < probe->size && strchr(" \t\r\n", text[i]) && text[i]; i++)
		;
	/* So that the error of a damaged profile is reported. */
	if (i == probe->size || text[i] != '{')
		return ends_with(probe->name, ".perf") ? 5 : 0;
	for (i = 0; i < KEYS; i++)
		found += probe_has(probe, marks[i]);
	if (found >= 3)
		return 95;
	if (ends_with(probe->name, ".perf"))
		return found == 2 ? 85 : 40;
	if (!found || !has_outer_key(probe))
		return 0;
	return found == 2 ? 85 : 40;
}

FORMAT_PLUGIN(perun, "perun", "Perun's own JSON profiles", options, .open = open_format,
	      .close = close_format, .patterns = "*.perf", .contains = marks, .probe = probe_format,
	      .read = perunjson_read, .write = perunjson_write, .exact_bytes = true);
