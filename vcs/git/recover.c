/* SPDX-License-Identifier: BSD-3-Clause */
/* Going back to where the user was, also after a run was killed at any step. */
#include <string.h>

#include "gitvcs.h"

enum { MAX_KNOWN = 8 };

/* The trees whose files are safe elsewhere: what is equal to one of them need not be kept. */
struct known {
	git_tree *trees[MAX_KNOWN];
	size_t count;
};

static void known_free(struct known *known)
{
	for (size_t i = 0; i < known->count; i++)
		git_tree_free(known->trees[i]);
}

/* The commit of an expression ("HEX", "HEX^2"), and its tree. */
static git_tree *tree_of(struct gitvcs *vcs, const char *hex, const char *suffix)
{
	char *expression = perun_format("%s%s^{tree}", hex, suffix);
	git_object *object = NULL;

	if (git_revparse_single(&object, vcs->repository, expression) < 0)
		object = NULL;
	perun_free(expression);
	return (git_tree *)object;
}

static void add_known(struct gitvcs *vcs, struct known *known, const char *hex, const char *suffix)
{
	git_tree *tree = *hex && known->count < MAX_KNOWN ? tree_of(vcs, hex, suffix) : NULL;

	if (tree)
		known->trees[known->count++] = tree;
}

static bool same_entry(git_tree *tree, const char *path, const git_diff_file *file)
{
	git_tree_entry *entry = NULL;
	bool same;

	if (git_tree_entry_bypath(&entry, tree, path) < 0)
		return !file->mode; /* absent here and there */
	same = file->mode && git_tree_entry_filemode_raw(entry) == (git_filemode_t)file->mode &&
	       git_oid_equal(git_tree_entry_id(entry), &file->id);
	git_tree_entry_free(entry);
	return same;
}

static bool is_empty(struct gitvcs *vcs, const git_diff_file *file)
{
	git_object_t type;
	size_t size;

	return !git_odb_read_header(&size, &type, vcs->objects, &file->id) &&
	       type == GIT_OBJECT_BLOB && !size;
}

/* Whether every file of `tree` that differs from known->trees[0] is as in another known tree. */
static bool all_known(struct gitvcs *vcs, const struct known *known, git_tree *tree)
{
	git_diff *diff = NULL;
	bool all = true;

	if (!tree || !known->count ||
	    git_diff_tree_to_tree(&diff, vcs->repository, known->trees[0], tree, NULL) < 0)
		return false;
	for (size_t i = 0; all && i < git_diff_num_deltas(diff); i++) {
		const git_diff_delta *delta = git_diff_get_delta(diff, i);
		git_diff_file file = delta->new_file;

		/* A file that is gone or empty has nothing that could be lost. */
		if (delta->status == GIT_DELTA_DELETED || is_empty(vcs, &file))
			continue;
		all = false;
		for (size_t k = 1; !all && k < known->count; k++)
			all = same_entry(known->trees[k], delta->new_file.path, &file);
	}
	git_diff_free(diff);
	return all;
}

/* Whether the stash commit `found` holds nothing that is not in a commit or put aside already. */
static bool holds_nothing_new(struct gitvcs *vcs, const struct gitvcs_journal *journal,
			      const char *found)
{
	struct known known = {0};
	git_tree *work = tree_of(vcs, found, ""), *staged = tree_of(vcs, found, "^2");
	bool nothing;

	add_known(vcs, &known, found, "^1");
	add_known(vcs, &known, journal->head, "");
	add_known(vcs, &known, journal->saved, "");
	add_known(vcs, &known, journal->saved, "^2");
	add_known(vcs, &known, journal->target, "");
	nothing = all_known(vcs, &known, work) && all_known(vcs, &known, staged);
	known_free(&known);
	git_tree_free(work);
	git_tree_free(staged);
	return nothing;
}

