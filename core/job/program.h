/* SPDX-License-Identifier: BSD-3-Clause */
/* What an ELF file says of how it was built. */
#ifndef PERUN_CORE_JOB_PROGRAM_H
#define PERUN_CORE_JOB_PROGRAM_H

#include <perun/context.h>
#include <perun/json.h>

/*
 * Add "compiler" (where the file names it), "linking" and "libraries" of a program, found as execvp() does
 * it in a directory, to the note of the machine. Nothing for scripts and files of another architecture.
 */
void perun_describe_program(const char *name, const char *directory, struct perun_json *machine);

/*
 * After a program failed in the files of a version: warn of paths among its words that are there where the user is, and
 * are not in `directory`; and of a program that is not.
 */
void perun_warn_of_missing_paths(struct perun_ctx *ctx, char *const *argv, const char *directory);

#endif
