/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of an address. */
#ifndef PERUN_COLLECTORS_SYMBOL_H
#define PERUN_COLLECTORS_SYMBOL_H

#include <perun/context.h>

struct symbol_line {
	char *function; /* "" = unknown */
	char *source;   /* "" = unknown */
	int64_t line, column;
};

/* An address: the innermost inlined call first, then its callers; at least one. */
struct symbol {
	struct symbol_line *lines;
	size_t count;
};

#endif
