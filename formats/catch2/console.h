/* SPDX-License-Identifier: BSD-3-Clause */
/* What Catch2 prints of benchmarks without a reporter. */
#ifndef CATCH2_CONSOLE_H
#define CATCH2_CONSOLE_H

#include "formats/common/benchmark.h"

int catch2_read_console(struct perun_ctx *ctx, struct perun_input *input,
			struct benchmark *benchmark);
bool catch2_probe_console(const struct perun_probe *probe);

#endif
