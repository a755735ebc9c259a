/* SPDX-License-Identifier: BSD-3-Clause */
/* Times, first lines, rates and paths as texts. */
#include <config.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/json.h>

#include "cli/cli.h"

void cli_format_time(int64_t seconds, char text[32])
{
	time_t time = (time_t)seconds;
	struct tm parts;

	if (!localtime_r(&time, &parts) || !strftime(text, 32, "%Y-%m-%d %H:%M:%S", &parts))
		snprintf(text, 32, "%lld", (long long)seconds);
}

void cli_add_escaped(struct perun_buffer *out, const char *text, const char *special)
{
	char *safe = perun_printable(text ? text : "");

	for (const char *c = safe; *c; c++) {
		/* U+FFFE and U+FFFF are no characters. */
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

/* Take "." and ".." and doubled slashes out of an absolute path. */
static char *clean_path(char *path)
{
	char *from = path, *to = path;

	while (*from) {
		size_t length;

		from += strspn(from, "/");
		length = strcspn(from, "/");
		if (length == 2 && from[0] == '.' && from[1] == '.') {
			while (to > path && *--to != '/')
				;
		} else if (length > 0 && !(length == 1 && from[0] == '.')) {
			*to++ = '/';
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
	return path;
}

char *cli_absolute_path(const char *path)
{
	char *resolved = realpath(path, NULL), *directory, *text;

	if (resolved) {
		text = perun_strdup(resolved);
		free(resolved);
		return text;
	}
	if (*path == '/')
		return clean_path(perun_strdup(path));
	directory = getcwd(NULL, 0);
	text = clean_path(perun_format("%s/%s", directory ? directory : "", path));
	free(directory);
	return text;
}

char *cli_relative_path(const char *from, const char *to)
{
	struct perun_buffer text = {0};
	size_t common = 0, i = 0;

	for (;; i++) {
		bool from_ends = from[i] == '/' || from[i] == '\0';
		bool to_ends = to[i] == '/' || to[i] == '\0';

		if (from_ends && to_ends)
			common = i;
		if (from[i] != to[i] || from[i] == '\0')
			break;
	}
	for (i = common; from[i]; i++) {
		if (from[i] == '/' && from[i + 1])
			perun_buffer_add_text(&text, text.length ? "/.." : "..");
	}
	if (to[common] && to[common + 1]) {
		if (text.length)
			perun_buffer_add_char(&text, '/');
		perun_buffer_add_text(&text, to + common + (to[common] == '/'));
	}
	if (!text.length)
		perun_buffer_add_char(&text, '.');
	return perun_buffer_take(&text);
}

const char *cli_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool cli_is_checksum(const char *text)
{
	size_t digits = strspn(text, "0123456789abcdef");

	return (digits == 40 || digits == 64) && text[digits] == '\0';
}
