/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of an address as the lines of a location. */
#ifndef PERUN_COLLECTORS_SYMBOL_LINES_H
#define PERUN_COLLECTORS_SYMBOL_LINES_H

#include <perun/profile.h>

#include "collectors/common/symbol.h"

/* The string of a function's name, if it is to be another one. */
typedef perun_id symbol_name(void *data, const char *function);

/*
 * Give a location the lines of a symbol; `name` may be NULL. False, and nothing happens, where it has no name. The lines are
 * the caller's to free.
 */
bool collectors_symbol_lines(struct perun_builder *builder, const struct symbol *symbol,
			     symbol_name *name, void *data, struct perun_location *location);

#endif
