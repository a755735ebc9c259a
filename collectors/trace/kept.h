/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was read of the functions of a file before: in .perun/cache/functions, by the file's build id, else by a checksum of it, so that
 * it never becomes wrong. perun gc removes it.
 */
#ifndef PERUN_TRACE_KEPT_H
#define PERUN_TRACE_KEPT_H

#include "code.h"

struct kept;

/* The folder of the store around the current directory; NULL = there is none. The caller frees it. */
char *kept_folder(void);
/* What is kept of a file, all NULL are fine; NULL = nothing can be kept of it. */
struct kept *kept_open(const char *folder, const char *path);
/* Write what is new, and free it. A failure to write is none: the next one reads the file again. */
void kept_close(struct kept *kept);

/* All functions of the file, in its order, by collectors_symbols_functions() if they were not kept yet. */
bool kept_functions(struct kept *kept, struct symbols *symbols, const char *path,
		    symbols_handler *handler, void *data);
/* The code of a function, to be cleared; false: it was not kept, or lacks lines that are wanted. */
bool kept_find(const struct kept *kept, uint64_t address, bool lined, struct code *code);
/* It borrows nothing. */
void kept_add(struct kept *kept, uint64_t address, const struct code *code);

#endif
