/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions of a program have other machine code in another build of it. */
#ifndef PERUN_CORE_DISSECT_FUNCTIONS_H
#define PERUN_CORE_DISSECT_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* By the last part of its name, after dots and colons; functions of one name are one, changed if any of them is. */
struct function {
	char *name;
	bool changed; /* or it is in one build only */
	bool common;  /* it is in both */
};

struct functions {
	struct function *items; /* sorted by name */
	size_t count, capacity;
};

/*
 * Compare the programs of two trees. Addresses are taken out: where bytes differ, both have to lead to the same function,
 * or to the same data. Only of x86-64; elsewhere each function that has other bytes counts as changed. Stripped
 * programs have no functions.
 */
void functions_compare(const char *const roots[2], struct functions *functions);
const struct function *functions_find(const struct functions *functions, const char *name,
				      size_t length);
void functions_free(struct functions *functions);
/* What of a symbol is looked for in sources: the end of "a/b.(*T).name", "a::name(int)", "name.constprop.0". */
const char *function_last_name(const char *symbol, size_t *length);

#endif
