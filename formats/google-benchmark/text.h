/* SPDX-License-Identifier: BSD-3-Clause */
/* The CSV of Google Benchmark and what it prints, as the document that its JSON is. */
#ifndef PERUN_FORMATS_GOOGLE_BENCHMARK_TEXT_H
#define PERUN_FORMATS_GOOGLE_BENCHMARK_TEXT_H

#include <perun/format.h>
#include <perun/json.h>

/* Each gives a document with "context" and "benchmarks", which the caller frees with perun_json_free(). */
int google_benchmark_csv(struct perun_ctx *ctx, struct perun_input *input,
			 struct perun_json **document);
int google_benchmark_console(struct perun_ctx *ctx, struct perun_input *input,
			     struct perun_json **document);

#endif
