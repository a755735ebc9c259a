/* SPDX-License-Identifier: BSD-3-Clause */
/* A recording as a profile. */
#ifndef PERF_DATA_READ_H
#define PERF_DATA_READ_H

#include "file.h"

int perfdata_read(struct perun_ctx *ctx, const struct perfdata *file,
		  struct perun_builder *builder);

#endif
