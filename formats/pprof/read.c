/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a profile.proto. */
#include "pprof.h"

int pprof_probe(const struct perun_probe *probe)
{
	(void)probe;
	return 0;
}

int pprof_read(struct perun_ctx *ctx, const struct pprof_options *options,
	       struct perun_input *input, struct perun_builder *builder)
{
	(void)options;
	(void)input;
	(void)builder;
	return perun_fail(ctx, PERUN_INPUT, "not read yet");
}
