/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the work tree has changes, and whether they can be put aside safely. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "gitvcs.h"

/* One changed path, of git status --porcelain=v2. */
struct change {
	char kind;             /* '1' changed, '2' renamed, 'u' unmerged */
	char staged, worked;   /* '.', or how the index and the work tree differ: M T A D */
	const char *submodule; /* "N..." or "Scmu" */
	const char *path;
};

typedef int change_visit(void *data, const struct change *change);

/* "1 XY sub mH mI mW hH hI path": the path is after 8 blanks; 9 for '2', 10 for 'u'. */
static bool parse_change(const char *record, struct change *change)
{
	int fields = record[0] == 'u' ? 10 : record[0] == '2' ? 9 : 8;
	const char *path = record;

	if ((record[0] != '1' && record[0] != '2' && record[0] != 'u') || strlen(record) < 10)
		return false;
	*change = (struct change){record[0], record[2], record[3], record + 5, NULL};
	for (int i = 0; path && i < fields; i++) {
		path = strchr(path, ' ');
		path += path != NULL;
	}
	change->path = path;
	return path != NULL;
}

/* Untracked files in a submodule are no more a change than those of the repository itself. */
static bool is_untracked_only(const struct change *change)
{
	return change->kind == '1' && change->staged == '.' && change->worked == 'M' &&
	       !strncmp(change->submodule, "S..U", 4);
}

static int visit_changes(struct gitvcs *vcs, struct perun_ctx *ctx, change_visit *visit, void *data)
{
	struct gitvcs_run run = {.flags = GITVCS_READ_ONLY};
	int status = gitvcs_git(vcs, ctx, &run, "status", "--porcelain=v2", "-z",
				"--untracked-files=no", "--no-renames", NULL);

	for (size_t at = 0; status == PERUN_OK && at < run.out.length;) {
		const char *record = run.out.data + at;
		struct change change;

		at += strlen(record) + 1;
		if (record[0] == '2') /* the old name follows */
			at += at < run.out.length ? strlen(run.out.data + at) + 1 : 0;
		if (parse_change(record, &change) && !is_untracked_only(&change))
			status = visit(data, &change);
	}
	gitvcs_run_free(&run);
	return status == PERUN_STOP ? PERUN_OK : status;
}

static int note_dirty(void *data, const struct change *change)
{
	(void)change;
	*(bool *)data = true;
	return PERUN_STOP;
}

int gitvcs_is_dirty(void *instance, struct perun_ctx *ctx, bool *dirty)
{
	struct gitvcs *vcs = instance;
	int status = gitvcs_need_repository(vcs, ctx);

	*dirty = false;
	if (status != PERUN_OK || !vcs->work_dir)
		return status; /* a bare repository has nothing that could differ */
	return visit_changes(vcs, ctx, note_dirty, dirty);
}

static int note_lacking(void *data, const struct change *change)
{
	if (change->staged != 'A' || change->worked != 'D')
		return PERUN_OK;
	*(bool *)data = true;
	return PERUN_STOP;
}

int gitvcs_lacks_added(struct gitvcs *vcs, struct perun_ctx *ctx, bool *lacks)
{
	*lacks = false;
	return visit_changes(vcs, ctx, note_lacking, lacks);
}

/* ---- can it be put aside? -------------------------------------------------------------------- */

struct check {
	struct gitvcs *vcs;
	struct perun_ctx *ctx;
	bool recurses; /* submodule.recurse: git changes submodules along with the work tree */
};

/*
 * git reset --hard, which follows a stash, writes over an untracked file that lies where a tracked
 * one was. `place` is what is in the way: fail when git does not know it.
 */
static int check_in_the_way(const struct check *check, const char *path, const char *place)
{
	struct gitvcs_run run = {.flags = GITVCS_READ_ONLY};
	int status = gitvcs_git(check->vcs, check->ctx, &run, "ls-files", "--others", "-z", "--",
				place, NULL);

	if (status == PERUN_OK && run.out.length && !gitvcs_is_as_head(check->vcs, place))
		status = perun_fail(check->ctx, PERUN_INPUT,
				    "%s was removed from the index, but the untracked %s is in its "
				    "place and would be lost; move it away or add it",
				    path, run.out.data);
	gitvcs_run_free(&run);
	return status;
}

static int check_removed(const struct check *check, const char *path)
{
	char *full = perun_format("%s/%s", check->vcs->work_dir, path), *slash;
	size_t root = strlen(check->vcs->work_dir) + 1;
	struct stat info;
	int status = PERUN_OK;

	/* The path itself, or a file where one of its directories was. */
	while (lstat(full, &info) < 0 && errno == ENOTDIR &&
	       (slash = strrchr(full + root, '/')) != NULL)
		*slash = '\0';
	if (!lstat(full, &info) && (!S_ISDIR(info.st_mode) || !strcmp(full + root, path)))
		status = check_in_the_way(check, path, full + root);
	perun_free(full);
	return status;
}

static int check_change(void *data, const struct change *change)
{
	const struct check *check = data;
	bool submodule = change->submodule[0] == 'S';

	if (change->kind == 'u')
		return perun_fail(check->ctx, PERUN_INPUT,
				  "%s has unresolved conflicts; resolve and commit them first",
				  change->path);
	if (change->worked == 'A')
		return perun_fail(check->ctx, PERUN_INPUT,
				  "%s was announced with git add -N, which git cannot put aside; "
				  "git add it or git reset it first",
				  change->path);
	if (submodule && check->recurses &&
	    (change->submodule[1] != '.' || change->submodule[2] != '.'))
		return perun_fail(check->ctx, PERUN_INPUT,
				  "the submodule %s has changes, and submodule.recurse makes git "
				  "overwrite them; commit them first",
				  change->path);
	if (!submodule && (change->staged == 'D' || change->worked == 'D'))
		return check_removed(check, change->path);
	return PERUN_OK;
}

/* What is going on that a checkout would disturb, or NULL. */
static const char *operation_in_progress(git_repository *repository)
{
	switch (git_repository_state(repository)) {
	case GIT_REPOSITORY_STATE_MERGE:
		return "merge";
	case GIT_REPOSITORY_STATE_REVERT:
	case GIT_REPOSITORY_STATE_REVERT_SEQUENCE:
		return "revert";
	case GIT_REPOSITORY_STATE_CHERRYPICK:
	case GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE:
		return "cherry-pick";
	case GIT_REPOSITORY_STATE_REBASE:
	case GIT_REPOSITORY_STATE_REBASE_INTERACTIVE:
	case GIT_REPOSITORY_STATE_REBASE_MERGE:
		return "rebase";
	case GIT_REPOSITORY_STATE_APPLY_MAILBOX:
	case GIT_REPOSITORY_STATE_APPLY_MAILBOX_OR_REBASE:
		return "am or rebase";
	default: /* a bisection goes on undisturbed */
		return NULL;
	}
}

int gitvcs_check_savable(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	struct check check = {.vcs = vcs, .ctx = ctx};
	const char *operation = operation_in_progress(vcs->repository);
	git_config *config = NULL;
	int recurses = 0;

	if (operation)
		return perun_fail(ctx, PERUN_INPUT,
				  "a git %s is in progress; finish it or abort it first",
				  operation);
	if (!git_repository_config_snapshot(&config, vcs->repository))
		git_config_get_bool(&recurses, config, "submodule.recurse");
	git_config_free(config);
	check.recurses = recurses;
	return visit_changes(vcs, ctx, check_change, &check);
}
