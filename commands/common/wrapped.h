/* SPDX-License-Identifier: BSD-3-Clause */
/* Words and parts of lines that wrap where the screen is too narrow. */
#ifndef PERUN_COMMANDS_COMMON_WRAPPED_H
#define PERUN_COMMANDS_COMMON_WRAPPED_H

#include <perun/command.h>

#include "views/common/bars.h"

/* What lines are printed on. */
struct commands_screen {
	bool color, unicode;
	unsigned width; /* columns; 0 = lines of any length */
};

/* The columns of lines: all of a file's or a program's, unless COLUMNS says how many there are. */
unsigned commands_line_width(bool terminal, unsigned width);
/* What a command prints its lines on. */
struct commands_screen commands_screen(const struct perun_command_call *call);

/* Lines of words that wrap where the screen is too narrow, with blanks before the first and others. Ends with a newline. */
void commands_add_wrapped(const struct commands_screen *screen, const char *words, unsigned first,
			  unsigned others, struct perun_buffer *text);

/* A line that is being made of parts; all pointers are borrowed. */
struct commands_parts {
	const struct commands_screen *screen;
	struct perun_buffer *text;
	size_t start; /* of the first line: blanks before its first part */
	size_t column, indent, width;
};

/* Add a part, `blanks` after the one before, on a new line where there is no room; none where it has no words. */
void commands_add_part(struct commands_parts *parts, enum views_color color, const char *words,
		       size_t blanks);

#endif
