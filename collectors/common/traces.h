/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of places as traces of Perun's resources, with names. */
#ifndef PERUN_COLLECTORS_TRACES_H
#define PERUN_COLLECTORS_TRACES_H

#include <perun/json.h>
#include <perun/profile.h>

#include "collectors/common/places.h"

/* A stack as the profile has it: JSON texts of the builder. */
struct trace {
	perun_id trace;           /* frames of function, source and line, the innermost first */
	perun_id uid;             /* the first frame with a source; of TRACES_NAMES the innermost */
	struct perun_json *frame; /* the same, owned by the traces */
	bool known;
};

/* Which frames a trace has. */
enum traces_keep {
	TRACES_SOURCES, /* those with a source, if any has one, but not how the C library starts programs */
	TRACES_NAMES, /* all; of what has no name only the file is given */
	TRACES_ALL    /* all, with addresses where there is nothing else */
};

struct traces;

/*
 * Look up the names of all places; `folder`: sources in it are named relative to it. The arguments are
 * borrowed until traces_close().
 */
struct traces *traces_open(const struct places *places, const char *folder, enum traces_keep keep,
			   struct perun_builder *builder);
void traces_close(struct traces *traces);
/* The trace of a stack; owned by the traces. */
const struct trace *traces_find(struct traces *traces, uint32_t stack);

#endif
