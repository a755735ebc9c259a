/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of CSV. */
#include "csv.h"

#include <string.h>

void csv_add_field(struct perun_buffer *line, const char *text, char after)
{
	bool quoted = strpbrk(text, ",\"\r\n;|\t") || *text == '#' || *text == ' ';

	if (quoted)
		perun_buffer_add_char(line, '"');
	for (; *text; text++) {
		if (*text == '"')
			perun_buffer_add_char(line, '"');
		perun_buffer_add_char(line, *text);
	}
	if (quoted)
		perun_buffer_add_char(line, '"');
	perun_buffer_add_char(line, after);
}