/* Whether the work tree is already as it was put aside. */
static bool is_back(struct gitvcs *vcs, const struct gitvcs_journal *journal, const char *found)
{
	static const char *const parts[] = {"", "^1", "^2"};
	bool same = *journal->saved && *found, lacks = false;

	if (same && (gitvcs_lacks_added(vcs, NULL, &lacks) != PERUN_OK || lacks))
		return false;

	for (int i = 0; same && i < 3; i++) {
		git_tree *one = tree_of(vcs, journal->saved, parts[i]);
		git_tree *other = tree_of(vcs, found, parts[i]);

		same = one && other && git_oid_equal(git_tree_id(one), git_tree_id(other));
		git_tree_free(one);
		git_tree_free(other);
	}
	return same;
}

/* Whether some file that differs from the head is as in the version that was being checked out. */
static bool is_half_way(struct gitvcs *vcs, const struct gitvcs_journal *journal, const char *found)
{
	git_tree *head = tree_of(vcs, journal->head, ""), *work = tree_of(vcs, found, "");
	git_tree *target = tree_of(vcs, journal->target, "");
	git_diff *diff = NULL;
	bool some = false;

	if (head && work && target &&
	    !git_diff_tree_to_tree(&diff, vcs->repository, head, work, NULL))
		for (size_t i = 0; !some && i < git_diff_num_deltas(diff); i++) {
			git_diff_file file = git_diff_get_delta(diff, i)->new_file;

			if (git_diff_get_delta(diff, i)->status == GIT_DELTA_DELETED)
				file.mode = 0;
			some = same_entry(target, file.path, &file);
		}
	git_diff_free(diff);
	git_tree_free(head);
	git_tree_free(work);
	git_tree_free(target);
	return some;
}

/* Keep changes that nobody put aside in the user's list of stashes. */
static int keep_changes(struct gitvcs *vcs, struct perun_ctx *ctx, const char *found)
{
	struct gitvcs_run run = {.flags = GITVCS_NO_HOOKS};
	int status = gitvcs_git(vcs, ctx, &run, "stash", "store", "--message",
				"perun: changes found while going back", found, NULL);

	gitvcs_run_free(&run);
	if (status == PERUN_OK)
		perun_warn(ctx, "tracked files were changed meanwhile; these changes are kept: "
				"git stash show -p shows them, git stash pop brings them back");
	return status;
}

/* Whether HEAD is where it was. */
static bool head_is_back(struct gitvcs *vcs, const struct gitvcs_journal *journal)
{
	git_reference *head = NULL;
	const char *target;
	bool back = false;

	if (git_reference_lookup(&head, vcs->repository, "HEAD") < 0)
		return false;
	target = git_reference_symbolic_target(head);
	if (target)
		back = !strcmp(target, journal->branch);
	else
		back = !*journal->branch &&
		       !git_oid_streq(git_reference_target(head), journal->head);
	git_reference_free(head);
	return back;
}

static int put_back(struct gitvcs *vcs, struct perun_ctx *ctx, const struct gitvcs_journal *journal)
{
	char found[GIT_OID_HEXSZ + 1];
	struct gitvcs_run run = {0};
	int status;

	/* Killed before anything was changed: the changes that are there are the user's. */
	if (!*journal->saved && !*journal->target)
		return gitvcs_state_done(vcs, ctx);
	status = gitvcs_stash_create(vcs, ctx, found);
	/* Killed at the very end, perhaps; what was changed since then is the user's, too. */
	if (status == PERUN_OK && head_is_back(vcs, journal) &&
	    (*journal->saved ? is_back(vcs, journal, found)
			     : !*found || !is_half_way(vcs, journal, found)))
		return gitvcs_state_done(vcs, ctx);
	if (status == PERUN_OK && *found) {
		status = gitvcs_check_savable(vcs, ctx);
		if (status == PERUN_OK && !holds_nothing_new(vcs, journal, found))
			status = keep_changes(vcs, ctx, found);
		if (status == PERUN_OK)
			status = gitvcs_git(vcs, ctx, &run, "reset", "--hard", "--quiet",
					    "--no-recurse-submodules", NULL);
		gitvcs_run_free(&run);
	}
	if (status == PERUN_OK)
		status = gitvcs_sweep(vcs, ctx, journal);
	if (status == PERUN_OK)
		status = gitvcs_go_back(vcs, ctx, journal);
	return status == PERUN_OK ? gitvcs_state_done(vcs, ctx) : status;
}

