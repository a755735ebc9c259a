/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format afperf. What is read can be written, and is then read as the same. */
#include "perun/format.h"
#include "tests/fuzz/fuzz.h"

static struct perun_profile *read_bytes(struct perun_ctx *ctx, const void *data, size_t size,
					const char *option)
{
	const char *options[] = {option, "limit=64k", NULL};

	return fuzz_read_with(ctx, "afperf", options, data, size);
}

static void write_bytes(struct perun_ctx *ctx, const struct perun_profile *profile,
			struct perun_buffer *out)
{
	fuzz_write_with(ctx, "afperf", NULL, profile, out);
}

/* Written, read, and written again: the same bytes. */
static void check_written(struct perun_ctx *ctx, const struct perun_profile *profile)
{
	struct perun_buffer text = {0}, again = {0};
	struct perun_profile *copy;

	write_bytes(ctx, profile, &text);
	copy = read_bytes(ctx, text.data, text.length, "lenient=no");
	MUST(copy != NULL);
	write_bytes(ctx, copy, &again);
	MUST(again.length == text.length && memcmp(again.data, text.data, again.length) == 0);
	perun_profile_unref(copy);
	perun_buffer_free(&text);
	perun_buffer_free(&again);
}

void fuzz_afperf(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = read_bytes(ctx, data, size, "lenient=no");

	if (profile) {
		check_written(ctx, profile);
	} else {
		perun_ctx_clear(ctx);
		profile = read_bytes(ctx, data, size, "lenient=yes");
	}
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
}
