/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of code that a program generates while it runs, as far as it writes them down. */
#ifndef PERUN_COLLECTORS_GENERATED_H
#define PERUN_COLLECTORS_GENERATED_H

#include <stdio.h>

#include <perun/context.h>

/* Whether a map of a process is memory of no file, which a program fills with code; by its name. */
bool collectors_is_generated(const char *name);

struct generated;

/*
 * What a process wrote down of its code, as Node.js, Java and others do for perf(1): /tmp/perf-PID.map, lines of START SIZE
 * NAME (hexadecimal), or jit-PID.dump, in the current directory, in /tmp or below ~/.debug/jit. NULL: there is no such
 * file, or it is neither the user's own nor root's, or no regular one.
 */
struct generated *collectors_generated_read(int32_t pid);
/* The same of an open file, which is closed. */
struct generated *collectors_generated_parse(FILE *file);
void collectors_generated_free(struct generated *generated);
/* The function at an address; what was written down last, as code is replaced. NULL = unknown. Borrowed. */
const char *collectors_generated_name(const struct generated *generated, uint64_t address);
/* The file of the source at an address, and its line; "" and 0 = unknown. Borrowed. */
const char *collectors_generated_line(const struct generated *generated, uint64_t address,
				      int64_t *line);

#endif
