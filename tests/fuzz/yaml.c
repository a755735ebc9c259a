/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: configurations. A key that is set has its value afterwards, and all others keep theirs. */
#include "core/config/config.h"
#include "tests/fuzz/fuzz.h"

static const char *const keys[] = {"vcs.type", "general.paging", "a", "x.y.z"};
static const char *const values[] = {"git", "[1, two]", "a: b # c", "", "3", "'"};

static void check_set(struct perun_ctx *ctx, const char *text, size_t size,
		      const struct perun_json *before)
{
	const char *key = keys[size % 4], *value = values[size / 4 % 6];
	struct perun_buffer out = {0};
	struct perun_json *after, *expected, *meant = perun_yaml_value(value);

	if (perun_yaml_set(ctx, "config", text, size, key, value, &out) == PERUN_OK) {
		MUST(perun_yaml_parse(ctx, "config", out.data ? out.data : "", out.length,
				      &after) == PERUN_OK);
		MUST(perun_json_equal(perun_config_lookup(after, key), meant));
		expected = perun_json_clone(before);
		perun_config_put(expected, key, perun_json_clone(meant));
		MUST(perun_json_equal(after, expected));
		perun_json_free(expected);
		perun_json_free(after);
	}
	perun_json_free(meant);
	perun_buffer_free(&out);
}

void fuzz_yaml(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *text = perun_strndup((const char *)data, size);
	struct perun_json *document;
	int status = perun_yaml_parse(ctx, "config", (const char *)data, size, &document);

	MUST(status == PERUN_OK || (status == PERUN_INPUT && perun_ctx_error(ctx) && !document));
	perun_ctx_clear(ctx);
	if (status == PERUN_OK && perun_json_type(document) == PERUN_JSON_TYPE_OBJECT)
		check_set(ctx, (const char *)data, size, document);
	perun_json_free(document);
	perun_json_free(perun_yaml_value(text));
	perun_free(text);
	perun_ctx_free(ctx);
}
