/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing a profile.proto. */
#include "pprof.h"

int pprof_write(struct perun_ctx *ctx, const struct pprof_options *options,
		const struct perun_profile *profile, struct perun_output *output)
{
	(void)options;
	(void)profile;
	(void)output;
	return perun_fail(ctx, PERUN_INPUT, "not written yet");
}
