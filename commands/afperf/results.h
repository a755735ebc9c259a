/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a reduction in a format. */
#ifndef AFPERF_RESULTS_H
#define AFPERF_RESULTS_H

#include "command.h"
#include "reduce.h"

int afperf_write_results(struct afperf_call *call, const struct afperf_file *file,
			 const struct afperf_row *rows, size_t count, const char *format);

#endif
