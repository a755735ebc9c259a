/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found of addresses before, by the build id of their file: its code never changes. */
#ifndef PERUN_COLLECTORS_SYMBOL_CACHE_H
#define PERUN_COLLECTORS_SYMBOL_CACHE_H

#include "collectors/common/symbol.h"

struct symbol_cache;

/*
 * The cache of a build id (hexadecimal) in $XDG_CACHE_HOME/perun/symbols, for names of a `kind` ("full"). NULL: there is no
 * place for one.
 */
struct symbol_cache *symbol_cache_open(const char *build_id, const char *kind);
/* Write what is new, and free it; NULL is fine. A failure to write is none: the next one looks up again. */
void symbol_cache_close(struct symbol_cache *cache);
/* Fill the symbol, which the caller clears; false: the address is new. */
bool symbol_cache_find(const struct symbol_cache *cache, uint64_t address, struct symbol *symbol);
/* Keep what was found where nothing that comes later can say more. */
void symbol_cache_add(struct symbol_cache *cache, uint64_t address, const struct symbol *symbol);

/* Where a folder of caches has more than `most` files, remove the one that was written, or touched, longest ago. */
void symbol_cache_remove_oldest(const char *folder, size_t most);

#endif
