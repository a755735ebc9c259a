/* SPDX-License-Identifier: BSD-3-Clause */
/* Small things: texts. */
#include <config.h>

#include <string.h>

#include <perun/lib/page.h>

#include "cli/base/cli.h"

void cli_add_escaped(struct perun_buffer *out, const char *text, const char *special)
{
	char *safe = perun_printable(text ? text : "");

	/* U+FFFE and U+FFFF are not characters. */
	for (char *c = safe; (c = strstr(c, "\xEF\xBF")); c += 3)
		if (c[2] == '\xBE' || c[2] == '\xBF')
			c[2] = '\xBD';
	perun_page_add_text(out, safe, strlen(safe), special);
	perun_free(safe);
}

char *cli_subject(const char *description)
{
	return perun_strndup(description, strcspn(description, "\r\n"));
}
