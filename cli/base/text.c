/* SPDX-License-Identifier: BSD-3-Clause */
/* First lines and rates as texts. */
#include <config.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/json.h>
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

void cli_format_rate(double value, char text[64])
{
	char number[PERUN_JSON_NUMBER_SIZE], rounded[400];

	if (isfinite(value)) {
		/* The decimal rounding of printf is exact, as Python's round() is. */
		snprintf(rounded, sizeof rounded, "%.2f", value);
		value = perun_strtod(rounded, NULL);
	}
	perun_json_print_double(value, number);
	if (isnan(value) || isinf(value))
		snprintf(text, 64, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
	else
		snprintf(text, 64, "%s", number);
}
