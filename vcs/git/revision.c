/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of versions: heads, branches, tags, abbreviations and expressions. */
#include <stdlib.h>
#include <string.h>

#include "gitvcs.h"
#include "plain.h"

/* The git program understands more (dates, :/text with all its flags, abbreviations of commits). */
static bool resolve_with_program(struct gitvcs *vcs, const char *name, git_oid *id)
{
	struct gitvcs_run run = {.flags = GITVCS_READ_ONLY | GITVCS_MAY_FAIL | GITVCS_NO_FETCH};
	/* What follows :/ is text to the end; it finds commits only. */
	char *expression = perun_format("%s%s", name, strncmp(name, ":/", 2) ? "^{commit}" : "");
	bool found = false;

	/* Without a context: the caller has better words for what went wrong. */
	if (gitvcs_git(vcs, NULL, &run, "rev-parse", "--verify", "--quiet", "--end-of-options",
		       expression, NULL) == PERUN_OK &&
	    !run.code)
		found = git_oid_fromstr(id, gitvcs_run_line(&run)) == 0;
	gitvcs_run_free(&run);
	perun_free(expression);
	return found;
}

static int fail_unresolved(struct gitvcs *vcs, struct perun_ctx *ctx, const char *name, int error)
{
	char *shown = perun_printable(name);
	int status;

	if (error == GIT_EAMBIGUOUS)
		status = perun_fail(ctx, PERUN_USAGE,
				    "%s: several versions begin so; give more digits", shown);
	else if (git_repository_head_unborn(vcs->repository) == 1)
		status = perun_fail(ctx, PERUN_USAGE,
				    "%s: no such version; there is no commit yet: "
				    "commit something first",
				    shown);
	else if (git_repository_is_shallow(vcs->repository) == 1)
		status = perun_fail(ctx, PERUN_USAGE,
				    "%s: no such version in this shallow clone; "
				    "git fetch --unshallow gets the rest of the history",
				    shown);
	else
		status = perun_fail(ctx, PERUN_USAGE,
				    "%s: no such version; expected a branch, a tag, "
				    "HEAD~2 or (the beginning of) a commit's checksum",
				    shown);
	perun_free(shown);
	return status;
}

/* 40 digits name an object themselves; true when that is a commit that is there. */
static bool is_commit_id(struct gitvcs *vcs, const char *name, git_oid *id)
{
	git_object_t type;
	size_t size;

	return strlen(name) == GIT_OID_HEXSZ && !git_oid_fromstr(id, name) &&
	       !git_odb_read_header(&size, &type, vcs->objects, id) && type == GIT_OBJECT_COMMIT;
}

/* HEAD, and 40 digits, of what is read without libgit2. */
static bool resolve_plain(struct gitvcs_plain *plain, const char *name, git_oid *id)
{
	char *branch = NULL, *bytes = NULL;
	size_t size;
	bool found;

	if (strcmp(name, "HEAD") != 0)
		found = strlen(name) == GIT_OID_HEXSZ && !git_oid_fromstr(id, name);
	else
		found = gitvcs_plain_head(plain, &branch, id) &&
			(!branch || gitvcs_plain_reference(plain, branch, id));
	found = found && gitvcs_plain_commit(plain, id, MAX_COMMIT, &bytes, &size);
	perun_free(bytes);
	perun_free(branch);
	return found;
}

/* Parent `number` (from 1) of a commit; 0 = the commit itself. */
static bool go_to_parent(struct gitvcs *vcs, size_t number, git_oid *id)
{
	struct gitvcs_commit commit;
	bool found;

	if (!number)
		return true;
	if (gitvcs_commit_read(vcs, NULL, id, &commit))
		return false;
	found = number <= commit.parent_count;
	if (found)
		gitvcs_commit_parent(&commit, number - 1, id);
	gitvcs_commit_free(&commit);
	return found;
}

/* "HEAD~2^2" and the like, of what is read without libgit2, which takes six times as long to start. */
static bool resolve_ancestor(struct gitvcs *vcs, const char *name, git_oid *id)
{
	size_t base = strcspn(name, "~^");
	const char *step = name + base;
	char *word = perun_strndup(name, base);
	bool found = *step && resolve_plain(vcs->plain, word, id) && !gitvcs_read_grafts(vcs, NULL);

	perun_free(word);
	while (found && *step) {
		bool first = *step == '~';
		size_t digits = strspn(step + 1, "0123456789");
		unsigned long number = digits ? strtoul(step + 1, NULL, 10) : 1;

		found = (first || *step == '^') && digits < 8;
		step += 1 + digits;
		for (unsigned long i = 0; found && first && i < number; i++)
			found = go_to_parent(vcs, 1, id);
		if (found && !first)
			found = go_to_parent(vcs, number, id);
	}
	return found;
}

