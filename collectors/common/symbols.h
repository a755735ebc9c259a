/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, files and lines of addresses in ELF files, with inlined calls, from DWARF and symbol tables. */
#ifndef PERUN_COLLECTORS_SYMBOLS_H
#define PERUN_COLLECTORS_SYMBOLS_H

#include "collectors/common/symbol.h"

#define COLLECTORS_KERNEL "[kernel]" /* instead of a path: an address in the kernel */

/* Instead of a path, with the process's number after it: code that it generated; addresses are its own. */
#define COLLECTORS_GENERATED "[generated]/"

struct symbols;

/* `folder`: what lies in it is named relative to it. */
struct symbols *collectors_symbols_new(const char *folder);
void collectors_symbols_free(struct symbols *symbols);
/* From now on names stay as compilers make them, "_Zfoov". */
void collectors_symbols_keep_mangled(struct symbols *symbols);
/*
 * Read the debugging information of the C library, too, which takes longer than that of most programs; else it has names
 * alone.
 */
void collectors_symbols_read_all(struct symbols *symbols);
/* What is known of an address of a file. The caller frees it with collectors_symbol_clear(). */
struct symbol collectors_symbols_find(struct symbols *symbols, const char *path, uint64_t address);
/* The address of a symbol of the kernel that runs; 0 = there is none, or it is nobody's to know. */
uint64_t collectors_symbols_kernel(struct symbols *symbols, const char *name);
void collectors_symbol_clear(struct symbol *symbol);

/* A function of a file, as its table of symbols has it; the texts are valid during the call. */
struct symbol_function {
	const char *name, *linkage_name;
	uint64_t address, size; /* 0 = unknown */
};

typedef void symbols_handler(void *data, const struct symbol_function *function);

/* All functions that the file defines; false if it has no symbols at all (or is no ELF file). */
bool collectors_symbols_functions(struct symbols *symbols, const char *path,
				  symbols_handler *handler, void *data);
/* The address where a line of a source begins, by the last parts of its name; 0 = there is no code. */
uint64_t collectors_symbols_line(struct symbols *symbols, const char *path, const char *source,
				 int line);

#endif
