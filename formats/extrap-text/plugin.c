/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: how the text format is recognized. */
#include <string.h>

#include "extrap-text.h"
#include "formats/common/plugin.h"

/* After comments and empty lines, the first section. */
static int probe_format(const struct perun_probe *probe)
{
	const char *at = probe->data, *end = at + probe->size;

	if (probe->directory)
		return 0;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		if (length >= 10 && memcmp(at, "PARAMETER", 9) == 0 && strchr(" \t", at[9]))
			return 95;
		if (length && at[0] != '#' && at[0] != '\r')
			return 0;
		at += length + 1;
	}
	return 0;
}

static const char *const marks[] = {"PARAMETER", NULL};

FORMAT_PLUGIN(extrap_text, "extrap-text", "Extra-P's text format", NULL, .contains = marks,
	      .probe = probe_format, .read = extraptext_read, .write = extraptext_write);
