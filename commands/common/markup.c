/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts from anywhere in Markdown, HTML and XML. */
#include <config.h>

#include <string.h>

#include <perun/lib/page.h>

#include "markup.h"

void commands_add_escaped(struct perun_buffer *out, const char *text, const char *special)
{
	char *safe = perun_printable(text ? text : "");

	/* U+FFFE and U+FFFF are not characters. */
	for (char *c = safe; (c = strstr(c, "\xEF\xBF")); c += 3)
		if (c[2] == '\xBE' || c[2] == '\xBF')
			c[2] = '\xBD';
	perun_page_add_text(out, safe, strlen(safe), special);
	perun_free(safe);
}

#define MARKS "&<>|`*_[]\\#~@!"

void commands_add_code(struct perun_buffer *out, const char *text, bool cell)
{
	char *safe = perun_printable(text ? text : "");
	size_t length = strlen(safe), fence = 1, run = 0;
	bool padded = length && (strchr("` ", safe[0]) || strchr("` ", safe[length - 1]));

	for (size_t i = 0; i < length; i++) {
		run = safe[i] == '`' ? run + 1 : 0;
		fence = run >= fence ? run + 1 : fence;
	}
	for (size_t i = 0; length && i < fence; i++)
		perun_buffer_add_char(out, '`');
	perun_buffer_add_text(out, padded ? " " : "");
	for (size_t i = 0; i < length; i++) {
		/* A cell of a table ends before code does; an escaped backslash must not result from it. */
		if (cell && safe[i] == '|')
			perun_buffer_add_text(out, i && safe[i - 1] == '\\' ? " \\" : "\\");
		perun_buffer_add_char(out, safe[i]);
	}
	perun_buffer_add_text(out, padded ? " " : "");
	for (size_t i = 0; length && i < fence; i++)
		perun_buffer_add_char(out, '`');
	perun_free(safe);
}

void commands_add_prose(struct perun_buffer *out, const char *text, bool cell)
{
	if (text && (strpbrk(text, "@#!~$%&^") || strstr(text, "://") || strcasestr(text, "www.") ||
		     strcasestr(text, "gh-")))
		commands_add_code(out, text, cell);
	else
		commands_add_escaped(out, text, MARKS);
}
