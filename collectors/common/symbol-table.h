/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbols of an ELF file by address. */
#ifndef PERUN_COLLECTORS_SYMBOL_TABLE_H
#define PERUN_COLLECTORS_SYMBOL_TABLE_H

#include <elfutils/libdwfl.h>

struct symbol_table;

/* Made with one walk through all symbols, as libdw does for each address. The module is borrowed. */
struct symbol_table *symbol_table_new(Dwfl_Module *module);
void symbol_table_free(struct symbol_table *table); /* NULL is fine */
/* The name that dwfl_module_addrname() finds, NULL = there is none. Valid as long as the module. */
const char *symbol_table_name(const struct symbol_table *table, GElf_Addr address);

#endif
