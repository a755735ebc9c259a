/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: how callgrind's format is recognized. */
#include <string.h>

#include "callgrind.h"
#include "formats/common/plugin.h"

/* A line "events:" in the heading; the signature is not always there. */
static int probe_format(const struct perun_probe *probe)
{
	const char *at = probe->data, *end = at + probe->size;
	bool version = false;

	if (probe->directory)
		return 0;
	if (probe->size >= 18 && memcmp(at, "# callgrind format", 18) == 0)
		return 100;
	for (int i = 0; i < 64 && at < end; i++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		version |= length > 8 && memcmp(at, "version:", 8) == 0;
		if (length > 7 && memcmp(at, "events:", 7) == 0)
			return version ? 90 : 70;
		at += length + 1;
	}
	return 0;
}

static const char *const marks[] = {"# callgrind format", "events:", NULL};

FORMAT_PLUGIN(callgrind, "callgrind", "files of valgrind's callgrind", NULL,
	      .patterns = "callgrind.out* cachegrind.out* *.callgrind", .contains = marks,
	      .probe = probe_format, .read = callgrind_read, .write = callgrind_write);
