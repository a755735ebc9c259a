/* SPDX-License-Identifier: BSD-3-Clause */
/* What a file of a project is for, as far as its name says. */
#ifndef PERUN_CORE_DISSECT_FILE_KINDS_H
#define PERUN_CORE_DISSECT_FILE_KINDS_H

#include <stdbool.h>

bool file_is_source(
	const char *
		path); /* given to a compiler by name: each build system knows what depends on it */
bool file_is_header(const char *path);
bool file_is_text(const char *path);  /* for people: nothing is built from it */
bool file_is_test(const char *path);  /* of Go, whose programs are built without */
bool file_is_build(const char *path); /* says how others are built */
/* Made on the way to a program, which does not read it when it runs. */
bool file_is_by_product(const char *path);

#endif
