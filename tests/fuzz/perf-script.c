/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format perf-script. */
#include "perun/format.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_input *input = perun_input_from_memory("fuzz.perf-script", data, size);
	struct perun_profile *profile;
	int status = perun_read_profile(ctx, input, "perf-script", NULL, &profile, NULL);

	MUST((status == PERUN_OK) == (profile != NULL));
	MUST((status == PERUN_OK) == (perun_ctx_error(ctx) == NULL));
	MUST(status == PERUN_OK || status == PERUN_INPUT);
	if (profile)
		MUST(perun_table_rows(perun_resources(profile)) > 0);
	perun_input_close(input);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return 0;
}
