/* SPDX-License-Identifier: BSD-3-Clause */
/* Putting the user's changes aside, checking versions out in the user's work tree, and going back. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gitvcs.h"

/*
 * The steps, so that a kill between any two of them loses nothing:
 *   save      journal {head, branch}; stash commit (objects only); a reference to it; journal
 *             {saved}; git reset --hard
 *   checkout  journal {target}; git checkout
 *   restore   git checkout of the branch; git stash apply; journal removed; reference removed
 * While no stash commit is in the journal, the work tree is as the user left it.
 */

/* The branch that HEAD names, "" when it is detached. */
static char *current_branch(struct gitvcs *vcs)
{
	git_reference *head = NULL;
	const char *target = NULL;
	char *branch;

	if (!git_reference_lookup(&head, vcs->repository, "HEAD"))
		target = git_reference_symbolic_target(head);
	branch = perun_strdup(target ? target : "");
	git_reference_free(head);
	return branch;
}

static bool head_is(struct gitvcs *vcs, const char *hex)
{
	git_oid id;

	return !git_reference_name_to_id(&id, vcs->repository, "HEAD") && !git_oid_streq(&id, hex);
}

/*
 * git stash fails without a word when the index is locked. Editors and prompts hold the lock for a
 * moment, so it is waited for.
 */
static int check_unlocked(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	char *lock = perun_format("%s/index.lock", vcs->git_dir);
	int status = PERUN_OK, tries = 50;

	while (!access(lock, F_OK) && tries--)
		nanosleep(&pause, NULL);
	if (tries < 0)
		status = perun_fail(ctx, PERUN_INPUT,
				    "%s exists: another git is at work here, or a killed one left "
				    "it; when none is running, remove the file",
				    lock);
	perun_free(lock);
	return status;
}

int gitvcs_stash_create(struct gitvcs *vcs, struct perun_ctx *ctx, char stash[GIT_OID_HEXSZ + 1])
{
	struct gitvcs_run run = {0};
	int status = check_unlocked(vcs, ctx);
	const char *line;
	git_oid id;

	stash[0] = '\0';
	if (status == PERUN_OK)
		status = gitvcs_git(vcs, ctx, &run, "stash", "create", NULL);
	line = gitvcs_run_line(&run);
	if (status == PERUN_OK && *line) {
		if (strlen(line) != GIT_OID_HEXSZ || git_oid_fromstr(&id, line) < 0)
			status = perun_fail(ctx, PERUN_INPUT,
					    "git stash create: expected a checksum, not %s", line);
		else
			strcpy(stash, line);
	}
	gitvcs_run_free(&run);
	return status;
}

static int reset_hard(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	struct gitvcs_run run = {0};
	int status = gitvcs_git(vcs, ctx, &run, "reset", "--hard", "--quiet",
				"--no-recurse-submodules", NULL);

	gitvcs_run_free(&run);
	return status;
}

static int set_reference(struct gitvcs *vcs, struct perun_ctx *ctx, const char *hex)
{
	struct gitvcs_run run = {.flags = GITVCS_NO_HOOKS};
	char *reference = gitvcs_saved_reference(vcs);
	int status;

	if (hex)
		status = gitvcs_git(vcs, ctx, &run, "update-ref", reference, hex, NULL);
	else
		status = gitvcs_git(vcs, ctx, &run, "update-ref", "-d", reference, NULL);
	gitvcs_run_free(&run);
	perun_free(reference);
	return status;
}

int gitvcs_state_done(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	char *reference = gitvcs_saved_reference(vcs);
	git_oid id;
	int status = gitvcs_journal_remove(vcs, ctx);

	if (status == PERUN_OK && !git_reference_name_to_id(&id, vcs->repository, reference))
		status = set_reference(vcs, ctx, NULL);
	perun_free(reference);
	return status;
}

/* Put the changes aside; the journal is there. */
static int put_aside(struct gitvcs *vcs, struct perun_ctx *ctx, struct gitvcs_journal *journal)
{
	int status = gitvcs_stash_create(vcs, ctx, journal->saved);

	if (status == PERUN_OK && *journal->saved)
		status = set_reference(vcs, ctx, journal->saved);
	if (status == PERUN_OK && *journal->saved)
		status = gitvcs_journal_write(vcs, ctx, journal);
	if (status != PERUN_OK) {
		/* Nothing of the user's was touched yet. */
		gitvcs_state_done(vcs, NULL);
		return status;
	}
	return *journal->saved ? reset_hard(vcs, ctx) : PERUN_OK;
}

/* Take the lock, and see that no earlier run left something to be put right first. */
static int begin(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	struct gitvcs_journal journal;
	bool busy, found;
	int status = gitvcs_state_lock(vcs, ctx, &busy);

	if (busy)
		return perun_fail(ctx, PERUN_INPUT,
				  "another run is using the work tree %s; wait for its end",
				  vcs->work_dir);
	if (status == PERUN_OK)
		status = gitvcs_journal_read(vcs, ctx, &journal, &found);
	if (status != PERUN_OK)
		return status;
	if (found) {
		char *what = NULL;

		gitvcs_journal_free(&journal);
		gitvcs_recover(vcs, ctx, true, &what);
		status = perun_fail(ctx, PERUN_INPUT, "%s", what ? what : "a run was interrupted");
		perun_free(what);
		return status;
	}
	return gitvcs_check_savable(vcs, ctx);
}