int gitvcs_resolve(struct gitvcs *vcs, struct perun_ctx *ctx, const char *name, git_oid *id)
{
	git_object *object = NULL, *commit = NULL;
	int error, status = gitvcs_need_attached(vcs, ctx);

	if (!name || !*name)
		name = "HEAD";
	if (status == PERUN_OK && vcs->plain &&
	    (resolve_plain(vcs->plain, name, id) || resolve_ancestor(vcs, name, id)))
		return PERUN_OK;
	if (status == PERUN_OK)
		status = gitvcs_need_repository(vcs, ctx);
	if (status != PERUN_OK)
		return status;
	if (is_commit_id(vcs, name, id))
		return PERUN_OK;
	if (!strcmp(name, "HEAD")) {
		error = git_reference_name_to_id(id, vcs->repository, "HEAD");
		if (!error && is_commit_id(vcs, git_oid_tostr_s(id), id))
			return PERUN_OK;
		if (git_repository_head_unborn(vcs->repository) == 1)
			return perun_fail(ctx, PERUN_USAGE,
					  "no commit yet: commit something first");
	}
	error = git_revparse_single(&object, vcs->repository, name);
	if (!error)
		error = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
	if (!error)
		git_oid_cpy(id, git_object_id(commit));
	else if (resolve_with_program(vcs, name, id))
		error = 0;
	git_object_free(commit);
	git_object_free(object);
	return error ? fail_unresolved(vcs, ctx, name, error) : PERUN_OK;
}

static char *hex_text(const git_oid *id)
{
	char *text = perun_alloc(GIT_OID_HEXSZ + 1);

	return git_oid_tostr(text, GIT_OID_HEXSZ + 1, id);
}

int gitvcs_massage_parameter(void *instance, struct perun_ctx *ctx, const char *parameter,
			     const char *type, char **checksum)
{
	git_oid id;
	int status = gitvcs_resolve(instance, ctx, parameter, &id);

	(void)type; /* commits are all there is to name */
	*checksum = status == PERUN_OK ? hex_text(&id) : NULL;
	return status;
}

int gitvcs_check_minor_version_validity(void *instance, struct perun_ctx *ctx, const char *checksum)
{
	git_oid id;

	return gitvcs_resolve(instance, ctx, checksum, &id);
}

int gitvcs_get_minor_head(void *instance, struct perun_ctx *ctx, char **checksum)
{
	struct gitvcs *vcs = instance;
	git_oid id;
	int status = gitvcs_need_attached(vcs, ctx);

	*checksum = NULL;
	if (status == PERUN_OK && vcs->plain && resolve_plain(vcs->plain, "HEAD", &id)) {
		*checksum = hex_text(&id);
		return PERUN_OK;
	}
	if (status == PERUN_OK)
		status = gitvcs_need_repository(vcs, ctx);
	if (status == PERUN_OK && git_repository_head_unborn(vcs->repository) == 1)
		return PERUN_OK;
	return status ? status : gitvcs_massage_parameter(vcs, ctx, "HEAD", NULL, checksum);
}

/* "main" of "refs/heads/main", as valid UTF-8. */
static char *branch_name(const char *reference)
{
	const char *heads = "refs/heads/";
	struct perun_buffer text = {0};

	if (!strncmp(reference, heads, strlen(heads)))
		reference += strlen(heads);
	gitvcs_utf8(&text, (struct gitvcs_text){reference, strlen(reference)},
		    (struct gitvcs_text){"", 0});
	return perun_buffer_take(&text);
}

int gitvcs_get_head_major_version(void *instance, struct perun_ctx *ctx, char **name)
{
	struct gitvcs *vcs = instance;
	git_reference *head = NULL;
	const char *target;
	char *branch;
	git_oid id;
	int status = gitvcs_need_attached(vcs, ctx);

	*name = NULL;
	if (status == PERUN_OK && vcs->plain && gitvcs_plain_head(vcs->plain, &branch, &id)) {
		*name = branch ? branch_name(branch) : hex_text(&id);
		perun_free(branch);
		return PERUN_OK;
	}
	if (status == PERUN_OK)
		status = gitvcs_need_repository(vcs, ctx);
	if (status != PERUN_OK)
		return status;
	/* Not git_repository_head(), which wants a commit: a branch has its name before the first. */
	if (git_reference_lookup(&head, vcs->repository, "HEAD") < 0)
		return gitvcs_fail(ctx, PERUN_INPUT, "cannot read HEAD of %s", vcs->git_dir);
	target = git_reference_symbolic_target(head);
	*name = target ? branch_name(target) : hex_text(git_reference_target(head));
	git_reference_free(head);
	return PERUN_OK;
}

