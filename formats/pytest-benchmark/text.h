/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables that pytest-benchmark prints, and those that it writes as CSV. */
#ifndef PERUN_FORMATS_PYTEST_BENCHMARK_TEXT_H
#define PERUN_FORMATS_PYTEST_BENCHMARK_TEXT_H

#include "formats/common/benchmark.h"

int pytest_benchmark_read_text(struct perun_ctx *ctx, struct perun_input *input,
			       struct benchmark *benchmark);
int pytest_benchmark_read_csv(struct perun_ctx *ctx, struct perun_input *input,
			      struct benchmark *benchmark);

#endif
