/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding and opening a repository, and saying what to do when that cannot be. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gitvcs.h"
#include "plain.h"

/* ---- why a repository cannot be opened ------------------------------------------------------- */

/* The owner of `path` or of its .git is neither the user nor (for root) the user who ran sudo. */
static bool is_foreign(const char *path, char **place)
{
	char *inner = perun_format("%s/.git", path);
	const char *candidates[] = {path, inner}, *sudo = getenv("SUDO_UID");
	bool foreign = false;
	struct stat info;

	for (int i = 0; !foreign && i < 2; i++) {
		if (lstat(candidates[i], &info) < 0 || info.st_uid == geteuid())
			continue;
		if (geteuid() == 0 && sudo && info.st_uid == (uid_t)strtoul(sudo, NULL, 10))
			continue;
		foreign = true;
		*place = perun_strdup(path);
	}
	perun_free(inner);
	return foreign;
}

/* For a path below a repository: the owner of which directory above it is in the way. */
static bool find_foreign(const char *path, char **place)
{
	char *copy = perun_strdup(path), *slash;
	bool foreign = false;

	for (;;) {
		char *inner = perun_format("%s/.git", copy);
		bool here = !access(inner, F_OK);

		perun_free(inner);
		if (here || !strcmp(copy, path))
			foreign = is_foreign(copy, place);
		if (here || foreign || !(slash = strrchr(copy, '/')) || slash == copy)
			break;
		*slash = '\0';
	}
	perun_free(copy);
	return foreign;
}

/* There is none, or it may not be looked into, which is "not found" for libgit2 too. */
static int fail_not_found(struct perun_ctx *ctx, const char *path)
{
	char *inner = perun_format("%s/.git/HEAD", path);
	bool hidden = access(inner, R_OK) < 0 && errno == EACCES;

	perun_free(inner);
	if (hidden)
		return perun_fail(ctx, PERUN_INPUT, "cannot read the git repository in %s/.git: %s",
				  path, strerror(EACCES));
	return perun_fail(ctx, PERUN_INPUT, "%s: no git repository here; git init makes one", path);
}

static int fail_open(struct perun_ctx *ctx, const char *path, int error)
{
	const git_error *last = git_error_last();
	const char *reason = last && last->message ? last->message : "";
	char *place = NULL;
	int status;

	if (strstr(reason, "extensions.objectformat"))
		return perun_fail(ctx, PERUN_INPUT,
				  "%s: a repository with SHA-256 checksums; only those with SHA-1 "
				  "are supported (git init --object-format=sha1 makes one)",
				  path);
	if (strstr(reason, "extensions.refstorage"))
		return perun_fail(ctx, PERUN_INPUT,
				  "%s: the references are stored as \"reftable\", which is not "
				  "supported; git refs migrate --ref-format=files converts them",
				  path);
	if (find_foreign(path, &place)) {
		status = perun_fail(ctx, PERUN_INPUT,
				    "%s belongs to another user, so git does not trust it; if you "
				    "do: git config --global --add safe.directory %s",
				    place, place);
		perun_free(place);
		return status;
	}
	if (error == GIT_ENOTFOUND)
		return fail_not_found(ctx, path);
	return gitvcs_fail(ctx, PERUN_INPUT, "%s: cannot open the git repository", path);
}

/* Whether the git program would work there: it knows safe.directory in all its forms. */
static bool program_trusts(const char *path)
{
	struct gitvcs nowhere = {.state_lock = -1};
	struct gitvcs_run run = {.directory = path,
				 .flags = GITVCS_READ_ONLY | GITVCS_MAY_FAIL | GITVCS_PLAIN_PLACE};
	bool trusts;

	trusts = gitvcs_git(&nowhere, NULL, &run, "rev-parse", "--git-dir", NULL) == PERUN_OK &&
		 !run.code;
	gitvcs_run_free(&run);
	return trusts;
}

/* git_repository_open_ext(), with git's own judgement of who may be trusted. */
static int open_trusted(git_repository **repository, const char *path, unsigned flags,
			const char *ceilings)
{
	char *place = NULL;
	int error = git_repository_open_ext(repository, path, flags, ceilings);

	/* libgit2 1.5 says "not found" too when it finds a foreign owner and no safe.directory. */
	if (!error || !path || !find_foreign(path, &place))
		return error;
	perun_free(place);
	if (!program_trusts(path))
		return error;
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	error = git_repository_open_ext(repository, path, flags, ceilings);
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 1);
	return error;
}

