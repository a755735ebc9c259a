/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of CSV. */
#ifndef PERUN_COMMANDS_DATA_CSV_H
#define PERUN_COMMANDS_DATA_CSV_H

#include <perun/context.h>

/* Append a field, in quotes where it needs them, and the character after it: a comma or a newline. */
void csv_add_field(struct perun_buffer *line, const char *text, char after);

#endif
