/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes that alter no code. */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "core/dissect/changes.h"

static bool is_like_c(const char *path)
{
	static const char *const endings[] = {
		".c",  ".h",  ".cc", ".hh",   ".cpp", ".hpp", ".cxx", ".hxx", ".inl",  ".m",
		".mm", ".go", ".rs", ".java", ".cu",  ".cuh", ".zig", ".d",   ".swift"};
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t size = strlen(endings[i]);

		if (length > size && strcmp(path + length - size, endings[i]) == 0)
			return true;
	}
	return false;
}

/* The text without comments and without blanks; false where it cannot be said, in the middle of one. */
static bool strip(const char *text, struct perun_buffer *out)
{
	while (*text) {
		if (text[0] == '/' && text[1] == '/') {
			/* A line that goes on is a matter for the compiler. */
			size_t length = strcspn(text, "\n");

			if (text[length - 1] == '\\')
				return false;
			text += length;
		} else if (text[0] == '/' && text[1] == '*') {
			const char *end = strstr(text + 2, "*/");

			if (!end)
				return false;
			text = end + 2;
			perun_buffer_add_char(out, ' ');
		} else if (*text == '"' || *text == '\'' || *text == '`' || *text == '\\' ||
			   *text == '#') {
			return false;
		} else if (isspace((unsigned char)*text)) {
			if (out->length && out->data[out->length - 1] != ' ')
				perun_buffer_add_char(out, ' ');
			text++;
		} else if (text[0] == '*' && text[1] == '/') {
			return false;
		} else {
			perun_buffer_add_char(out, *text++);
		}
	}
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	perun_buffer_add(out, "", 0);
	return true;
}

bool change_is_plain(const struct perun_dissect_change *change)
{
	struct perun_buffer removed = {0}, added = {0};
	bool plain = change->kind == PERUN_DISSECT_CHANGE_LINES && is_like_c(change->file) &&
		     strip(change->removed, &removed) && strip(change->added, &added) &&
		     removed.length == added.length &&
		     (!added.length || memcmp(removed.data, added.data, added.length) == 0);

	perun_buffer_free(&removed);
	perun_buffer_free(&added);
	return plain;
}
