/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the .plugin texts, which are read from folders that the user names. */
#include "core/registry/registry-private.h"
#include "tests/fuzz/fuzz.h"

void fuzz_plugin_text(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *text = perun_strndup((const char *)data, size);
	struct plugin_text facts;
	int status = plugin_text_parse(ctx, text, &facts);

	MUST(status == PERUN_OK || (status == PERUN_INPUT && perun_ctx_error(ctx)));
	if (status == PERUN_OK) {
		MUST(facts.kind < PERUN_KINDS && facts.name);
		MUST(facts.command_count % 2 == 0);
		plugin_text_free(&facts);
	}
	perun_free(text);
	perun_ctx_free(ctx);
}
