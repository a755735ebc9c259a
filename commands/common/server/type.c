/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of content. */
#include <config.h>

#include <string.h>

#include "commands/common/server/server.h"

const char *server_type(const char *path)
{
	static const struct {
		const char *end, *type;
	} types[] = {{".html", "text/html; charset=utf-8"},
		     {".js", "text/javascript; charset=utf-8"},
		     {".json", "application/json"},
		     {".css", "text/css; charset=utf-8"}};
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t end = strlen(types[i].end);

		if (length >= end && strcmp(path + length - end, types[i].end) == 0)
			return types[i].type;
	}
	return "text/plain; charset=utf-8";
}
