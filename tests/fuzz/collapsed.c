/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format collapsed. What is written is read as the same. */
#include <string.h>

#include "perun/format.h"
#include "tests/fuzz/fuzz.h"

static struct perun_profile *read_bytes(struct perun_ctx *ctx, const void *data, size_t size,
					const char *counts)
{
	const char *options[] = {counts, NULL};

	return fuzz_read_with(ctx, "collapsed", options, data, size);
}

static void write_bytes(struct perun_ctx *ctx, const struct perun_profile *profile,
			struct perun_buffer *text)
{
	fuzz_write_with(ctx, "collapsed", NULL, profile, text);
}

void fuzz_collapsed(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = read_bytes(ctx, data, size, "counts=auto"), *copy;
	struct perun_buffer text = {0}, again = {0};

	if (profile) {
		write_bytes(ctx, profile, &text);
		copy = read_bytes(ctx, text.data, text.length, "counts=1");
		/* A name that begins with '#' is a comment when it is first. */
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