/* ---- attach ---------------------------------------------------------------------------------- */

/* A copy without slashes at the end. */
static char *directory_text(const char *path)
{
	size_t length = path ? strlen(path) : 0;

	while (length > 1 && path[length - 1] == '/')
		length--;
	return path ? perun_strndup(path, length) : NULL;
}

/* The repository that GIT_DIR and GIT_WORK_TREE name; libgit2 1.5 does not know the latter. */
static int open_from_environment(git_repository **repository)
{
	const char *git_dir = getenv("GIT_DIR"), *work_tree = getenv("GIT_WORK_TREE");
	int error;

	if (!git_dir || !*git_dir)
		return GIT_ENOTFOUND;
	error = open_trusted(repository, git_dir,
			     GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_NO_DOTGIT, NULL);
	if (error)
		return error;
	if (work_tree && *work_tree) {
		char *place = realpath(work_tree, NULL);

		error = place ? git_repository_set_workdir(*repository, place, 0) : GIT_ENOTFOUND;
		free(place);
	}
	if (error) {
		git_repository_free(*repository);
		*repository = NULL;
	}
	return error;
}

/* The repository of the environment, if `url` is its work tree: a work tree without a .git. */
static int open_elsewhere(git_repository **repository, const char *url)
{
	int error = open_from_environment(repository);
	char *there = NULL, *here;

	if (error)
		return error;
	if (git_repository_workdir(*repository))
		there = realpath(git_repository_workdir(*repository), NULL);
	here = realpath(url, NULL);
	if (!there || !here || strcmp(there, here) != 0) {
		git_repository_free(*repository);
		*repository = NULL;
		error = GIT_ENOTFOUND;
	}
	free(there);
	free(here);
	return error;
}

/* What is said of places, of the repository that is open. */
static void set_places(struct gitvcs *vcs)
{
	perun_free(vcs->git_dir);
	perun_free(vcs->common_dir);
	perun_free(vcs->work_dir);
	vcs->git_dir = directory_text(git_repository_path(vcs->repository));
	vcs->common_dir = directory_text(git_repository_commondir(vcs->repository));
	vcs->work_dir = directory_text(git_repository_workdir(vcs->repository));
}

/* Opens `url` by libgit2; what fails leaves nothing open. */
static int open_repository(struct gitvcs *vcs, struct perun_ctx *ctx, const char *url)
{
	int error, status = gitvcs_need_libgit2(vcs, ctx);

	if (status != PERUN_OK)
		return status;
	error = open_trusted(&vcs->repository, url, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
	if (error == GIT_ENOTFOUND && !open_elsewhere(&vcs->repository, url)) {
		vcs->from_environment = true;
		error = 0;
	}
	if (error)
		return fail_open(ctx, url, error);
	if (!vcs->from_environment)
		status = gitvcs_refuse_embedded(ctx, vcs->repository);
	if (!status && git_repository_odb(&vcs->objects, vcs->repository) < 0)
		status = gitvcs_fail(ctx, PERUN_INPUT, "%s: cannot open the objects", url);
	if (status) {
		git_repository_free(vcs->repository);
		vcs->repository = NULL;
	}
	return status;
}

int gitvcs_attach(void *instance, struct perun_ctx *ctx, const char *url)
{
	struct gitvcs *vcs = instance;
	int status;

	gitvcs_detach(vcs);
	vcs->plain = gitvcs_plain_open(url);
	if (vcs->plain) {
		vcs->git_dir = perun_strdup(gitvcs_plain_git_dir(vcs->plain));
		vcs->common_dir = perun_strdup(vcs->git_dir);
		vcs->work_dir = perun_strdup(gitvcs_plain_work_dir(vcs->plain));
		return PERUN_OK;
	}
	status = open_repository(vcs, ctx, url);
	if (status)
		gitvcs_detach(vcs);
	else
		set_places(vcs);
	return status;
}

void gitvcs_detach(struct gitvcs *vcs)
{
	gitvcs_drop_exports(vcs);
	gitvcs_state_unlock(vcs);
	if (vcs->repository) {
		git_odb_free(vcs->objects);
		git_repository_free(vcs->repository);
	}
	gitvcs_plain_free(vcs->plain);
	perun_free(vcs->git_dir);
	perun_free(vcs->common_dir);
	perun_free(vcs->work_dir);
	perun_free(vcs->boundary);
	perun_free(vcs->replaced);
	*vcs = (struct gitvcs){.started = vcs->started, .state_lock = -1};
}

int gitvcs_need_libgit2(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	int status = vcs->started ? PERUN_OK : gitvcs_start(ctx);

	vcs->started = status == PERUN_OK;
	return status;
}

int gitvcs_need_attached(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	if (vcs->repository || vcs->plain)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE, "no git repository is attached");
}

