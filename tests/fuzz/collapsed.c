/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format collapsed. What is written is read as the same. */
#include <string.h>

#include "perun/format.h"
#include "tests/fuzz/fuzz.h"

static struct perun_profile *read_bytes(struct perun_ctx *ctx, const void *data, size_t size,
					const char *counts)
{
	struct perun_input *input = perun_input_from_memory("fuzz.folded", data, size);
	const char *options[] = {counts, NULL};
	struct perun_profile *profile;
	int status = perun_read_profile(ctx, input, "collapsed", options, &profile, NULL);

	MUST((status == PERUN_OK) == (profile != NULL));
	MUST((status == PERUN_OK) == (perun_ctx_error(ctx) == NULL));
	MUST(status == PERUN_OK || status == PERUN_INPUT);
	perun_input_close(input);
	return profile;
}

static void write_bytes(struct perun_ctx *ctx, const struct perun_profile *profile,
			struct perun_buffer *text)
{
	struct perun_output *output = perun_output_to_buffer(text);

	MUST(perun_write_profile(ctx, profile, "collapsed", NULL, output) == PERUN_OK);
	MUST(perun_output_commit(ctx, output) == PERUN_OK);
	perun_output_close(output);
}

void fuzz_collapsed(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = read_bytes(ctx, data, size, "counts=auto"), *copy;
	struct perun_buffer text = {0}, again = {0};

	if (profile) {
		write_bytes(ctx, profile, &text);
		copy = read_bytes(ctx, text.data, text.length, "counts=1");
		/* A name that begins with '#' is a comment when it stands first. */
		if (copy) {
			write_bytes(ctx, copy, &again);
			MUST(text.length >= again.length);
		}
		perun_profile_unref(copy);
	}
	perun_buffer_free(&text);
	perun_buffer_free(&again);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}
