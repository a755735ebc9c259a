/* SPDX-License-Identifier: BSD-3-Clause */
/* Which format an input has: by names and first bytes, then by asking the plugins. */
#include <fnmatch.h>
#include <string.h>

#include <perun/lib/path.h>

#include "core/format/contained.h"
#include "core/format/input.h"
#include "core/format/marked.h"
#include "core/format/nearest.h"
#include "core/format/session.h"
#include "core/registry/guard.h"
#include "perun/lib/advice.h"

/* An answer from here on needs no others from plugins whose name pattern or bytes do not match. */
#define SURE 80

struct guess {
	struct perun_ctx *ctx;
	struct perun_probe probe;  /* the bytes as they are */
	struct perun_probe text;   /* plain UTF-8, as most formats get it */
	struct perun_buffer plain; /* of other texts */
	unsigned char *head;
	char *name;               /* without ".gz" of what is compressed */
	const char *best, *rival; /* names of formats; a rival is as sure as the best */
	int sureness;
	char **inner; /* of probe.inner */
	size_t inner_count, inner_room;
};

static bool matches_name(const struct perun_plugin_info *info, const char *name)
{
	for (const char *const *pattern = info->patterns; pattern && *pattern; pattern++) {
		if (fnmatch(*pattern, name, 0) == 0)
			return true;
	}
	return false;
}

static bool matches_magic(const struct perun_plugin_info *info, const struct perun_probe *probe)
{
	for (const struct perun_magic *magic = info->magic; magic && magic->size; magic++) {
		if (!probe->directory && magic->offset <= probe->size &&
		    magic->size <= probe->size - magic->offset &&
		    memcmp((const char *)probe->data + magic->offset, magic->bytes, magic->size) ==
			    0)
			return true;
	}
	return false;
}

static void ask(struct guess *guess, const struct perun_plugin_info *info)
{
	const struct perun_plugin *plugin;
	struct perun_format_ops ops;
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	int sureness = 0;

	/* A plugin that cannot be loaded must not stop the others. */
	if (perun_registry_load(ctx, PERUN_KIND_FORMAT, info->name, &plugin) == PERUN_OK) {
		perun_plugin_ops(plugin, &ops, sizeof ops);
		if (ops.probe && ops.read)
			PERUN_PLUGIN_CALL_VOID(
				plugin, sureness = ops.probe(ops.exact_bytes ? &guess->probe
									     : &guess->text));
	} else {
		perun_warn(guess->ctx, "%s", perun_ctx_error(ctx));
	}
	perun_ctx_free(ctx);
	if (sureness > guess->sureness) {
		guess->best = info->name;
		guess->rival = NULL;
		guess->sureness = sureness;
	} else if (sureness && sureness == guess->sureness) {
		guess->rival = info->name;
	}
}

/* Whether a format may have a file that neither its patterns nor its magic bytes match. */
static bool may_be(const struct guess *guess, const struct perun_plugin_info *info, bool contained)
{
	if (info->contains)
		return guess->probe.directory ? info->reads_directories : contained;
	return !info->magic || !info->magic->size;
}

/* `likely`: the formats that the name or the first bytes speak for; else all others that may be. */
static void ask_all(struct guess *guess, bool likely)
{
	size_t count;
	const struct perun_plugin_info *list = perun_registry_list(guess->ctx, &count);
	bool *contained = likely ? NULL : formats_contained(list, count, &guess->text);

	for (size_t i = 0; i < count; i++) {
		const struct perun_plugin_info *info = &list[i];

		if (info->kind == PERUN_KIND_FORMAT && !info->problem &&
		    (matches_name(info, guess->probe.name) || matches_magic(info, &guess->text)) ==
			    likely &&
		    (likely || may_be(guess, info, contained[i])))
			ask(guess, info);
	}
	perun_free(contained);
}

static int fail_unknown(struct guess *guess)
{
	size_t count;
	const struct perun_plugin_info *list = perun_registry_list(guess->ctx, &count);
	bool any = false;
	char *nearest;
	int status;

	if (guess->rival)
		return perun_fail(guess->ctx, PERUN_INPUT, "may have format %s or %s%s",
				  guess->best, guess->rival,
				  perun_advice(PERUN_ADVICE_NAME_FORMAT));
	for (size_t i = 0; i < count; i++)
		any = any || list[i].kind == PERUN_KIND_FORMAT;
	if (!any)
		return perun_fail(guess->ctx, PERUN_MISSING, "no format is installed");
	nearest = perun_format_nearest(&guess->text);
	status = perun_fail(guess->ctx, PERUN_INPUT, "unrecognized format: %s", nearest);
	perun_free(nearest);
	return status;
}

