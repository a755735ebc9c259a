/* SPDX-License-Identifier: BSD-3-Clause */
/* A failure as a program reads it: {"error": {"message", "file", "line", "exit"}}. */
#include "failure.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>

/* The place after `end`, a colon of a message: "line 12" or "12:". 0 when there is none. */
static long line_after(const char *end)
{
	const char *number = end + 1;
	char *rest;
	long line;

	if (strncmp(number, " line ", 6) == 0)
		number += 6;
	else if (!isdigit((unsigned char)*number))
		return 0;
	line = strtol(number, &rest, 10);
	return rest != number && (number > end + 1 || *rest == ':') && line > 0 ? line : 0;
}

static void add_place(struct perun_json *error, const char *message)
{
	const char *start = message, *colon;

	for (colon = strchr(message, ':'); colon; colon = strchr(colon + 1, ':')) {
		long line = line_after(colon);

		if (line) {
			char *file = perun_format("%.*s", (int)(colon - start), start);

			perun_json_set(error, "file", perun_json_text(file));
			perun_free(file);
			perun_json_set(error, "line", perun_json_int64(line));
			return;
		}
		if (colon[1] == ' ')
			start = colon + 2;
	}
	perun_json_set(error, "file", perun_json_null());
	perun_json_set(error, "line", perun_json_null());
}

char *commands_failure(const char *message, int status)
{
	struct perun_json *document = perun_json_object(), *error = perun_json_object();
	struct perun_buffer text = {0};

	perun_json_set(error, "message", perun_json_text(message));
	add_place(error, message);
	perun_json_set(error, "exit", perun_json_int64(status));
	perun_json_set(document, "error", error);
	perun_json_print(document, &text, PERUN_JSON_INDENTED, 2);
	perun_buffer_add_char(&text, '\n');
	perun_json_free(document);
	return perun_buffer_take(&text);
}
