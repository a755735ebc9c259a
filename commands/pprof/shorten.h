/* SPDX-License-Identifier: BSD-3-Clause */
/* Short names of functions for drawings. */
#ifndef PERUN_COMMAND_PPROF_SHORTEN_H
#define PERUN_COMMAND_PPROF_SHORTEN_H

#include <perun/regex.h>

enum { PPROF_SHORTENERS = 4 };

struct pprof_shortener {
	struct perun_regex *regexes[PPROF_SHORTENERS];
};

/* Clear it afterwards, whatever it returned. */
int pprof_shortener_init(struct perun_ctx *ctx, struct pprof_shortener *shortener);
void pprof_shortener_clear(struct pprof_shortener *shortener);
/* Append the name without its package or namespace, and without arguments. */
void pprof_shorten(struct pprof_shortener *shortener, const char *name, struct perun_buffer *out);

#endif
