/* SPDX-License-Identifier: BSD-3-Clause */
/* What vitest bench prints: a table for each group. */
#ifndef PERUN_FORMATS_VITEST_PRINTED_H
#define PERUN_FORMATS_VITEST_PRINTED_H

#include "formats/common/benchmark.h"

/* Whether the first bytes have the headings of such a table. */
bool vitest_is_printed(const struct perun_probe *probe);
int vitest_read_printed(struct perun_ctx *ctx, struct perun_input *input,
			struct benchmark *benchmark);

#endif