/* A name as a word of the shell: git allows `$` and quotes in it. */
static void add_word(struct perun_buffer *text, const char *name)
{
	if (!name[strspn(
		    name,
		    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+@=-")]) {
		perun_buffer_add_text(text, name);
		return;
	}
	perun_buffer_add_char(text, '\'');
	for (; *name; name++) {
		perun_buffer_add_char(text, *name);
		if (*name == '\'')
			perun_buffer_add_text(text, "\\''");
	}
	perun_buffer_add_char(text, '\'');
}

/* "... was interrupted; ...", with the commands that do by hand what recover does. */
static char *describe(struct gitvcs *vcs, const struct gitvcs_journal *journal)
{
	const char *heads = "refs/heads/", *branch = journal->branch;
	struct perun_buffer text = {0};
	char *reference = gitvcs_saved_reference(vcs);

	if (!strncmp(branch, heads, strlen(heads)))
		branch += strlen(heads);
	perun_buffer_printf(&text, "a run in %s was interrupted", vcs->work_dir);
	if (*branch)
		perun_buffer_printf(&text, "; you were on branch %s", branch);
	else
		perun_buffer_printf(&text, "; you were at commit %.12s", journal->head);
	if (*journal->saved)
		perun_buffer_printf(&text, ", and your uncommitted changes are in %s", reference);
	if (!*journal->saved && !*journal->target) {
		perun_buffer_printf(&text, "; nothing was changed yet");
	} else if (*branch) {
		perun_buffer_printf(&text, " (by hand: git checkout ");
		add_word(&text, branch);
	} else {
		perun_buffer_printf(&text, " (by hand: git checkout --detach %.12s", journal->head);
	}
	if (*journal->saved)
		perun_buffer_printf(&text, " && git stash apply --index %s", reference);
	if (*journal->saved || *journal->target)
		perun_buffer_add_char(&text, ')');
	perun_free(reference);
	return perun_buffer_take(&text);
}

/* Remove the exports of killed runs, and say so. */
static int remove_exports(struct gitvcs *vcs, struct perun_ctx *ctx, char **what)
{
	char *before = *what;
	size_t removed;
	int status = gitvcs_prune_exports(vcs, ctx, &removed);

	if (status == PERUN_OK && removed) {
		*what = perun_format("%s%sremoved %zu work tree%s that interrupted runs left",
				     before ? before : "", before ? "; " : "", removed,
				     removed == 1 ? "" : "s");
		perun_free(before);
	}
	return status;
}

int gitvcs_recover(void *instance, struct perun_ctx *ctx, bool only_report, char **what)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_journal journal = {0};
	bool busy = false, found = false, mine;
	int status =
		only_report ? gitvcs_need_attached(vcs, ctx) : gitvcs_need_repository(vcs, ctx);

	*what = NULL;
	if (status != PERUN_OK)
		return status;
	mine = vcs->state_lock >= 0;
	status = gitvcs_journal_read(vcs, ctx, &journal, &found);
	if (status == PERUN_OK && !mine && (found || !only_report)) {
		status = gitvcs_state_lock(vcs, ctx, &busy);
		found = found && !busy; /* it is not interrupted, it goes on */
	}
	if (status == PERUN_OK && found)
		*what = describe(vcs, &journal);
	if (status == PERUN_OK && found && !only_report)
		status = put_back(vcs, ctx, &journal);
	else if (status == PERUN_OK && !busy && !only_report)
		status = gitvcs_state_done(
			vcs, ctx); /* killed before the first or after the last step */
	if (!mine || (status == PERUN_OK && !only_report))
		gitvcs_state_unlock(vcs);
	if (status == PERUN_OK && !only_report && !mine)
		status = remove_exports(vcs, ctx, what);
	gitvcs_journal_free(&journal);
	return status;
}
