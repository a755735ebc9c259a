/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of the format. */
#ifndef AFPERF_READ_H
#define AFPERF_READ_H

#include <perun/format.h>
#include <perun/json.h>

struct afperf_filter;

/* A record of at most this many bytes is read unless --limit says otherwise. */
#define AFPERF_DEFAULT_LIMIT "64M"
#define AFPERF_FRAME_LIMIT   67108864

struct afperf_options {
	size_t limit;         /* bytes of a record */
	uint64_t frame_limit; /* of the stacks of nested regions together */
	bool lenient;
	const struct afperf_filter *filter; /* NULL: everything */
};

int afperf_read(struct perun_ctx *ctx, const struct afperf_options *options,
		struct perun_input *input, struct perun_builder *builder);
/* Of what was read from AFPerf, one run only. */
int afperf_write_run(struct perun_ctx *ctx, const struct perun_profile *profile, size_t run,
		     struct perun_output *output);
int afperf_write(struct perun_ctx *ctx, const struct perun_profile *profile,
		 struct perun_output *output);

#endif
