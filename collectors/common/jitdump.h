/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that a just-in-time compiler writes for perf(1): jit-PID.dump. */
#ifndef PERUN_COLLECTORS_JITDUMP_H
#define PERUN_COLLECTORS_JITDUMP_H

#include <stdio.h>

#include <perun/context.h>

/* A line of source that code begins at. Texts are borrowed during the call. */
struct jitdump_line {
	uint64_t address;
	const char *file;
	int64_t line;
};

/* What is found in a dump, in its order; `data` is that of jitdump_read(). */
struct jitdump_handler {
	/* A function's code was written; lines of it were reported just before. */
	void (*code)(void *data, uint64_t start, uint64_t size, const char *name);
	/* Code was moved from one address to another. */
	void (*move)(void *data, uint64_t from, uint64_t to, uint64_t size);
	void (*line)(void *data, const struct jitdump_line *line);
};

/*
 * Read a dump as far as it is whole: a program that was killed leaves an unfinished record. False: it is no dump, or one of a
 * machine with another order of bytes. The format is described with perf: tools/perf/Documentation/jitdump-specification.txt
 * of the Linux sources, version 1.
 */
bool jitdump_read(FILE *file, const struct jitdump_handler *handler, void *data);

#endif
