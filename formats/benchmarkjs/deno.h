/* SPDX-License-Identifier: BSD-3-Clause */
/* What Deno and mitata measured. */
#ifndef PERUN_FORMATS_BENCHMARKJS_DENO_H
#define PERUN_FORMATS_BENCHMARKJS_DENO_H

#include "formats/common/benchmark.h"

/* In the headings of their tables. */
#define DENO_MARK "(min \xe2\x80\xa6 max)"

/* Where the reader is. Zeroed, in no table; what its pointers refer to is its own until deno_free(). */
struct deno {
	bool inside;
	bool bare;   /* times are not followed by "/iter" */
	char *file;  /* "url_bench.ts", of Deno */
	char *group; /* NULL = none */
};

/* Take a line. False: it is none of such a table. */
bool deno_line(struct deno *deno, struct benchmark *benchmark, char *line);
void deno_free(struct deno *deno);
/* The document of `deno bench --json`. */
int deno_read_json(struct perun_ctx *ctx, struct perun_input *input, struct benchmark *benchmark);

#endif
