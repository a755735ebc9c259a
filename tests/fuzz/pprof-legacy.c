/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the format pprof-legacy. */
#include "perun/format.h"
#include "tests/fuzz/must.h"

/* Locations are numbered from 1, and each row has a stack. */
static void check_profile(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *stack = perun_table_column(table, "stack");

	for (size_t row = 0; row < perun_table_rows(table); row++)
		MUST(!perun_column_absent(stack, row));
	for (perun_id id = 0; id < perun_profile_locations(profile); id++)
		MUST(perun_profile_location(profile, id)->source_id == id + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_input *input = perun_input_from_memory("fuzz.prof", data, size);
	struct perun_profile *profile;
	int status = perun_read_profile(ctx, input, "pprof-legacy", NULL, &profile, NULL);

	MUST((status == PERUN_OK) == (profile != NULL));
	MUST((status == PERUN_OK) == (perun_ctx_error(ctx) == NULL));
	MUST(status == PERUN_OK || status == PERUN_INPUT);
	if (profile)
		check_profile(profile);
	perun_input_close(input);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return 0;
}
