/* SPDX-License-Identifier: BSD-3-Clause */
/* The trees that divan prints. */
#ifndef PERUN_FORMATS_CARGO_BENCH_DIVAN_H
#define PERUN_FORMATS_CARGO_BENCH_DIVAN_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/common/benchmark.h"

/* In the line of headings. */
#define DIVAN_MARK "\xe2\x94\x82 slowest "

enum { DIVAN_DEPTH = 64 };

/* Where the reader is in a tree. Zeroed, in none; what its pointers refer to is its own until divan_free(). */
struct divan {
	size_t column;           /* at which the values begin, in characters; 0 = in no tree */
	char *path[DIVAN_DEPTH]; /* names from the crate to the benchmark */
	size_t depth;
	char *uid;     /* the benchmark whose further lines may follow; NULL = none */
	char *section; /* what these count: "alloc"; NULL = what it does in a second */
};

/* Take a line. False: it is none of a tree, whose end it is. */
bool divan_line(struct divan *divan, struct benchmark *benchmark, const char *line);
void divan_free(struct divan *divan);

#endif