/* The names in some directories of a directory: points of experiments differ by what is in them. */
static void look_into(struct guess *guess, struct perun_input *input)
{
	enum { FIRST = 4, MAX_INNER = 64 };
	struct perun_ctx *ctx = perun_ctx_new(NULL); /* what cannot be opened says nothing */
	struct perun_taken *taken = input->taken;
	struct perun_input *child;
	const char *const *names;
	size_t count;

	input->taken = NULL; /* the format may take others */
	for (size_t i = 0; i < guess->probe.entry_count && i < FIRST; i++) {
		if (perun_input_open_child(ctx, input, guess->probe.entries[i], &child))
			continue;
		if (perun_input_is_directory(child) &&
		    perun_input_list(ctx, child, &names, &count) == PERUN_OK) {
			for (size_t k = 0; k < count && guess->inner_count < MAX_INNER; k++) {
				PERUN_GROW(guess->inner, guess->inner_count, guess->inner_room);
				guess->inner[guess->inner_count++] = perun_strdup(names[k]);
			}
		}
		perun_input_close(child);
	}
	input->taken = taken;
	perun_ctx_free(ctx);
	guess->probe.inner = (const char *const *)guess->inner;
	guess->probe.inner_count = guess->inner_count;
}

static int read_head(struct perun_ctx *ctx, struct perun_input *input, struct guess *guess)
{
	size_t got = 1, count = 0;
	int status = PERUN_OK;

	if (perun_input_is_directory(input)) {
		guess->probe.directory = true;
		status = perun_input_list(ctx, input, &guess->probe.entries,
					  &guess->probe.entry_count);
		if (!status)
			look_into(guess, input);
		return status;
	}
	if (perun_input_is_small(ctx, input)) {
		guess->probe.whole = true;
		return perun_input_map(ctx, input, 0, &guess->probe.data, &guess->probe.size);
	}
	guess->head = perun_alloc(PERUN_HEAD_SIZE);
	while (got && count < PERUN_HEAD_SIZE && !status) {
		status = perun_input_read(ctx, input, guess->head + count, PERUN_HEAD_SIZE - count,
					  &got);
		count += got;
	}
	guess->probe.data = guess->head;
	guess->probe.size = count;
	guess->probe.whole = !got;
	return status ? status : perun_input_skip_to_start(ctx, input);
}

/* What formats are shown that do not ask for the bytes as they are: of UTF-16 as much text as of UTF-8. */
static int show_text(struct perun_ctx *ctx, struct perun_input *input, struct guess *guess)
{
	enum perun_marks marks = perun_marks_of(guess->probe.data, guess->probe.size);
	const size_t most = 2 + 2 * PERUN_HEAD_SIZE; /* a byte for each unit, at least */
	const void *whole;
	size_t size;
	int status;

	guess->text = guess->probe;
	if (guess->probe.directory || marks == PERUN_MARKS_NONE) {
		input->decoded = true; /* it need not be looked for again */
		return PERUN_OK;
	}
	if (marks == PERUN_MARKS_FIRST) {
		guess->text.data = (const char *)guess->probe.data + PERUN_MARK_SIZE;
		guess->text.size = guess->probe.size - PERUN_MARK_SIZE;
		return PERUN_OK;
	}
	status = perun_input_map(ctx, input, 0, &whole, &size);
	if (status)
		return status;
	perun_plain_text(whole, size < most ? size : most, &guess->plain);
	guess->text.data = guess->plain.data;
	guess->text.size = guess->plain.length;
	guess->text.whole = size < most && guess->text.size <= PERUN_HEAD_SIZE;
	if (guess->text.size > PERUN_HEAD_SIZE)
		guess->text.size = PERUN_HEAD_SIZE;
	return PERUN_OK;
}

int perun_format_guess(struct perun_ctx *ctx, struct perun_input *input, const char **format)
{
	const char *name = perun_input_name(input), *last = perun_path_base_name(name);
	struct guess guess = {.ctx = ctx, .probe = {.struct_size = sizeof guess.probe}};
	size_t length;
	int status;

	*format = NULL;
	guess.name = perun_strdup(*last ? last : name);
	guess.probe.name = guess.name;
	status = read_head(ctx, input, &guess);
	if (!guess.probe.data) /* a directory or an empty file */
		guess.probe.data = "";
	length = strlen(guess.name);
	if (input->compressed && length > 3 && strcmp(guess.name + length - 3, ".gz") == 0)
		guess.name[length - 3] = '\0';
	else if (input->compressed && length > 4 && strcmp(guess.name + length - 4, ".zst") == 0)
		guess.name[length - 4] = '\0';
	if (!status)
		status = show_text(ctx, input, &guess);
	if (!status && guess.text.whole && !guess.text.size && !guess.text.directory)
		status = perun_fail(ctx, PERUN_INPUT, "the file is empty");
	if (!status) {
		ask_all(&guess, true);
		if (guess.sureness < SURE)
			ask_all(&guess, false);
		if (!guess.best || guess.rival)
			status = fail_unknown(&guess);
		*format = guess.best;
	}
	for (size_t i = 0; i < guess.inner_count; i++)
		perun_free(guess.inner[i]);
	perun_free(guess.inner);
	perun_buffer_free(&guess.plain);
	perun_free(guess.head);
	perun_free(guess.name);
	return status;
}
