/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fuzz targets of formats for experiments share: what is read is whole, and can be written. */
#ifndef PERUN_TESTS_FUZZ_EXPERIMENT_H
#define PERUN_TESTS_FUZZ_EXPERIMENT_H

#include "perun/experiment.h"
#include "perun/format.h"
#include "tests/fuzz/must.h"

static inline int fuzz_experiment_as(const char *format, const char *to, const uint8_t *data,
				     size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_input *input = perun_input_from_memory("fuzz", data, size);
	struct perun_experiment *experiment;
	struct perun_buffer text = {0};
	struct perun_profile *profile;
	int status = perun_read_profile(ctx, input, format, NULL, &profile, NULL);

	MUST((status == PERUN_OK) == (profile != NULL));
	MUST((status == PERUN_OK) == (perun_ctx_error(ctx) == NULL));
	MUST(status == PERUN_OK || status == PERUN_INPUT);
	if (profile && perun_experiment_new(ctx, profile, true, &experiment) == PERUN_OK) {
		struct perun_output *output = perun_output_to_buffer(&text);

		MUST(experiment->measurement_count > 0);
		MUST(perun_write_profile(ctx, profile, to, NULL, output) == PERUN_OK ||
		     perun_ctx_status(ctx) == PERUN_INPUT);
		perun_output_close(output);
		perun_experiment_free(experiment);
	}
	perun_buffer_free(&text);
	perun_input_close(input);
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return 0;
}

static inline int fuzz_experiment(const char *format, const uint8_t *data, size_t size)
{
	return fuzz_experiment_as(format, format, data, size);
}

#endif
