/* SPDX-License-Identifier: BSD-3-Clause */
/* Text with names of a profile, for a terminal. */
#include "safe-lines.h"

#include <string.h>

void commands_print_lines(struct perun_output *output, const struct perun_buffer *text)
{
	for (size_t i = 0; i < text->length;) {
		size_t length = strcspn(text->data + i, "\n");
		char *line = perun_strndup(text->data + i, length), *safe = perun_printable(line);

		perun_output_printf(output, "%s\n", safe);
		perun_free(safe);
		perun_free(line);
		i += length + 1;
	}
}
