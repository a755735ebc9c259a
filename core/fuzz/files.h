/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs as files, byte for byte. */
#ifndef PERUN_CORE_FUZZ_FILES_H
#define PERUN_CORE_FUZZ_FILES_H

#include <perun/context.h>
#include <perun/lib/program.h>

/* Appends all of it. */
int fuzz_read_file(struct perun_ctx *ctx, const char *path, struct perun_buffer *text);
/* DIRECTORY/NAME, which is there whole or not at all. */
int fuzz_write_file(struct perun_ctx *ctx, const char *directory, const char *name,
		    const char *bytes, size_t size);
/* A file as it is; of a directory all files below it whose names do not begin with a dot, in the order of their names. */
int fuzz_list_files(struct perun_ctx *ctx, const char *path, struct perun_words *files);

#endif
