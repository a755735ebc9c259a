/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a version in a directory of their own, prepared by execute.pre_run. */
#include <config.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/json.h>

#include "cli/worktree.h"
#include "core/job/shell.h"
#include "core/path/path.h"

/* ---- commands -------------------------------------------------------------------------------- */

int cli_commands_read(struct cli *cli, const char *key, struct perun_words *commands)
{
	struct perun_json *setting = NULL;
	const char *text;
	int status =
		perun_config_document(cli->ctx, cli->store, PERUN_CONFIG_NEAREST, key, &setting);

	text = status ? NULL : perun_json_as_string(setting, NULL);
	if (text)
		perun_words_add(commands, text, strlen(text));
	for (size_t i = 0; !status && i < perun_json_count(setting); i++) {
		text = perun_json_as_string(perun_json_at(setting, i), NULL);
		if (text)
			perun_words_add(commands, text, strlen(text));
		else
			status = perun_fail(cli->ctx, PERUN_INPUT,
					    "%s: entry %zu is no text; put it in quotes", key,
					    i + 1);
	}
	perun_json_free(setting);
	return status;
}

int cli_commands_build(struct cli *cli, const struct perun_words *commands, const char *minor,
		       const char *directory, int log, const char *log_path, bool *failed)
{
	int status = PERUN_OK;

	*failed = false;
	for (size_t i = 0; !status && i < commands->count; i++) {
		struct perun_shell shell = {
			.command = commands->items[i], .directory = directory, .log = log};
		int code;

		if (cli->verbose)
			perun_note(cli->ctx, "running %s in %s", shell.command, directory);
		status = perun_shell_run(cli->ctx, &shell, &code);
		if (status || code == 0)
			continue;
		*failed = true;
		status = perun_fail(cli->ctx, PERUN_INPUT,
				    "'%s' failed (exit status %d) at version %.8s; its output is "
				    "in %s",
				    shell.command, code, minor, log_path);
	}
	return status;
}

int cli_log_open(struct cli *cli, const char *minor, const char *name, char **path)
{
	*path = perun_format("%s/logs/%s-%s.log", perun_store_path(cli->store), minor, name);
	/* A new file: the old one may have another name elsewhere. */
	perun_path_unlink(*path);
	return perun_path_open(*path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0666);
}

/* ---- the tree -------------------------------------------------------------------------------- */

char *cli_worktree_directory(struct cli *cli, struct perun_vcs *vcs, const char *tree)
{
	char *here = cli_absolute_path("."), *root = NULL, *inside, *directory;
	struct stat facts;

	if (perun_vcs_discover(cli->ctx, vcs, here, &root)) {
		perun_ctx_clear(cli->ctx);
		root = NULL;
	}
	directory = perun_strdup(tree);
	if (root && strncmp(here, root, strlen(root)) == 0) {
		inside = perun_format("%s%s", tree, here + strlen(root));
		if (stat(inside, &facts) == 0 && S_ISDIR(facts.st_mode)) {
			perun_free(directory);
			directory = perun_strdup(inside);
		}
		perun_free(inside);
	}
	perun_free(root);
	perun_free(here);
	return directory;
}

static int prepare(struct cli *cli, const char *minor, const char *root, int log,
		   const char *log_path)
{
	struct perun_words commands = {0};
	bool failed;
	int status = cli_commands_read(cli, "execute.pre_run", &commands);

	if (!status) {
		status = cli_commands_build(cli, &commands, minor, root, log, log_path, &failed);
		if (status == PERUN_INPUT)
			perun_fail(cli->ctx, PERUN_OK, "execute.pre_run");
	}
	perun_words_free(&commands);
	return status;
}

int cli_worktree_open(struct cli *cli, struct perun_vcs *vcs, const char *minor, int log,
		      const char *log_path, struct cli_worktree *tree)
{
	int status;

	*tree = (struct cli_worktree){.vcs = vcs};
	status = perun_scratch_make(cli->ctx, "perun-version", &tree->base);
	if (!status) {
		tree->root = perun_format("%s/tree", tree->base.path);
		status = perun_vcs_export_version(cli->ctx, vcs, minor, tree->root);
	}
	if (!status) {
		tree->directory = cli_worktree_directory(cli, vcs, tree->root);
		status = prepare(cli, minor, tree->root, log, log_path);
	}
	if (status)
		cli_worktree_close(cli, tree);
	return status;
}

int cli_worktree_here(struct cli *cli, struct perun_vcs *vcs, const char *minor, int log,
		      const char *log_path, struct cli_worktree *tree)
{
	char *here = cli_absolute_path("."), *root = NULL;
	int status = perun_vcs_discover(cli->ctx, vcs, here, &root);

	*tree = (struct cli_worktree){.vcs = vcs};
	if (!status)
		status = perun_vcs_checkout(cli->ctx, vcs, minor);
	if (!status)
		status = prepare(cli, minor, root ? root : here, log, log_path);
	/* A version need not have the directory. */
	if (!status)
		tree->directory = perun_strdup(access(here, X_OK) == 0 || !root ? here : root);
	perun_free(here);
	perun_free(root);
	return status;
}

void cli_worktree_close(struct cli *cli, struct cli_worktree *tree)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);

	(void)cli;
	if (tree->root && access(tree->root, F_OK) == 0)
		perun_vcs_remove_export(quiet, tree->vcs, tree->root);
	perun_scratch_remove(&tree->base);
	perun_ctx_free(quiet);
	perun_free(tree->root);
	perun_free(tree->directory);
	*tree = (struct cli_worktree){0};
}
