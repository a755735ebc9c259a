/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of a compilation unit, and what was inlined into them, by address. */
#ifndef PERUN_COLLECTORS_SCOPES_H
#define PERUN_COLLECTORS_SCOPES_H

#include <elfutils/libdw.h>

#include <perun/context.h>

/* A function, or a call that was inlined. */
struct scope {
	Dwarf_Die die;
	struct scope *parent; /* what an inlined call is in; NULL: it is a function */
	char *name;           /* for whoever looks it up: freed with the scopes */
};

struct scopes;

/* All of a unit, read once: a walk through it for each address would take as long as the unit is large. */
struct scopes *scopes_new(Dwarf_Die *unit);
void scopes_free(struct scopes *scopes); /* NULL is fine */
/* The innermost one at an address; NULL: none is there. */
struct scope *scopes_find(struct scopes *scopes, Dwarf_Addr address);

#endif
