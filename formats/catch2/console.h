/* SPDX-License-Identifier: BSD-3-Clause */
/* What Catch2 prints of benchmarks without a reporter. */
#ifndef CATCH2_CONSOLE_H
#define CATCH2_CONSOLE_H

#include "formats/common/benchmark.h"

/*
 * A benchmark that is there again in its test case was run with the next value of a generator, which no output says: it
 * is another one, "name#2". `seen` counts them, NULL at first; the caller frees it.
 */
void catch2_number_again(struct perun_json **seen, struct perun_buffer *name);

int catch2_read_console(struct perun_ctx *ctx, struct perun_input *input,
			struct benchmark *benchmark);
bool catch2_probe_console(const struct perun_probe *probe);

#endif