/* Visit a reference: its name in full without the `prefix`. */
static int visit_reference(git_reference *reference, const char *prefix,
			   perun_major_version_visit *visit, void *data)
{
	struct perun_major_version version = {.struct_size = sizeof(version)};
	const char *short_name = git_reference_name(reference) + strlen(prefix);
	struct perun_buffer name = {0};
	git_object *commit = NULL;
	char head[GIT_OID_HEXSZ + 1];
	int status;

	/* A reference to something that is gone is not a version. */
	if (git_reference_peel(&commit, reference, GIT_OBJECT_COMMIT) < 0)
		return PERUN_OK;
	gitvcs_utf8(&name, (struct gitvcs_text){short_name, strlen(short_name)},
		    (struct gitvcs_text){"", 0});
	version.name = name.data;
	version.head = git_oid_tostr(head, sizeof(head), git_object_id(commit));
	status = visit(data, &version);
	git_object_free(commit);
	perun_buffer_free(&name);
	return status;
}

/* The branches of a plain repository, `*found` unless libgit2 has to look at them. */
static int walk_plain_branches(struct gitvcs_plain *plain, perun_major_version_visit *visit,
			       void *data, bool *found)
{
	struct gitvcs_names names = {0};
	int status = PERUN_OK;
	git_oid *ids;

	*found = gitvcs_plain_branches(plain, &names);
	ids = perun_alloc_zero(names.count + 1, sizeof *ids);
	for (size_t i = 0; *found && i < names.count; i++) {
		size_t size;
		char *bytes = NULL;

		*found = gitvcs_plain_reference(plain, names.items[i], &ids[i]) &&
			 gitvcs_plain_commit(plain, &ids[i], MAX_COMMIT, &bytes, &size);
		perun_free(bytes);
	}
	for (size_t i = 0; *found && !status && i < names.count; i++) {
		char *name = branch_name(names.items[i]), *head = hex_text(&ids[i]);
		const struct perun_major_version version = {
			.struct_size = sizeof version, .name = name, .head = head};

		status = visit(data, &version);
		perun_free(name);
		perun_free(head);
	}
	perun_free(ids);
	gitvcs_names_free(&names);
	return status;
}

int gitvcs_walk_major_versions(void *instance, struct perun_ctx *ctx,
			       perun_major_version_visit *visit, void *data)
{
	struct gitvcs *vcs = instance;
	git_branch_iterator *iterator;
	git_reference *branch;
	git_branch_t type;
	bool found = false;
	int error, status = gitvcs_need_attached(vcs, ctx);

	if (status == PERUN_OK && vcs->plain)
		status = walk_plain_branches(vcs->plain, visit, data, &found);
	if (found)
		return status == PERUN_STOP ? PERUN_OK : status;
	if (status == PERUN_OK)
		status = gitvcs_need_repository(vcs, ctx);
	if (status != PERUN_OK)
		return status;
	if (git_branch_iterator_new(&iterator, vcs->repository, GIT_BRANCH_LOCAL) < 0)
		return gitvcs_fail(ctx, PERUN_INPUT, "cannot read the branches of %s",
				   vcs->common_dir);
	while (status == PERUN_OK && !(error = git_branch_next(&branch, &type, iterator))) {
		status = visit_reference(branch, "refs/heads/", visit, data);
		git_reference_free(branch);
	}
	if (status == PERUN_OK && error != GIT_ITEROVER)
		status = gitvcs_fail(ctx, PERUN_INPUT, "cannot read the branches of %s",
				     vcs->common_dir);
	git_branch_iterator_free(iterator);
	return status == PERUN_STOP ? PERUN_OK : status;
}

int gitvcs_walk_names(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
		      void *data)
{
	static const char *const prefixes[] = {"refs/heads/", "refs/tags/", "refs/remotes/"};
	struct gitvcs *vcs = instance;
	git_reference_iterator *iterator;
	git_reference *reference;
	int error = 0, status = gitvcs_need_repository(vcs, ctx);

	if (status == PERUN_OK &&
	    git_reference_iterator_glob_new(&iterator, vcs->repository, "refs/*") < 0)
		status = gitvcs_fail(ctx, PERUN_INPUT, "cannot read the references of %s",
				     vcs->common_dir);
	if (status != PERUN_OK)
		return status;
	while (status == PERUN_OK && !(error = git_reference_next(&reference, iterator))) {
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
			if (!strncmp(git_reference_name(reference), prefixes[i],
				     strlen(prefixes[i])))
				status = visit_reference(reference, prefixes[i], visit, data);
		}
		git_reference_free(reference);
	}
	if (status == PERUN_OK && error != GIT_ITEROVER)
		status = gitvcs_fail(ctx, PERUN_INPUT, "cannot read the references of %s",
				     vcs->common_dir);
	git_reference_iterator_free(iterator);
	return status == PERUN_STOP ? PERUN_OK : status;
}
