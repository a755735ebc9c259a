/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: command lines, split into words and parsed; values survive as a document. */
#include <perun/json.h>
#include <perun/lib/options.h>
#include <perun/lib/program.h>

#include "tests/fuzz/fuzz.h"

static const struct perun_option table[] = {
	{.name = "repeat",
	 .aliases = "-r --runs",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "3",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 100},
	{.name = "output-type",
	 .aliases = "-ot",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "text json"},
	{.name = "derived",
	 .aliases = "-d",
	 .values = 2,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .type = PERUN_OPTION_STRING},
	{.name = "keys", .aliases = "-k", .type = PERUN_OPTION_LIST},
	{.name = "limit", .type = PERUN_OPTION_SIZE},
	{.name = "timeout", .type = PERUN_OPTION_DURATION},
	{.name = "ratio", .type = PERUN_OPTION_NUMBER},
	{.name = "color", .default_value = "true", .flags = PERUN_OPTION_NEGATABLE},
	{.name = "verbose", .aliases = "-v", .flags = PERUN_OPTION_COUNTED},
	{.name = "file", .flags = PERUN_OPTION_POSITIONAL, .type = PERUN_OPTION_PATH},
	{0},
};
static const struct perun_option_table tables[] = {{table, 0}};

/* The document of parsed options gives the same options. */
static void check_document(struct perun_ctx *ctx, const struct perun_options *options)
{
	struct perun_json *document = perun_options_document(options), *copy;
	struct perun_options *again;

	MUST(perun_options_from_document(ctx, tables, 1, document, &again) == PERUN_OK);
	copy = perun_options_document(again);
	MUST(perun_json_equal(document, copy));
	perun_json_free(copy);
	perun_json_free(document);
	perun_options_free(again);
}

static void check_words(struct perun_ctx *ctx, const char *const *words)
{
	struct perun_options *options;
	struct perun_buffer text = {0};
	size_t used;
	int status = perun_options_parse(ctx, tables, 1, words, 0, &options, &used);

	MUST(status == PERUN_OK || (status == PERUN_USAGE && perun_ctx_error(ctx)));
	perun_ctx_clear(ctx);
	if (status == PERUN_OK) {
		check_document(ctx, options);
		perun_options_free(options);
	}
	perun_options_complete(tables, 1, words, &text);
	perun_buffer_free(&text);
}

void fuzz_options(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *text = perun_strndup((const char *)data, size);
	struct perun_words words = {0};
	int status = perun_split_words(ctx, text, &words);

	MUST(status == PERUN_OK || (status == PERUN_USAGE && perun_ctx_error(ctx)));
	perun_ctx_clear(ctx);
	if (status == PERUN_OK && words.count)
		check_words(ctx, (const char *const *)words.items);
	perun_words_free(&words);
	perun_free(text);
	perun_ctx_free(ctx);
}
