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

#include "cli/base/cli.h"

void cli_add_escaped(struct perun_buffer *out, const char *text, const char *special)
{
	char *safe = perun_printable(text ? text : "");

	for (const char *c = safe; *c; c++) {
		/* U+FFFE and U+FFFF are not characters. */
		if (strncmp(c, "\xEF\xBF\xBE", 3) == 0 || strncmp(c, "\xEF\xBF\xBF", 3) == 0) {
			perun_buffer_add_text(out, "\xEF\xBF\xBD");
			c += 2;
		} else if (strchr(special, *c)) {
			perun_buffer_printf(out, "&#%d;", *c);
		} else {
			perun_buffer_add_char(out, *c);
		}
	}
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

const char *cli_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
