/* SPDX-License-Identifier: BSD-3-Clause */
/* What the code of a function does, and the lines that it comes from. */
#ifndef PERUN_TRACE_CODE_H
#define PERUN_TRACE_CODE_H

#include "collectors/common/images.h"
#include "collectors/common/symbols.h"

/* The lines of a function, or of one that was inlined there, first to last. */
struct code_piece {
	char *source, *function;
	int64_t first, last;
};

struct code {
	bool calls, loops;
	uint64_t *callees; /* addresses that it calls or jumps to, as the file has them */
	size_t callee_count, callee_capacity;
	bool lined; /* its pieces were sought */
	struct code_piece *pieces;
	size_t piece_count, piece_capacity;
};

/* Read the code of a function; what cannot be read may do anything. With `symbols` its lines, too. */
void code_read(struct code *code, uint64_t address, uint64_t length, struct images *images,
	       const char *path, struct symbols *symbols);
void code_clear(struct code *code);

#endif
