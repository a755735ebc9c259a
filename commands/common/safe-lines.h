/* SPDX-License-Identifier: BSD-3-Clause */
/* Text with names of a profile, for a terminal. */
#ifndef PERUN_COMMANDS_SAFE_LINES_H
#define PERUN_COMMANDS_SAFE_LINES_H

#include <perun/format.h>

/* Write the lines of a text without what could drive a terminal. */
void commands_print_lines(struct perun_output *output, const struct perun_buffer *text);

#endif
