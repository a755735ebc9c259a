/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a version in a directory of their own, prepared by execute.pre_run. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/json.h>

#include "cli/worktree.h"

/* ---- execute.pre_run ------------------------------------------------------------------------- */

int cli_shell(const char *command, const char *directory, int log)
{
	pid_t child = fork();
	int code;

	if (child == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		if (chdir(directory) != 0)
			_exit(126);
		if (log >= 0) {
			dup2(log, STDOUT_FILENO);
			dup2(log, STDERR_FILENO);
		} else {
			dup2(STDERR_FILENO, STDOUT_FILENO);
		}
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (child < 0)
		return -1;
	while (waitpid(child, &code, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
}

static int run_commands(struct cli *cli, const struct perun_json *commands, const char *minor,
			const char *directory)
{
	char *path = perun_format("%s/logs/%s-precollect.log", perun_store_path(cli->store), minor);
	int log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0666);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < perun_json_count(commands); i++) {
		const char *command = perun_json_as_string(perun_json_at(commands, i), NULL);
		int code;

		if (!command) {
			status = perun_fail(cli->ctx, PERUN_INPUT,
					    "execute.pre_run: entry %zu is no text; put it in "
					    "quotes",
					    i + 1);
			break;
		}
		if (cli->verbose)
			perun_note(cli->ctx, "running %s in %s", command, directory);
		code = cli_shell(command, directory, log);
		if (cli_interrupted())
			status = perun_fail(cli->ctx, PERUN_CANCELLED, "interrupted");
		else if (code != 0)
			status = perun_fail(cli->ctx, PERUN_INPUT,
					    "execute.pre_run: '%s' failed (exit status %d) at "
					    "version %.8s; its output is in %s",
					    command, code, minor, path);
	}
	if (log >= 0)
		close(log);
	perun_free(path);
	return status;
}

static int prepare(struct cli *cli, const char *minor, const struct cli_worktree *tree)
{
	struct perun_json *commands = NULL;
	int status = perun_config_document(cli->ctx, cli->store, PERUN_CONFIG_NEAREST,
					   "execute.pre_run", &commands);

	if (!status && perun_json_count(commands))
		status = run_commands(cli, commands, minor, tree->root);
	perun_json_free(commands);
	return status;
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

int cli_worktree_open(struct cli *cli, struct perun_vcs *vcs, const char *minor,
		      struct cli_worktree *tree)
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
		status = prepare(cli, minor, tree);
	}
	if (status)
		cli_worktree_close(cli, tree);
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
