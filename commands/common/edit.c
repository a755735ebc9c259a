/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's editor. */
#include "edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/lib/path.h>
#include <perun/lib/trust.h>

bool commands_is_installed(const char *command)
{
	size_t length = strcspn(command, " \t");
	const char *path = getenv("PATH"), *end;
	bool found = false;

	if (strcspn(command, "/=$&;|()<>\"'\\`") < length)
		return true;
	for (; path && !found; path = *end ? end + 1 : NULL) {
		char *file;

		end = path + strcspn(path, ":");
		file = perun_format("%.*s/%.*s", (int)(end - path), path, (int)length, command);
		found = access(file, X_OK) == 0;
		perun_free(file);
	}
	return found;
}

/* That of the project if it is trusted, else the user's own. The caller frees it. */
static char *configured_editor(struct perun_ctx *ctx, struct perun_store *store)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	enum perun_config_scope scope = PERUN_CONFIG_NEAREST;
	char *editor = NULL;

	if (store && !perun_trust_allows(quiet, store, "general.editor")) {
		scope = PERUN_CONFIG_SHARED;
		if (!perun_ctx_error(quiet))
			perun_warn(ctx,
				   "the project's general.editor is not used: you have not trusted "
				   "%s/local.yml; 'perun trust' shows its commands and asks",
				   perun_store_path(store));
		perun_ctx_clear(quiet);
	}
	if (perun_config_get(quiet, store, scope, "general.editor", &editor))
		editor = NULL;
	perun_ctx_free(quiet);
	return editor;
}

int commands_edit_file(struct perun_ctx *ctx, struct perun_store *store, const char *path)
{
	const char *variables[] = {"PERUN_EDITOR", "VISUAL", "EDITOR"};
	const char *editor = NULL;
	char *setting = NULL;
	int status = PERUN_OK, code;
	struct stat info;
	pid_t child;

	/* Only that of a store is reported as a link: the editor would follow it. */
	if (perun_path_stat(path, &info) == 0 ? S_ISLNK(info.st_mode) : errno == ELOOP)
		return perun_fail_errno(ctx, PERUN_INPUT, ELOOP, "cannot edit %s", path);
	for (size_t i = 0; !editor && i < 3; i++) {
		editor = getenv(variables[i]);
		if (editor && !*editor)
			editor = NULL;
	}
	if (!editor)
		editor = setting = configured_editor(ctx, store);
	if (!editor)
		editor = "vi";
	if (!commands_is_installed(editor)) {
		status = perun_fail(ctx, PERUN_MISSING,
				    "cannot run the editor %s: set general.editor or the "
				    "environment variable EDITOR, or edit %s yourself",
				    editor, path);
		perun_free(setting);
		return status;
	}
	fflush(stdout);
	child = fork();
	if (child == 0) {
		/* The editor may come with options: "code --wait". */
		char *command = perun_format("%s \"$1\"", editor);

		execl("/bin/sh", "sh", "-c", command, "perun", path, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &code, 0) < 0)
		status = perun_fail_errno(ctx, PERUN_MISSING, errno, "cannot run the editor %s",
					  editor);
	else if (!WIFEXITED(code) || WEXITSTATUS(code) == 127)
		status = perun_fail(ctx, PERUN_MISSING,
				    "cannot run the editor %s: set general.editor or the "
				    "environment variable EDITOR, or edit %s yourself",
				    editor, path);
	else if (WEXITSTATUS(code) != 0)
		status = perun_fail(ctx, PERUN_INPUT, "the editor %s failed", editor);
	perun_free(setting);
	return status;
}
