/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbols of a program's file, as nm lists them. */
#ifndef PERUN_COMMANDS_CODE_SYMBOLS_H
#define PERUN_COMMANDS_CODE_SYMBOLS_H

#include <stdint.h>

#include <perun/context.h>

/* An address with its names, in the order of nm. */
struct code_symbol {
	uint64_t start, end; /* [start, end): up to the next symbol */
	size_t first, count; /* of the names */
};

struct code_symbols {
	struct code_symbol *items; /* sorted by address */
	size_t count, capacity;
	char **names; /* as the file has them */
	char **plain; /* of each name: as the source has it, with parameters */
	size_t name_count, name_capacity;
};

/*
 * All symbols of a file. `tools` is as in tool_find(). PERUN_MISSING: there is no nm; PERUN_INPUT: it cannot read the
 * file. Free with code_symbols_free(), also after a failure.
 */
int code_symbols_read(struct perun_ctx *ctx, const char *tools, const char *file,
		      struct code_symbols *symbols);
void code_symbols_free(struct code_symbols *symbols);
/* The symbol that an address is in; NULL: none. */
const struct code_symbol *code_symbols_find(const struct code_symbols *symbols, uint64_t address);

#endif
