/* SPDX-License-Identifier: BSD-3-Clause */
/* Names as programmers write them: of C++, Rust and Swift. */
#ifndef PERUN_COLLECTORS_DEMANGLE_H
#define PERUN_COLLECTORS_DEMANGLE_H

struct demangler;

/* Finds out which languages can be read here: C++ where its library is, Rust with libiberty, Swift where its library is. */
struct demangler *demangler_new(void);
void demangler_free(struct demangler *demangler); /* NULL is fine */
/* The name of a symbol, readable if it can be; the caller frees it. */
char *demangler_name(struct demangler *demangler, const char *symbol);

#endif
