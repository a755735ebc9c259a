/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format perun. What is read can be written, and is then read as the same. */
#include "perun/format.h"
#include "tests/fuzz/fuzz.h"

static struct perun_profile *read_bytes(struct perun_ctx *ctx, const void *data, size_t size)
{
	return fuzz_read_with(ctx, "perun", NULL, data, size);
}

static void write_bytes(struct perun_ctx *ctx, const struct perun_profile *profile,
			const char *option, struct perun_buffer *out)
{
	const char *options[] = {option, NULL};

	fuzz_write_with(ctx, "perun", options, profile, out);
}

/* All ways to write mean the same. */
static void check_written(struct perun_ctx *ctx, const struct perun_profile *profile,
			  const char *option, const struct perun_buffer *stored)
{
	struct perun_buffer text = {0}, again = {0};
	struct perun_profile *copy;

	write_bytes(ctx, profile, option, &text);
	copy = read_bytes(ctx, text.data, text.length);
	MUST(copy != NULL);
	write_bytes(ctx, copy, "stored=yes", &again);
	MUST(again.length == stored->length && memcmp(again.data, stored->data, again.length) == 0);
	perun_profile_unref(copy);
	perun_buffer_free(&text);
	perun_buffer_free(&again);
}

void fuzz_perun(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = read_bytes(ctx, data, size);
	struct perun_buffer stored = {0};

	if (profile) {
		write_bytes(ctx, profile, "stored=yes", &stored);
		check_written(ctx, profile, "stored=yes", &stored);
		check_written(ctx, profile, "compact=yes", &stored);
		check_written(ctx, profile, NULL, &stored);
	}
	perun_buffer_free(&stored);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}
