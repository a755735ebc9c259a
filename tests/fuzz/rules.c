/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target: what perun fuzz reads, and what its rules make of an input. The data are a file of rules, a dictionary and an
 * input, each but the last ended by a byte 0.
 */
#include <perun/context.h>

#include "core/fuzz/rules.h"

#include "tests/fuzz/fuzz.h"

enum { MAX_BYTES = 600, MAX_INPUT = 300 };

/* The file of the next part, in a folder of its own for the target. */
static char *write_part(const char *name, const char *data, size_t size)
{
	static const char *folder;
	char *path;
	FILE *file;

	if (!folder)
		folder = fuzz_folder();
	path = perun_format("%s/%s", folder, name);
	file = fopen(path, "w");
	MUST(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
	return path;
}

static void apply_all(const struct fuzz_rules *rules, struct fuzz_bytes input)
{
	struct fuzz_random random = {.state = input.size};
	struct fuzz_bytes other = {input.bytes + input.size / 2, input.size - input.size / 2};

	for (size_t i = 0; i < rules->count; i++) {
		struct perun_buffer out = {0};

		fuzz_rule_apply(rules, i, &random, input, other, MAX_BYTES, &out);
		MUST(out.length <= MAX_BYTES);
		perun_buffer_free(&out);
	}
}

void fuzz_fuzz_rules(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *first = memchr(text, 0, size);
	const char *second = first ? memchr(first + 1, 0, (size_t)(text + size - first - 1)) : NULL;
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct fuzz_rules rules;
	char *path;
	int status;

	if (second) {
		path = write_part("rules", text, (size_t)(first - text));
		status = fuzz_rules_new(ctx, path, &rules);
		MUST(status == PERUN_OK || perun_ctx_error(ctx));
		if (status)
			MUST(fuzz_rules_new(ctx, NULL, &rules) == PERUN_OK);
		perun_free(path);
		path = write_part("words", first + 1, (size_t)(second - first - 1));
		status = fuzz_rules_dictionary(ctx, path, &rules);
		MUST(status == PERUN_OK || perun_ctx_error(ctx));
		perun_free(path);
		size -= (size_t)(second + 1 - text);
		apply_all(&rules,
			  (struct fuzz_bytes){second + 1, size < MAX_INPUT ? size : MAX_INPUT});
		fuzz_rules_free(&rules);
	}
	perun_ctx_free(ctx);
}