int gitvcs_need_repository(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	int status = gitvcs_need_attached(vcs, ctx);

	if (status != PERUN_OK || vcs->repository)
		return status;
	status = open_repository(vcs, ctx, vcs->work_dir);
	if (status != PERUN_OK)
		return status;
	set_places(vcs);
	gitvcs_plain_free(vcs->plain);
	vcs->plain = NULL;
	return PERUN_OK;
}

int gitvcs_need_work_tree(struct gitvcs *vcs, struct perun_ctx *ctx, const char *purpose)
{
	int status = gitvcs_need_repository(vcs, ctx);

	if (status == PERUN_OK && !vcs->work_dir)
		status = perun_fail(ctx, PERUN_USAGE,
				    "cannot %s: %s is a bare repository, without a work tree",
				    purpose, vcs->git_dir);
	return status;
}

/* ---- places ---------------------------------------------------------------------------------- */

int gitvcs_common_directory(void *instance, struct perun_ctx *ctx, char **directory)
{
	struct gitvcs *vcs = instance;
	git_repository *main_repository = NULL;
	int status = gitvcs_need_attached(vcs, ctx);

	*directory = NULL;
	if (status != PERUN_OK)
		return status;
	if (vcs->plain || !git_repository_is_worktree(vcs->repository)) {
		*directory = perun_strdup(vcs->work_dir ? vcs->work_dir : vcs->git_dir);
		return PERUN_OK;
	}
	if (open_trusted(&main_repository, vcs->common_dir, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL))
		return PERUN_OK;
	*directory = directory_text(git_repository_workdir(main_repository)
					    ? git_repository_workdir(main_repository)
					    : git_repository_path(main_repository));
	git_repository_free(main_repository);
	return PERUN_OK;
}

static bool has_entry(const char *directory, const char *name)
{
	char *path = perun_format("%s/%s", directory, name);
	struct stat status;
	bool has = lstat(path, &status) == 0 || errno != ENOENT;

	perun_free(path);
	return has;
}

/* Whether a directory or one above it may be a repository or hold one: where none may, libgit2 need not be loaded. */
static bool may_be_within(const char *path)
{
	char *directory = realpath(path, NULL), *slash;
	bool may = !directory;

	while (!may) {
		may = has_entry(directory, ".git") || has_entry(directory, "HEAD");
		if (!*directory)
			break;
		slash = strrchr(directory, '/');
		*slash = '\0';
	}
	free(directory);
	return may;
}

int gitvcs_discover(void *instance, struct perun_ctx *ctx, const char *path, char **root)
{
	git_repository *repository = NULL;
	unsigned flags = 0;
	int error, status;

	*root = NULL;
	if ((!getenv("GIT_DIR") || !*getenv("GIT_DIR")) && !may_be_within(path))
		return PERUN_OK;
	status = gitvcs_need_libgit2(instance, ctx);
	if (status != PERUN_OK)
		return status;
	if (getenv("GIT_DISCOVERY_ACROSS_FILESYSTEM"))
		flags |= GIT_REPOSITORY_OPEN_CROSS_FS;
	if (getenv("GIT_DIR") && *getenv("GIT_DIR")) {
		path = getenv("GIT_DIR");
		error = open_from_environment(&repository);
	} else {
		error = open_trusted(&repository, path, flags, getenv("GIT_CEILING_DIRECTORIES"));
	}
	if (error == GIT_ENOTFOUND) {
		const git_error *last = git_error_last();

		/* libgit2 1.5 fails so too when a foreign owner makes it look at safe.directory */
		if (!last || !last->message || !strstr(last->message, "safe.directory"))
			return PERUN_OK;
	}
	if (error)
		return fail_open(ctx, path, error);
	if (!getenv("GIT_DIR") || !*getenv("GIT_DIR"))
		status = gitvcs_refuse_embedded(ctx, repository);
	if (!status)
		*root = directory_text(git_repository_workdir(repository)
					       ? git_repository_workdir(repository)
					       : git_repository_path(repository));
	git_repository_free(repository);
	return status;
}
