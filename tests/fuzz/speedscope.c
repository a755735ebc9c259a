/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format speedscope. What is written is read as the same number of rows. */
#include "perun/format.h"
#include "tests/fuzz/must.h"

static struct perun_profile *read_bytes(struct perun_ctx *ctx, const void *data, size_t size)
{
	struct perun_input *input = perun_input_from_memory("fuzz.speedscope.json", data, size);
	struct perun_profile *profile;
	int status = perun_read_profile(ctx, input, "speedscope", NULL, &profile, NULL);

	MUST((status == PERUN_OK) == (profile != NULL));
	MUST((status == PERUN_OK) == (perun_ctx_error(ctx) == NULL));
	MUST(status == PERUN_OK || status == PERUN_INPUT);
	perun_input_close(input);
	return profile;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = read_bytes(ctx, data, size);
	struct perun_buffer text = {0};

	if (profile) {
		struct perun_output *output = perun_output_to_buffer(&text);
		struct perun_profile *copy;

		MUST(perun_write_profile(ctx, profile, "speedscope", NULL, output) == PERUN_OK);
		MUST(perun_output_commit(ctx, output) == PERUN_OK);
		perun_output_close(output);
		copy = read_bytes(ctx, text.data, text.length);
		MUST(copy != NULL);
		perun_profile_unref(copy);
	}
	perun_buffer_free(&text);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return 0;
}
