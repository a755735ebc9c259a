/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in a commit's changes, and which of the changes define them. */
#ifndef PERUN_CORE_DISSECT_MENTIONS_H
#define PERUN_CORE_DISSECT_MENTIONS_H

#include "core/dissect/changes.h"

/* A name in the code of a change, not in its comments and strings; the last one of the path of an import of Go. */
struct mention {
	const char *name;
	size_t length, change;
	bool added;   /* by the lines that the change adds; else by those that it removes */
	bool defines; /* it looks like a definition or a declaration of the name */
	bool shared; /* the line is outside of functions, so that any of them may use what it defines */
	bool imported; /* a package that the file imports: only the file may use it */
};

struct mentions {
	struct mention *items; /* by name, then change */
	size_t count, capacity;
};

/* Whether names have such a byte. */
bool mention_has(int c);

void mentions_list(const struct changes *changes, struct mentions *mentions);
void mentions_free(struct mentions *mentions);

/* Whether a change mentions the name of `of` on its side; `*mention` says whether and how it defines it there. */
bool change_mentions(const struct perun_dissect_change *change, const struct mention *of,
		     struct mention *mention);

#endif
