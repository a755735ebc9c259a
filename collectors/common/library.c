/* SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/common/library.h"

int collectors_find_library(struct perun_ctx *ctx, const char *name, const char *variable,
			    char **path)
{
	const char *given = secure_getenv(variable), *slash;
	Dl_info info;

	*path = NULL;
	if (given && *given) {
		*path = perun_strdup(given);
	} else if (dladdr((void *)(uintptr_t)collectors_find_library, &info) && info.dli_fname) {
		slash = strrchr(info.dli_fname, '/');
		*path = perun_format("%.*s/%s", slash ? (int)(slash - info.dli_fname) : 1,
				     slash ? info.dli_fname : ".", name);
	}
	if (!*path || access(*path, R_OK) != 0) {
		perun_free(*path);
		*path = perun_format("%s/%s", COLLECTORS_PLUGIN_FOLDER, name);
	}
	if (access(*path, R_OK) == 0)
		return PERUN_OK;
	return perun_fail(
		ctx, PERUN_MISSING,
		"the library %s is missing; install it beside the plugin, or set %s to its "
		"path",
		name, variable);
}