int gitvcs_save_state(void *instance, struct perun_ctx *ctx, bool *saved, char **state)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_journal journal = {0};
	git_oid id;
	int status = gitvcs_need_work_tree(vcs, ctx, "save changes");

	*saved = false;
	*state = NULL;
	if (status == PERUN_OK)
		status = gitvcs_resolve(vcs, ctx, "HEAD", &id);
	if (status != PERUN_OK)
		return status;
	git_oid_tostr(journal.head, sizeof(journal.head), &id);
	journal.branch = current_branch(vcs);
	status = begin(vcs, ctx);
	if (status == PERUN_OK)
		status = gitvcs_journal_write(vcs, ctx, &journal);
	if (status == PERUN_OK)
		status = put_aside(vcs, ctx, &journal);
	if (status == PERUN_OK) {
		*saved = *journal.saved != '\0';
		*state = perun_strdup(*journal.branch ? journal.branch : journal.head);
	} else {
		gitvcs_state_unlock(vcs);
	}
	gitvcs_journal_free(&journal);
	return status;
}

/* ---- moving ---------------------------------------------------------------------------------- */

/*
 * git checkout as the user would do it (filters, hooks, sparse checkout), but ignored files are not
 * overwritten. A hook that fails after the checkout makes git fail: that is a warning only.
 */
static int move_to(struct gitvcs *vcs, struct perun_ctx *ctx, const char *branch, const char *hex)
{
	struct gitvcs_run run = {.flags = GITVCS_MAY_FAIL};
	const char *heads = "refs/heads/";
	char *now;
	int status;

	if (branch && !strncmp(branch, heads, strlen(heads)))
		status = gitvcs_git(vcs, ctx, &run, "checkout", "--quiet", "--no-overwrite-ignore",
				    branch + strlen(heads), "--", NULL);
	else
		status = gitvcs_git(vcs, ctx, &run, "checkout", "--quiet", "--no-overwrite-ignore",
				    "--detach", hex, "--", NULL);
	if (status == PERUN_OK && run.code) {
		now = current_branch(vcs);
		if (branch && *branch ? !strcmp(now, branch) : !*now && head_is(vcs, hex))
			perun_warn(ctx, "git checkout of %.12s: %s", hex, run.err.data);
		else
			status = perun_fail(ctx, PERUN_INPUT, "git checkout of %.12s: %s", hex,
					    run.err.data);
		perun_free(now);
	}
	gitvcs_run_free(&run);
	return status;
}

int gitvcs_checkout(void *instance, struct perun_ctx *ctx, const char *checksum)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_journal journal = {0};
	bool found = false;
	git_oid id;
	int status = gitvcs_need_work_tree(vcs, ctx, "check out a version");

	if (status == PERUN_OK)
		status = gitvcs_resolve(vcs, ctx, checksum, &id);
	if (status == PERUN_OK)
		status = gitvcs_journal_read(vcs, ctx, &journal, &found);
	git_oid_tostr(journal.target, sizeof(journal.target), &id);
	/* Before the target is in the journal: then what lies in its places later is not the user's. */
	if (status == PERUN_OK && found)
		status = gitvcs_check_untracked(vcs, ctx, journal.target);
	if (status == PERUN_OK && found)
		status = gitvcs_journal_write(vcs, ctx, &journal);
	if (status == PERUN_OK)
		status = move_to(vcs, ctx, NULL, journal.target);
	gitvcs_journal_free(&journal);
	return status;
}

int gitvcs_go_back(struct gitvcs *vcs, struct perun_ctx *ctx, const struct gitvcs_journal *journal)
{
	struct gitvcs_run run = {0};
	char *branch = current_branch(vcs);
	int status = PERUN_OK;

	if (strcmp(branch, journal->branch) != 0 || (!*branch && !head_is(vcs, journal->head)))
		status = move_to(vcs, ctx, journal->branch, journal->head);
	perun_free(branch);
	if (status == PERUN_OK && *journal->saved) {
		status = gitvcs_git(vcs, ctx, &run, "stash", "apply", "--index", "--quiet",
				    journal->saved, NULL);
		gitvcs_run_free(&run);
	}
	return status;
}

int gitvcs_restore_state(void *instance, struct perun_ctx *ctx, bool saved, const char *state)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_journal journal;
	char *what = NULL;
	bool found;
	git_oid id;
	int status = gitvcs_need_work_tree(vcs, ctx, "go back");

	if (status == PERUN_OK)
		status = gitvcs_journal_read(vcs, ctx, &journal, &found);
	if (status != PERUN_OK)
		return status;
	gitvcs_journal_free(&journal);
	if (found) {
		status = gitvcs_recover(vcs, ctx, false, &what);
		perun_free(what);
		return status;
	}
	if (saved)
		return perun_fail(ctx, PERUN_INPUT, "no changes are put aside in %s",
				  vcs->work_dir);
	status = gitvcs_resolve(vcs, ctx, state, &id);
	if (status != PERUN_OK)
		return status;
	gitvcs_state_unlock(vcs);
	return move_to(vcs, ctx, state, git_oid_tostr_s(&id));
}
