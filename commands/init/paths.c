/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths that need not exist. */
#include <config.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paths.h"

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

char *init_absolute_path(const char *path)
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

char *init_relative_path(const char *from, const char *to)
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
