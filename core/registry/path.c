/* SPDX-License-Identifier: BSD-3-Clause */
/* Where plugins are looked for, and which places are trusted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/registry/registry-private.h"

int plugin_path_check(struct perun_ctx *ctx, const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return perun_fail_errno(ctx, PERUN_MISSING, errno, "%s", path);
	if (status.st_mode & S_IWOTH)
		return perun_fail(ctx, PERUN_MISSING,
				  "%s is refused: every user can write to it (chmod o-w)", path);
	if (status.st_uid != 0 && status.st_uid != geteuid())
		return perun_fail(ctx, PERUN_MISSING,
				  "%s is refused: it belongs to another user (uid %lu)", path,
				  (unsigned long)status.st_uid);
	return PERUN_OK;
}

struct walk {
	struct perun_ctx *ctx;
	plugin_directory_visit *visit;
	void *data;
	char **seen;
	size_t count, capacity;
};

static void visit_directory(struct walk *walk, const char *directory)
{
	struct perun_ctx *trouble;

	for (size_t i = 0; i < walk->count; i++) {
		if (strcmp(walk->seen[i], directory) == 0)
			return;
	}
	PERUN_GROW(walk->seen, walk->count, walk->capacity);
	walk->seen[walk->count++] = perun_strdup(directory);
	if (access(directory, F_OK) != 0)
		return;
	trouble = perun_ctx_new(NULL);
	if (plugin_path_check(trouble, directory) == PERUN_OK)
		walk->visit(walk->ctx, directory, walk->data);
	else
		perun_warn(walk->ctx, "plugin directory %s", perun_ctx_error(trouble));
	perun_ctx_free(trouble);
}

static void visit_list(struct walk *walk, const char *list)
{
	while (list) {
		const char *colon = strchr(list, ':');
		char *directory =
			colon ? perun_strndup(list, (size_t)(colon - list)) : perun_strdup(list);

		/* A relative one would mean the current directory: cloned code must not run. */
		if (*directory == '/')
			visit_directory(walk, directory);
		else if (*directory == '\0')
			visit_directory(walk, PERUN_PLUGIN_DIR);
		else
			perun_warn(walk->ctx,
				   "PERUN_PLUGIN_PATH: %s is left out: not an absolute path",
				   directory);
		perun_free(directory);
		list = colon ? colon + 1 : NULL;
	}
}

void plugin_path_walk(struct perun_ctx *ctx, plugin_directory_visit *visit, void *data)
{
	struct walk walk = {.ctx = ctx, .visit = visit, .data = data};
	const char *list = secure_getenv("PERUN_PLUGIN_PATH");
	const char *user = secure_getenv("XDG_DATA_HOME");
	const char *home = secure_getenv("HOME");
	char *directory = NULL;

	if (list && *list)
		visit_list(&walk, list);
	if (user && *user == '/')
		directory = perun_format("%s/perun/plugins", user);
	else if (home && *home == '/')
		directory = perun_format("%s/.local/share/perun/plugins", home);
	if (directory)
		visit_directory(&walk, directory);
	perun_free(directory);
	visit_directory(&walk, PERUN_PLUGIN_DIR);
	for (size_t i = 0; i < walk.count; i++)
		perun_free(walk.seen[i]);
	perun_free(walk.seen);
}
