/* SPDX-License-Identifier: BSD-3-Clause */
/* What an ELF file says of how it was built. */
#ifndef PERUN_CORE_JOB_PROGRAM_H
#define PERUN_CORE_JOB_PROGRAM_H

#include <perun/json.h>

/*
 * Add "compiler" (where the file names it), "linking" and "libraries" of a program, found as execvp() does
 * it in a directory, to the note of the machine. Nothing for scripts and files of another architecture.
 */
void perun_describe_program(const char *name, const char *directory, struct perun_json *machine);

#endif
