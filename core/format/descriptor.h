/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs of files that are open already. */
#ifndef PERUN_CORE_FORMAT_DESCRIPTOR_H
#define PERUN_CORE_FORMAT_DESCRIPTOR_H

#include <perun/format.h>

/* Reads a regular file from its start, by a copy of `fd`; `path` is its name. `*input` is NULL after a failure. */
int perun_input_open_descriptor(struct perun_ctx *ctx, int fd, const char *path,
				struct perun_input **input);

/* What the shell's <(command) gives: a path of a pipe that is open already. */
bool perun_is_open_descriptor(const char *path);

#endif
